/**
 * Open link: the calls that ask the partner to open the compartment, up to the first 2xx or the last attempt. Version
 * 2: if the node that made an attempt stops, the attempt is sent again at once and is not counted twice. Source:
 * reservations contract, open link callback; backoff and lease are ours. 5 states, 5 events, 2 timers.
 */

import { assign, emit, setup } from "xstate"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { call, send } from "../src/model/verbs.ts"
import { STALE_RESULT, attemptDelays, attemptGuards, resendGuards } from "./attempts.ts"
import type { AttemptsContext, ResendsContext } from "./attempts.ts"
import type { Ignores } from "./ignores.ts"
import type { runnerTaskContract } from "./runner-task-contract.ts"
import type { openLinkContract } from "./open-link-contract.ts"

export type OpenLinkInput = MachineInput<typeof openLinkContract>

export type OpenLinkEvent = MachineEvent<typeof openLinkContract>

export interface OpenLinkContext extends AttemptsContext, ResendsContext {
  /** When the first attempt was made. Every retry sends the same instant, so that the bytes of all bodies are equal. */
  readonly occurredAtMs: EpochMs
}

const failedAttempt = [
  { guard: "attempts are used up", target: "#open-link.failed" },
  { target: "#open-link.trying.waiting" },
] as const

type ToRunnerTask = SentEvent<typeof runnerTaskContract>

export const openLink = setup({
  types: {
    context: {} as OpenLinkContext,
    events: {} as OpenLinkEvent,
    emitted: {} as VerbOf<typeof openLinkContract>,
    input: {} as OpenLinkInput,
    tags: {} as "settled",
  },
  guards: { ...attemptGuards, ...resendGuards },
  actions: {
    "count the attempt": assign({ attempt: ({ context }) => context.attempt + 1, resends: 0 }),
    "count the resend": assign({ resends: ({ context }) => context.resends + 1 }),
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
    resendsMax: input.resendsMax,
    attempt: 1,
    resends: 0,
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
          entry: "call the open link",
          on: {
            "call.succeeded": { guard: "it answers the current attempt", target: "#open-link.opened" },
            "call.failed": [
              { guard: "it fails the last attempt", target: "#open-link.failed" },
              { guard: "it answers the current attempt", target: "#open-link.trying.waiting" },
            ],
            "call.discarded": { guard: "it answers the current attempt", target: "#open-link.dropped" },
            "call.lost": {
              guard: "the current attempt may leave again",
              target: "calling",
              reenter: true,
              actions: "count the resend",
            },
          },
          after: { "lease of the call": failedAttempt },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          on: {
            "call.succeeded": { guard: "it answers the current attempt", target: "#open-link.opened" },
          },
          after: { "pause before the next attempt": { target: "calling", actions: "count the attempt" } },
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

const LOST_BEFORE = "The attempt has ended, or has been lost too often: its lease ends it."

export const openLinkIgnores: Ignores = {
  "trying.calling": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
  },
  "trying.waiting": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
  },
}
