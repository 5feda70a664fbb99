/** Makes an OpenAPI 3.1 document from an API's endpoints and their schemas. */

import { JSONSchema, Schema } from "effect"
import { ERRORS, isPassing, statusOf } from "../model/values/errors.ts"
import type { ErrorCode } from "../model/values/errors.ts"
import { withNulls } from "../model/values/null-fields.ts"
import type { AnySchema } from "../model/values/schema.ts"
import type { Part } from "./document-part.ts"
import type { Offer, Parameter } from "./endpoint.ts"
import { CODES_WITH_DETAIL, FieldProblems } from "./errors.ts"
import { answerExamples, errorComponents, errorExamples, requestExamples } from "./recorded-examples.ts"
import type { RecordedExamples } from "./recorded-examples.ts"
import { mayWarn } from "./warnings.ts"
import { EVENTS_TAG, callbacksOf, webhooksOf } from "./webhook-document.ts"
import type { WebhookRules } from "./webhook-document.ts"
import { upTo } from "../model/values/text-ends.ts"

export interface Surface<One extends Offer> {
  readonly title: string
  readonly endpoints: readonly One[]
  /** Public URL of the API; undefined: only relative to the document. */
  readonly baseUrl: string | undefined
  /** Name of the security scheme of the bearer token. */
  readonly bearer: string
  /** Errors of every endpoint. */
  readonly errors: readonly ErrorCode[]
  /** Headers of every answer but 401. */
  readonly headers: readonly HeaderName[]
  /** Text of an endpoint in addition to its summary. */
  readonly describe?: (endpoint: One) => string
  /** Fields beside `data`, and of every error; default: `success`. */
  readonly envelope?: Envelope
  /** Paths without endpoints. */
  readonly morePaths?: Readonly<Record<string, Part>>
  /** The webhooks that the API sends to its callers' endpoints. */
  readonly webhooks?: WebhookRules
  /** Recorded requests, answers, errors and events; default: the document has no examples. */
  readonly examples?: RecordedExamples
}

/** Properties by name. */
export interface Envelope {
  readonly done: Readonly<Record<string, Part>>
  readonly failed: Readonly<Record<string, Part>>
}

const USUAL_ENVELOPE: Envelope = { done: { success: { const: true } }, failed: { success: { const: false } } }

const COMPONENTS = "#/components/schemas/"

const NO_EXAMPLES: RecordedExamples = { exchanges: {}, errors: {}, events: {} }

const ABOUT_EXAMPLES =
  "The service itself made the examples, on a sandbox of its own: keys, secrets, signatures, ids, people and times in them are " +
  "invented and work nowhere."

export function documentOf<One extends Offer>(surface: Surface<One>): Part {
  const {
    title,
    endpoints,
    baseUrl,
    bearer,
    headers,
    envelope = USUAL_ENVELOPE,
    morePaths = {},
    webhooks,
    examples = NO_EXAMPLES,
  } = surface
  const schemas: Record<string, JSONSchema.JsonSchema7> = {}
  const write = (schema: AnySchema): Part =>
    JSONSchema.fromAST(schema.ast, {
      definitions: schemas,
      definitionPath: COMPONENTS,
      target: "openApi3.1",
      // Unknown fields are ignored in requests, and may be added to answers.
      additionalPropertiesStrategy: "allow",
    }) as unknown as Part
  const paths: Record<string, Record<string, Part>> = {}
  for (const endpoint of endpoints) {
    const operations = (paths[endpoint.path] ??= {})
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, surface, write)
  }
  const events = webhooks === undefined ? null : webhooksOf(webhooks, examples, write)
  const tags = new Set([...Object.keys(paths), ...Object.keys(morePaths)].map(tagOf))
  if (events !== null) tags.add(EVENTS_TAG)
  const problems = write(FieldProblems)
  const used: readonly HeaderName[] = [...headers, "Retry-After", "WWW-Authenticate"]
  return {
    openapi: "3.1.0",
    info: { title, version: "1", ...(surface.examples === undefined ? {} : { description: ABOUT_EXAMPLES }) },
    servers: serversOf(baseUrl),
    security: [{ [bearer]: [] }],
    tags: [...tags].map((name) => ({ name })),
    paths: { ...paths, ...morePaths },
    ...(events === null ? {} : { webhooks: events }),
    components: {
      securitySchemes: { [bearer]: { type: "http", scheme: "bearer" } },
      headers: Object.fromEntries(used.map((name) => [name, HEADERS[name]])),
      schemas: { ...schemas, Error: errorSchema(problems, envelope.failed) },
      ...(surface.examples === undefined ? {} : { examples: errorComponents(examples) }),
    },
  }
}

