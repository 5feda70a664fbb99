/** Figures by day, weekday and hour: names, samples, the worst day, and what a promise of the whole means on each day. */

import { describe, expect, test } from "vitest"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { partPhrase, shownTimeParts, timePartsOf } from "../../../src/simulation/fleet/language/time-parts.ts"
import { figureNamed } from "../../../src/simulation/fleet/language/metrics.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { waitsByDayAndHour } from "../../../src/simulation/fleet/results/by-day-hour.ts"
import { shownMeasure } from "../../../src/simulation/fleet/results/by-hour.ts"
import { partTables } from "../../../src/simulation/fleet/results/by-part.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { measured } from "../../../src/simulation/fleet/results/measured.ts"
import { resultCsv } from "../../../src/simulation/fleet/results/outputs.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { worstOf } from "../../../src/simulation/fleet/results/worst.ts"
import { Tally } from "../../../src/simulation/fleet/world/tally.ts"
import { madeUp, site } from "./made-up.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Monday 2 March, 10:00, for so many days. */
function daysOf(days: number, more = 'promises: { reservations.wait_p90: "< 9m" }'): FleetModel {
  return site(more, { horizon: `${days * 24 - 10}h` })
}

/** Minutes of the wait of each order: `days[day]`, 40 orders a day from noon on, one each five minutes. */
function caseOf(model: FleetModel, runs: readonly (readonly number[])[]): CaseResult {
  const made = runs.map((days, at) => ({ ...madeUp(at + 1, []), ...measured(tallyOf(model, days)) }))
  return caseResult(model, [], made)
}

function tallyOf({ horizon }: FleetModel, days: readonly number[]): Tally {
  let nowMs = 0
  const tally = new Tally({ fromMs: 0, untilMs: horizon, nowMs: () => nowMs })
  const runners = tally.level("runners", "duty", 0)
  runners.change(2, 0)
  for (const [day, minutes] of days.entries()) {
    const noonMs = day * DAY_MS + 2 * HOUR_MS
    const busy = tally.level("runners", "busy", 0)
    busy.change(1, noonMs)
    busy.change(-1, noonMs + (day + 1) * HOUR_MS)
    for (let order = 0; order < 40; order += 1) {
      const askedAtMs = noonMs + order * 5 * MINUTE_MS
      const counted = { demandNumber: 0, askedAtMs }
      tally.countOrder("reservation", "asked", counted)
      if (minutes > 10 && order % 2 === 0) {
        tally.countOrder("reservation", "declined", counted)
        continue
      }
      nowMs = askedAtMs + minutes * MINUTE_MS
      tally.observe("wait", minutes * MINUTE_MS, 0)
      tally.observe("reservations.wait", minutes * MINUTE_MS, 0)
      tally.countOrder("reservation", "completed", counted)
    }
  }
  tally.close(horizon)
  return tally
}

const minutes = (ms: number | null): number => Math.round((ms ?? Number.NaN) / MINUTE_MS)

describe("parts of the time of a run", () => {
  test("have names that figures take", () => {
    expect(figureNamed("wait_p95 on Fri").part).toEqual({ kind: "weekday", name: "Fri" })
    expect(figureNamed("wait_p95 on 2026-03-06").part).toEqual({ kind: "day", name: "2026-03-06" })
    expect(figureNamed("wait_p95 from 12:00").part).toEqual({ kind: "hour", name: "12:00" })
    expect(figureNamed("wait_p95 of lunch on Mon").part).toEqual({ kind: "demand", name: "lunch on Mon" })
  })

  test("have words for people", () => {
    expect(partPhrase({ kind: "day", name: "2026-03-06" })).toBe("on Friday 6 March")
    expect(partPhrase({ kind: "weekday", name: "Fri" })).toBe("on Fridays")
    expect(partPhrase({ kind: "hour", name: "23:00" })).toBe("from 23:00 to 00:00")
  })

  test("are of the measured time, through a change of the clocks", () => {
    const clock = { local: "2026-03-07T23:00", timeZone: "America/Chicago" }
    const timed = { clock, horizon: 26 * HOUR_MS, warm_up: 2 * HOUR_MS }
    expect(timePartsOf(timed, "day").map(({ name }) => name)).toEqual(["2026-03-08", "2026-03-09"])
    // From 01:00; 02:00 does not exist on 8 March, and the run ends at 02:00 of the next day.
    const hours = timePartsOf(timed, "hour").map(({ name }) => name)
    expect(hours).toHaveLength(23)
    expect(hours).not.toContain("02:00")
  })

  test("are shown for several days, and as weekdays where one comes again", () => {
    const kinds = (days: number): readonly string[] => [
      ...new Set(shownTimeParts(daysOf(days)).map(({ kind }) => kind)),
    ]
    expect(kinds(1)).toEqual([])
    expect(kinds(6)).toEqual(["day"])
    expect(kinds(8)).toEqual(["day", "weekday"])
  })
})

