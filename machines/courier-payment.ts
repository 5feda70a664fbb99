/**
 * Courier payment: the delivery fee of one errand, from a credential to the captured money, and back. It makes one
 * request to the processor at a time and retries an ambiguous result under the same idempotency key. Before it tries
 * another credential it releases an authorization that stays unclear or could not be captured. Source: courier
 * connector contract, resources; the states are ours (src/DECISIONS.md §77). 16 states, 6 events, 8 timers.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { CourierPaymentPolicy } from "../src/model/courier.ts"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import { lateMs } from "../src/model/values/time.ts"
import { call, send } from "../src/model/verbs.ts"
import { STALE_RESULT } from "./attempts.ts"
import type { courierOrderContract } from "./courier-order-contract.ts"
import type { courierPaymentContract } from "./courier-payment-contract.ts"
import type { Ignores } from "./ignores.ts"

export type CourierPaymentInput = MachineInput<typeof courierPaymentContract>

export type CourierPaymentEvent = MachineEvent<typeof courierPaymentContract>

export interface CourierPaymentContext extends CourierPaymentPolicy {
  /** Counts every call, so that a late result can be distinguished from the current one. */
  readonly attempt: number
  /** Calls made for the current request. */
  readonly tries: number
  /**
   * True when the errand ended during a request to the processor: an authorization that it then grants is released at
   * once.
   */
  readonly isReleased: boolean
}

const tellDeclined = { type: "tell the order", params: { type: "payment.declined" } } as const

const notGranted = [
  { guard: "the errand is over", target: "#courier-payment.voided" },
  { guard: "the current attempt is over", target: "#courier-payment.failed", actions: tellDeclined },
] as const

/**
 * Retries an ambiguous result, only a few times because the agent waits. After the last try it is unknown what the
 * processor has authorized or captured, so it is asked to release that.
 */
function unclear<J extends "authorizing" | "capturing">(job: J) {
  return [
    { guard: "it may be asked again", target: `#courier-payment.${job}.waiting` },
    { guard: "the current attempt is over", target: "#courier-payment.voiding", actions: tellDeclined },
  ] as const
}

/** Retries a refund or a release for most of a day: no caller waits for it, and the money is owed. */
function unreturned<J extends "refunding" | "voiding">(job: J) {
  return [
    { guard: "it may be given back later", target: `#courier-payment.${job}.waiting` },
    { guard: "the current attempt is over", target: endOf[job] },
  ] as const
}

/** The states in which operations must return the money by hand. */
const endOf = { voiding: "#courier-payment.unvoided", refunding: "#courier-payment.unrefunded" } as const

/** True for a result of the attempt in flight, or for the end of its lease. */
function isCurrent({ context, event }: { readonly context: CourierPaymentContext; readonly event: object }) {
  return !("attempt" in event) || event.attempt === context.attempt
}

/** Failure reasons without an answer: the request may have been carried out, or was never sent. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["receiver_busy", "unavailable"])

/** True for a final refusal by the processor. */
function isDeclined({
  context,
  event,
}: {
  readonly context: CourierPaymentContext
  readonly event: CourierPaymentEvent
}) {
  return event.type === "call.failed" && !AMBIGUOUS.has(event.reason) && event.attempt === context.attempt
}

type ToOrder = SentEvent<typeof courierOrderContract>

