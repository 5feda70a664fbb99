/**
 * Vehicle: its runs, and the progress of the active one. Positions are rows; the machine gets only events that are
 * derived from them (near the store, left the store, at the customer). Source: direct delivery contract, sandbox
 * specifics; the rules of telemetry are ours (src/DECISIONS.md §30). 8 states, 10 events, 1 timer.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { msUntil } from "../src/model/values/time.ts"
import type { VehiclePolicy } from "../src/model/vehicle.ts"
import { reply, send } from "../src/model/verbs.ts"
import type { Ignores } from "./ignores.ts"
import type { deliveryContract } from "./delivery-contract.ts"
import type { vehicleContract } from "./vehicle-contract.ts"

export type VehicleInput = MachineInput<typeof vehicleContract>

export type VehicleEvent = MachineEvent<typeof vehicleContract>

export interface VehicleContext {
  readonly fleetId: string
  readonly isSynthetic: boolean
  readonly isOnline: boolean
  readonly policy: VehiclePolicy
  /** The delivery that the vehicle carries out now. */
  readonly activeId: string | null
  /**
   * Deliveries in the queue behind it, in order of arrival. At most one, except that a booked errand keeps its place
   * when the fleet shrinks.
   */
  readonly queuedIds: readonly string[]
  /**
   * When the vehicle arrived at the store of the active run, by its own report; null before that, and if it only passed
   * by.
   */
  readonly atStoreSinceMs: EpochMs | null
}

const approached = { target: "approaching", actions: "tell that it approaches the store" } as const
const reached = { target: "at_store", actions: ["note the arrival", "tell that it is at the store"] } as const
const loaded = { target: "loaded", actions: "tell that the order is on board" } as const
const left = { target: "leaving", actions: "tell that it left the store" } as const
const atCustomer = { target: "at_customer", actions: "tell that it is at the customer" } as const
const unloaded = [
  {
    guard: "a run is queued",
    target: "#vehicle.underway",
    reenter: true,
    actions: ["tell that the customer has the order", "promote the queued run"],
  },
  { target: "#vehicle.idle", actions: ["tell that the customer has the order", "drop the active run"] },
] as const

type ToDelivery = SentEvent<typeof deliveryContract>

