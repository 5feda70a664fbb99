/** Cases of a sweep in pairs, the recommended one, the answer in a sentence, and what moves a figure most. */

import { describe, expect, test } from "vitest"
import { casesOf } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetCase } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import type { Spread } from "../../../src/simulation/fleet/language/spread.ts"
import { METRICS } from "../../../src/simulation/fleet/language/metrics.ts"
import { resultText } from "../../../src/cli/fleets/fleet-text.ts"
import { reportHtml } from "../../../src/simulation/fleet/report/report.ts"
import { figureWords } from "../../../src/simulation/fleet/results/promise-words.ts"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import { differenceText } from "../../../src/simulation/fleet/report/difference-charts.ts"
import { adviceOf, transientOf } from "../../../src/simulation/fleet/results/advice.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { comparisonOf, comparisonsOf, isClear } from "../../../src/simulation/fleet/results/compare.ts"
import { recommendedOf } from "../../../src/simulation/fleet/results/recommend.ts"
import { halfWidthOf } from "../../../src/simulation/fleet/results/statistics.ts"
import { peaksOf } from "../../../src/simulation/fleet/results/full-first.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../../src/simulation/fleet/results/summary.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { waitsOf, mmc } from "./bare-queue.ts"
import { madeUp, site, siteText } from "./made-up.ts"
import { fleetModel } from "./models.ts"

const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

function caseOf(
  model: FleetModel,
  settings: FleetCase,
  make: (seed: number) => Replication,
  count = 10,
): CaseResult {
  return caseResult(
    model,
    settings,
    seeds(count).map((seed) => make(seed)),
  )
}

/** A mean wait that depends on the seed far more than on the case. */
const day = (seed: number): number => 300 + 100 * Math.sin(seed * 7)

const swept = site('promises: { reservations.wait_mean: "< 5m" }\nsweep: { runners: [3, 4, 5] }')
const cases = [3, 4, 5].map((runners) =>
  caseOf(swept, [["runners", runners]], (seed) =>
    madeUp(seed, [day(seed) + (5 - runners) * 40 + Math.cos(seed + runners)]),
  ),
)

describe("cases on the same seeds", () => {
  const comparison = comparisonOf("reservations.wait_mean", { cases, isLowerBetter: true })

  test("differ by what a pair of replications says, and not by what the days say", () => {
    const [first] = comparison.pairs
    expect(comparison.pairs).toHaveLength(3)
    expect(first?.value).toBeCloseTo(-40_000, -3)
    // The interval of either case alone is a hundred times as wide.
    expect(halfWidthOf(first ?? { low: null, high: null })).toBeLessThan(2_000)
    expect(
      halfWidthOf(cases[0]?.estimates.of("reservations.wait_mean") ?? { low: null, high: null }),
    ).toBeGreaterThan(40_000)
    expect(comparison.pairs.every((pair) => isClear(pair))).toBe(true)
  })

  test("are ranked, and the best one with a confidence that is corrected for the number of cases", () => {
    expect(comparison.ranked.map(({ settings }) => settings[0]?.[1])).toEqual([5, 4, 3])
    expect(comparison.confidence).toBeGreaterThan(0.99)
    const alike = [1, 2, 3].map((runners) =>
      caseOf(swept, [["runners", runners]], (seed) => madeUp(seed, [day(seed * runners)])),
    )
    expect(comparisonOf("wait_mean", { cases: alike, isLowerBetter: true }).confidence).toBeLessThan(0.6)
  })

  test("widen their intervals with the number of pairs", () => {
    const two = comparisonOf("reservations.wait_mean", { cases: cases.slice(0, 2), isLowerBetter: true })
    const half = (of: typeof comparison): number => halfWidthOf(of.pairs[0] ?? { low: null, high: null }) ?? 0
    // Known: Student's t of nine degrees at 0.975 and at 1 - 0.05 / 6: 2.262 and 2.933.
    expect(half(comparison) / half(two)).toBeCloseTo(2.933 / 2.262, 2)
  })

  test("widen them with the number of figures too, because all differences of a run hold together", () => {
    const one = comparisonsOf(swept, cases)
    const promised =
      'promises: { reservations.wait_mean: "< 5m", wait_mean: "< 9m" }\nsweep: { runners: [3, 4, 5] }'
    const two = comparisonsOf(site(promised), cases)
    const half = (of: typeof one): number => halfWidthOf(of[0]?.pairs[0] ?? { low: null, high: null }) ?? 0
    expect(two.map(({ metric }) => metric)).toEqual(["reservations.wait_mean", "wait_mean"])
    // Known: Student's t of nine degrees at 1 - 0.05 / 12 and at 1 - 0.05 / 6: 3.364 and 2.933.
    expect(half(two) / half(one)).toBeCloseTo(3.364 / 2.933, 2)
  })

  test("are paired on the seeds that both have", () => {
    const more = caseOf(swept, [["runners", 6]], (seed) => madeUp(seed, [day(seed) - 40]), 25)
    const [pair] = comparisonOf("reservations.wait_mean", {
      cases: [...cases.slice(2), more],
      isLowerBetter: true,
    }).pairs
    expect(pair?.parts).toHaveLength(10)
    expect(pair?.value).toBeCloseTo(-40_000, -3)
  })

  test("have a difference of percentiles too, although each is of all waits together", () => {
    const queues = [2, 3].map((servers) =>
      caseOf(swept, [["runners", servers]], (seed) =>
        madeUp(seed, waitsOf(mmc(servers, 1.6 / servers), 400, new Streams(seed))),
      ),
    )
    const [pair] = comparisonOf("wait_p95", { cases: queues, isLowerBetter: true }).pairs
    const known = ((mmc(3, 1.6 / 3).known.p95S ?? 0) - (mmc(2, 0.8).known.p95S ?? 0)) * 1000
    expect(pair?.low).toBeLessThan(known)
    expect(pair?.high).toBeGreaterThan(known)
    expect(pair?.high).toBeLessThan(0)
  })
})

