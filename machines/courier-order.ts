/**
 * Courier order: one errand for a linked user, from the quote over the hold and the payment to the booking; after that
 * the `delivery` machine holds its status. Its timers: the quote, the hold, the retry of a payment that lengthens the
 * hold, and the time in which a placed order may still be reported. Source: courier connector contract, states and
 * transitions; the transitions that the contract leaves open are ours (src/DECISIONS.md §75). 12 resting states, 14
 * events, 4 timers.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { CourierPolicy, DeclineReason, FailureReason } from "../src/model/courier.ts"
import type { RefusalCode } from "../src/model/values/errors.ts"
import type {
  MachineEvent,
  MachineInput,
  SentEvent,
  SentInput,
  VerbOf,
} from "../src/model/machine-contract.ts"
import { msUntil } from "../src/model/values/time.ts"
import type { EpochMs, Stamp } from "../src/model/values/time.ts"
import { refuse, reply, send, start } from "../src/model/verbs.ts"
import type { courierPaymentContract } from "./courier-payment-contract.ts"
import type { deliveryContract } from "./delivery-contract.ts"
import type { courierOrderContract } from "./courier-order-contract.ts"
import type { Ignores } from "./ignores.ts"

export type CourierOrderInput = MachineInput<typeof courierOrderContract>

export type CourierOrderEvent = MachineEvent<typeof courierOrderContract>

export interface CourierOrderContext {
  readonly deliveryId: string
  readonly storeId: string | null
  readonly policy: CourierPolicy
  readonly declineReason: DeclineReason | null
  readonly failureReason: FailureReason | null
  /** The vehicle that the assignment rule chose when the order was reported. */
  readonly vehicleId: string | null
  readonly quoteEndsAtMs: EpochMs
  /** When the last hold ends or ended; null before the first. */
  readonly holdEndsAtMs: EpochMs | null
  readonly isAuthorized: boolean
  /**
   * True when the hold was live before the order was reported. A hold that the report itself took is not lengthened.
   */
  readonly wasHeld: boolean
  readonly createdAtMs: EpochMs
  readonly endedAtMs: EpochMs | null
}

const refusedByRule = { guard: "a rule forbids it", actions: "refuse by the rule" } as const
const expired = { actions: { type: "refuse with", params: { code: "QUOTE_EXPIRED" } } } as const
const lapsed = { actions: { type: "refuse with", params: { code: "HOLD_EXPIRED" } } } as const
const collected = {
  guard: "the vehicle has the order",
  actions: { type: "refuse with", params: { code: "INVALID_STATE" } },
} as const
const declined = { target: "#courier-order.declined", actions: "note why it is declined" } as const

const reserve = [
  refusedByRule,
  {
    guard: "it pays with it",
    target: "#courier-order.open.authorizing",
    actions: ["start the payment", "take the hold", "ask to authorize"],
  },
  { target: "#courier-order.open.held", reenter: true, actions: ["start the payment", "take the hold"] },
] as const
const confirmHeld = [
  refusedByRule,
  { guard: "an item is restricted", target: "#courier-order.declined", actions: "note the restricted items" },
  {
    guard: "the fleet has no vehicle",
    target: "#courier-order.declined",
    actions: "note that no vehicle is free",
  },
  {
    guard: "nothing is authorized",
    target: "#courier-order.open.held",
    reenter: true,
    actions: ["lengthen the hold", "answer that the payment failed"],
  },
  {
    target: "#courier-order.open.capturing",
    actions: ["note that the hold was live", "note the vehicle", "ask to capture"],
  },
] as const
const confirmLapsed = [
  refusedByRule,
  { guard: "an item is restricted", target: "#courier-order.declined", actions: "note the restricted items" },
  { guard: "no vehicle is free", target: "#courier-order.declined", actions: "note that no vehicle is free" },
  {
    guard: "nothing is authorized",
    target: "#courier-order.open.held",
    actions: ["take the hold", "answer that the payment failed"],
  },
  {
    target: "#courier-order.open.capturing",
    actions: ["take the hold", "note that there was no hold", "note the vehicle", "ask to capture"],
  },
] as const
const cancel = { target: "#courier-order.cancelled" } as const
const paymentNews = {
  "payment.authorized": { actions: "note that it is authorized" },
  "payment.declined": { actions: "note that it is not authorized" },
} as const
const quoteIsOver = {
  "payment.requested": expired,
  "reserve.declined": expired,
  "reserve.requested": expired,
  "store.cancelled": expired,
  "update.declined": expired,
  "update.requested": expired,
} as const

