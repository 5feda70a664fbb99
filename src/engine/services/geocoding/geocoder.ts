/** Geocoder: the place of an address. Called before a transaction; its answer is a fact. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Owner } from "../owner-turns.ts"
import type { Place } from "../../../model/place.ts"

export interface Address {
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

/** The place, or that the address is unknown, or that the geocoder does not answer or has no room for this owner now. */
export type Located =
  | {
      readonly type: "found"
      readonly place: Place
      /** The place is that of a street or an area, not of the door. */
      readonly isApproximate: boolean
    }
  | { readonly type: "unknown" }
  | { readonly type: "unavailable" }

export class Geocoder extends Context.Tag("Geocoder")<
  Geocoder,
  { readonly locate: (address: Address, owner: Owner) => Effect.Effect<Located> }
>() {}
