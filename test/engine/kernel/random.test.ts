/** Named streams of chance: seeded, apart from each other, and put back where they stood. */

import { Chunk, Effect } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { randomOver } from "../../../src/engine/kernel/simulated-time.ts"

const draws = (streams: Streams, name: string, count = 8): readonly number[] =>
  Array.from({ length: count }, () => streams.int32(name))

describe("streams", () => {
  test("give the same numbers for the same seed and name, for ever", () => {
    expect(draws(new Streams(7), "demand/site-3", 3)).toEqual(draws(new Streams(7), "demand/site-3", 3))
    expect(new Streams(7).nonce("nonces")).toBe(new Streams(7).nonce("nonces"))
  })

  test("differ by seed and by name", () => {
    const all = [
      draws(new Streams(1), "a"),
      draws(new Streams(2), "a"),
      draws(new Streams(1), "b"),
      draws(new Streams(12), "a"),
      draws(new Streams(1), "2\na"),
    ]
    expect(new Set(all.map((numbers) => numbers.join(" "))).size).toBe(all.length)
  })

  test("one more source moves no other's numbers, however they interleave", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 }),
        (seed, names) => {
          const together = new Streams(seed)
          const drawn: Record<string, number[]> = { a: [], b: [], c: [] }
          for (const name of names) drawn[name]?.push(together.int32(name))
          for (const [name, numbers] of Object.entries(drawn)) {
            expect(numbers).toEqual(draws(new Streams(seed), name, numbers.length))
          }
        },
      ),
    )
  })

  test("go on from where JSON says they stood, and new names start anew", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.constantFrom("a", "b"), { maxLength: 20 }), (seed, names) => {
        const first = new Streams(seed)
        for (const name of names) first.int32(name)
        const second = new Streams(seed)
        draws(second, "a", 3)
        draws(second, "forgotten", 3)
        second.restore(JSON.parse(JSON.stringify(first.positions())))
        for (const name of ["a", "b", "forgotten"]) expect(draws(second, name)).toEqual(draws(first, name))
      }),
    )
  })

  test("tell where they stand in the order of their names", () => {
    const streams = new Streams(1)
    for (const name of ["b", "c", "a"]) streams.int32(name)
    expect(Object.keys(streams.positions())).toEqual(["a", "b", "c"])
  })

  test("draw fractions in [0, 1) and whole numbers inside the range, both ends reached", () => {
    const streams = new Streams(3)
    const seen = new Set<number>()
    for (let at = 0; at < 2_000; at += 1) {
      const fraction = streams.fraction("f")
      expect(fraction >= 0 && fraction < 1).toBe(true)
      seen.add(streams.between("b", { from: -2, to: 3 }))
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3])
  })

  test("draw nonces of 32 hex digits, each another", () => {
    const streams = new Streams(3)
    const nonces = Array.from({ length: 200 }, () => streams.nonce("nonces"))
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(nonces).size).toBe(200)
  })
})

describe("Effect's Random over a stream", () => {
  const sample = Effect.gen(function* () {
    const random = yield* Effect.random
    return {
      next: yield* random.next,
      flag: yield* random.nextBoolean,
      int: yield* random.nextInt,
      range: yield* random.nextRange(5, 6),
      between: yield* random.nextIntBetween(5, 8),
      shuffled: Chunk.toReadonlyArray(yield* random.shuffle([1, 2, 3, 4, 5])),
    }
  })
  const drawn = (streams: Streams): Effect.Effect.Success<typeof sample> =>
    Effect.runSync(Effect.withRandom(sample, randomOver(streams, "effect")))

  test("is seeded", () => {
    expect(drawn(new Streams(5))).toEqual(drawn(new Streams(5)))
    expect(drawn(new Streams(5))).not.toEqual(drawn(new Streams(6)))
  })

  test("moves its own stream alone", () => {
    const streams = new Streams(5)
    drawn(streams)
    expect(Object.keys(streams.positions())).toEqual(["effect"])
  })

  test("keeps to its ranges and loses nothing when it shuffles", () => {
    const streams = new Streams(5)
    const betweens = new Set<number>()
    for (let at = 0; at < 300; at += 1) {
      const one = drawn(streams)
      expect(one.next >= 0 && one.next < 1).toBe(true)
      expect(Number.isSafeInteger(one.int)).toBe(true)
      expect(one.range >= 5 && one.range < 6).toBe(true)
      betweens.add(one.between)
      expect(one.shuffled.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
    }
    expect(
      [...betweens].toSorted((a, b) => a - b),
      "the upper end is not part of it",
    ).toEqual([5, 6, 7])
  })
})
