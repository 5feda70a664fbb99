/** Holds every answer of an app against its OpenAPI document: status, body, headers; and of a request that was accepted, its body. */

import { Ajv2020 } from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/2020.js"
import { expect } from "vitest"

/** An answer that the document describes. */
export interface Answered {
  readonly status: number
  readonly code: string | null
  readonly data: Record<string, unknown>
  readonly body: Record<string, unknown>
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string | undefined>>
}

interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
        readonly content?: Readonly<Record<string, { readonly schema?: object }>>
      }
    >
  >
}

export interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly answered: Answered
  readonly sent: unknown
}

/** As answers write instants: UTC with three fractional digits. */
export const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Throws when an exchange does not match the document. */
export type Check = (exchange: Exchange) => void

/** By the document's text: each test has an app of its own, and all of them serve the same documents. */
const checks = new Map<string, Check>()

/** The check against a document, made once. */
export function checker(text: string): Check {
  const known = checks.get(text)
  if (known !== undefined) return known
  const made = checkOf(JSON.parse(text) as Document)
  checks.set(text, made)
  return made
}

function checkOf(document: Document): Check {
  const incoming = validatorsOf(document, true)
  const outgoing = validatorsOf(closed(document), DATE_TIME)
  const holds = (validators: Validators, pointer: string, value: unknown, what: string): void => {
    const validate = validators(pointer)
    if (!validate(value))
      expect.fail(`${what}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`)
  }
  return ({ method, path, answered, sent }) => {
    const { status, headers, body } = answered
    const what = `${method} ${path} ${status}`
    expect(headers["x-request-id"], what).toMatch(/^[0-9A-Za-z._-]{1,64}$/)
    if (method === "HEAD") return
    if (status >= 400) {
      expect(body["request_id"], what).toBe(headers["x-request-id"])
      holds(outgoing, "/components/schemas/Error", body, what)
      expect(headers["cache-control"], what).toBe("no-store")
    }
    const found = operationAt(document, method, path.split("?")[0] ?? "")
    if (found === null) {
      expect([404, 405, 421], what).toContain(status)
      return
    }
    if (status === 421) return
    const response = found.operation.responses[String(status)]
    expect(response, `${what} is not in the document`).toBeDefined()
    for (const [name, { required }] of Object.entries(response?.headers ?? {})) {
      if (required === false) continue
      expect(headers[name.toLowerCase()], `${what}: ${name}`).toBeDefined()
    }
    const mediaType = (headers["content-type"] ?? "").split(";")[0] ?? ""
    expect(Object.keys(response?.content ?? {}), what).toContain(mediaType)
    if (mediaType !== "application/json") return
    // All JSON answers except the documents require a key, a token or a session.
    expect(headers["cache-control"], what).toBe("no-store")
    const schemaAt = `${found.pointer}/responses/${status}/content/application~1json/schema`
    holds(outgoing, schemaAt, body, what)
    if (status < 300 && found.operation.requestBody !== undefined && sent !== undefined) {
      holds(
        incoming,
        `${found.pointer}/requestBody/content/application~1json/schema`,
        sent,
        `${what} request`,
      )
    }
  }
}

export type Validators = (pointer: string) => ValidateFunction

/** Validators for the schemas of the document, compiled on first use. */
export function validatorsOf(document: unknown, dateTime: RegExp | true): Validators {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { "date-time": dateTime, email: true },
  })
  ajv.addSchema(document as object, "document")
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const known = compiled.get(pointer)
    if (known !== undefined) return known
    const validate = ajv.compile({ $ref: `document#${pointer}` })
    compiled.set(pointer, validate)
    return validate
  }
}

function operationAt(
  { paths }: Document,
  method: string,
  path: string,
): { readonly operation: Operation; readonly pointer: string } | null {
  const segments = path.split("/")
  for (const [pattern, operations] of Object.entries(paths)) {
    const parts = pattern.split("/")
    const fits =
      parts.length === segments.length &&
      parts.every((part, at) => part === segments[at] || part.startsWith("{"))
    const operation = operations[method.toLowerCase()]
    if (!fits || operation === undefined) continue
    // A fragment is percent-decoded before it is read as a pointer.
    const name = encodeURIComponent(pattern.replaceAll("~", "~0").replaceAll("/", "~1"))
    return { operation, pointer: `/paths/${name}/${method.toLowerCase()}` }
  }
  return null
}

/** The same document with every object closed: what is not described must not be there. */
export function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== "object" || part === null) return part
  const entries = Object.entries(part).map(([name, value]) => [name, closed(value)] as const)
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  return copy["type"] === "object" && copy["properties"] !== undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
