/**
 * Webhook delivery: one event on its way to one endpoint, with retries of the same bytes. Version 2: if the node that
 * made an attempt stops, the attempt is sent again and is not counted twice; an attempt that could not be sent waits in
 * the endpoint's queue. Source: reservations and direct delivery contracts, delivery of events: one machine, the
 * schedule of attempts is part of its start input; lease from secret rotation. 6 states, 6 events, 2 timers.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import { call, send } from "../src/model/verbs.ts"
import { STALE_RESULT, attemptDelays, attemptGuards, resendGuards } from "./attempts.ts"
import type { AttemptsContext, ResendsContext } from "./attempts.ts"
import type { Ignores } from "./ignores.ts"
import type { webhookEndpointContract } from "./webhook-endpoint-contract.ts"
import type { webhookDeliveryContract } from "./webhook-delivery-contract.ts"

export type WebhookDeliveryInput = MachineInput<typeof webhookDeliveryContract>

export type WebhookDeliveryEvent = MachineEvent<typeof webhookDeliveryContract>

export interface WebhookDeliveryContext extends AttemptsContext, ResendsContext {
  readonly endpointId: string
  readonly eventId: string
  readonly isCounted?: true
}

/** The transitions for a result of the current attempt, shared by all states that may receive one. */
const answered = {
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
} as const

type ToEndpoint = SentEvent<typeof webhookEndpointContract>

export const webhookDelivery = setup({
  types: {
    context: {} as WebhookDeliveryContext,
    events: {} as WebhookDeliveryEvent,
    emitted: {} as VerbOf<typeof webhookDeliveryContract>,
    input: {} as WebhookDeliveryInput,
    tags: {} as "resting" | "settled",
  },
  guards: { ...attemptGuards, ...resendGuards },
  actions: {
    "count the attempt": assign({ attempt: ({ context }) => context.attempt + 1, resends: 0 }),
    "count the resend": assign({ resends: ({ context }) => context.resends + 1 }),
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
    resendsMax: input.resendsMax,
    attempt: 1,
    resends: 0,
    ...(input.isCounted === undefined ? {} : { isCounted: input.isCounted }),
  }),
  initial: "sending",
  states: {
    sending: {
      description: "An attempt is in flight; URL and secret are read when it is sent.",
      entry: "send the webhook",
      on: {
        ...answered,
        // The receiver may already have this request. It recognizes copies by their ids, which do not change.
        "call.lost": {
          guard: "the current attempt may leave again",
          target: "sending",
          reenter: true,
          actions: "count the resend",
        },
        "call.deferred": { guard: "it answers the current attempt", target: "queued" },
      },
      after: {
        // The result of the attempt is unknown, so it does not count as a failure of the endpoint.
        "lease of the call": [{ guard: "attempts are used up", target: "dropped" }, { target: "waiting" }],
      },
    },
    queued: {
      description:
        "The attempt could not be sent: the endpoint fails or is busy. It waits for its turn and is not counted until it is sent.",
      tags: "resting",
      // A node that was considered stopped may still deliver a result.
      on: {
        ...answered,
        "queue.released": { guard: "it answers the current attempt", target: "sending" },
      },
    },
    waiting: {
      description: "The last attempt failed; the next one is due after a pause that doubles.",
      on: { "call.succeeded": answered["call.succeeded"] },
      after: { "pause before the next attempt": { target: "sending", actions: "count the attempt" } },
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

const LOST_BEFORE = "The attempt has ended, or has been lost too often: its lease ends it."
const LEFT = "The attempt has left its queue already."

export const webhookDeliveryIgnores: Ignores = {
  sending: {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
    "call.deferred": STALE_RESULT,
    "queue.released": LEFT,
  },
  queued: {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": "The attempt is not in flight.",
    "call.deferred": "The attempt is in the queue already.",
    "queue.released": "It belongs to an attempt that has ended.",
  },
  waiting: {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
    "call.deferred": STALE_RESULT,
    "queue.released": LEFT,
  },
}
