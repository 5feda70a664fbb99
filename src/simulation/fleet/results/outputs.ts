/** A result for programs: one JSON object, and a CSV with one row for each metric of a replication. */

import { caseName } from "../language/cases.ts"
import { METRICS, figureNamed, figureOfPart, unitOf } from "../language/metrics.ts"
import type { PartName } from "../language/metrics.ts"
import { shownTimeParts } from "../language/time-parts.ts"
import { isMeasuredIn } from "../language/checks/check-questions.ts"
import { isoMs } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { adviceOf } from "./advice.ts"
import { answerOf } from "./answer.ts"
import { partTables } from "./by-part.ts"
import type { PartRow } from "./by-part.ts"
import { waitsByDayAndHour } from "./by-day-hour.ts"
import { shownMeasure, waitsByHour } from "./by-hour.ts"
import { comparisonJson, comparisonsOf } from "./compare.ts"
import type { Difference } from "./compare.ts"
import type { Find } from "../language/questions.ts"
import type { SearchResult } from "./questions.ts"
import { recommendedOf } from "./recommend.ts"
import { meanCounts, meanSeries, promiseText } from "./summary.ts"
import type { FleetModel } from "../language/model.ts"
import type { FleetResult } from "./fleet-result.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"
import { halfWidthOf, meanOf } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"

/** Everything except the states of people and vehicles. The same run gives the same object. */
export function resultJson(result: FleetResult): object {
  const { model, cases, verdict, search, effects } = result
  const { best } = recommendedOf(result)
  return {
    fleet: model.fleet,
    file: model.file,
    verdict,
    answer: answerOf(result),
    recommended: best === null ? null : caseName(best.settings),
    advice: adviceOf(result),
    started_at: isoMs(new SiteClock(model.clock).startMs),
    horizon_ms: model.horizon,
    warm_up_ms: model.warm_up,
    cases: cases.map((one) => caseJson(one, model)),
    comparisons: comparisonsOf(model, cases).map((one) => comparisonJson(one)),
    search: search === null ? null : searchJson(search),
    sensitivity: effects.map(({ input, metric, less, more, down, up }) => ({
      input,
      metric,
      less,
      more,
      down: changeJson(down),
      up: changeJson(up),
    })),
  }
}

/** What is searched, in the words of the model. */
function soughtJson(find: Find): object {
  switch (find.is) {
    case "least":
      return { least: find.least }
    case "most":
      return { most: "demand" }
    case "roster":
      return { roster: find.count }
  }
}

function searchJson({ find, steps, outcome, bySite }: SearchResult): object {
  const isEachSite = find.is === "least" && find.isEachSite
  return {
    ...soughtJson(find),
    keeps: find.keeps,
    found: outcome.is === "found" ? Object.fromEntries(outcome.best.settings) : null,
    why_not: outcome.is === "found" ? null : outcome.why,
    ...(isEachSite
      ? {
          by_site: bySite.map(({ site, count, why, promises, below }) => ({
            site,
            count: why === null ? count : null,
            why_not: why,
            promises: promises.map((kept) => promiseJson(kept)),
            one_less: below?.map((kept) => promiseJson(kept)) ?? null,
          })),
        }
      : {}),
    tried: steps.map(({ settings, replications, isKept, promises, brokenAt }) => ({
      settings: Object.fromEntries(settings),
      n: replications,
      kept: isKept,
      ...(isEachSite ? { broken_at: brokenAt } : {}),
      values: Object.fromEntries(promises.map(({ promise, estimate }) => [promise.metric, estimate.value])),
    })),
  }
}

function changeJson(change: Difference | null): object | null {
  return change === null ? null : { difference: change.value, low: change.low, high: change.high }
}

function caseJson(one: CaseResult, model: FleetModel): object {
  const { settings, replications, estimates, promises, wide } = one
  const shown = shownMeasure(model)
  const parts = partTables(model, one)
  const rowsOf = (kind: PartName["kind"]): readonly object[] =>
    parts.flatMap((table) => (table.kind === kind ? table.rows.map((row) => partJson(row)) : []))
  return {
    case: caseName(settings),
    settings: Object.fromEntries(settings),
    promises: promises.map((kept) => promiseJson(kept)),
    too_wide: wide.map(({ metric }) => metric),
    figures: Object.fromEntries(
      estimates
        .known()
        .map(([name, estimate]) => [name, { unit: METRICS.get(name)?.unit, ...estimateJson(estimate) }]),
    ),
    by_hour: {
      measure: shown.measure,
      hours: waitsByHour(shown, { model, one }).map(({ hour, waits, median, upper }) => ({
        hour,
        orders: waits,
        p50_ms: median.value,
        [`${shown.high}_ms`]: upper.value,
      })),
    },
    by_day: rowsOf("day"),
    by_weekday: rowsOf("weekday"),
    by_day_and_hour: waitsByDayAndHour(shown, { model, one }).flatMap(({ day, hours }) =>
      hours.flatMap(({ hour, isInRun, waits, upper }) =>
        isInRun ? [{ day: day.name, hour, orders: waits, [`${shown.high}_ms`]: upper.value }] : [],
      ),
    ),
    by_site: rowsOf("site"),
    by_demand: rowsOf("demand"),
    states: statesOf(replications),
    counts: Object.fromEntries(meanCounts(replications)),
    series: { stretch_ms: STRETCH_MS, ...Object.fromEntries(meanSeries(replications)) },
    replications: replications.map(({ seed, digest, virtualMs, turns, refusals, figures }) => ({
      seed,
      digest,
      virtual_ms: virtualMs,
      turns,
      refusals,
      figures,
    })),
  }
}