export const vehicle = setup({
  types: {
    context: {} as VehicleContext,
    events: {} as VehicleEvent,
    emitted: {} as VerbOf<typeof vehicleContract>,
    input: {} as VehicleInput,
    tags: {} as "resting",
  },
  guards: {
    "a run is queued": ({ context }) => context.queuedIds.length > 0,
    "it ends the active run and another is queued": ({ context, event }) =>
      event.type === "run.ended" && event.deliveryId === context.activeId && context.queuedIds.length > 0,
    "it ends the active run": ({ context, event }) =>
      event.type === "run.ended" && event.deliveryId === context.activeId,
    "it ends a queued run": ({ context, event }) =>
      event.type === "run.ended" && context.queuedIds.includes(event.deliveryId),
    "it stood there long enough": ({ context, event }) =>
      event.type === "store.left" &&
      event.recordedAtMs - (context.atStoreSinceMs ?? event.recordedAtMs) >= context.policy.loadWaitMs,
    "it is online": ({ context }) => context.isOnline,
    "it is offline": ({ context }) => !context.isOnline,
  },
  actions: {
    "take the run": assign({
      activeId: ({ context, event }) => (event.type === "run.offered" ? event.deliveryId : context.activeId),
    }),
    "queue the run": assign({
      queuedIds: ({ context, event }) =>
        event.type === "run.offered" ? [...context.queuedIds, event.deliveryId] : context.queuedIds,
    }),
    "tell that the run is taken": enqueueActions(({ enqueue, context, event }) => {
      if (context.isSynthetic || event.type !== "run.offered") return
      enqueue.emit(send<ToDelivery>(`delivery/${event.deliveryId}`, { type: "vehicle.assigned" }))
    }),
    "drop the active run": assign({ activeId: null, atStoreSinceMs: null }),
    "drop the queued run": assign({
      queuedIds: ({ context, event }) =>
        context.queuedIds.filter((id) => event.type !== "run.ended" || id !== event.deliveryId),
    }),
    "promote the queued run": assign({
      activeId: ({ context }) => context.queuedIds[0] ?? null,
      queuedIds: ({ context }) => context.queuedIds.slice(1),
      atStoreSinceMs: null,
    }),
    "note the arrival": assign({
      atStoreSinceMs: ({ context, event }) =>
        event.type === "store.reached" ? event.recordedAtMs : context.atStoreSinceMs,
    }),
    "note that it only passed by": assign({ atStoreSinceMs: null }),
    "note that it is online": assign({ isOnline: true }),
    "note that it is offline": assign({ isOnline: false }),
    "tell that it approaches the store": emit(({ context }) => toRun(context, "store.approached")),
    "tell that it is at the store": emit(({ context }) => toRun(context, "store.reached")),
    "tell that it waits for the load": emit(({ context }) => toRun(context, "load.awaited")),
    "tell that the order is on board": emit(({ context }) => toRun(context, "order.loaded")),
    "tell that it left the store": emit(({ context }) => toRun(context, "store.left")),
    "tell that it is at the customer": emit(({ context }) => toRun(context, "customer.reached")),
    "tell that the customer has the order": emit(({ context }) => toRun(context, "order.unloaded")),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
  },
  delays: {
    /** The wait begins at the time of the vehicle's own report, so a late report has part of the wait behind it. */
    "wait for the load": ({ context, event }) =>
      Math.max(0, msUntil((context.atStoreSinceMs ?? Number.NaN) + context.policy.loadWaitMs, event)),
  },
}).createMachine({
  id: "vehicle",
  description: "A vehicle of a fleet: one active run, others behind it.",
  context: ({ input }) => ({
    fleetId: input.fleetId,
    isSynthetic: input.isSynthetic,
    isOnline: input.isOnline,
    policy: input.policy,
    activeId: null,
    queuedIds: [],
    atStoreSinceMs: null,
  }),
  initial: "idle",
  states: {
    idle: {
      description: "No run. It may stay so for ever.",
      tags: "resting",
      on: {
        "run.offered": { target: "underway", actions: ["take the run", "tell that the run is taken"] },
        "vehicle.went_online": [
          { guard: "it is online", actions: "answer that nothing changed" },
          { actions: "note that it is online" },
        ],
        "vehicle.went_offline": [
          { guard: "it is offline", actions: "answer that nothing changed" },
          { actions: "note that it is offline" },
        ],
      },
    },
    underway: {
      description: "It has an active run. A supervisor or the sandbox may move the delivery without it.",
      tags: "resting",
      initial: "assigned",
      on: {
        "run.offered": { actions: ["queue the run", "tell that the run is taken"] },
        "run.ended": [
          {
            guard: "it ends the active run and another is queued",
            target: "underway",
            reenter: true,
            actions: "promote the queued run",
          },
          { guard: "it ends the active run", target: "idle", actions: "drop the active run" },
          { guard: "it ends a queued run", actions: "drop the queued run" },
        ],
        "vehicle.went_online": [
          { guard: "it is online", actions: "answer that nothing changed" },
          { actions: "note that it is online" },
        ],
        "vehicle.went_offline": [
          { guard: "it is offline", actions: "answer that nothing changed" },
          { description: "Its runs stay with it.", actions: "note that it is offline" },
        ],
      },
      states: {
        assigned: {
          description: "It has not moved towards the store yet.",
          on: {
            "store.approached": approached,
            "store.reached": reached,
            "load.reported": loaded,
            "customer.reached": atCustomer,
          },
        },
        approaching: {
          description: "It moves towards the store.",
          on: { "store.reached": reached, "load.reported": loaded, "customer.reached": atCustomer },
        },
        at_store: {
          description: "It is near the store, and may wait there or pass by.",
          on: {
            "load.reported": loaded,
            "store.left": [
              { guard: "it stood there long enough", ...left },
              {
                description: "It looks for a place, or passes by.",
                target: "approaching",
                actions: "note that it only passed by",
              },
            ],
            "customer.reached": atCustomer,
          },
          after: {
            "wait for the load": { target: "waiting", actions: "tell that it waits for the load" },
          },
        },
        waiting: {
          description: "It stands at the store and waits for the order.",
          on: { "load.reported": loaded, "store.left": left, "customer.reached": atCustomer },
        },
        loaded: {
          description: "The order is on board.",
          on: { "store.left": left, "customer.reached": atCustomer },
        },
        leaving: {
          description: "It is on its way to the customer.",
          on: { "customer.reached": atCustomer, "unload.reported": unloaded },
        },
        at_customer: {
          description: "It is at the customer's address.",
          on: { "unload.reported": unloaded },
        },
      },
    },
  },
})

function toRun(context: VehicleContext, type: Exclude<ToDelivery["type"], "vehicle.changed">) {
  return send<ToDelivery>(`delivery/${context.activeId ?? ""}`, { type })
}

const noRun = "Without a run there is nothing to cross; the position is kept as a row."
const unknownRun = "The vehicle has ended that run itself, or it went to another vehicle."
const known = "The vehicle is there, or further, already."
const notYet = "It was not at the store on this run."
const empty = "Nothing was taken on board on this run, or the order is still at the store."

export const vehicleIgnores: Ignores = {
  idle: {
    "customer.reached": noRun,
    "load.reported": noRun,
    "run.ended": unknownRun,
    "store.approached": noRun,
    "store.left": noRun,
    "store.reached": noRun,
    "unload.reported": noRun,
  },
  "underway.assigned": { "run.ended": unknownRun, "store.left": notYet, "unload.reported": empty },
  "underway.approaching": {
    "run.ended": unknownRun,
    "store.approached": known,
    "store.left": notYet,
    "unload.reported": empty,
  },
  "underway.at_store": {
    "run.ended": unknownRun,
    "store.approached": known,
    "store.reached": known,
    "unload.reported": empty,
  },
  "underway.waiting": {
    "run.ended": unknownRun,
    "store.approached": known,
    "store.reached": known,
    "unload.reported": empty,
  },
  "underway.loaded": {
    "run.ended": unknownRun,
    "load.reported": known,
    "store.approached": known,
    "store.reached": known,
    "unload.reported": empty,
  },
  "underway.leaving": {
    "run.ended": unknownRun,
    "load.reported": known,
    "store.approached": known,
    "store.left": known,
    "store.reached": known,
  },
  "underway.at_customer": {
    "run.ended": unknownRun,
    "customer.reached": known,
    "load.reported": known,
    "store.approached": known,
    "store.left": known,
    "store.reached": known,
  },
}
