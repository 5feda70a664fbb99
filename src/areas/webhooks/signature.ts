/**
 * Webhook signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`, keyed by the whole secret as UTF-8 bytes.
 * Source: reservations contract, delivery of events.
 */

import { signer } from "#digest"
import { isSame } from "../../engine/services/constant-time.ts"
import { SIGNING_KEYS_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { WebhookArea } from "../../model/webhook.ts"

/** The value of `X-Service-Signature` for one attempt. */
export function signWebhook({ secret, body, atMs }: { secret: string; body: string; atMs: EpochMs }): string {
  const seconds = Math.floor(atMs / 1000)
  return `t=${seconds},v1=${signed(secret, `${seconds}.${body}`)}`
}

/**
 * The value of `X-Service-Signature` in the Direct Delivery API: the hex HMAC of the body. Source: direct delivery
 * contract, events; the encoding is ours.
 */
export function signBody({ secret, body }: { secret: string; body: string }): string {
  return signed(secret, body)
}

export interface Verification {
  readonly header: string
  readonly body: string
  /** More than one during a rotation of the secret. */
  readonly secrets: readonly string[]
  readonly nowMs: EpochMs
  readonly toleranceMs: number
}

/**
 * The check of a careful receiver: the time is within the tolerance, and one of the secrets matches, compared in
 * constant time.
 */
export function verifyWebhook({ header, body, secrets, nowMs, toleranceMs }: Verification): boolean {
  const found = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header)
  if (found === null) return false
  const [, seconds = "", given = ""] = found
  if (Math.abs(nowMs - Number(seconds) * 1000) > toleranceMs) return false
  return secrets.some((secret) => isSame(signed(secret, `${seconds}.${body}`), given))
}

/** What is wrong with a request that a receiver got; `valid` if nothing is. */
export const SIGNATURE_VERDICTS = [
  "valid",
  "no_signature",
  "malformed_signature",
  "too_old",
  "altered_body",
  "wrong_secret",
  "no_match",
] as const

export type SignatureVerdict = (typeof SIGNATURE_VERDICTS)[number]

export interface SignatureCheck {
  readonly area: WebhookArea
  readonly secret: string
  /** `X-Service-Signature` as received; null without it. */
  readonly header: string | null
  readonly body: string
  /** The body that was sent under the request's delivery id; null if it is not known. */
  readonly sentBody: string | null
  readonly nowMs: EpochMs
  readonly toleranceMs: number
}

/**
 * The check of a careful receiver, with the reason. A signature that fits the body that was sent, but not the one that was received,
 * shows an altered body; without that body, altered bodies and wrong secrets look the same.
 */
export function judgeSignature(check: SignatureCheck): SignatureVerdict {
  const { area, secret, header, body, sentBody, nowMs, toleranceMs } = check
  if (header === null || header.trim() === "") return "no_signature"
  const form = area === "reservations" ? /^t=(\d{1,12}),v1=([0-9a-f]{64})$/ : /^()([0-9a-f]{64})$/
  const found = form.exec(header.trim())
  if (found === null) return "malformed_signature"
  const [, seconds = "", given = ""] = found
  const signs = (text: string): boolean =>
    isSame(signed(secret, area === "reservations" ? `${seconds}.${text}` : text), given)
  if (signs(body)) {
    const isOld = area === "reservations" && Math.abs(nowMs - Number(seconds) * 1000) > toleranceMs
    return isOld ? "too_old" : "valid"
  }
  if (sentBody === null) return "no_match"
  return signs(sentBody) ? "altered_body" : "wrong_secret"
}

/** Kept, because an endpoint signs often. */
const signers = new Map<string, (text: string) => string>()

function signed(secret: string, text: string): string {
  const known = signers.get(secret)
  if (known !== undefined) return known(text)
  const made = signer(secret)
  const [oldest] = signers.keys()
  if (signers.size >= SIGNING_KEYS_MAX && oldest !== undefined) signers.delete(oldest)
  signers.set(secret, made)
  return made(text)
}