export const courierPayment = setup({
  types: {
    context: {} as CourierPaymentContext,
    events: {} as CourierPaymentEvent,
    emitted: {} as VerbOf<typeof courierPaymentContract>,
    input: {} as CourierPaymentInput,
    tags: {} as "resting" | "settled",
  },
  guards: {
    "the current attempt is over": isCurrent,
    "the errand is over": ({ context, event }) => isCurrent({ context, event }) && context.isReleased,
    "the processor declined": ({ context, event }) => isDeclined({ context, event }),
    "the processor declined, and the errand is over": ({ context, event }) =>
      isDeclined({ context, event }) && context.isReleased,
    "it may be asked again": ({ context, event }) =>
      isCurrent({ context, event }) && context.tries < context.triesMax,
    "it may be given back later": ({ context, event }) =>
      isCurrent({ context, event }) && context.tries <= context.returnBackoffMs.length,
  },
  actions: {
    "count the attempt": assign({
      attempt: ({ context }) => context.attempt + 1,
      tries: ({ context }) => context.tries + 1,
    }),
    "begin another matter": assign({ tries: 0 }),
    "note that the errand is over": assign({ isReleased: true }),
    "ask to authorize": emit(({ context }) => call("authorize_payment", context.attempt)),
    "ask to capture": emit(({ context }) => call("capture_payment", context.attempt)),
    "ask to void": emit(({ context }) => call("void_payment", context.attempt)),
    "ask to refund": emit(({ context }) => call("refund_payment", context.attempt)),
    "tell the order": enqueueActions(
      (
        { enqueue },
        params: { readonly type: "payment.authorized" | "payment.captured" | "payment.declined" },
      ) => {
        enqueue.emit(send<ToOrder>(".", { type: params.type }))
      },
    ),
  },
  delays: {
    /** The lease begins when the call is really sent, also when the timer fired late. */
    "lease of the call": ({ context, event }) => context.leaseMs + lateMs(event),
    /** The lease is longer because the refund may have to be looked up first, and no caller waits for it. */
    "lease of a return": ({ context, event }) => 3 * context.leaseMs + lateMs(event),
    "pause before asking again": ({ context }) => context.backoffMs[context.tries - 1] ?? 0,
    "pause before giving back again": ({ context }) => context.returnBackoffMs[context.tries - 1] ?? 0,
  },
}).createMachine({
  id: "courier-payment",
  description: "The delivery fee of one errand, from a credential to the money, and back.",
  context: ({ input }) => ({ ...input.policy, attempt: 0, tries: 0, isReleased: false }),
  initial: "pending",
  states: {
    pending: {
      description: "Nothing has been tried.",
      tags: "resting",
      on: { "authorize.requested": "authorizing", "release.requested": "voided" },
    },
    authorizing: {
      description: "The processor is asked to authorize the fee.",
      entry: "begin another matter",
      initial: "calling",
      on: { "release.requested": { actions: "note that the errand is over" } },
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: ["count the attempt", "ask to authorize"],
          on: {
            "call.succeeded": [
              { guard: "the errand is over", target: "#courier-payment.voiding" },
              { guard: "the current attempt is over", target: "#courier-payment.authorized" },
            ],
            "call.failed": [
              { guard: "the processor declined, and the errand is over", target: "#courier-payment.voided" },
              { guard: "the processor declined", target: "#courier-payment.failed", actions: tellDeclined },
              ...unclear("authorizing"),
            ],
            "call.discarded": notGranted,
          },
          after: { "lease of the call": unclear("authorizing") },
        },
        waiting: {
          description: "It is unknown whether it was authorized; the same request is repeated after a pause.",
          after: { "pause before asking again": "calling" },
        },
      },
    },
    authorized: {
      description: "The fee is authorized, and captured at confirm.",
      tags: "resting",
      entry: { type: "tell the order", params: { type: "payment.authorized" } },
      on: {
        "capture.requested": "capturing",
        "release.requested": { target: "voiding", actions: "note that the errand is over" },
      },
    },
    capturing: {
      description: "The processor is asked to capture the fee.",
      entry: "begin another matter",
      initial: "calling",
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: ["count the attempt", "ask to capture"],
          on: {
            "call.succeeded": { guard: "the current attempt is over", target: "#courier-payment.captured" },
            "call.failed": [
              { guard: "the processor declined", target: "#courier-payment.voiding", actions: tellDeclined },
              ...unclear("capturing"),
            ],
            "call.discarded": {
              guard: "the current attempt is over",
              target: "#courier-payment.failed",
              actions: tellDeclined,
            },
          },
          after: { "lease of the call": unclear("capturing") },
        },
        waiting: {
          description: "It is unknown whether it was captured; the same request is repeated after a pause.",
          after: { "pause before asking again": "calling" },
        },
      },
    },
    captured: {
      description: "The fee is taken.",
      tags: "resting",
      entry: { type: "tell the order", params: { type: "payment.captured" } },
      on: { "release.requested": "refunding" },
    },
    failed: {
      description: "The last credential failed; another may be sent.",
      tags: "resting",
      on: { "authorize.requested": "authorizing", "release.requested": "voided" },
    },
    voiding: {
      description: "The processor is asked to release the fee, in whatever state it is.",
      entry: "begin another matter",
      initial: "calling",
      on: { "release.requested": { actions: "note that the errand is over" } },
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: ["count the attempt", "ask to void"],
          on: {
            "authorize.requested": {
              description: "One thing at a time: the new credential is not tried.",
              actions: tellDeclined,
            },
            "call.succeeded": [
              { guard: "the errand is over", target: "#courier-payment.voided" },
              { guard: "the current attempt is over", target: "#courier-payment.failed" },
            ],
            "call.failed": unreturned("voiding"),
            "call.discarded": { guard: "the current attempt is over", target: endOf.voiding },
          },
          after: { "lease of a return": unreturned("voiding") },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          on: {
            "authorize.requested": {
              description: "The new credential is not tried, but the processor may answer again.",
              target: "calling",
              actions: [tellDeclined, "begin another matter"],
            },
          },
          after: { "pause before giving back again": "calling" },
        },
      },
    },
    refunding: {
      description: "The processor is asked to give the fee back.",
      entry: "begin another matter",
      initial: "calling",
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: ["count the attempt", "ask to refund"],
          on: {
            "call.succeeded": { guard: "the current attempt is over", target: "#courier-payment.refunded" },
            "call.failed": unreturned("refunding"),
            "call.discarded": { guard: "the current attempt is over", target: endOf.refunding },
          },
          after: { "lease of a return": unreturned("refunding") },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          after: { "pause before giving back again": "calling" },
        },
      },
    },
    voided: { description: "No fee was captured, and none will be.", type: "final", tags: "settled" },
    refunded: { description: "The fee went back.", type: "final", tags: "settled" },
    unvoided: {
      description: "The processor never confirmed the release: operations must resolve it.",
      tags: "settled",
      on: {
        "authorize.requested": { actions: tellDeclined },
        "release.requested": { target: "voiding", actions: "note that the errand is over" },
      },
    },
    unrefunded: {
      description: "The processor never confirmed the refund: operations must make it, or request it again.",
      tags: "settled",
      on: { "release.requested": "refunding" },
    },
  },
})

