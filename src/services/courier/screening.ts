/**
 * Screening: which stores a vehicle serves, and which requirements at pickup it cannot meet. Pure; what is found enters a
 * turn as a fact. Items: `screening/items.ts`. Source: courier connector contract, who may be served.
 */

import { DISQUALIFYING_REQUIREMENTS } from "../../model/courier.ts"
import type { CheckInMethod, DisqualifyingRequirement, PickupRequirement } from "../../model/courier.ts"
import type { Store } from "./store-directory.ts"

/** Businesses that prepare food; one of these must be among a listing's categories. */
const SERVED_CATEGORIES: readonly string[] = ["restaurant", "cafe", "bakery", "takeout"]

/** Refused whatever the cart holds, also beside a served one. Source: courier connector contract, stores refused. */
const REFUSED_CATEGORIES: readonly string[] = [
  "liquor_store",
  "pharmacy",
  "drugstore",
  "convenience_store",
  "gas_station",
  "supermarket",
  "grocery_store",
  "food_store",
  "market",
  "warehouse_store",
  "discount_store",
  "general_store",
  "wholesaler",
  "bar",
  "pub",
  "brewery",
  "winery",
  "night_club",
  "casino",
  "smoke_shop",
  "karaoke_bar",
  "comedy_club",
  "dance_hall",
  "live_music_venue",
  "bowling_alley",
  "cinema",
]

/** What a listing may be filed under. */
export const STORE_CATEGORIES: readonly string[] = [...SERVED_CATEGORIES, ...REFUSED_CATEGORIES]

/** A listing with phone and hours, of a business that prepares food and is none of those refused. */
export function isServedStore({ categories, phone, hours }: Store): boolean {
  return (
    phone !== null &&
    hours !== null &&
    categories.some((category) => SERVED_CATEGORIES.includes(category)) &&
    !categories.some((category) => REFUSED_CATEGORIES.includes(category))
  )
}

/** What a vehicle cannot do, among what the store asks; in the contract's order. */
export function disqualifyingAmong(
  seen: readonly PickupRequirement[],
  checkIn?: CheckInMethod,
): readonly DisqualifyingRequirement[] {
  const asked: readonly string[] = checkIn === "app_only" ? [...seen, "app_only_check_in"] : seen
  return DISQUALIFYING_REQUIREMENTS.filter((requirement) => asked.includes(requirement))
}
