/** The requests of a step, byte for byte: bodies of the course, signed and addressed by the code that sends webhooks. */

import { signWebhook } from "../../areas/webhooks/signature.ts"
import { POLICIES } from "../../areas/webhooks/webhook-policy.ts"
import { newEventId, newUuid } from "../../model/ids.ts"
import { OPEN_LINK_TIMEOUT_MS, WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import { BURST_REQUESTS, SKEW_SECONDS, faultOf } from "./catalogue.ts"
import type { FaultName } from "./catalogue.ts"
import type { Course, CourseEvent } from "./course.ts"
import type { Step } from "./draw.ts"

export type SecretName = "secret" | "new secret" | "open link secret" | "another secret"

/** How a request is signed, for a reader who repeats it. */
export interface Signing {
  readonly with: SecretName
  /** Seconds from the instant of sending to the signature's time; null if it signs no time. */
  readonly skewSeconds: number | null
  /** What was signed, where that is not the body. */
  readonly text: string | null
}

export interface PartnerRequest {
  readonly to: "hook" | "open link"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** `slow` writes the body in pieces; `unread` closes the connection instead of reading the answer. */
  readonly manner: "usual" | "slow" | "unread"
  /** Null without a signature. */
  readonly signing: Signing | null
  /** The event, if a right receiver applies it. */
  readonly event: AppliedEvent | null
}

export type AppliedEvent = Pick<CourseEvent, "eventId" | "place" | "status" | "subject">

export interface Secrets {
  readonly secret: string
  readonly newSecret: string | null
  readonly openLinkSecret: string | null
}

/** A secret that no receiver has. */
const ANOTHER_SECRET = `whsec_${"0".repeat(48)}`
const LARGE_BODY_BYTES = 65_536

interface Sending {
  readonly course: Course
  readonly secrets: Secrets
  readonly nowMs: EpochMs
}

/** Those of a burst are in flight together; others follow each other. */
export function requestsOf({ fault, event: place }: Step, sending: Sending): readonly PartnerRequest[] {
  const { course } = sending
  if (faultOf(fault).event === "opening") return openings(fault, sending)
  const event = course.events[place]
  if (event === undefined) throw new Error(`the course has no event ${place}`)
  switch (fault) {
    case "burst":
      return course.events
        .slice(0, Math.max(place + 1, BURST_REQUESTS))
        .slice(-BURST_REQUESTS)
        .map((other) => request(other, sending, {}))
    case "lost_answer":
      return [request(event, sending, { manner: "unread" }), request(event, sending, {})]
    default:
      return [request(changed(event, fault, course.api), sending, changesOf(fault, event))]
  }
}

interface Changes {
  readonly manner?: PartnerRequest["manner"]
  readonly secret?: SecretName | null
  readonly skewSeconds?: number
  /** The body that arrives instead of the signed one. */
  readonly arrives?: string
  readonly isApplied?: boolean
}

function changesOf(fault: FaultName, event: CourseEvent): Changes {
  switch (fault) {
    case "slow":
      return { manner: "slow" }
    case "rotated_secret":
      return { secret: "new secret" }
    case "clock_behind":
      return { skewSeconds: -SKEW_SECONDS.within }
    case "clock_ahead":
      return { skewSeconds: SKEW_SECONDS.within }
    case "too_old":
      return { skewSeconds: -SKEW_SECONDS.outside, isApplied: false }
    case "too_new":
      return { skewSeconds: SKEW_SECONDS.outside, isApplied: false }
    case "wrong_secret":
      return { secret: "another secret", isApplied: false }
    case "no_signature":
      return { secret: null, isApplied: false }
    case "tampered_body":
      return { arrives: altered(event), isApplied: false }
    case "unknown_event":
      return { isApplied: false }
    default:
      return {}
  }
}

/** An end that the event does not say, so that a receiver that believes it shows it. */
function altered({ body, status }: CourseEvent): string {
  if (status === null) return body.replace('"data":{', '"data":{"altered":true,')
  const other = /^canceled$/i.test(status) ? "completed" : "canceled"
  return body.replace(/"status":"\w+"/, `"status":"${other}"`)
}

/** The event as this fault sends it. A changed event is an event of its own, with own ids, about the same moment. */
function changed(event: CourseEvent, fault: FaultName, api: WebhookArea): CourseEvent {
  switch (fault) {
    case "second_endpoint":
      return { ...event, deliveryId: newUuid(event.deliveryId, fault) }
    case "unknown_event": {
      const eventType = api === "reservations" ? "reservation.renamed_later" : "pickup.renamed_later"
      const written = own(event, fault, { [TYPE_FIELD[api]]: eventType })
      return { ...written, eventType: eventType as CourseEvent["eventType"] }
    }
    case "additional_fields":
      return own(event, fault, { schema_hint: "later", extra: { list: [1, 2.5, null, { deep: true }] } })
    case "large_body":
      return own(event, fault, { note: "é".repeat(LARGE_BODY_BYTES / 2) })
    case "other_spelling": {
      const written = own(event, fault, {})
      return { ...written, body: spelled(written.body) }
    }
    default:
      return event
  }
}

const TYPE_FIELD: Readonly<Record<WebhookArea, string>> = {
  reservations: "event_type",
  direct_delivery: "event",
}

function own(event: CourseEvent, fault: FaultName, fields: object): CourseEvent {
  const read = JSON.parse(event.body) as { readonly event_id?: string; readonly occurred_at?: string }
  const deliveryId = newUuid(event.deliveryId, fault)
  if (read.event_id === undefined || read.occurred_at === undefined)
    return { ...event, deliveryId, eventId: deliveryId, body: JSON.stringify({ ...read, ...fields }) }
  const occurredUs = Date.parse(read.occurred_at) * 1000
  const eventId = newEventId(occurredUs, event.eventId, fault.length)
  const body = JSON.stringify({ ...read, event_id: eventId, ...fields })
  return { ...event, deliveryId, eventId, body, place: `${read.occurred_at} ${eventId}` }
}

/** The same JSON with line breaks, and with escapes instead of letters beyond ASCII. */
function spelled(body: string): string {
  const escaped = JSON.stringify(JSON.parse(body), null, 1)
  return escaped.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

function request(
  event: CourseEvent,
  { course: { api }, secrets, nowMs }: Sending,
  { manner = "usual", secret: name = "secret", skewSeconds = 0, arrives, isApplied = true }: Changes,
): PartnerRequest {
  const { body, deliveryId, eventId, eventType, subject: subjectId } = event
  const atMs = nowMs + skewSeconds * SECOND_MS
  const written = { body, eventId, eventType, subjectId, createdAtMs: atMs }
  const { "X-Service-Signature": signature = "", ...headers } = POLICIES[api].headers(
    secretNamed(name ?? "secret", secrets),
    written,
    atMs,
  )
  return {
    to: "hook",
    headers: {
      ...OWN_HEADERS,
      "X-Service-Delivery-Id": deliveryId,
      ...headers,
      ...(name === null ? {} : { "X-Service-Signature": signature }),
    },
    body: arrives ?? body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    manner,
    signing:
      name === null
        ? null
        : {
            with: name,
            skewSeconds: api === "reservations" ? skewSeconds : null,
            text: arrives === undefined ? null : body,
          },
    event: isApplied ? event : null,
  }
}

const OWN_HEADERS = { "Content-Type": "application/json", "User-Agent": "Curbline/1" }

function openings(fault: FaultName, sending: Sending): readonly PartnerRequest[] {
  const once = openingRequest(fault === "open_link_forged", sending)
  return fault === "open_link_lost" ? [{ ...once, manner: "unread" }, once] : [once]
}

/** Signed only for organizations with a secret for open links. */
function openingRequest(isForged: boolean, { course: { opening }, secrets, nowMs }: Sending): PartnerRequest {
  if (opening === null) throw new Error("the course opens no bot")
  const { attemptId, body } = opening
  const name: SecretName = isForged ? "another secret" : "open link secret"
  const isSigned = secrets.openLinkSecret !== null
  const signature = (): string => signWebhook({ secret: secretNamed(name, secrets), body, atMs: nowMs })
  return {
    to: "open link",
    headers: {
      ...OWN_HEADERS,
      "X-Service-Attempt-Id": attemptId,
      ...(isSigned ? { "X-Service-Signature": signature() } : {}),
    },
    body,
    timeoutMs: OPEN_LINK_TIMEOUT_MS,
    manner: "usual",
    signing: isSigned ? { with: name, skewSeconds: 0, text: null } : null,
    event: null,
  }
}

function secretNamed(name: SecretName, { secret, newSecret, openLinkSecret }: Secrets): string {
  switch (name) {
    case "secret":
      return secret
    case "new secret":
      return newSecret ?? ANOTHER_SECRET
    case "open link secret":
      return openLinkSecret ?? ANOTHER_SECRET
    case "another secret":
      return ANOTHER_SECRET
  }
}
