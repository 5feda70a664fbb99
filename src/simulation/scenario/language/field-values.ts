/** Reads the fields of a step. The reader has checked their kinds, so a wrong kind here is a bug. */

import type { FieldValues, TimeRef } from "./language.ts"

/** A field of text, an enumeration or a name. */
export function textOf(fields: FieldValues, name: string): string {
  const value = fields[name]
  if (typeof value === "string") return value
  throw new TypeError(`the field ${name} is no text but ${JSON.stringify(value)}`)
}

/** The same where the field may be absent. */
export function textIfGiven(fields: FieldValues, name: string): string | undefined {
  return fields[name] === undefined ? undefined : textOf(fields, name)
}

/** A field that holds a number, where it may be absent. */
export function numberIfGiven(fields: FieldValues, name: string): number | undefined {
  const value = fields[name]
  if (value === undefined || typeof value === "number") return value
  throw new TypeError(`the field ${name} is no number but ${JSON.stringify(value)}`)
}

/** A field that holds a time, where it may be absent. */
export function timeIfGiven(fields: FieldValues, name: string): TimeRef | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value === "object" && value !== null && "type" in value) return value
  throw new TypeError(`the field ${name} is no time but ${JSON.stringify(value)}`)
}

/** A field that holds a list of times, where it may be absent. */
export function timesIfGiven(fields: FieldValues, name: string): readonly TimeRef[] | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (Array.isArray(value)) return value as readonly TimeRef[]
  throw new TypeError(`the field ${name} is no list of times but ${JSON.stringify(value)}`)
}

/** A field that holds a duration in milliseconds, where it may be absent. */
export function durationIfGiven(fields: FieldValues, name: string): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value === "object" && value !== null && "ms" in value) return value.ms
  throw new TypeError(`the field ${name} is no duration but ${JSON.stringify(value)}`)
}

/** A box of a request; undefined when the field is absent. */
export function boxOf(value: unknown): { length: number; width: number; height: number } | undefined {
  if (value === undefined) return undefined
  const [length, width, height] = value as readonly [number, number, number]
  return { length, width, height }
}
