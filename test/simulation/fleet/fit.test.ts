/** A model that is fitted from the journal of a simulated run has the parameters of the run's own model, within its intervals. */

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { fitBounded, fitDuration } from "../../../src/simulation/fleet/fit/duration-fit.ts"
import type { DurationFit, Interval } from "../../../src/simulation/fleet/fit/duration-fit.ts"
import { distanceProbability, shareBelow } from "../../../src/simulation/fleet/fit/families.ts"
import type { FittedSpread } from "../../../src/simulation/fleet/fit/families.ts"
import { fitModel } from "../../../src/simulation/fleet/fit/fit-model.ts"
import type { FittedModel } from "../../../src/simulation/fleet/fit/fit-model.ts"
import { observe } from "../../../src/simulation/fleet/fit/observations.ts"
import { countInterval, fitArrivals, shareOf } from "../../../src/simulation/fleet/fit/rates.ts"
import {
  chiSquaredQuantile,
  digamma,
  gammaShare,
  normalShare,
  trigamma,
} from "../../../src/simulation/fleet/fit/special-functions.ts"
import { fitLines, modelText } from "../../../src/simulation/fleet/fit/written-model.ts"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { recordedReplication, replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { isLong } from "../../long-tests.ts"
import { fleetModel } from "./models.ts"

const ZONE = "America/Chicago"

/** Four days of one site; every value that a journal can show is said, and none is a default. */
const TRUTH = `
fleet: The truth
because: A fit should find these values again.
clock: 2026-03-02T00:00 ${ZONE}
horizon: 4d
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, runners: 8, stores: [{ as: store, preparation: { lognormal: { mean: 14m, sd: 4m } } }] }]
runner: { walk: { gamma: { mean: 70s, sd: 20s } }, pick_up: { lognormal: { mean: 25s, sd: 20s } }, load: { weibull: { shape: 2, scale: 45s } } }
bot: { punctuality: { normal: { mean: 1m, sd: 3m } }, no_show: 5%, abort: 3%, tells_eta: 8m, settle: { exponential: { mean: 15s } }, leave: 25s }
policy: { staging_lead: 6m, window_grace: 16m, bot_wait: 11m }
faults: { open_link_fails: 4%, payload_too_heavy: 2% }
demand: [{ product: reservation, site: curb, per_hour: { by_hour: { "00:00": 2, "08:00": 8, "12:00": 14, "14:00": 6 } }, ahead: { uniform: [30m, 60m] }, width: 35m, cancel: 6%, cancel_after: { uniform: [1m, 9m] } }]
`

function fittedFrom(model: FleetModel, seed: number): FittedModel {
  const { run } = recordedReplication(model, { seed, name: "truth", variant: null })
  const seen = observe(run.entries.map(({ entry }) => entry.text))
  const fitted = fitModel(seen, { fromMs: run.startMs, toMs: run.startMs + model.horizon, timeZone: ZONE })
  if (fitted === null) throw new Error("nothing was fitted")
  return fitted
}

/** Draws of a distribution, from the streams that fleets draw from. */
function drawsOf(of: FittedSpread, count: number, seed = 1): readonly number[] {
  const chance = new Chance(seed)
  return Array.from({ length: count }, () => chance.duration(of, "draws", { isSigned: true }))
}

const minutes = (value: number): number => value * MINUTE_MS
const seconds = (value: number): number => value * SECOND_MS

describe("a model from the journal of a simulated run", () => {
  const model = fleetModel(TRUTH)
  const fitted = fittedFrom(model, 3)
  const { runner, bot, reservations, faults, zones } = fitted
  const [zone] = zones
  const [store] = zone?.stores ?? []

  const intervalOf = (fit: DurationFit | null | undefined, name: string): Interval => {
    const found = fit?.intervals[name]
    if (found === undefined) throw new Error(`${JSON.stringify(fit?.spread)} has no ${name}`)
    return found
  }

  test("each distribution is of the family that it was drawn from", () => {
    const families = [
      runner.walk,
      runner.pick_up,
      runner.load,
      bot.punctuality,
      bot.settle,
      bot.leave,
      reservations.ahead,
      reservations.cancelAfter,
      store?.preparation,
    ].map((fit) => fit?.spread.is)
    expect(families).toEqual([
      "gamma",
      "lognormal",
      "weibull",
      "normal",
      "exponential",
      "constant",
      "uniform",
      "uniform",
      "lognormal",
    ])
  })

  test("the true values are inside of their intervals, but for the share that 95 % intervals may miss", () => {
    const rates = store?.arrivals.rates[0]?.steps ?? []
    expect(rates.map(({ fromHour }) => fromHour)).toEqual([0, 8, 12, 14])
    const known: readonly (readonly [name: string, truth: number, found: Interval | undefined])[] = [
      ["walk mean", seconds(70), intervalOf(runner.walk, "meanMs")],
      ["walk sd", seconds(20), intervalOf(runner.walk, "sdMs")],
      ["pick-up mean", seconds(25), intervalOf(runner.pick_up, "meanMs")],
      ["pick-up sd", seconds(20), intervalOf(runner.pick_up, "sdMs")],
      ["load shape", 2, intervalOf(runner.load, "shape")],
      ["load scale", seconds(45), intervalOf(runner.load, "scaleMs")],
      ["punctuality mean", minutes(1), intervalOf(bot.punctuality, "meanMs")],
      ["punctuality sd", minutes(3), intervalOf(bot.punctuality, "sdMs")],
      ["settle mean", seconds(15), intervalOf(bot.settle, "meanMs")],
      ["ahead from", minutes(30), intervalOf(reservations.ahead, "fromMs")],
      ["ahead to", minutes(60), intervalOf(reservations.ahead, "toMs")],
      ["cancel_after from", minutes(1), intervalOf(reservations.cancelAfter, "fromMs")],
      ["cancel_after to", minutes(9), intervalOf(reservations.cancelAfter, "toMs")],
      ["preparation mean", minutes(14), intervalOf(store?.preparation, "meanMs")],
      ["preparation sd", minutes(4), intervalOf(store?.preparation, "sdMs")],
      ["no_show", 0.05, bot.noShow?.interval],
      ["abort", 0.03, bot.abort?.interval],
      ["cancel", 0.06, reservations.cancel?.interval],
      ["open_link_fails", 0.04, faults.openLinkFails?.interval],
      ["payload_too_heavy", 0.02, faults.payloadTooHeavy?.interval],
      ...[2, 8, 14, 6].map((rate, at) => [`rate ${at + 1}`, rate, rates[at]?.interval] as const),
    ]
    expect(known.every(([, , found]) => found !== undefined)).toBe(true)
    const missed = known.filter(([, truth, found]) => truth < (found?.low ?? 0) || truth > (found?.high ?? 0))
    // Of 24 intervals at 95 %, more than three are missed in one of a hundred runs (binomial).
    expect(missed.map(([name]) => name)).toHaveLength(Math.min(3, missed.length))
    // None is far away either.
    const far = known.filter(([, truth, found]) => {
      const { low = 0, high = 0 } = found ?? {}
      return truth < low - (high - low) || truth > high + (high - low)
    })
    expect(far).toEqual([])
  })

  test("what is constant is found exactly, and counts are those of the journal", () => {
    expect(bot.leave?.spread).toEqual({ is: "constant", ms: seconds(25) })
    expect([bot.tellsEtaMs, reservations.widthMs]).toEqual([minutes(8), minutes(35)])
    expect(fitted.policy).toMatchObject({
      stagingLeadMs: minutes(6),
      windowGraceMs: minutes(16),
      botWaitMs: minutes(11),
    })
    expect([zone?.stalls, zone?.runners]).toEqual([12, 8])
  })

  test("its text is a model that runs, with its figures beside the values and what is not known", () => {
    const text = modelText(fitted, { source: "truth.ndjson", place: null })
    const read = readFleet({ file: "fitted.yaml", text, beside: () => null })
    expect(read.problems).toEqual([])
    expect(text).toMatch(
      /walk: \{ gamma: \{ mean: 1m\d+s\d*m?s?, sd: \d+s\d*m?s? \} \} # n \d+, mean .* to .*, sd .*, KS 0\.\d+, p/,
    )
    expect(text).toContain("# - Bookings that were refused are not in a journal")
    expect(fitLines(fitted).join("\n")).toContain(
      "its probability is too large, because the same values made the fit",
    )
    const again = read.model as FleetModel
    const made = replicate({ ...again, horizon: 6 * HOUR_MS }, { seed: 1 })
    expect(made.figures["reservations.completed"] ?? 0).toBeGreaterThan(5)
  })

  test("a model that was fitted from a fitted one is the same within the intervals of the first", () => {
    const text = modelText(fitted, { source: "truth", place: null })
    const again = readFleet({ file: "fitted.yaml", text, beside: () => null }).model as FleetModel
    const second = fittedFrom(again, 8)
    const mean = (fit: DurationFit | null): number => fit?.meanMs ?? 0
    for (const part of ["walk", "pick_up", "load"] as const)
      expect(mean(second.runner[part]) / mean(fitted.runner[part])).toBeCloseTo(1, 0.5)
  })
})

/** Both changes of daylight saving time are in it; a whole year with `npm run test:long`. */
const YEAR_DAYS = isLong ? 365 : 160

/** Weekdays and weekends. */
const YEAR = `
fleet: A year
because: A fit should find these values again.
clock: 2026-10-12T00:00 ${ZONE}
horizon: 31d
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 4, runners: 3, stores: [{ as: store, preparation: { lognormal: { mean: 14m, sd: 4m } } }] }]
runner: { walk: { gamma: { mean: 70s, sd: 20s } } }
bot: { punctuality: { normal: { mean: 1m, sd: 3m } }, no_show: 5% }
demand:
  - { product: reservation, site: curb, on: [Mon, Tue, Wed, Thu, Fri], per_hour: { by_hour: { "00:00": 0.1, "11:00": 1.2, "14:00": 0.3 } }, ahead: 40m, width: 35m }
  - { product: reservation, site: curb, on: [Sat, Sun], per_hour: 0.5, ahead: 40m, width: 35m }
`

test("over both changes of the clock, the rates of weekdays and weekends are found by the local hour", () => {
  const fitted = fittedFrom({ ...fleetModel(YEAR), horizon: YEAR_DAYS * DAY_MS }, 2)
  const { arrivals, preparation } = fitted.zones[0]?.stores[0] ?? {}
  expect(arrivals?.rates.map(({ on }) => on)).toEqual([
    ["Mon", "Tue", "Wed", "Thu", "Fri"],
    ["Sat", "Sun"],
  ])
  const [week, weekend] = arrivals?.rates ?? []
  const inside = (truth: number, { low, high }: Interval): boolean => low < truth && truth < high
  expect(week?.steps.map(({ fromHour }) => fromHour)).toEqual([0, 11, 14])
  const held = [
    ...[0.1, 1.2, 0.3].map((rate, at) => inside(rate, week?.steps[at]?.interval as Interval)),
    inside(0.5, weekend?.steps[0]?.interval as Interval),
    inside(minutes(14), preparation?.intervals["meanMs"] as Interval),
    inside(seconds(70), fitted.runner.walk?.intervals["meanMs"] as Interval),
    inside(minutes(1), fitted.bot.punctuality?.intervals["meanMs"] as Interval),
    inside(0.05, fitted.bot.noShow?.interval as Interval),
  ]
  // Of eight intervals at 95 %, more than two are missed in one of two hundred runs (binomial).
  expect(held.filter((one) => !one).length).toBeLessThanOrEqual(2)
})

describe("deliveries", () => {
  test("arrivals, loading, the door and cancellations come from their journal", () => {
    const model = fleetModel(`
fleet: Deliveries
because: A fit should find these values again.
clock: 2026-03-02T08:00 ${ZONE}
horizon: 20h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: 30 }]
vehicle: { load: { gamma: { mean: 90s, sd: 30s } }, drop_off: { lognormal: { mean: 150s, sd: 120s } } }
demand: [{ product: delivery, site: curb, per_hour: 12, ready_in: 1m, cancel: 10%, cancel_after: 10s }]
`)
    const fitted = fittedFrom(model, 1)
    const [site] = fitted.deliveries
    // From 04:00 to 08:00 nothing was observed.
    expect(site?.arrivals.rates[0]?.steps.map(({ fromHour }) => fromHour)).toEqual([0, 4, 8])
    const [rate] = site?.arrivals.rates[0]?.steps.filter(({ count }) => count > 0) ?? []
    expect(rate?.interval.low).toBeLessThan(12)
    expect(rate?.interval.high).toBeGreaterThan(12)
    expect(fitted.vehicle.dropOff?.spread.is).toBe("lognormal")
    expect(Math.abs((fitted.vehicle.dropOff?.meanMs ?? 0) - seconds(150))).toBeLessThan(seconds(30))
    expect(fitted.deliveryCancel?.interval.low).toBeLessThan(0.1)
    expect(fitted.deliveryCancel?.interval.high).toBeGreaterThan(0.1)
    expect(
      readFleet({ file: "x.yaml", text: modelText(fitted, { source: "x", place: null }), beside: () => null })
        .problems,
    ).toEqual([])
  })
})

describe("rates of arrivals", () => {
  const startMs = Date.parse("2026-03-02T00:00:00-06:00")

  /** A Poisson process of this rate at each instant. */
  const processOf = (
    days: number,
    rateAt: (day: number, hour: number) => number,
    seed = 1,
  ): readonly number[] => {
    const chance = new Chance(seed)
    const most = 20
    const instants: number[] = []
    for (let atMs = 0; atMs < days * DAY_MS;) {
      atMs -= (Math.log1p(-chance.fraction("gaps")) * HOUR_MS) / most
      const rate = rateAt(Math.floor(atMs / DAY_MS) % 7, Math.floor((atMs % DAY_MS) / HOUR_MS))
      if (atMs < days * DAY_MS && chance.fraction("kept") * most < rate)
        instants.push(startMs + Math.round(atMs))
    }
    return instants
  }
  const spanOf = (days: number) => ({ fromMs: startMs, toMs: startMs + days * DAY_MS, timeZone: ZONE })

  test("one rate is one rate, and weekdays that do not differ have one rate", () => {
    const { rates, weekdayProbability } = fitArrivals(
      processOf(5, () => 5),
      spanOf(5),
    )
    expect(rates).toHaveLength(1)
    expect(rates[0]).toMatchObject({ on: null, steps: [{ fromHour: 0 }] })
    expect(weekdayProbability).toBeGreaterThan(0.01)
  })

  test("weekdays that differ are demands of their own", () => {
    const instants = processOf(5, (day) => (day === 4 ? 12 : 4))
    const { rates } = fitArrivals(instants, spanOf(5))
    expect(rates.map(({ on }) => on)).toEqual([["Mon", "Tue", "Wed", "Thu"], ["Fri"]])
    expect(rates[1]?.steps[0]?.interval.low).toBeLessThan(12)
    expect(rates[1]?.steps[0]?.interval.high).toBeGreaterThan(12)
  })

  test("hours that were not observed have no rate, and are named", () => {
    const span = { fromMs: startMs + 9 * HOUR_MS, toMs: startMs + 17 * HOUR_MS, timeZone: ZONE }
    const { rates, unobserved } = fitArrivals(
      processOf(1, () => 10),
      span,
    )
    expect(unobserved).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 18, 19, 20, 21, 22, 23])
    expect(rates[0]?.steps.map(({ fromHour, perHour }) => [fromHour, perHour > 0])).toEqual([
      [0, false],
      [9, true],
      [17, false],
    ])
  })

  test("a demand with weekdays has orders on these days only", () => {
    const model = fleetModel(`
fleet: Fridays
because: Weekdays may differ.
clock: 2026-03-02T00:00 ${ZONE}
horizon: 7d
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 4, runners: 3 }]
demand: [{ product: reservation, site: curb, per_hour: 3, on: [Fri, Sat] }]
`)
    const { run } = recordedReplication(model, { seed: 1, name: "x", variant: null })
    const days = observe(run.entries.map(({ entry }) => entry.text)).visits.map(({ bookedMs }) =>
      new Date(bookedMs - 6 * HOUR_MS).getUTCDay(),
    )
    expect(days.length).toBeGreaterThan(50)
    expect(new Set(days)).toEqual(new Set([5, 6]))
  })

  // The chi-squared intervals of W. Garwood's table, and E. Wilson's of 10 in 100.
  test("intervals are the published ones", () => {
    expect(countInterval(10, 1).low).toBeCloseTo(4.795, 3)
    expect(countInterval(10, 1).high).toBeCloseTo(18.39, 2)
    expect(countInterval(0, 1)).toMatchObject({ low: 0, high: expect.closeTo(3.689, 3) })
    expect(shareOf(10, 100)?.interval).toEqual({
      low: expect.closeTo(0.0552, 4),
      high: expect.closeTo(0.1744, 4),
    })
    expect(shareOf(0, 0)).toBeNull()
  })
})

