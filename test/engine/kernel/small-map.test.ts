/** The small map against Map, and its copies against each other. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SmallMap } from "../../../src/engine/kernel/small-map.ts"

const key = fc.constantFrom("a", "b", "aa", "bb", "a/b")
interface Change {
  readonly key: string
  readonly value: number | null
}

const change: fc.Arbitrary<Change> = fc.record({ key, value: fc.option(fc.nat(9)) })

function apply(map: Map<string, number> | SmallMap<number>, { key: at, value }: Change): void {
  if (value === null) map.delete(at)
  else map.set(at, value)
}

describe("a small map", () => {
  test("has the entries of a Map, in the same order", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const [ours, theirs] = [SmallMap.empty<number>(), new Map<string, number>()]
        for (const one of changes) for (const map of [ours, theirs]) apply(map, one)
        expect([...ours]).toEqual([...theirs])
        expect([...ours.keys()]).toEqual([...theirs.keys()])
        expect([...ours.values()]).toEqual([...theirs.values()])
        expect(ours.size).toBe(theirs.size)
        for (const at of ["a", "aa", "a/b", "none"])
          expect([ours.get(at), ours.has(at)]).toEqual([theirs.get(at), theirs.has(at)])
        const seen: [string, number][] = []
        ours.forEach((value, at) => seen.push([at, value]))
        expect(seen).toEqual([...theirs])
      }),
    )
  })

  test("and its copy never see each other's changes, whichever of them is changed", () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(fc.tuple(fc.boolean(), change)), (first, later) => {
        const ours = SmallMap.empty<number>()
        const theirs = new Map<string, number>()
        for (const one of first) for (const map of [ours, theirs]) apply(map, one)
        const maps = [ours, SmallMap.copyOf(ours)] as const
        const expected = [theirs, new Map(theirs)] as const
        for (const [isCopy, one] of later) {
          apply(maps[isCopy ? 1 : 0], one)
          apply(expected[isCopy ? 1 : 0], one)
        }
        expect(maps.map((map) => [...map])).toEqual(expected.map((map) => [...map]))
      }),
    )
  })

  test("is made of a Map too", () => {
    expect([...SmallMap.copyOf(new Map([["a", 1]]))]).toEqual([["a", 1]])
  })
})
