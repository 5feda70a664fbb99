/** The digest of turns: what it covers, and that it goes on from a total. */

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/model/values/json.ts"
import type { TurnInput } from "../../../src/engine/kernel/journal.ts"
import type { Asked, Snapshot, Stepped } from "../../../src/engine/kernel/step.ts"
import { TurnDigest } from "../../../src/engine/kernel/turn-digest.ts"
import type { TakenStep, TurnResult } from "../../../src/engine/kernel/turn.ts"

const INPUT: TurnInput = {
  to: "show/one",
  by: "command",
  event: { type: "hear", atMs: 5 },
  facts: null,
  decision: null,
  atMs: 5,
  instantMs: 5,
  nonce: "0".repeat(32),
  cause: null,
}
const ASKED: readonly Asked[] = [
  { type: "arm", id: "t", event: "late", delayMs: 10 },
  { type: "kernel.publish", event: "told", extras: { deep: [1, { two: 2.5 }] } },
]
const HEARD = { type: "hear", atMs: 5, words: ["a", null, true] }
const STEP = stepWith({})
const ANSWERED: TurnResult["outcome"] = { type: "answered", value: null }

interface Part extends Partial<Omit<TakenStep, "stepped">>, Partial<Omit<Stepped, "snapshot">> {
  readonly value?: JsonObject | string
}

function stepWith({ value = { open: "ready" }, to = "show/one", on = HEARD, ...part }: Part): TakenStep {
  const snapshot = { value, _nodes: [] as unknown[] } as Snapshot
  const stepped = { did: "moved", assigned: [{ heard: "a" }], asked: ASKED, earlier: [], ...part } as const
  return { to, on, stepped: { ...stepped, snapshot } }
}

function digestOf(steps: readonly TakenStep[], input = INPUT, outcome = ANSWERED): string {
  const digest = new TurnDigest()
  digest.add({ steps, outcome }, input)
  return digest.total()
}

describe("the digest of a turn", () => {
  test("is 16 hex digits, and the same twice", () => {
    expect(digestOf([STEP])).toMatch(/^[0-9a-f]{16}$/)
    expect(digestOf([stepWith({})])).toBe(digestOf([STEP]))
  })

  test("differs when anything that it covers differs", () => {
    const refused = (code: string): TurnResult["outcome"] =>
      ({ type: "refused", code, reason: null }) as TurnResult["outcome"]
    const others = [
      digestOf([STEP]),
      digestOf([]),
      digestOf([STEP, STEP]),
      digestOf([STEP], { ...INPUT, to: "show/two" }),
      digestOf([STEP], { ...INPUT, instantMs: 6 }),
      digestOf([STEP], { ...INPUT, facts: { free: 1 } }),
      digestOf([STEP], { ...INPUT, facts: { free: 2 } }),
      digestOf([], INPUT, refused("INVALID_STATE")),
      digestOf([], INPUT, refused("UNKNOWN_ZONE")),
      digestOf([], { ...INPUT, event: { type: "see" } }, refused("INVALID_STATE")),
      digestOf([stepWith({ to: "show/one/part" })]),
      digestOf([stepWith({ did: "handled" })]),
      digestOf([stepWith({ value: { open: "busy" } })]),
      digestOf([stepWith({ value: { shut: "ready" } })]),
      digestOf([stepWith({ value: "ready" })]),
      digestOf([stepWith({ on: { type: "hear", atMs: 6, words: ["a", null, true] } })]),
      digestOf([stepWith({ on: { type: "hear", atMs: 5, words: ["a", null, false] } })]),
      digestOf([stepWith({ on: { type: "hear", atMs: 5, words: ["a", [], true] } })]),
      digestOf([stepWith({ on: { type: "@start", machine: "puppet@1", input: {} } })]),
      digestOf([stepWith({ on: { type: "@start", machine: "puppet@2", input: {} } })]),
      digestOf([stepWith({ assigned: [{ heard: "b" }] })]),
      digestOf([stepWith({ assigned: [{ heard: "aa" }] })]),
      digestOf([stepWith({ assigned: [{ heard: 1 }] })]),
      digestOf([stepWith({ assigned: [{ heard: 2 ** 40 }] })]),
      digestOf([stepWith({ assigned: [{ heard: 2 ** 41 }] })]),
      digestOf([stepWith({ assigned: [] })]),
      ...asking().map((asked) => digestOf([stepWith({ asked })])),
    ]
    expect(new Set(others).size).toBe(others.length)
  })

  test("depends on the order of turns, and goes on from a total", () => {
    const later = { ...INPUT, instantMs: 9 }
    const [one, other, resumed] = [new TurnDigest(), new TurnDigest(), new TurnDigest()]
    for (const input of [INPUT, later]) one.add({ steps: [STEP], outcome: ANSWERED }, input)
    for (const input of [later, INPUT]) other.add({ steps: [STEP], outcome: ANSWERED }, input)
    expect(other.total()).not.toBe(one.total())
    resumed.restore(digestOf([STEP]))
    resumed.add({ steps: [STEP], outcome: ANSWERED }, later)
    expect(resumed.total()).toBe(one.total())
  })
})

/** One list for each verb, and one that differs from it. */
function asking(): readonly (readonly Asked[])[] {
  const of: readonly Asked[] = [
    { type: "arm", id: "t", event: "late", delayMs: 11 },
    { type: "arm", id: "u", event: "late", delayMs: 10 },
    { type: "disarm", id: "t" },
    { type: "disarm", id: "u" },
    { type: "kernel.start", to: "./a", machine: "puppet@1", input: {} },
    { type: "kernel.start", to: "./b", machine: "puppet@1", input: {} },
    { type: "kernel.send", to: "./a", event: { type: "hear" } },
    { type: "kernel.send", to: "./a", event: { type: "see" } },
    { type: "kernel.reply", value: { yes: true } },
    { type: "kernel.reply", value: { yes: false } },
    { type: "kernel.publish", event: "told", extras: {} },
    { type: "kernel.publish", event: "shown", extras: {} },
    { type: "kernel.call", call: "webhook", attempt: 1 },
    { type: "kernel.call", call: "webhook", attempt: 2 },
  ]
  return of.map((one) => [one])
}
