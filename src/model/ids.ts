/**
 * Ids: a prefix for the kind, and digits derived from the nonce of the turn or command that creates the id. The list of
 * kinds is alphabetical and append-only.
 */

import { sha256Hex } from "#digest"
import type { EpochUs } from "./values/time.ts"

export const ID_PREFIXES = {
  client: "mc_",
  delivery: "dlv_",
  photo: "pho_",
  reservation: "res_",
  retailer: "retailer_",
  runner: "run_",
  stall: "stall_",
  user: "usr_",
  vehicle: "veh_",
  webhook: "whk_",
  zone: "zone_",
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** Ids that people choose, such as a vehicle's. The pattern is also used in JSON Schema. */
export const CHOSEN_ID = /^[A-Za-z0-9_-]{1,64}$/

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A prefix and 22 base62 digits. */
export function newId(kind: IdKind, nonce: string): string {
  return `${ID_PREFIXES[kind]}${digits(BASE62, 62n, { from: derive(nonce, kind), count: 22 })}`
}

/** A version 4 UUID. */
export function newUuid(nonce: string, name: string): string {
  const hex = sha256Hex(`${nonce}\n${name}`)
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A webhook secret: `whsec_` and 48 hex digits. */
export function newSecret(nonce: string): string {
  return `whsec_${sha256Hex(`${nonce}\nsecret`).slice(0, 48)}`
}

/**
 * An event id: `evt_` and a ULID of 26 digits. Its first 58 bits hold the event's microsecond, so that the ids of one
 * reservation increase strictly with `occurred_at`.
 */
export function newEventId(occurredUs: EpochUs, nonce: string, ordinal: number): string {
  const ms = Math.floor(occurredUs / 1000)
  const us = occurredUs - ms * 1000
  const random = derive(nonce, `event ${ordinal}`) & ((1n << 70n) - 1n)
  const low = (BigInt(us) << 70n) | random
  return `evt_${digits(BASE32, 32n, { from: BigInt(ms), count: 10 })}${digits(BASE32, 32n, { from: low, count: 16 })}`
}

function derive(nonce: string, name: string): bigint {
  return BigInt(`0x${sha256Hex(`${nonce}\n${name}`).slice(0, 36)}`)
}

function digits(alphabet: string, base: bigint, { from, count }: { from: bigint; count: number }): string {
  let rest = from
  let text = ""
  for (let place = 0; place < count; place += 1) {
    text = (alphabet[Number(rest % base)] ?? "") + text
    rest /= base
  }
  return text
}
