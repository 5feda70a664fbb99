/** Pickup windows and what is chosen at the store's checkout, as pure functions: choices K4 to K8, R6, R7 and R14 of the connector. */

import { describe, expect, test } from "vitest"
import type { RetailerSlot } from "../../../src/model/requests/courier-requests.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import type { OpeningHours } from "../../../src/areas/courier/directory/store-directory.ts"
import type { OfferedWindow } from "../../../src/areas/courier/rows.ts"
import {
  isFeasibleSlot,
  isOpenThen,
  isOutOfReach,
  chosenWindow,
  firstPickupIn,
  firstWindowAfter,
  pickupTimeFor,
  slotIdOf,
  slotInstead,
  timingProblemOf,
  windowsFor,
} from "../../../src/areas/courier/windows.ts"
import type { WindowFacts } from "../../../src/areas/courier/windows.ts"

const HORIZON_MS = 90 * MINUTE_MS
const TEN = instant("10:00")

/** On the first Monday of June 2026 at the store's clock, five hours behind UTC. */
function instant(clock: string): number {
  return Date.parse(`2026-06-01T${clock}:00-05:00`)
}

function clockOf(ms: number): string {
  return new Date(ms - 5 * HOUR_MS).toISOString().slice(11, 16)
}

/** Each day between two hours. */
function daily(opens: number, closes: number): readonly OpeningHours[] {
  return Array.from({ length: 7 }, (_, weekday) => ({
    weekday,
    opensAtMinute: opens * 60,
    closesAtMinute: closes * 60,
  }))
}

function facts(more: Partial<WindowFacts> = {}): WindowFacts {
  return {
    nowMs: TEN,
    horizonMs: HORIZON_MS,
    leadTimeMs: 20 * MINUTE_MS,
    hours: daily(7, 22),
    timeZone: "America/Chicago",
    timing: { type: "asap" },
    slots: [],
    ...more,
  }
}

function slot(start: string, end: string, more: Partial<RetailerSlot> = {}): RetailerSlot {
  return { start: instant(start), end: instant(end), ...more }
}

/** When the windows begin, best first. */
function starts(more: Partial<WindowFacts> = {}): readonly string[] {
  return windowsFor(facts(more)).map(({ startMs }) => clockOf(startMs))
}