/** The document's own host comes first: the policy of `/docs` allows "Try it out" only there. */
function serversOf(baseUrl: string | undefined): readonly Part[] {
  const own = { url: "/", description: "The host that this document came from." }
  return baseUrl === undefined ? [own] : [own, { url: baseUrl }]
}

function operationOf<One extends Offer>(
  endpoint: One,
  { errors: everywhere, headers, describe, envelope = USUAL_ENVELOPE, examples = NO_EXAMPLES }: Surface<One>,
  write: (schema: AnySchema) => Part,
): Part {
  const { operationId, summary, path, parameters, answers, errors, details, callbacks = [] } = endpoint
  const content = contentOf(endpoint, requestExamples(examples, operationId), write)
  const successes = Object.entries(answers).map(([status, data]) => [
    status,
    success({
      properties: { ...envelope.done, data: write(data), ...besideOf(endpoint, write) },
      optional: mayWarn(endpoint) ? { warnings: warnings(write(FieldProblems)) } : {},
      headers,
      examples: answerExamples(examples, operationId, Number(status)),
    }),
  ])
  const codes = new Set<ErrorCode>([
    ...everywhere,
    ...(content === null ? [] : (["PAYLOAD_TOO_LARGE"] as const)),
    // The gate's own answer to an id that no path can have, such as %00.
    ...(path.includes("{") ? (["NOT_FOUND"] as const) : []),
    ...errors,
  ])
  return {
    operationId,
    summary,
    tags: [tagOf(path)],
    ...descriptionOf([describe?.(endpoint), details]),
    parameters: [...pathParameters(path), ...parameters.map((parameter) => parameterOf(parameter, write))],
    ...(content === null ? {} : { requestBody: { required: endpoint.isBodyOptional !== true, content } }),
    responses: { ...Object.fromEntries(successes), ...failures([...codes], headers, examples) },
    ...callbacksOf(callbacks, write),
  }
}

function descriptionOf(texts: readonly (string | undefined)[]): { readonly description?: string } {
  const description = texts.filter((text) => text !== undefined).join("\n\n")
  return description === "" ? {} : { description }
}

/** Groups operations by their resource: `reservations` of `/rs/v1/reservations/{id}`. */
export function tagOf(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"))
  return upTo(segments[2] ?? path, ".")
}

/** The schema of a body by media type; null if there is none. */
function contentOf(
  { body, mediaTypes = [] }: Offer,
  examples: Part,
  write: (schema: AnySchema) => Part,
): Part | null {
  if (body !== null) {
    const schema = write(Schema.make(withNulls(body.ast)))
    return { "application/json": { schema, ...examples } }
  }
  return mediaTypes.length === 0 ? null : Object.fromEntries(mediaTypes.map((type) => [type, {}]))
}

export function pathParameters(path: string): readonly Part[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return names.map((name) => ({ in: "path", name, required: true, schema: { type: "string" } }))
}

function parameterOf(parameter: Parameter, write: (schema: AnySchema) => Part): Part {
  const { in: place, name, description, schema, isRepeatable, isRequired } = parameter
  return {
    in: place,
    name,
    description,
    ...(isRequired === true ? { required: true } : {}),
    schema: write(schema),
    ...(isRepeatable === true ? { style: "form", explode: true } : {}),
  }
}

function besideOf({ beside = {} }: Offer, write: (schema: AnySchema) => Part): Part {
  return Object.fromEntries(Object.entries(beside).map(([name, schema]) => [name, write(schema)]))
}

function warnings(problems: Part): Part {
  return {
    ...problems,
    description: "Unknown fields of the body: they were ignored. Absent where there are none.",
  }
}

interface Success {
  readonly properties: Part
  readonly optional: Part
  readonly headers: readonly HeaderName[]
  readonly examples: Part
}

function success({ properties, optional, headers, examples }: Success): Part {
  const required = Object.keys(properties)
  const schema = { type: "object", required, properties: { ...properties, ...optional } }
  return { description: "Done.", headers: headersOf(headers), ...json(schema, examples) }
}

