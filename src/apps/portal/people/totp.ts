/**
 * One-time passwords by time: HMAC-SHA-1 over the number of the half minute, cut to six digits, as authenticator
 * applications show them. Source: RFC 6238, and RFC 4226 §5.3. Written here because it is a hash and a cut: a library
 * would bring its own hash functions for these lines.
 */

import { hmacSha1, sha256 } from "#digest"
import type { EpochMs } from "../../../model/values/time.ts"
import { isSame } from "../../../engine/services/constant-time.ts"

/** Length of a time step, the recommended one. Source: RFC 6238 §5.2. */
const STEP_MS = 30_000
/** Steps before and after the present one whose code is accepted, for clocks that differ. */
const STEPS_AROUND = 1
const DIGITS = 6
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** 160 bits made of fresh ones, in base 32. Source: RFC 4226 §4, requirement 6. */
export function newSecret(freshBits: string): string {
  return base32(sha256(`${freshBits}\ntotp secret`).subarray(0, 20))
}

/** Eighty bits, in groups of four characters for people. */
export function newRecoveryCode(freshBits: string, number: number): string {
  const bits = sha256(`${freshBits}\nrecovery code ${number}`).subarray(0, 10)
  return base32(bits).replaceAll(/(.{4})(?=.)/g, "$1-")
}

/** For a picture that authenticator applications read. */
export function totpUri(
  secret: string,
  { issuer, name }: { readonly issuer: string; readonly name: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** The step whose code this is, if it is later than the last one that was used; else null. */
export function stepOf(
  code: string,
  {
    secret,
    nowMs,
    lastStep,
  }: { readonly secret: string; readonly nowMs: EpochMs; readonly lastStep: number },
): number | null {
  const present = Math.floor(nowMs / STEP_MS)
  let found: number | null = null
  // Every step is compared, so that the time of the answer does not say which.
  for (let step = present - STEPS_AROUND; step <= present + STEPS_AROUND; step += 1) {
    if (isSame(codeAt(secret, step), code) && step > lastStep) found ??= step
  }
  return found
}

/** The code of a step. */
export function codeAt(secret: string, step: number): string {
  const counter = new Uint8Array(8)
  new DataView(counter.buffer).setBigUint64(0, BigInt(step))
  const digest = hmacSha1(bytesOf(secret), counter)
  const offset = (digest.at(-1) ?? 0) % 16
  const number = new DataView(digest.buffer, digest.byteOffset).getUint32(offset) % 2 ** 31
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0")
}

/** The step of an instant. */
export function stepAt(nowMs: EpochMs): number {
  return Math.floor(nowMs / STEP_MS)
}

/** Source: RFC 4648 §6. The lengths used here need no padding. */
function base32(bytes: Uint8Array): string {
  let bits = ""
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0")
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32.charAt(Number.parseInt(five, 2))).join("")
}

function bytesOf(secret: string): Uint8Array {
  const bits = [...secret].map((sign) => BASE32.indexOf(sign).toString(2).padStart(5, "0")).join("")
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