type ToPayment = SentEvent<typeof courierPaymentContract>
type DeliveryStart = Omit<MachineInput<typeof deliveryContract>, keyof Stamp>
type ToDelivery = SentEvent<typeof deliveryContract>

export const courierOrder = setup({
  types: {
    context: {} as CourierOrderContext,
    events: {} as CourierOrderEvent,
    emitted: {} as VerbOf<typeof courierOrderContract>,
    input: {} as CourierOrderInput,
    tags: {} as "resting" | "settled",
  },
  guards: {
    "the screening declines it": ({ context }) => context.declineReason !== null,
    "a rule forbids it": ({ event }) => ruleAgainst(event) !== undefined,
    "it pays with it": ({ context, event }) =>
      event.type === "reserve.requested" && event.pays && !context.isAuthorized,
    "something is authorized": ({ context }) => context.isAuthorized,
    "nothing is authorized": ({ context }) => !context.isAuthorized,
    "an item is restricted": ({ event }) => reported(event)?.isRestricted === true,
    "no vehicle is free": ({ event }) => reported(event)?.hasPlace === false,
    "the fleet has no vehicle": ({ event }) => reported(event)?.vehicleId === null,
    "the hold was live": ({ context }) => context.wasHeld,
    "the vehicle has the order": ({ event }) =>
      "decided" in event && "isCollected" in event.decided && event.decided.isCollected,
    "the delivery is over": ({ event }) => event.type === "failure.reported" && event.decided.isOver,
    "it failed for that reason": ({ context, event }) =>
      event.type === "failure.reported" && event.reason === context.failureReason,
    "it comes too late": ({ event }) =>
      event.type === "update.requested" &&
      (event.decided.isOver || (event.decided.isCollected && !event.isDropoff)),
  },
  actions: {
    /** The payment starts with the first hold: a check alone costs the user nothing. */
    "start the payment": enqueueActions(({ enqueue, context }) => {
      if (context.holdEndsAtMs !== null) return
      enqueue.emit(
        start<SentInput<typeof courierPaymentContract>>("./payment", "courier-payment@1", {
          policy: context.policy.payment,
        }),
      )
    }),
    "take the hold": assign(({ context, event }) => holdUntil(context, event.atMs + context.policy.holdMs)),
    "lengthen the hold": assign(({ context, event }) => {
      const wanted = (context.holdEndsAtMs ?? event.atMs) + context.policy.retryMs
      return holdUntil(context, Math.min(wanted, event.atMs + context.policy.horizonMs))
    }),
    "end the hold now": assign({ holdEndsAtMs: ({ event }) => event.atMs }),
    "note that the hold was live": assign({ wasHeld: true }),
    "note that there was no hold": assign({ wasHeld: false }),
    "note the vehicle": assign({
      vehicleId: ({ context, event }) => (reported(event) ?? context).vehicleId,
    }),
    "note that it is authorized": assign({ isAuthorized: true }),
    "note that it is not authorized": assign({ isAuthorized: false }),
    "note why it is declined": assign({
      declineReason: ({ context, event }) => ("reason" in event ? asDecline(event) : context.declineReason),
    }),
    "note the restricted items": assign({ declineReason: "disqualifying_requirement" as const }),
    "note that no vehicle is free": assign({ declineReason: "no_capacity" as const }),
    "note why it failed": assign({
      failureReason: ({ context, event }) =>
        event.type === "failure.reported" ? event.reason : context.failureReason,
    }),
    "note the end": assign({ endedAtMs: ({ event }) => event.atMs }),
    "ask to authorize": emit(send<ToPayment>("./payment", { type: "authorize.requested" })),
    "ask to capture": emit(send<ToPayment>("./payment", { type: "capture.requested" })),
    "let the payment go": enqueueActions(({ enqueue, context }) => {
      if (context.holdEndsAtMs !== null)
        enqueue.emit(send<ToPayment>("./payment", { type: "release.requested" }))
    }),
    "start the delivery": enqueueActions(({ enqueue, context }) => {
      const { deliveryId, storeId, vehicleId } = context
      if (storeId === null || vehicleId === null) throw new Error("a booked errand has no store or vehicle")
      const input: DeliveryStart = { deliveryId, siteId: storeId, decided: { vehicleId } }
      enqueue.emit(start(`delivery/${deliveryId}`, "delivery@1", input))
    }),
    "end the delivery": enqueueActions(({ enqueue, context }) => {
      if (context.vehicleId === null) return
      enqueue.emit(send<ToDelivery>(`delivery/${context.deliveryId}`, { type: "cancel.requested" }))
    }),
    "answer that the payment failed": emit(reply({ isPaymentFailed: true })),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "answer that it is taken": emit(reply({})),
    "refuse by the rule": enqueueActions(({ enqueue, event }) => {
      const code = ruleAgainst(event)
      if (code === undefined) throw new Error("no rule forbids it")
      enqueue.emit(refuse(code))
    }),
    "refuse with": emit((_, params: { readonly code: RefusalCode }) => refuse(params.code)),
  },
  delays: {
    "end of the quote": ({ context, event }) => Math.max(0, msUntil(context.quoteEndsAtMs, event)),
    "end of the hold": ({ context, event }) =>
      Math.max(0, msUntil(context.holdEndsAtMs ?? Number.NaN, event)),
    /** The bound is inclusive: a report at the last instant counts. */
    "end of the time to report": ({ context, event }) =>
      Math.max(0, msUntil((context.holdEndsAtMs ?? Number.NaN) + context.policy.reportMs + 1, event)),
  },
}).createMachine({
  id: "courier-order",
  description: "One errand for a linked user, from the quote to the booking.",
  context: ({ input }) => ({
    deliveryId: input.deliveryId,
    storeId: input.storeId,
    policy: input.policy,
    declineReason: input.decided.declineReason,
    failureReason: null,
    vehicleId: null,
    quoteEndsAtMs: input.atMs + input.policy.quoteMs,
    holdEndsAtMs: null,
    isAuthorized: false,
    wasHeld: false,
    createdAtMs: input.atMs,
    endedAtMs: input.decided.declineReason === null ? null : input.atMs,
  }),
  initial: "open",
  states: {
    open: {
      description: "Not booked yet.",
      initial: "quoted",
      states: {
        quoted: {
          description: "Serviceable, unless the screening has declined it; no vehicle has been held.",
          always: { guard: "the screening declines it", target: "#courier-order.unserved" },
          on: {
            "cancel.requested": cancel,
            "reserve.declined": declined,
            "reserve.requested": reserve,
          },
          after: { "end of the quote": "expired" },
        },
        held: {
          description: "A vehicle is held.",
          on: {
            "cancel.requested": cancel,
            "confirm.requested": confirmHeld,
            "hold.released": { target: "lapsed", actions: "end the hold now" },
            "payment.requested": [
              {
                guard: "something is authorized",
                actions: { type: "refuse with", params: { code: "INVALID_STATE" } },
              },
              { target: "authorizing", actions: "ask to authorize" },
            ],
            "reserve.declined": declined,
            "reserve.requested": reserve,
            "store.cancelled": cancel,
            "update.declined": declined,
            "update.requested": [refusedByRule, { actions: "answer that it is taken" }],
          },
          after: { "end of the hold": "lapsed" },
        },
        authorizing: {
          description: "Held during a request to the processor: the hold waits for its answer.",
          on: {
            "payment.authorized": { target: "held", actions: "note that it is authorized" },
            "payment.declined": { target: "held", actions: "note that it is not authorized" },
          },
        },
        lapsed: {
          description: "The hold ran out or was released; it reads as quoted again.",
          on: {
            ...paymentNews,
            "cancel.requested": cancel,
            "confirm.requested": confirmLapsed,
            "payment.requested": [
              {
                guard: "something is authorized",
                actions: { type: "refuse with", params: { code: "INVALID_STATE" } },
              },
              { actions: "ask to authorize" },
            ],
            "reserve.declined": declined,
            "reserve.requested": reserve,
            "store.cancelled": lapsed,
            "update.declined": lapsed,
            "update.requested": lapsed,
          },
          after: { "end of the quote": "overdue" },
        },
        capturing: {
          description:
            "The order is placed and the fee is being taken; it reads as held, and the hold waits.",
          on: {
            "payment.captured": "#courier-order.booked",
            "payment.declined": [
              {
                guard: "the hold was live",
                target: "held",
                actions: ["note that it is not authorized", "lengthen the hold"],
              },
              { target: "held", actions: "note that it is not authorized" },
            ],
          },
        },
        overdue: {
          description: "The quote ran out after a hold: an order that was placed may still be reported.",
          on: {
            ...paymentNews,
            ...quoteIsOver,
            "cancel.requested": cancel,
            "confirm.requested": confirmLapsed,
          },
          after: { "end of the time to report": { target: "expired", actions: "let the payment go" } },
        },
        expired: {
          description: "The quote ran out.",
          tags: "resting",
          on: { ...quoteIsOver, "cancel.requested": cancel, "confirm.requested": expired },
        },
      },
    },
    booked: {
      description: "A vehicle has the run; from here on its delivery has the status.",
      tags: "resting",
      entry: "start the delivery",
      on: {
        "cancel.requested": [collected, { ...cancel, actions: "end the delivery" }],
        "failure.reported": [
          {
            guard: "the delivery is over",
            actions: { type: "refuse with", params: { code: "INVALID_STATE" } },
          },
          { target: "failed", actions: ["note why it failed", "end the delivery"] },
        ],
        "store.cancelled": [collected, { ...cancel, actions: "end the delivery" }],
        "update.declined": [
          collected,
          { ...declined, actions: ["note why it is declined", "end the delivery"] },
        ],
        "update.requested": [
          {
            guard: "it comes too late",
            actions: { type: "refuse with", params: { code: "INVALID_STATE" } },
          },
          refusedByRule,
          { actions: "answer that it is taken" },
        ],
      },
    },
    unserved: {
      description: "Declined at the check: there was never anything to pay.",
      type: "final",
      tags: "settled",
    },
    declined: {
      description: "Declined after the check. For good.",
      type: "final",
      tags: "settled",
      entry: ["note the end", "let the payment go"],
    },
    cancelled: {
      description: "Cancelled by the agent or the store. For good.",
      tags: "settled",
      entry: ["note the end", "let the payment go"],
      on: {
        "cancel.requested": {
          description: "Cancelling again changes nothing.",
          actions: "answer that nothing changed",
        },
        "refund.requested": {
          description: "A refund that the processor never confirmed is requested again.",
          actions: ["let the payment go", "answer that it is taken"],
        },
      },
    },
    failed: {
      description:
        "Booked, but the order did not reach the door. The fee stays unless operations give it back.",
      tags: "settled",
      entry: "note the end",
      on: {
        "failure.reported": {
          guard: "it failed for that reason",
          description: "A repeated report changes nothing.",
          actions: "answer that nothing changed",
        },
        "refund.requested": { actions: ["let the payment go", "answer that it is taken"] },
      },
    },
  },
})

