/** Tokens and codes that open a session or complete a challenge. They are sent once and stored as hashes. */

import { sha256Base64Url, sha256Hex } from "#digest"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"

/** 256 fresh bits as 43 characters. */
export const newToken: Routine<string, never, ActorHost> = Routine.gen(function* () {
  const host = yield* ActorHost
  const bits = [yield* host.nonce, yield* host.nonce].join("")
  return sha256Base64Url(`${bits}\nportal token`)
})

/** Six digits for people to type. */
export const newCode: Routine<string, never, ActorHost> = Routine.gen(function* () {
  const host = yield* ActorHost
  const bits = [yield* host.nonce, yield* host.nonce].join("")
  const number = BigInt(`0x${sha256Hex(`${bits}\nportal code`)}`) % 1_000_000n
  return String(number).padStart(6, "0")
})

/** The stored hash of a token. */
export function hashOfToken(token: string): string {
  return sha256Hex(token)
}

/** The stored hash of a code. It includes the token, so that codes cannot be guessed from the row alone. */
export function hashOfCode(token: string, code: string): string {
  return sha256Hex(`${token}\n${code}`)
}
