/** Which stores and items a vehicle serves: what is meant is found, and what only sounds like it is not. */

import { describe, expect, test } from "vitest"
import { DEMO_STORES } from "../../../src/areas/courier/directory/demo-stores.ts"
import { disqualifyingAmong, isServedStore } from "../../../src/areas/courier/directory/served-stores.ts"
import { restrictedAmong } from "../../../src/areas/courier/screening/items.ts"
import { plainName, plainStreet } from "../../../src/areas/courier/directory/store-directory.ts"

describe("CC1: items that a vehicle does not carry", () => {
  test.each([
    "Lone Star Beer (6 pack)",
    "House Red Wine, glass",
    "Frozen Margarita",
    "Hard seltzer",
    "Bottle of bourbon",
    "Marlboro cigarettes",
    "Vape pen",
    "Nicotine pouches",
    "Ibuprofen 200 mg",
    "Prescription refill",
    "Powerball ticket",
    "9mm ammunition",
    "Jägermeister liqueur",
    "Corona Extra 12 oz",
    "White Claw Black Cherry",
    "Moscow mule",
    "Aperol spritz",
    "Sake, hot",
    "Marlboro Gold",
    "Tylenol",
    "$5 Scratchers",
  ])("%s", (name) => {
    expect(restrictedAmong([{ name, quantity: 1 }])).toEqual([name])
  })

  test("a modifier counts as the item does", () => {
    const item = { name: "Orange juice", quantity: 1, modifiers: ["Add vodka"] }
    expect(restrictedAmong([item])).toEqual(["Orange juice"])
  })
})

describe("CC1: foods that only sound like them", () => {
  test.each([
    "Root beer",
    "Ginger ale",
    "Beer-battered cod",
    "Beer cheese soup",
    "Red wine vinegar dressing",
    "Rum cake",
    "Penne alla vodka",
    "Bourbon chicken",
    "Virgin mojito",
    "Shrimp cocktail",
    "Cocktail sauce",
    "Non-alcoholic beer",
    "Espresso shot",
    "Antibiotic-free chicken bowl",
    "Kale salad",
    "Original burger",
    "Old fashioned donut",
    "Drumsticks",
    "Gingerbread",
    "Sake nigiri (salmon)",
    "Cava bowl",
    "Lemon spritzer",
    "Guinness beef stew",
  ])("%s", (name) => {
    expect(restrictedAmong([{ name, quantity: 1 }])).toEqual([])
  })
})

describe("stores", () => {
  const served = DEMO_STORES.filter(isServedStore).map(({ storeId }) => storeId)

  test("prepared food is served, with a phone number and hours on the listing", () => {
    expect(served).toEqual(["store_lunchbox", "store_slot_bakery", "store_early_cafe", "store_far_away"])
  })

  const [kitchen] = DEMO_STORES
  const isServedAs = (...categories: string[]): boolean =>
    kitchen !== undefined && isServedStore({ ...kitchen, categories })

  test.each(["restaurant", "cafe", "bakery", "takeout"])("a %s is served", (category) => {
    expect(isServedAs(category)).toBe(true)
  })

  test.each([
    ["liquor_store", "pharmacy", "drugstore", "convenience_store", "gas_station", "supermarket"],
    ["grocery_store", "food_store", "market", "warehouse_store", "discount_store", "general_store"],
    ["wholesaler", "bar", "pub", "brewery", "winery", "night_club", "casino", "smoke_shop"],
    ["karaoke_bar", "comedy_club", "dance_hall", "live_music_venue", "bowling_alley", "cinema"],
  ])("none of %s, %s, %s and the like is served, nor a restaurant that is one too", (...refused) => {
    for (const category of refused) {
      expect([isServedAs(category), isServedAs("restaurant", category)], category).toEqual([false, false])
    }
  })

  test("a listing without a category is not served", () => {
    expect([isServedAs(), isServedAs("florist")]).toEqual([false, false])
  })

  test("CK2: names are compared without case, accents, punctuation and suites", () => {
    expect(plainName("  Early CAFÉ, Suite 4B ")).toBe(plainName("early cafe"))
    expect(plainName("Joe's & Sons")).toBe(plainName("JOES and sons"))
  })

  test.each([
    ["11410 Century Oaks Terrace", "11410 century oaks ter."],
    ["11500 Domain Drive", "11500 Domain Dr, Ste 120"],
    ["11500 Domain Drive", "11500 Domain Dr #120"],
    ["11500 Domain Dr # 4-B", "11500 Domain Drive, Unit 7"],
    ["2222 North Lamar Boulevard", "2222 N. Lamar Blvd"],
    ["200 East Market Street", "200 E Market St"],
  ])("CK2: a street is compared with its words in full and without units: %s is %s", (one, other) => {
    expect(plainStreet(one)).toBe(plainStreet(other))
  })

  test.each([
    ["11410 Century Oaks Terrace", "11411 Century Oaks Terrace"],
    ["200 East Market Street", "200 West Market Street"],
    ["9 Oak Court", "9 Oak Cove"],
  ])("CK2: %s is not %s", (one, other) => {
    expect(plainStreet(one)).not.toBe(plainStreet(other))
  })
})

describe("CR3: requirements at pickup", () => {
  test("what a vehicle cannot do is named in the contract's order; none and other are not", () => {
    expect(disqualifyingAmong(["other", "none"])).toEqual([])
    expect(disqualifyingAmong(["age_restricted", "none", "id_required"], "app_only")).toEqual([
      "id_required",
      "age_restricted",
      "app_only_check_in",
    ])
    expect(disqualifyingAmong([], "call_store")).toEqual([])
  })
})
