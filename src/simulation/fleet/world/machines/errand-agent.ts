/**
 * An agent with one errand: from the question whether it can be carried until it is over. 9 states, 8 events, no timer: how long the
 * agent takes between its calls, its cards, and whether it gives up are drawn with the errand.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"
import { ignored } from "./ignored.ts"

export type ErrandAgentEvent =
  | { readonly type: "agent.left" }
  | { readonly type: "errand.booked" }
  | { readonly type: "errand.ended" }
  | { readonly type: "fee.declined" }
  | { readonly type: "fee.paid" }
  | { readonly type: "order.placed" }
  | { readonly type: "quote.received" }
  | { readonly type: "vehicle.held" }

const ended = { "errand.ended": "over" } as const

export const errandAgent = setup({
  types: {
    events: {} as ErrandAgentEvent,
    /** `ordered`: the store has the order. */
    tags: {} as "ordered",
  },
}).createMachine({
  id: "errand-agent",
  description: "An agent with one errand of its customer.",
  initial: "asking",
  states: {
    asking: {
      description: "Asks whether the errand can be carried.",
      on: { "quote.received": "deciding", ...ended },
    },
    deciding: {
      description: "Has a quote, and shows it to its customer before it reserves.",
      on: { "vehicle.held": "paying", ...ended },
    },
    paying: {
      description: "A vehicle is held; pays the fee, with another card after one that was declined.",
      on: { "fee.paid": "ordering", "agent.left": "gone", ...ended },
    },
    ordering: {
      description: "The fee is authorized; places the order at the store.",
      on: { "order.placed": "reporting", ...ended },
    },
    reporting: {
      description: "Reports the order to the service, which books the errand.",
      tags: "ordered",
      on: { "errand.booked": "booked", "fee.declined": "paying_again", ...ended },
    },
    paying_again: {
      description: "The store has the order, and the fee was not paid out; tries another card.",
      tags: "ordered",
      on: { "fee.paid": "reporting", ...ended },
    },
    booked: {
      description: "A vehicle has the run; waits for the delivery.",
      tags: "ordered",
      on: { ...ended },
    },
    gone: {
      description: "Gave up without a word. The vehicle stays held until the hold ends.",
      on: { ...ended },
    },
    over: { description: "The errand is over." },
  },
})

const early = "The agent is not that far."
const late = "The agent is further already."
const notGoing = "Only an agent that has not paid gives up."
const isGone = "The agent gave up, and does nothing more."
const isOver = "The errand is over."

const EVENTS = [
  "agent.left",
  "errand.booked",
  "errand.ended",
  "fee.declined",
  "fee.paid",
  "order.placed",
  "quote.received",
  "vehicle.held",
] as const satisfies readonly ErrandAgentEvent["type"][]

export const errandAgentIgnores: Ignores = {
  asking: {
    "agent.left": notGoing,
    "errand.booked": early,
    "fee.declined": early,
    "fee.paid": early,
    "order.placed": early,
    "vehicle.held": early,
  },
  deciding: {
    "agent.left": notGoing,
    "errand.booked": early,
    "fee.declined": early,
    "fee.paid": early,
    "order.placed": early,
    "quote.received": late,
  },
  paying: {
    "errand.booked": early,
    "fee.declined": "It tries another card, in this state.",
    "order.placed": "An order is placed after the fee is authorized.",
    "quote.received": late,
    "vehicle.held": late,
  },
  ordering: {
    "agent.left": notGoing,
    "errand.booked": early,
    "fee.declined": "An authorized fee is paid out at the report of the order.",
    "fee.paid": late,
    "quote.received": late,
    "vehicle.held": late,
  },
  reporting: {
    "agent.left": notGoing,
    "fee.paid": late,
    "order.placed": late,
    "quote.received": late,
    "vehicle.held": late,
  },
  paying_again: {
    "agent.left": notGoing,
    "errand.booked": "The order is reported again after the payment.",
    "fee.declined": "It tries another card, in this state.",
    "order.placed": late,
    "quote.received": late,
    "vehicle.held": late,
  },
  booked: {
    "agent.left": notGoing,
    "errand.booked": late,
    "fee.declined": late,
    "fee.paid": late,
    "order.placed": late,
    "quote.received": late,
    "vehicle.held": late,
  },
  gone: ignored(
    isGone,
    EVENTS.filter((event) => event !== "errand.ended"),
  ),
  over: ignored(isOver, EVENTS),
}
