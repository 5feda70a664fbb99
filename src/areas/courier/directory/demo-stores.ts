/**
 * Stores of the demo and of scenarios: some that are served, and one for each reason why a store is not. Around the
 * Domain in Austin; names and numbers are invented.
 */

import { MINUTE_MS } from "../../../model/values/time.ts"
import type { OpeningHours, Store } from "./store-directory.ts"

function daily(opensAtMinute: number, closesAtMinute: number): readonly OpeningHours[] {
  return Array.from({ length: 7 }, (_, weekday) => ({ weekday, opensAtMinute, closesAtMinute }))
}

const AROUND = { latitude: 30.4021, longitude: -97.7253 }

const kitchen: Store = {
  storeId: "store_lunchbox",
  name: "Lunchbox Kitchen",
  street: "11410 Century Oaks Terrace",
  zip: "78758",
  place: AROUND,
  categories: ["restaurant"],
  phone: "+15125550110",
  hours: daily(7 * 60, 22 * 60),
  leadTimeMs: 20 * MINUTE_MS,
  kitchenStarts: "on_check_in",
  stallHint: "The curbside stalls are on the north side.",
}

function beside(number: number, store: Partial<Store> & Pick<Store, "name" | "storeId">): Store {
  return {
    ...kitchen,
    street: `${11_500 + number * 10} Domain Drive`,
    place: { ...AROUND, latitude: AROUND.latitude + number / 500 },
    stallHint: null,
    ...store,
  }
}

export const DEMO_STORES: readonly Store[] = [
  kitchen,
  beside(1, {
    storeId: "store_slot_bakery",
    name: "Slot Street Bakery",
    categories: ["bakery", "cafe"],
    kitchenStarts: "scheduled",
  }),
  beside(2, {
    storeId: "store_early_cafe",
    name: "Early Café",
    categories: ["cafe"],
    hours: daily(6 * 60, 11 * 60),
  }),
  beside(3, {
    storeId: "store_grocery",
    name: "Green Basket Market",
    categories: ["grocery_store", "bakery"],
  }),
  beside(4, { storeId: "store_liquor", name: "North Spirits", categories: ["liquor_store"] }),
  beside(5, { storeId: "store_pub", name: "The Paddock", categories: ["restaurant", "pub"] }),
  beside(6, { storeId: "store_without_phone", name: "Quiet Noodles", phone: null }),
  beside(7, { storeId: "store_without_hours", name: "Sometime Tacos", hours: null }),
  beside(8, {
    storeId: "store_far_away",
    name: "Riverwalk Kitchen",
    street: "200 E Market Street",
    zip: "78205",
    place: { latitude: 29.4241, longitude: -98.4936 },
  }),
]
