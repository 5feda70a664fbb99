/** Sentences about changes: what one more of a count does, and which input moves a promised figure most. */

import { unitOf, showChange } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { differenceOf, isClear } from "./compare.ts"
import type { FleetResult } from "./fleet-result.ts"
import { besidePhrase, sentence } from "./phrases.ts"
import { figureWords } from "./promise-words.ts"
import type { Effect } from "./questions.ts"
import { halfWidthOf } from "./statistics.ts"
import type { CaseResult } from "./summary.ts"

/** `With 6 runners the wait of 95 of 100 reservations falls by 1m 55s ± 38s, and the costs rise by 84.00 USD.` */
export function nextReason(
  model: FleetModel,
  {
    best,
    next,
    metric,
    miss,
  }: {
    readonly best: CaseResult
    readonly next: CaseResult
    readonly metric: string | undefined
    /** Both tails of one interval together. */
    readonly miss: number
  },
): string {
  const changes = [
    ...(metric === undefined
      ? []
      : [changePhrase(metric, { best, next, miss, name: `the ${figureWords(metric)}`, unit: "" })]),
    ...(model.costs === null
      ? []
      : [
          changePhrase("cost.total", {
            best,
            next,
            miss,
            name: "the cost",
            unit: ` ${model.costs.currency}`,
          }),
        ]),
  ]
  return sentence(`with ${besidePhrase(next.settings, best.settings)} ${changes.join(", and ")}`)
}

function changePhrase(
  metric: string,
  {
    best,
    next,
    miss,
    name,
    unit,
  }: {
    readonly best: CaseResult
    readonly next: CaseResult
    readonly miss: number
    readonly name: string
    readonly unit: string
  },
): string {
  const found = differenceOf(metric, { from: best, to: next, miss })
  if (found === null || found.value === 0) return `${name} stays the same`
  const show = (value: number): string => `${showChange(value, unitOf(metric))}${unit.trimEnd()}`
  const half = halfWidthOf(found)
  const about = half === null || half === 0 ? "" : ` ± ${show(half)}`
  const doubt = half === null || half === 0 || isClear(found) ? "" : ", which may be chance"
  return `${name} ${found.value < 0 ? "falls" : "rises"} by ${show(Math.abs(found.value))}${about}${doubt}`
}

const INPUTS_NAMED = 3

/**
 * `What moves the duration of 90 of 100 deliveries most: vehicle.speed_kmh (20% less: +10m 34s; 20% more: -7m 34s), then …`. A change
 * that may be chance is left out.
 */
export function sensitivityReasons({ effects }: FleetResult): readonly string[] {
  const metrics = [...new Set(effects.map(({ metric }) => metric))]
  return metrics.map((metric) => {
    const unit = unitOf(metric)
    const change = (to: string, difference: Effect["down"]): readonly string[] =>
      difference === null || !isClear(difference)
        ? []
        : [`${to}: ${difference.value > 0 ? "+" : ""}${showChange(difference.value, unit)}`]
    const named = effects
      .filter((effect) => effect.metric === metric)
      .map(({ input, less, more, down, up }) => ({
        input,
        does: [...change(less, down), ...change(more, up)],
      }))
      .filter(({ does }) => does.length > 0)
      .slice(0, INPUTS_NAMED)
      .map(({ input, does }) => `${input} (${does.join("; ")})`)
    return named.length === 0
      ? `No input moves the ${figureWords(metric)} by more than chance may do.`
      : sentence(`what moves the ${figureWords(metric)} most: ${named.join(", then ")}`)
  })
}
