/**
 * One request to Stripe's API and its answer. Source: Stripe API, authentication, versioning, idempotent requests,
 * errors.
 *
 * The official client is not used: it does not support shared payment tokens, and it retries by itself, which the
 * machine would not count. Tests compare the requests with the client's.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Option, Schema } from "effect"
import { PAYMENT_TIMEOUT_MS } from "../../model/values/limits.ts"
import { asking, jsonOf } from "./api-client.ts"
import type { ApiAnswer, NoAnswer } from "./api-client.ts"

export interface StripeAccount {
  readonly secretKey: string
  /** Base URL of the API; tests use a stand-in on the loopback. */
  readonly apiUrl?: string
}

interface StripeRequest {
  readonly method: "GET" | "POST"
  /** Path with query; ids in it are escaped. */
  readonly path: string
  readonly version: string
  readonly form?: Readonly<Record<string, string>>
  /** The same for every retry. */
  readonly idempotencyKey?: string
}

/** `unclear`: no answer came, so the request may have been carried out. */
export type StripeAnswer =
  | { readonly type: "answered"; readonly status: number; readonly body: unknown }
  /** `hasFailed`: Stripe itself reported a failure, which it keeps under the key. */
  | { readonly type: "unclear"; readonly reason: string; readonly hasFailed: boolean }

export type AskStripe = (request: StripeRequest) => Effect.Effect<StripeAnswer>

/** The API version that this code is written for. */
export const STRIPE_VERSION = "2026-10-28.endive"
/** The first preview version with shared payment tokens. */
export const STRIPE_TOKENS_VERSION = "2026-04-22.preview"

const API_URL = "https://api.stripe.com"

/** A request with the same key is still in flight. */
const CONFLICT = 409

export function askStripe({
  secretKey,
  apiUrl = API_URL,
}: StripeAccount): Effect.Effect<AskStripe, never, HttpClient.HttpClient> {
  return Effect.map(HttpClient.HttpClient, (client) => ({ method, path, version, form, idempotencyKey }) => {
    const request = HttpClientRequest.make(method)(`${apiUrl}${path}`).pipe(
      HttpClientRequest.setHeaders({
        Authorization: `Bearer ${secretKey}`,
        Accept: "application/json",
        "Stripe-Version": version,
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      }),
      form === undefined ? (one) => one : HttpClientRequest.bodyUrlParams(form),
    )
    return Effect.catchAll(
      asking(client, request, { timeoutMs: PAYMENT_TIMEOUT_MS, read: answerIn }),
      ({ reason }) =>
        Effect.succeed<StripeAnswer>({ type: "unclear", reason: `stripe_${reason}`, hasFailed: false }),
    )
  })
}

function answerIn(answer: ApiAnswer): Effect.Effect<StripeAnswer, NoAnswer> {
  const { status } = answer
  if (status >= 500 || status === CONFLICT)
    return Effect.succeed({ type: "unclear", reason: `stripe_${status}`, hasFailed: status >= 500 })
  return Effect.map(jsonOf(answer), (body) => ({ type: "answered", status, body }))
}

/**
 * True for errors on our side, such as a wrong key or too many requests, which must not count as a declined payment.
 */
export function isOfOurs(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}

const ErrorBody = Schema.Struct({
  error: Schema.Struct({
    type: Schema.String,
    code: Schema.optional(Schema.String),
    decline_code: Schema.optional(Schema.String),
    payment_intent: Schema.optional(Schema.Struct({ status: Schema.String })),
  }),
})

const decodeError = Schema.decodeUnknownOption(ErrorBody)

export interface StripeProblem {
  /** A word, such as `card_declined`. */
  readonly code: string
  /** The bank's reason, such as `expired_card`; never journalled, because it is personal. */
  readonly declineCode: string | null
  /** Status of the payment that the request was about. */
  readonly paymentStatus: string | null
}

/** The error in an answer. Its message is dropped: it may quote the request. */
export function problemIn(body: unknown): StripeProblem {
  const error = Option.getOrNull(decodeError(body))?.error
  const code = error?.code ?? error?.type ?? ""
  return {
    code: isWord(code) ? code : "declined",
    declineCode: isWord(error?.decline_code) ? error.decline_code : null,
    paymentStatus: error?.payment_intent?.status ?? null,
  }
}

function isWord(text: string | undefined): text is string {
  return text !== undefined && /^[a-z][a-z_]{0,63}$/.test(text)
}
