/** Events that an actor receives about a call that it made: its result, its loss, or its wait for a free slot. */

import { Schema } from "effect"
import { Count, Id, optional } from "./event-fields.ts"

/** Each of these events names its attempt. */
const ofAttempt = Schema.Struct({ attempt: Count })

const withReason = Schema.Struct({ attempt: Count, reason: Id })

/** The results of a call. */
export const callResults = {
  "call.succeeded": Schema.Struct({
    attempt: Count,
    /** HTTP status of the answer, for people who read the journal. */
    status: optional(Schema.Number),
  }),
  "call.failed": withReason,
  "call.discarded": withReason,
}

/**
 * The attempt says nothing about its receiver, and may be sent again: the node that made the call stopped, the service could not
 * look up the host name, or the endpoint was changed meanwhile.
 */
export const callLost = { "call.lost": ofAttempt }

/** Events of a call that waits in a queue. */
export const callQueue = {
  /** The call was not sent: its receiver has no free slot now. */
  "call.deferred": ofAttempt,
  /** A slot is free: the call is sent now, under the same attempt number. */
  "queue.released": ofAttempt,
}

type EventOf<Events extends Record<string, Schema.Schema.AnyNoContext>> = {
  [T in keyof Events]: { readonly type: T } & Schema.Schema.Type<Events[T]>
}[keyof Events]

export type CallResult = EventOf<typeof callResults & typeof callLost>

export type CallDeferred = { readonly type: "call.deferred" } & (typeof callQueue)["call.deferred"]["Type"]
