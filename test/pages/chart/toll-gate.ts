/** A hand-made machine that has one of each kind of transition, so that a chart which loses one is seen. */

import { and, assign, emit, fromPromise, not, setup } from "xstate"
import type { EventObject } from "xstate"

interface TollGateContext {
  readonly cars: number
}

export const tollGate = setup({
  types: { context: {} as TollGateContext, events: {} as EventObject, tags: {} as "settled" | "resting" },
  actors: { "read the plate": fromPromise(() => Promise.resolve("plate")) },
  guards: {
    "the coin is good": () => true,
    "it rains": () => false,
    "at least": (_, params: { cars: number }) => params.cars > 0,
  },
  actions: {
    "count the car": assign({ cars: ({ context }) => context.cars + 1 }),
    ring: emit({ type: "rang" }),
    "light the lamp": (_, params: { readonly color: string }) => void params,
  },
  delays: { "bar time": () => 5_000 },
}).createMachine({
  id: "toll-gate",
  description: "Lets cars pass: for a coin.",
  context: { cars: 0 },
  initial: "closed",
  on: { "power.cut": ".out of order", "bell.pressed": { actions: "ring" } },
  states: {
    closed: {
      description: "The bar is down.",
      tags: "resting",
      entry: ["count the car", { type: "light the lamp", params: { color: "red" } }],
      exit: "ring",
      on: {
        "coin.inserted": [
          { guard: "the coin is good", target: "opening" },
          {
            actions: { type: "light the lamp", params: { color: "amber" } },
            description: "Bad coin; try again.",
          },
        ],
        "coin.returned": { target: "closed" },
        "door.*": { actions: "ring" },
        "*": { target: "closed", reenter: true },
        "bell.pressed": {},
      },
    },
    opening: {
      initial: "raising",
      always: { guard: { type: "at least", params: { cars: 1_000 } }, target: "out of order" },
      invoke: {
        id: "plate",
        src: "read the plate",
        onDone: { actions: "count the car" },
        onError: { target: "out of order" },
      },
      onDone: { target: "open" },
      states: {
        raising: {
          after: {
            "bar time": [
              { guard: and(["the coin is good", not("it rains")]), target: "up" },
              { target: "raising" },
            ],
          },
        },
        up: { type: "final" },
      },
    },
    open: {
      type: "parallel",
      after: { 9_000: "closed" },
      on: { "both.set": { target: [".lamp.on", ".bar.shut"] } },
      states: {
        lamp: {
          initial: "off",
          states: { off: { on: { "lamp.lit": "on" } }, on: {}, last: { type: "history" } },
        },
        bar: {
          initial: "wide",
          on: { "bar.restored": ".memory" },
          states: {
            wide: { on: { "bar.lowered": "shut" } },
            shut: {},
            memory: { type: "history", history: "deep", target: "shut" },
          },
        },
      },
    },
    "out of order": { type: "final", tags: "settled", entry: "ring" },
  },
})
