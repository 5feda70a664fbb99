/**
 * Webhook endpoint: counts failed attempts in a row, and disables itself after too many. Source: direct delivery
 * contract, events (auto-disable); what counts as a failure is ours (src/DECISIONS.md §32). 3 states, 5 events, no
 * timer.
 */

import { assign, emit, setup } from "xstate"
import type { MachineEvent, MachineInput, VerbOf } from "../src/model/machine-contract.ts"
import { publish, reply } from "../src/model/verbs.ts"
import type { Ignores } from "./ignores.ts"
import type { webhookEndpointContract } from "./webhook-endpoint-contract.ts"

export type WebhookEndpointInput = MachineInput<typeof webhookEndpointContract>

export type WebhookEndpointEvent = MachineEvent<typeof webhookEndpointContract>

export interface WebhookEndpointContext {
  readonly failuresMax: number
  readonly consecutiveFailures: number
}

const repeat = { actions: "answer that nothing changed" } as const

export const webhookEndpoint = setup({
  types: {
    context: {} as WebhookEndpointContext,
    events: {} as WebhookEndpointEvent,
    emitted: {} as VerbOf<typeof webhookEndpointContract>,
    input: {} as WebhookEndpointInput,
    tags: {} as "resting" | "settled",
  },
  guards: {
    "it is one failure too many": ({ context }) => context.consecutiveFailures + 1 >= context.failuresMax,
  },
  actions: {
    "count the failure": assign({ consecutiveFailures: ({ context }) => context.consecutiveFailures + 1 }),
    "count from nothing": assign({ consecutiveFailures: 0 }),
    "tell that it is disabled": emit(publish("webhook.disabled", { reason: "consecutive_failures" })),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
  },
}).createMachine({
  id: "webhook-endpoint",
  description: "An endpoint that receives events, until it fails too often in a row.",
  context: ({ input }) => ({ failuresMax: input.failuresMax, consecutiveFailures: 0 }),
  initial: "enabled",
  states: {
    enabled: {
      description: "Events are sent to it.",
      tags: "resting",
      on: {
        "attempt.succeeded": { actions: "count from nothing" },
        "attempt.failed": [
          {
            guard: "it is one failure too many",
            target: "disabled",
            actions: ["count the failure", "tell that it is disabled"],
          },
          { actions: "count the failure" },
        ],
        "endpoint.switched_on": repeat,
        "endpoint.switched_off": "disabled",
        "endpoint.removed": "removed",
      },
    },
    disabled: {
      description: "Nothing is sent: switched off by its owner, or by its failures.",
      tags: "resting",
      on: {
        "endpoint.switched_on": { target: "enabled", actions: "count from nothing" },
        "endpoint.switched_off": repeat,
        "endpoint.removed": "removed",
      },
    },
    removed: { description: "Deleted by its owner. For good.", tags: "settled" },
  },
})

const inFlight = "The attempt was sent before the endpoint was disabled."
const gone = "The endpoint is deleted."

export const webhookEndpointIgnores: Ignores = {
  disabled: { "attempt.failed": inFlight, "attempt.succeeded": inFlight },
  removed: {
    "attempt.failed": gone,
    "attempt.succeeded": gone,
    "endpoint.removed": gone,
    "endpoint.switched_off": gone,
    "endpoint.switched_on": gone,
  },
}
