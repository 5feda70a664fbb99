/** The OpenAPI 3.1 document of the Reservations API, made from its endpoints and their schemas. */

import { JSONSchema } from "effect"
import { EDGE_REFUSALS, REFUSALS, statusOf } from "../../model/errors.ts"
import type { EdgeRefusalCode, ErrorCode, RefusalCode } from "../../model/errors.ts"
import type { AnySchema, Endpoint, Parameter } from "../endpoint.ts"
import { FieldProblems } from "../errors.ts"
import { PHOTO_MEDIA_TYPES, PHOTO_PATH } from "./photos.ts"

/** A part of the document. */
export interface Part {
  readonly [name: string]: unknown
}

/** What every endpoint with a key may answer. */
const KEYED_ERRORS: readonly ErrorCode[] = [
  "INVALID_API_KEY",
  "WRONG_ENV_KEY",
  "ORG_INACTIVE",
  "NOT_FLEET_PARTNER",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
]

const COMPONENTS = "#/components/schemas/"

export function openApi(endpoints: readonly Endpoint<unknown>[], baseUrl: string | undefined): Part {
  const schemas: Record<string, JSONSchema.JsonSchema7> = {}
  const write = (schema: AnySchema): Part =>
    JSONSchema.fromAST(schema.ast, {
      definitions: schemas,
      definitionPath: COMPONENTS,
      target: "openApi3.1",
      // Unknown fields are ignored on the way in, and may be added on the way out.
      additionalPropertiesStrategy: "allow",
    }) as unknown as Part
  const paths: Record<string, Record<string, Part>> = {}
  for (const endpoint of endpoints) {
    const operations = (paths[endpoint.path] ??= {})
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, write)
  }
  const problems = write(FieldProblems)
  return {
    openapi: "3.1.0",
    info: { title: "Reservations API", version: "1" },
    ...(baseUrl === undefined ? {} : { servers: [{ url: baseUrl }] }),
    security: [{ key: [] }],
    paths: { ...paths, [PHOTO_PATH]: { get: photoOperation() } },
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      headers: HEADERS,
      schemas: { ...schemas, Error: errorSchema(problems) },
    },
  }
}

function operationOf(endpoint: Endpoint<unknown>, write: (schema: AnySchema) => Part): Part {
  const { operationId, summary, permissions, path, parameters, body, answers, errors } = endpoint
  const successes = Object.entries(answers).map(([status, data]) => [status, success(write(data))])
  const codes: readonly ErrorCode[] = [
    ...KEYED_ERRORS,
    ...(body === null ? [] : (["PAYLOAD_TOO_LARGE"] as const)),
    ...errors,
  ]
  return {
    operationId,
    summary,
    description: `Needs ${permissions.map((permission) => `\`${permission}\``).join(" and ")}.`,
    parameters: [...pathParameters(path), ...parameters.map((parameter) => parameterOf(parameter, write))],
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: endpoint.isBodyOptional !== true,
            content: { "application/json": { schema: write(body) } },
          },
        }),
    responses: { ...Object.fromEntries(successes), ...failures(codes, BUDGET_HEADERS) },
  }
}

function photoOperation(): Part {
  const query = (name: string, schema: Part): Part => ({ in: "query", name, required: true, schema })
  const content = PHOTO_MEDIA_TYPES.map((type) => [type, {}])
  return {
    operationId: "readPhoto",
    summary: "A load photo behind its signed link, as `load_photo_url` gives it",
    security: [],
    parameters: [
      ...pathParameters(PHOTO_PATH),
      query("exp", { type: "string" }),
      query("sig", { type: "string" }),
    ],
    responses: {
      200: { description: "The photo.", content: Object.fromEntries(content) },
      ...failures(["NOT_FOUND", "INTERNAL_ERROR"], ["X-Request-Id"]),
    },
  }
}

function pathParameters(path: string): readonly Part[] {
  return path.includes("{id}") ? [{ in: "path", name: "id", required: true, schema: { type: "string" } }] : []
}

function parameterOf(parameter: Parameter, write: (schema: AnySchema) => Part): Part {
  const { in: place, name, description, schema, isRepeatable } = parameter
  return {
    in: place,
    name,
    description,
    schema: write(schema),
    ...(isRepeatable === true ? { style: "form", explode: true } : {}),
  }
}

function success(data: Part): Part {
  const schema = {
    type: "object",
    required: ["success", "data"],
    properties: { success: { const: true }, data },
  }
  return { description: "Done.", headers: headersOf(BUDGET_HEADERS), ...json(schema) }
}

/** One response a status; its schema names the codes that come with it. An unknown caller has no budget to be told of. */
function failures(codes: readonly ErrorCode[], headers: readonly string[]): Part {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const code of codes) (byStatus[statusOf(code)] ??= []).push(code)
  const responses = Object.entries(byStatus).map(([status, ones]) => {
    const schema = {
      allOf: [{ $ref: `${COMPONENTS}Error` }, { properties: { code: { enum: ones } } }],
    }
    const description = ones.map((code) => `\`${code}\`: ${sentenceOf(code)}.`).join(" ")
    return [
      status,
      { description, headers: headersOf(MORE_HEADERS[status]?.(headers) ?? headers), ...json(schema) },
    ]
  })
  return Object.fromEntries(responses) as Part
}

function sentenceOf(code: ErrorCode): string {
  return code in REFUSALS
    ? REFUSALS[code as RefusalCode].message
    : EDGE_REFUSALS[code as EdgeRefusalCode].message
}

function errorSchema(problems: Part): Part {
  return {
    type: "object",
    required: ["success", "error", "code", "request_id"],
    properties: {
      success: { const: false },
      error: { type: "string", description: "For people." },
      code: { enum: [...Object.keys(REFUSALS), ...Object.keys(EDGE_REFUSALS)].toSorted() },
      request_id: { type: "string" },
      details: { ...problems, description: "Comes with `VALIDATION_ERROR`." },
      fields: {
        type: "array",
        items: { type: "string" },
        description: "The fields that a permission is missing for.",
      },
    },
  }
}

function json(schema: Part): Part {
  return { content: { "application/json": { schema } } }
}

const HEADERS: Readonly<Record<string, Part>> = {
  "X-Request-Id": { schema: { type: "string" }, description: "Of this request; echoed if sent." },
  "RateLimit-Limit": { schema: { type: "integer" }, description: "Requests a minute." },
  "RateLimit-Remaining": { schema: { type: "integer" }, description: "Left in this minute." },
  "RateLimit-Reset": { schema: { type: "integer" }, description: "Seconds until the minute ends." },
  "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait." },
  "WWW-Authenticate": { schema: { const: "Bearer" }, description: "How to authenticate." },
}

const BUDGET_HEADERS = ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]

const MORE_HEADERS: Readonly<Record<string, (headers: readonly string[]) => readonly string[]>> = {
  401: () => ["X-Request-Id", "WWW-Authenticate"],
  429: (headers) => [...headers, "Retry-After"],
}

function headersOf(names: readonly string[]): Part {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
