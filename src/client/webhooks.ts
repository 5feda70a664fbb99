/**
 * Verification of webhooks, for both APIs. Needs WebCrypto, which Node, browsers and other runtimes have; WebCrypto compares
 * signatures in constant time.
 */

import type { operations as DeliveryOperations } from "./delivery-types.ts"
import type { operations as ReservationOperations } from "./reservation-types.ts"

type BodyOf<Operation extends { readonly requestBody: unknown }> =
  NonNullable<Operation["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Body }
  }
    ? Body
    : never

/** An event of the Reservations API; `event_type` tells them apart. */
export type ReservationEvent = BodyOf<
  ReservationOperations["reservationException" | "reservationHandoffUpdated" | "reservationStatusChanged"]
>

/** An event of the Direct Delivery API; `event` tells them apart. */
export type DeliveryEvent = BodyOf<
  DeliveryOperations["pickupStatusChanged" | "pickupVehicleLocationChanged" | "webhookTest"]
>

/** The API whose endpoint got the request. */
export type WebhookApi = "direct_delivery" | "reservations"

export type WebhookEvent<Api extends WebhookApi> = Api extends "reservations"
  ? ReservationEvent
  : DeliveryEvent

/** Headers of the runtime, or of Node's `request.headers`. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest<Api extends WebhookApi> {
  readonly api: Api
  /** The body as it arrived, before JSON is parsed. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** The whole secret of the endpoint, `whsec_` included; during a rotation the old one and the new one. */
  readonly secret: string | readonly string[]
  /** How far the signature's time may be from the clock, in seconds; 300 if absent. Direct Delivery signs no time. */
  readonly toleranceSeconds?: number
  /** Now, in milliseconds since 1970; default: the clock. */
  readonly nowMs?: number
}

/**
 * Why a request is not trusted. `no_match`: the secret is another one, or the body was changed. `not_json`: the signature holds, but the
 * body is no JSON object.
 */
export type WebhookFault = "malformed_signature" | "no_match" | "no_signature" | "not_json" | "too_old"

export interface VerifiedWebhook<Api extends WebhookApi> {
  readonly isValid: true
  readonly event: WebhookEvent<Api>
  /** The same on every attempt: ignore one that was seen. Null without the header. */
  readonly deliveryId: string | null
}

export type WebhookVerdict<Api extends WebhookApi> =
  VerifiedWebhook<Api> | { readonly isValid: false; readonly fault: WebhookFault; readonly message: string }

/** Checks a received request. Rejects only for a mistake of the program, such as a body that was parsed already. */
export async function verifyWebhook<Api extends WebhookApi>(
  request: WebhookRequest<Api>,
): Promise<WebhookVerdict<Api>> {
  const { api, headers, secret, toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() } = request
  const body = bytesOf(request.body)
  const secrets = secretsIn(secret)
  if (!(toleranceSeconds >= 0))
    throw new TypeError(`toleranceSeconds must be 0 or more, is ${toleranceSeconds}`)
  const header = headerIn(headers, "x-service-signature")?.trim() ?? ""
  if (header === "") return invalid("no_signature", "the request has no X-Service-Signature")
  const found = FORMS[api].exec(header)
  if (found === null) return invalid("malformed_signature", "X-Service-Signature has another form")
  const { t: seconds, v1 = "" } = found.groups ?? {}
  const signed = seconds === undefined ? body : joined(encoder.encode(`${seconds}.`), body)
  if (!(await isSignedBy(secrets, signed, v1)))
    return invalid(
      "no_match",
      "the signature fits neither the secret nor the body: check which secret the endpoint has",
    )
  const ageSeconds = seconds === undefined ? 0 : Math.abs(Math.floor(nowMs / 1000) - Number(seconds))
  if (ageSeconds > toleranceSeconds)
    return invalid(
      "too_old",
      `the signature is ${ageSeconds} s from the clock, more than ${toleranceSeconds} s`,
    )
  const event = objectIn(body)
  if (event === null) return invalid("not_json", "the body is no JSON object")
  return {
    isValid: true,
    event: event as WebhookEvent<Api>,
    deliveryId: headerIn(headers, "x-service-delivery-id"),
  }
}

/** Source: reservations contract, delivery of events. */
const TOLERANCE_SECONDS = 300

const FORMS: Readonly<Record<WebhookApi, RegExp>> = {
  reservations: /^t=(?<t>\d{1,12}),v1=(?<v1>[0-9a-f]{64})$/,
  direct_delivery: /^(?<v1>[0-9a-f]{64})$/,
}

const encoder = new TextEncoder()

function invalid(
  fault: WebhookFault,
  message: string,
): { readonly isValid: false; readonly fault: WebhookFault; readonly message: string } {
  return { isValid: false, fault, message }
}

type Bytes = Uint8Array<ArrayBuffer>

function bytesOf(body: unknown): Bytes {
  if (typeof body === "string") return encoder.encode(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  throw new TypeError("body must be the raw body, as text or bytes: read it before JSON is parsed")
}

function secretsIn(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === "string" ? [secret] : secret
  if (secrets.length > 0 && secrets.every((one) => typeof one === "string" && one !== "")) return secrets
  throw new TypeError("secret must be the endpoint's secret, or a list of them")
}

function headerIn(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name)
  const entries = Object.entries(headers as Readonly<Record<string, string | readonly string[] | undefined>>)
  const value = entries.find(([one]) => one.toLowerCase() === name)?.[1]
  return (typeof value === "string" ? value : value?.[0]) ?? null
}

/** Every secret is tried, so that the time does not say which one fits. */
async function isSignedBy(secrets: readonly string[], signed: Bytes, hex: string): Promise<boolean> {
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const verdicts = await Promise.all(secrets.map((secret) => hasSigned(secret, signed, signature)))
  return verdicts.includes(true)
}

const HMAC = { name: "HMAC", hash: "SHA-256" }

async function hasSigned(secret: string, signed: Bytes, signature: Bytes): Promise<boolean> {
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey("raw", encoder.encode(secret), HMAC, false, ["verify"])
  return subtle.verify(HMAC, key, signature, signed)
}

function joined(head: Bytes, rest: Bytes): Bytes {
  const both = new Uint8Array(head.length + rest.length)
  both.set(head)
  both.set(rest, head.length)
  return both
}

function objectIn(body: Bytes): object | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