/**
 * One response for each status; its schema has the codes of that status, with that of a host which is not served. An
 * unknown caller has no budget, so no budget headers.
 */
export function failures(
  codes: readonly ErrorCode[],
  headers: readonly HeaderName[],
  examples: RecordedExamples = NO_EXAMPLES,
): Part {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const code of [...codes, "MISDIRECTED_REQUEST"] as const) (byStatus[statusOf(code)] ??= []).push(code)
  const responses = Object.entries(byStatus).map(([status, ones]) => {
    const schema = {
      allOf: [{ $ref: `${COMPONENTS}Error` }, { properties: { code: { enum: ones } } }],
    }
    const description = ones.map((code) => `\`${code}\`: ${ERRORS[code].message}.`).join(" ")
    const described = { description, headers: failureHeaders(status, ones, headers) }
    return [status, { ...described, ...json(schema, errorExamples(examples, ones)) }]
  })
  return Object.fromEntries(responses) as Part
}

/**
 * A 503 that lasts until the settings change has no `Retry-After`, so the header is optional if the status has other
 * codes too.
 */
function failureHeaders(status: string, codes: readonly ErrorCode[], headers: readonly HeaderName[]): Part {
  const described = headersOf(MORE_HEADERS[status]?.(headers) ?? headers)
  if (status !== "503" || codes.every(isPassing)) return described
  const lasting = codes.filter((code) => !isPassing(code)).map((code) => `\`${code}\``)
  const description = `Seconds to wait. Not sent with ${lasting.join(", ")}.`
  return { ...described, "Retry-After": { ...HEADERS["Retry-After"], required: false, description } }
}

function errorSchema(problems: Part, envelope: Envelope["failed"]): Part {
  return {
    type: "object",
    required: [...Object.keys(envelope), "error", "code", "request_id"],
    properties: {
      ...envelope,
      error: { type: "string", description: "For people." },
      code: { enum: Object.keys(ERRORS).toSorted() },
      request_id: {
        type: "string",
        description:
          "Of this call. The header `Link` of an answer to a known key leads to the call in the portal's request log.",
      },
      details: { ...problems, description: "Comes with `VALIDATION_ERROR`." },
      fields: {
        type: "array",
        items: { type: "string" },
        description:
          "The fields that the code is about: those that a permission is missing for, that differ from the first request of an idempotency key, or that break a bound of the window.",
      },
      detail: {
        type: "string",
        description: `Narrows ${[...CODES_WITH_DETAIL].map((code) => `\`${code}\``).join(", ")}. Of a URL: \`INVALID_URL\`, \`NOT_HTTPS\`, \`BARE_IP_REJECTED\`, \`DNS_RESOLUTION_FAILED\` or \`BLOCKED_TARGET\`.`,
      },
      earliest_at: {
        type: ["string", "null"],
        format: "date-time",
        description: `Comes with \`NO_CAPACITY\` of a new delivery: ${EARLIEST_AT}`,
      },
      warnings: warnings(problems),
    },
  }
}

/** Of the field `earliest_at`. */
export const EARLIEST_AT =
  "when a vehicle is expected to have a free place, in full minutes; null when no vehicle is online, or when only operations can make room. An extension of the contract."

function json(schema: Part, examples: Part): Part {
  return { content: { "application/json": { schema, ...examples } } }
}

const HEADERS = {
  "X-Request-Id": { schema: { type: "string" }, description: "Of this request; echoed if sent." },
  "RateLimit-Limit": { schema: { type: "integer" }, description: "Requests a minute." },
  "RateLimit-Remaining": { schema: { type: "integer" }, description: "Left in this minute." },
  "RateLimit-Reset": { schema: { type: "integer" }, description: "Seconds until the minute ends." },
  "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait." },
  "WWW-Authenticate": { schema: { const: "Bearer" }, description: "How to authenticate." },
} as const

export type HeaderName = keyof typeof HEADERS

const MORE_HEADERS: Readonly<Record<string, (headers: readonly HeaderName[]) => readonly HeaderName[]>> = {
  401: () => ["X-Request-Id", "WWW-Authenticate"],
  421: () => ["X-Request-Id"],
  429: (headers) => [...headers, "Retry-After"],
  503: (headers) => [...headers, "Retry-After"],
}

function headersOf(names: readonly HeaderName[]): Part {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