describe("figures of a day", () => {
  const model = daysOf(3)
  const one = caseOf(model, [
    [2, 5, 20],
    [3, 5, 22],
  ])

  test("are of the waits that began on it", () => {
    const p90 = ["2026-03-02", "2026-03-03", "2026-03-04"].map((day) =>
      minutes(one.estimates.of(`reservations.wait_p90 on ${day}`).value),
    )
    expect(p90).toEqual([3, 5, 22])
    expect(one.estimates.of("reservations.wait_mean on 2026-03-02").waits).toBe(80)
    expect(one.estimates.of("wait_p90 on Wed").value).toBe(one.estimates.of("wait_p90 on 2026-03-04").value)
  })

  test("count orders on the day of their request", () => {
    expect(one.estimates.of("orders.declined_share on 2026-03-04").value).toBe(0.5)
    expect(one.estimates.of("orders.declined_share on 2026-03-03").value).toBe(0)
    const { estimates } = one
    const days = timePartsOf(model, "day").map(
      (day) => estimates.part(day)?.of("orders.completed").value ?? 0,
    )
    expect(days.reduce((sum, count) => sum + count, 0)).toBe(estimates.of("orders.completed").value)
  })

  test("have the use and the hours of resources", () => {
    const busy = (day: string): number | null => one.estimates.of(`runners.utilisation on ${day}`).value
    // Two runners for 14 hours of the first day; one of them is busy for an hour.
    expect(busy("2026-03-02")).toBeCloseTo(1 / 28, 6)
    expect(busy("2026-03-03")).toBeCloseTo(2 / 48, 6)
    expect(one.estimates.of("runners.hours on 2026-03-03").value).toBe(48)
  })

  test("are null for a day that the run does not have", () => {
    expect(one.estimates.of("wait_p90 on 2026-03-09").value).toBeNull()
  })

  test("by the hour leave out what began after the horizon", () => {
    const waits = timePartsOf(model, "hour").map(
      (hour) => one.estimates.part(hour)?.of("wait_mean").waits ?? 0,
    )
    expect(waits.reduce((sum, count) => sum + count, 0)).toBe(one.estimates.of("wait_mean").waits)
    expect(one.estimates.of("wait_mean from 10:00").waits).toBe(0)
  })

  test("are rows, those that break a promise of the whole first, and the answer names the day", () => {
    const [table] = partTables(model, one)
    expect(table?.kind).toBe("day")
    expect(table?.rows.map(({ part }) => part.name)).toEqual(["2026-03-04", "2026-03-03", "2026-03-02"])
    const { reasons } = answerOf(fleetResult(model, [one]))
    expect(reasons.join(" ")).toContain(
      "On 1 of 3 days the wait of 90 of 100 reservations breaks its limit: Wednesday 4 March (22m).",
    )
  })

  test("are in the CSV where the whole model promises them", () => {
    const rows = resultCsv(fleetResult(model, [one])).split("\n")
    expect(rows).toContain(
      `"as written",1,reservations.wait_p90 on 2026-03-03,ms,${one.estimates.own("reservations.wait_p90 on 2026-03-03")[0]}`,
    )
  })
})

test("a promise of a day is kept or broken by that day alone", () => {
  const model = daysOf(3, 'promises: { wait_p90 on 2026-03-03: "< 6m", wait_p90 on Wed: "< 6m" }')
  const one = caseOf(model, [
    [2, 5, 20],
    [3, 5, 22],
    [2, 5, 21],
  ])
  expect(one.promises.map(({ isKept, isCertain }) => [isKept, isCertain])).toEqual([
    [true, true],
    [false, true],
  ])
})

