/** A result for programs: one JSON object, and a CSV with one row for each metric of a replication. */

import { caseName } from "../language/cases.ts"
import { METRICS } from "../language/metrics.ts"
import { isoMs } from "../../model/time.ts"
import { SiteClock } from "../../simulation/scenario/site-clock.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { meanCounts, meanSeries, promiseText } from "./summary.ts"
import type { CaseResult, FleetResult } from "./summary.ts"
import { estimateOf } from "./statistics.ts"

/** Everything except the states of people and vehicles. The same run gives the same object. */
export function resultJson({ model, cases, verdict }: FleetResult): object {
  return {
    fleet: model.fleet,
    file: model.file,
    verdict,
    started_at: isoMs(new SiteClock(model.clock).startMs),
    horizon_ms: model.horizon,
    warm_up_ms: model.warm_up,
    cases: cases.map((one) => caseJson(one)),
  }
}

function caseJson({ settings, replications, estimates, promises, wide }: CaseResult): object {
  return {
    case: caseName(settings),
    settings: Object.fromEntries(settings),
    promises: promises.map(({ promise, estimate, isKept, isCertain }) => ({
      promise: promiseText(promise),
      metric: promise.metric,
      mean: estimate.mean,
      half_width: estimate.halfWidth,
      kept: isKept,
      certain: isCertain,
    })),
    too_wide: wide.map(({ metric }) => metric),
    figures: Object.fromEntries(
      [...estimates].flatMap(([name, { n, mean, halfWidth, least, most }]) =>
        mean === null
          ? []
          : [[name, { unit: METRICS.get(name)?.unit, n, mean, half_width: halfWidth, least, most }]],
      ),
    ),
    states: statesOf(replications),
    counts: Object.fromEntries(meanCounts(replications)),
    series: { stretch_ms: STRETCH_MS, ...Object.fromEntries(meanSeries(replications)) },
    replications: replications.map(({ seed, hash, virtualMs, turns, refusals, figures }) => ({
      seed,
      hash,
      virtual_ms: virtualMs,
      turns,
      refusals,
      figures,
    })),
  }
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
      const { mean, halfWidth } = estimateOf(
        replications.map(({ durations }) => durations[name]?.mean ?? null),
      )
      const n = replications.reduce((sum, { durations }) => sum + (durations[name]?.n ?? 0), 0)
      return [name.slice("state.".length), { n, mean_ms: mean, half_width_ms: halfWidth }]
    }),
  )
}

/** `case,seed,figure,unit,value`. */
export function resultCsv({ cases }: FleetResult): string {
  const rows = cases.flatMap(({ settings, replications }) =>
    replications.flatMap(({ seed, figures }) =>
      [...METRICS].flatMap(([name, { unit }]) => {
        const value = figures[name] ?? null
        return value === null ? [] : [`${quoted(caseName(settings))},${seed},${name},${unit},${value}`]
      }),
    ),
  )
  return `${["case,seed,figure,unit,value", ...rows].join("\n")}\n`
}

/** Source: RFC 4180. Quotes are doubled. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
