/**
 * The `webhooks` section of an OpenAPI 3.1 document: the events that an API sends to its callers' endpoints. Source:
 * OpenAPI 3.1.0, `webhooks`; reservations and direct delivery contracts, events.
 */

import { WEBHOOK_TIMEOUT_MS } from "../model/values/limits.ts"
import { listed } from "../model/values/listed.ts"
import { MINUTE_MS, SECOND_MS } from "../model/values/time.ts"
import type { EventType } from "../model/webhook.ts"
import type { Part } from "./document-part.ts"
import type { AnySchema } from "../model/values/schema.ts"
import { eventExamples } from "./recorded-examples.ts"
import type { RecordedExamples } from "./recorded-examples.ts"

/** One event that an endpoint may receive. */
export interface WebhookEvent {
  readonly type: EventType
  readonly operationId: string
  readonly summary: string
  /** The whole body, including its envelope. */
  readonly body: AnySchema
}

/** A header of every attempt. */
export interface WebhookHeader {
  readonly name: string
  readonly description: string
  readonly schema: Part
}

/** What the service sends to an address that came with a call. Source: OpenAPI 3.1.0, `callbacks`. */
export interface Callback {
  /** The field of the call that names the address. */
  readonly field: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly headers: readonly (WebhookHeader & { readonly isOptional?: true })[]
  readonly body: AnySchema
  readonly example: object
  readonly failure: string
}

/** How one API signs its events, and when it sends them again. */
export interface WebhookRules {
  readonly events: readonly WebhookEvent[]
  readonly signature: WebhookHeader
  /** How a receiver checks the signature. */
  readonly verification: string
  /**
   * Headers in addition to those that every API sends. The schema of a header with the event's type is made for each
   * event.
   */
  readonly eventHeaders: (type: EventType) => readonly WebhookHeader[]
  /** Waits between attempts, in order. There is one attempt more than there are waits. */
  readonly backoffMs: readonly number[]
  /** Further notes for receivers. */
  readonly notes: string
}

export const EVENTS_TAG = "events"

export const USER_AGENT: WebhookHeader = {
  name: "User-Agent",
  description: "The sender and its major version.",
  schema: { const: "Curbline/1" },
}

export function webhooksOf(
  rules: WebhookRules,
  examples: RecordedExamples,
  write: (schema: AnySchema) => Part,
): Part {
  const description = `${deliveryText(rules)}\n\n${rules.verification}\n\n${rules.notes}`
  const failure =
    "Not received: the attempt failed and is made again. Redirects are not followed and count as failures."
  const entries = rules.events.map(({ type, operationId, summary, body }) => [
    type,
    {
      post: {
        operationId,
        summary,
        description,
        ...sent(
          { headers: headersOf(rules, type), schema: write(body), failure },
          eventExamples(examples, type),
        ),
      },
    },
  ])
  return Object.fromEntries(entries) as Part
}

/** The `callbacks` of one operation; empty without any. */
export function callbacksOf(callbacks: readonly Callback[], write: (schema: AnySchema) => Part): Part {
  if (callbacks.length === 0) return {}
  const entries = callbacks.map(({ field, operationId, body, example, headers, failure, ...words }) => {
    const examples = { examples: { [operationId]: { value: example } } } as unknown as Part
    const post = { operationId, ...words, ...sent({ headers, schema: write(body), failure }, examples) }
    return [field, { [`{$request.body#/${field}}`]: { post } }]
  })
  return { callbacks: Object.fromEntries(entries) as Part }
}

interface SentRequest {
  readonly headers: Callback["headers"]
  readonly schema: Part
  readonly failure: string
}

/** The parts of an operation that the service calls at a partner's host. */
function sent({ headers, schema, failure }: SentRequest, examples: Part = {}): Part {
  return {
    tags: [EVENTS_TAG],
    // The receiver requires no key: the signature proves the sender.
    security: [],
    parameters: headers.map(({ name, isOptional, ...header }) => ({
      in: "header",
      name,
      required: isOptional !== true,
      ...header,
    })),
    requestBody: { required: true, content: { "application/json": { schema, ...examples } } },
    responses: {
      "2XX": { description: "Received. The body of the answer is not read." },
      default: { description: failure },
    },
  }
}

function headersOf({ signature, eventHeaders }: WebhookRules, type: EventType): readonly WebhookHeader[] {
  return [
    signature,
    {
      name: "X-Service-Delivery-Id",
      description:
        "One event on its way to one endpoint. The same on every attempt: ignore one that was seen.",
      schema: { type: "string", format: "uuid" },
    },
    ...eventHeaders(type),
    USER_AGENT,
  ]
}

function deliveryText({ backoffMs }: WebhookRules): string {
  const waits = backoffMs.map(waitText)
  return (
    `Each event is a POST with \`Content-Type: application/json\` to every active endpoint that subscribes to it. ` +
    `An attempt succeeds with any status of 200 to 299 within ${WEBHOOK_TIMEOUT_MS / SECOND_MS} seconds. ` +
    `There are up to ${backoffMs.length + 1} attempts: the first at once, and after each failure the next one after ` +
    `${listed(waits)}; then the delivery is dropped. ` +
    "The body is byte for byte the same on every attempt. Events may arrive more than once and in any order."
  )
}

function waitText(ms: number): string {
  return ms % MINUTE_MS === 0 && ms > MINUTE_MS ? `${ms / MINUTE_MS} minutes` : `${ms / SECOND_MS} seconds`
}
