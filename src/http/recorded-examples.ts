/**
 * Examples of requests, answers, errors and events that the service itself produced: `npm run generate` records them
 * into `examples.json`, and documents show them.
 */

import recorded from "./examples.json" with { type: "json" }
import type { ErrorCode } from "../model/values/errors.ts"
import type { Part } from "./document-part.ts"

/** One accepted request with its answer; bodies as JSON. */
export interface RecordedExchange {
  /** Kebab-case; unique among the exchanges of its operation. */
  readonly name: string
  /** Absent: no body was sent. */
  readonly request?: object
  readonly status: number
  readonly answer: object
}

/** The examples of one API. */
export interface RecordedExamples {
  readonly exchanges: Readonly<Record<string, readonly RecordedExchange[]>>
  readonly errors: Readonly<Partial<Record<ErrorCode, object>>>
  /** Bodies, by event type. */
  readonly events: Readonly<Record<string, object>>
}

/** The APIs with examples. */
export type RecordedApi = "dd" | "rs"

/** The file may have been recorded by an older version, so its type is only known after its test has run. */
const EXAMPLES = recorded as unknown as Readonly<Record<RecordedApi, RecordedExamples>>

export function examplesOf(api: RecordedApi): RecordedExamples {
  return EXAMPLES[api]
}

/** The bodies that were sent to an operation, as `examples` of a media type, without duplicates. */
export function requestExamples({ exchanges }: RecordedExamples, operationId: string): Part {
  const byText = new Map<string, readonly [string, Part]>()
  for (const { name, request } of exchanges[operationId] ?? []) {
    const text = JSON.stringify(request)
    if (text !== undefined && !byText.has(text)) byText.set(text, [name, { value: request }])
  }
  return named([...byText.values()])
}

/** The bodies that an operation answered with this status. */
export function answerExamples({ exchanges }: RecordedExamples, operationId: string, status: number): Part {
  const ones = (exchanges[operationId] ?? []).filter((one) => one.status === status)
  return named(ones.map(({ name, answer }) => [name, { value: answer }]))
}

/** References to the examples of error codes, which are among a document's components. */
export function errorExamples({ errors }: RecordedExamples, codes: readonly ErrorCode[]): Part {
  const known = codes.filter((code) => errors[code] !== undefined)
  return named(known.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}

/** For a document's components. */
export function errorComponents({ errors }: RecordedExamples): Part {
  return Object.fromEntries(Object.entries(errors).map(([code, value]) => [code, { value }]))
}

export function eventExamples({ events }: RecordedExamples, type: string): Part {
  const value = events[type]
  return named(value === undefined ? [] : [["sent", { value }]])
}

function named(entries: readonly (readonly [string, Part])[]): Part {
  return entries.length === 0 ? {} : { examples: Object.fromEntries(entries) }
}
