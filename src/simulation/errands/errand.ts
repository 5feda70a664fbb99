/**
 * An errand in plain words: what a user asks of an agent and answers when asked, what the store does, and how it must
 * end. Times of day are Austin's.
 */

import type { CourierState, DeclineReason, FailureReason } from "../../model/courier.ts"

/** A text, a number, a list or an object, as JSON has them. */
export type Value = boolean | number | string | null | readonly Value[] | { readonly [name: string]: Value }

/** Something that the agent knows: what it is, in the words of a person, and its value. */
export interface Fact {
  readonly about: string
  readonly value: Value
}

export interface Item {
  readonly name: string
  readonly quantity: number
  readonly modifiers?: readonly string[]
}

export interface Errand {
  readonly name: string
  /** The user's request. */
  readonly says: string
  /** When the user asks, such as `11:30`. */
  readonly at: string
  readonly store: StoreNamed
  readonly cart: readonly Item[]
  /** Where the user wants the order; the usual door unless said. */
  readonly door?: { readonly [part: string]: Value }
  /** When the user wants the pickup: two times of day; as soon as possible unless said. */
  readonly wanted?: readonly [from: string, to: string]
  /** Further facts from the request. */
  readonly knows?: readonly Fact[]
  readonly user?: User
  readonly checkout?: Checkout
  /** How the world is when the user asks. */
  readonly before?: readonly Disturbance[]
  /** What happens on the way, in this order. */
  readonly meanwhile?: readonly Happening[]
  readonly ends: Ending
}

/** The store as the user names it; `address` is that of the listing with that name unless said. */
export interface StoreNamed {
  readonly name: string
  readonly address?: { readonly [part: string]: Value }
}

/** What the user answers. */
export interface User {
  /** Accepts price, terms and text messages; true unless said. */
  readonly accepts?: boolean
  /** Minutes until the user answers the first question. */
  readonly thinksMinutes?: number
  /** The offered window that the user chooses, counted from 0; the agent's choice unless said. */
  readonly window?: number
  /** The payment of each attempt: a token, or `page` for the page that the agent links to. */
  readonly pays?: readonly string[]
  /** Minutes until the user has paid. */
  readonly paysAfterMinutes?: number
  /** Means the store that the agent suggests. */
  readonly meansMatch?: boolean
  /** Leaves out what may not be carried. */
  readonly leavesOut?: boolean
  /** Comes back when a later pickup is possible. */
  readonly waits?: boolean
}

/** What the store's checkout offers and asks for. */
export interface Checkout {
  readonly methods?: readonly string[]
  /** Pickup slots, as times of day. */
  readonly slots?: readonly (readonly [start: string, end: string, label: string])[]
  /** What it requires of the person who collects. */
  readonly requires?: readonly string[]
  /** How customers announce their arrival. */
  readonly announces?: string
  /** Minutes from the decision to order until the order is placed; 1 unless said. */
  readonly placesAfterMinutes?: number
  /** Minutes after that until the order is ready; the store says no time unless said. */
  readonly readyInMinutes?: number
  readonly pickupCode?: string
  /** The store takes no order. */
  readonly refuses?: boolean
  /** What the store's list has instead of the cart. */
  readonly sells?: readonly Item[]
}

/** Something that happens while the errand is under way. */
export interface Happening {
  /** The state of an answer before which it does not happen; `none` for an answer without one. */
  readonly in: CourierState | "none"
  /** Minutes after the first answer with that state; 0 unless said. */
  readonly afterMinutes?: number
  readonly what:
    /** The user or the store tells the agent something that the service should know. */
    | { readonly type: "told"; readonly facts: readonly Fact[] }
    /** The same, with a time this many minutes ahead as the value of the last fact. */
    | { readonly type: "told_time"; readonly facts: readonly Fact[]; readonly minutesAhead: number }
    | { readonly type: "user_cancels" }
    /** Operations say that it failed. */
    | { readonly type: "fails"; readonly reason: FailureReason; readonly refunds: boolean }
    /** The world changes. */
    | { readonly type: Disturbance }
}

/** What the outside does to the service. */
export const DISTURBANCES = [
  "payments_fail",
  "payments_work",
  "look_ups_fail",
  "look_ups_work",
  "vehicle_goes",
  "vehicle_comes",
] as const

export type Disturbance = (typeof DISTURBANCES)[number]

/** What must be true at the end. */
export interface Ending {
  /** Of the last delivery; null when there is none. */
  readonly state: CourierState | null
  readonly declineReason?: DeclineReason
  readonly failureReason?: FailureReason
  /** What the processor keeps of the user, in cents. */
  readonly chargedCents: 0 | 495
  /** Orders that stand at the store: placed, and not cancelled. */
  readonly storeOrders: 0 | 1
}