describe("windows", () => {
  test("CK4: hours are the store's own clock, in summer and in winter", () => {
    const hours = daily(0, 24)
    const opening = (at: string): number | undefined =>
      windowsFor(facts({ nowMs: Date.parse(at), hours }))[0]?.startMs
    expect(opening("2026-07-01T12:00:00Z")).toBe(Date.parse("2026-07-01T13:00:00Z"))
    expect(opening("2026-01-05T13:00:00Z")).toBe(Date.parse("2026-01-05T14:00:00Z"))
  })

  test("CK5: they are a quarter of an hour wide, on quarter hours, from the lead time up to ninety minutes ahead", () => {
    const windows = windowsFor(facts())
    expect(windows.map(({ startMs, endMs }) => endMs - startMs)).toEqual(Array(5).fill(15 * MINUTE_MS))
    expect(windows.map(({ startMs }) => clockOf(startMs))).toEqual([
      "10:30",
      "10:45",
      "11:00",
      "11:15",
      "11:30",
    ])
  })

  test("CK5: the first begins at the lead time's end to the millisecond, the last at the horizon", () => {
    expect(starts({ nowMs: TEN + 10 * MINUTE_MS })[0]).toBe("10:30")
    expect(starts({ nowMs: TEN + 10 * MINUTE_MS + 1 })[0]).toBe("10:45")
    expect(starts({ leadTimeMs: 75 * MINUTE_MS })).toEqual(["11:15", "11:30"])
    expect(starts({ nowMs: TEN - 1, leadTimeMs: 75 * MINUTE_MS })).toEqual(["11:15"])
  })

  test("CK5: there are six at most", () => {
    expect(starts({ leadTimeMs: 0 })).toEqual(["10:00", "10:15", "10:30", "10:45", "11:00", "11:15"])
  })

  test.each([
    ["the store's opening", "08:30", daily(9, 22), ["09:00", "09:15", "09:30", "09:45", "10:00"]],
    ["the store's closing", "10:00", daily(7, 11), ["10:30", "10:45"]],
    ["the service's opening", "07:00", daily(0, 24), ["08:00", "08:15", "08:30"]],
    ["the service's closing", "19:00", daily(0, 24), ["19:30", "19:45"]],
    ["a store that is closed that day", "10:00", daily(7, 22).slice(2), []],
    [
      "the end of the day before, past midnight",
      "07:50",
      [{ weekday: 0, opensAtMinute: 1_200, closesAtMinute: 1_980 }],
      ["08:15", "08:30", "08:45"],
    ],
  ] as const)("CK5: wholly inside hours: %s", (_, now, hours, expected) => {
    expect(starts({ nowMs: instant(now), hours })).toEqual(expected)
  })

  test("CK6: those with a slot of the store come first, then those that overlap what was asked most, then the earliest", () => {
    const timing = { type: "window", start: instant("11:10"), end: instant("11:40") } as const
    expect(starts({ timing })).toEqual(["11:15", "11:30", "11:00", "10:30", "10:45"])
    expect(starts({ timing, slots: [slot("10:45", "11:00")] })[0]).toBe("10:45")
    expect(starts()[0]).toBe("10:30")
  })

  test.each([
    ["contains the window", slot("10:45", "11:30"), ["10:45", "11:00", "11:15"]],
    ["is the window", slot("10:45", "11:00"), ["10:45"]],
    ["lies in the window", slot("10:50", "10:55"), ["10:45"]],
    ["only overlaps it", slot("10:50", "11:10"), []],
  ] as const)("CK7: a slot meets a window when it %s", (_, one, expected) => {
    const met = windowsFor(facts({ slots: [one] })).filter((window) => window.slot !== null)
    expect(met.map(({ startMs }) => clockOf(startMs))).toEqual(expected)
  })

  test.each([
    [{ id: "s-1", label: "Lunch" }, "s-1"],
    [{ label: "Lunch" }, "Lunch"],
    [{ id: " ", label: "Lunch" }, "Lunch"],
    [{}, "2026-06-01T15:45:00.000Z"],
  ])("CK7: a slot with %j is named %s", (more, name) => {
    expect(slotIdOf(slot("10:45", "11:00", more))).toBe(name)
  })

  test.each([
    ["begins at the horizon", 90, 120, false],
    ["begins after it", 90 + 1 / 60_000, 120, true],
    ["is over", -30, 0, true],
    ["is not quite over", -30, 1 / 60_000, false],
  ])("CK8: an asked window that %s", (_, from, to, isOut) => {
    const timing = { type: "window", start: TEN + from * MINUTE_MS, end: TEN + to * MINUTE_MS } as const
    expect(isOutOfReach(timing, TEN, HORIZON_MS)).toBe(isOut)
  })

  test.each([
    ["lies in hours", "10:30", "11:00", true],
    ["meets them at its end", "06:00", "10:20", true],
    ["begins as the store closes", "12:00", "12:30", false],
    ["is over but for a stretch without anybody", "09:00", "10:30", false, daily(7, 10)],
    ["began in another age", "1970-01-01T00:00:00Z", "10:30", false, daily(20, 23)],
  ] as const)("CK8: an asked window that %s", (_, from, to, isOpen, hours = daily(10, 12)) => {
    const start = from.includes("T") ? Date.parse(from) : instant(from)
    const timing = { type: "window", start, end: instant(to) } as const
    expect(isOpenThen(facts({ nowMs: TEN + 5 * MINUTE_MS, horizonMs: 3 * HOUR_MS, hours, timing }))).toBe(
      isOpen,
    )
  })

  test("CK8: as soon as possible is never out of reach, but late in the day there is no window", () => {
    expect(isOutOfReach({ type: "asap" }, TEN, HORIZON_MS)).toBe(false)
    expect(starts({ nowMs: instant("19:30") })).toEqual([])
  })
})

