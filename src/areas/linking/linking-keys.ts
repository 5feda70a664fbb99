/** The keys of linking: one makes the digests of numbers, the other signs the forms of pages. */

import { hmacHex } from "#digest"
import { Context } from "effect"

export class LinkingKeys extends Context.Tag("LinkingKeys")<
  LinkingKeys,
  {
    readonly digestKey: string
    readonly requestKey: string
  }
>() {}

/** A number can be looked up by its digest but not read from it: without the key, trying all numbers does not help. */
export function digestOfPhone({ digestKey }: LinkingKeys["Type"], phone: string): string {
  return hmacHex(digestKey, `linked phone ${phone}`)
}

/**
 * The code of a test number of the sandbox, which is always the same and never texted: six digits that no one computes without the
 * key. A number that was removed and added again is another user, with another code.
 */
export function testCodeOf({ digestKey }: LinkingKeys["Type"], userId: string): string {
  const digest = hmacHex(digestKey, `test code ${userId}`)
  return String(Number.parseInt(digest.slice(0, 12), 16) % 1_000_000).padStart(6, "0")
}
