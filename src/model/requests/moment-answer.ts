/**
 * When a bad outcome became inevitable, as the command line, its page and operations read it. One definition gives the types, the names
 * on the wire and the JSON Schema. Carries ids, never personal data.
 */

import { Schema } from "effect"
import { Instant } from "../values/schema.ts"

/**
 * `bad`: it was late or lost. `called_off`: by its partner or customer before it could go wrong. `open`: the journal ends before it does.
 * `left_out`: the model has no place for it. `unknown`: the journal has no entry of it.
 */
const MOMENT_OUTCOMES = ["bad", "good", "called_off", "open", "left_out", "unknown"] as const

const NumberOrNull = Schema.NullOr(Schema.Number)
const InstantOrNull = Schema.NullOr(Instant)
const StringOrNull = Schema.NullOr(Schema.String)

const Odds = Schema.Struct({
  value: Schema.Number,
  low: Schema.Number,
  high: Schema.Number,
  futures: Schema.Number.annotations({ description: "How many it was counted in." }),
}).annotations({
  identifier: "MomentOdds",
  description: "The share of futures that end badly, from 0 to 1, with its 95 % interval.",
})

const Asked = Schema.Struct({
  kind: Schema.Literal("reservation", "delivery", "promise"),
  id: StringOrNull.annotations({ description: "Null for a promise." }),
  limit_ms: NumberOrNull.annotations({
    description: "How long the robot of a reservation may wait for its order; null for others.",
  }),
  due_at: InstantOrNull.annotations({
    description: "When a delivery had to be at its door; null for others.",
  }),
  metric: StringOrNull.annotations({ description: "Of a promise; null for others." }),
  bound: StringOrNull.annotations({ description: "What the figure must be, such as `< 8m`." }),
}).pipe(Schema.rename({ limit_ms: "limitMs", due_at: "dueAtMs" }))

const CurveEntry = Schema.Struct({
  entry: Schema.Number.annotations({ description: "Its number in the journal that was read." }),
  at: Instant,
  group: Schema.String,
  machine: Schema.String.annotations({ description: "Of the actor that took the entry, without a version." }),
  what: Schema.String.annotations({ description: "The entry in words." }),
  odds: Odds.annotations({ description: "After the entry." }),
}).pipe(Schema.rename({ at: "atMs" }))

const ComparedOdds = Schema.Struct({
  entry: Schema.Number,
  at: Instant,
  odds: Odds.annotations({ description: "With the decision from then on." }),
  as_it_was: Odds.annotations({ description: "Without it, on the same chance." }),
  saved: Schema.Number.annotations({ description: "Pairs of futures that it saves." }),
  costs: Schema.Number.annotations({ description: "Pairs of futures that it loses." }),
  helps: Schema.Boolean.annotations({ description: "True when chance hardly explains the difference." }),
}).pipe(
  Schema.rename({ at: "atMs", as_it_was: "asItWas" }),
  Schema.annotations({ identifier: "MomentCompared" }),
)

const DecisionTried = Schema.Struct({
  id: Schema.String,
  words: Schema.String,
  before: ComparedOdds.annotations({ description: "Before the largest step." }),
  after: ComparedOdds.annotations({ description: "After the largest step." }),
  last: Schema.NullOr(ComparedOdds).annotations({
    description: "The last moment at which it brings the odds from above a half to below it; null: none.",
  }),
})

const Step = Schema.Struct({
  from_entry: Schema.Number,
  entry: Schema.Number.annotations({ description: "The one after which the odds are worse." }),
  points: Schema.Number.annotations({ description: "From 0 to 1: how much worse." }),
  is_one: Schema.Boolean.annotations({
    description: "False when further moments lie between the two that were not looked at.",
  }),
  is_the_moment: Schema.Boolean.annotations({
    description: "True when it is large enough and ends above a half.",
  }),
  cause: Schema.String.annotations({
    description: "The entry in words, or what the case waited for where most of the step came without one.",
  }),
  waited_ms: NumberOrNull.annotations({
    description: "How long it waited so; null: the entry is the cause.",
  }),
}).pipe(
  Schema.rename({
    from_entry: "fromEntry",
    is_one: "isOne",
    is_the_moment: "isTheMoment",
    waited_ms: "waitedMs",
  }),
)

const WaitingMachine = Schema.Struct({
  machine: Schema.String,
  state: Schema.String,
  since: Instant,
}).pipe(Schema.rename({ since: "sinceMs" }))

const Calibration = Schema.Struct({
  moments: Schema.Number,
  expected: Schema.Number.annotations({ description: "The mean of their odds, from 0 to 1." }),
  happened: Schema.Number.annotations({ description: "The share of them that ended badly." }),
}).annotations({ description: "How odds like these came true at moments that are over." })

const MomentFigures = Schema.Struct({
  how: Schema.Literal("late", "lost"),
  curve: Schema.Array(CurveEntry).annotations({
    description:
      "In the order of the journal. The last one is of the last entry before the outcome was a fact.",
  }),
  step: Schema.NullOr(Step).annotations({ description: "The largest; null with fewer than two moments." }),
  waiting: Schema.NullOr(WaitingMachine).annotations({
    description: "The machine of the case that waited at the largest step; null for a promise.",
  }),
  decisions: Schema.Array(DecisionTried).annotations({ description: "The best first." }),
  futures: Schema.Number,
  seed: Schema.Number,
  turns: Schema.Number.annotations({ description: "Of machines, in all futures." }),
  is_cut: Schema.Boolean.annotations({ description: "True when it was stopped before its end." }),
  drawn_from: Schema.String.annotations({ description: "Where the chances come from." }),
  calibration: Schema.NullOr(Calibration).annotations({ description: "Null: not calibrated yet." }),
  left_out: Schema.Array(Schema.Struct({ what: Schema.String, count: Schema.Number })).annotations({
    description: "Groups that the model has no place for.",
  }),
  not_known: Schema.Array(Schema.String).annotations({ description: "What a journal cannot show." }),
}).pipe(
  Schema.rename({
    is_cut: "isCut",
    drawn_from: "drawnFrom",
    left_out: "leftOut",
    not_known: "notKnown",
  }),
  Schema.annotations({ identifier: "MomentFigures" }),
)

export const MomentAnswerShown = Schema.Struct({
  asked: Asked,
  is: Schema.Literal(...MOMENT_OUTCOMES).annotations({
    description:
      "`bad`: it was late or lost. `called_off`: by its partner or customer before it could go wrong. `open`: the journal ends before it does. `left_out`: the model has no place for it. `unknown`: the journal has no entry of it.",
  }),
  at: InstantOrNull.annotations({ description: "When that was a fact; null while it is none." }),
  time_zone: Schema.String.annotations({ description: "Of the clock times in the sentences." }),
  outcome: Schema.String.annotations({ description: "What happened to it, as a sentence." }),
  headline: StringOrNull.annotations({ description: "When it became inevitable, and why; null unless bad." }),
  best: StringOrNull.annotations({ description: "What would have kept it; null unless bad." }),
  figures: Schema.NullOr(MomentFigures).annotations({ description: "Null unless bad." }),
}).pipe(
  Schema.rename({ at: "atMs", time_zone: "timeZone" }),
  Schema.annotations({
    identifier: "MomentAnswer",
    description: "When a late or lost order could no longer be saved, and what would have saved it.",
  }),
)

export type MomentAnswer = typeof MomentAnswerShown.Type

/** As it is written: what a page reads. */
export type MomentAnswerJson = typeof MomentAnswerShown.Encoded
