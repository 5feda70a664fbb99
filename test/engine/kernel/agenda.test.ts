/** The agenda against the plainest oracle there is: a sorted list. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Agenda, RANK } from "../../../src/engine/kernel/agenda.ts"
import type { AgendaEntry, Rank } from "../../../src/engine/kernel/agenda.ts"

interface Named extends AgendaEntry {
  readonly name: string
}

const add = (
  agenda: Agenda,
  part: { dueMs: number; rank?: Rank; isLive?: () => boolean; name?: string },
): Named => {
  const entry = {
    rank: RANK.command,
    isLive: () => true,
    run: () => undefined,
    name: "",
    ...part,
    sequence: agenda.nextSequence(),
  }
  agenda.add(entry)
  return entry
}

const drain = (agenda: Agenda): readonly AgendaEntry[] => {
  const taken: AgendaEntry[] = []
  for (let next = agenda.take(); next !== undefined; next = agenda.take()) taken.push(next)
  return taken
}

const oracle = (one: AgendaEntry, other: AgendaEntry): number =>
  one.dueMs - other.dueMs || one.rank - other.rank || one.sequence - other.sequence

describe("the agenda", () => {
  test("takes timers before messages before commands at equal instants, and older before younger", () => {
    const agenda = new Agenda()
    add(agenda, { dueMs: 20, rank: RANK.timer, name: "a timer later" })
    add(agenda, { dueMs: 10, rank: RANK.command, name: "a command" })
    add(agenda, { dueMs: 10, rank: RANK.message, name: "a message" })
    add(agenda, { dueMs: 10, rank: RANK.timer, name: "a timer" })
    add(agenda, { dueMs: 10, rank: RANK.timer, name: "a younger timer" })
    add(agenda, { dueMs: 10, rank: RANK.message, name: "a younger message" })
    expect(drain(agenda).map((entry) => (entry as Named).name)).toEqual([
      "a timer",
      "a younger timer",
      "a message",
      "a younger message",
      "a command",
      "a timer later",
    ])
  })

  test("is empty when it is empty", () => {
    const agenda = new Agenda()
    expect(agenda.peek()).toBeUndefined()
    expect(agenda.take()).toBeUndefined()
  })

  test("shows the first entry without taking it", () => {
    const agenda = new Agenda()
    const entry = add(agenda, { dueMs: 10 })
    expect(agenda.peek()).toBe(entry)
    expect(agenda.peek()).toBe(entry)
    expect(agenda.take()).toBe(entry)
  })

  test("skips an entry that is no longer live, whenever it died", () => {
    const agenda = new Agenda()
    let isLive = true
    add(agenda, { dueMs: 10, isLive: () => isLive })
    const next = add(agenda, { dueMs: 20 })
    isLive = false
    expect(agenda.peek()).toBe(next)
    expect(agenda.size).toBe(1)
  })

  test("never hands out a sequence number again after it was told to skip", () => {
    const agenda = new Agenda()
    agenda.skipTo(41)
    expect(agenda.nextSequence()).toBe(42)
    agenda.skipTo(7)
    expect(agenda.nextSequence()).toBe(43)
    expect(agenda.sequence).toBe(43)
  })
})

const due = fc.record({
  dueMs: fc.nat({ max: 20 }),
  rank: fc.constantFrom(...Object.values(RANK)),
  isLive: fc.boolean(),
})

describe("whatever is put on it", () => {
  test("the agenda takes exactly the live entries, in the order of a sorted list", () => {
    fc.assert(
      fc.property(fc.array(due, { maxLength: 200 }), (parts) => {
        const agenda = new Agenda()
        const entries = parts.map(({ isLive, ...part }) => add(agenda, { ...part, isLive: () => isLive }))
        const expected = entries.filter((entry) => entry.isLive(undefined)).toSorted(oracle)
        expect(drain(agenda)).toEqual(expected)
      }),
    )
  })

  test("the same holds while entries are added, killed and taken in between", () => {
    const move = fc.oneof(
      { weight: 4, arbitrary: due.map((part) => ({ do: "add", ...part }) as const) },
      { weight: 2, arbitrary: fc.constant({ do: "take" } as const) },
      { weight: 1, arbitrary: fc.nat().map((which) => ({ do: "kill", which }) as const) },
    )
    fc.assert(
      fc.property(fc.array(move, { maxLength: 300 }), (moves) => {
        const agenda = new Agenda()
        const dead = new Set<AgendaEntry>()
        let waiting: AgendaEntry[] = []
        for (const one of moves) {
          switch (one.do) {
            case "add": {
              const entry: AgendaEntry = add(agenda, { ...one, isLive: () => !dead.has(entry) })
              waiting.push(entry)
              break
            }
            case "kill": {
              const victim = waiting[one.which % Math.max(1, waiting.length)]
              if (victim !== undefined) dead.add(victim)
              break
            }
            case "take": {
              const expected = waiting.filter((entry) => !dead.has(entry)).toSorted(oracle)[0]
              expect(agenda.take()).toBe(expected)
              waiting = waiting.filter((entry) => entry !== expected)
            }
          }
        }
        expect(drain(agenda)).toEqual(waiting.filter((entry) => !dead.has(entry)).toSorted(oracle))
      }),
    )
  })
})
