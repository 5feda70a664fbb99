/**
 * Runner task: carries the order from the counter to the bot. Source: reservations contract, handoff, exceptions and
 * sandbox advance; the transitions it leaves open are ours (rows H and F of the table tests). 11 states, 23 events, 3
 * timers.
 */

import { assertEvent, assign, emit, enqueueActions, setup } from "xstate"
import { BOT_STATUS_BY_EVENT } from "../src/model/bot.ts"
import type { BotEventType, BotStatus } from "../src/model/bot.ts"
import { endsTheTask } from "../src/model/handoff.ts"
import type { ExceptionCode, Milestone } from "../src/model/handoff.ts"
import { OPEN_LINKS_MAX } from "../src/model/values/limits.ts"
import type {
  MachineEvent,
  MachineInput,
  SentEvent,
  SentInput,
  VerbOf,
} from "../src/model/machine-contract.ts"
import { fits, isMeasured } from "../src/model/payload.ts"
import type { PayloadLimit } from "../src/model/payload-limit.ts"
import type { ReservationPolicy } from "../src/model/reservation.ts"
import { msUntil } from "../src/model/values/time.ts"
import type { EpochMs } from "../src/model/values/time.ts"
import { publish, refuse, reply, send, start } from "../src/model/verbs.ts"
import type { StartVerb } from "../src/model/verbs.ts"
import type { Ignores } from "./ignores.ts"
import type { openLink1Contract, openLinkContract } from "./open-link-contract.ts"
import type { reservationContract } from "./reservation-contract.ts"
import type { runnerTaskContract } from "./runner-task-contract.ts"

export type RunnerTaskInput = MachineInput<typeof runnerTaskContract>

export type RunnerTaskEvent = MachineEvent<typeof runnerTaskContract>

export interface RunnerTaskContext {
  readonly windowStartsAtMs: EpochMs
  readonly windowEndsAtMs: EpochMs
  readonly payloadLimit: PayloadLimit | null
  readonly policy: ReservationPolicy
  readonly runnerId: string | null
  readonly botStatus: BotStatus | null
  /** The bot's estimate. It is frozen once a runner is assigned, because it anchors the staging time. */
  readonly etaMs: EpochMs | null
  readonly startedAtMs: EpochMs | null
  readonly readyEstimateAtMs: EpochMs | null
  readonly orderInHandAtMs: EpochMs | null
  readonly atUnitAtMs: EpochMs | null
  readonly completedAtMs: EpochMs | null
  readonly photoId: string | null
  readonly isPhotoSkipped: boolean | null
  /** Exceptions raised since the last step. */
  readonly flags: readonly ExceptionCode[]
  /** How many open links were started. Each has its own attempt id. */
  readonly openLinks: number
  readonly openLink: "none" | "calling" | "opened" | "failed"
  /** True when the runner takes the order back to the counter. */
  readonly isReturning: boolean
}

const refused = { actions: "refuse in this state" } as const
const ended = {
  "exception.raised": refused,
  "exception.cleared": refused,
  "load.recorded": refused,
  "open_link.retried": refused,
  "order.given_up": refused,
  "order.in_hand": refused,
  "order.not_ready": refused,
  "order.ready": refused,
  "payload.measured": refused,
  "runner.assigned": refused,
  "runner.at_store": refused,
  "runner.at_unit": refused,
} as const
const notReadyInTime = {
  target: "#runner-task.failed",
  actions: ["clear the estimate and the flags", "announce: the order was not ready in time"],
} as const
const overTheCounter = {
  "order.in_hand": {
    target: "#runner-task.open.retrieved",
    actions: [
      "clear the estimate and the flags",
      "take the order",
      { type: "announce the milestone", params: { milestone: "order_in_hand" } },
    ],
  },
  "order.given_up": notReadyInTime,
  "payload.measured": [
    { guard: "a bounded measure is missing", actions: "refuse: not measured" },
    { guard: "the order fits", actions: "answer that the order fits" },
    {
      target: "#runner-task.failed",
      actions: ["clear the estimate and the flags", "announce: the payload was rejected"],
    },
  ],
} as const
const loadedByTheBot = {
  target: "#runner-task.loaded.unphotographed",
  actions: [
    "note the bot",
    "record the load",
    { type: "announce the milestone", params: { milestone: "handoff_complete" } },
  ],
} as const
const loadedByTheRunner = [
  {
    guard: "a photo was taken",
    target: "#runner-task.loaded.photographed",
    actions: [
      "record the load",
      { type: "announce the milestone", params: { milestone: "handoff_complete" } },
    ],
  },
  {
    target: "#runner-task.loaded.unphotographed",
    actions: [
      "record the load",
      { type: "announce the milestone", params: { milestone: "handoff_complete" } },
    ],
  },
] as const

