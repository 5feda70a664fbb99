/**
 * Webhook signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`, keyed by the whole secret as UTF-8 bytes.
 * Source: reservations contract, delivery of events.
 */

import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"
import type { KeyObject } from "node:crypto"
import { SIGNING_KEYS_MAX } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"

/** The value of `X-Service-Signature` for one attempt. */
export function signWebhook({ secret, body, atMs }: { secret: string; body: string; atMs: EpochMs }): string {
  const seconds = Math.floor(atMs / 1000)
  return `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`
}

/**
 * The value of `X-Service-Signature` in the Direct Delivery API: the hex HMAC of the body. Source: direct delivery
 * contract, events; the encoding is ours.
 */
export function signBody({ secret, body }: { secret: string; body: string }): string {
  return hmac(secret, body)
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
  return secrets.some((secret) =>
    timingSafeEqual(Buffer.from(hmac(secret, `${seconds}.${body}`), "hex"), Buffer.from(given, "hex")),
  )
}

function hmac(secret: string, text: string): string {
  return createHmac("sha256", keyOf(secret)).update(text, "utf8").digest("hex")
}

/**
 * Cached, because making a key from a text takes several times as long as signing with it, and an endpoint signs often.
 */
const keys = new Map<string, KeyObject>()

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const made = createSecretKey(secret, "utf8")
  const [oldest] = keys.keys()
  if (keys.size >= SIGNING_KEYS_MAX && oldest !== undefined) keys.delete(oldest)
  keys.set(secret, made)
  return made
}
