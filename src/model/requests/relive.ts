/** The answer of a record that is run again under another rule, as a schema. */

import { Schema } from "effect"

const Figure = Schema.Struct({ before: Schema.Number, after: Schema.Number })

const RELIVED_KINDS = ["delivery", "errand", "reservation"] as const

/** `open`: it had not ended when the record ends; `none`: it never came to be. */
const RELIVED_ENDS = ["called_off", "lost", "met", "none", "open"] as const

const RelivedEnd = Schema.Struct({
  is: Schema.Literal(...RELIVED_ENDS),
  /** Milliseconds since 1970; null without an end. */
  at_ms: Schema.NullOr(Schema.Number),
  /** A reservation whose robot waited for its order for longer than is late. */
  is_late: Schema.Boolean,
})

/** A visit that differs: a reservation, a delivery, or an errand with its delivery. */
export const RelivedVisit = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literal(...RELIVED_KINDS),
  before: RelivedEnd,
  after: RelivedEnd,
  change: Schema.Literal("later", "lost", "other", "saved", "sooner"),
  /** The first entry that differs. */
  first: Schema.Struct({
    at_ms: Schema.Number,
    /** Its line in the record; null for an entry that the record does not have. */
    entry: Schema.NullOr(Schema.Number),
    says: Schema.String,
  }),
  /** Parts of it are what others met in the record. */
  is_drawn: Schema.Boolean,
  /** A decision about it used facts of the record about things that differ by then. */
  has_old_facts: Schema.Boolean,
})

export type RelivedVisit = typeof RelivedVisit.Type

export const RelivedAnswer = Schema.Struct({
  rule: Schema.Struct({
    title: Schema.String,
    because: Schema.NullOr(Schema.String),
    changes: Schema.Array(
      Schema.Struct({
        word: Schema.String,
        says: Schema.String,
        /** Every value that the record has; none: nothing in it has this limit. */
        before: Schema.Array(Schema.String),
        after: Schema.String,
      }),
    ),
  }),
  visits: Schema.Number,
  differ: Schema.Number,
  saved: Schema.Number,
  lost: Schema.Number,
  sooner: Schema.Number,
  later: Schema.Number,
  /** Visits on board or at their door. */
  met: Figure,
  late: Figure,
  /** Visits with drawn parts, and visits decided with facts of the record about things that differ by then. */
  drawn: Schema.Number,
  old_facts: Schema.Number,
  /** Recorded inputs from outside that the new course does not take. */
  dropped: Schema.Struct({ missing: Schema.Number, refused: Schema.Number, there: Schema.Number }),
  /** Calls of a kind that the record never answered; they stay without an answer. */
  unanswered: Schema.Number,
  differing: Schema.Array(RelivedVisit),
})

export type RelivedAnswer = typeof RelivedAnswer.Type
