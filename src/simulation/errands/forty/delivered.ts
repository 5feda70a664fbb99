/** Errands whose order comes to the door. */

import type { Ending, Errand, Item } from "../errand.ts"

const KITCHEN = { name: "Lunchbox Kitchen" }
const BAKERY = { name: "Slot Street Bakery" }
const SOUP: readonly Item[] = [{ name: "Tomato soup", quantity: 2 }]
const READY = { readyInMinutes: 15 }

const DELIVERED: Ending = { state: "completed", chargedCents: 495, storeOrders: 1 }

export const DELIVERED_ERRANDS: readonly Errand[] = [
  {
    name: "lunch as soon as it is ready",
    says: "Get me two tomato soups from Lunchbox Kitchen, please, as soon as they are ready.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "the user pays on the page",
    says: "Bring me a soup from Lunchbox Kitchen; I would rather type my card in myself.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { pays: ["page:spt_ok"], paysAfterMinutes: 2 },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "the card is declined first",
    says: "Two soups from Lunchbox Kitchen; I have two cards, one of them may be empty.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { pays: ["spt_declined", "spt_ok"] },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "the fee is approved and then not paid out",
    says: "Soup from Lunchbox Kitchen; if my first card makes trouble, take the second.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { pays: ["spt_uncaptured", "spt_ok"] },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "the user chooses a later window",
    says: "Soup from Lunchbox Kitchen. Tell me when it can be picked up, and I choose.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    user: { window: 2 },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "a bakery with pickup slots",
    says: "Croissants from Slot Street Bakery, in whichever of their slots fits.",
    at: "09:00",
    store: BAKERY,
    cart: [{ name: "Croissant", quantity: 4 }],
    checkout: {
      slots: [
        ["09:30", "09:45", "half past nine"],
        ["10:00", "10:15", "ten o'clock"],
      ],
    },
    ends: DELIVERED,
  },
  {
    name: "the store shows a code and wants a call",
    says: "Two soups from Lunchbox Kitchen. They want a call when you are there.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { ...READY, announces: "call the store", pickupCode: "7431" },
    ends: DELIVERED,
  },
  {
    name: "the store sends a link to check in",
    says: "Soup from Lunchbox Kitchen; they mail a link to say that you are outside.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: { ...READY, announces: "a link in an email" },
    meanwhile: [
      {
        in: "confirmed",
        what: {
          type: "told",
          facts: [
            {
              about: "check in: how the vehicle announces its arrival to the store",
              value: { url: "https://lunchbox.example/here/1001" },
            },
          ],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "the user remembers the notes for the door later",
    says: "Soup from Lunchbox Kitchen, please.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "held",
        what: {
          type: "told",
          facts: [{ about: "dropoff notes: how to find the door", value: "Ring twice" }],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "the user goes to another address",
    says: "Soup from Lunchbox Kitchen. I may have to go to my sister's; I tell you then.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "confirmed",
        afterMinutes: 3,
        what: {
          type: "told",
          facts: [
            {
              about: "another dropoff address, where the user wants the order",
              value: {
                street: "9 Sister Street",
                city: "Austin",
                state: "TX",
                zip: "78758",
                location: { lat: 30.405, lng: -97.72 },
              },
            },
          ],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "another mail address",
    says: "Soup from Lunchbox Kitchen. Write to my other mail address if anything happens.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "held",
        what: {
          type: "told",
          facts: [{ about: "contact email of the user", value: { email: "ada@example.com" } }],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "the store replaces an item",
    says: "Two tomato soups from Lunchbox Kitchen; something similar is fine if they are out.",
    at: "11:30",
    store: KITCHEN,
    cart: SOUP,
    checkout: READY,
    meanwhile: [
      {
        in: "confirmed",
        what: {
          type: "told",
          facts: [
            {
              about: "what changed of the store order: items",
              value: { items: [{ name: "Pumpkin soup", quantity: 2 }] },
            },
          ],
        },
      },
    ],
    ends: DELIVERED,
  },
  {
    name: "wine in the cart, left out",
    says: "Pasta and a bottle of Chianti from Lunchbox Kitchen; only the pasta if wine is a problem.",
    at: "11:30",
    store: KITCHEN,
    cart: [
      { name: "Pasta with pesto", quantity: 1 },
      { name: "Bottle of red wine", quantity: 1 },
    ],
    user: { leavesOut: true },
    checkout: READY,
    ends: DELIVERED,
  },
  {
    name: "a store by nearly its name",
    says: "Soup from that Lunchbox at the Domain.",
    at: "11:30",
    store: {
      name: "Lunchbox",
      address: { street: "11410 Century Oaks Ter", city: "Austin", state: "TX", zip: "78758" },
    },
    cart: SOUP,
    user: { meansMatch: true },
    checkout: READY,
    ends: DELIVERED,
  },
]
