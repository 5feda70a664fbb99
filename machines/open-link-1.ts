/**
 * Open link, version 1: kept for journals that were written before version 2. A lost call waits for the end of its
 * lease and counts as an attempt. Source: reservations contract, open link callback; backoff and lease are ours. 5
 * states, 4 events, 2 timers.
 */

import { assign, emit, setup } from "xstate"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { call, send } from "../src/model/verbs.ts"
import { STALE_RESULT, attemptDelays, attemptGuards } from "./attempts.ts"
import type { AttemptsContext } from "./attempts.ts"
import type { Ignores } from "./ignores.ts"
import type { runnerTaskContract } from "./runner-task-contract.ts"
import type { openLink1Contract } from "./open-link-contract.ts"

export type OpenLink1Input = MachineInput<typeof openLink1Contract>

export type OpenLink1Event = MachineEvent<typeof openLink1Contract>

export interface OpenLink1Context extends AttemptsContext {
  /** When the first attempt was made. Every retry sends the same instant, so that the bytes of all bodies are equal. */
  readonly occurredAtMs: EpochMs
}

const failedAttempt = [
  { guard: "attempts are used up", target: "#open-link.failed" },
  { target: "#open-link.trying.waiting" },
] as const

type ToRunnerTask = SentEvent<typeof runnerTaskContract>

export const openLink1 = setup({
  types: {
    context: {} as OpenLink1Context,
    events: {} as OpenLink1Event,
    emitted: {} as VerbOf<typeof openLink1Contract>,
    input: {} as OpenLink1Input,
    tags: {} as "settled",
  },
  guards: attemptGuards,
  actions: {
    "count the attempt": assign({ attempt: ({ context }) => context.attempt + 1 }),
    "call the open link": emit(({ context }) => call("open_link", context.attempt)),
    "tell the runner task that it opened": emit(
      send<ToRunnerTask>("./runner-task", { type: "open_link.opened" }),
    ),
    "tell the runner task that it failed": emit(
      send<ToRunnerTask>("./runner-task", { type: "open_link.failed" }),
    ),
  },
  delays: attemptDelays,
}).createMachine({
  id: "open-link",
  description: "Asks the partner to open the compartment: one attempt id, a few attempts.",
  context: ({ input }) => ({
    attemptsMax: input.attemptsMax,
    backoffMs: input.backoffMs,
    leaseMs: input.leaseMs,
    attempt: 0,
    occurredAtMs: input.atMs,
  }),
  initial: "trying",
  states: {
    trying: {
      description: "Not answered yet.",
      initial: "calling",
      on: { "open_link.dropped": "dropped" },
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: ["count the attempt", "call the open link"],
          on: {
            "call.succeeded": { guard: "it answers the current attempt", target: "#open-link.opened" },
            "call.failed": [
              { guard: "it fails the last attempt", target: "#open-link.failed" },
              { guard: "it answers the current attempt", target: "#open-link.trying.waiting" },
            ],
            "call.discarded": { guard: "it answers the current attempt", target: "#open-link.dropped" },
          },
          after: { "lease of the call": failedAttempt },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          after: { "pause before the next attempt": "calling" },
        },
      },
    },
    opened: {
      description: "The partner answered 2xx in time.",
      type: "final",
      tags: "settled",
      entry: "tell the runner task that it opened",
    },
    failed: {
      description: "Every attempt failed.",
      type: "final",
      tags: "settled",
      entry: "tell the runner task that it failed",
    },
    dropped: {
      description: "The task ended; remaining attempts are dropped.",
      type: "final",
      tags: "settled",
    },
  },
})

export const openLink1Ignores: Ignores = {
  "trying.calling": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
  },
  "trying.waiting": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
  },
}
