/** Requests that follow a list: each answer leads to the next one, which may wait for its first entry. */

import { Schema } from "effect"
import { FOLLOW_SECONDS_MAX } from "../values/limits.ts"
import { PageRequest } from "./operations-requests.ts"

const Wait = Schema.Number.pipe(Schema.int(), Schema.between(0, FOLLOW_SECONDS_MAX))

export const FollowEventsRequest = Schema.Struct({
  ...PageRequest.fields,
  /** Where a list without a cursor begins. */
  start: Schema.optional(Schema.Literal("oldest", "newest")),
  wait: Schema.optional(Wait),
})

export type FollowEventsRequest = typeof FollowEventsRequest.Type

export const FollowCallsRequest = Schema.Struct({
  /** Instead of `cursor`: only newer calls, oldest first. */
  after: Schema.optional(Schema.String),
  wait: Schema.optional(Wait),
})
