/**
 * Tokens and codes: 256 fresh bits after a prefix for the kind. They are sent once and stored as hashes. Our choice
 * A36.
 */

import { sha256Base64Url, sha256Hex } from "#digest"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"

/** Of access tokens, refresh tokens and authorization codes. */
export type SecretPrefix = "mca_" | "mcc_" | "mcr_"

export const newSecret = Routine.fn(function* (prefix: SecretPrefix) {
  const host = yield* ActorHost
  const bits = [yield* host.nonce, yield* host.nonce].join("")
  return `${prefix}${sha256Base64Url(`${bits}\n${prefix}`)}`
})

/** Six digits for people to type. */
export const newSmsCode: Routine<string, never, ActorHost> = Routine.gen(function* () {
  const host = yield* ActorHost
  const bits = [yield* host.nonce, yield* host.nonce].join("")
  const number = BigInt(`0x${sha256Hex(`${bits}\nsms code`)}`) % 1_000_000n
  return String(number).padStart(6, "0")
})

/** The stored hash. */
export function hashOfSecret(secret: string): string {
  return sha256Hex(secret)
}
