/**
 * Courier payment: the delivery fee of one errand, from a credential to the money, and back. It asks the processor for one
 * thing at a time; what was asked and may have been lost is asked again under the same key.
 * Source: courier connector contract, resources; the states are ours (src/DECISIONS.md §77). 15 states, 6 events, 7 timers.
 */

import { assign, emit, enqueueActions, setup } from "xstate"
import type { CourierPaymentPolicy } from "../src/model/courier.ts"
import { lateMs } from "../src/model/time.ts"
import type { Stamp, Stamped } from "../src/model/time.ts"
import { call, send } from "../src/model/verbs.ts"
import type { CallResult, Verb } from "../src/model/verbs.ts"
import { STALE_RESULT } from "./attempts.ts"
import type { Ignores } from "./ignores.ts"

export interface CourierPaymentInput extends Stamp {
  readonly policy: CourierPaymentPolicy
}

export interface CourierPaymentContext extends CourierPaymentPolicy {
  /** Counts every call, so that a late result is told from the current one. */
  readonly attempt: number
  /** Calls for what is being asked right now. */
  readonly tries: number
  /** The errand ended while the processor was being asked: what it grants is given back at once. */
  readonly isReleased: boolean
}

export type CourierPaymentEvent =
  | Stamped<CallResult>
  | Stamped<{ readonly type: "authorize.requested" }>
  | Stamped<{ readonly type: "capture.requested" }>
  | Stamped<{ readonly type: "release.requested" }>

const authorizeFailed = [
  { guard: "the errand is over and nothing was granted", target: "#courier-payment.voided" },
  { guard: "the current attempt is over", target: "#courier-payment.failed" },
] as const

/** What may have been lost is asked again. The agent waits for the money: only a few times. */
const untaken = [
  { guard: "it may be asked again", target: "#courier-payment.capturing.waiting" },
  { guard: "the current attempt is over", target: "#courier-payment.failed" },
] as const

/** Nobody waits for what goes back, and it is owed: for most of a day. */
function unreturned<J extends "refunding" | "voiding">(job: J) {
  return [
    { guard: "it may be given back later", target: `#courier-payment.${job}.waiting` },
    { guard: "the current attempt is over", target: endOf[job] },
  ] as const
}

/** What operations have to give back by hand. */
const endOf = { voiding: "#courier-payment.unvoided", refunding: "#courier-payment.unrefunded" } as const

/** A result of the attempt under way, or the end of its lease. */
function isCurrent({ context, event }: { readonly context: CourierPaymentContext; readonly event: object }) {
  return !("attempt" in event) || event.attempt === context.attempt
}