describe("what a check finds of the asked window and the store's slots", () => {
  const window = (start: string, end: string) =>
    ({ type: "window", start: instant(start), end: instant(end) }) as const
  const night = { hours: daily(0, 24), nowMs: instant("19:00") }

  test.each<readonly [string, Partial<WindowFacts>, string | null]>([
    ["no window and no slots", {}, null],
    ["a window beyond the horizon", { timing: window("11:31", "12:00") }, "out_of_reach"],
    ["a window that ends with the lead time", { timing: window("10:05", "10:20") }, "before_lead_time"],
    ["a window that ends after it", { timing: window("10:05", "10:21") }, null],
    [
      "a short window while the store is closed",
      { timing: window("10:05", "10:15"), hours: daily(11, 12) },
      "closed",
    ],
    [
      "only slots beyond the horizon",
      { slots: [slot("11:31", "12:00"), slot("13:00", "13:30")] },
      "slots_out_of_reach",
    ],
    ["a slot that begins at the horizon", { slots: [slot("11:30", "12:00"), slot("13:00", "13:30")] }, null],
    ["only slots that end before the lead time", { slots: [slot("10:05", "10:20")] }, "slots_out_of_reach"],
    ["a slot that meets no window", { slots: [slot("10:50", "11:10")] }, null],
    [
      "a wide slot that begins before the store opens",
      { hours: daily(11, 22), slots: [slot("10:30", "11:30")] },
      null,
    ],
    [
      "a wide slot in which the store opens beyond the horizon",
      { hours: daily(12, 22), slots: [slot("10:30", "13:00")] },
      "closed",
    ],
    ["slots after the service has closed", { ...night, slots: [slot("20:00", "20:30")] }, "closed"],
    [
      "one slot of two before it closes",
      { ...night, slots: [slot("20:00", "20:30"), slot("19:30", "20:00")] },
      null,
    ],
  ])("%s", (_, more, problem) => {
    expect(timingProblemOf(facts(more))).toBe(problem)
  })

  test("the next window lies in a slot of the store, if one allows a pickup", () => {
    const next = (more: Partial<WindowFacts>): string => clockOf(firstWindowAfter(facts(more))?.startMs ?? 0)
    expect(next({ slots: [slot("14:00", "14:30"), slot("13:05", "13:40")] })).toBe("13:15")
    expect(
      next({ timing: window("13:45", "14:30"), slots: [slot("13:00", "13:40"), slot("14:00", "14:30")] }),
    ).toBe("14:00")
    expect(next({ slots: [slot("20:30", "21:00")] })).toBe("10:30")
    expect(next({ timing: window("10:05", "10:15") })).toBe("10:30")
  })

  test("without a matching slot the agent selects one that is in reach, never the first of the next day", () => {
    const bare = { startMs: instant("10:45"), endMs: instant("11:00"), slot: null }
    const early = slot("10:40", "10:50", { id: "s-1" })
    expect(slotInstead(bare, facts({ slots: [slot("14:00", "14:30"), early] }))).toEqual(early)
    expect(slotInstead(bare, facts({ slots: [early, slot("11:20", "11:50")] }))).toBeNull()
    expect(slotInstead(bare, facts())).toBeNull()
  })

  test("in a slot that begins before the store opens, the pickup begins with the first window", () => {
    const first = (one: RetailerSlot, more: Partial<WindowFacts> = {}): string | null => {
      const atMs = firstPickupIn(one, facts(more))
      return atMs === null ? null : clockOf(atMs)
    }
    expect(first(slot("10:30", "11:30"), { hours: daily(11, 22) })).toBe("11:00")
    expect(first(slot("10:35", "11:30"))).toBe("10:35")
    expect(first(slot("10:05", "10:40"))).toBe("10:20")
    expect(first(slot("10:30", "11:00"), { hours: daily(11, 22) })).toBeNull()
  })

  test("a chosen window is one that is possible now, with its slot", () => {
    const chosen = (start: string, end: string, more: Partial<WindowFacts> = {}) =>
      chosenWindow({ start: instant(start), end: instant(end) }, facts(more))
    expect(chosen("10:45", "11:00", { slots: [slot("10:30", "11:00", { id: "s-1" })] })?.slot?.id).toBe("s-1")
    expect(chosen("10:15", "10:30")).toBeNull()
    expect(chosen("10:45", "11:15")).toBeNull()
    expect(chosen("11:45", "12:00")).toBeNull()
  })
})

