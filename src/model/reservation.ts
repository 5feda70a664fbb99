/** Reservation: one arrival window at one stall. Source: reservations contract, resources and states. */

/** `requested` is part of the contract's vocabulary; this version confirms at once and never produces it. */
export const RESERVATION_STATUSES = ["requested", "confirmed", "arrived", "completed", "canceled"] as const

export type ReservationStatus = (typeof RESERVATION_STATUSES)[number]

export const CANCELERS = ["partner", "runner", "ops", "system"] as const

/** Who canceled; `system` is the window's end plus grace. */
export type Canceler = (typeof CANCELERS)[number]

/** What a reservation's machines are held to, with the contract's defaults in `limits.ts`. Milliseconds. */
export type ReservationPolicy = {
  readonly windowGraceMs: number
  readonly botWaitMs: number
  readonly stagingLeadMs: number
  readonly openLinkAttemptsMax: number
  readonly openLinkBackoffMs: readonly number[]
  readonly openLinkLeaseMs: number
  /** How often one attempt leaves again after its node was gone. Absent in journals of before; open links are of version 1 then. */
  readonly openLinkResendsMax?: number
}
