/**
 * Puppet: a machine that does what its events say, so that a test of the kernel does not depend on a real machine. It
 * emits the given verbs, stores values, and waits for a list of delays.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { TurnInput } from "../../../src/engine/kernel/journal.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import type { TurnResult } from "../../../src/engine/kernel/turn.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import type { Json, JsonObject } from "../../../src/model/values/json.ts"
import type { Stamp } from "../../../src/model/values/time.ts"
import { publish, start } from "../../../src/model/verbs.ts"
import type { Verb } from "../../../src/model/verbs.ts"

/** When the first turn of every test is taken: 2026-03-02 10:00 UTC. */
export const NOON_MS = Date.UTC(2026, 2, 2, 10)

export interface PuppetContext {
  readonly heard: readonly Json[]
  /** Milliseconds; the first is the one being waited for. */
  readonly delays: readonly number[]
  readonly learned: unknown
}

type PuppetEvent = Stamp &
  (
    | { readonly type: "do"; readonly verbs: readonly Verb[] }
    | { readonly type: "hear"; readonly what: Json }
    | { readonly type: "learn"; readonly value: unknown }
    | { readonly type: "wait"; readonly delays: readonly number[] }
    | { readonly type: "throw"; readonly message: string }
    | { readonly type: "climb" | "finish" | "hang" | "stop" }
  )

interface PuppetStart {
  readonly verbs: readonly Verb[]
}

/** The puppet's verbs at its start come in the input. */
const puppet = setup({
  types: {
    context: {} as PuppetContext,
    events: {} as PuppetEvent,
    emitted: {} as Verb,
    input: {} as PuppetStart,
    tags: {} as "resting" | "settled",
  },
  guards: { "there is more to wait for": ({ context }) => context.delays.length > 1 },
  actions: {
    "do as the input says": enqueueActions(({ enqueue, event }) => {
      const { input } = event as unknown as { readonly input?: { readonly verbs?: readonly Verb[] } }
      for (const verb of input?.verbs ?? []) enqueue.emit(verb)
    }),
    "do as told": enqueueActions(({ enqueue, event }) => {
      if (event.type === "do") for (const verb of event.verbs) enqueue.emit(verb)
    }),
    "note what is heard": assign({
      heard: ({ context, event }) => (event.type === "hear" ? [...context.heard, event.what] : context.heard),
    }),
    "note the ring": assign({
      heard: ({ context, event }) => {
        const { atMs, lateMs } = event as Stamp
        return [...context.heard, lateMs === undefined ? { atMs } : { atMs, lateMs }]
      },
      delays: ({ context }) => context.delays.slice(1),
    }),
    "note the delays": assign({
      delays: ({ context, event }) => (event.type === "wait" ? event.delays : context.delays),
    }),
    "learn it": assign({ learned: ({ event }) => (event.type === "learn" ? event.value : null) }),
    "announce the climb": emit(({ context }) => publish("climbed", { heard: context.heard.length })),
    "count a rung": assign({ heard: ({ context }) => [...context.heard, "rung"] }),
    throw: assign({
      heard: ({ event, context }) => {
        if (event.type === "throw") throw new Error(event.message)
        return context.heard
      },
    }),
  },
  delays: { "the first delay": ({ context }) => context.delays[0] ?? 0 },
}).createMachine({
  id: "puppet",
  context: { heard: [], delays: [], learned: null },
  entry: "do as the input says",
  initial: "open",
  states: {
    open: {
      initial: "idle",
      on: {
        do: { actions: "do as told" },
        hear: { actions: "note what is heard" },
        learn: { actions: "learn it" },
        throw: { actions: "throw" },
        wait: { target: ".waiting", actions: "note the delays", reenter: true },
        climb: ".first rung",
        hang: ".hanging",
        finish: "finished",
      },
      states: {
        idle: { tags: "resting" },
        hanging: {},
        waiting: {
          on: { stop: "idle" },
          after: {
            "the first delay": [
              {
                guard: "there is more to wait for",
                target: "waiting",
                actions: "note the ring",
                reenter: true,
              },
              { target: "idle", actions: "note the ring" },
            ],
          },
        },
        "first rung": { entry: ["count a rung", "announce the climb"], always: "second rung" },
        "second rung": { entry: ["count a rung", "announce the climb"], always: "top" },
        top: { tags: "resting", entry: ["count a rung", "announce the climb"] },
      },
    },
    finished: { type: "final", tags: "settled" },
  },
})

/** Two kinds of puppets under one machine, and decisions that repeat or forbid. */
export const puppets: Program = {
  machines: { "puppet@1": puppet },
  decisions: {
    "told@1": (facts) => facts,
    "first@1": (facts, asked, atMs) => ({ chosen: (facts["of"] as readonly Json[])[0] ?? null, asked, atMs }),
    "never@1": () => ({ refusal: "NO_STALL_AVAILABLE" }),
  },
}

export type PuppetInput = Partial<TurnInput> & Pick<TurnInput, "to">

/** A whole input from its interesting part: a command at noon, with a nonce of zeros. */
export function inputOf(part: PuppetInput): TurnInput {
  const instantMs = part.instantMs ?? NOON_MS
  return {
    by: "command",
    facts: null,
    decision: null,
    atMs: instantMs,
    nonce: "0".repeat(32),
    cause: null,
    ...part,
    instantMs,
  }
}

/** The start of a puppet that emits these verbs. */
export function startOf(to: string, verbs: readonly Verb[] = [], more: Partial<TurnInput> = {}): TurnInput {
  return inputOf({ to, start: { machine: "puppet@1", input: inputWith(verbs) }, ...more })
}

/** The verb that starts another puppet. */
export function startPuppet(to: string, verbs: readonly Verb[] = []): Verb {
  return start(to, "puppet@1", inputWith(verbs))
}

/** An event that makes a puppet emit these verbs. */
export function doing(...verbs: readonly Verb[]): JsonObject & { readonly type: string } {
  return { type: "do", verbs: verbs as unknown as Json }
}

function inputWith(verbs: readonly Verb[]): JsonObject {
  return { verbs: verbs as unknown as Json }
}

export function contextAt(group: Group | null | undefined, address: string): PuppetContext {
  const actor = group?.actors.get(address)
  if (actor === undefined) throw new Error(`no actor at ${address}`)
  return actor.snapshot.context as PuppetContext
}

/** The result of a turn that was surely taken. */
export function taken(result: TurnResult | null): TurnResult {
  if (result === null) throw new Error("the turn was dropped")
  return result
}
