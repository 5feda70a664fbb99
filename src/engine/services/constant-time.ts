/** Comparisons of secrets, signatures and hashes in a time that does not depend on where they differ. */

import { timingSafeEqual } from "node:crypto"

export function isSame(one: string, other: string): boolean {
  return isSameBytes(Buffer.from(one), Buffer.from(other))
}

/** Different lengths are found out at once: they are no secret. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
