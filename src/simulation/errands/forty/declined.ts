/** Errands that no vehicle carries: nothing is ordered at the store, or what was ordered is cancelled, and nothing is paid. */

import type { DeclineReason } from "../../../model/courier.ts"
import type { Ending, Errand, Item } from "../errand.ts"

const KITCHEN = { name: "Lunchbox Kitchen" }
const SOUP: readonly Item[] = [{ name: "Tomato soup", quantity: 2 }]

function declined(declineReason: DeclineReason): Ending {
  return { state: "declined", declineReason, chargedCents: 0, storeOrders: 0 }
}

export const DECLINED_ERRANDS: readonly Errand[] = [
  {
    name: "a pub",
    says: "Fish and chips from The Paddock.",
    at: "11:30",
    store: { name: "The Paddock" },
    cart: [{ name: "Fish and chips", quantity: 1 }],
    ends: declined("store_not_supported"),
  },
  {
    name: "only the store's app to check in",
    says: "Soup from Lunchbox Kitchen; you check in with their app.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { announces: "only in the app" },
    ends: declined("disqualifying_requirement"),
  },
  {
    name: "the store asks for a name",
    says: "Soup from Lunchbox Kitchen, under my name.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { requires: ["the name must match the order"] },
    ends: declined("disqualifying_requirement"),
  },
  {
    name: "the store asks for an ID once it has the order",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { readyInMinutes: 25 },
    meanwhile: [
      {
        in: "confirmed",
        what: {
          type: "told",
          facts: [
            {
              about: "pickup requirements: what the store requires of the person who collects",
              value: ["an ID is required"],
            },
          ],
        },
      },
    ],
    ends: declined("disqualifying_requirement"),
  },
  {
    name: "beer that only the store's list names",
    says: "The dinner box for two from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: [{ name: "Dinner box", quantity: 1 }],
    checkout: {
      sells: [
        { name: "Dinner box", quantity: 1 },
        { name: "Lager beer, 2 cans", quantity: 1 },
      ],
    },
    ends: declined("disqualifying_requirement"),
  },
  {
    name: "a store that hands out at the counter alone",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { methods: ["counter"] },
    ends: declined("no_curbside"),
  },
  {
    name: "a door in another city",
    says: "Soup from Lunchbox Kitchen to my parents in San Antonio.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    door: { street: "200 E Market Street", city: "San Antonio", state: "TX", zip: "78205" },
    ends: declined("out_of_zone"),
  },
  {
    name: "slots that no vehicle reaches",
    says: "A cake from Slot Street Bakery in one of their slots.",
    at: "09:00",
    store: { name: "Slot Street Bakery" },
    cart: [{ name: "Lemon cake", quantity: 1 }],
    checkout: { slots: [["14:00", "14:15", "two o'clock"]] },
    ends: declined("timing_not_feasible"),
  },
  {
    name: "a store that has closed",
    says: "Breakfast from Early Café, now.",
    at: "13:00",
    store: { name: "Early Café" },
    cart: [{ name: "Oatmeal", quantity: 1 }],
    ends: declined("outside_service_hours"),
  },
  {
    name: "no vehicle is free",
    says: "Soup from Lunchbox Kitchen.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    before: ["vehicle_goes"],
    ends: declined("no_capacity"),
  },
]