describe("a slot that the agent intends", () => {
  const isFeasible = (one: RetailerSlot, more: Partial<WindowFacts> = {}): boolean =>
    isFeasibleSlot(one, facts(more))

  test.each([
    ["begins at the horizon", slot("11:30", "12:00"), {}, true],
    ["begins beyond it", slot("11:31", "12:00"), {}, false],
    ["has begun", slot("09:30", "10:30"), {}, true],
    ["is over", slot("09:30", "10:00"), {}, false],
    ["begins before the store opens", slot("10:45", "11:15"), { hours: daily(11, 22) }, false],
    ["begins as the store closes", slot("11:00", "11:30"), { hours: daily(7, 11) }, false],
    [
      "begins as the service closes",
      slot("20:00", "20:15"),
      { nowMs: instant("19:00"), hours: daily(0, 24) },
      false,
    ],
  ] as const)("CR6: one that %s", (_, one, more, feasible) => {
    expect(isFeasible(one, more)).toBe(feasible)
  })

  test.each([
    [{ id: "s-1", label: "Lunch" }, "Lunch"],
    [{ id: "s-1" }, "s-1"],
    [{ id: "s-1", label: " " }, "s-1"],
    [{}, "2026-06-01T15:45:00.000Z/2026-06-01T16:00:00.000Z"],
  ])("CR6 and CR7: with %j the agent selects %s", (more, select) => {
    const intendedSlot = slot("10:45", "11:00", more)
    const chosen = pickupTimeFor({
      kitchenStarts: "scheduled",
      intendedSlot,
      best: null,
      isWindowRequested: false,
      earliestMs: TEN,
    })
    expect(chosen.select).toBe(select)
    expect(chosen.instruction).toContain(`"${select}"`)
    expect(chosen.atMs).toBe(instant("10:45"))
  })
})

describe("the kind of pickup time", () => {
  const slotted: OfferedWindow = {
    startMs: instant("10:45"),
    endMs: instant("11:00"),
    slot: slot("10:30", "11:30", { id: "s-1" }),
  }
  const bare: OfferedWindow = { ...slotted, slot: null }
  const kitchen = { intendedSlot: null, isWindowRequested: false, earliestMs: instant("10:20") }

  test("CR14 and CR7: where the kitchen starts at check-in it is asap, with the word to place the order now", () => {
    for (const best of [slotted, bare, null]) {
      const chosen = pickupTimeFor({ ...kitchen, kitchenStarts: "on_check_in", best })
      expect(chosen).toMatchObject({ select: "asap", atMs: instant("10:20") })
      expect(chosen.instruction).toMatch(/^Place the store order now/)
    }
  })

  test("where the kitchen starts at check-in, the vehicle comes in the window that the user asked for", () => {
    const asked = { ...kitchen, isWindowRequested: true, kitchenStarts: "on_check_in", best: bare } as const
    const chosen = pickupTimeFor(asked)
    expect(chosen).toMatchObject({ select: "asap", atMs: instant("10:45") })
    expect(chosen.instruction).toContain("checks in at 2026-06-01T15:45:00.000Z")
    expect(pickupTimeFor({ ...asked, isWindowRequested: false }).atMs).toBe(instant("10:20"))
  })

  test("CR14: the store decides, not the argument: a slot there only says when the vehicle comes", () => {
    const intendedSlot = slot("11:00", "11:15", { id: "s-2" })
    const chosen = pickupTimeFor({ ...kitchen, intendedSlot, kitchenStarts: "on_check_in", best: slotted })
    expect(chosen).toMatchObject({ select: "asap", atMs: instant("11:00") })
    expect(chosen.instruction).toContain("checks in at 2026-06-01T16:00:00.000Z")
  })

  test("CR14: the time to select has an end, after which no vehicle comes", () => {
    const scheduled = {
      ...kitchen,
      kitchenStarts: "scheduled",
      best: bare,
      latestMs: instant("11:30"),
    } as const
    const { instruction } = pickupTimeFor(scheduled)
    expect(instruction).toContain(
      "until 2026-06-01T16:30:00.000Z; if it offers none, do not place the store order",
    )
  })

  test("CR14: where orders are scheduled it is the intended slot before the one of the best window", () => {
    const scheduled = { ...kitchen, kitchenStarts: "scheduled", best: slotted } as const
    expect(pickupTimeFor(scheduled)).toMatchObject({ select: "s-1", atMs: instant("10:30") })
    const intendedSlot = slot("11:00", "11:15", { id: "s-2" })
    expect(pickupTimeFor({ ...scheduled, intendedSlot })).toMatchObject({ select: "s-2" })
  })

  test("CR14 and CR7: without a slot it is the start of the best window, and the store's first slot from then on", () => {
    const chosen = pickupTimeFor({ ...kitchen, kitchenStarts: "scheduled", best: bare })
    expect(chosen).toMatchObject({ select: "2026-06-01T15:45:00.000Z", atMs: instant("10:45") })
    expect(chosen.instruction).toContain("earliest pickup slot that the store offers at or after")
  })
})
