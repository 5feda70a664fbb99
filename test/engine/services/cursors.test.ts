/** Cursors of lists: what they hide, and what is refused. */

import fc from "fast-check"
import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import { sealedCursors } from "../../../src/engine/services/cursors.ts"
import type { NumberedList } from "../../../src/engine/services/cursors.ts"

const LOG: NumberedList = { key: "a key", list: "request log", owner: "production/org_1" }

const { cursorOf } = sealedCursors(LOG)

/** Null for a cursor that is refused. */
function numberIn(cursor: string, list: NumberedList = LOG): number | null {
  return Either.getOrElse(Effect.runSync(Effect.either(sealedCursors(list).placeOf(cursor))), () => null)
}

describe("a sealed cursor", () => {
  test("leads back to its number, whatever the number", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        expect(numberIn(cursorOf(number))).toBe(number)
      }),
    )
  })

  test("shows neither the number nor how far two of them are apart", () => {
    const texts = [0, 1, 2, 1_000_000].map((number) => cursorOf(number))
    expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([22]))
    // The blocks of neighbours share no byte at its place, save by chance.
    const bytes = texts.map((text) => [...Buffer.from(text, "base64url")])
    for (const [at, block] of bytes.entries()) {
      for (const other of bytes.slice(at + 1)) {
        expect(block.filter((byte, place) => byte === other[place]).length).toBeLessThan(4)
      }
    }
  })

  test.each<[string, Partial<NumberedList>]>([
    ["another owner's", { owner: "production/org_2" }],
    ["the other environment's", { owner: "sandbox/org_1" }],
    ["another list's", { list: "audit log" }],
    ["another service's", { key: "another key" }],
  ])("is refused in %s", (_, more) => {
    expect(numberIn(cursorOf(7), { ...LOG, ...more })).toBeNull()
  })

  test("is refused when it is bent, written in another way, or one of the version before", () => {
    const good = cursorOf(7)
    const last = String.fromCharCode((good.charCodeAt(21) ^ 1) & 0x7f)
    const before = Buffer.from("c7").toString("base64url")
    for (const bad of [
      "",
      `${good}=`,
      good.slice(1),
      `${good.slice(0, -1)}${last}`,
      `A${good.slice(1)}`,
      before,
    ])
      expect([bad, numberIn(bad)]).toEqual([bad, null])
    expect(numberIn(Buffer.alloc(16).toString("base64url"))).toBeNull()
  })
})
