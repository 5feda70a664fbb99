/** The promises of a model that are limits of one of its sites or demands, or of a day. */

import { isMeasuredIn } from "./checks/check-questions.ts"
import type { Measuring } from "./checks/check-questions.ts"
import { figureNamed, figureOfPart, unitOf } from "./metrics.ts"
import { partsOf } from "./parts.ts"
import type { Part } from "./parts.ts"
import type { FleetPromise } from "./promises.ts"
import type { TimePart } from "./time-parts.ts"

export type Promising = Measuring & { readonly promises: readonly FleetPromise[] }

export interface PartLimit {
  /** With the figure's name as the part has it, without the name of the part. */
  readonly promise: FleetPromise
  /** The promise of the model from which it comes. */
  readonly of: FleetPromise
}

/**
 * The promises of the part itself, and those of the whole model whose limit has a meaning in a part: of durations and
 * shares. A count or a cost of the whole is no limit for one of its sites. What is promised of the part itself goes before.
 */
export function limitsOf(part: Part | TimePart, model: Promising): readonly PartLimit[] {
  const named = model.promises.map((promise) => ({ promise, ...figureNamed(promise.metric) }))
  const own = named.filter((one) => one.part?.kind === part.kind && one.part.name === part.name)
  const whole = named.filter(
    ({ base, part: of, promise }) =>
      of === null &&
      isOfEachPart(promise) &&
      isMeasuredIn(part, base, model) &&
      !own.some((one) => isOfSame(one.base, base)),
  )
  return [...own, ...whole].map(({ promise, base }) => ({
    promise: { ...promise, metric: base },
    of: promise,
  }))
}

/** True for a promise of the whole model that has a meaning in a part of it too. */
export function isOfEachPart({ metric }: FleetPromise): boolean {
  return ["ms", "share"].includes(unitOf(metric))
}

/** True for figures of the same durations: who promises p90 of a site does not mean the limit that p95 has elsewhere. */
function isOfSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((base) => base.replace(/_(mean|max|p\d\d)$/, ""))
  return a === b
}

/** What must hold at a site, of these promises: its limits and those of its demands, each with the name of its part. */
export function siteLimits(
  site: string,
  model: Promising,
  keeps: readonly string[],
): readonly FleetPromise[] {
  const part = partsOf(model).find(({ kind, name }) => kind === "site" && name === site)
  if (part === undefined) return []
  const isKept = ({ metric }: FleetPromise): boolean => keeps.includes(metric)
  const ofSite = limitsOf(part, model).flatMap(({ promise, of }) =>
    isKept(of) ? [{ ...promise, metric: figureOfPart(promise.metric, part) }] : [],
  )
  const ofDemands = model.promises.filter(
    (promise) =>
      isKept(promise) && siteOfFigure(promise.metric, model) === site && isOfDemand(promise.metric),
  )
  return [...ofSite, ...ofDemands]
}

function isOfDemand(metric: string): boolean {
  return figureNamed(metric).part?.kind === "demand"
}

/** The site of a figure of a site or a demand; null for one of the whole model. */
export function siteOfFigure(metric: string, model: Measuring): string | null {
  const { part } = figureNamed(metric)
  if (part === null) return null
  if (part.kind === "site") return part.name
  if (part.kind !== "demand") return null
  const found = partsOf(model).find(({ kind, name }) => kind === "demand" && name === part.name)
  const [at] = found?.demandNumbers ?? []
  return at === undefined ? null : (model.demand[at]?.site ?? null)
}
