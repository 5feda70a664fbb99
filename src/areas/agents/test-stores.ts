/**
 * The made-up stores of the sandbox's connector: one for each way in which a store may be served or not. Names and numbers are
 * invented. All are open at every hour but the one that is closed today, so only the service hours depend on the clock.
 */

import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MINUTES, MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { STORE_DISTANCE_M_MAX } from "../../model/values/limits.ts"
import { Routine } from "../../engine/services/routine.ts"
import { isServedStore } from "../courier/directory/served-stores.ts"
import { nearListings, storeAmong } from "../courier/directory/store-directory.ts"
import type { OpeningHours, Store, StoreDirectory } from "../courier/directory/store-directory.ts"
import { metresBetween } from "../dispatch/geography.ts"

/** What an agent meets there. */
export const TEST_STORE_KINDS = ["slots", "check_in", "app_only", "pub", "closed", "out_of_zone"] as const

export type TestStoreKind = (typeof TEST_STORE_KINDS)[number]

export interface TestStore {
  readonly kind: TestStoreKind
  /** For people who choose a store, one sentence. */
  readonly about: string
  readonly store: Store
}

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6]

function allDayOn(weekdays: readonly number[]): readonly OpeningHours[] {
  return weekdays.map((weekday) => ({ weekday, opensAtMinute: 0, closesAtMinute: DAY_MINUTES }))
}

const AROUND = { latitude: 30.4021, longitude: -97.7253 }

const kitchen: Store = {
  storeId: "store_test_kitchen",
  name: "Check-in Kitchen",
  street: "11410 Century Oaks Terrace",
  zip: "78758",
  place: AROUND,
  categories: ["restaurant"],
  phone: "+15125550110",
  hours: allDayOn(WEEKDAYS),
  leadTimeMs: 20 * MINUTE_MS,
  kitchenStarts: "on_check_in",
  stallHint: "The curbside stalls are on the north side.",
}

function beside(number: number, store: Partial<Store> & Pick<Store, "name" | "storeId">): Store {
  const place = { ...AROUND, latitude: AROUND.latitude + number / 500 }
  return { ...kitchen, street: `${11_500 + number * 10} Domain Drive`, place, stallHint: null, ...store }
}

/** `nowMs` on the organization's clock: one store is closed on that day. */
export function testStores(nowMs: EpochMs, timeZone: string): readonly TestStore[] {
  const today = new Date(wallClockAt(nowMs, timeZone)).getUTCDay()
  return [
    {
      kind: "check_in",
      about: "Its kitchen starts when the vehicle checks in: the order is placed for as soon as possible.",
      store: kitchen,
    },
    {
      kind: "slots",
      about: "It has pickup slots: send them as retailer_slots, and the answer names the one to select.",
      store: beside(1, {
        storeId: "store_test_slots",
        name: "Slot Street Bakery",
        categories: ["bakery", "cafe"],
        kitchenStarts: "scheduled",
      }),
    },
    {
      kind: "app_only",
      about: "Its only check-in is its own app: reserve with check_in_method app_only, and it is declined.",
      store: beside(2, { storeId: "store_test_app", name: "App Only Burgers" }),
    },
    {
      kind: "pub",
      about: "A pub, which is never served: store_not_supported.",
      store: beside(3, { storeId: "store_test_pub", name: "The Paddock", categories: ["restaurant", "pub"] }),
    },
    {
      kind: "closed",
      about: "Closed today: outside_service_hours, with the next pickup window.",
      store: beside(4, {
        storeId: "store_test_closed",
        name: "Closed Today Tacos",
        hours: allDayOn(WEEKDAYS.filter((weekday) => weekday !== today)),
      }),
    },
    {
      kind: "out_of_zone",
      about: "In San Antonio, outside of the area: out_of_zone.",
      store: beside(5, {
        storeId: "store_test_far",
        name: "Riverwalk Kitchen",
        street: "200 E Market Street",
        zip: "78205",
        place: { latitude: 29.4241, longitude: -98.4936 },
      }),
    },
  ]
}

/** An organization's own stores: what one organization orders or measures there is not another's. */
export function testDirectory(organizationId: string, timeZone: string): StoreDirectory["Type"] {
  return {
    find: (wanted) =>
      Routine.map(Routine.nowMs, (nowMs) => {
        const all = testStores(nowMs, timeZone).map(({ store }) => ({
          ...store,
          storeId: `${store.storeId}_${organizationId}`,
        }))
        const store = storeAmong(all, wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
        if (store !== null) return { type: "found", store }
        return { type: "unknown", matches: nearListings(all.filter(isServedStore), wanted, metresBetween) }
      }),
  }
}
