/**
 * Problems of fields in the request log. A name is shown if a schema of the route has it, a sentence if it contains no
 * value of the request: both then come from the program. Source: choice G23 (src/DECISIONS.md §227).
 */

import type { SchemaAST } from "effect"
import { shownPart } from "../model/values/problem-words.ts"
import { MASK } from "./masking.ts"

/** Fields of problems that concern a request as a whole. */
const OF_ANY_REQUEST = ["body", "query", "path", "Host", "Idempotency-Key", "x-retailer-id"]

/** Values of at most this length count only for the field that has them: "1" is a part of too many sentences. */
const SHORT_LENGTH = 2

/** What a request consists of, as its log needs it. */
export interface SentRequest {
  /** Undefined when the body is no JSON, or too deep to be read; null without one. */
  readonly body: unknown
  /** Values of the query, the path and headers that the route reads. */
  readonly beside: readonly string[]
}

/** Every name of a field in a schema, at any depth. */
export function namesIn(ast: SchemaAST.AST, seen: Set<SchemaAST.AST> = new Set()): readonly string[] {
  if (seen.has(ast)) return []
  seen.add(ast)
  const within = (...parts: readonly SchemaAST.AST[]): readonly string[] =>
    parts.flatMap((part) => namesIn(part, seen))
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return within(ast.from)
    case "Suspend":
      return within(ast.f())
    case "Union":
      return within(...ast.types)
    case "TupleType":
      return within(...ast.elements.map(({ type }) => type), ...ast.rest.map(({ type }) => type))
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...within(type)])
    default:
      return []
  }
}

/** One problem as the log shows it. */
export function maskedProblem(
  problem: unknown,
  names: ReadonlySet<string>,
  sent: SentRequest,
): { readonly field: string; readonly message: string } {
  const { field = "", message = "" } = problem as { readonly field?: string; readonly message?: string }
  const shown = maskedName(field, names)
  return { field: shown, message: shown !== MASK && isOurs(message, field, sent) ? message : MASK }
}

export function maskedName(field: string, names: ReadonlySet<string>): string {
  const isKnown = (part: string): boolean => names.has(part) || /^\d{1,4}$/.test(part)
  return OF_ANY_REQUEST.includes(field) || field.split(".").every(isKnown) ? field : MASK
}

function isOurs(message: string, field: string, { body, beside }: SentRequest): boolean {
  // An unreadable body has no values to compare with.
  if (body === undefined) return false
  const text = message.toLowerCase()
  const contains = (value: string): boolean => value !== "" && text.includes(value.toLowerCase())
  const own = textsIn(valueAt(body, field))
  const others = [...textsIn(body), ...beside].filter((value) => value.length > SHORT_LENGTH)
  return ![...own, ...others].some((value) =>
    [value, shownPart(value)].some((part) => contains(part) || contains(JSON.stringify(part).slice(1, -1))),
  )
}

function valueAt(body: unknown, field: string): unknown {
  return field.split(".").reduce<unknown>((value, name) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name)
    return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  }, body)
}

/** Texts and numbers at any depth; names of fields belong to the caller too where no schema has them. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value === "number") return [String(value)]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
