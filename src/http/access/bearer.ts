/** Bearer values of API keys and operator tokens: a readable prefix and 40 base62 digits. Only hashes are stored. */

import { isSameBytes, sha256, sha256Hex } from "#digest"
import { Encoding, Either } from "effect"
import type { Environment } from "../../model/caller.ts"

/** The stored hash of a value: SHA-256, lower-case hex. */
export function hashOf(value: string): string {
  return sha256Hex(value)
}

/** Compares in constant time. */
export function isHashOf(value: string, kept: string): boolean {
  const known = Encoding.decodeHex(kept)
  return Either.isRight(known) && isSameBytes(sha256(value), known.right)
}

/** The value in an `Authorization` header, or null when it is absent or of another scheme. */
export function bearerIn(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec((authorization ?? "").trim())?.[1] ?? null
}

export interface BearerKind {
  /** Comes before the environment's mark; never parsed. */
  readonly prefix: string
  /** Values of different purposes differ even if made from the same bits. */
  readonly purpose: string
}

const MARKS: Readonly<Record<Environment, string>> = { production: "prod", sandbox: "sbx" }
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const DIGITS = 40

/** A new value from 256 fresh bits. */
export function newBearer(
  { prefix, purpose }: BearerKind,
  environment: Environment,
  freshBits: string,
): string {
  let rest = BigInt(`0x${sha256Hex(`${freshBits}\n${purpose} value`)}`)
  let digits = ""
  for (let place = 0; place < DIGITS; place += 1) {
    digits += BASE62[Number(rest % 62n)] ?? ""
    rest /= 62n
  }
  return `${prefix}_${MARKS[environment]}_${digits}`
}
