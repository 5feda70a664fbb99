/** Errands whose order comes to the door although a clock runs out, the store is late or something is out of order. */

import type { Ending, Errand, Item } from "../errand.ts"

const KITCHEN = { name: "Lunchbox Kitchen" }
const SOUP: readonly Item[] = [{ name: "Tomato soup", quantity: 2 }]
const READY = { readyInMinutes: 15 }

const DELIVERED: Ending = { state: "completed", chargedCents: 495, storeOrders: 1 }

export const LATE_ERRANDS: readonly Errand[] = [
  {
    name: "the quote runs out",
    says: "What would a soup from Lunchbox Kitchen cost me? I think about it.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { thinksMinutes: 31 },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "the hold runs out while shopping",
    says: "The large order for the team from Lunchbox Kitchen: the list is long.",
    at: "11:30",
    store: KITCHEN,
    cart: [{ name: "Lunch box with rice", quantity: 12 }],
    checkout: { placesAfterMinutes: 17, readyInMinutes: 20 },
    ends: DELIVERED,
  },
  {
    name: "notes for the door after the hold ran out",
    says: "Soup from Lunchbox Kitchen. I look for my card and tell you about the door.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { paysAfterMinutes: 16 },
    checkout: READY,
    meanwhile: [
      {
        in: "held",
        afterMinutes: 16,
        what: {
          type: "told",
          facts: [{ about: "dropoff notes: how to find the door", value: "Ring twice" }],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "the store is late and says until when only later",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { readyInMinutes: 25 },
    meanwhile: [
      {
        in: "confirmed",
        afterMinutes: 2,
        what: {
          type: "told",
          facts: [
            {
              about: "issue: the store's message",
              value: { code: "the order is delayed", note: "The oven is broken" },
            },
          ],
        },
      },
      {
        in: "confirmed",
        afterMinutes: 8,
        what: {
          type: "told_time",
          minutesAhead: 30,
          facts: [{ about: "ready time: when the order is ready", value: "then" }],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "a time later than ninety minutes, and the user comes back",
    says: "Have the soup from Lunchbox Kitchen picked up at three; remind me if that is too early to ask.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    wanted: ["15:00", "15:15"],
    user: { waits: true },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "no vehicle is free for a while",
    says: "Soup from Lunchbox Kitchen; I am not in a hurry.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      { in: "quoted", what: { type: "vehicle_goes" } },
      { in: "quoted", afterMinutes: 4, what: { type: "vehicle_comes" } },
    ],
    ends: DELIVERED,
  },
  {
    name: "the store look-up is down for a minute",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    before: ["look_ups_fail"],
    checkout: READY,
    meanwhile: [{ in: "none", afterMinutes: 1, what: { type: "look_ups_work" } }],
    ends: DELIVERED,
  },
  {
    name: "the payment processor is down for a while",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { pays: ["spt_ok", "spt_ok", "spt_ok"], paysAfterMinutes: 1 },
    checkout: READY,
    meanwhile: [
      { in: "held", what: { type: "payments_fail" } },
      { in: "held", afterMinutes: 2, what: { type: "payments_work" } },
    ],
    ends: DELIVERED,
  },
  {
    name: "too late to cancel",
    says: "Soup from Lunchbox Kitchen. If I find something in the fridge I tell you.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [{ in: "en_route_to_customer", what: { type: "user_cancels" } }],
    ends: DELIVERED,
  },
]
