/** The request that a reader prepares: fields of the form, and what is sent from them. */

import { demoNowMs } from "../demo-clock.ts"
import { examplesOf, proofOf } from "./openapi.ts"
import type { Entry, OpenApi, Operation, Parameter } from "./openapi.ts"
import type { DemoKeys, ReferenceData } from "./reference-data.ts"
import type { SampleRequest } from "./samples.ts"
import { plainOf } from "./schema-words.ts"

export interface Draft {
  /** Values of parameters by place and name, as `query limit`. */
  readonly values: Readonly<Record<string, string>>
  /** JSON text; null for an operation without a JSON body. */
  readonly body: string | null
}

export function placeOf({ in: place, name }: Parameter): string {
  return `${place} ${name}`
}

/** The form as it stands at first: ids of the demo, the only possible values, and the first example. */
export function firstDraft(operation: Operation, document: OpenApi, data: ReferenceData): Draft {
  const values = (operation.parameters ?? []).map(
    (parameter) => [placeOf(parameter), firstValue(parameter, document, data.demo)] as const,
  )
  const media = operation.requestBody?.content["application/json"]
  if (media === undefined) return { values: Object.fromEntries(values), body: null }
  const example = examplesOf(media, document)[0]?.value ?? emptyBody(media.schema, document)
  return { values: Object.fromEntries(values), body: bodyText(example, data) }
}

function firstValue(
  { name, in: place, schema }: Parameter,
  document: OpenApi,
  demo: DemoKeys | null,
): string {
  const { enum: words = [] } = plainOf(schema, document).schema
  if (place === "header" && words.length === 1) return String(words[0])
  return demo !== null && name === "x-retailer-id" ? demo.site_id : ""
}

/** The required fields, each with an empty value of its type. */
function emptyBody(schema: Parameter["schema"] | undefined, document: OpenApi): unknown {
  if (schema === undefined) return {}
  const { schema: plain } = plainOf(schema, document)
  const { properties = {}, required = [], enum: words, const: only, type } = plain
  if (only !== undefined) return only
  if (words !== undefined) return words[0]
  if (type === "array") return []
  if (type === "number" || type === "integer") return plain.minimum ?? 0
  if (type === "boolean") return false
  if (type === "string") return ""
  return Object.fromEntries(required.map((name) => [name, emptyBody(properties[name], document)]))
}

const MINUTE_MS = 60_000

/**
 * An example as a body that this host can take: with the demo's ids, an address that it may call, and its instants moved
 * so that the first is in half an hour.
 */
export function bodyText(example: unknown, { demo, open_link_url: openLink }: ReferenceData): string {
  const own: Readonly<Record<string, string>> = {
    open_link_url: openLink,
    ...(demo === null ? {} : { zone_id: demo.zone_id, retailer_id: demo.retailer_id }),
  }
  const text = JSON.stringify(
    example,
    (name, value: unknown) => (typeof value === "string" ? (own[name] ?? value) : value),
    2,
  )
  const instants = [...text.matchAll(INSTANT)].map(([found]) => Date.parse(found.slice(1, -1)))
  if (instants.length === 0) return text
  const start = Math.ceil(demoNowMs() / MINUTE_MS + 30) * MINUTE_MS
  const byMs = start - Math.min(...instants)
  return text.replaceAll(
    INSTANT,
    (found) => `"${new Date(Date.parse(found.slice(1, -1)) + byMs).toISOString()}"`,
  )
}

const INSTANT = /"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z"/g

/** Environment variables of code samples, named like those that the start page copies. */
const VARIABLES = {
  "API key": "CURBLINE_KEY",
  "operator token": "CURBLINE_OPERATOR_TOKEN",
  "portal session": null,
} as const

/** The request of a draft; parameters without a value are left out. */
export function requestOf(
  entry: Entry,
  document: OpenApi,
  { values, body }: Draft,
  baseUrl: string,
): SampleRequest {
  const { method, path, operation } = entry
  const parameters = operation.parameters ?? []
  const valueOf = (parameter: Parameter): string => (values[placeOf(parameter)] ?? "").trim()
  const given = (place: Parameter["in"]): readonly (readonly [name: string, value: string])[] =>
    parameters
      .filter((parameter) => parameter.in === place && valueOf(parameter) !== "")
      .map((parameter) => [parameter.name, valueOf(parameter)] as const)
  const inPath = new Map(given("path"))
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    inPath.has(name) ? encodeURIComponent(inPath.get(name) ?? "") : whole,
  )
  const query = new URLSearchParams(given("query").map(([name, value]) => [name, value])).toString()
  const proof = proofOf(document, operation)
  return {
    method,
    url: `${baseUrl}${filled}${query === "" ? "" : `?${query}`}`,
    headers: Object.fromEntries(given("header")),
    body: body === null || body.trim() === "" ? null : body,
    bearer: proof === null ? null : VARIABLES[proof],
  }
}
