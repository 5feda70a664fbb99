/** What a journal shows and its model does not expect goes on in the futures. */

import { expect, test } from "vitest"
import { MINUTE_MS } from "../../../../src/model/values/time.ts"
import type { EpochMs } from "../../../../src/model/values/time.ts"
import { modelWith, presentOf } from "../../../../src/simulation/fleet/forecast/present.ts"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import type { Bad, Case } from "../../../../src/simulation/fleet/moment/case-watch.ts"
import { calibrationOf } from "../../../../src/simulation/fleet/moment/calibration.ts"
import { Futures } from "../../../../src/simulation/fleet/moment/futures.ts"
import { JournalMoments } from "../../../../src/simulation/fleet/moment/journal-moments.ts"
import { fleetModel } from "../models.ts"
import { curb, idsOf, recordedDay, verdictOf } from "./recorded-day.ts"
import type { RecordedDay } from "./recorded-day.ts"

function visit(id: string): Case {
  return { kind: "reservation", id, limitMs: 8 * MINUTE_MS }
}

/** The first order of a day that went wrong. */
function firstBad(day: RecordedDay, cases: readonly Case[]): { readonly of: Case; readonly verdict: Bad } {
  for (const of of cases) {
    const verdict = verdictOf(day, of)
    if (verdict.is === "bad") return { of, verdict }
  }
  throw new Error("nothing went wrong on the day")
}

/** How many of 12 futures end badly, after the last moment at or before an instant. */
function badAfter(day: RecordedDay, of: Case, { model, atMs }: { model: FleetModel; atMs: EpochMs }): number {
  const journal = new JournalMoments(day.turns)
  const moment = journal.moments.findLast((one) => one.atMs <= atMs)
  if (moment === undefined) throw new Error("no moment is so early")
  const make = new Futures({ model, terms: new Map(), seed: 1 }).from(journal.after(moment, of), null)
  return Array.from({ length: 12 }, (_, number) => make(number)).filter(Boolean).length
}

function instantOf(day: RecordedDay, isIt: (type: string, to: string) => boolean): EpochMs {
  const turn = day.turns.find(({ input }) => isIt(input.event?.type ?? "", input.to))
  if (turn === undefined) throw new Error("the day has no such entry")
  return turn.result.instantMs
}

const calm = curb("")

test("a compartment that did not open once stays closed, and all futures of its order are bad", () => {
  const day = recordedDay(curb("changes: [{ at: 11:01, open_link_fails: 100% }]"), 3)
  const { of } = firstBad(day, idsOf(day, "reservation").map(visit))
  const id = of.kind === "reservation" ? of.id : ""
  const failedMs = instantOf(day, (type, to) => type === "call.failed" && to.includes(id))
  expect(badAfter(day, of, { model: calm, atMs: failedMs - 1 })).toBe(0)
  expect(badAfter(day, of, { model: calm, atMs: failedMs })).toBe(12)
})

test("of a link that was not called yet the model says how likely it fails", () => {
  const day = recordedDay(calm, 3)
  const [id = ""] = idsOf(day, "reservation")
  const atMs = instantOf(day, (_, to) => to.includes(id))
  const broken = { ...calm, faults: { ...calm.faults, open_link_fails: 1 } }
  expect(badAfter(day, visit(id), { model: broken, atMs })).toBe(12)
})

test("a due task that no runner takes shows that they are away", () => {
  const day = recordedDay(curb("out: [{ runners: 3, from: 11:40, to: 12:40 }]"), 3)
  const { of, verdict } = firstBad(day, idsOf(day, "reservation").map(visit))
  expect(badAfter(day, of, { model: calm, atMs: verdict.atMs - 1 })).toBeGreaterThan(0)
})

const ROAD = `
fleet: A road
because: Its vehicles go offline.
clock: 2026-03-02T11:00 America/Chicago
horizon: 1h
sites: [{ as: kitchen, at: [30.4, -97.7], reach_km: 2, vehicles: 2, stores: [{ as: grill, preparation: 8m }] }]
demand: [{ product: delivery, site: kitchen, per_hour: 4 }]
`

test("a vehicle that is offline stays so for a time, and no other comes in its place", () => {
  const road = fleetModel(ROAD)
  const outs = "{ at: 11:30, breakdown of veh_0_0001: 2h }, { at: 11:30, breakdown of veh_0_0002: 2h }"
  const day = recordedDay(fleetModel(`${ROAD}changes: [${outs}]\n`), 2)
  const cases = idsOf(day, "delivery").map((id): Case => {
    const dueMs = instantOf(day, (_, to) => to.includes(id)) + 60 * MINUTE_MS
    return { kind: "delivery", id, dueMs }
  })
  const { of, verdict } = firstBad(day, cases)
  const journal = new JournalMoments(day.turns)
  const moment = journal.moments.findLast((one) => one.atMs < verdict.atMs)
  if (moment === undefined) throw new Error("the day has moments")
  const present = presentOf(journal.after(moment, of).groups, road)
  expect(present.leftOut).toEqual({})
  expect(present.fleet.vehicles.map(({ isOnline }) => isOnline)).toEqual([false, false])
  expect(modelWith(road, present).sites[0]?.vehicles).toBe(2)
  expect(badAfter(day, of, { model: road, atMs: verdict.atMs - 10 * MINUTE_MS })).toBeGreaterThan(0)
})

test("from the fact on all futures end as it did", () => {
  const day = recordedDay(curb("out: [{ kitchen of grill: true, from: 12:05, to: 12:50 }]"), 3)
  const cases = idsOf(day, "reservation").map(visit)
  const { of, verdict } = firstBad(day, cases)
  const after = day.turns.find(({ result }) => result.instantMs > verdict.atMs)?.result.instantMs ?? 0
  expect(badAfter(day, of, { model: calm, atMs: after })).toBe(12)
  const good = cases.find((one) => verdictOf(day, one).is === "good")
  const end = good === undefined ? undefined : verdictOf(day, good)
  if (good === undefined || end?.is !== "good") throw new Error("nothing went well on the day")
  expect(badAfter(day, good, { model: calm, atMs: end.atMs })).toBe(0)
})

test("odds are compared with what happened to earlier orders, and to ten at least", () => {
  const model = curb("", { runners: 1, perHour: 13 })
  const day = recordedDay(model, 2)
  const ids = idsOf(day, "reservation")
  const journal = new JournalMoments(day.turns)
  const calibrated = (first = journal.moments.at(-1)) => {
    if (first === undefined) throw new Error("the day has moments")
    const of = visit(ids.at(-1) ?? "")
    return calibrationOf({
      of,
      turns: day.turns,
      first,
      model,
      terms: new Map(),
      seed: 1,
      isOver: () => false,
    })
  }
  const { moments = 0, expected = -1, happened = -1 } = calibrated() ?? {}
  expect(moments).toBeGreaterThanOrEqual(10)
  expect(Math.abs(expected - happened)).toBeLessThan(0.25)
  // Two orders of three are late here.
  expect(happened).toBeGreaterThan(0.3)
  expect(calibrated(journal.moments[20])).toBeNull()
})
