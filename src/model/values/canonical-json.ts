/** Canonical JSON: equal values give equal text. Keys are sorted; undefined fields are left out. */

import type { Json } from "./json.ts"

export function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => canonicalJson(one)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`).join(",")}}`
}
