/** The differences of two JSON values: only changed keys, each with its path. */

import type { Json } from "../../model/values/json.ts"

export interface Change {
  /** `policy.graceMs`, `flags[1]`; empty for the whole value. */
  readonly path: string
  /** Absent if it did not exist. */
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** In the order of the keys, those of the later value first. */
export function changesOf(before: Json | undefined, after: Json | undefined, path = ""): readonly Change[] {
  if (isSame(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, at) => at).flatMap((at) =>
      changesOf(before[at] as Json | undefined, after[at] as Json | undefined, `${path}[${at}]`),
    )
  }
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(after), ...Object.keys(before)])
    return [...keys].flatMap((key) =>
      changesOf(before[key], after[key], path === "" ? key : `${path}.${key}`),
    )
  }
  return [{ path, before, after }]
}

/** One line of JSON, or a dash for an absent value. */
export function jsonText(value: Json | undefined): string {
  return value === undefined ? "–" : JSON.stringify(value)
}

type JsonFields = { readonly [key: string]: Json | undefined }

function isObject(value: Json | undefined): value is JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
