/**
 * Screening: which stores a vehicle serves, and which requirements at pickup it cannot meet. Pure; the results enter a
 * turn as facts. Items: `../screening/items.ts`. Source: courier connector contract, who may be served.
 */

import { DISQUALIFYING_REQUIREMENTS } from "../../../model/courier.ts"
import type { CheckInMethod, DisqualifyingRequirement, PickupRequirement } from "../../../model/courier.ts"
import type { Store } from "./store-directory.ts"

/** Businesses that prepare food; a listing must have at least one of these categories. */
const SERVED_CATEGORIES: readonly string[] = ["restaurant", "cafe", "bakery", "takeout"]

/**
 * Refused whatever the cart contains, even beside a served category. Source: courier connector contract, stores
 * refused.
 */
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

/** The categories that a listing may have. */
export const STORE_CATEGORIES: readonly string[] = [...SERVED_CATEGORIES, ...REFUSED_CATEGORIES]

/** A listing with phone and hours, with a served category and without a refused one. */
export function isServedStore({ categories, phone, hours }: Store): boolean {
  return (
    phone !== null &&
    hours !== null &&
    categories.some((category) => SERVED_CATEGORIES.includes(category)) &&
    !categories.some((category) => REFUSED_CATEGORIES.includes(category))
  )
}

/** The requirements of the store that a vehicle cannot meet, in the contract's order. */
export function disqualifyingAmong(
  seen: readonly PickupRequirement[],
  checkIn?: CheckInMethod,
): readonly DisqualifyingRequirement[] {
  const asked: readonly string[] = checkIn === "app_only" ? [...seen, "app_only_check_in"] : seen
  return DISQUALIFYING_REQUIREMENTS.filter((requirement) => asked.includes(requirement))
}
