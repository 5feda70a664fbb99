/** The check of a measured order against the payload limit of the bot's compartment. */

import type { Dimensions, PayloadLimit, PayloadMeasure } from "./payload-limit.ts"

/** True when every measure that the limit bounds was taken. */
export function isMeasured(limit: PayloadLimit, measure: PayloadMeasure): boolean {
  return (
    (limit.maxWeightKg === null || measure.weightKg !== null) &&
    (limit.maxDimensionsCm === null || measure.dimensionsCm !== null)
  )
}

/**
 * True when the measured order is within the limit; a measure equal to its bound fits. The box may be rotated, so the
 * edges are compared in order of length.
 */
export function fits(limit: PayloadLimit, measure: PayloadMeasure): boolean {
  if (limit.maxWeightKg !== null && measure.weightKg !== null && measure.weightKg > limit.maxWeightKg)
    return false
  if (limit.maxDimensionsCm === null || measure.dimensionsCm === null) return true
  const room = edges(limit.maxDimensionsCm)
  return edges(measure.dimensionsCm).every((edge, at) => edge <= (room[at] ?? 0))
}

function edges(box: Dimensions): readonly number[] {
  return [box.length, box.width, box.height].toSorted((a, b) => b - a)
}
