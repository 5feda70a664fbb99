/**
 * Delivery: one order on its way from a store to a customer by a vehicle; its status only moves forward.
 * Source: direct delivery contract, states and transitions; what moves it in production is ours (src/DECISIONS.md §30).
 * 10 states, 11 events, no timer.
 */

import { assertEvent, assign, emit, enqueueActions, setup } from "xstate"
import { rankOf } from "../src/model/delivery.ts"
import type { DeliveryStatus } from "../src/model/delivery.ts"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { publish, refuse, reply, send, startInput } from "../src/model/verbs.ts"
import type { vehicleContract } from "./vehicle-contract.ts"
import type { deliveryContract } from "./delivery-contract.ts"
import type { Ignores } from "./ignores.ts"

/** `decided` is the vehicle that the assignment rule chose. */
export type DeliveryInput = MachineInput<typeof deliveryContract>

export type DeliveryEvent = MachineEvent<typeof deliveryContract>

export interface DeliveryContext {
  readonly deliveryId: string
  readonly siteId: string
  readonly vehicleId: string
  /** Rank of the latest status that a report implies. The delivery passes through the statuses before it one by one. */
  readonly impliedRank: number
  /** The status of the last event that was published. The first status has no event. */
  readonly announced: DeliveryStatus
  readonly createdAtMs: EpochMs
  readonly completedAtMs: EpochMs | null
  readonly cancelledAtMs: EpochMs | null
}

/** The address of the vehicle that carries the delivery. */
function vehicleOf(context: DeliveryContext): string {
  return `vehicle/${context.vehicleId}`
}

/**
 * Takes the next step when a report implies this status or a later one. A report that skips statuses is replayed status
 * by status.
 */
function implied(target: string, status: DeliveryStatus) {
  return {
    target,
    actions: { type: "note what the report implies", params: { rank: rankOf(status) } },
  } as const
}

/** On entry, goes to the next status while a report implies a later one. */
function goesOn(target: string, status: DeliveryStatus) {
  return { guard: { type: "a later status is implied", params: { rank: rankOf(status) } }, target } as const
}

function announcing(status: DeliveryStatus) {
  return { type: "announce the status", params: { status } } as const
}

const repeat = { actions: "answer that nothing changed" } as const

type ToVehicle = SentEvent<typeof vehicleContract>

