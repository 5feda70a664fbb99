/** Comparison of secrets, signatures and hashes in a time that does not depend on where they differ. */

import { isSameBytes } from "#digest"

export function isSame(one: string, other: string): boolean {
  const encoder = new TextEncoder()
  return isSameBytes(encoder.encode(one), encoder.encode(other))
}