describe("distributions", () => {
  test.each<FittedSpread>([
    { is: "exponential", meanMs: 60_000 },
    { is: "normal", meanMs: 60_000, sdMs: 5_000 },
    { is: "lognormal", meanMs: 60_000, sdMs: 30_000 },
    { is: "gamma", meanMs: 60_000, sdMs: 40_000 },
    { is: "weibull", shape: 3, scaleMs: 60_000 },
    { is: "uniform", fromMs: 30_000, toMs: 90_000 },
  ])("draws of $is are fitted as such, and their distance is a likely one", (of) => {
    const fit = fitDuration(drawsOf(of, 1_500))
    expect(fit?.spread.is).toBe(of.is)
    expect(fit?.probability).toBeGreaterThan(0.05)
    for (const [name, truth] of Object.entries(of).filter(([key]) => key !== "is")) {
      const found = Number(Object.entries(fit?.spread ?? {}).find(([key]) => key === name)?.[1])
      expect(Math.abs(found / Number(truth) - 1)).toBeLessThan(0.06)
    }
  })

  test("values of two kinds are drawn from, because no family fits", () => {
    const values = [
      ...drawsOf({ is: "normal", meanMs: 30_000, sdMs: 1_000 }, 300),
      ...drawsOf({ is: "normal", meanMs: 300_000, sdMs: 1_000 }, 300),
    ]
    const fit = fitDuration(values)
    expect(fit?.spread.is).toBe("drawn")
    expect(fit?.probability).toBeLessThan(0.001)
  })

  test("nearly constant values have no Weibull shape that a model file may not have", () => {
    // As of a partner who always books half an hour ahead: a few milliseconds pass until the booking.
    const values = [5, 6, 6, 6, 7, 6, 5, 6, 6, 9, 6, 6, 7, 5, 6, 6, 6, 6, 14, 6, 6, 5].map(
      (ms) => 1_800_000 - ms,
    )
    const spread = fitDuration(values)?.spread
    expect(spread?.is).not.toBe("weibull")
    expect(spread).not.toBeUndefined()
  })

  test("few values are drawn from, equal ones are a constant, and none are nothing", () => {
    expect(fitDuration([1_000, 2_000, 4_000])?.spread).toEqual({
      is: "drawn",
      valuesMs: [1_000, 2_000, 4_000],
    })
    expect(fitDuration([20_000, 20_000])?.spread).toEqual({ is: "constant", ms: 20_000 })
    expect(fitDuration([])).toBeNull()
  })

  test("upper bounds are used: a fit that left them out would be too long", () => {
    const draws = drawsOf({ is: "lognormal", meanMs: 600_000, sdMs: 200_000 }, 2_000)
    const bound = 600_000
    const values = draws.map((ms) => (ms > bound ? { ms, isAtMost: false } : { ms: bound, isAtMost: true }))
    const fit = fitBounded(values)
    expect(fit?.bounds?.count).toBeGreaterThan(800)
    expect(Math.abs((fit?.meanMs ?? 0) / 600_000 - 1)).toBeLessThan(0.03)
    expect(Math.abs((fit?.sdMs ?? 0) / 200_000 - 1)).toBeLessThan(0.1)
  })

  // Digits of the NIST Digital Library and of Abramowitz and Stegun's tables.
  test("special functions have their published values", () => {
    expect(gammaShare(0.5, 0.5)).toBeCloseTo(0.6826894921, 9)
    expect(gammaShare(3, 10)).toBeCloseTo(0.9972306042, 9)
    expect(normalShare(-1.96)).toBeCloseTo(0.0249978951, 9)
    expect(digamma(1)).toBeCloseTo(-0.5772156649, 9)
    expect(trigamma(1)).toBeCloseTo(1.6449340668, 8)
    expect(chiSquaredQuantile(0.95, 1)).toBeCloseTo(3.8414588207, 7)
    expect(chiSquaredQuantile(0.95, 10)).toBeCloseTo(18.3070380533, 7)
    expect(distanceProbability(0.13404, 100)).toBeCloseTo(0.05, 3)
    expect(shareBelow({ is: "weibull", shape: 2, scaleMs: 10 }, 10)).toBeCloseTo(0.6321205588, 9)
  })
})

