/** Cursors of delivery lists: the number of the last row shown, as an opaque text. */

import { Effect } from "effect"
import type { Refused } from "../../model/errors.ts"
import { wrongCursor } from "../../services/wrong-cursor.ts"

export function cursorOf(number: number): string {
  return Buffer.from(`d${number}`).toString("base64url")
}

/** Refuses texts that no page returned. */
export function numberOf(cursor: string): Effect.Effect<number, Refused> {
  const found = /^d(\d+)$/.exec(Buffer.from(cursor, "base64url").toString())
  const number = found === null ? Number.NaN : Number(found[1])
  // Base64 decoding accepts many spellings; only the one that the service writes is accepted.
  if (Number.isSafeInteger(number) && cursorOf(number) === cursor) return Effect.succeed(number)
  return wrongCursor
}
