/** Places in a fleet model's text. */

import type { Written } from "../../scenario/language/source.ts"

/** The written value at a path of keys and list indexes; if it was left out, the nearest value above it. */
export function partAt(root: Written, path: readonly (number | string)[]): Written {
  let part = root
  for (const step of path) {
    const next =
      typeof step === "number"
        ? part.type === "list"
          ? part.items[step]
          : undefined
        : part.type === "map"
          ? part.entries.find(({ key }) => key === step)?.value
          : undefined
    if (next === undefined) return part
    part = next
  }
  return part
}

export function spanAt(root: Written, path: readonly (number | string)[]): Written["span"] {
  return partAt(root, path).span
}
