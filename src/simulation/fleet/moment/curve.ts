/**
 * The probability of the bad outcome over the moments of a journal. Evaluating every moment would take minutes, so a few are evaluated
 * first, and then the middle of the two neighbours whose probabilities differ most, until the largest step is between two moments in a row.
 */

import type { Share } from "../fit/rates.ts"

export interface CurvePoint {
  /** Place of the moment. */
  readonly at: number
  readonly odds: Share
}

export interface CurveOptions {
  /** Places of the first and of the last moment to look at. */
  readonly from: number
  readonly to: number
  readonly evaluate: (at: number) => Share
  /** Steps of less than this are not looked into. */
  readonly smallest: number
  readonly pointsMax: number
  /** Asked before each point but the first two. */
  readonly isOver: () => boolean
}

/** Points in the order of the moments; the first and the last moment are among them. */
export function curveOf({
  from,
  to,
  evaluate,
  smallest,
  pointsMax,
  isOver,
}: CurveOptions): readonly CurvePoint[] {
  const points: CurvePoint[] = []
  const add = (at: number): void => {
    if (points.some((point) => point.at === at)) return
    const index = points.findIndex((point) => point.at > at)
    points.splice(index === -1 ? points.length : index, 0, { at, odds: evaluate(at) })
  }
  add(from)
  add(to)
  // A rise that falls again shows at neither end.
  for (let part = 1; part < FIRST_PARTS && !isOver(); part += 1)
    add(from + Math.round(((to - from) * part) / FIRST_PARTS))
  while (points.length < pointsMax && !isOver()) {
    const middle = middleOfWidest(points, smallest)
    if (middle === null) break
    add(middle)
  }
  return points
}

const FIRST_PARTS = 6

/** Between the neighbours that differ most and have moments between them; null when no step is left to look into. */
function middleOfWidest(points: readonly CurvePoint[], smallest: number): number | null {
  let best: { readonly size: number; readonly middle: number } | null = null
  for (const [index, point] of points.entries()) {
    const next = points[index + 1]
    if (next === undefined || next.at - point.at < 2) continue
    const size = Math.abs(next.odds.value - point.odds.value)
    if (size >= smallest && (best === null || size > best.size))
      best = { size, middle: Math.floor((point.at + next.at) / 2) }
  }
  return best?.middle ?? null
}