/** A hold also extends the quote. */
function holdUntil({ quoteEndsAtMs, policy }: CourierOrderContext, holdEndsAtMs: EpochMs) {
  return { holdEndsAtMs, quoteEndsAtMs: Math.max(quoteEndsAtMs, holdEndsAtMs + policy.quoteAfterHoldMs) }
}

/** The refusal code of the rule that forbids the request, if there is one. */
function ruleAgainst(event: CourierOrderEvent): RefusalCode | undefined {
  return "decided" in event && "refusal" in event.decided ? event.decided.refusal : undefined
}

/** The decision's result for a report that no rule forbids. */
function reported(event: CourierOrderEvent) {
  return event.type === "confirm.requested" && !("refusal" in event.decided) ? event.decided : null
}

function asDecline(event: CourierOrderEvent): DeclineReason | null {
  return event.type === "reserve.declined" || event.type === "update.declined" ? event.reason : null
}

const neverHeld =
  "No vehicle has been held, so there is no order to report, pay or change; a caller is refused."
const waits = "A request to the processor is in flight; a caller first waits for its answer."
const noHold = "There is no live hold to release."
const notBooked = "Only a booked errand can fail on the way."
const notFailed = "Only the fee of a failed errand is returned automatically."
const noRequest = "No request of the payment is in flight."
const booked = "The errand is booked; a caller is refused."
const over = "The errand is over; a caller is refused."

