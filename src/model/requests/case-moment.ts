/**
 * When a late or lost case of the live service could no longer be saved, as operations read it: the answer, or how far it is. One definition
 * gives the types, the names on the wire and the JSON Schema.
 */

import { Schema } from "effect"
import { Instant } from "../values/schema.ts"
import { MomentAnswerShown } from "./moment-answer.ts"

const MOMENT_STATES = ["being_made", "ready", "too_little_history", "not_lost", "unavailable"] as const

/**
 * `busy`: others are made. `stopped`: an operator stopped it. `too_much`: more happened at the site than is read. `left_out`: the learned
 * model has no place for the case.
 */
const MOMENT_FAILURES = ["busy", "stopped", "took_too_long", "too_much", "left_out", "failed"] as const

export type MomentFailure = (typeof MOMENT_FAILURES)[number]

const MOMENT_STEPS = ["waiting", "reading", "simulating"] as const

export type MomentStep = (typeof MOMENT_STEPS)[number]

const Progress = Schema.Struct({
  step: Schema.Literal(...MOMENT_STEPS).annotations({
    description: "`waiting`: another one is made. `reading`: the journal of the site is read.",
  }),
  futures: Schema.Number.annotations({ description: "How many were simulated so far." }),
})

const History = Schema.Struct({
  reservations: Schema.Number.annotations({
    description: "That were booked in the 28 days before the case.",
  }),
  reservations_wanted: Schema.Number,
  from: Schema.NullOr(Instant).annotations({ description: "The first of them; null: there is none." }),
  hours_wanted: Schema.Number.annotations({ description: "How long before the case the first must be." }),
}).pipe(
  Schema.rename({ reservations_wanted: "reservationsWanted", from: "fromMs", hours_wanted: "hoursWanted" }),
)

export const CaseMomentShown = Schema.Struct({
  id: Schema.String,
  state: Schema.Literal(...MOMENT_STATES).annotations({
    description:
      "`being_made`: it is computed. `too_little_history`: the site had too few reservations before to learn from. `not_lost`: it ended well, was called off, or is not late yet. `unavailable`: see `reason`.",
  }),
  reason: Schema.NullOr(Schema.Literal(...MOMENT_FAILURES)).annotations({
    description:
      "Why it is unavailable; otherwise null. `busy`: others are made. `stopped`: an operator stopped it. `too_much`: more happened at the site than is read. `left_out`: what was learned has no place for the case.",
  }),
  progress: Schema.NullOr(Progress).annotations({ description: "Null unless it is being made." }),
  ask_again_at: Instant.annotations({ description: "Before that, the answer does not change." }),
  history: Schema.NullOr(History).annotations({ description: "Null unless there is too little history." }),
  answer: Schema.NullOr(MomentAnswerShown).annotations({
    description: "Null while it is made, and where there is none.",
  }),
}).pipe(
  Schema.rename({ ask_again_at: "askAgainAtMs" }),
  Schema.annotations({
    identifier: "CaseMoment",
    description: "When a case could no longer be saved, and what would have saved it.",
  }),
)

export type CaseMoment = typeof CaseMomentShown.Type

/** As it is written: what a page reads. */
export type CaseMomentJson = typeof CaseMomentShown.Encoded