const between = "No request is in flight; the result belongs to an attempt whose lease has ended."
const STALE = { "call.succeeded": STALE_RESULT, "call.failed": STALE_RESULT, "call.discarded": STALE_RESULT }
const LATE = { "call.succeeded": between, "call.failed": between, "call.discarded": between }
const nothingKept = "There is no authorized fee to capture."
const inFlight = "A request to the processor is in flight; the errand waits for its answer."
const kept = "The fee is authorized or captured already."
const goingBack = "The errand is over and the fee is being given back."
const again = {
  "authorize.requested": goingBack,
  "capture.requested": goingBack,
  "release.requested": goingBack,
}
const lettingGo = { "capture.requested": "What was kept for us is on its way back." }
const taking = { "authorize.requested": kept, "capture.requested": inFlight, "release.requested": inFlight }

export const courierPaymentIgnores: Ignores = {
  pending: { ...LATE, "capture.requested": nothingKept },
  "authorizing.calling": { ...STALE, "authorize.requested": inFlight, "capture.requested": inFlight },
  "authorizing.waiting": { ...LATE, "authorize.requested": inFlight, "capture.requested": inFlight },
  authorized: { ...LATE, "authorize.requested": kept },
  "capturing.calling": { ...STALE, ...taking },
  "capturing.waiting": { ...LATE, ...taking },
  captured: { ...LATE, "authorize.requested": kept, "capture.requested": kept },
  failed: { ...LATE, "capture.requested": nothingKept },
  "voiding.calling": { ...STALE, ...lettingGo },
  "voiding.waiting": { ...LATE, ...lettingGo },
  "refunding.calling": { ...STALE, ...again },
  "refunding.waiting": { ...LATE, ...again },
  unvoided: { ...LATE, "capture.requested": nothingKept },
  unrefunded: { ...LATE, "authorize.requested": kept, "capture.requested": kept },
}