/** Reports about a booked errand, which cannot happen before the booking. */
const early = {
  "failure.reported": notBooked,
  "payment.captured": noRequest,
  "refund.requested": notFailed,
}
const ended = {
  "confirm.requested": over,
  "hold.released": over,
  "payment.authorized": over,
  "payment.captured": over,
  "payment.declined": over,
  "payment.requested": over,
  "reserve.declined": over,
  "reserve.requested": over,
  "store.cancelled": over,
  "update.declined": over,
  "update.requested": over,
}
const asking = {
  "cancel.requested": waits,
  "confirm.requested": waits,
  "failure.reported": notBooked,
  "hold.released": waits,
  "payment.requested": waits,
  "refund.requested": notFailed,
  "reserve.declined": waits,
  "reserve.requested": waits,
  "store.cancelled": waits,
  "update.declined": waits,
  "update.requested": waits,
}

export const courierOrderIgnores: Ignores = {
  "open.quoted": {
    ...early,
    "confirm.requested": neverHeld,
    "hold.released": noHold,
    "payment.authorized": noRequest,
    "payment.declined": noRequest,
    "payment.requested": neverHeld,
    "store.cancelled": neverHeld,
    "update.declined": neverHeld,
    "update.requested": neverHeld,
  },
  "open.held": { ...early, "payment.authorized": noRequest, "payment.declined": noRequest },
  "open.authorizing": { ...asking, "payment.captured": noRequest },
  "open.lapsed": { ...early, "hold.released": noHold },
  "open.capturing": { ...asking, "payment.authorized": noRequest },
  "open.overdue": { ...early, "hold.released": noHold },
  "open.expired": {
    ...early,
    "hold.released": noHold,
    "payment.authorized":
      "The payment was released with the quote: an authorization that arrives now is released automatically.",
    "payment.declined": noRequest,
  },
  booked: {
    "confirm.requested": booked,
    "hold.released": booked,
    "payment.authorized": noRequest,
    "payment.captured": noRequest,
    "payment.declined": noRequest,
    "payment.requested": booked,
    "refund.requested": notFailed,
    "reserve.declined": booked,
    "reserve.requested": booked,
  },
  cancelled: { ...ended, "failure.reported": over },
  failed: {
    ...ended,
    "cancel.requested": over,
    "failure.reported": "The reason is recorded; another one would contradict the answer that the agent has.",
  },
}
