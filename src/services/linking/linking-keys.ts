/** The keys of linking: under one, numbers become digests that only we can make; under the other, pages' forms are signed. */

import { createHmac } from "node:crypto"
import { Context } from "effect"

export class LinkingKeys extends Context.Tag("LinkingKeys")<
  LinkingKeys,
  {
    readonly digestKey: string
    readonly requestKey: string
  }
>() {}

/** A number can be found by this and not read from it: without the key, trying all numbers tells nothing. */
export function digestOfPhone({ digestKey }: LinkingKeys["Type"], phone: string): string {
  return createHmac("sha256", digestKey).update(`linked phone ${phone}`).digest("hex")
}
