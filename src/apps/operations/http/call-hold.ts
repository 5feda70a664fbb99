/** `/internal/v1/calls`: the hold on outbound calls. Only the production host has it, for both environments. */

import { Schema } from "effect"
import { isoMs } from "../../../model/values/time.ts"
import { CallHoldControl } from "../../../engine/services/outbound/call-hold.ts"
import type { CallHoldStatus } from "../../../engine/services/outbound/call-hold.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

const count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const CallsRecord = Schema.Struct({
  are_held: Schema.Boolean,
  held_since: Schema.NullOr(DateTime),
  held_by: Schema.NullOr(Schema.Literal("restore", "command")),
  calls_waiting: count,
  messages_waiting: count,
}).annotations({
  identifier: "Calls",
  description:
    "Whether webhooks, open links, payments, mails and texts are held, since when and by what; and how many of them wait " +
    "for their first or next attempt.",
})

const OneCalls = Schema.Struct({ calls: CallsRecord })

function recordOf({ heldSinceMs, heldBy, callsWaiting, messagesWaiting }: CallHoldStatus): object {
  return {
    are_held: heldSinceMs !== null,
    held_since: heldSinceMs === null ? null : isoMs(heldSinceMs),
    held_by: heldBy,
    calls_waiting: callsWaiting,
    messages_waiting: messagesWaiting,
  }
}

const CALLS: CommandNoun = {
  word: "calls",
  description: "the hold on webhooks, open links, payments, mails and texts",
  isShared: true,
}

const readCalls = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/calls",
  operationId: "readCalls",
  summary: "Whether calls to the outside are held, as after a restore, and how many wait",
  answers: { 200: OneCalls },
  commands: [
    { noun: CALLS, verb: "status", description: "whether calls are held, since when, and how many wait" },
  ],
  *handle() {
    return { calls: recordOf(yield* (yield* CallHoldControl).status) }
  },
})

const releaseCalls = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/calls/release",
  operationId: "releaseCalls",
  summary: "Allow held calls, on every node within a second; safe to repeat. The audit keeps who did it",
  answers: { 200: OneCalls },
  commands: [{ noun: CALLS, verb: "release", description: "release held calls; safe to repeat" }],
  *handle({ caller }) {
    return { calls: recordOf(yield* (yield* CallHoldControl).release(caller)) }
  },
})

export const calls = [readCalls, releaseCalls]