function promiseJson({ promise, estimate, isKept, isCertain }: KeptPromise): object {
  return {
    promise: promiseText(promise),
    metric: promise.metric,
    ...estimateJson(estimate),
    kept: isKept,
    certain: isCertain,
  }
}

/** The statistics of durations that the JSON has for each part, because a model may have hundreds of parts. */
const STATISTICS_OF_PART = /_(mean|p50|p95)$/

/** Figures of a site or a demand; the limits of the whole model are promises here too. */
function partJson({ part, estimates, promises }: PartRow): object {
  const promised = new Set(promises.map(({ promise }) => promise.metric))
  const isGiven = (metric: string): boolean =>
    promised.has(metric) || METRICS.get(metric)?.from.is !== "durations" || STATISTICS_OF_PART.test(metric)
  return {
    [part.kind]: part.name,
    promises: promises.map((kept) => promiseJson(kept)),
    figures: Object.fromEntries(
      estimates
        .known()
        .filter(([metric]) => isGiven(metric))
        .map(([metric, { n, waits, value, low, high }]) => [
          metric,
          { unit: unitOf(metric), n, waits, value, low, high },
        ]),
    ),
  }
}

/** `n` replications; `waits` is the number of durations or orders that are pooled. */
function estimateJson(estimate: Estimate): object {
  const { n, waits, value, low, high, least, most } = estimate
  return { n, waits, value, low, high, half_width: halfWidthOf(estimate), least, most }
}

/** Time in each state of the machines: the mean over the replications' means. */
export function statesOf(replications: CaseResult["replications"]): {
  readonly [state: string]: {
    readonly n: number
    readonly mean_ms: number | null
    readonly half_width_ms: number | null
  }
} {
  const names = new Set(replications.flatMap(({ durations }) => Object.keys(durations)))
  const states = [...names].filter((name) => name.startsWith("state.")).toSorted()
  return Object.fromEntries(
    states.map((name) => {
      const estimate = meanOf(replications.map(({ durations }) => durations[name]?.mean ?? null))
      const n = replications.reduce((sum, { durations }) => sum + (durations[name]?.n ?? 0), 0)
      const { value: mean_ms } = estimate
      return [name.slice("state.".length), { n, mean_ms, half_width_ms: halfWidthOf(estimate) }]
    }),
  )
}

/**
 * Figures of sites and demands that the model promises, and promised figures of the whole on each day; a CSV of all of them could exceed the
 * maximum length of a string.
 */
function promisedOfParts({ promises }: CaseResult, model: FleetModel): readonly string[] {
  const named = promises.map(({ promise }) => promise.metric)
  const ofWhole = named.filter((metric) => figureNamed(metric).part === null)
  const byDay = shownTimeParts(model).flatMap((part) =>
    ofWhole.flatMap((metric) => (isMeasuredIn(part, metric, model) ? [figureOfPart(metric, part)] : [])),
  )
  return [...new Set([...named.filter((metric) => figureNamed(metric).part !== null), ...byDay])]
}

/** `case,seed,figure,unit,value`. */
export function resultCsv({ cases, model }: FleetResult): string {
  const rows = cases.flatMap((one) => {
    const name = quoted(caseName(one.settings))
    const ofParts = promisedOfParts(one, model).map((metric) => [metric, one.estimates.own(metric)] as const)
    return one.replications.flatMap(({ seed, figures }, at) => {
      const values = [
        ...[...METRICS.keys()].map((metric) => [metric, figures[metric] ?? null] as const),
        ...ofParts.map(([metric, own]) => [metric, own[at] ?? null] as const),
      ]
      return values.flatMap(([metric, value]) =>
        value === null ? [] : [`${name},${seed},${field(metric)},${unitOf(metric)},${value}`],
      )
    })
  })
  return `${["case,seed,figure,unit,value", ...rows].join("\n")}\n`
}

/** One row for each figure of a case, as the report shows them; durations in milliseconds. An empty field: not known. */
export function figuresCsv({ cases, model }: Pick<FleetResult, "cases" | "model">): string {
  const rows = cases.flatMap((one) => {
    const ofParts = promisedOfParts(one, model).map((metric) => [metric, one.estimates.of(metric)] as const)
    return [...one.estimates.known(), ...ofParts].map(([name, estimate]) => {
      const { value, low, high, least, most, n, waits } = estimate
      const numbers = [value, low, high, least, most, n, waits].map((number) => number ?? "")
      return [quoted(caseName(one.settings)), field(name), unitOf(name), ...numbers].join(",")
    })
  })
  return `${["case,figure,unit,value,low,high,least,most,replications,waits", ...rows].join("\n")}\n`
}

/** A field of a CSV row, quoted when it contains a comma, a quote or a line break. */
function field(name: string): string {
  return /[",\n]/.test(name) ? quoted(name) : name
}

/** Source: RFC 4180. Quotes are doubled. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
