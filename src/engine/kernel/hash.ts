/** Hashes of the journal: a chain for each group, and one sum over all groups of a run. */

import { sha256Hex } from "#digest"
import type { GroupAddress } from "../../model/address.ts"

/** The head of a chain before its first entry. */
export const GENESIS = "0".repeat(64)

/** Chains an entry onto a head: SHA-256 over both texts, 64 hex digits. Cost: about 1 µs. */
export function chain(head: string, entry: string): string {
  return sha256Hex(`${head}\n${entry}`)
}

/** SHA-256 of a text or of bytes, 64 hex digits. */
export function digest(content: Uint8Array | string): string {
  return sha256Hex(content)
}

const MODULUS = 1n << 256n

/**
 * The sum of all group heads of a run. It does not depend on their order. Each head is hashed with its address, and the
 * hashes are added modulo 2^256 (src/DECISIONS.md §3).
 */
export class HeadSum {
  #sum = 0n

  add(group: GroupAddress, head: string): void {
    this.#sum = (this.#sum + BigInt(`0x${digest(`${group}\n${head}`)}`)) % MODULUS
  }

  /** 64 hex digits. */
  total(): string {
    return this.#sum.toString(16).padStart(64, "0")
  }
}
