/** An entry in a record's line: the kernel's text, parsed without the kernel. */

import type { Json, JsonObject } from "../../model/values/json.ts"
import { CALLER_TYPES } from "../../model/requester.ts"
import type { Requester } from "../../model/requester.ts"
import type { Verb } from "../../model/verbs.ts"

export type RecordedAsk =
  | Verb
  | { readonly type: "arm"; readonly id: string; readonly delayMs: number }
  | { readonly type: "disarm"; readonly id: string }

export interface RecordedStep {
  readonly a: string
  readonly on: JsonObject
  readonly did: string
  readonly value: Json
  readonly context?: JsonObject
  readonly status: string
  readonly asked: readonly RecordedAsk[]
}

export interface RecordedEntry {
  readonly to: string
  readonly by: string
  readonly start?: JsonObject
  readonly event?: JsonObject
  readonly timer?: string
  readonly atMs: number
  readonly cause: readonly [group: string, revision: number, step: number] | null
  readonly steps: readonly RecordedStep[]
  readonly refused: string | null
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The entry of a line; for a record of states, a reduced entry. Null for a mark, and for a malformed entry, because a
 * record comes from outside.
 */
export function entryOf(fields: Fields): RecordedEntry | null {
  if (fields["k"] !== "turn") return null
  const entry = fields["e"] ?? statesAlone(fields)
  return isEntry(entry) ? entry : null
}

function isEntry(value: unknown): value is RecordedEntry {
  if (!isObject(value)) return false
  const { to, by, event, start, timer, atMs, cause, steps, refused } = value
  return (
    typeof to === "string" &&
    typeof by === "string" &&
    typeof atMs === "number" &&
    (event === undefined || isObject(event)) &&
    (start === undefined || isObject(start)) &&
    (timer === undefined || typeof timer === "string") &&
    (cause === null || Array.isArray(cause)) &&
    (refused === null || typeof refused === "string") &&
    Array.isArray(steps) &&
    steps.every(isStep)
  )
}

function isStep(value: unknown): boolean {
  if (!isObject(value)) return false
  const { a, on, value: state, context, asked } = value
  return (
    typeof a === "string" &&
    isObject(on) &&
    (typeof state === "string" || isObject(state)) &&
    (context === undefined || isObject(context)) &&
    Array.isArray(asked) &&
    asked.every(isAsk)
  )
}

/** Some verbs must have an address or a name; other verbs are skipped. */
function isAsk(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, to, id, event, call } = value
  switch (type) {
    case "kernel.start":
      return typeof to === "string"
    case "kernel.send":
      return typeof to === "string" && isObject(event)
    case "kernel.publish":
      return typeof event === "string"
    case "kernel.call":
      return typeof call === "string"
    case "arm":
    case "disarm":
      return typeof id === "string"
    default:
      return true
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The same, from the line's text. */
export function entryIn(line: string): RecordedEntry | null {
  return entryOf(JSON.parse(line) as Fields)
}

/** Who asked for the command of a line; null for other lines and for malformed ones, because a record comes from outside. */
export function requesterIn(line: string): Requester | null {
  const { who } = JSON.parse(line) as Fields
  if (!isObject(who)) return null
  const { request, type, id } = who
  const known = CALLER_TYPES.find((one) => one === type)
  if (typeof request !== "string" || known === undefined) return null
  return { request, type: known, id: typeof id === "string" ? id : null }
}

interface State {
  readonly a: string
  readonly on: string
  readonly value: Json
  readonly status: string
}

function statesAlone(fields: Fields): RecordedEntry {
  const states = (Array.isArray(fields["states"]) ? fields["states"] : []) as readonly State[]
  return {
    to: typeof fields["to"] === "string" ? fields["to"] : "",
    by: typeof fields["by"] === "string" ? fields["by"] : "",
    event: { type: states[0]?.on ?? "" },
    atMs: Number.NaN,
    cause: null,
    steps: states.map(({ a, on, value, status }) => ({
      a,
      on: { type: on },
      did: "unknown",
      value,
      status,
      asked: [],
    })),
    refused: typeof fields["refused"] === "string" ? fields["refused"] : null,
  }
}
