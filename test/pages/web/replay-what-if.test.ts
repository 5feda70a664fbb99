/** What the reader of a replay changes in the second day: how it is made, taken back, written to an address and read from it. */

import { describe, expect, test } from "vitest"
import type { ChangeOffer } from "../../../src/model/replay/change-text.ts"
import { placeOf } from "../../../src/model/replay/number-text.ts"
import type { FleetNumber } from "../../../src/model/replay/number-text.ts"
import { runClock } from "../../../src/pages/web/replay/seen/times.ts"
import {
  countChanged,
  differencesOf,
  nextMinute,
  timedChangesOf,
  valueAt,
  valueChanged,
  writtenDifferences,
} from "../../../src/pages/web/replay/what-if/made-changes.ts"
import { fleetNumbers } from "../../../src/simulation/fleet/language/written-numbers.ts"
import { madeUpHead } from "./made-up-course.ts"

describe("what differs from the model", () => {
  const model = (text: string): { numbers: readonly FleetNumber[]; offers: readonly ChangeOffer[] } => ({
    numbers: fleetNumbers("a.yaml", text),
    offers: OFFERS,
  })
  const OFFERS: readonly ChangeOffer[] = [
    {
      group: "People",
      name: "runners at a",
      label: "Runners",
      form: { is: "count", least: 0, most: 9 },
      today: [
        { fromMs: 0, value: "2", says: "" },
        { fromMs: 60_000, value: "3", says: "" },
      ],
    },
    {
      group: "Demand",
      name: "demand",
      label: "Demand",
      form: { is: "factor", most: 100 },
      today: [{ fromMs: 0, value: "1", says: "" }],
    },
    {
      group: "Policy",
      name: "dispatch",
      label: "Task",
      form: { is: "word", words: ["first", "last"] },
      today: [{ fromMs: 0, value: "last", says: "" }],
    },
    {
      group: "Faults",
      name: "open_link_fails",
      label: "Doors",
      form: { is: "share" },
      today: [{ fromMs: 0, value: "5%", says: "" }],
    },
    {
      group: "Vehicles",
      name: "breakdown of",
      label: "A breakdown",
      form: { is: "breakdown", vehicles: ["veh_0_0001"] },
      today: [],
    },
  ]
  const [runners, demand] = OFFERS as [ChangeOffer, ChangeOffer]
  const TEXT = "runner:\n  walk: 1m\nsites:\n  - { as: a, runners: 2 }\n  - { as: a, runners: 3 }\n"

  test("is read from the address that it was written to, also of two numbers with one label", () => {
    const { numbers } = model(TEXT)
    const made = {
      numbers: new Map(numbers.map((number) => [placeOf(number), number.value + 1])),
      changes: [
        { atMs: 0, name: "dispatch", value: "first" },
        { atMs: 60_000, name: "runners at a", value: "-1" },
        { atMs: 60_000, name: "open_link_fails", value: "7.5%" },
        { atMs: 120_000, name: "breakdown of veh_0_0001", value: "20m" },
      ],
    }
    const written = { ...writtenDifferences(made, numbers), mode: null, unread: [] }
    expect(new Set(written.numbers.map(({ name }) => name)).size).toBe(numbers.length)
    expect(differencesOf(written, model(TEXT))).toEqual({ differences: made, unknown: [] })
  })

  test("keeps what the model knows of an address, and says the rest", () => {
    const written = {
      mode: null,
      unread: ["noise"],
      numbers: [
        { name: "Walk of runners", value: "2m" },
        { name: "Walk of runners", value: "2h" },
        { name: "Cooks at b", value: "2" },
      ],
      changes: [
        { atMs: 0, name: "demand", value: "2" },
        { atMs: 0, name: "demand", value: "more" },
        { atMs: 0, name: "runners at b", value: "+1" },
        { atMs: 0, name: "runners at a", value: "1" },
        { atMs: 0, name: "dispatch", value: "nearest" },
        { atMs: 0, name: "open_link_fails", value: "101%" },
        { atMs: 0, name: "breakdown of veh_0_0009", value: "5m" },
      ],
    }
    const { differences, unknown } = differencesOf(written, model(TEXT))
    expect([...differences.numbers.values()]).toEqual([2])
    expect(differences.changes).toEqual([{ atMs: 0, name: "demand", value: "2" }])
    expect(unknown).toEqual([
      "noise",
      "Walk of runners: 2h",
      "Cooks at b: 2",
      "demand more",
      "1 more runner at b",
      "1 more runner at a",
      "runners take tasks by nearest",
      "101% of open links fail",
      "veh_0_0009 breaks down for 5m",
    ])
  })

  test("of a count is a sum, of anything else the last value, and nothing when it is today's again", () => {
    const more = countChanged([], { atMs: 60_000, name: runners.name }, 1)
    const two = countChanged(more, { atMs: 60_000, name: runners.name }, 1)
    const later = countChanged(two, { atMs: 120_000, name: runners.name }, -1)
    expect([0, 60_000, 120_000].map((ms) => valueAt(runners, later, ms))).toEqual(["2", "5", "4"])
    expect(countChanged(more, { atMs: 60_000, name: runners.name }, -1)).toEqual([])
    const half = valueChanged([], { offer: demand, atMs: 60_000 }, "0.5")
    const again = valueChanged(half, { offer: demand, atMs: 120_000 }, "1")
    expect([0, 60_000, 120_000].map((ms) => valueAt(demand, again, ms))).toEqual(["1", "0.5", "1"])
    expect(valueChanged(half, { offer: demand, atMs: 60_000 }, "1")).toEqual([])
  })

  test("begins at the whole minute of the clock, and has its date in a run of several days", () => {
    const head = madeUpHead()
    const clock = runClock(head.startMs, head.timeZone)
    const off = { ...head, startMs: head.startMs + 20_000 }
    expect([0, 1, 60_000].map((ms) => nextMinute(head, ms))).toEqual([0, 60_000, 60_000])
    expect([0, 40_000, 40_001].map((ms) => nextMinute(off, ms))).toEqual([40_000, 40_000, 100_000])
    const change = { atMs: 60_000, name: "demand", value: "2" }
    expect(timedChangesOf([change], { head, clock })[0]?.at).toBe("11:01")
    const days = { ...head, horizonMs: 25 * 3_600_000 }
    expect(timedChangesOf([change], { head: days, clock })[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT11:01$/)
  })
})
