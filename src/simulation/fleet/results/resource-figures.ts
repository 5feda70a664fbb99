/** Figures of resources over time: how busy they were, who waited for them, and how long they were on duty. */

import { HOUR_MS } from "../../../model/values/time.ts"
import { RESOURCES } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { Level } from "../world/tally.ts"

type Levels = ReadonlyMap<string, Level>

/** Of one site or of all together; null where a resource is not used. */
export function resourceFigures(
  levels: Levels,
  spanMs: number,
): readonly (readonly [name: string, value: number | null])[] {
  return RESOURCES.flatMap((resource) => {
    const busyMs = areaOf(levels, `${resource}.busy`)
    const dutyMs = areaOf(levels, `${resource}.duty`)
    const shares = useByStretch(levels, resource) ?? []
    const isUsed = dutyMs > 0 || levels.has(`${resource}.queue`)
    return [
      [`${resource}.utilisation`, dutyMs === 0 ? null : busyMs / dutyMs],
      [`${resource}.utilisation_peak`, dutyMs === 0 ? null : Math.max(0, ...shares)],
      [`${resource}.queue_mean`, isUsed ? areaOf(levels, `${resource}.queue`) / spanMs : null],
      [`${resource}.queue_max`, isUsed ? (levels.get(`${resource}.queue`)?.max ?? 0) : null],
      [`${resource}.hours`, isUsed ? dutyMs / HOUR_MS : null],
    ] as const
  })
}

/**
 * The busy share in each interval; undefined when none was ever on duty. Where some wait and none is on duty, the
 * resource has no slack: it is used to 100 %.
 */
export function useByStretch(levels: Levels, resource: Resource): readonly number[] | undefined {
  const busy = levels.get(`${resource}.busy`)?.areas ?? []
  const queue = levels.get(`${resource}.queue`)?.areas
  return levels
    .get(`${resource}.duty`)
    ?.areas.map((area, at) => (area > 0 ? (busy[at] ?? 0) / area : (queue?.[at] ?? 0) > 0 ? 1 : 0))
}

/** How many wait on average in each interval; undefined when none was ever on duty. */
export function queueByStretch(
  levels: Levels,
  { resource, spanMs }: { readonly resource: Resource; readonly spanMs: number },
): readonly number[] | undefined {
  const queue = levels.get(`${resource}.queue`)?.areas
  return levels.get(`${resource}.duty`)?.areas.map((_, at) => (queue?.[at] ?? 0) / lengthOf(at, spanMs))
}

/** How many are on duty on average in each interval; undefined when none ever was. */
export function dutyByStretch(
  levels: Levels,
  { resource, spanMs }: { readonly resource: Resource; readonly spanMs: number },
): readonly number[] | undefined {
  return levels.get(`${resource}.duty`)?.areas.map((area, at) => area / lengthOf(at, spanMs))
}

function areaOf(levels: Levels, name: string): number {
  return (levels.get(name)?.areas ?? []).reduce((sum, area) => sum + area, 0)
}

/** The last interval may be shorter. */
export function lengthOf(at: number, spanMs: number): number {
  return Math.min(STRETCH_MS, spanMs - at * STRETCH_MS)
}
