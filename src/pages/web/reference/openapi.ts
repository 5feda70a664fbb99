/** The parts of an OpenAPI 3.1 document that the page shows, and how to read them. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly not?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

export interface Parameter {
  readonly in: "cookie" | "header" | "path" | "query"
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Referred {
  readonly $ref?: string
}

export interface Media {
  readonly schema?: Schema
  readonly examples?: Readonly<Record<string, Referred & { readonly value?: unknown }>>
}

export interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

type Security = readonly Readonly<Record<string, unknown>>[]

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: Security
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
  /** By name, and then by the address as an expression. */
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, { readonly post: Operation }>>>>
}

interface SecurityScheme {
  readonly type: string
  readonly scheme?: string
  readonly in?: string
  readonly name?: string
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string }
  readonly security: Security
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  }
}

/** An operation or an event, with its place in the document. */
export interface Entry {
  readonly id: string
  readonly tag: string
  /** `EVENT` for what the service sends. */
  readonly method: string
  /** Of an event: its type, or the field that names its address. */
  readonly path: string
  readonly operation: Operation
}

export function entriesOf({ paths, webhooks = {} }: OpenApi): readonly Entry[] {
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => entryOf(method.toUpperCase(), path, operation)),
  )
  const callbacks = operations.flatMap(({ operation }) =>
    Object.entries(operation.callbacks ?? {}).flatMap(([name, byAddress]) =>
      Object.values(byAddress).map(({ post }) => entryOf("EVENT", name, post)),
    ),
  )
  const events = Object.entries(webhooks).map(([type, { post }]) => entryOf("EVENT", type, post))
  return [...operations, ...events, ...callbacks]
}

function entryOf(method: string, path: string, operation: Operation): Entry {
  return { id: operation.operationId, tag: operation.tags[0] ?? "", method, path, operation }
}

/** True when an entry has all words of the search in its names, path or texts. */
export function isFound({ id, tag, method, path, operation }: Entry, search: string): boolean {
  const text = [id, tag, method, path, operation.summary, operation.description ?? ""].join(" ").toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** How a caller proves who it is. */
export type Proof = "API key" | "operator token" | "portal session" | null

export function proofOf({ components, security }: OpenApi, operation: Operation): Proof {
  const [name] = Object.keys((operation.security ?? security)[0] ?? {})
  const scheme = name === undefined ? undefined : components.securitySchemes[name]
  if (scheme === undefined) return null
  if (scheme.in === "cookie") return "portal session"
  return name === "operatorToken" ? "operator token" : "API key"
}

export interface NamedValue {
  readonly name: string
  readonly value: unknown
}

export function examplesOf(media: Media | undefined, { components }: OpenApi): readonly NamedValue[] {
  return Object.entries(media?.examples ?? {}).map(([name, { $ref, value }]) => ({
    name,
    value: $ref === undefined ? value : components.examples?.[lastPart($ref)]?.value,
  }))
}

export interface ErrorRow {
  readonly status: string
  readonly code: string
  readonly meaning: string
  readonly example: unknown
}

/** The error codes of an operation with their statuses. */
export function errorsOf(operation: Operation, document: OpenApi): readonly ErrorRow[] {
  return Object.entries(operation.responses).flatMap(([status, { description, content }]) => {
    const media = content?.["application/json"]
    const codes = codesOf(media?.schema)
    const meanings = meaningsIn(description)
    const examples = examplesOf(media, document)
    return codes.map((code) => ({
      status,
      code,
      meaning: meanings.get(code) ?? "",
      example: examples.find(({ name }) => name === code)?.value,
    }))
  })
}

/** Answers that are no errors. */
export function successesOf({
  responses,
}: Operation): readonly (readonly [status: string, answer: Answer])[] {
  return Object.entries(responses).filter(
    ([, { content }]) => codesOf(content?.["application/json"]?.schema).length === 0,
  )
}

/** An error's schema is the common one with its codes. */
function codesOf(schema: Schema | undefined): readonly string[] {
  const codes = schema?.allOf?.flatMap(({ properties }) => properties?.["code"]?.enum ?? []) ?? []
  return codes.map(String)
}

/** A description is `CODE` in backticks, a colon and a sentence, for each code. */
function meaningsIn(description: string): ReadonlyMap<string, string> {
  const found = [...description.matchAll(/`([A-Z_]+)`: /g)]
  return new Map(
    found.map((one, at) => {
      const from = one.index + one[0].length
      return [one[1] ?? "", description.slice(from, found[at + 1]?.index).trim()] as const
    }),
  )
}

export function lastPart(reference: string): string {
  return reference.replace(/^.*\//, "")
}
