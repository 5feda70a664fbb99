/** When a bad outcome became inevitable, on days whose cause is planted. */

import { describe, expect, test } from "vitest"
import { eventName } from "../../../../src/pages/inspection/event-name.ts"
import { MINUTE_MS, HOUR_MS } from "../../../../src/model/values/time.ts"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import type { Case } from "../../../../src/simulation/fleet/moment/case-watch.ts"
import { JournalMoments } from "../../../../src/simulation/fleet/moment/journal-moments.ts"
import { bestWords, headline, outcomeWords } from "../../../../src/simulation/fleet/moment/moment-words.ts"
import { chanceOf, whyLate } from "../../../../src/simulation/fleet/moment/moment.ts"
import type { WhyLate } from "../../../../src/simulation/fleet/moment/moment.ts"
import { fleetModel } from "../models.ts"
import { groupsOf } from "../present.ts"
import { curb, idsOf, recordedDay, verdictOf } from "./recorded-day.ts"
import type { RecordedDay } from "./recorded-day.ts"

const LIMIT_MS = 8 * MINUTE_MS

const WORDING = {
  eventName,
  clock: (atMs: number) => new Date(atMs - 6 * HOUR_MS).toISOString().slice(11, 19),
  nameOf: (group: string) => `…${group.slice(-4)}`,
}

function visit(id: string): Case {
  return { kind: "reservation", id, limitMs: LIMIT_MS }
}

function why(
  day: RecordedDay,
  of: Case,
  model: FleetModel,
  { futures = 10, seed = 1, turnsMax = 1e9, triesDecisions = true } = {},
) {
  return whyLate({
    turns: day.turns,
    of,
    model,
    terms: new Map(),
    fromMs: 0,
    futures,
    width: 0.25,
    seed,
    turnsMax,
    triesDecisions,
  })
}

function found(
  day: RecordedDay,
  of: Case,
  model: FleetModel,
  options: Parameters<typeof why>[3] = {},
): WhyLate {
  const answer = why(day, of, model, options)
  if ("is" in answer) throw new Error(`nothing is said: ${answer.is}`)
  return answer
}

const calm = curb("")
const stopped = recordedDay(curb("out: [{ kitchen of grill: true, from: 12:05, to: 12:50 }]"), 3)
const bad = idsOf(stopped, "reservation").filter((id) => verdictOf(stopped, visit(id)).is === "bad")

describe("moments of a journal", () => {
  const busy = recordedDay(curb("webhooks: true", { perHour: 20 }), 4)
  const { moments } = new JournalMoments(busy.turns)

  test("take every turn, in order, and no message is under way at the end of one", () => {
    expect(moments.at(-1)?.turns).toBe(busy.turns.length)
    expect(moments.map(({ at }) => at)).toEqual([...moments.keys()])
    let taken = 0
    let open = 0
    for (const { turns } of moments) {
      for (const { input, result } of busy.turns.slice(taken, turns))
        open += result.messages.length - (input.by === "message" ? 1 : 0)
      taken = turns
      expect(open).toBe(0)
    }
    expect(moments.length).toBeLessThan(busy.turns.length)
  })

  test("the state after a moment is that of the run at that time", () => {
    const model = curb("webhooks: true", { perHour: 20 })
    for (const share of [0.2, 0.5, 0.8]) {
      const at = Math.floor(moments.length * share)
      // The last moment of its instant.
      const moment = moments.findLast(({ atMs }) => atMs === moments[at]?.atMs)
      if (moment === undefined) throw new Error("the day has moments")
      const { groups } = groupsOf(model, { seed: 4, atMs: moment.atMs })
      const kept = new JournalMoments(busy.turns).after(moment, visit("none")).groups
      const ofRun = new Map(groups.map((group) => [group.address, group]))
      expect(kept.length).toBeGreaterThan(0)
      for (const group of kept) {
        const { address, actors, timers } = group
        // The run forgets groups that have ended.
        const there = ofRun.get(address)
        if (there !== undefined)
          expect({ actors, timers }).toEqual({ actors: there.actors, timers: there.timers })
      }
      const under = groups.filter(
        ({ address, actors }) => address.startsWith("reservation/") && typeof actors[0]?.value === "object",
      )
      expect(kept.map(({ address }) => address).toSorted()).toEqual(
        under.map(({ address }) => address).toSorted(),
      )
    }
  })
})

