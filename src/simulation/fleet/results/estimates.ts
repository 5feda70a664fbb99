/** The figures of a case, from all of its replications. */

import { GROUP_BY_PRODUCT, METRICS, PERCENTILES, figureNamed } from "../language/metrics.ts"
import type { Measure, Metric, PartName } from "../language/metrics.ts"
import type { Measured } from "./measured.ts"
import { NOTHING_OBSERVED } from "./observed.ts"
import { Pool } from "./percentile.ts"
import { NO_ESTIMATE, leastOf, meanOf, mostOf, ratioOf } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"

const PRODUCT_GROUPS: ReadonlySet<string> = new Set(Object.values(GROUP_BY_PRODUCT))

/** The parts of a replication that figures are made of. */
export type Sample = Pick<Measured, "durations" | "figures" | "observed"> &
  Partial<Pick<Measured, "byRequest" | "parts" | "series">>

/** The estimates of a site, a demand or a day; null for one that the model does not have. */
export type OfPart = (part: PartName) => Estimates | null

/**
 * Estimates of one set of replications. Each is computed when it is first read. Batches, if there are any, take the
 * place of a single replication for figures of durations.
 */
export class Estimates {
  readonly #samples: readonly Sample[]
  readonly #pooled: readonly Sample[]
  readonly #pools = new Map<Measure, Pool>()
  readonly #known = new Map<string, Estimate>()
  readonly #ofPart: OfPart

  constructor(
    samples: readonly Sample[],
    {
      batches = null,
      ofPart = () => null,
    }: { readonly batches?: readonly Sample[] | null; readonly ofPart?: OfPart } = {},
  ) {
    this.#samples = samples
    this.#pooled = batches ?? samples
    this.#ofPart = ofPart
  }

  /** Also of a part: `reservations.wait_p95 at north`, `wait_p95 on Fri`. */
  of(metric: string): Estimate {
    const before = this.#known.get(metric)
    if (before !== undefined) return before
    const { base, part } = figureNamed(metric)
    if (part !== null) return this.part(part)?.of(base) ?? NO_ESTIMATE
    const described = METRICS.get(metric)
    const made = described === undefined ? NO_ESTIMATE : this.#made(metric, described)
    this.#known.set(metric, made)
    return made
  }

  /** The value of each replication by itself. */
  own(metric: string): readonly (number | null)[] {
    const { base, part } = figureNamed(metric)
    if (part === null) return this.#figures(metric)
    return this.part(part)?.own(base) ?? this.#samples.map(() => null)
  }

  part(part: PartName): Estimates | null {
    return this.#ofPart(part)
  }

  /** The same of some of the replications, by their place. */
  only(isIn: (at: number) => boolean): Estimates {
    return new Estimates(
      this.#samples.filter((_, at) => isIn(at)),
      { ofPart: (part) => this.part(part)?.only(isIn) ?? null },
    )
  }

  /** The estimates that the replications have data for, in the order of the metrics. */
  known(): readonly (readonly [metric: string, estimate: Estimate])[] {
    return [...METRICS.keys()].flatMap((metric) => {
      const estimate = this.of(metric)
      const { value, waits } = estimate
      const isOfNothing = this.#noneAsked(metric) || (value === null && (waits ?? 0) === 0)
      return isOfNothing ? [] : [[metric, estimate] as const]
    })
  }

  /** True for a figure of a product that was never requested. */
  #noneAsked(metric: string): boolean {
    const [group = ""] = metric.split(".")
    return PRODUCT_GROUPS.has(group) && this.of(`${group}.asked`).value === 0
  }

  #made(metric: string, { from, unit }: Metric): Estimate {
    switch (from.is) {
      case "values":
        return inBounds(meanOf(this.#figures(metric)), unit)
      case "orders":
        return this.#isMeasured(from.count)
          ? inBounds(ratioOf(this.#ratios(from.count, from.of)), unit)
          : NO_ESTIMATE
      case "durations": {
        if (from.statistic === "mean") return inBounds(ratioOf(this.#sums(from.measure)), unit)
        const own = this.#figures(metric).filter((value) => value !== null)
        const pooled = this.#pool(from.measure).percentile(PERCENTILES[from.statistic])
        return { ...pooled, least: leastOf(own), most: mostOf(own) }
      }
    }
  }

  #figures(metric: string): readonly (number | null)[] {
    return this.#samples.map(({ figures }) => figures[metric] ?? null)
  }

  /** Without prices there are no costs, which is not a cost of 0. */
  #isMeasured(count: string): boolean {
    return this.#samples.some(({ figures }) => count in figures)
  }

  #ratios(sum: string, count: string) {
    return this.#samples.map(({ figures }) => ({ sum: figures[sum] ?? 0, count: figures[count] ?? 0 }))
  }

  #sums(measure: Measure) {
    return this.#pooled.map(({ durations }) => {
      const { n = 0, mean = 0 } = durations[measure] ?? {}
      return { sum: n * (mean ?? 0), count: n }
    })
  }

  #pool(measure: Measure): Pool {
    const before = this.#pools.get(measure)
    if (before !== undefined) return before
    const made = new Pool(this.#pooled.map(({ observed }) => observed[measure] ?? NOTHING_OBSERVED))
    this.#pools.set(measure, made)
    return made
  }
}

/** No figure is below 0, and no share above 1. */
function inBounds(estimate: Estimate, unit: Metric["unit"]): Estimate {
  const { low, high } = estimate
  const most = unit === "share" ? 1 : Number.POSITIVE_INFINITY
  return {
    ...estimate,
    low: low === null ? null : Math.max(0, low),
    high: high === null ? null : Math.min(most, high),
  }
}
