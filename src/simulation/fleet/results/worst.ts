/** Which day, weekday or hour of a run is the worst, by the first promise that has a meaning in each of them. */

import { listed } from "../../../model/values/listed.ts"
import { MISS, plainBoundsOf } from "../../../model/values/student.ts"
import { isMeasuredIn } from "../language/checks/check-questions.ts"
import { figureNamed, showFigure, unitOf } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { isOfEachPart } from "../language/part-limits.ts"
import { partLabel, timePartsOf } from "../language/time-parts.ts"
import type { TimeKind, TimePart } from "../language/time-parts.ts"
import { casePhrase, sentence } from "./phrases.ts"
import { figureWords } from "./promise-words.ts"
import type { Estimate } from "./statistics.ts"
import { estimatesWithin } from "./summary.ts"
import type { CaseResult } from "./summary.ts"
import { isInPart, quarterNames } from "./time-sample.ts"

export interface Worst {
  /** The figure by which it is the worst. */
  readonly metric: string
  readonly part: TimePart
  readonly estimate: Estimate
  /** The figure of all other days together. */
  readonly others: Estimate
  /** The other days that may be as bad, the worst first: their differences hold together with 95 % (Bonferroni). */
  readonly asBad: readonly { readonly part: TimePart; readonly estimate: Estimate }[]
}

/** Null when fewer than two of them have the figure. */
export function worstOf(model: FleetModel, one: CaseResult, kind: TimeKind): Worst | null {
  const parts = timePartsOf(model, kind)
  const { metric, isLowerBetter } = rankedBy(model, kind)
  const sign = isLowerBetter ? 1 : -1
  const known = parts
    .flatMap((part) => {
      const estimate = one.estimates.part(part)?.of(metric)
      return estimate === undefined || estimate.value === null ? [] : [{ part, estimate }]
    })
    .toSorted((a, b) => sign * ((b.estimate.value ?? 0) - (a.estimate.value ?? 0)))
  const [worst, ...rest] = known
  if (worst === undefined || rest.length === 0) return null
  const names = quarterNames(model)
  const isInWorst = isInPart(names, worst.part)
  const isInOther = (stretch: number): boolean => names[stretch] !== undefined && !isInWorst(stretch)
  const others = estimatesWithin(model, one.replications, isInOther).of(metric)
  const miss = MISS / rest.length
  const asBad = rest.filter(({ estimate }) => !isClearlyLess(estimate, worst.estimate, { sign, miss }))
  return { metric, ...worst, others, asBad }
}

/** The first promise of the whole model about a duration or a share; without one, the waits of all products. */
function rankedBy(
  model: FleetModel,
  kind: TimeKind,
): { readonly metric: string; readonly isLowerBetter: boolean } {
  const found = model.promises.find(
    (promise) =>
      figureNamed(promise.metric).part === null &&
      isOfEachPart(promise) &&
      isMeasuredIn({ kind, name: "" }, promise.metric, model),
  )
  return found === undefined
    ? { metric: "wait_p95", isLowerBetter: true }
    : { metric: found.metric, isLowerBetter: found.sign.startsWith("<") }
}

/** Days of one replication are compared on the same seed. */
function isClearlyLess(
  one: Estimate,
  worst: Estimate,
  { sign, miss }: { readonly sign: -1 | 1; readonly miss: number },
): boolean {
  const less = worst.parts.flatMap((part, at) => {
    const other = one.parts[at] ?? null
    return part === null || other === null ? [] : [sign * (part - other)]
  })
  const [low] = plainBoundsOf(less, miss)
  return low !== null && low > 0
}

const OTHERS = {
  day: "on the other days",
  weekday: "on the other weekdays",
  hour: "in the other hours",
} as const

/** Days that may be as bad are named up to so many. */
const NAMED = 2

/**
 * `Friday 6 March is the worst day: the wait of 95 of 100 reservations is 14m, 9m on the other days`; null where there is none.
 */
export function worstSentence(model: FleetModel, one: CaseResult, kind: TimeKind): string | null {
  const worst = worstOf(model, one, kind)
  if (worst === null) return null
  const { metric, part, estimate, others, asBad } = worst
  const show = ({ value }: Estimate): string => showFigure(value, unitOf(metric))
  const with_ = one.settings.length === 0 ? "" : ` with ${casePhrase(one.settings)}`
  const names = asBad
    .slice(0, NAMED)
    .map((other) => `${partLabel(other.part)} (${show(other.estimate)})`)
    .concat(asBad.length > NAMED ? [`${asBad.length - NAMED} more`] : [])
  const doubt = names.length === 0 ? "" : `; ${listed(names)} may be as bad`
  return sentence(
    `${partLabel(part)} is the worst ${kind}${with_}: the ${figureWords(metric)} is ${show(estimate)}, ${show(others)} ${OTHERS[kind]}${doubt}`,
  )
}
