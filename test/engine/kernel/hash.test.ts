/** Chains and the sum of their heads. */

import fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { chain, digest, GENESIS, HeadSum } from "../../../src/engine/kernel/hash.ts"

const head = fc.nat().map((n) => digest(String(n)))
const heads = fc.uniqueArray(fc.tuple(fc.string(), head), { selector: ([group]) => group, maxLength: 30 })

const sumOf = (of: readonly (readonly [string, string])[]): string => {
  const sum = new HeadSum()
  for (const [group, one] of of) sum.add(group, one)
  return sum.total()
}

describe("a chain", () => {
  test("is SHA-256 over the last head, a line break and the entry's text", () => {
    const expected = createHash("sha256").update(`${GENESIS}\n{"a":1}`).digest("hex")
    expect(chain(GENESIS, '{"a":1}')).toBe(expected)
  })

  test("changes for ever when one earlier text changes", () => {
    const of = (texts: readonly string[]): string => texts.reduce(chain, GENESIS)
    expect(of(["a", "b", "c"])).not.toBe(of(["a", "x", "c"]))
    expect(of(["a", "b", "c"])).not.toBe(of(["b", "a", "c"]))
    expect(of(["ab"])).not.toBe(of(["a", "b"]))
  })

  test("starts from 64 zeros", () => {
    expect(GENESIS).toMatch(/^0{64}$/)
  })
})

describe("the sum of heads", () => {
  test("is the same in whatever order the groups are added", () => {
    fc.assert(
      fc.property(
        heads.chain((of) => fc.tuple(fc.constant(of), fc.shuffledSubarray(of, { minLength: of.length }))),
        ([one, other]) => {
          expect(sumOf(other)).toBe(sumOf(one))
        },
      ),
    )
  })

  test("is 64 hex digits, zeros for no group at all", () => {
    expect(sumOf([])).toBe(GENESIS)
    fc.assert(
      fc.property(heads, (of) => {
        expect(sumOf(of)).toMatch(/^[0-9a-f]{64}$/)
      }),
    )
  })

  test("tells apart whose head it was, and how many there were", () => {
    const [a, b] = [digest("a"), digest("b")]
    expect(
      sumOf([
        ["g/1", a],
        ["g/2", b],
      ]),
    ).not.toBe(
      sumOf([
        ["g/1", b],
        ["g/2", a],
      ]),
    )
    expect(sumOf([["g/1", a]])).not.toBe(
      sumOf([
        ["g/1", a],
        ["g/2", a],
      ]),
    )
  })
})
