/**
 * One request to Stripe's API, and what came back. Source: Stripe API, authentication, versioning, idempotent requests, errors.
 *
 * The official client is not used here: it knows no shared payment tokens, repeats requests by itself, and what it repeats
 * would not be counted by the machine. Tests hold the requests to it.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Option, Schema } from "effect"
import { PAYMENT_TIMEOUT_MS } from "../model/limits.ts"
import { asking, jsonOf } from "./api-client.ts"
import type { ApiAnswer, NoAnswer } from "./api-client.ts"

export interface StripeAccount {
  readonly secretKey: string
  /** Where the API is; tests put a stand-in on the loopback here. */
  readonly apiUrl?: string
}

interface StripeRequest {
  readonly method: "GET" | "POST"
  /** With its query; ids in it are escaped. */
  readonly path: string
  readonly version: string
  readonly form?: Readonly<Record<string, string>>
  /** The same for every repetition. */
  readonly idempotencyKey?: string
}

/** `unclear`: it may have been carried out, and no answer came. */
export type StripeAnswer =
  | { readonly type: "answered"; readonly status: number; readonly body: unknown }
  /** `hasFailed`: Stripe itself says that it could not, and keeps that under the key. */
  | { readonly type: "unclear"; readonly reason: string; readonly hasFailed: boolean }

export type AskStripe = (request: StripeRequest) => Effect.Effect<StripeAnswer>

/** What the service is written against. */
export const STRIPE_VERSION = "2026-10-28.endive"
/** Shared payment tokens are known to previews alone, from this one on. */
export const STRIPE_TOKENS_VERSION = "2026-04-22.preview"

const API_URL = "https://api.stripe.com"

/** Still at it under the same key. */
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

/** Never answers that a payment was declined: the key, or how often it was used, may be mended. */
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
  /** What the bank said, such as `expired_card`; never journalled, because it is about somebody's card. */
  readonly declineCode: string | null
  /** Of the payment that the request was about. */
  readonly paymentStatus: string | null
}

/** What an answer that is no success says. Its message is left alone: it may name what was sent. */
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
