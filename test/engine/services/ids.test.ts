/** Ids: their forms, and event ids that increase with their time. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ID_PREFIXES, newEventId, newId, newSecret, newUuid } from "../../../src/model/ids.ts"
import type { IdKind } from "../../../src/model/ids.ts"

const HEX = "0123456789abcdef".split("")
const nonce = fc
  .array(fc.constantFrom(...HEX), { minLength: 32, maxLength: 32 })
  .map((digits) => digits.join(""))
const NOW_US = Date.parse("2026-06-01T15:00:00Z") * 1000

describe("G10: ids", () => {
  test.each(Object.entries(ID_PREFIXES))("%s: its prefix and 22 base62 digits", (kind, prefix) => {
    const form = new RegExp(`^${prefix}[0-9A-Za-z]{22}$`)
    fc.assert(fc.property(nonce, (bits) => form.test(newId(kind as IdKind, bits))))
  })

  test("kinds are alphabetical, and their prefixes differ", () => {
    expect(Object.keys(ID_PREFIXES)).toEqual(Object.keys(ID_PREFIXES).toSorted())
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(Object.keys(ID_PREFIXES).length)
  })

  test("another nonce is another id, the same nonce the same", () => {
    fc.assert(
      fc.property(
        nonce,
        nonce,
        (one, other) => (newId("reservation", one) === newId("reservation", other)) === (one === other),
      ),
    )
  })

  test("uuids are of version 4", () => {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    fc.assert(fc.property(nonce, fc.string(), (bits, name) => form.test(newUuid(bits, name))))
  })

  test("another name under one nonce is another uuid", () => {
    fc.assert(
      fc.property(
        nonce,
        fc.string(),
        fc.string(),
        (bits, one, other) => (newUuid(bits, one) === newUuid(bits, other)) === (one === other),
      ),
    )
  })

  test("E2: a secret is whsec_ and 48 hex digits", () => {
    fc.assert(fc.property(nonce, (bits) => /^whsec_[0-9a-f]{48}$/.test(newSecret(bits))))
  })
})

describe("G10: event ids", () => {
  const instant = fc.integer({ min: NOW_US, max: NOW_US + 1_000_000_000 })

  test("evt_ and a ULID of 26 digits of Crockford's alphabet, whose first ten tell the millisecond", () => {
    fc.assert(
      fc.property(instant, nonce, fc.nat({ max: 20 }), (us, bits, ordinal) => {
        const id = newEventId(us, bits, ordinal)
        const ms = id
          .slice(4, 14)
          .split("")
          .reduce((sum, digit) => sum * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".indexOf(digit), 0)
        return /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id) && ms === Math.floor(us / 1000)
      }),
    )
  })

  test("a later microsecond is always a greater id, whatever the nonces", () => {
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 5_000 }),
        nonce,
        nonce,
        (us, more, one, other) => newEventId(us, one, 0) < newEventId(us + more, other, 0),
      ),
    )
  })

  test("two events of one microsecond in different turns have different ids", () => {
    fc.assert(
      fc.property(
        instant,
        nonce,
        nonce,
        (us, one, other) => one === other || newEventId(us, one, 0) !== newEventId(us, other, 0),
      ),
    )
  })
})
