/**
 * What an agent must know to use the connector: the resource `courier://description`, and its short form, which a
 * server sends as its instructions. Every rule of it has a test of its own. Source: courier connector contract §1 to
 * §4; our choices K13 and M10. The words are ours.
 */

import { CONSENT_VERSION, TERMS_VERSION } from "../../model/courier.ts"

export const DESCRIPTION_URI = "courier://description"

export const DESCRIPTION_RESOURCE = {
  uri: DESCRIPTION_URI,
  name: "courier connector",
  title: "courier connector",
  description: "How to use this connector: call order, restricted goods, payment rules and check-in rules.",
  mimeType: "text/markdown",
} as const

const SECTIONS: readonly (readonly [title: string, lines: readonly string[]])[] = [
  [
    "What it does",
    [
      "You place a prepared-food order on a store's own website, in the user's own name. An autonomous vehicle collects it",
      "at the store's curb and drives it to the user's drop-off address. Store and drop-off address must both lie in the",
      "service area, which is Austin, Texas. The delivery fee is 4.95 US dollars; it is separate from the store order and",
      "charged by this service. Access is by invitation: a user whose mobile number is not enabled cannot link it.",
    ],
  ],
  [
    "Follow next_step",
    [
      "Every answer of a tool has `next_step`, the exact call to make next, and `user_message`, one sentence that you may",
      "show to the user. Do what `next_step` says, also where it differs from the usual order below. An answer with `error`",
      "is a refusal: nothing has changed, but a store order that you reported is remembered. An answer with `decline_reason` is a decision: do not place the store order for",
      "that delivery. Arguments that do not fit a tool's schema are answered by the protocol, without these fields; those that",
      "a tool does not know are ignored and named in `warnings`. Times are UTC; `user_message` has them in Austin's time.",
    ],
  ],
  [
    "Call order",
    [
      "1. `check_delivery`, before checkout starts: creates the delivery and says whether it can be served.",
      "2. Show the user the price, the delivery terms and the text-message consent, as that answer words them, and ask for",
      "   both to be accepted. Never accept for the user.",
      `3. \`reserve_delivery\`, at checkout: holds a vehicle for 15 minutes. It needs the accepted \`terms_version\``,
      `   \`${TERMS_VERSION}\` and \`consent_version\` \`${CONSENT_VERSION}\`.`,
      "4. Payment: the user approves the fee, then pays. See the payment rules.",
      "5. Place the store order for curbside pickup, using `pickup_profile` and `pickup_time` exactly as they were given.",
      "6. `confirm_delivery`, at once after the order: order number, every item, the confirmation text, and the pickup code",
      "   if the store shows one. It books the delivery and answers the pickup time, the delivery window and `tracking_url`.",
      "7. `get_delivery_status` until the delivery has ended, no more often than `poll_after_seconds` says. Give the user",
      "   the `tracking_url`.",
      "`update_delivery` reports a payment or any change after the reserve. `cancel_delivery` works until the vehicle",
      "collects the order; cancel the store order too, if one was placed. `dropoff` is where the vehicle drives to; when it",
      "`is_approximate`, send the address with its `location`. `update_type` `dropoff_address` changes it until the vehicle",
      "has the order. `update_result` says what was done with an update.",
    ],
  ],
  [
    "Stores",
    [
      "Served: restaurants, cafes, bakeries, takeout and other prepared-food businesses that offer curbside pickup and have a",
      "public map listing at the given address with phone number and opening hours. List every pickup option of the",
      "checkout in `pickup_methods_offered`; curbside must be among them.",
      "Refused whatever the cart holds: liquor stores, pharmacies and drugstores, convenience stores, gas stations,",
      "supermarkets, grocery and food stores, markets, warehouse, discount and general stores, wholesalers, bars, pubs,",
      "breweries, wineries, night clubs, casinos, smoke shops, and entertainment venues such as karaoke bars, comedy clubs,",
      "dance halls, live music venues, bowling alleys and cinemas.",
    ],
  ],
  [
    "Restricted goods",
    [
      "Never delivered: alcohol; tobacco, vape and nicotine products; pharmacy and prescription items; lottery; firearms and",
      "ammunition; and any order that needs an ID or age check at pickup. Items are screened on every order, so leave such",
      "items out before you place it. An order found to hold one is declined, and the vehicle does not collect it. Name",
      "the cart in `items` of `check_delivery`: `restricted_items` then names what to leave out before the user pays the",
      "store. Screening goes by the names of items, so tell them as the store lists them, with their modifiers.",
    ],
  ],
  [
    "Timing",
    [
      "Pickup windows are 15 minutes wide, from the store's lead time up to 90 minutes ahead, inside the store's opening",
      "hours and the service hours, 8 AM to 8 PM store time. Later orders are not taken. A quote holds for 30 minutes. A hold",
      "lasts 15 minutes; if it ends before the store order is placed, call `reserve_delivery` again first. If the order was",
      "placed without a live hold, still call `confirm_delivery`: it takes a vehicle itself, or declines when none is free.",
      "Tell the slots of the checkout as `retailer_slots` of `check_delivery`: an order whose slots are all out of reach is",
      "declined before the user pays the store. To choose another of the `pickup_windows`, send it as `pickup_window` of",
      "`reserve_delivery`, or of `update_delivery` with `update_type` `slot`. When the store is late, report `ready_time`, or",
      "the issue `order_delayed` with `ready_at`: without a time nothing moves.",
    ],
  ],
  [
    "Pickup requirements",
    [
      "Report in `pickup_requirements_seen` what the store requires of the person who collects. An ID, a name that must match the person",
      "collecting, a signature or an age check cannot be met. The service never supplies the name of a pickup person or a",
      "license plate: if checkout requires either and accepts nothing else, the order cannot be served.",
    ],
  ],
  [
    "Check-in rules",
    [
      "The vehicle cannot use a store's own app; a store whose only check-in is its app is declined. Otherwise tell how the",
      "store wants to learn of the arrival: `check_in_method` at the reserve, and after the order `update_delivery` with",
      "`update_type` `check_in`, with the link, the phone number or the instructions that the store sent. Put",
      "`pickup_profile.vehicle.description` where checkout asks about the vehicle, `notes_for_retailer` in the pickup notes,",
      "and the user's own e-mail as the contact of the order. `pickup_phone` takes voice calls only, no text messages.",
    ],
  ],
  [
    "Payment rules",
    [
      "Ask the user to approve the 4.95 USD fee before any payment, then either let the user pay at `payment.checkout_url`, or",
      "send a shared payment token with `update_delivery` and `update_type` `payment`. Never ask the user for a card number",
      "yourself. The fee must be authorized before the store order is submitted; `confirm_delivery` takes it. The checkout",
      "link works for 35 minutes; `reserve_delivery` again gives a fresh one. After `payment_failed` a live hold is extended",
      "by 10 minutes, so that another payment can be sent. The fee may be charged although nothing arrives: when the store",
      "does not hand the order over, when its items cannot be carried, or when the user cancels after collection.",
    ],
  ],
  [
    "Repeating a call",
    [
      "Every tool but `get_delivery_status` takes an `idempotency_key` of 8 to 128 characters, kept for 48 hours. Use a new one",
      "for each new call. To retry a call, send the same key with the same arguments: what succeeded or was declined is",
      "answered again, what was refused runs again. After `internal_error` retry with the same key; after `rate_limited` wait",
      "`retry_after_seconds` first.",
    ],
  ],
]

/** In Markdown. */
export const DESCRIPTION_TEXT = [
  "# Courier connector",
  ...SECTIONS.map(([title, lines]) => `## ${title}\n\n${lines.join("\n")}`),
]
  .join("\n\n")
  .concat("\n")

/** The short form, for a server's instructions. */
export const INSTRUCTIONS = [
  "Delivers prepared-food orders from a store's curb in Austin, Texas, by autonomous vehicle, for 4.95 USD.",
  "Call order: check_delivery before checkout; show price, terms and consent to the user; reserve_delivery once both are",
  "accepted; the user approves and pays the fee; place the store order in the user's own name for curbside pickup;",
  "confirm_delivery; get_delivery_status until it ends. Always do what next_step of the last answer says.",
  "Never order alcohol, tobacco, vape or nicotine, pharmacy items, lottery, firearms, ammunition, or anything that needs an",
  "ID or age check at pickup. The fee must be authorized before the store order is submitted. The vehicle cannot use a",
  `store's app to check in. Read the resource ${DESCRIPTION_URI} before the first call.`,
].join(" ")
