/** Finding and changing values in what a server shows and in the arguments of a call. */

import { PICKUP_WINDOW_MS } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Value } from "./errand.ts"
import type { Schema } from "./tool-schemas.ts"

/** A list says of a property of several tools once what it is. */
export function noteDescriptions({ properties = {}, items }: Schema, told: Map<string, string>): void {
  if (items !== undefined) noteDescriptions(items, told)
  for (const [name, part] of Object.entries(properties)) {
    if (part.description !== undefined && !told.has(name)) told.set(name, part.description)
    noteDescriptions(part, told)
  }
}

/** The first value of a field, wherever it is in an answer. */
export function deepIn(answer: Value, field: string): Value | undefined {
  if (answer === null || typeof answer !== "object") return undefined
  const own = (answer as Readonly<Record<string, Value>>)[field]
  if (own !== undefined) return own
  return Object.values(answer)
    .map((part) => deepIn(part, field))
    .find((value) => value !== undefined)
}

/** The arguments with the times of their pickup moved: one time, or a span. */
export function movedTo(timeMs: EpochMs, args: Record<string, Value>): Record<string, Value> {
  const moved = (value: Value, name: string): Value => {
    if (typeof value === "string" && TIME.test(value))
      return isoMs(name === "end" ? timeMs + PICKUP_WINDOW_MS : timeMs)
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([part, one]) => [part, moved(one, part)]))
  }
  return moved(args, "") as Record<string, Value>
}

const TIME = /^\d{4}-\d\d-\d\dT/
