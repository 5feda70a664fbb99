/** Reservation: one arrival window at one stall. Source: reservations contract, resources and states. */

import { Schema } from "effect"

/** `requested` is part of the contract's vocabulary; this version confirms at once and never produces it. */
export const RESERVATION_STATUSES = ["requested", "confirmed", "arrived", "completed", "canceled"] as const

export type ReservationStatus = (typeof RESERVATION_STATUSES)[number]

export const CANCELERS = ["partner", "runner", "ops", "system"] as const

/** Who canceled; `system` is the window's end plus grace. */
export type Canceler = (typeof CANCELERS)[number]

/** What a reservation's machines are held to, with the contract's defaults in `limits.ts`. Milliseconds. */
export const ReservationPolicy = Schema.Struct({
  windowGraceMs: Schema.Number,
  botWaitMs: Schema.Number,
  stagingLeadMs: Schema.Number,
  openLinkAttemptsMax: Schema.Number,
  openLinkBackoffMs: Schema.Array(Schema.Number),
  openLinkLeaseMs: Schema.Number,
  /** How often one attempt leaves again after its node was gone. Absent in journals of before; open links are of version 1 then. */
  openLinkResendsMax: Schema.optionalWith(Schema.Number, { exact: true }),
})

export type ReservationPolicy = typeof ReservationPolicy.Type

/** Bounds of an arrival window, milliseconds, inclusive. */
export const WindowLimits = Schema.Struct({
  aheadMsMax: Schema.Number,
  widthMsMin: Schema.Number,
  widthMsMax: Schema.Number,
})

export type WindowLimits = typeof WindowLimits.Type
