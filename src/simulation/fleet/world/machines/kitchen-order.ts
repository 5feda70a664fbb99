/**
 * An order in the kitchen of a store, from the request until it is ready. 4 states, 3 events, no timer: the kitchen draws how long
 * it takes and knows its cooks.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"

export type KitchenOrderEvent =
  | { readonly type: "cook.began" }
  | { readonly type: "preparation.due" }
  | { readonly type: "preparation.ended" }

export const kitchenOrder = setup({
  types: {
    events: {} as KitchenOrderEvent,
    /** `ready`: may be handed over. */
    tags: {} as "ready",
  },
}).createMachine({
  id: "kitchen-order",
  description: "An order in the kitchen of a store.",
  initial: "requested",
  states: {
    requested: {
      description: "The kitchen begins it some time before it is wanted.",
      on: { "preparation.due": "waiting_for_cook" },
    },
    waiting_for_cook: {
      description: "It should be prepared now; all cooks have other orders.",
      on: { "cook.began": "preparing" },
    },
    preparing: {
      description: "A cook prepares it.",
      on: { "preparation.ended": "ready" },
    },
    ready: { description: "At the counter.", tags: "ready" },
  },
})

const notDue = "The kitchen has not begun with it."
const begun = "The kitchen has begun with it already."
const isReady = "It is ready already."

export const kitchenOrderIgnores: Ignores = {
  requested: { "cook.began": notDue, "preparation.ended": notDue },
  waiting_for_cook: { "preparation.due": begun, "preparation.ended": "No cook has it." },
  preparing: { "cook.began": "A cook has it already.", "preparation.due": begun },
  ready: { "cook.began": isReady, "preparation.due": isReady, "preparation.ended": isReady },
}
