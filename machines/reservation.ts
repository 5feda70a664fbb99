/**
 * Reservation: one arrival window at one stall, from booking to completion. Source: reservations contract, reservation
 * status. `requested` is a word of the contract that a synchronous booking never produces, so it is no state here. 4
 * resting states, 6 events, 1 timer.
 */

import { assertEvent, assign, emit, enqueueActions, setup } from "xstate"
import type {
  MachineEvent,
  MachineInput,
  SentEvent,
  SentInput,
  VerbOf,
} from "../src/model/machine-contract.ts"
import type { Canceler, ReservationStatus } from "../src/model/reservation.ts"
import { msUntil } from "../src/model/values/time.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { publish, refuse, reply, send, start, startInput } from "../src/model/verbs.ts"
import type { Ignores } from "./ignores.ts"
import type { botContract } from "./bot-contract.ts"
import type { runnerTaskContract } from "./runner-task-contract.ts"
import type { reservationContract } from "./reservation-contract.ts"

/** `decided` is the result of the booking rules. */
export type ReservationInput = MachineInput<typeof reservationContract>

export type ReservationEvent = MachineEvent<typeof reservationContract>

export interface ReservationContext {
  readonly zoneId: string
  readonly retailerId: string
  readonly stallId: string
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
  readonly windowGraceMs: number
  readonly hasRunner: boolean
  readonly isLoaded: boolean
  readonly canceledBy: Canceler | null
  readonly createdAtMs: EpochMs
  /** The status in the last published event. */
  readonly announced: ReservationStatus | null
}

type ToBot = SentEvent<typeof botContract>
type ToReservation = SentEvent<typeof reservationContract>
type ToRunnerTask = SentEvent<typeof runnerTaskContract>