export const courierPayment = setup({
  types: {
    context: {} as CourierPaymentContext,
    events: {} as CourierPaymentEvent,
    emitted: {} as Verb,
    input: {} as CourierPaymentInput,
    tags: {} as "resting" | "settled",
  },
  guards: {
    "the current attempt is over": isCurrent,
    "the errand is over and nothing was granted": ({ context, event }) =>
      isCurrent({ context, event }) && context.isReleased,
    "it grants to an errand that is over": ({ context, event }) =>
      isCurrent({ context, event }) && context.isReleased,
    "the processor declined": ({ context, event }) =>
      isCurrent({ context, event }) && event.type === "call.failed" && event.reason !== "unavailable",
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
        enqueue.emit(send(".", { type: params.type }))
      },
    ),
  },
  delays: {
    /** Counted from when the call really leaves, also behind a late timer. */
    "lease of the call": ({ context, event }) => context.leaseMs + lateMs(event),
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
      description: "The processor is asked to keep the fee for us.",
      entry: ["begin another matter", "count the attempt", "ask to authorize"],
      on: {
        "call.succeeded": [
          { guard: "it grants to an errand that is over", target: "voiding" },
          { guard: "the current attempt is over", target: "authorized" },
        ],
        "call.failed": authorizeFailed,
        "call.discarded": authorizeFailed,
        "release.requested": { actions: "note that the errand is over" },
      },
      after: { "lease of the call": authorizeFailed },
    },
    authorized: {
      description: "The fee is kept for us, and taken at confirm.",
      tags: "resting",
      entry: { type: "tell the order", params: { type: "payment.authorized" } },
      on: { "capture.requested": "capturing", "release.requested": "voiding" },
    },
    capturing: {
      description: "The processor is asked for the money.",
      entry: "begin another matter",
      initial: "calling",
      states: {
        calling: {
          description: "An attempt is under way.",
          entry: ["count the attempt", "ask to capture"],
          on: {
            "call.succeeded": { guard: "the current attempt is over", target: "#courier-payment.captured" },
            "call.failed": [
              { guard: "the processor declined", target: "#courier-payment.failed" },
              ...untaken,
            ],
            "call.discarded": { guard: "the current attempt is over", target: "#courier-payment.failed" },
          },
          after: { "lease of the call": untaken },
        },
        waiting: {
          description: "Nobody knows whether it was taken; the same is asked again after a pause.",
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
      description: "The last credential was declined; another may be sent.",
      tags: "resting",
      entry: { type: "tell the order", params: { type: "payment.declined" } },
      on: { "authorize.requested": "authorizing", "release.requested": "voided" },
    },
    voiding: {
      description: "The processor is asked to let the fee go.",
      entry: "begin another matter",
      initial: "calling",
      states: {
        calling: {
          description: "An attempt is under way.",
          entry: ["count the attempt", "ask to void"],
          on: {
            "call.succeeded": { guard: "the current attempt is over", target: "#courier-payment.voided" },
            "call.failed": unreturned("voiding"),
            "call.discarded": { guard: "the current attempt is over", target: endOf.voiding },
          },
          after: { "lease of the call": unreturned("voiding") },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
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
          description: "An attempt is under way.",
          entry: ["count the attempt", "ask to refund"],
          on: {
            "call.succeeded": { guard: "the current attempt is over", target: "#courier-payment.refunded" },
            "call.failed": unreturned("refunding"),
            "call.discarded": { guard: "the current attempt is over", target: endOf.refunding },
          },
          after: { "lease of the call": unreturned("refunding") },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          after: { "pause before giving back again": "calling" },
        },
      },
    },
    voided: { description: "Nothing was taken, and nothing will be.", type: "final", tags: "settled" },
    refunded: { description: "The fee went back.", type: "final", tags: "settled" },
    unvoided: {
      description: "The processor never agreed to let it go: operations must see to it.",
      type: "final",
      tags: "settled",
    },
    unrefunded: {
      description: "The processor never agreed to give it back: operations must.",
      type: "final",
      tags: "settled",
    },
  },
})

const between = "Nothing is being asked; the result belongs to an attempt whose lease has ended."
const STALE = { "call.succeeded": STALE_RESULT, "call.failed": STALE_RESULT, "call.discarded": STALE_RESULT }
const LATE = { "call.succeeded": between, "call.failed": between, "call.discarded": between }
const nothingKept = "Nothing is kept for us that could be taken."
const underWay = "The processor is being asked; the errand waits for its answer."
const kept = "The fee is kept for us or taken already."
const goingBack = "The errand is over and the fee is on its way back."
const again = {
  "authorize.requested": goingBack,
  "capture.requested": goingBack,
  "release.requested": goingBack,
}
const taking = { "authorize.requested": kept, "capture.requested": underWay, "release.requested": underWay }

export const courierPaymentIgnores: Ignores = {
  pending: { ...LATE, "capture.requested": nothingKept },
  authorizing: { ...STALE, "authorize.requested": underWay, "capture.requested": underWay },
  authorized: { ...LATE, "authorize.requested": kept },
  "capturing.calling": { ...STALE, ...taking },
  "capturing.waiting": { ...LATE, ...taking },
  captured: { ...LATE, "authorize.requested": kept, "capture.requested": kept },
  failed: { ...LATE, "capture.requested": nothingKept },
  "voiding.calling": { ...STALE, ...again },
  "voiding.waiting": { ...LATE, ...again },
  "refunding.calling": { ...STALE, ...again },
  "refunding.waiting": { ...LATE, ...again },
}
