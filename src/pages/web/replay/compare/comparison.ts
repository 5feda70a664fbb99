/** Two courses of one model: A as it is written, B with other numbers. They are shown one at a time, one over the other, or side by side. */

import { courseDifference, coursePairs } from "../../../../model/replay/course-difference.ts"
import type { CourseDifference, DifferencePoint } from "../../../../model/replay/course-difference.ts"
import type { Scene } from "../seen/scene.ts"
import { orderName, shortName } from "../seen/actor-words.ts"

export type Day = "changed" | "written"

export const DAYS: Readonly<Record<Day, { readonly letter: string; readonly name: string }>> = {
  written: { letter: "A", name: "This day" },
  changed: { letter: "B", name: "Changed day" },
}

export interface Comparison {
  readonly scenes: Readonly<Record<Day, Scene>>
  readonly difference: CourseDifference
  /** Of each day: the numbers of its actors in the other one. */
  readonly numbers: Readonly<Record<Day, ReadonlyMap<number, number>>>
  /** The end of the longer day. */
  readonly untilMs: number
}

/** Of runs that have ended. */
export function comparisonOf(written: Scene, changed: Scene): Comparison {
  const pairs = coursePairs(written.course, changed.course)
  return {
    scenes: { written, changed },
    difference: courseDifference(written.course, changed.course),
    numbers: { written: new Map(pairs), changed: new Map(pairs.map(([one, other]) => [other, one])) },
    untilMs: Math.max(written.untilMs, changed.untilMs),
  }
}

/** The number on one of the days of what the written day calls so; null without it. */
export function shownAs(comparison: Comparison | null, day: Day, name: string): number | null {
  const written = comparison?.scenes.written.numberOf(name) ?? null
  if (comparison === null || written === null || day === "written") return written
  return comparison.numbers.written.get(written) ?? null
}

export function otherDay(day: Day): Day {
  return day === "written" ? "changed" : "written"
}

/** `order 12`, `the robot of 12`, `R4`. */
export function actorWords({ kind, name }: Pick<DifferencePoint, "kind" | "name">): string {
  if (kind === "order") return `order ${orderName(name)}`
  return kind === "robot" ? `the robot of ${orderName(name)}` : shortName(name)
}

/** `Here they part, with R4`, `Order 12 is saved`. */
function pointWords(point: DifferencePoint): string {
  return point.is === "parts"
    ? `Here they part, with ${actorWords(point)}`
    : `Order ${orderName(point.name)} is ${point.is}`
}

/** What differs while the playhead stands at it; empty elsewhere. */
export function pointAt(points: readonly DifferencePoint[], ms: number): string {
  const here = points.filter(({ atMs }) => atMs === Math.round(ms))
  return here.map((point) => `${pointWords(point)}.`).join(" ")
}

/** `Difference 9 of 33`. */
export function pointsSoFar(points: readonly DifferencePoint[], ms: number): string {
  if (points.length === 0) return "No difference"
  const soFar = points.filter(({ atMs }) => atMs <= ms).length
  return `Difference ${soFar} of ${points.length}`
}

/** `−2`, `+3`, `same`. */
export function countDifference(value: number, before: number): string {
  if (value === before) return "same"
  return value < before ? `−${before - value}` : `+${value - before}`
}
