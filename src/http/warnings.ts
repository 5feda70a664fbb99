/**
 * Warnings: body fields that the request's schema does not know, and bodies of requests that take none. They are ignored, as the
 * contracts require, and listed in the answer, because a misspelt optional field, or a `reason` in the body of a DELETE, would
 * otherwise go unnoticed. Source: our choice G6; RFC 9110 §9.3.5.
 */

import { SchemaAST } from "effect"
import { distance } from "fastest-levenshtein"
import type { FastifyContextConfig, FastifyRequest } from "fastify"
import type { FieldProblem } from "../model/values/errors.ts"
import { WARNED_NAME_LENGTH_MAX, WARNINGS_MAX } from "../model/values/limits.ts"
import type { AnySchema } from "../model/values/schema.ts"
import { jsonOf } from "./bodies/json-body.ts"

declare module "fastify" {
  interface FastifyContextConfig {
    /** The schema of the route's JSON body. */
    readonly requestBody?: SchemaAST.AST
    /** Of a route that changes something and takes no body: its query parameters. */
    readonly bodyless?: readonly string[]
  }
}

/** The parts of an endpoint on which its warnings depend. */
interface Takes {
  readonly method: string
  readonly body: AnySchema | null
  readonly mediaTypes?: readonly string[]
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
}

/** True for an endpoint whose answers may have warnings. Clients do not send a body with a GET. */
export function mayWarn({ method, body, mediaTypes = [] }: Omit<Takes, "parameters">): boolean {
  return body !== null || (method !== "GET" && mediaTypes.length === 0)
}

/** For a route's `config`; empty for a read, and for a body of bytes. */
export function bodyConfig(takes: Takes): Pick<FastifyContextConfig, "bodyless" | "requestBody"> {
  const { body, parameters } = takes
  if (body !== null) return { requestBody: SchemaAST.encodedAST(body.ast) }
  if (!mayWarn(takes)) return {}
  return { bodyless: parameters.filter((one) => one.in === "query").map(({ name }) => name) }
}

/** The warnings of an answer about the request's unknown fields; empty without such fields. */
export function warningsOf(request: FastifyRequest): { readonly warnings?: readonly FieldProblem[] } {
  const { requestBody, bodyless } = request.routeOptions.config
  if (!(request.body instanceof Uint8Array)) return {}
  const warnings =
    requestBody === undefined
      ? unreadFields(bodyless, request.body)
      : unknownFields(requestBody, jsonOf(request.body))
  return warnings.length === 0 ? {} : { warnings }
}

/** The fields of a body that is not read; one warning for a body without fields, and none for an empty one. */
function unreadFields(parameters: readonly string[] | undefined, bytes: Uint8Array): readonly FieldProblem[] {
  if (parameters === undefined || bytes.length === 0) return []
  const sent = jsonOf(bytes)
  if (typeof sent !== "object" || sent === null || Array.isArray(sent))
    return [{ field: "body", message: "was ignored: this request takes no body" }]
  return Object.keys(sent)
    .slice(0, WARNINGS_MAX)
    .map((name) => ({
      field: name.slice(0, WARNED_NAME_LENGTH_MAX),
      message: parameters.includes(name)
        ? "was ignored: this request takes no body; send it as a query parameter"
        : "was ignored: this request takes no body",
    }))
}

/** Fields that no applicable schema knows, as dotted paths in the order in which they were sent; a bounded number. */
export function unknownFields(ast: SchemaAST.AST, value: unknown, path = ""): readonly FieldProblem[] {
  if (typeof value !== "object" || value === null) return []
  const found: FieldProblem[] = []
  if (Array.isArray(value)) {
    const items = membersOf(ast).flatMap((one) => (SchemaAST.isTupleType(one) ? one.rest : []))
    for (const [at, item] of value.entries()) {
      if (found.length >= WARNINGS_MAX) break
      for (const { type } of items) found.push(...unknownFields(type, item, `${path}${at}.`))
    }
    return found.slice(0, WARNINGS_MAX)
  }
  const objects = membersOf(ast).filter(SchemaAST.isTypeLiteral)
  // A schema with free names has no unknown ones.
  if (objects.length === 0 || objects.some(({ indexSignatures }) => indexSignatures.length > 0)) return []
  const known = new Map(
    objects.flatMap(({ propertySignatures }) =>
      propertySignatures.map(({ name, type }) => [String(name), type] as const),
    ),
  )
  for (const [name, inside] of Object.entries(value)) {
    if (found.length >= WARNINGS_MAX) break
    const type = known.get(name)
    if (type === undefined) found.push(warningFor(path, name, [...known.keys()]))
    else found.push(...unknownFields(type, inside, `${path}${name}.`))
  }
  return found.slice(0, WARNINGS_MAX)
}

function membersOf(ast: SchemaAST.AST): readonly SchemaAST.AST[] {
  return SchemaAST.isUnion(ast) ? ast.types.flatMap((one) => membersOf(one)) : [ast]
}

function warningFor(path: string, name: string, known: readonly string[]): FieldProblem {
  const field = `${path}${name}`.slice(0, WARNED_NAME_LENGTH_MAX)
  const meant = name.length > WARNED_NAME_LENGTH_MAX ? undefined : nearest(name.toLowerCase(), known)
  const question = meant === undefined ? "" : `; did you mean ${path}${meant}?`
  return { field, message: `is not a field of this request and was ignored${question}` }
}

/** A known name that differs in at most a third of its letters. */
function nearest(name: string, known: readonly string[]): string | undefined {
  return known
    .map((one) => ({ one, apart: distance(name, one) }))
    .filter(({ one, apart }) => apart <= Math.max(1, Math.floor(one.length / 3)))
    .toSorted((a, b) => a.apart - b.apart)[0]?.one
}
