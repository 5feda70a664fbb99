/**
 * Webhook delivery, version 1: kept for journals that were written before version 2. A lost call waits for the end of
 * its lease and counts as an attempt; a call that could not be sent counts too. Source: reservations and direct
 * delivery contracts, delivery of events. 5 states, 3 events, 2 timers.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import { call, send } from "../src/model/verbs.ts"
import { STALE_RESULT, attemptDelays, attemptGuards } from "./attempts.ts"
import type { AttemptsContext } from "./attempts.ts"
import type { Ignores } from "./ignores.ts"
import type { webhookEndpointContract } from "./webhook-endpoint-contract.ts"
import type { webhookDelivery1Contract } from "./webhook-delivery-contract.ts"

export type WebhookDelivery1Input = MachineInput<typeof webhookDelivery1Contract>

export type WebhookDelivery1Event = MachineEvent<typeof webhookDelivery1Contract>

export interface WebhookDelivery1Context extends AttemptsContext {
  readonly endpointId: string
  readonly eventId: string
  readonly isCounted?: true
}

type ToEndpoint = SentEvent<typeof webhookEndpointContract>

export const webhookDelivery1 = setup({
  types: {
    context: {} as WebhookDelivery1Context,
    events: {} as WebhookDelivery1Event,
    emitted: {} as VerbOf<typeof webhookDelivery1Contract>,
    input: {} as WebhookDelivery1Input,
    tags: {} as "settled",
  },
  guards: attemptGuards,
  actions: {
    "count the attempt": assign({ attempt: ({ context }) => context.attempt + 1 }),
    "send the webhook": emit(({ context }) => call("webhook", context.attempt)),
    "tell the endpoint that it answered": enqueueActions(({ enqueue, context }) => {
      if (context.isCounted === undefined) return
      enqueue.emit(send<ToEndpoint>(`webhook-endpoint/${context.endpointId}`, { type: "attempt.succeeded" }))
    }),
    "tell the endpoint that it failed": enqueueActions(({ enqueue, context }) => {
      if (context.isCounted === undefined) return
      enqueue.emit(send<ToEndpoint>(`webhook-endpoint/${context.endpointId}`, { type: "attempt.failed" }))
    }),
  },
  delays: attemptDelays,
}).createMachine({
  id: "webhook-delivery",
  description: "One event on its way to one endpoint.",
  context: ({ input }) => ({
    endpointId: input.endpointId,
    eventId: input.eventId,
    attemptsMax: input.attemptsMax,
    backoffMs: input.backoffMs,
    leaseMs: input.leaseMs,
    attempt: 0,
    ...(input.isCounted === undefined ? {} : { isCounted: input.isCounted }),
  }),
  initial: "sending",
  states: {
    sending: {
      description: "An attempt is in flight; URL and secret are read when it is sent.",
      entry: ["count the attempt", "send the webhook"],
      on: {
        "call.succeeded": {
          guard: "it answers the current attempt",
          target: "delivered",
          actions: "tell the endpoint that it answered",
        },
        "call.failed": [
          {
            guard: "it fails the last attempt",
            target: "dropped",
            actions: "tell the endpoint that it failed",
          },
          {
            guard: "it answers the current attempt",
            target: "waiting",
            actions: "tell the endpoint that it failed",
          },
        ],
        "call.discarded": { guard: "it answers the current attempt", target: "discarded" },
      },
      after: {
        // The result is unknown, usually because the node that made the call stopped. It does not count as a failure of
        // the endpoint.
        "lease of the call": [{ guard: "attempts are used up", target: "dropped" }, { target: "waiting" }],
      },
    },
    waiting: {
      description: "The last attempt failed; the next one is due after a pause that doubles.",
      after: { "pause before the next attempt": "sending" },
    },
    delivered: { description: "The endpoint answered 2xx.", type: "final", tags: "settled" },
    dropped: { description: "Every attempt failed.", type: "final", tags: "settled" },
    discarded: {
      description: "The endpoint was disabled before the attempt was sent.",
      type: "final",
      tags: "settled",
    },
  },
})

export const webhookDelivery1Ignores: Ignores = {
  sending: { "call.succeeded": STALE_RESULT, "call.failed": STALE_RESULT, "call.discarded": STALE_RESULT },
  waiting: { "call.succeeded": STALE_RESULT, "call.failed": STALE_RESULT, "call.discarded": STALE_RESULT },
}
