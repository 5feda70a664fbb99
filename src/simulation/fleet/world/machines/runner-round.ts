/**
 * A runner's round for one visit: to the store, and with the order to the stall. After a missed bot another round may begin with the
 * order. 8 states, 9 events, no timer: the visit draws how long each way takes.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"

export type RunnerRoundEvent =
  | { readonly type: "counter.reached" }
  | { readonly type: "load.began" }
  | { readonly type: "order.awaited" }
  | { readonly type: "order.in_hand" }
  | { readonly type: "order.ready" }
  | { readonly type: "runner.called" }
  | { readonly type: "runner.released" }
  | { readonly type: "runner.sent" }
  | { readonly type: "stall.reached" }

const released = { "runner.released": "unstaffed" } as const

export const runnerRound = setup({
  types: {
    events: {} as RunnerRoundEvent,
    /** `at_stall`: the runner stands where the bot is loaded. */
    tags: {} as "at_stall",
  },
}).createMachine({
  id: "runner-round",
  description: "The round of a runner for one visit.",
  initial: "unstaffed",
  states: {
    unstaffed: {
      description: "No runner has the task: it is not due, waits for an idle runner, or is done.",
      on: { "runner.sent": "to_store", "runner.called": "to_bot" },
    },
    to_store: {
      description: "On the way to the counter.",
      on: { "order.awaited": "waiting_for_order", "counter.reached": "at_counter", ...released },
    },
    waiting_for_order: {
      description: "At the store; the kitchen has not finished the order.",
      on: { "order.ready": "at_counter", ...released },
    },
    at_counter: {
      description: "Picks the order up and weighs it.",
      on: { "order.in_hand": "carrying", ...released },
    },
    carrying: {
      description: "On the way to the stall with the order.",
      on: { "stall.reached": "at_stall", ...released },
    },
    to_bot: {
      description: "The order is at the stall; on the way to a bot that came late.",
      on: { "stall.reached": "at_stall", ...released },
    },
    at_stall: {
      description: "At the stall; the bot has not come, or its compartment is closed.",
      tags: "at_stall",
      on: { "load.began": "loading", ...released },
    },
    loading: {
      description: "Puts the order into the bot.",
      tags: "at_stall",
      on: { ...released },
    },
  },
})

const noRunner = "No runner has the task."
const hasRunner = "A runner has the task already."
const later = "The runner is not that far."
const before = "The runner is further already."

const STAFFED = { "runner.called": hasRunner, "runner.sent": hasRunner }

export const runnerRoundIgnores: Ignores = {
  unstaffed: {
    "counter.reached": noRunner,
    "load.began": noRunner,
    "order.awaited": noRunner,
    "order.in_hand": noRunner,
    "order.ready": noRunner,
    "runner.released": noRunner,
    "stall.reached": noRunner,
  },
  to_store: {
    ...STAFFED,
    "load.began": later,
    "order.in_hand": later,
    "order.ready": "The runner is not at the store yet.",
    "stall.reached": later,
  },
  waiting_for_order: {
    ...STAFFED,
    "counter.reached": before,
    "load.began": later,
    "order.awaited": before,
    "order.in_hand": later,
    "stall.reached": later,
  },
  at_counter: {
    ...STAFFED,
    "counter.reached": before,
    "load.began": later,
    "order.awaited": before,
    "order.ready": before,
    "stall.reached": later,
  },
  carrying: {
    ...STAFFED,
    "counter.reached": before,
    "load.began": later,
    "order.awaited": before,
    "order.in_hand": before,
    "order.ready": before,
  },
  to_bot: {
    ...STAFFED,
    "counter.reached": before,
    "load.began": later,
    "order.awaited": before,
    "order.in_hand": before,
    "order.ready": before,
  },
  at_stall: {
    ...STAFFED,
    "counter.reached": before,
    "order.awaited": before,
    "order.in_hand": before,
    "order.ready": before,
    "stall.reached": before,
  },
  loading: {
    ...STAFFED,
    "counter.reached": before,
    "load.began": "The load has begun.",
    "order.awaited": before,
    "order.in_hand": before,
    "order.ready": before,
    "stall.reached": before,
  },
}
