/** Booking rules as pure functions: the stall that is taken, and the first rule that a booking breaks. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { DEFAULT_POLICY } from "../../../src/engine/services/policies.ts"
import { inContractWords } from "../../../src/areas/reservations/refusals.ts"
import { book, leastLoaded, moveWindow } from "../../../src/areas/reservations/booking-rules.ts"
import type { Facts } from "../../../machines/contracts.ts"
import type { StallLoad } from "../../../machines/reservation-contract.ts"

const AT_MS = Date.parse("2026-06-01T15:00:00Z")
const limits = { ...DEFAULT_POLICY.window }
const facts: Facts<"book@1"> = {
  zone: "known",
  retailer: "supported",
  limits,
  openLinkText: "fine",
  openLinkHost: "public",
  stalls: [{ stallId: "stall_a", label: "A1", overlapping: 0 }],
}
const asked = { startsAtMs: AT_MS + 30 * MINUTE_MS, endsAtMs: AT_MS + 60 * MINUTE_MS }

const stall: fc.Arbitrary<StallLoad> = fc.record({
  stallId: fc.string({ minLength: 1, maxLength: 3 }),
  label: fc.option(fc.constantFrom("A1", "A2", "B1")),
  overlapping: fc.nat({ max: 4 }),
})
const stalls = fc.uniqueArray(stall, { selector: (one) => one.stallId, maxLength: 12 })

/** The order in which stalls are preferred, written as a sort. */
function byPreference(one: StallLoad, other: StallLoad): number {
  const difference = one.overlapping - other.overlapping
  if (difference !== 0) return difference
  const [label, otherLabel] = [one.label ?? "", other.label ?? ""]
  if (label !== otherLabel) return label < otherLabel ? -1 : 1
  return one.stallId < other.stallId ? -1 : 1
}

describe("V7: the stall that is taken", () => {
  test("no stalls, no choice", () => {
    expect(leastLoaded([])).toBeNull()
  })

  test("ties go to the lowest label, then the lowest id", () => {
    const tied = [
      { stallId: "s1", label: "B1", overlapping: 1 },
      { stallId: "s3", label: "A1", overlapping: 1 },
      { stallId: "s2", label: "A1", overlapping: 1 },
      { stallId: "s0", label: "A0", overlapping: 2 },
    ]
    expect(leastLoaded(tied)?.stallId).toBe("s2")
  })

  test("always one of the stalls, and never one with more overlaps than another", () => {
    fc.assert(
      fc.property(stalls, (all) => {
        const best = leastLoaded(all)
        if (best === null) return all.length === 0
        return all.includes(best) && all.every((one) => one.overlapping >= best.overlapping)
      }),
    )
  })

  test("always the first by load, label and id", () => {
    fc.assert(fc.property(stalls, (all) => leastLoaded(all) === (all.toSorted(byPreference)[0] ?? null)))
  })

  test("never depends on the order in which stalls are listed", () => {
    const shuffled = stalls.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    )
    fc.assert(fc.property(shuffled, ([all, other]) => leastLoaded(all) === leastLoaded(other)))
  })

  test("an added booking on the chosen stall never makes a fuller stall the next choice", () => {
    fc.assert(
      fc.property(stalls, (all) => {
        const best = leastLoaded(all)
        if (best === null) return true
        const next = leastLoaded(
          all.map((one) => (one === best ? { ...one, overlapping: one.overlapping + 1 } : one)),
        )
        return next !== null && next.overlapping <= best.overlapping + 1
      }),
    )
  })
})

describe("V4: the first rule that a booking breaks", () => {
  test("a booking that holds names its stall", () => {
    expect(book(facts, asked, AT_MS)).toEqual({ stallId: "stall_a" })
  })

  /** Each rule broken alone, in the order in which they are reported. */
  const breaks: readonly [string, Partial<Facts<"book@1">>, Partial<typeof asked>][] = [
    ["ZONE_NOT_FOUND", { zone: "unknown" }, {}],
    ["RETAILER_NOT_SUPPORTED_IN_ZONE", { retailer: "unsupported" }, {}],
    ["WINDOW_IN_PAST", {}, { startsAtMs: AT_MS }],
    ["WINDOW_TOO_FAR_OUT", {}, { startsAtMs: AT_MS + DAY_MS + 1 }],
    ["WINDOW_TOO_SHORT", {}, { endsAtMs: asked.startsAtMs }],
    ["INVALID_OPEN_LINK", { openLinkText: "refused" }, {}],
    ["ZONE_HAS_NO_STALLS", { stalls: [] }, {}],
    ["INVALID_OPEN_LINK", { openLinkHost: "refused" }, {}],
    ["URL_VALIDATION_UNAVAILABLE", { openLinkHost: "unavailable" }, {}],
  ]

  test.each(breaks)("%s", (code, more, window) => {
    expect(book({ ...facts, ...more }, { ...asked, ...window }, AT_MS)).toEqual({ refusal: code })
  })

  test("of several breaks always the earliest is told", () => {
    const several = fc.subarray([...breaks.keys()], { minLength: 1 })
    fc.assert(
      fc.property(several, (chosen) => {
        // A later break of the same field would undo an earlier one: the earlier is applied last.
        let broken: object = facts
        let window: object = asked
        for (const at of chosen.toReversed()) {
          broken = { ...broken, ...breaks[at]?.[1] }
          window = { ...window, ...breaks[at]?.[2] }
        }
        const decided = book(broken as Facts<"book@1">, window as typeof asked, AT_MS)
        return "refusal" in decided && decided.refusal === breaks[chosen[0] ?? 0]?.[0]
      }),
    )
  })
})

describe("V12: a moved window", () => {
  test("gives its bounds, and with a broken rule the code beside them", () => {
    expect(moveWindow({ limits }, asked, AT_MS)).toEqual(asked)
    const late = { ...asked, endsAtMs: asked.startsAtMs + 120 * MINUTE_MS + 1 }
    expect(moveWindow({ limits }, late, AT_MS)).toEqual({ ...late, refusal: "WINDOW_TOO_LONG" })
  })

  test("always answers as create does", () => {
    const minutes = fc.integer({ min: -60, max: 1_500 })
    fc.assert(
      fc.property(minutes, minutes, (from, width) => {
        const window = { startsAtMs: AT_MS + from * MINUTE_MS, endsAtMs: AT_MS + (from + width) * MINUTE_MS }
        const created = book(facts, window, AT_MS)
        const moved = moveWindow({ limits }, window, AT_MS)
        return ("refusal" in created ? created.refusal : null) === ("refusal" in moved ? moved.refusal : null)
      }),
    )
  })
})

test.each([
  ["bot", "underway.ready", "the bot is READY_FOR_HANDOFF"],
  ["bot", "underway.unreported", "the bot is unreported"],
  ["bot", "closed", "the reservation has ended"],
  ["runner-task", "open.at_unit", "the handoff is AT_UNIT"],
  ["runner-task", "loaded.unphotographed", "the handoff is LOADED"],
  ["reservation", "open.confirmed", "the reservation is confirmed"],
])("a refusal by the %s in %s says: %s", (actor, state, words) => {
  expect(inContractWords({ type: "state", actor, state })).toBe(words)
})

test("a sentence of a machine stays as it is, also one that reads like a state", () => {
  const text = "the bot is ready"
  expect(inContractWords({ type: "sentence", text })).toBe(text)
})