describe("the worst day", () => {
  const runs = Array.from({ length: 10 }, (_, at) => [4 + (at % 3), 5 + (at % 2), 20 + (at % 3)])

  test("is the first sentence of the answer when the model asks for it", () => {
    const model = daysOf(3, 'worst: day\npromises: { reservations.wait_p90: "< 30m" }')
    const { headline, reasons } = answerOf(fleetResult(model, [caseOf(model, runs)]))
    expect(headline).toBe(
      "Wednesday 4 March is the worst day: the wait of 90 of 100 reservations is 22m, 6m on the other days.",
    )
    expect(reasons[0]).toContain("under its limit of 30m")
  })

  test("may be another one where their difference may be chance", () => {
    const model = daysOf(3)
    const alike = Array.from({ length: 10 }, (_, at) => [3, 5 + (at % 2), 5 + ((at + 1) % 2)])
    const worst = worstOf(model, caseOf(model, alike), "day")
    expect(worst?.asBad.map(({ part }) => part.name)).toHaveLength(1)
    expect(worstOf(model, caseOf(model, runs), "day")?.asBad).toEqual([])
  })

  test("has the least of a figure that should be high", () => {
    const model = daysOf(3, 'promises: { orders.completed_share: "> 90%" }')
    expect(worstOf(model, caseOf(model, runs), "day")).toMatchObject({
      metric: "orders.completed_share",
      part: { name: "2026-03-04" },
    })
  })

  test("is asked for as a weekday or an hour, too", () => {
    const model = daysOf(3)
    expect(worstOf(model, caseOf(model, runs), "weekday")?.part.name).toBe("Wed")
    expect(worstOf(model, caseOf(model, runs), "hour")?.part.kind).toBe("hour")
  })
})

test("a map of days by hours has the hours in which waits began, and says where too few did", () => {
  // Until 13:00 of the second day.
  const model = site('promises: { reservations.wait_p90: "< 9m" }', { horizon: "27h" })
  const [first, second] = waitsByDayAndHour(shownMeasure(model), { model, one: caseOf(model, [[2, 5]]) })
  const cell = (day: typeof first, hour: string) => day?.hours.find((one) => one.hour === hour)
  expect([first, second].map((one) => one?.day.name)).toEqual(["2026-03-02", "2026-03-03"])
  expect(first?.hours.map(({ hour, waits }) => [hour, waits])).toEqual([
    ["12:00", 12],
    ["13:00", 12],
    ["14:00", 12],
    ["15:00", 4],
  ])
  expect(minutes(cell(first, "12:00")?.upper.value ?? null)).toBe(2)
  expect(cell(first, "15:00")).toMatchObject({ isInRun: true, upper: { value: null } })
  expect(minutes(cell(second, "12:00")?.upper.value ?? null)).toBe(5)
  expect(cell(second, "13:00")).toMatchObject({ isInRun: false, waits: 0 })
})

describe("a model that asks about days", () => {
  const problemsOf = (more: string, horizon = "2d"): readonly string[] => {
    const text = site("", { horizon }).text + more
    return readFleet({
      file: "model.yaml",
      text,
      beside: () => null,
    }).problems.map(({ message }) => message)
  }

  test("names days of the run", () => {
    expect(problemsOf('promises: { wait_p95 on Tue: "< 8m", wait_p95 on 2026-03-03: "< 8m" }')).toEqual([])
    expect(problemsOf('promises: { wait_p95 on Fri: "< 8m" }')).toEqual([
      'the measured time has no weekday "Fri"',
    ])
    expect(problemsOf('promises: { wait_p95 on Friday: "< 8m" }')).toEqual([
      'the measured time has no day "Friday"',
    ])
    expect(problemsOf("until: { wait_p95 from 25:00: ±5% }")).toEqual([
      'the measured time has no hour "25:00"',
    ])
  })

  test("promises only what a day has", () => {
    expect(problemsOf('costs: { runner_hour: 20 }\npromises: { cost.total on Tue: "< 100" }')).toEqual([
      "a weekday has no cost.total",
    ])
    expect(problemsOf('promises: { runners.queue_max on Tue: "< 4" }')).toEqual([
      "a weekday has no runners.queue_max",
    ])
  })

  test("does not search each site by itself for what all of them promise of a day", () => {
    const more = 'promises: { wait_p95 on Tue: "< 8m" }\nfind: { least: runners at each site }'
    expect(problemsOf(more)).toEqual([
      "wait_p95 on Tue is a figure of all sites together, and each site is searched by itself",
    ])
  })

  test("has several days where one is the worst", () => {
    expect(problemsOf("worst: day")).toEqual([])
    expect(problemsOf("worst: day", "4h")).toEqual(["the measured time has one day, so none is the worst"])
    expect(problemsOf("worst: hour", "4h")).toEqual([])
  })
})
