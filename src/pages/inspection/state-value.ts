/** A state value in a record: a name, or names with inner values. */

import type { Json } from "../../model/values/json.ts"

const known = new Map<string, readonly string[]>()
const KNOWN_MAX = 5_000

/** Every active state of a value's JSON text as a dotted path, parents before children: `open`, `open.confirmed`. */
export function activePaths(valueText: string): readonly string[] {
  let paths = known.get(valueText)
  if (paths === undefined) {
    if (known.size >= KNOWN_MAX) known.clear()
    paths = pathsIn(JSON.parse(valueText) as Json, "")
    known.set(valueText, paths)
  }
  return paths
}

/** The innermost active states: `open.confirmed`; one for each parallel region, separated by blanks. */
export function statesText(valueText: string): string {
  const paths = activePaths(valueText)
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)))
  return leaves.join(" ")
}

function pathsIn(value: Json, prefix: string): readonly string[] {
  if (typeof value === "string") return [`${prefix}${value}`]
  if (value === null || typeof value !== "object" || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...pathsIn(inner ?? null, `${prefix}${key}.`),
  ])
}
