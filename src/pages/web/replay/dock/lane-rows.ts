/** Who has a lane: everybody, or the busiest of many. */

import type { Scene } from "../seen/scene.ts"
import { wordsOf } from "../seen/state-words.ts"

export interface LaneGroup {
  readonly kind: "runner" | "vehicle"
  readonly actors: readonly number[]
  /** Of all, of which `actors` may be a part. */
  readonly all: number
}

/** Above so many rows only the busiest are shown. */
const ROWS_MAX = 30
const BUSIEST = 24

/** Runners, then vehicles, in the order of the model; with a filter, those whose name contains it. */
export function laneGroups(scene: Scene, filter: string): readonly LaneGroup[] {
  const wanted = filter.trim().toLowerCase()
  const groups = (["runner", "vehicle"] as const).map((kind) => ({ kind, numbers: scene.of(kind) }))
  const rows = groups.reduce((sum, { numbers }) => sum + numbers.length, 0)
  return groups
    .filter(({ numbers }) => numbers.length > 0)
    .map(({ kind, numbers }) => {
      const named =
        wanted === ""
          ? numbers
          : numbers.filter((number) => scene.actors[number]?.name.toLowerCase().includes(wanted))
      const room = kind === "runner" ? Math.min(BUSIEST / 2, named.length) : BUSIEST
      const actors = rows <= ROWS_MAX ? named : busiest(scene, named, room)
      return { kind, actors, all: numbers.length }
    })
}

function busiest(scene: Scene, numbers: readonly number[], count: number): readonly number[] {
  if (numbers.length <= count) return numbers
  const busyMs = new Map(numbers.map((number) => [number, busyOf(scene, number)]))
  const chosen = new Set(
    numbers.toSorted((one, other) => (busyMs.get(other) ?? 0) - (busyMs.get(one) ?? 0)).slice(0, count),
  )
  return numbers.filter((number) => chosen.has(number))
}

/** ms of work so far. */
export function busyOf(scene: Scene, number: number, untilMs = scene.untilMs): number {
  const kind = scene.actors[number]?.kind ?? "runner"
  return scene
    .stretchesOf(number, 0, untilMs)
    .filter(({ state }) => !RESTING.has(wordsOf(kind, state).phase))
    .reduce((sum, stretch) => sum + stretch.untilMs - stretch.fromMs, 0)
}

const RESTING = new Set(["free", "gone", "off"])

export const needsFilter = (groups: readonly LaneGroup[]): boolean =>
  groups.reduce((sum, { all }) => sum + all, 0) > ROWS_MAX
