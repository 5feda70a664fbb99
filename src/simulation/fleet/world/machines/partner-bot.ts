/**
 * A partner's bot on the street, for one visit: from the booking until it has left. What it reports is the service's `bot`; this is
 * what it does. 7 states, 8 events, no timer: the visit draws how long each takes.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"

export type PartnerBotEvent =
  | { readonly type: "compartment.failed" }
  | { readonly type: "curb.reached" }
  | { readonly type: "order.loaded" }
  | { readonly type: "patience.ended" }
  | { readonly type: "settled" }
  | { readonly type: "settling.failed" }
  | { readonly type: "stall.taken" }
  | { readonly type: "visit.ended" }

const ended = { "visit.ended": "over" } as const
const gaveUp = "gave_up" as const

export const partnerBot = setup({
  types: {
    events: {} as PartnerBotEvent,
    /** `at_stall`: the stall is taken by it. */
    tags: {} as "at_stall",
  },
}).createMachine({
  id: "partner-bot",
  description: "A partner's bot on the street, for one visit.",
  initial: "expected",
  states: {
    expected: {
      description: "It has not come, and perhaps never comes.",
      on: { "curb.reached": "in_line", ...ended },
    },
    in_line: {
      description: "It is at the curb, and its stall is taken.",
      on: { "stall.taken": "settling", "patience.ended": gaveUp, ...ended },
    },
    settling: {
      description: "At its stall; it opens its compartment.",
      tags: "at_stall",
      on: {
        settled: "ready",
        "settling.failed": gaveUp,
        "compartment.failed": gaveUp,
        "patience.ended": gaveUp,
        "order.loaded": "leaving",
        ...ended,
      },
    },
    ready: {
      description: "At its stall, ready for the order.",
      tags: "at_stall",
      on: { "order.loaded": "leaving", "compartment.failed": gaveUp, "patience.ended": gaveUp, ...ended },
    },
    leaving: {
      description: "The order is on board; it closes its compartment and leaves.",
      tags: "at_stall",
      on: { ...ended },
    },
    gave_up: {
      description: "It leaves without the order, and its partner cancels.",
      on: { ...ended },
    },
    over: { description: "The visit has ended. A bot that comes now finds no booking." },
  },
})

const there = "It is at the curb already."
const notThere = "It has not come yet."
const notAtStall = "Only a bot at its stall gets an order."
const isReady = "It is ready already."
const hasIt = "The order is on board already."
const isLeaving = "It leaves without the order."
const isOver = "The visit has ended; the bot does nothing more for it."

export const partnerBotIgnores: Ignores = {
  expected: {
    "compartment.failed": notThere,
    "order.loaded": notAtStall,
    "patience.ended": notThere,
    settled: notThere,
    "settling.failed": notThere,
    "stall.taken": notThere,
  },
  in_line: {
    "compartment.failed": "It is not at its stall yet.",
    "curb.reached": there,
    "order.loaded": notAtStall,
    settled: "It is not at its stall yet.",
    "settling.failed": "It is not at its stall yet.",
  },
  settling: { "curb.reached": there, "stall.taken": "It has its stall." },
  ready: {
    "curb.reached": there,
    settled: isReady,
    "settling.failed": isReady,
    "stall.taken": "It has its stall.",
  },
  leaving: {
    "compartment.failed": hasIt,
    "curb.reached": there,
    "order.loaded": hasIt,
    "patience.ended": hasIt,
    settled: hasIt,
    "settling.failed": hasIt,
    "stall.taken": hasIt,
  },
  gave_up: {
    "compartment.failed": isLeaving,
    "curb.reached": there,
    "order.loaded": isLeaving,
    "patience.ended": isLeaving,
    settled: isLeaving,
    "settling.failed": isLeaving,
    "stall.taken": isLeaving,
  },
  over: {
    "compartment.failed": isOver,
    "curb.reached": isOver,
    "order.loaded": isOver,
    "patience.ended": isOver,
    settled: isOver,
    "settling.failed": isOver,
    "stall.taken": isOver,
    "visit.ended": isOver,
  },
}
