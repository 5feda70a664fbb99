/** What an actor receives for a call that it made: the result, that the call was lost, or that it waits for a free slot. */

import { Schema } from "effect"
import { Count, Id, optional } from "./event-fields.ts"

/** Every one of these events names the attempt that it is about. */
const ofAttempt = Schema.Struct({ attempt: Count })

const withReason = Schema.Struct({ attempt: Count, reason: Id })

/** How a call ended. */
export const callResults = {
  "call.succeeded": Schema.Struct({
    attempt: Count,
    /** What an HTTP endpoint answered; for people who read the journal. */
    status: optional(Schema.Number),
  }),
  "call.failed": withReason,
  "call.discarded": withReason,
}

/** The node that made the call is gone; whether the request was sent is unknown. */
export const callLost = { "call.lost": ofAttempt }

/** A call that has to wait. */
export const callQueue = {
  /** It did not leave: its receiver has no room for it now. */
  "call.deferred": ofAttempt,
  /** There is room for it: it leaves now, under the same attempt. */
  "queue.released": ofAttempt,
}

type EventOf<Events extends Record<string, Schema.Schema.AnyNoContext>> = {
  [T in keyof Events]: { readonly type: T } & Schema.Schema.Type<Events[T]>
}[keyof Events]

export type CallResult = EventOf<typeof callResults>

export type CallDeferred = { readonly type: "call.deferred" } & (typeof callQueue)["call.deferred"]["Type"]
