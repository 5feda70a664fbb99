/**
 * The customer of one order, of any product: from the request until the order is over. 6 states, 6 events, no timer: whether and when
 * a customer cancels is drawn with the order.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"
import { ignored } from "./ignored.ts"

export type CustomerEvent =
  | { readonly type: "cancel.refused" }
  | { readonly type: "mind.changed" }
  | { readonly type: "order.completed" }
  | { readonly type: "order.opened" }
  | { readonly type: "order.stopped" }
  | { readonly type: "request.declined" }

const over = { "order.completed": "served", "order.stopped": "without_order" } as const

export const customer = setup({
  types: { events: {} as CustomerEvent },
}).createMachine({
  id: "customer",
  description: "The customer of one order.",
  initial: "asking",
  states: {
    asking: {
      description: "Has made a request; the service has not answered.",
      on: { "order.opened": "waiting", "request.declined": "turned_away" },
    },
    waiting: {
      description: "Has an order, and waits for it.",
      on: { "mind.changed": "canceling", ...over },
    },
    canceling: {
      description: "Has asked to cancel.",
      on: { "cancel.refused": "waiting", ...over },
    },
    turned_away: { description: "The service declined the request." },
    served: { description: "Has the order." },
    without_order: {
      description: "The order was canceled, declined after its booking began, or not handed over.",
    },
  },
})

const noOrder = "There is no order yet."
const hasOrder = "The order is open already."
const notCanceling = "Nothing was asked to be canceled."
const turnedAway = "The request was declined, so there is no order."
const isOver = "The order is over."

const EVENTS = [
  "cancel.refused",
  "mind.changed",
  "order.completed",
  "order.opened",
  "order.stopped",
  "request.declined",
] as const satisfies readonly CustomerEvent["type"][]

export const customerIgnores: Ignores = {
  asking: {
    "cancel.refused": notCanceling,
    "mind.changed": noOrder,
    "order.completed": noOrder,
    "order.stopped": noOrder,
  },
  waiting: {
    "cancel.refused": notCanceling,
    "order.opened": hasOrder,
    "request.declined": hasOrder,
  },
  canceling: {
    "mind.changed": "The customer has asked to cancel already.",
    "order.opened": hasOrder,
    "request.declined": hasOrder,
  },
  turned_away: ignored(turnedAway, EVENTS),
  served: ignored(isOver, EVENTS),
  without_order: ignored(isOver, EVENTS),
}
