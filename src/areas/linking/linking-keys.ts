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
