/** Rows in memory: what a follower finds in an index while a row is written or taken back. */

import { expect, test } from "vitest"
import { MemoryStore } from "../../../src/engine/memory/memory-store.ts"

interface Fix {
  readonly vehicle: string
  readonly at: number
}

const vehicleOf = ({ vehicle }: Fix): string => vehicle

/** What a follower saw in the index at each write, as times. */
function following(store: MemoryStore): readonly (readonly number[])[] {
  const fixes = store.table<Fix>("fixes")
  const seen: number[][] = []
  fixes.follow({
    move: (_, before, after) => {
      // As a follower that makes its index when it first needs one.
      if (before !== undefined) {
        const found = fixes.indexBy(vehicleOf).rowsOf((after ?? before).vehicle)
        seen.push([...found].map(({ at }) => at))
      }
    },
  })
  return seen
}

test("an index that a follower makes has every later write before the follower does", () => {
  const store = new MemoryStore()
  const seen = following(store)
  const fixes = store.table<Fix>("fixes")
  for (const at of [1, 2, 3]) fixes.put(String(at), { vehicle: "van", at })
  fixes.delete("3")
  fixes.delete("2")
  fixes.put("1", { vehicle: "van", at: 4 })
  fixes.delete("1")
  expect(seen).toEqual([[1, 2], [1], [4], []])
})

test("a rollback takes rows away from an index before its followers look", () => {
  const store = new MemoryStore()
  const seen = following(store)
  const fixes = store.table<Fix>("fixes")
  fixes.put("1", { vehicle: "van", at: 1 })
  for (const at of [2, 3]) {
    store.begin()
    fixes.put(String(at), { vehicle: "van", at })
    store.rollback()
  }
  expect(seen).toEqual([[1], [1]])
})
