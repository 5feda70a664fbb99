/**
 * Signed links: the tokens of checkout and tracking pages. A token contains its delivery and its time, signed for one
 * purpose; it alone grants access to its page.
 */

import { hmacBase64Url } from "#digest"
import type { EpochMs } from "../../model/values/time.ts"
import { isSame } from "./constant-time.ts"

/** The sandbox's tokens open nothing in production, and the other way round. */
export type LinkPurpose = "pay" | "pay sandbox" | "track" | "track sandbox"

/** The content of a token. */
export interface Link {
  readonly deliveryId: string
  /** When it was created. */
  readonly atMs: EpochMs
}

/** `nonce` makes tokens of one instant different. */
export function linkToken(
  purpose: LinkPurpose,
  { deliveryId, atMs }: Link,
  { key, nonce }: { readonly key: string; readonly nonce: string },
): string {
  const body = `${deliveryId}.${atMs.toString(36)}.${nonce.slice(0, 12)}`
  return `${body}.${signatureOf(purpose, body, key)}`
}

/** The content of the token, or null when its signature is wrong. Compared in constant time. */
export function readToken(purpose: LinkPurpose, token: string, key: string): Link | null {
  const found = /^(dlv_[0-9A-Za-z]{22})\.([0-9a-z]{1,11})\.([0-9a-f]{12})\.([0-9A-Za-z_-]{43})$/.exec(token)
  const [, deliveryId, at, nonce, signature] = found ?? []
  if (deliveryId === undefined || at === undefined || nonce === undefined || signature === undefined) {
    return null
  }
  if (!isSame(signature, signatureOf(purpose, `${deliveryId}.${at}.${nonce}`, key))) return null
  return { deliveryId, atMs: Number.parseInt(at, 36) }
}

function signatureOf(purpose: LinkPurpose, body: string, key: string): string {
  return hmacBase64Url(key, `${purpose}\n${body}`)
}