type ToOpenLink = SentEvent<typeof openLinkContract>
type ToReservation = SentEvent<typeof reservationContract>

export const runnerTask = setup({
  types: {
    context: {} as RunnerTaskContext,
    events: {} as RunnerTaskEvent,
    emitted: {} as VerbOf<typeof runnerTaskContract>,
    input: {} as RunnerTaskInput,
    tags: {} as "settled",
  },
  guards: {
    "the bot is ready": ({ context }) => context.botStatus === "READY_FOR_HANDOFF",
    "the bot is secured": ({ context }) => context.botStatus === "SECURED",
    "a photo was taken": ({ event }) => event.type === "load.recorded" && event.photoId !== null,
    "the bot is secured and a photo was taken": ({ context, event }) =>
      context.botStatus === "SECURED" && event.type === "load.recorded" && event.photoId !== null,
    "a bounded measure is missing": ({ context, event }) =>
      event.type === "payload.measured" &&
      context.payloadLimit !== null &&
      !isMeasured(context.payloadLimit, event.measure),
    "the order fits": ({ context, event }) =>
      event.type === "payload.measured" &&
      (context.payloadLimit === null || fits(context.payloadLimit, event.measure)),
    "the exception ends the task": ({ event }) =>
      event.type === "exception.raised" && endsTheTask(event.code),
    "the flag is set": ({ context, event }) => "code" in event && context.flags.includes(event.code),
    "the bot is here or flagged": ({ context }) =>
      context.botStatus === "SECURED" || context.flags.includes("bot_no_show"),
    "open links are used up": ({ context }) => context.openLinks >= OPEN_LINKS_MAX,
    "access_failed is flagged": ({ context }) => context.flags.includes("access_failed"),
    "the last open link failed": ({ context }) => context.openLink === "failed",
  },
  actions: {
    "note the bot": assign(({ event }) => {
      if (!(event.type in BOT_STATUS_BY_EVENT)) return {}
      return { botStatus: BOT_STATUS_BY_EVENT[event.type as BotEventType], flags: [] }
    }),
    "note the estimate": assign(({ event }) =>
      event.type === "bot.eta_changed" ? { etaMs: event.etaMs } : {},
    ),
    "note the runner": assign(({ event }) =>
      event.type === "runner.assigned" ? { runnerId: event.runnerId, flags: [] } : {},
    ),
    "note the start": assign(({ event }) => ({ startedAtMs: event.atMs, flags: [] })),
    "note the ready estimate": assign(({ event }) =>
      event.type === "order.not_ready"
        ? { readyEstimateAtMs: event.readyEstimateAtMs, flags: ["order_not_ready_hold" as const] }
        : {},
    ),
    "clear the estimate and the flags": assign({ readyEstimateAtMs: null, flags: [] }),
    "clear the flags": assign({ flags: [] }),
    "take the order": assign(({ event }) => ({ orderInHandAtMs: event.atMs })),
    "note the arrival at the bot": assign(({ event }) => ({ atUnitAtMs: event.atMs, flags: [] })),
    "record the load": assign(({ event }) => {
      const photoId = event.type === "load.recorded" ? event.photoId : null
      return { completedAtMs: event.atMs, photoId, isPhotoSkipped: photoId === null, flags: [] }
    }),
    "add the photo": assign(({ event }) =>
      event.type === "load.recorded" ? { photoId: event.photoId, isPhotoSkipped: false } : {},
    ),
    "note whether the order goes back": assign(({ context }) => ({
      isReturning: context.orderInHandAtMs !== null,
      readyEstimateAtMs: null,
      flags: [],
    })),
    "note the window": assign(({ event }) =>
      event.type === "window.moved"
        ? { windowStartsAtMs: event.startsAtMs, windowEndsAtMs: event.endsAtMs }
        : {},
    ),
    "set the flag": assign(({ context, event }) =>
      event.type === "exception.raised" ? { flags: [...context.flags, event.code] } : {},
    ),
    "clear the flag": assign(({ context, event }) =>
      event.type === "exception.cleared"
        ? { flags: context.flags.filter((flag) => flag !== event.code) }
        : {},
    ),
    "flag the no-show": assign(({ context }) => ({ flags: [...context.flags, "bot_no_show" as const] })),
    "flag the failed access": assign(({ context }) => ({
      flags: [...context.flags, "access_failed" as const],
    })),
    "note that it failed": assign({ openLink: "failed" }),
    "note that it opened": assign({ openLink: "opened" }),
    "call the open link": enqueueActions(({ enqueue, context, event }) => {
      if ("isWalked" in event && event.isWalked) return
      startOpenLink(enqueue, context)
    }),
    "call the open link again": enqueueActions(({ enqueue, context }) => startOpenLink(enqueue, context)),
    "drop the open link": enqueueActions(({ enqueue, context }) => {
      if (context.openLink !== "calling") return
      enqueue.emit(send<ToOpenLink>(`./open-link-${context.openLinks}`, { type: "open_link.dropped" }))
      enqueue.assign({ openLink: "none" })
    }),
    "announce the milestone": emit((_, params: { readonly milestone: Milestone }) =>
      publish("reservation.handoff_updated", { milestone: params.milestone }),
    ),
    "announce the exception": emit(({ event }) => {
      assertEvent(event, "exception.raised")
      return exception(event.code, event.atMs)
    }),
    "announce: the order is not ready": emit(({ event }) => exception("order_not_ready_hold", event.atMs)),
    "announce: the order was not ready in time": emit(({ event }) =>
      exception("order_not_ready_fail", event.atMs),
    ),
    "announce: the payload was rejected": emit(({ event }) => exception("payload_rejected", event.atMs)),
    "announce: the bot does not show": emit(({ event }) => exception("bot_no_show", event.atMs)),
    "announce: the access failed": emit(({ event }) => exception("access_failed", event.atMs)),
    "tell the reservation that it is loaded": emit(send<ToReservation>(".", { type: "order.loaded" })),
    "answer that nothing changed": emit(reply({ isRepeat: true })),
    "answer that the order fits": emit(reply({ fits: true })),
    "refuse in this state": emit(refuse("INVALID_STATE")),
    "refuse: not measured": emit(
      refuse("VALIDATION_ERROR", "every measure that the payload limit bounds must be taken"),
    ),
  },
  delays: {
    "end of the window": ({ context, event }) => msUntil(context.windowEndsAtMs, event),
    "bot wait": ({ context }) => context.policy.botWaitMs,
  },
}).createMachine({
  id: "runner-task",
  description: "Carries the order from the counter to the bot and records the load.",
  context: ({ input }) => ({
    windowStartsAtMs: input.windowStartsAtMs,
    windowEndsAtMs: input.windowEndsAtMs,
    payloadLimit: input.payloadLimit,
    policy: input.policy,
    runnerId: null,
    botStatus: null,
    etaMs: null,
    startedAtMs: null,
    readyEstimateAtMs: null,
    orderInHandAtMs: null,
    atUnitAtMs: null,
    completedAtMs: null,
    photoId: null,
    isPhotoSkipped: null,
    flags: [],
    openLinks: 0,
    openLink: "none",
    isReturning: false,
  }),
  initial: "open",
  states: {
    open: {
      description: "The order is still to be loaded.",
      initial: "queued",
      on: {
        ...ended,
        "bot.inbound": { actions: "note the bot" },
        "bot.arrived": { actions: "note the bot" },
        "bot.ready": { actions: "note the bot" },
        "bot.secured": {
          actions: "note the bot",
          description: "The compartment was never opened: no load is implied.",
        },
        "bot.departed": { target: "canceled", actions: "note the bot" },
        "bot.aborted": { target: "canceled", actions: "note the bot" },
        "reservation.ended": "canceled",
        "window.moved": { actions: "note the window" },
        "exception.raised": [
          { guard: "the flag is set", actions: "answer that nothing changed" },
          {
            guard: "the exception ends the task",
            target: "failed",
            actions: ["clear the estimate and the flags", "announce the exception"],
          },
          { actions: ["set the flag", "announce the exception"] },
        ],
        "exception.cleared": [
          { guard: "the flag is set", actions: "clear the flag" },
          { actions: "answer that nothing changed" },
        ],
      },
      states: {
        queued: {
          description: "Waits for a runner.",
          on: {
            "bot.eta_changed": { actions: "note the estimate" },
            "runner.assigned": { target: "assigned", actions: "note the runner" },
          },
        },
        assigned: {
          description: "A runner has the task and goes to the store.",
          on: {
            "runner.at_store": {
              target: "at_store",
              actions: [
                "note the start",
                { type: "announce the milestone", params: { milestone: "task_started" } },
              ],
            },
          },
        },
        at_store: {
          description: "The runner is at the counter.",
          on: {
            ...overTheCounter,
            "order.not_ready": {
              target: "held",
              actions: ["note the ready estimate", "announce: the order is not ready"],
            },
            "window.moved": { target: "at_store", reenter: true, actions: "note the window" },
          },
          after: { "end of the window": notReadyInTime },
        },
        held: {
          description: "The order is not ready; the runner waits.",
          on: {
            ...overTheCounter,
            "order.ready": { target: "at_store", actions: "clear the estimate and the flags" },
            "window.moved": { target: "held", reenter: true, actions: "note the window" },
          },
          after: { "end of the window": notReadyInTime },
        },
        retrieved: {
          description: "The runner carries the order.",
          on: {
            "runner.at_unit": {
              target: "at_unit",
              actions: [
                "note the arrival at the bot",
                { type: "announce the milestone", params: { milestone: "runner_at_unit" } },
              ],
            },
          },
        },
        at_unit: {
          description: "The runner is at the bot; the compartment is closed.",
          always: {
            guard: "the bot is ready",
            target: "handoff_ready",
            actions: "call the open link",
          },
          on: {
            "load.recorded": [
              {
                guard: "the bot is secured and a photo was taken",
                target: "#runner-task.loaded.photographed",
                actions: loadedByTheRunner[0].actions,
              },
              {
                guard: "the bot is secured",
                target: "#runner-task.loaded.unphotographed",
                actions: loadedByTheRunner[1].actions,
              },
              refused,
            ],
          },
          after: {
            "bot wait": [
              {
                guard: "the bot is here or flagged",
                description: "A secured bot is no no-show, and a set flag is not published again.",
              },
              { actions: ["flag the no-show", "announce: the bot does not show"] },
            ],
          },
        },
        handoff_ready: {
          description: "The compartment may be opened.",
          exit: "drop the open link",
          on: {
            "bot.secured": loadedByTheBot,
            "bot.departed": loadedByTheBot,
            "load.recorded": loadedByTheRunner,
            "open_link.opened": { actions: "note that it opened" },
            "open_link.failed": [
              { guard: "access_failed is flagged", actions: "note that it failed" },
              { actions: ["note that it failed", "flag the failed access", "announce: the access failed"] },
            ],
            "open_link.retried": [
              { guard: "open links are used up", actions: "refuse in this state" },
              {
                guard: "the last open link failed",
                actions: ["clear the flags", "call the open link again"],
              },
              refused,
            ],
          },
        },
      },
    },
    loaded: {
      description: "The order is on board. Ends the task.",
      tags: "settled",
      entry: "tell the reservation that it is loaded",
      initial: "unphotographed",
      on: ended,
      states: {
        unphotographed: {
          description: "Recorded without a photo; one may still land.",
          on: {
            "load.recorded": [
              {
                guard: "a photo was taken",
                target: "photographed",
                actions: [
                  "add the photo",
                  { type: "announce the milestone", params: { milestone: "handoff_complete" } },
                ],
              },
              { actions: "answer that nothing changed" },
            ],
          },
        },
        photographed: { description: "Recorded with a photo." },
      },
    },
    canceled: {
      description: "Ended without a load: canceled, expired, aborted or left by the bot.",
      tags: "settled",
      entry: "note whether the order goes back",
      on: ended,
    },
    failed: {
      description: "Ended by an exception: the order was not ready in time, or does not fit.",
      tags: "settled",
      entry: "note whether the order goes back",
      on: ended,
    },
  },
})