export const reservation = setup({
  types: {
    context: {} as ReservationContext,
    events: {} as ReservationEvent,
    emitted: {} as VerbOf<typeof reservationContract>,
    input: {} as ReservationInput,
    tags: {} as "settled",
  },
  guards: {
    "the order is loaded": ({ context }) => context.isLoaded,
    "the window stays as it is": ({ context, event }) =>
      event.type === "window.moved" &&
      event.decided.startsAtMs === context.startsAtMs &&
      event.decided.endsAtMs === context.endsAtMs,
    "the window breaks a booking rule": ({ event }) =>
      event.type === "window.moved" && event.decided.refusal !== undefined,
  },
  actions: {
    "start the parts": enqueueActions(({ enqueue, event }) => {
      const input = startInput<ReservationInput>(event)
      enqueue.emit(start<SentInput<typeof botContract>>("./bot", "bot@1", { hasRunner: input.hasRunner }))
      if (!input.hasRunner) return
      enqueue.emit(
        start<SentInput<typeof runnerTaskContract>>("./runner-task", "runner-task@1", {
          windowStartsAtMs: input.startsAtMs,
          windowEndsAtMs: input.endsAtMs,
          payloadLimit: input.payloadLimit,
          policy: input.policy,
        }),
      )
    }),
    "announce the status": enqueueActions(
      ({ enqueue, context }, params: { readonly status: ReservationStatus }) => {
        enqueue.emit(publish("reservation.status_changed", { previous_status: context.announced }))
        enqueue.assign({ announced: params.status })
      },
    ),
    "tell the parts that it ended": enqueueActions(({ enqueue, context }) => {
      if (context.hasRunner) enqueue.emit(send<ToRunnerTask>("./runner-task", { type: "reservation.ended" }))
      enqueue.emit(send<ToBot>("./bot", { type: "reservation.ended" }))
      // Sent to itself so that it is taken after both parts ended: the last published snapshot then shows their ends
      // too.
      enqueue.emit(send<ToReservation>(".", { type: "parts.ended" }))
    }),
    "tell the runner task the window": enqueueActions(({ enqueue, context }) => {
      if (!context.hasRunner) return
      const { startsAtMs, endsAtMs } = context
      enqueue.emit(send<ToRunnerTask>("./runner-task", { type: "window.moved", startsAtMs, endsAtMs }))
    }),
    "note who canceled": assign({
      canceledBy: ({ event }): Canceler => (event.type === "cancel.requested" ? event.by : "system"),
    }),
    "note the load": assign({ isLoaded: true }),
    "move the window": assign({
      startsAtMs: ({ event, context }) =>
        event.type === "window.moved" ? event.decided.startsAtMs : context.startsAtMs,
      endsAtMs: ({ event, context }) =>
        event.type === "window.moved" ? event.decided.endsAtMs : context.endsAtMs,
    }),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "refuse in this state": emit(refuse("INVALID_STATE")),
    "refuse by the booking rule": emit(({ event }) => {
      assertEvent(event, "window.moved")
      const { refusal } = event.decided
      if (refusal === undefined) throw new Error("no booking rule forbids the window")
      return refuse(refusal)
    }),
  },
  delays: {
    "window and grace": ({ context, event }) => msUntil(context.endsAtMs + context.windowGraceMs, event),
  },
}).createMachine({
  id: "reservation",
  description: "One arrival window at one stall, from booking to completion.",
  context: ({ input }) => ({
    zoneId: input.zoneId,
    retailerId: input.retailerId,
    stallId: input.decided.stallId,
    startsAtMs: input.startsAtMs,
    endsAtMs: input.endsAtMs,
    windowGraceMs: input.policy.windowGraceMs,
    hasRunner: input.hasRunner,
    isLoaded: false,
    canceledBy: null,
    createdAtMs: input.atMs,
    announced: null,
  }),
  entry: ["start the parts", { type: "announce the status", params: { status: "confirmed" } }],
  initial: "open",
  states: {
    open: {
      description: "The stall is held for the bot.",
      initial: "confirmed",
      on: {
        "order.loaded": { actions: "note the load", description: "The order is on board." },
        "bot.departed": {
          target: "completed",
          description: "The bot left: the visit is over, loaded or not.",
        },
        "cancel.requested": { target: "canceled", actions: "note who canceled" },
      },
      after: {
        "window and grace": [
          { guard: "the order is loaded", target: "completed" },
          { target: "canceled", actions: "note who canceled" },
        ],
      },
      states: {
        confirmed: {
          description: "Booked; the bot has not arrived.",
          on: {
            "bot.arrived": {
              target: "arrived",
              actions: { type: "announce the status", params: { status: "arrived" } },
            },
            "window.moved": [
              { guard: "the window stays as it is", actions: "answer that nothing changed" },
              { guard: "the window breaks a booking rule", actions: "refuse by the booking rule" },
              {
                description: "The stall stays; the clock of the window starts anew.",
                target: "#reservation.open",
                reenter: true,
                actions: ["move the window", "tell the runner task the window"],
              },
            ],
          },
        },
        arrived: {
          description: "The bot is at the stall; the window is fixed.",
          on: { "window.moved": { actions: "refuse in this state" } },
        },
      },
    },
    completed: {
      description: "The bot left, or the window ended with the order on board. For good.",
      tags: "settled",
      entry: "tell the parts that it ended",
      on: {
        "parts.ended": { actions: { type: "announce the status", params: { status: "completed" } } },
        "cancel.requested": { actions: "refuse in this state" },
        "window.moved": { actions: "refuse in this state" },
      },
    },
    canceled: {
      description: "Canceled by the partner, the runner, operations or the window's end. For good.",
      tags: "settled",
      entry: "tell the parts that it ended",
      on: {
        "parts.ended": { actions: { type: "announce the status", params: { status: "canceled" } } },
        "cancel.requested": {
          actions: "answer that nothing changed",
          description: "Canceling again changes nothing.",
        },
        "window.moved": { actions: "refuse in this state" },
      },
    },
  },
})

const notOverYet = "The reservation sends itself this message only after its end."

export const reservationIgnores: Ignores = {
  "open.confirmed": { "parts.ended": notOverYet },
  "open.arrived": {
    "parts.ended": notOverYet,
    "bot.arrived": "The bot repeats a known status, or it departed right after its arrival.",
  },
  completed: {
    "bot.arrived": "The visit is over; the bot's own actor refuses new reports.",
    "bot.departed": "The visit is over.",
    "order.loaded": "The load was recorded by the report that also ended the visit.",
  },
  canceled: {
    "bot.arrived": "The visit is over; the bot's own actor refuses new reports.",
    "bot.departed": "The visit is over.",
    "order.loaded": "The task was canceled with the reservation.",
  },
}
