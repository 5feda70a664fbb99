/**
 * Compartment: opened at the customer's door by a call to the vehicle's fleet, once, after the last four digits of the
 * customer's phone number. Source: ours (src/DECISIONS.md §270); attempts, lease and backoff are those of the open link.
 * 6 states, 6 events, 2 timers.
 */

import { assertEvent, assign, emit, setup } from "xstate"
import type { MachineEvent, MachineInput, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { call, publish, refuse, reply } from "../src/model/verbs.ts"
import { STALE_RESULT, attemptDelays, attemptGuards, resendGuards } from "./attempts.ts"
import type { AttemptsContext, ResendsContext } from "./attempts.ts"
import type { compartmentContract } from "./compartment-contract.ts"
import type { Ignores } from "./ignores.ts"

export type CompartmentInput = MachineInput<typeof compartmentContract>

export type CompartmentEvent = MachineEvent<typeof compartmentContract>

/** `attempt` counts on over all openings, so that a late result of an earlier one fits none of the next. */
export interface CompartmentContext extends AttemptsContext, ResendsContext {
  readonly deliveryId: string
  readonly fleetId: string
  readonly triesMax: number
  /** Wrong digits so far. */
  readonly wrongTries: number
  /** Each opening has its own attempt id. */
  readonly openings: number
  /** `attempt` before the opening. */
  readonly attemptsBefore: number
  readonly vehicleId: string | null
  /** When the opening began. Every retry sends the same instant, so that the bytes of all bodies are equal. */
  readonly occurredAtMs: EpochMs | null
}

const notAtDoor = { guard: "the vehicle is not at the door", actions: "refuse: not at the door" } as const
const opens = { target: "#compartment.opening", actions: "begin an opening" } as const
const failedAttempt = [
  { guard: "attempts of the opening are used up", target: "#compartment.failed" },
  { target: "#compartment.opening.waiting" },
] as const
const repeat = { actions: "answer that nothing changed" } as const

export const compartment = setup({
  types: {
    context: {} as CompartmentContext,
    events: {} as CompartmentEvent,
    emitted: {} as VerbOf<typeof compartmentContract>,
    input: {} as CompartmentInput,
    tags: {} as "settled",
  },
  guards: {
    ...resendGuards,
    "it answers the current attempt": attemptGuards["it answers the current attempt"],
    "the vehicle is not at the door": ({ event }) =>
      (event.type === "opening.requested" || event.type === "opening.granted") &&
      event.status !== "ARRIVED_AT_CUSTOMER",
    "the digits match": ({ event }) => event.type === "opening.requested" && event.digitsMatch,
    "it is the last try": ({ context }) => context.wrongTries + 1 >= context.triesMax,
    "attempts of the opening are used up": ({ context }) => isLastAttempt(context),
    "it fails the last attempt of the opening": ({ context, event }) =>
      event.type === "call.failed" && event.attempt === context.attempt && isLastAttempt(context),
  },
  actions: {
    "count the wrong try": assign({ wrongTries: ({ context }) => context.wrongTries + 1 }),
    "begin an opening": assign(({ context, event }) => {
      assertEvent(event, ["opening.requested", "opening.granted"])
      return {
        openings: context.openings + 1,
        attemptsBefore: context.attempt,
        attempt: context.attempt + 1,
        resends: 0,
        vehicleId: event.vehicleId,
        occurredAtMs: event.atMs,
      }
    }),
    "count the attempt": assign({ attempt: ({ context }) => context.attempt + 1, resends: 0 }),
    "count the resend": assign({ resends: ({ context }) => context.resends + 1 }),
    "ask the fleet to open it": emit(({ context }) => call("open_compartment", context.attempt)),
    "announce that it did not open": emit(publish("compartment.failed")),
    "announce that it is locked": emit(publish("compartment.locked")),
    "answer that the digits are wrong": emit(reply({ problem: "wrong_digits" })),
    "answer that it is locked": emit(reply({ problem: "locked" })),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "refuse: not at the door": emit(refuse("INVALID_STATE", "the vehicle is not at the door")),
    "refuse: operations must open it": emit(
      refuse("INVALID_STATE", "it did not open; operations can try again"),
    ),
  },
  delays: {
    "lease of the call": attemptDelays["lease of the call"],
    "pause before the next attempt": ({ context }) =>
      context.backoffMs[context.attempt - context.attemptsBefore - 1] ?? 0,
  },
}).createMachine({
  id: "compartment",
  description: "The compartment of a vehicle at the customer's door, which its fleet opens.",
  context: ({ input }) => ({
    deliveryId: input.deliveryId,
    fleetId: input.fleetId,
    triesMax: input.triesMax,
    attemptsMax: input.attemptsMax,
    backoffMs: input.backoffMs,
    leaseMs: input.leaseMs,
    resendsMax: input.resendsMax,
    wrongTries: 0,
    openings: 0,
    attempt: 0,
    attemptsBefore: 0,
    resends: 0,
    vehicleId: null,
    occurredAtMs: null,
  }),
  initial: "closed",
  states: {
    closed: {
      description: "The customer has not opened it.",
      tags: "settled",
      on: {
        "opening.requested": [
          notAtDoor,
          { guard: "the digits match", ...opens },
          {
            guard: "it is the last try",
            target: "locked",
            actions: ["count the wrong try", "announce that it is locked", "answer that it is locked"],
          },
          { actions: ["count the wrong try", "answer that the digits are wrong"] },
        ],
        "opening.granted": [notAtDoor, opens],
      },
    },
    opening: {
      description: "The fleet is asked to open it.",
      initial: "calling",
      on: { "opening.requested": repeat, "opening.granted": repeat },
      states: {
        calling: {
          description: "An attempt is in flight.",
          entry: "ask the fleet to open it",
          on: {
            "call.succeeded": { guard: "it answers the current attempt", target: "#compartment.opened" },
            "call.failed": [
              { guard: "it fails the last attempt of the opening", target: "#compartment.failed" },
              { guard: "it answers the current attempt", target: "#compartment.opening.waiting" },
            ],
            "call.discarded": {
              description: "The vehicle has left the door.",
              guard: "it answers the current attempt",
              target: "#compartment.closed",
            },
            "call.lost": {
              guard: "the current attempt may leave again",
              target: "calling",
              reenter: true,
              actions: "count the resend",
            },
          },
          after: { "lease of the call": failedAttempt },
        },
        waiting: {
          description: "The last attempt failed; the next one is due after a pause.",
          on: {
            "call.succeeded": { guard: "it answers the current attempt", target: "#compartment.opened" },
          },
          after: { "pause before the next attempt": { target: "calling", actions: "count the attempt" } },
        },
      },
    },
    opened: {
      description:
        "The fleet answered 2xx in time. The customer opens it once; operations may open it again.",
      tags: "settled",
      on: { "opening.requested": [notAtDoor, repeat], "opening.granted": [notAtDoor, opens] },
    },
    failed: {
      description: "Every attempt failed. Operations may try again.",
      tags: "settled",
      entry: "announce that it did not open",
      on: {
        "call.succeeded": {
          description: "The last answer came after its lease.",
          guard: "it answers the current attempt",
          target: "opened",
        },
        "opening.requested": { actions: "refuse: operations must open it" },
        "opening.granted": [notAtDoor, opens],
      },
    },
    locked: {
      description: "Too many wrong digits: only operations may open it.",
      tags: "settled",
      on: {
        "opening.requested": { actions: "answer that it is locked" },
        "opening.granted": [notAtDoor, opens],
      },
    },
  },
})

function isLastAttempt({ attempt, attemptsBefore, attemptsMax }: CompartmentContext): boolean {
  return attempt - attemptsBefore >= attemptsMax
}

const LOST_BEFORE = "The attempt has ended, or has been lost too often: its lease ends it."
const LATE = "The opening is over; the result was on its way."
const LATER = "Only a success of the last attempt still matters."
const late = { "call.succeeded": LATE, "call.failed": LATE, "call.discarded": LATE, "call.lost": LATE }

export const compartmentIgnores: Ignores = {
  closed: late,
  "opening.calling": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
  },
  "opening.waiting": {
    "call.succeeded": STALE_RESULT,
    "call.failed": STALE_RESULT,
    "call.discarded": STALE_RESULT,
    "call.lost": LOST_BEFORE,
  },
  opened: late,
  failed: { "call.succeeded": LATE, "call.failed": LATER, "call.discarded": LATER, "call.lost": LATER },
  locked: late,
}