type EnqueueOpenLink = {
  readonly emit: (verb: StartVerb) => void
  readonly assign: (partial: Pick<RunnerTaskContext, "openLinks" | "openLink">) => void
}

function startOpenLink(enqueue: EnqueueOpenLink, context: RunnerTaskContext): void {
  const { policy } = context
  enqueue.assign({ openLinks: context.openLinks + 1, openLink: "calling" })
  const to = `./open-link-${context.openLinks + 1}`
  const attempts = {
    attemptsMax: policy.openLinkAttemptsMax,
    backoffMs: policy.openLinkBackoffMs,
    leaseMs: policy.openLinkLeaseMs,
  }
  const resendsMax = policy.openLinkResendsMax
  enqueue.emit(
    resendsMax === undefined
      ? start<SentInput<typeof openLink1Contract>>(to, "open-link@1", attempts)
      : start<SentInput<typeof openLinkContract>>(to, "open-link@2", { ...attempts, resendsMax }),
  )
}

function exception(code: ExceptionCode, occurredAtMs: EpochMs) {
  return publish("reservation.exception", { reason_code: code, occurred_at_ms: occurredAtMs })
}

const over = "The task has ended."
const afterTheEnd = {
  "bot.inbound": over,
  "bot.arrived": over,
  "bot.ready": over,
  "bot.secured": over,
  "bot.departed": over,
  "bot.aborted": over,
  "bot.eta_changed": over,
  "open_link.failed": "The open link was dropped with the task.",
  "open_link.opened": "The open link was dropped with the task.",
  "reservation.ended": over,
  "window.moved": over,
}
const frozen = "A runner is assigned: the staging time is frozen."
const noOpenLink = "No open link runs in this state."

export const runnerTaskIgnores: Ignores = {
  "open.queued": { "open_link.failed": noOpenLink, "open_link.opened": noOpenLink },
  "open.assigned": {
    "bot.eta_changed": frozen,
    "open_link.failed": noOpenLink,
    "open_link.opened": noOpenLink,
  },
  "open.at_store": {
    "bot.eta_changed": frozen,
    "open_link.failed": noOpenLink,
    "open_link.opened": noOpenLink,
  },
  "open.held": { "bot.eta_changed": frozen, "open_link.failed": noOpenLink, "open_link.opened": noOpenLink },
  "open.retrieved": {
    "bot.eta_changed": frozen,
    "open_link.failed": noOpenLink,
    "open_link.opened": noOpenLink,
  },
  "open.at_unit": {
    "bot.eta_changed": frozen,
    "open_link.failed": noOpenLink,
    "open_link.opened": noOpenLink,
  },
  "open.handoff_ready": { "bot.eta_changed": frozen },
  "loaded.unphotographed": afterTheEnd,
  "loaded.photographed": afterTheEnd,
  canceled: afterTheEnd,
  failed: afterTheEnd,
}