export const delivery = setup({
  types: {
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
    emitted: {} as VerbOf<typeof deliveryContract>,
    input: {} as DeliveryInput,
    tags: {} as "resting" | "settled",
  },
  guards: {
    "a later status is implied": ({ context }, params: { readonly rank: number }) =>
      context.impliedRank > params.rank,
    "the vehicle stays the same": ({ context, event }) =>
      event.type === "vehicle.changed" && event.vehicleId === context.vehicleId,
  },
  actions: {
    "offer the run to the vehicle": emit(({ event }) => {
      const { deliveryId, decided } = startInput<DeliveryInput>(event)
      return send<ToVehicle>(`vehicle/${decided.vehicleId}`, { type: "run.offered", deliveryId })
    }),
    "hand the run to the other vehicle": enqueueActions(({ enqueue, context, event }) => {
      assertEvent(event, "vehicle.changed")
      const { deliveryId } = context
      enqueue.emit(send<ToVehicle>(vehicleOf(context), { type: "run.ended", deliveryId }))
      enqueue.emit(send<ToVehicle>(`vehicle/${event.vehicleId}`, { type: "run.offered", deliveryId }))
      enqueue.assign({ vehicleId: event.vehicleId })
    }),
    "tell the vehicle that the run is over": emit(({ context }) =>
      send<ToVehicle>(vehicleOf(context), { type: "run.ended", deliveryId: context.deliveryId }),
    ),
    "note what the report implies": assign({
      impliedRank: (_, params: { readonly rank: number }) => params.rank,
    }),
    "announce the status": enqueueActions(
      ({ enqueue, context }, params: { readonly status: DeliveryStatus }) => {
        enqueue.emit(publish("pickup_status.changed", { previous_status: context.announced }))
        enqueue.assign({ announced: params.status })
      },
    ),
    "note the completion": assign({ completedAtMs: ({ event }) => event.atMs }),
    "note the cancellation": assign({ cancelledAtMs: ({ event }) => event.atMs }),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "refuse in this state": emit(refuse("INVALID_STATE")),
  },
}).createMachine({
  id: "delivery",
  description: "One order on its way from a store to a customer. Its status only moves forward.",
  context: ({ input }) => ({
    deliveryId: input.deliveryId,
    siteId: input.siteId,
    vehicleId: input.decided.vehicleId,
    impliedRank: 0,
    announced: "SCHEDULED",
    createdAtMs: input.atMs,
    completedAtMs: null,
    cancelledAtMs: null,
  }),
  entry: "offer the run to the vehicle",
  initial: "open",
  states: {
    open: {
      description: "Waits for its vehicle, a supervisor, or the developer who advances it.",
      tags: "resting",
      initial: "scheduled",
      on: {
        "cancel.requested": { target: "cancelled", description: "Possible at every status before the end." },
        "vehicle.changed": [
          { guard: "the vehicle stays the same", actions: "answer that nothing changed" },
          { actions: "hand the run to the other vehicle" },
        ],
      },
      states: {
        scheduled: {
          description: "Created from a quote.",
          on: {
            "step.advanced": "assigned",
            "vehicle.assigned": implied("assigned", "ASSIGNED"),
            "store.approached": implied("assigned", "EN_ROUTE_TO_STORE"),
            "store.reached": implied("assigned", "ARRIVED_AT_STORE"),
            "load.awaited": implied("assigned", "WAITING_FOR_LOAD"),
            "order.loaded": implied("assigned", "LOADED"),
            "store.left": implied("assigned", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("assigned", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("assigned", "COMPLETED"),
          },
        },
        assigned: {
          description: "A vehicle has taken the run.",
          entry: announcing("ASSIGNED"),
          always: goesOn("en_route_to_store", "ASSIGNED"),
          on: {
            "step.advanced": "en_route_to_store",
            "vehicle.assigned": repeat,
            "store.approached": implied("en_route_to_store", "EN_ROUTE_TO_STORE"),
            "store.reached": implied("en_route_to_store", "ARRIVED_AT_STORE"),
            "load.awaited": implied("en_route_to_store", "WAITING_FOR_LOAD"),
            "order.loaded": implied("en_route_to_store", "LOADED"),
            "store.left": implied("en_route_to_store", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("en_route_to_store", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("en_route_to_store", "COMPLETED"),
          },
        },
        en_route_to_store: {
          description: "The vehicle is on its way to the store.",
          entry: announcing("EN_ROUTE_TO_STORE"),
          always: goesOn("arrived_at_store", "EN_ROUTE_TO_STORE"),
          on: {
            "step.advanced": "arrived_at_store",
            "store.approached": repeat,
            "store.reached": implied("arrived_at_store", "ARRIVED_AT_STORE"),
            "load.awaited": implied("arrived_at_store", "WAITING_FOR_LOAD"),
            "order.loaded": implied("arrived_at_store", "LOADED"),
            "store.left": implied("arrived_at_store", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("arrived_at_store", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("arrived_at_store", "COMPLETED"),
          },
        },
        arrived_at_store: {
          description: "The vehicle is at the store.",
          entry: announcing("ARRIVED_AT_STORE"),
          always: goesOn("waiting_for_load", "ARRIVED_AT_STORE"),
          on: {
            "step.advanced": "waiting_for_load",
            "store.reached": repeat,
            "load.awaited": implied("waiting_for_load", "WAITING_FOR_LOAD"),
            "order.loaded": implied("waiting_for_load", "LOADED"),
            "store.left": implied("waiting_for_load", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("waiting_for_load", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("waiting_for_load", "COMPLETED"),
          },
        },
        waiting_for_load: {
          description: "The vehicle stands at the store and waits for the order.",
          entry: announcing("WAITING_FOR_LOAD"),
          always: goesOn("loaded", "WAITING_FOR_LOAD"),
          on: {
            "step.advanced": "loaded",
            "load.awaited": repeat,
            "order.loaded": implied("loaded", "LOADED"),
            "store.left": implied("loaded", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("loaded", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("loaded", "COMPLETED"),
          },
        },
        loaded: {
          description: "The order is on board.",
          entry: announcing("LOADED"),
          always: goesOn("en_route_to_customer", "LOADED"),
          on: {
            "step.advanced": "en_route_to_customer",
            "order.loaded": repeat,
            "store.left": implied("en_route_to_customer", "EN_ROUTE_TO_CUSTOMER"),
            "customer.reached": implied("en_route_to_customer", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("en_route_to_customer", "COMPLETED"),
          },
        },
        en_route_to_customer: {
          description: "The vehicle is on its way to the customer.",
          entry: announcing("EN_ROUTE_TO_CUSTOMER"),
          always: goesOn("arrived_at_customer", "EN_ROUTE_TO_CUSTOMER"),
          on: {
            "step.advanced": "arrived_at_customer",
            "store.left": repeat,
            "customer.reached": implied("arrived_at_customer", "ARRIVED_AT_CUSTOMER"),
            "order.unloaded": implied("arrived_at_customer", "COMPLETED"),
          },
        },
        arrived_at_customer: {
          description: "The vehicle is at the customer's address.",
          entry: announcing("ARRIVED_AT_CUSTOMER"),
          always: goesOn("#delivery.completed", "ARRIVED_AT_CUSTOMER"),
          on: {
            "step.advanced": "#delivery.completed",
            "customer.reached": repeat,
            "order.unloaded": implied("#delivery.completed", "COMPLETED"),
          },
        },
      },
    },
    completed: {
      description: "The customer has the order. For good.",
      tags: "settled",
      entry: ["note the completion", announcing("COMPLETED"), "tell the vehicle that the run is over"],
      on: {
        "order.unloaded": repeat,
        "cancel.requested": { actions: "refuse in this state" },
        "step.advanced": { actions: "refuse in this state" },
        "vehicle.changed": { actions: "refuse in this state" },
      },
    },
    cancelled: {
      description: "Cancelled by the retailer. For good.",
      tags: "settled",
      entry: ["note the cancellation", announcing("CANCELLED"), "tell the vehicle that the run is over"],
      on: {
        "cancel.requested": { ...repeat, description: "Cancelling again changes nothing." },
        "step.advanced": { actions: "refuse in this state" },
        "vehicle.changed": { actions: "refuse in this state" },
      },
    },
  },
})

const behind =
  "A status never goes back: a vehicle may report late what a supervisor said before; a supervisor is refused."
const over = "The delivery is over; the vehicle's report was on its way when it ended."

export const deliveryIgnores: Ignores = {
  "open.en_route_to_store": { "vehicle.assigned": behind },
  "open.arrived_at_store": { "vehicle.assigned": behind, "store.approached": behind },
  "open.waiting_for_load": {
    "vehicle.assigned": behind,
    "store.approached": behind,
    "store.reached": behind,
  },
  "open.loaded": {
    "vehicle.assigned": behind,
    "store.approached": behind,
    "store.reached": behind,
    "load.awaited": behind,
  },
  "open.en_route_to_customer": {
    "vehicle.assigned": behind,
    "store.approached": behind,
    "store.reached": behind,
    "load.awaited": behind,
    "order.loaded": behind,
  },
  "open.arrived_at_customer": {
    "vehicle.assigned": behind,
    "store.approached": behind,
    "store.reached": behind,
    "load.awaited": behind,
    "order.loaded": behind,
    "store.left": behind,
  },
  completed: {
    "vehicle.assigned": over,
    "store.approached": over,
    "store.reached": over,
    "load.awaited": over,
    "order.loaded": over,
    "store.left": over,
    "customer.reached": over,
  },
  cancelled: {
    "vehicle.assigned": over,
    "store.approached": over,
    "store.reached": over,
    "load.awaited": over,
    "order.loaded": over,
    "store.left": over,
    "customer.reached": over,
    "order.unloaded": over,
  },
}
