/**
 * Runner call: operations call the runners of a site, and every paired phone rings until one answers. Source: ours
 * (src/DECISIONS.md §271). 4 states, 2 events, 1 timer.
 */

import { assertEvent, assign, emit, setup } from "xstate"
import type { MachineEvent, MachineInput, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { refuse, reply } from "../src/model/verbs.ts"
import type { Ignores } from "./ignores.ts"
import type { runnerCallContract } from "./runner-call-contract.ts"

export type RunnerCallInput = MachineInput<typeof runnerCallContract>

export type RunnerCallEvent = MachineEvent<typeof runnerCallContract>

export interface RunnerCallContext {
  readonly siteId: string
  readonly reservationId: string | null
  readonly ringMs: number
  readonly answeredBy: string | null
  /** When it was answered, missed or withdrawn. */
  readonly endedAtMs: EpochMs | null
}

const over = {
  "runner.answered": { actions: "refuse: it rings no more" },
  "operator.withdrew": { actions: "answer that nothing changed" },
} as const

export const runnerCall = setup({
  types: {
    context: {} as RunnerCallContext,
    events: {} as RunnerCallEvent,
    emitted: {} as VerbOf<typeof runnerCallContract>,
    input: {} as RunnerCallInput,
    tags: {} as "settled",
  },
  guards: {
    "the same runner has answered": ({ context, event }) =>
      event.type === "runner.answered" && event.runnerId === context.answeredBy,
  },
  actions: {
    "note who answered": assign({
      answeredBy: ({ event }) => {
        assertEvent(event, "runner.answered")
        return event.runnerId
      },
    }),
    "note the end": assign({ endedAtMs: ({ event }) => event.atMs }),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "refuse: another runner has answered": emit(refuse("INVALID_STATE", "another runner has answered")),
    "refuse: it rings no more": emit(refuse("INVALID_STATE", "the call is over")),
  },
  delays: { "the call rings": ({ context }) => context.ringMs },
}).createMachine({
  id: "runner-call",
  description: "A call to the runners of a site: the first who answers has it.",
  context: ({ input }) => ({
    siteId: input.siteId,
    reservationId: input.reservationId,
    ringMs: input.ringMs,
    answeredBy: null,
    endedAtMs: null,
  }),
  initial: "ringing",
  states: {
    ringing: {
      description: "Every phone that is paired with the site rings.",
      on: {
        "runner.answered": { target: "answered", actions: "note who answered" },
        "operator.withdrew": "withdrawn",
      },
      after: { "the call rings": "missed" },
    },
    answered: {
      description: "A runner comes.",
      tags: "settled",
      entry: "note the end",
      on: {
        "runner.answered": [
          { guard: "the same runner has answered", actions: "answer that nothing changed" },
          { actions: "refuse: another runner has answered" },
        ],
        "operator.withdrew": { actions: "answer that nothing changed" },
      },
    },
    missed: { description: "No runner answered in time.", tags: "settled", entry: "note the end", on: over },
    withdrawn: {
      description: "Operations took it back.",
      tags: "settled",
      entry: "note the end",
      on: over,
    },
  },
})

export const runnerCallIgnores: Ignores = {}
