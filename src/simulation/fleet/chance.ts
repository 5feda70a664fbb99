/**
 * Random numbers of a fleet run: one seeded stream for each source, so that two policies get the same demand, the same
 * kitchens and the same traffic. A part of the run, such as the orders of one hour, has streams of its own, so that a change
 * in another part does not shift its draws. The distributions are d3-random's over such a stream.
 */

import {
  randomExponential,
  randomGamma,
  randomLogNormal,
  randomNormal,
  randomUniform,
  randomWeibull,
} from "d3-random"
import { Streams } from "../../engine/kernel/random.ts"
import type { Spread } from "./language/spread.ts"

/** Draws a duration in whole milliseconds. */
export type Sampler = () => number

export class Chance {
  readonly #streams: Streams
  readonly #samplers = new Map<string, { readonly of: Spread; readonly draw: Sampler }>()
  /** What the names of its streams begin with. */
  readonly #prefix: string

  constructor(seed: number, prefix = "") {
    this.#streams = new Streams(seed)
    this.#prefix = prefix
  }

  /**
   * The chance of a part of the run, with streams of its own. They begin anew: two of the same name draw the same numbers. It takes
   * memory only as long as the caller keeps it.
   */
  of(part: string): Chance {
    return new Chance(this.#streams.seed, `${this.#prefix}${part}/`)
  }

  /** A number in [0, 1). */
  fraction(source: string): number {
    return this.#streams.fraction(this.#prefix + source)
  }

  /**
   * True with the given probability. It always draws one number, so that another fault probability does not shift other
   * draws.
   */
  happens(share: number, source: string): boolean {
    return this.fraction(source) < share
  }

  /** The next duration of a source; never below 0 unless `isSigned`. */
  duration(of: Spread, source: string, { isSigned = false }: { readonly isSigned?: boolean } = {}): number {
    const ms = this.#sampler(of, source)()
    return isSigned ? ms : Math.max(0, ms)
  }

  /** One sampler for each distribution and source: some keep part of a draw for the next one. */
  #sampler(of: Spread, source: string): Sampler {
    const known = this.#samplers.get(source)
    if (known?.of === of) return known.draw
    const draw = samplerOf(of, () => this.fraction(source))
    this.#samplers.set(source, { of, draw })
    return draw
  }
}

function samplerOf(of: Spread, source: () => number): Sampler {
  const real = realSamplerOf(of, source)
  return () => Math.round(real())
}

function realSamplerOf(of: Spread, source: () => number): () => number {
  switch (of.is) {
    case "constant":
      return () => of.ms
    case "exponential":
      return randomExponential.source(source)(1 / of.meanMs)
    case "uniform":
      return randomUniform.source(source)(of.fromMs, of.toMs)
    case "normal":
      return randomNormal.source(source)(of.meanMs, of.sdMs)
    case "lognormal": {
      const ratio = (of.sdMs / of.meanMs) ** 2
      const sigma = Math.sqrt(Math.log1p(ratio))
      return randomLogNormal.source(source)(Math.log(of.meanMs) - sigma ** 2 / 2, sigma)
    }
    case "gamma":
      return randomGamma.source(source)((of.meanMs / of.sdMs) ** 2, of.sdMs ** 2 / of.meanMs)
    case "weibull":
      return randomWeibull.source(source)(of.shape, 0, of.scaleMs)
    case "triangular": {
      const { fromMs, modeMs, toMs } = of
      return () => triangularAt(source(), { fromMs, modeMs, toMs })
    }
    case "quantiles":
      return () => quantileAt(source(), of.points)
    case "drawn":
      return () => of.valuesMs[Math.floor(source() * of.valuesMs.length)] ?? 0
  }
}

/** The inverse of the distribution function. */
function triangularAt(
  share: number,
  { fromMs, modeMs, toMs }: { readonly fromMs: number; readonly modeMs: number; readonly toMs: number },
): number {
  const [rise, fall] = [modeMs - fromMs, toMs - modeMs]
  const width = rise + fall
  if (share * width < rise) return fromMs + Math.sqrt(share * width * rise)
  return toMs - Math.sqrt((1 - share) * width * fall)
}

type Quantiles = Extract<Spread, { readonly is: "quantiles" }>["points"]

function quantileAt(share: number, points: Quantiles): number {
  const at = points.findIndex((point) => point.share > share)
  const [before, after] = [points[at - 1] ?? points[0], points[at] ?? points.at(-1)]
  if (before === undefined || after === undefined) return 0
  const width = after.share - before.share
  return width === 0 ? after.ms : before.ms + ((share - before.share) / width) * (after.ms - before.ms)
}