describe("what went wrong", () => {
  test("a promise of the whole day is broken exactly when the run's own figure breaks it", () => {
    const day = recordedDay(curb("", { runners: 1, perHour: 14, stalls: 40 }), 2)
    const max = day.replication.figures["reservations.wait_max"] ?? 0
    expect(max).toBeGreaterThan(0)
    for (const [limit, is] of [
      [max, "bad"],
      [max + 1_000, "good"],
    ] as const) {
      const promise = { metric: "reservations.wait_max", sign: "<", limit } as const
      const of: Case = { kind: "promise", promise, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER }
      // Waits of the run are kept in bins of about a percent.
      expect({
        limit,
        is: verdictOf(day, { ...of, promise: { ...promise, limit: limit * (is === "bad" ? 0.97 : 1.03) } })
          .is,
      }).toEqual({ limit, is })
    }
  })

  test("a robot that gives up has lost its order, and one that is called off before it comes has not", () => {
    const lost = recordedDay(curb("", { runners: 1, perHour: 30 }), 2)
    const verdicts = idsOf(lost, "reservation").map((id) => verdictOf(lost, visit(id)))
    const ways = verdicts.flatMap((one) => (one.is === "bad" ? [one.how] : []))
    expect(new Set(ways)).toEqual(new Set(["late", "lost"]))
    const off = recordedDay(
      fleetModel(`
fleet: All are called off
because: Customers change their minds.
clock: 2026-03-02T11:00 America/Chicago
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 6, runners: 3, stores: [{ as: grill, preparation: 5m }] }]
demand: [{ product: reservation, site: curb, per_hour: 6, cancel: 100%, cancel_after: 1m }]
`),
      1,
    )
    expect(idsOf(off, "reservation").length).toBeGreaterThan(0)
    expect(idsOf(off, "reservation").map((id) => verdictOf(off, visit(id)).is)).toEqual(
      idsOf(off, "reservation").map(() => "called off"),
    )
    const deliveries = recordedDay(
      fleetModel(`
fleet: Customers change their minds
because: All orders are called off.
clock: 2026-03-02T11:00 America/Chicago
horizon: 1h
sites: [{ as: kitchen, at: [30.4, -97.7], reach_km: 2, vehicles: 3, stores: [{ as: grill, preparation: 20m }] }]
demand: [{ product: delivery, site: kitchen, per_hour: 4, cancel: 100%, cancel_after: 1m }]
`),
      1,
    )
    const ids = idsOf(deliveries, "delivery")
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids)
      expect(verdictOf(deliveries, { kind: "delivery", id, dueMs: Number.MAX_SAFE_INTEGER }).is).toBe(
        "called off",
      )
  })

  test("nothing is said of an order that came in time, that is still open, or that is not there", () => {
    const model = curb("")
    const day = recordedDay(model, 4)
    const [first = ""] = idsOf(day, "reservation")
    expect(why(day, visit(first), model)).toMatchObject({ is: "good" })
    const begun = { ...day, turns: day.turns.slice(0, 1) }
    expect(why(begun, visit(first), model)).toEqual({ is: "open" })
    expect(why(day, visit("res_none"), model)).toEqual({ is: "unknown" })
  })

  test("a model without a place for the case says nothing, and why", () => {
    const small = { ...calm, sites: calm.sites.map((site) => ({ ...site, stalls: 1 })) }
    const answers = bad.map((id) => why(stopped, visit(id), small))
    expect(answers).toContainEqual({
      is: "left out",
      reasons: { "reservation at a stall that the model does not have": expect.any(Number) as number },
    })
  })
})

describe("a kitchen that stops", () => {
  test("is the cause of an order that comes late, and no decision about runners keeps it", () => {
    const [id = ""] = bad
    const answer = found(stopped, visit(id), calm)
    expect(outcomeWords(answer, WORDING)).toMatch(/was late|did not come on board/)
    expect(headline(answer, WORDING)).toMatch(/its order was (?:still )?not ready/)
    expect(bestWords(answer, WORDING)).toMatch(/None of the decisions that were tried keeps it/)
    expect(answer.curve[0]?.odds.value).toBeLessThan(0.2)
    expect(answer.curve.at(-1)?.odds.value).toBeGreaterThan(0.8)
    expect(answer.isCut).toBe(false)
  })

  test("a search that is stopped says so; the same seed gives the same answer, and another seed other futures", () => {
    const [id = ""] = bad
    const [one, again, other] = [1, 1, 2].map((seed) => {
      const { isCut, curve, turns } = found(stopped, visit(id), calm, {
        seed,
        turnsMax: 500,
        triesDecisions: false,
      })
      return { isCut, turns, curve: curve.map(({ moment, odds }) => [moment.at, odds]) }
    })
    expect(one).toMatchObject({ isCut: true })
    expect(again).toEqual(one)
    expect(other?.turns).not.toBe(one?.turns)
  })
})

test("of a site with too few runners, one more keeps an order below half, and the answer says until when", () => {
  const model = curb("", { runners: 1, perHour: 13 })
  const day = recordedDay(model, 2)
  const late = idsOf(day, "reservation").filter((id) => verdictOf(day, visit(id)).is === "bad")
  const id = late[Math.floor(late.length / 2)] ?? ""
  const answer = found(day, visit(id), model, { futures: 12 })
  const more = answer.decisions.find(({ decision }) => decision.id === "runner")
  const { odds, asItWas } = more?.last ?? more?.before ?? {}
  expect(odds?.value).toBeLessThan(asItWas?.value ?? 0)
  expect(bestWords(answer, WORDING)).toMatch(
    /^Best: .*, by \d\d:\d\d:\d\d: \d+ % \(\d+ to \d+ %\) instead of \d+ %/,
  )
})

test("a decision helps when chance hardly explains the pairs that it saves", () => {
  expect(chanceOf(5, 0)).toBeCloseTo(1 / 32, 12)
  expect(chanceOf(4, 1)).toBeCloseTo(6 / 32, 12)
  expect(chanceOf(0, 0)).toBe(1)
  expect(chanceOf(0, 9)).toBeCloseTo(1, 12)
})
