/** Every topic and statement that an agent must be able to read, one test each. */

import { describe, expect, test } from "vitest"
import { DESCRIPTION_TEXT, INSTRUCTIONS } from "../../../src/apps/mcp/description.ts"
import { COURIER_TOOLS } from "../../../src/model/courier.ts"
import { CONSENT, TERMS } from "../../../src/areas/courier/terms.ts"

/** The text of one section, on one line. */
function section(title: string): string {
  const [, rest] = DESCRIPTION_TEXT.split(`## ${title}\n`)
  return (rest?.split("\n## ")[0] ?? "").replaceAll(/\s+/g, " ")
}

const everything = DESCRIPTION_TEXT.replaceAll(/\s+/g, " ")

describe("courier://description", () => {
  test.each<readonly [title: string, statement: string, says: RegExp]>([
    [
      "What it does",
      "the agent orders on the store's own site in the user's own name",
      /own website, in the user's own name/,
    ],
    [
      "What it does",
      "a vehicle collects at the curb and drives to the drop-off",
      /curb and drives it to the user's drop-off/,
    ],
    [
      "What it does",
      "both addresses lie in the area of Austin, Texas",
      /both lie in the service area, which is Austin, Texas/,
    ],
    [
      "What it does",
      "the fee is 4.95 US dollars and separate from the store order",
      /4\.95 US dollars; it is separate from the store order/,
    ],
    ["What it does", "access is by invitation", /by invitation.*not enabled cannot link/],
    [
      "Follow next_step",
      "next_step is the exact call to make next",
      /`next_step`, the exact call to make next/,
    ],
    ["Follow next_step", "user_message may be shown", /`user_message`, one sentence that you may show/],
    [
      "Follow next_step",
      "next_step wins over the usual order",
      /Do what `next_step` says, also where it differs/,
    ],
    ["Follow next_step", "unknown arguments are named", /does not know are ignored and named in `warnings`/],
    [
      "Follow next_step",
      "times are UTC, and Austin's in words",
      /Times are UTC; `user_message` has them in Austin/,
    ],
    ["Follow next_step", "an error changes nothing", /`error` is a refusal: nothing has changed/],
    ["Follow next_step", "a reported order is remembered", /a store order that you reported is remembered/],
    [
      "Follow next_step",
      "after a decline no store order is placed",
      /`decline_reason`.*do not place the store order/,
    ],
    ["Call order", "check comes before checkout", /1\. `check_delivery`, before checkout starts/],
    [
      "Call order",
      "price, terms and consent are shown to the user, who accepts them",
      /2\. Show the user the price, the delivery terms and the text-message consent/,
    ],
    ["Call order", "an agent never accepts for the user", /Never accept for the user/],
    [
      "Call order",
      "reserve holds a vehicle for 15 minutes",
      /3\. `reserve_delivery`, at checkout: holds a vehicle for 15 minutes/,
    ],
    [
      "Call order",
      "both versions are echoed",
      /`terms_version` `2026-09-27` and `consent_version` `2026-09-27`/,
    ],
    ["Call order", "payment comes before the store order", /4\. Payment.*5\. Place the store order/],
    [
      "Call order",
      "profile and time are used as given",
      /`pickup_profile` and `pickup_time` exactly as they were given/,
    ],
    [
      "Call order",
      "confirm reports number, items, text and code",
      /6\. `confirm_delivery`.*order number, every item, the confirmation text, and the pickup code/,
    ],
    [
      "Call order",
      "confirm answers times and the tracking link",
      /pickup time, the delivery window and `tracking_url`/,
    ],
    [
      "Call order",
      "status is polled, at its own pace",
      /7\. `get_delivery_status` until.*no more often than `poll_after_seconds`/,
    ],
    [
      "Call order",
      "the drop-off is echoed, may be approximate, and changes until the collection",
      /`dropoff` is where the vehicle drives to.*`is_approximate`.*`location`.*`dropoff_address` changes it until the vehicle has the order/,
    ],
    ["Call order", "an update says what it did", /`update_result` says what was done/],
    ["Call order", "update reports payment and changes", /`update_delivery` reports a payment or any change/],
    [
      "Call order",
      "cancel works until the collection, and leaves the store order",
      /`cancel_delivery` works until the vehicle collects the order; cancel the store order too/,
    ],
    [
      "Stores",
      "prepared food with curbside pickup is served",
      /restaurants, cafes, bakeries, takeout.*curbside pickup/,
    ],
    [
      "Stores",
      "a public listing with phone and hours is needed",
      /public map listing at the given address with phone number and opening hours/,
    ],
    [
      "Stores",
      "every pickup option is listed, curbside among them",
      /`pickup_methods_offered`; curbside must be among them/,
    ],
    ["Stores", "some are refused whatever the cart holds", /Refused whatever the cart holds/],
    ["Restricted goods", "every order is screened", /screened on every order/],
    ["Restricted goods", "an order with such an item is declined", /found to hold one is declined/],
    [
      "Restricted goods",
      "so is an order with an ID or age check",
      /any order that needs an ID or age check at pickup/,
    ],
    [
      "Timing",
      "windows are 15 minutes, up to 90 minutes ahead",
      /15 minutes wide, from the store's lead time up to 90 minutes ahead/,
    ],
    [
      "Timing",
      "opening hours and service hours both hold",
      /inside the store's opening hours and the service hours, 8 AM to 8 PM store time/,
    ],
    ["Timing", "later orders are not taken", /Later orders are not taken/],
    ["Timing", "a quote holds for 30 minutes", /quote holds for 30 minutes/],
    [
      "Timing",
      "slots out of reach decline at the check",
      /`retailer_slots` of `check_delivery`: .* is declined before/,
    ],
    ["Timing", "a window is chosen by its own field", /send it as `pickup_window` of `reserve_delivery`/],
    ["Timing", "a delay needs a time", /`order_delayed` with `ready_at`: without a time nothing moves/],
    ["Timing", "after a lapsed hold reserve comes first", /call `reserve_delivery` again first/],
    [
      "Timing",
      "an order without a live hold is still confirmed",
      /without a live hold, still call `confirm_delivery`/,
    ],
    ["Pickup requirements", "what is asked is reported", /Report in `pickup_requirements_seen`/],
    [
      "Pickup requirements",
      "ID, matching name, signature and age check cannot be met",
      /An ID, a name that must match.*a signature or an age check cannot be met/,
    ],
    [
      "Pickup requirements",
      "no pickup person's name and no plate is supplied",
      /never supplies the name of a pickup person or a license plate/,
    ],
    [
      "Pickup requirements",
      "a checkout that insists cannot be served",
      /accepts nothing else, the order cannot be served/,
    ],
    ["Check-in rules", "no store's own app can be used", /cannot use a store's own app/],
    ["Check-in rules", "app-only check-in is declined", /only check-in is its app is declined/],
    [
      "Check-in rules",
      "the way to check in is told, before and after the order",
      /`check_in_method` at the reserve.*`update_type` `check_in`/,
    ],
    [
      "Check-in rules",
      "the vehicle's description goes where checkout asks",
      /`pickup_profile.vehicle.description` where checkout asks about the vehicle/,
    ],
    [
      "Check-in rules",
      "the pickup notes and the user's own e-mail",
      /`notes_for_retailer` in the pickup notes, and the user's own e-mail/,
    ],
    ["Check-in rules", "the pickup phone takes voice calls only", /`pickup_phone` takes voice calls only/],
    [
      "Payment rules",
      "the user approves the fee first",
      /Ask the user to approve the 4\.95 USD fee before any payment/,
    ],
    [
      "Payment rules",
      "hosted checkout or a shared payment token",
      /`payment\.checkout_url`.*shared payment token with `update_delivery` and `update_type` `payment`/,
    ],
    ["Payment rules", "no card numbers through the agent", /Never ask the user for a card number/],
    [
      "Payment rules",
      "authorized before the store order, taken by confirm",
      /authorized before the store order is submitted; `confirm_delivery` takes it/,
    ],
    [
      "Payment rules",
      "the link's 35 minutes and how to get a fresh one",
      /35 minutes; `reserve_delivery` again gives a fresh one/,
    ],
    ["Payment rules", "10 more minutes after a failed payment", /extended by 10 minutes/],
    [
      "Payment rules",
      "when the fee is charged although nothing arrives",
      /does not hand the order over, when its items cannot be carried, or when the user cancels after collection/,
    ],
    ["Repeating a call", "bounds and life of a key", /8 to 128 characters, kept for 48 hours/],
    ["Repeating a call", "a retry repeats key and arguments", /same key with the same arguments/],
    [
      "Repeating a call",
      "faults and rate limits",
      /`internal_error` retry with the same key; after `rate_limited` wait `retry_after_seconds`/,
    ],
  ])("CK13: %s: %s", (title, _, says) => {
    expect(section(title)).toMatch(says)
  })

  test.each([
    "liquor stores",
    "pharmacies",
    "drugstores",
    "convenience stores",
    "gas stations",
    "supermarkets",
    "grocery and food stores",
    "markets",
    "warehouse, discount and general stores",
    "wholesalers",
    "bars",
    "pubs",
    "breweries",
    "wineries",
    "night clubs",
    "casinos",
    "smoke shops",
    "karaoke bars",
    "comedy clubs",
    "dance halls",
    "live music venues",
    "bowling alleys",
    "cinemas",
  ])("CK13: refused stores: %s", (kind) => {
    expect(section("Stores").split("Refused whatever the cart holds")[1]).toContain(kind)
  })

  test.each([
    "alcohol",
    "tobacco",
    "vape",
    "nicotine",
    "pharmacy",
    "prescription",
    "lottery",
    "firearms",
    "ammunition",
  ])("CK13: restricted goods: %s", (goods) => {
    expect(section("Restricted goods")).toContain(goods)
  })

  test("restricted goods: the cart can be named at the check, before the user pays the store", () => {
    expect(section("Restricted goods")).toContain("`items` of `check_delivery`")
  })

  test.each(COURIER_TOOLS)("names %s", (tool) => {
    expect(everything).toContain(`\`${tool}\``)
  })

  test("holds no personal data and no address of the service", () => {
    expect(everything).not.toMatch(/https?:|\+\d{7}|@/)
  })
})

describe("the instructions", () => {
  test("are the short form: order, next_step, goods, payment, check-in, and where the rest is", () => {
    expect(INSTRUCTIONS.length).toBeLessThan(1_200)
    const at = ["check_delivery", "reserve_delivery", "confirm_delivery", "get_delivery_status"].map((tool) =>
      INSTRUCTIONS.indexOf(tool),
    )
    expect(at.every((place) => place >= 0)).toBe(true)
    expect(at).toEqual(at.toSorted((a, b) => a - b))
    for (const word of [
      "next_step",
      "alcohol",
      "firearms",
      "before the store order",
      "app to check in",
      "courier://description",
    ]) {
      expect(INSTRUCTIONS).toContain(word)
    }
  })
})

describe("what the user accepts", () => {
  test.each<readonly [statement: string, says: RegExp]>([
    [
      "the order is collected at the curb and delivered",
      /collects your curbside order from the store and delivers it/,
    ],
    ["the fee is separate from the order", /4\.95 US dollars is separate from the store order/],
    [
      "the fee may stay when the store does not hand over",
      /may still be charged when the store cannot hand over the order/,
    ],
    [
      "the fee may stay when the items cannot be carried",
      /may still be charged when the items cannot be carried/,
    ],
    [
      "the fee may stay after a late cancel",
      /may still be charged when you cancel after the vehicle has collected the order/,
    ],
    ["what is in the order is not the service's", /not responsible for the contents of the order/],
  ])("CK13: the terms: %s", (_, says) => {
    expect(TERMS.text).toMatch(says)
  })

  test.each<readonly [statement: string, says: RegExp]>([
    [
      "which texts may come",
      /may send you text messages about this delivery: a tracking link and arrival updates/,
    ],
    ["rates", /Message and data rates may apply/],
    ["how to end them", /Reply STOP to opt out/],
    ["how to get help", /Reply HELP for help/],
  ])("CK13: the consent: %s", (_, says) => {
    expect(CONSENT.text).toMatch(says)
  })
})
