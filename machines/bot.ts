/**
 * Bot: the partner's vehicle or sidewalk robot at one reservation, as it reports itself.
 * Source: reservations contract, bot status. 8 states, 7 events, no timer.
 */

import { emit, enqueueActions, setup } from "xstate"
import { BOT_STATUS_BY_EVENT } from "../src/model/bot.ts"
import type { BotStatus } from "../src/model/bot.ts"
import type { MachineEvent, MachineInput, SentEvent, VerbOf } from "../src/model/machine-contract.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { refuse, reply, send } from "../src/model/verbs.ts"
import type { reservationContract } from "./reservation-contract.ts"
import type { runnerTaskContract } from "./runner-task-contract.ts"
import type { botContract } from "./bot-contract.ts"
import type { Ignores } from "./ignores.ts"

export type BotInput = MachineInput<typeof botContract>

export type BotEvent = MachineEvent<typeof botContract>

export interface BotContext {
  readonly hasRunner: boolean
  readonly status: BotStatus | null
  readonly etaMs: EpochMs | null
  readonly assertedAtMs: EpochMs | null
}

const report = "take the report"
const behind = { actions: "refuse: the status is behind" } as const
const repeat = { actions: "take the repeat" } as const
const inbound = { target: "inbound", actions: report } as const
const arrived = { target: "arrived", actions: [report, "tell the reservation that it arrived"] } as const
const ready = { target: "ready", actions: report } as const
const secured = { target: "secured", actions: report } as const
const departed = { target: "departed", actions: [report, "tell the reservation that it departed"] } as const
const aborted = { target: "aborted", actions: report } as const
const afterTheEnd = [
  { guard: "it repeats the last status", actions: "take the repeat" },
  { actions: "refuse: the reservation is finished" },
] as const

type ToReservation = SentEvent<typeof reservationContract>
type ToRunnerTask = SentEvent<typeof runnerTaskContract>

export const bot = setup({
  types: {
    context: {} as BotContext,
    events: {} as BotEvent,
    emitted: {} as VerbOf<typeof botContract>,
    input: {} as BotInput,
    tags: {} as "settled",
  },
  guards: {
    "it repeats the last status": ({ context, event }) =>
      event.type !== "reservation.ended" && BOT_STATUS_BY_EVENT[event.type] === context.status,
  },
  actions: {
    "take the report": enqueueActions(({ enqueue, context, event }) => {
      if (event.type === "reservation.ended") return
      const etaMs = event.etaMs === undefined ? context.etaMs : event.etaMs
      enqueue.assign({ status: BOT_STATUS_BY_EVENT[event.type], assertedAtMs: event.occurredAtMs, etaMs })
      if (!context.hasRunner) return
      enqueue.emit(
        send<ToRunnerTask>("./runner-task", { type: event.type, isWalked: event.isWalked === true }),
      )
      if (etaMs !== context.etaMs)
        enqueue.emit(send<ToRunnerTask>("./runner-task", { type: "bot.eta_changed", etaMs }))
    }),
    "take the repeat": enqueueActions(({ enqueue, context, event }) => {
      enqueue.emit(reply({ isRepeat: true }))
      if (event.type === "reservation.ended" || event.etaMs === undefined || event.etaMs === context.etaMs)
        return
      enqueue.assign({ etaMs: event.etaMs })
      if (context.hasRunner)
        enqueue.emit(send<ToRunnerTask>("./runner-task", { type: "bot.eta_changed", etaMs: event.etaMs }))
    }),
    "tell the reservation that it arrived": emit(send<ToReservation>(".", { type: "bot.arrived" })),
    "tell the reservation that it departed": enqueueActions(({ enqueue }) => {
      // A bot that skipped ARRIVED has arrived too. The reservation ignores the event if it knows of the arrival.
      enqueue.emit(send<ToReservation>(".", { type: "bot.arrived" }))
      enqueue.emit(send<ToReservation>(".", { type: "bot.departed" }))
    }),
    "refuse: the status is behind": emit(refuse("BOT_STATUS_REGRESSION")),
    "refuse: the reservation is finished": emit(refuse("INVALID_STATE")),
  },
}).createMachine({
  id: "bot",
  description: "The partner's vehicle or robot, as it reports itself. Statuses only move forward.",
  context: ({ input }) => ({ hasRunner: input.hasRunner, status: null, etaMs: null, assertedAtMs: null }),
  initial: "underway",
  states: {
    underway: {
      description: "The reservation is open.",
      initial: "unreported",
      on: { "reservation.ended": "closed" },
      states: {
        unreported: {
          description: "No report yet; the first may be any status.",
          on: {
            "bot.inbound": inbound,
            "bot.arrived": arrived,
            "bot.ready": ready,
            "bot.secured": secured,
            "bot.departed": departed,
            "bot.aborted": aborted,
          },
        },
        inbound: {
          description: "On the way to the stall.",
          on: {
            "bot.inbound": repeat,
            "bot.arrived": arrived,
            "bot.ready": ready,
            "bot.secured": secured,
            "bot.departed": departed,
            "bot.aborted": aborted,
          },
        },
        arrived: {
          description: "At the stall.",
          on: {
            "bot.inbound": behind,
            "bot.arrived": repeat,
            "bot.ready": ready,
            "bot.secured": secured,
            "bot.departed": departed,
            "bot.aborted": aborted,
          },
        },
        ready: {
          description: "The compartment may be opened.",
          on: {
            "bot.inbound": behind,
            "bot.arrived": behind,
            "bot.ready": repeat,
            "bot.secured": secured,
            "bot.departed": departed,
            "bot.aborted": aborted,
          },
        },
        secured: {
          description: "The compartment is closed.",
          on: {
            "bot.inbound": behind,
            "bot.arrived": behind,
            "bot.ready": behind,
            "bot.secured": repeat,
            "bot.departed": departed,
            "bot.aborted": behind,
          },
        },
        departed: {
          description: "Gone; the reservation completes in the same turn.",
          on: {
            "bot.inbound": behind,
            "bot.arrived": behind,
            "bot.ready": behind,
            "bot.secured": behind,
            "bot.departed": repeat,
            "bot.aborted": behind,
          },
        },
        aborted: {
          description: "Gave up before SECURED. For good; the reservation stays as it is.",
          on: {
            "bot.inbound": behind,
            "bot.arrived": behind,
            "bot.ready": behind,
            "bot.secured": behind,
            "bot.departed": behind,
            "bot.aborted": repeat,
          },
        },
      },
    },
    closed: {
      description: "The reservation is finished; only a repeat of the last status is taken.",
      tags: "settled",
      on: {
        "bot.inbound": afterTheEnd,
        "bot.arrived": afterTheEnd,
        "bot.ready": afterTheEnd,
        "bot.secured": afterTheEnd,
        "bot.departed": afterTheEnd,
        "bot.aborted": afterTheEnd,
      },
    },
  },
})

export const botIgnores: Ignores = {
  closed: { "reservation.ended": "A reservation ends once; a second notice changes nothing." },
}
