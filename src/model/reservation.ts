/** Reservation: one arrival window at one stall. Source: reservations contract, resources and states. */

import { Schema } from "effect"

/** `requested` is part of the contract's vocabulary; this version confirms at once and never produces it. */
export const RESERVATION_STATUSES = ["requested", "confirmed", "arrived", "completed", "canceled"] as const

export type ReservationStatus = (typeof RESERVATION_STATUSES)[number]

export const CANCELERS = ["partner", "runner", "ops", "system"] as const

/** Who canceled; `system` stands for the end of the window plus the grace period. */
export type Canceler = (typeof CANCELERS)[number]

/** The time limits of a reservation's machines, with the contract's defaults in `limits.ts`. Milliseconds. */
export const ReservationPolicy = Schema.Struct({
  windowGraceMs: Schema.Number,
  botWaitMs: Schema.Number,
  stagingLeadMs: Schema.Number,
  openLinkAttemptsMax: Schema.Number,
  openLinkBackoffMs: Schema.Array(Schema.Number),
  openLinkLeaseMs: Schema.Number,
  /**
   * How often one attempt is sent again after its node stopped. Absent in older journals, whose open links are of
   * version 1.
   */
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
