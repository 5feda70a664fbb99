/**
 * The keys `repeat` and `every` of a step: the step stands for several, one after the other. The names that they give
 * have numbers: `as: lunch` with `repeat: 3` gives lunch-1, lunch-2 and lunch-3.
 */

import { REPEATS_MAX, STEPS_MAX } from "../../../model/values/limits.ts"
import type { Report } from "./problems.ts"
import { duration, whole } from "./shapes.ts"
import type { Written, WrittenEntry, WrittenMap } from "./source.ts"

/** How often a step is done. */
export const REPEAT = whole("how many times", { min: 2, max: REPEATS_MAX })

/** The time between two of them. */
export const EVERY = duration()

/** Every step for itself, in order. Steps that are not repeated stay as they are. */
export function withRepeats(items: readonly Written[], report: Report): readonly Written[] {
  const all = items.flatMap((item) => (item.type === "map" ? repeated(item, report) : [item]))
  const [last] = items.slice(-1)
  if (all.length > STEPS_MAX && last !== undefined) {
    report(last.span, `${all.length} steps with their repetitions`, { expected: `at most ${STEPS_MAX}` })
    return items
  }
  return all
}

function repeated(map: WrittenMap, report: Report): readonly Written[] {
  const entry = (key: string): WrittenEntry | undefined => map.entries.find((one) => one.key === key)
  const [repeat, every] = [entry("repeat"), entry("every")]
  // The reader of the step reports these keys beside any other verb.
  if (entry("do") === undefined && entry("refuse") === undefined) return [map]
  if (repeat === undefined) {
    if (every !== undefined) report(every.keySpan, '"every" needs "repeat"', { expected: "repeat: 3" })
    return [map]
  }
  const times = REPEAT.read(repeat.value, report)
  const everyMs = every === undefined ? 0 : EVERY.read(every.value, report)
  if (times === undefined || everyMs === undefined) return [map]
  return Array.from({ length: times }, (_, at) => copyOf(map, { number: at + 1, everyMs }))
}

/** The first copy has the time of the step; each of the others comes after the copy before it. */
function copyOf(
  map: WrittenMap,
  { number, everyMs }: { readonly number: number; readonly everyMs: number },
): WrittenMap {
  const isFirst = number === 1
  const later = isFirst || everyMs === 0 ? [] : [laterEntry(map, everyMs)]
  const own = map.entries.filter(({ key }) => isFirst || key !== "at").map((one) => withNumber(one, number))
  return { ...map, entries: [...own, ...later] }
}

function laterEntry(map: WrittenMap, everyMs: number): WrittenEntry {
  const every = map.entries.find(({ key }) => key === "every")
  const text = `+${everyMs}ms`
  const span = every?.value.span ?? map.span
  return {
    key: "at",
    keySpan: every?.keySpan ?? map.span,
    value: { type: "scalar", value: text, text, span },
  }
}

/** The name that the step gives, or that it gives to what is refused. */
function withNumber(entry: WrittenEntry, number: number): WrittenEntry {
  const { key, value } = entry
  if (key === "as") return { ...entry, value: numbered(value, number) }
  if (key !== "refuse" || value.type !== "map") return entry
  return { ...entry, value: { ...value, entries: value.entries.map((one) => withNumber(one, number)) } }
}

function numbered(name: Written, number: number): Written {
  if (name.type !== "scalar" || typeof name.value !== "string") return name
  const text = `${name.value}-${number}`
  return { ...name, value: text, text }
}