describe("the answer", () => {
  test("recommends the least count that keeps the promise with certainty, and says what the others do", () => {
    const model = site('promises: { reservations.wait_mean: "< 5m" }\nsweep: { runners: [3, 4, 5, 6] }')
    const waits = [400, 290, 200, 100]
    const made = [3, 4, 5, 6].map((runners, at) =>
      caseOf(model, [["runners", runners]], (seed) => madeUp(seed, [(waits[at] ?? 0) + 40 * Math.sin(seed)])),
    )
    const result = fleetResult(model, made)
    expect(recommendedOf(result).best?.settings).toEqual([["runners", 5]])
    expect(answerOf(result).headline).toBe("5 runners keep the promise; 4 may not, 3 do not.")
    expect(answerOf(result).reasons[0]).toMatch(
      /^Promised: reservations wait less than 5m on average\. Found with 5 runners: .+, so 1m 3\ds are to spare\.$/,
    )
    expect(answerOf(result).reasons[1]).toBe("With 6 runners the mean wait of reservations falls by 1m 40s.")
    // The order in which a file has the values changes nothing.
    const mixed = [2, 0, 3, 1].flatMap((at) => made[at] ?? [])
    expect(answerOf(fleetResult(model, mixed))).toEqual(answerOf(result))
  })

  test("has words for every figure: no key reaches a person, by the command or in the report", () => {
    const promises = [
      'reservations.wait_p95: "< 5m"',
      'wait_max: "> 9m"',
      'orders.late_share: "< 2%"',
      'orders.late: "<= 3"',
      'runners.utilisation_peak: "< 80%"',
      'cost.per_order: "< 2"',
    ]
    const prices = "costs: { currency: USD, runner_hour: 24 }"
    const model = site(`promises: { ${promises.join(", ")} }\n${prices}\nsweep: { runners: [3, 4, 5] }`)
    const figures = {
      "orders.late": 4,
      "orders.asked": 20,
      "orders.completed": 19,
      "runners.utilisation_peak": 0.7,
    }
    const made = [3, 4, 5].map((runners) =>
      caseOf(model, [["runners", runners]], (seed) =>
        madeUp(
          seed,
          Array.from({ length: 30 }, (_, at) => 500 - runners * 50 + seed * at),
          figures,
        ),
      ),
    )
    const result = fleetResult(model, made)
    const report = reportHtml(result, { pageScript: "", command: "curbline fleet", replay: null })
    const shown = report
      .replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gs, "")
      // The file of figures, the model as it was written, and the key beside each figure are for its author.
      .replaceAll(/ href="data:[^"]*"/g, "")
      .replaceAll(/<pre.*?<\/pre>/gs, "")
      .replace(/<section id="figures">.*?<\/section>/s, "")
    for (const text of [resultText(result, { isFull: false }), shown]) {
      expect(text).toContain("95 of 100 reservations wait less than 5m")
      const keys = [...METRICS.keys()].filter((key) => /[._]/.test(key))
      const isShown = (key: string): boolean =>
        new RegExp(`(?<![\\w.])${key.replace(".", "\\.")}(?!\\w)`).test(text)
      expect(keys.filter((key) => isShown(key))).toEqual([])
    }
    const names = [...METRICS.keys()].map((key) => figureWords(key))
    expect(names.filter((name) => /[._]/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test("names the case that comes nearest when none keeps the promise", () => {
    const model = site('promises: { reservations.wait_mean: "< 1m" }\nsweep: { runners: [3, 4] }')
    const made = [3, 4].map((runners) =>
      caseOf(model, [["runners", runners]], (seed) => madeUp(seed, [500 - runners * 50 + seed])),
    )
    const { headline, reasons } = answerOf(fleetResult(model, made))
    expect(headline).toBe("No case keeps the promise; 4 runners come nearest.")
    expect(reasons[0]).toMatch(
      /^With 4 runners the mean wait of reservations is 5m 6s, 4m 6s over its limit of 1m\.$/,
    )
  })

  test("gives the margin of the tightest promise of a single case", () => {
    const model = site('promises: { reservations.wait_mean: "< 5m", wait_max: "< 1h" }')
    const result = fleetResult(model, [caseOf(model, [], (seed) => madeUp(seed, [240 + seed]))])
    expect(answerOf(result).headline).toBe(
      "Every promise is kept; the tightest: the mean wait of reservations is 4m 6s, 55s under its limit of 5m.",
    )
  })

  const PRICES = "costs: { currency: USD, runner_hour: 10 }"
  const PAIRS = `sweep: { runners: [3, 4], stalls: [2, 4] }\n${PRICES}`

  /** A mean wait that differs by the day, and hours of runners, which are the costs. */
  function priced(model: FleetModel, settings: FleetCase, waitS: number): CaseResult {
    const hours = Number(settings[0]?.[1]) * 4 + Number(settings[1]?.[1] ?? 0)
    return caseOf(model, settings, (seed) =>
      madeUp(seed, [waitS + 40 * Math.sin(seed)], { "runners.hours": hours, "orders.completed": 10 }),
    )
  }

  test("names a cheaper case that may keep the promise too, and what would settle it", () => {
    const model = site(`promises: { reservations.wait_mean: "< 5m" }\n${PAIRS}`)
    const of = (runners: number, stalls: number, waitS: number): CaseResult =>
      priced(
        model,
        [
          ["runners", runners],
          ["stalls", stalls],
        ],
        waitS,
      )
    const result = fleetResult(model, [of(3, 2, 400), of(3, 4, 290), of(4, 2, 200), of(4, 4, 100)])
    expect(recommendedOf(result).best?.settings).toEqual([
      ["runners", 4],
      ["stalls", 2],
    ])
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe(
      "4 runners and 2 stalls surely keep the promise, at the least cost of those; 3 runners and 4 stalls may keep it too, for 20.00 USD less.",
    )
    expect(reasons.at(-1)).toMatch(
      /^About \d+ replications would say whether 3 runners and 4 stalls keep the promise\.$/,
    )
    const sure = fleetResult(model, [of(3, 2, 400), of(3, 4, 390), of(4, 2, 200), of(4, 4, 100)])
    expect(answerOf(sure).headline).toBe("4 runners and 2 stalls keep the promise at the least cost.")
    const unsure = fleetResult(model, [of(3, 2, 400), of(3, 4, 290), of(4, 2, 295), of(4, 4, 295)])
    expect(answerOf(unsure).headline).toBe(
      "3 runners and 4 stalls keep the promise on average at the least cost, though an interval holds its limit.",
    )
  })

  test("says of one count what a cheaper case that may be enough would save", () => {
    const model = site(`promises: { reservations.wait_mean: "< 5m" }\nsweep: { runners: [4, 5] }\n${PRICES}`)
    const made = [290, 200].map((waitS, at) => priced(model, [["runners", 4 + at]], waitS))
    const { headline, reasons } = answerOf(fleetResult(model, made))
    expect(headline).toBe("5 runners keep the promise; 4 may not.")
    expect(reasons.at(-1)).toMatch(
      /^4 runners cost 40\.00 USD less; about \d+ replications would say whether 4 runners keep the promise\.$/,
    )
  })

  test("does not call a case cheaper that meets less demand", () => {
    const model = site(
      `promises: { reservations.wait_mean: "< 5m" }\nsweep: { runners: [4], demand: [1, 2] }\n${PRICES}`,
    )
    const made = [1, 2].map((demand) =>
      priced(
        model,
        [
          ["runners", 3 + demand],
          ["demand", demand],
        ],
        demand === 1 ? 290 : 200,
      ),
    )
    expect(answerOf(fleetResult(model, made)).headline).toBe(
      "5 runners and 2 times the demand keep the promise at the least cost.",
    )
  })

  /** Three days of few waits: their p90 has a lower bound and no upper one. */
  const percentile = (sign: string, limitS: number): string => {
    const model = site(`promises: { reservations.wait_p90: "${sign} ${limitS}s" }`)
    const few = (seed: number): readonly number[] =>
      Array.from({ length: 5 }, (_, at) => 100 + at * 10 + seed * 3)
    return answerOf(fleetResult(model, [caseOf(model, [], (seed) => madeUp(seed, few(seed)), 3)])).headline
  }

  test("is sure of a percentile beyond its limit although the interval has no upper bound", () => {
    const model = site('promises: { reservations.wait_p90: "< 1m" }')
    const one = caseOf(model, [], (seed) => madeUp(seed, [100, 110, 120, 130, 140 + seed]), 3)
    expect(one.estimates.of("reservations.wait_p90")).toMatchObject({ high: null })
    expect(one.promises[0]).toMatchObject({ isKept: false, isCertain: true })
    expect(percentile("<", 60)).toMatch(/over its limit of 1m\.$/)
    expect(percentile(">", 60)).toMatch(/over its limit of 1m\.$/)
    expect(percentile("<", 150)).toMatch(/, but its interval holds the limit\.$/)
    expect(percentile("<", 145)).toMatch(/, though its interval holds the limit\.$/)
    expect(percentile(">", 150)).toMatch(/, though its interval holds the limit\.$/)
  })

  test("says that one replication has no interval", () => {
    const model = site('promises: { wait_max: "< 5m", orders.late: "< 9" }\nsweep: { runners: [3, 4] }')
    const of = (settings: FleetCase, waitS: number): CaseResult =>
      caseOf(model, settings, (seed) => madeUp(seed, [waitS], { "orders.late": 1 }), 1)
    const one = (waitS: number): string => answerOf(fleetResult(model, [of([], waitS)])).headline
    expect(one(240)).toMatch(/^Every promise is kept; .+, but one replication has no interval\.$/)
    expect(one(400)).toBe(
      "The longest wait of orders is 6m 40s, 1m 40s over its limit of 5m, though one replication has no interval.",
    )
    const both = [of([["runners", 3]], 400), of([["runners", 4]], 240)]
    expect(answerOf(fleetResult(model, both)).headline).toMatch(
      /^4 runners keep every promise, but one replication has no interval; 3 may not\.$/,
    )
    // A figure that nothing gave has no interval to speak of.
    const none = site('promises: { reservations.wait_p90: "< 5m" }')
    const missing = caseOf(none, [], (seed) => madeUp(seed, [60]), 2)
    expect(answerOf(fleetResult(none, [missing])).headline).toBe(
      "The wait of 90 of 100 reservations has only 2 waits, too few to keep its limit of 5m.",
    )
  })

  test("says that nothing was measured, and names no resource that nothing uses", () => {
    const model = site('promises: { reservations.wait_p90: "< 5m", reservations.wait_mean: "< 5m" }')
    const made = caseOf(model, [], (seed) => ({
      ...madeUp(seed, []),
      series: { "runners.utilisation": [0, 0], "stalls.utilisation": [0, 0] },
    }))
    const { headline, reasons } = answerOf(fleetResult(model, [made]))
    expect([headline, ...reasons]).toEqual([
      "The wait of 90 of 100 reservations has nothing to measure, so nothing says that it keeps its limit of 5m.",
      "The mean wait of reservations has nothing to measure, so nothing says that it keeps its limit of 5m.",
    ])
  })

  test("says at how much demand of the case a resource is full first", () => {
    const text = siteText('sweep: { "demand.reservations at curb.per_hour.12:00": [30, 90] }').replace(
      "per_hour: 20",
      'per_hour: { by_hour: { "10:00": 10, "12:00": 30 } }',
    )
    const model = fleetModel(text)
    const busy = Array.from({ length: 16 }, (_, at) => (at >= 9 ? 0.97 : 0.4))
    const times = casesOf(model).map((settings) => {
      const made = caseOf(model, settings, (seed) => ({
        ...madeUp(seed, [60]),
        series: { "runners.utilisation": busy },
      }))
      return peaksOf(model, made)[0]?.full?.timesDemand
    })
    expect(times).toEqual([3, 9])
  })

  test("says what is full first, and at how much demand, when nothing is promised", () => {
    const model = site("")
    const rising: FleetModel = {
      ...model,
      demand: model.demand.map((one) => ({
        ...one,
        per_hour: { steps: [10, 20, 30].map((value, at) => ({ fromMsOfDay: (10 + at) * 3_600_000, value })) },
      })),
    }
    const busy = (from: number): number[] => Array.from({ length: 16 }, (_, at) => (at >= from ? 0.97 : 0.4))
    const made = caseOf(rising, [], (seed) => ({
      ...madeUp(seed, [60]),
      series: {
        "runners.utilisation": busy(9),
        "stalls.utilisation": busy(12),
        "cooks.utilisation": [0.1, 0, 0.3],
      },
    }))
    const { headline, reasons } = answerOf(fleetResult(rising, [made]))
    expect(headline).toBe("What is full first: runners, at 12:15, at 3 times the demand of the start.")
    expect(reasons).toEqual(["Then stalls at 13:00."])
    const peaks = peaksOf(rising, made).map(({ most, full }) => [most.resource, most.at, full?.timesDemand])
    expect(peaks).toEqual([
      ["runners", "12:15", 3],
      ["stalls", "13:00", 3],
      ["cooks", "10:30", undefined],
    ])
  })
})

describe("advice", () => {
  const steady = site('promises: { reservations.wait_mean: "< 30m" }')
  /** Waits that rise for the first hour of four. */
  const rising = (seed: number): readonly number[] => {
    const random = new Streams(seed)
    return Array.from({ length: 320 }, (_, at) => Math.min(1, at / 80) * 600 + 120 * random.fraction("wait"))
  }

  test("says by how much a warm-up is too short", () => {
    const result = fleetResult(steady, [caseOf(steady, [], (seed) => madeUp(seed, rising(seed)))])
    const [advice = ""] = adviceOf(result)
    expect(advice).toMatch(
      /^The warm-up of 0s is too short: the first 1h after it have a mean reservations\.wait that is 5m \d+s shorter than the rest\. Write warm_up: 1h or more\.$/,
    )
  })

  test("is silent when the waits have settled, and about a day whose demand changes", () => {
    const settled = caseOf(steady, [], (seed) => madeUp(seed, waitsOf(mmc(1, 0.6), 400, new Streams(seed))))
    expect(transientOf("wait", settled, 16)).toBeNull()
    expect(adviceOf(fleetResult(steady, [settled]))).toEqual([])
    const changing: FleetModel = {
      ...steady,
      demand: steady.demand.map((one) => ({
        ...one,
        per_hour: { steps: [10, 20].map((value, at) => ({ fromMsOfDay: at * 39_600_000, value })) },
      })),
    }
    expect(
      adviceOf(fleetResult(changing, [caseOf(changing, [], (seed) => madeUp(seed, rising(seed)))])),
    ).toEqual([])
  })

  test("gives differences of shares in points, which are no parts of the share", () => {
    const model = site('promises: { orders.canceled_share: "< 8%" }\nsweep: { runners: [3, 4] }')
    const of = (runners: number, canceled: number): CaseResult =>
      caseOf(model, [["runners", runners]], (seed) =>
        madeUp(seed, [60], { "orders.asked": 100, "orders.canceled": canceled + (seed % 2) }),
      )
    const [three, four] = [of(3, 20), of(4, 4)]
    const alone = fleetResult(model, [{ ...three, settings: [] }])
    expect(answerOf(alone).headline).toBe(
      "The share of canceled orders is 20.5%, 12.5 points over its limit of 8.0%.",
    )
    const both = fleetResult(model, [three, four])
    expect(answerOf(both).reasons[0]).toMatch(/, so 3\.5 points are to spare\.$/)
    const [pair] = comparisonsOf(model, both.cases)[0]?.pairs ?? []
    if (pair === undefined) throw new Error("two cases are a pair")
    expect(differenceText("orders.canceled_share", pair)).toBe("−16.0 ± 0.0 points")
  })

  test("says that a promised use counts a beginning without visits, which are booked ahead", () => {
    const advised = (
      more: string,
      change: (model: FleetModel) => FleetModel = (same) => same,
    ): readonly string[] => {
      const model = change(site(more))
      const made = caseOf(model, [], (seed) => madeUp(seed, [60], { "runners.utilisation": 0.5 }))
      return adviceOf(fleetResult(model, [made])).filter((line) => line.includes("without visits"))
    }
    const use = 'promises: { runners.utilisation: "< 80%" }'
    const ahead =
      (of: Spread) =>
      (model: FleetModel): FleetModel => ({
        ...model,
        demand: model.demand.map((one) => ({ ...one, ahead: of })),
      })
    expect(advised(use)).toEqual([
      "The busy share of runners counts a beginning without visits: reservations are requested 30m or more before their window. If the site has visits at that time, write warm_up: 30m.",
    ])
    expect(advised(`${use}\nwarm_up: 20m`)).toEqual([])
    expect(advised(use, ahead({ is: "uniform", fromMs: 300_000, toMs: 9_000_000 }))).toEqual([])
    expect(advised(use, ahead({ is: "normal", meanMs: 5_400_000, sdMs: 1_800_000 }))).toHaveLength(1)
    expect(advised('promises: { reservations.wait_mean: "< 8m" }')).toEqual([])
  })

  test("says how many orders a promised wait is not of, unless another promise is about them", () => {
    const advised = (promises: string, completed: number): readonly string[] => {
      const model = site(`promises: { ${promises} }`)
      const counts = { "reservations.asked": 40, "reservations.completed": completed }
      return adviceOf(fleetResult(model, [caseOf(model, [], (seed) => madeUp(seed, [60, 70, 80], counts))]))
    }
    const wait = 'reservations.wait_mean: "< 5m"'
    expect(advised(wait, 30)).toContain(
      "The mean wait of reservations leaves out what did not come on board: 25.0% of those requested were declined or canceled. Write a promise of reservations.completed_share too.",
    )
    const about = (promises: string, completed: number): readonly string[] =>
      advised(promises, completed).filter((line) => line.includes("on board"))
    expect(about(`${wait}, reservations.wait_max: "< 9m"`, 30)).toHaveLength(1)
    expect(about(wait, 39)).toEqual([])
    expect(about('runners.wait_mean: "< 5m"', 30)).toEqual([])
    expect(about(`${wait}, orders.canceled_share: "< 5%"`, 30)).toEqual([])
  })

  test("says how many replications would settle a promise, and what a percentile needs", () => {
    const near = site('promises: { wait_mean: "< 305s", wait_p95: "< 1h" }')
    const made = caseOf(near, [], (seed) => madeUp(seed, [day(seed)]))
    const [mean = "", percentile = ""] = adviceOf(fleetResult(near, [made]))
    expect(mean).toMatch(/^The mean wait of orders(?:: about \d+ replications would say| lies so near)/)
    expect(percentile).toBe(
      "The wait of 95 of 100 orders needs 20 waits and has 10: make 20 replications or more.",
    )
  })

  test("says that intervals of fewer than ten replications are of little worth", () => {
    const of = (count: number): string =>
      adviceOf(fleetResult(steady, [caseOf(steady, [], (seed) => madeUp(seed, [60 + seed]), count)])).join(
        "\n",
      )
    expect(of(4)).toContain(
      "Intervals of 4 replications are of little worth: they miss the true figure more often than 95 % says. Make 10 or more.",
    )
    expect(of(10)).not.toContain("little worth")
    expect(of(1)).not.toContain("little worth")
  })

  test("gives one long replication of a steady model intervals from batches, because neighbours wait alike", () => {
    const queue = mmc(1, 0.7)
    const long = site('promises: { wait_mean: "< 1h" }')
    const one = caseOf(
      { ...long, horizon: 4 * 14_400_000 },
      [],
      () => madeUp(1, waitsOf(queue, 20_000, new Streams(5))),
      1,
    )
    const { low, high, n } = one.estimates.of("wait_mean")
    expect(n).toBeGreaterThanOrEqual(5)
    expect(low).toBeLessThan(queue.known.meanS * 1000)
    expect(high).toBeGreaterThan(queue.known.meanS * 1000)
    const [advice] = adviceOf(fleetResult({ ...long, horizon: 4 * 14_400_000 }, [one]))
    expect(advice).toMatch(/^Intervals of waits come from \d+ batches of .+ of the one replication/)
  })
})

test("the input that moves a promised figure most is first, with paired intervals", async () => {
  const model = site('promises: { reservations.wait_mean: "< 10m" }\nsensitivity: 10%')
  const replicate = ({ model: varied, seed }: { readonly model: FleetModel; readonly seed: number }) => {
    const { walk, load } = varied.runner
    const ms = (of: typeof walk): number => (of.is === "constant" ? of.ms : 0)
    const count = varied.sites[0]?.runners[0]?.count ?? 1
    return Promise.resolve(madeUp(seed, [day(seed) + (ms(walk) * 3 + ms(load)) / 1000 - 2 * count]))
  }
  const result = await runFleet(model, { seeds: null, replicate })
  const { effects } = result
  expect(effects.slice(0, 3).map(({ input }) => input)).toEqual(["runner.walk", "runner.load", "runners"])
  const [walk, , runners] = effects
  expect(walk).toMatchObject({ less: "10% less", more: "10% more", metric: "reservations.wait_mean" })
  expect(walk?.up?.value).toBeCloseTo(18_000, -1)
  expect(walk?.down?.value).toBeCloseTo(-18_000, -1)
  expect(runners).toMatchObject({ less: "4 to 3", more: "4 to 5" })
  expect(runners?.up?.value).toBeCloseTo(-2_000, -1)
  expect(answerOf(result).reasons.at(-1)).toBe(
    "What moves the mean wait of reservations most: runner.walk (10% less: -18s; 10% more: +18s), then runner.load (10% less: -3s; 10% more: +3s), then runners (4 to 3: +2s; 4 to 5: -2s).",
  )
})

test("costs are compared too when a model has prices", () => {
  const model = site(
    'promises: { wait_mean: "< 10m" }\nsweep: { runners: [1, 2] }\ncosts: { runner_hour: 10, waiting_minute: 1, lost_order: 5 }',
  )
  const made = [1, 2].map((runners) =>
    caseOf(model, [["runners", runners]], (seed) =>
      madeUp(seed, [240 / runners], {
        "runners.hours": 4 * runners,
        "orders.declined": 1,
        "orders.canceled": 1,
        "orders.completed": 8,
      }),
    ),
  )
  const [one, two] = made
  expect(one?.estimates.of("cost.staff").value).toBe(40)
  expect(one?.estimates.of("cost.lateness").value).toBe(4)
  expect(one?.estimates.of("cost.lost").value).toBe(10)
  expect(one?.estimates.of("cost.total").value).toBe(54)
  expect(two?.estimates.of("cost.per_order").value).toBe(92 / 8)
  const cost = comparisonsOf(model, made).find(({ metric }) => metric === "cost.total")
  expect(cost?.ranked[0]).toBe(one)
  expect(recommendedOf(fleetResult(model, made)).best).toBe(one)
})
