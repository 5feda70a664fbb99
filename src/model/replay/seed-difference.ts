/** Two models on the same seeds: the mean difference of each figure with its 95 % interval, and on how many seeds it is better. */

import { plainBoundsOf } from "../values/student.ts"

/** What one seed of a model came to, over the whole day, its warm-up included. */
export interface DayFigures {
  /** Orders that were requested. */
  readonly asked: number
  readonly completed: number
  /** Completed after their promise. */
  readonly late: number
  /** Declined or canceled. */
  readonly lost: number
  /** Null for a model without prices. */
  readonly cost: { readonly total: number; readonly currency: string } | null
}

/** The second model minus the first, on seeds that both have. */
export interface SeedDifference {
  readonly seeds: number
  /** Means. */
  readonly first: number
  readonly second: number
  readonly mean: number
  /** The 95 % interval of `mean`, paired; null for fewer than two seeds. */
  readonly low: number | null
  readonly high: number | null
  /** Seeds on which the second model has less of the figure, as much, and more. */
  readonly less: number
  readonly same: number
  readonly more: number
}

/** By seed. */
export type FiguresBySeed = ReadonlyMap<number, DayFigures>

/** Null when no seed is known of both, or a figure is missing. */
export function seedDifference(
  first: FiguresBySeed,
  second: FiguresBySeed,
  figureOf: (figures: DayFigures) => number | null,
): SeedDifference | null {
  const pairs = [...first].flatMap(([seed, one]) => {
    const other = second.get(seed)
    const values = [figureOf(one), other === undefined ? null : figureOf(other)] as const
    return values[0] === null || values[1] === null ? [] : [[values[0], values[1]] as const]
  })
  if (pairs.length === 0) return null
  const differences = pairs.map(([one, other]) => other - one)
  const [low, high] = plainBoundsOf(differences)
  return {
    seeds: pairs.length,
    first: meanOf(pairs.map(([one]) => one)),
    second: meanOf(pairs.map(([, other]) => other)),
    mean: meanOf(differences),
    low,
    high,
    less: differences.filter((one) => one < 0).length,
    same: differences.filter((one) => one === 0).length,
    more: differences.filter((one) => one > 0).length,
  }
}

/** True when the whole interval is on one side of 0. */
export function isSure({ low, high }: Pick<SeedDifference, "high" | "low">): boolean {
  return low !== null && high !== null && (low > 0 || high < 0)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
