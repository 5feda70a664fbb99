/** Errands that someone ends: the user, the store, or operations. */

import type { Ending, Errand, Item } from "../errand.ts"

const KITCHEN = { name: "Lunchbox Kitchen" }
const SOUP: readonly Item[] = [{ name: "Tomato soup", quantity: 2 }]
const READY = { readyInMinutes: 25 }

const CANCELLED: Ending = { state: "cancelled", chargedCents: 0, storeOrders: 0 }

export const CANCELLED_ERRANDS: readonly Errand[] = [
  {
    name: "the user does not accept the terms",
    says: "What does soup from Lunchbox Kitchen cost? No texts to my phone, please.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { accepts: false },
    ends: CANCELLED,
  },
  {
    name: "no card is good",
    says: "Soup from Lunchbox Kitchen with this card.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { pays: ["spt_expired"] },
    ends: CANCELLED,
  },
  {
    name: "the user changes their mind after the booking",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [{ in: "confirmed", afterMinutes: 3, what: { type: "user_cancels" } }],
    ends: CANCELLED,
  },
  {
    name: "the store takes no order",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { refuses: true },
    ends: CANCELLED,
  },
  {
    name: "the store cancels the order",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "confirmed",
        afterMinutes: 4,
        what: {
          type: "told",
          facts: [
            {
              about: "issue: the store's message",
              value: { code: "order cancelled by the store", note: "The kitchen is closed" },
            },
          ],
        },
      },
    ],
    ends: CANCELLED,
  },
  {
    name: "the store needs two hours more",
    says: "Soup from Lunchbox Kitchen; forget it if it takes longer than an hour.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "confirmed",
        afterMinutes: 4,
        what: {
          type: "told_time",
          minutesAhead: 120,
          facts: [{ about: "ready time: when the order is ready", value: "then" }],
        },
      },
    ],
    ends: CANCELLED,
  },
  {
    name: "the store does not hand the order over",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "waiting_for_load",
        afterMinutes: 5,
        what: { type: "fails", reason: "store_no_handover", refunds: true },
      },
    ],
    ends: { state: "failed", failureReason: "store_no_handover", chargedCents: 0, storeOrders: 1 },
  },
]