test("the schema of models knows weekdays", () => {
  const schema = readFileSync(new URL("../../../scenarios/fleets/fleet.schema.json", import.meta.url), "utf8")
  expect(schema).toContain("orders come only on these weekdays")
})

const AGENT =
  "errand: { reserves_after: { exponential: { mean: 40s } }, pays_after: 30s, confirms_after: { uniform: [4m, 8m] }, gives_up: 10%, declined_cards: 12%, nobody_home: 6% }"

describe("errands of agents", () => {
  const truth = fleetModel(`
fleet: Agents
because: A fit should find how they behave.
clock: 2026-03-02T00:00 ${ZONE}
horizon: 2d
replications: 1
sites: [{ as: hub, at: [30.4, -97.7], reach_km: 2, vehicles: 12, stores: [{ as: deli }, { as: bakery }] }]
demand:
  - { product: delivery, site: hub, per_hour: 4 }
  - { product: courier, site: hub, store: deli, per_hour: 6, cancel: 8%, cancel_after: { uniform: [1m, 3m] }, ${AGENT} }
  - { product: courier, site: hub, store: bakery, per_hour: 3, cancel: 8%, cancel_after: { uniform: [1m, 3m] }, ${AGENT} }
`)
  const { errands, ...fitted } = fittedFrom(truth, 1)

  test("the stores, the agents' times and the shares are those of the run", () => {
    expect(errands?.stores.map(({ storeId }) => storeId)).toEqual(["store_fleet_0_0", "store_fleet_0_1"])
    expect(errands?.paysAfter?.spread).toEqual({ is: "constant", ms: seconds(30) })
    expect(errands?.reservesAfter?.spread.is).toBe("exponential")
    const inside = (truth_: number, found: Interval | undefined, slack = 0): boolean =>
      found !== undefined && truth_ >= found.low - slack && truth_ <= found.high + slack
    expect(inside(seconds(40), errands?.reservesAfter?.intervals["meanMs"])).toBe(true)
    // Some agents wait, and are cut by the hold's end or a customer who cancels; the bounds stay.
    const confirms = errands?.confirmsAfter
    expect(confirms?.spread.is).toBe("uniform")
    expect(inside(minutes(4), confirms?.intervals["fromMs"], seconds(3))).toBe(true)
    expect(inside(minutes(8), confirms?.intervals["toMs"], seconds(3))).toBe(true)
    expect(inside(0.12, errands?.declinedCards?.interval)).toBe(true)
    expect(inside(0.06, errands?.customerAbsent?.interval)).toBe(true)
    expect(inside(0.1, errands?.givesUp?.interval, 0.02)).toBe(true)
    // The connector carries nothing at night.
    const [deli, bakery] =
      errands?.stores.map(({ arrivals }) =>
        arrivals.rates[0]?.steps.find(({ fromHour }) => fromHour === 6),
      ) ?? []
    expect(inside(6, deli?.interval)).toBe(true)
    expect(inside(3, bakery?.interval)).toBe(true)
  })

  test("the text is a model with the same stores, whose errands share the vehicles of the deliveries", () => {
    const text = modelText({ ...fitted, errands }, { source: "agents.ndjson", place: null })
    const { model, problems } = readFleet({ file: "fitted.yaml", text, beside: () => null })
    expect(problems).toEqual([])
    const [site, ...others] = model?.sites ?? []
    expect([site?.stores.map(({ as }) => as), site?.vehicles, others]).toEqual([
      ["site", "store_fleet_0_0", "store_fleet_0_1"],
      fitted.vehicles,
      [],
    ])
    if (model === null) return
    const { counts } = replicate({ ...model, horizon: 12 * HOUR_MS }, { seed: 2 })
    expect(counts["errands.completed"]).toBeGreaterThan(20)
    expect(fitLines({ ...fitted, errands }).join("\n")).toMatch(/errand\.gives_up: \d/)
  })
})
