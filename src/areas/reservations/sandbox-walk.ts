/**
 * Sandbox advance: takes the runner's and the bot's next step on the happy path, or raises an exception. Source:
 * reservations contract, sandbox advance.
 */

import { BOT_EVENT_BY_STATUS, BOT_STATUSES } from "../../model/bot.ts"
import type { BotStatus } from "../../model/bot.ts"
import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { HANDOFF_STATUSES } from "../../model/handoff.ts"
import type { ExceptionCode, HandoffStatus } from "../../model/handoff.ts"
import type { AdvanceRequest } from "../../model/requests/requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { PLACEHOLDER_PHOTO_ID } from "../../engine/services/photos/photo-links.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { signedPhoto } from "./announcements.ts"
import { currentRecord, groupFor, ownRow, runEvent } from "./commands.ts"
import type { ReservationEventRequest } from "./commands.ts"
import { botStatus, handoffStatus, reservationStatus } from "./record.ts"
import type { ReservationActors, ReservationRecord } from "./record.ts"
import { refusedBy } from "./refusals.ts"
import { ReservationRows } from "./rows.ts"
import { noteMessage } from "./runner-tasks.ts"

export const WALK_STEPS = [
  "runner_assigned",
  "runner_at_store",
  "order_in_hand",
  "bot_arrived",
  "runner_at_bot",
  "bot_ready",
  "runner_loaded",
  "bot_secured",
  "bot_departed",
] as const

export type WalkStep = (typeof WALK_STEPS)[number]

/** The step that was taken; null when an exception was raised instead. */
export interface Advanced {
  readonly reservation: ReservationRecord
  readonly step: WalkStep | null
}

export class SandboxWalk extends service<SandboxWalk>()("SandboxWalk", () => ({ advance })) {}

/** Not idempotent: a retry takes the following step. Not available in production. */
const advance = Routine.fn(function* (caller: Partner, reservationId: string, request: AdvanceRequest) {
  if (caller.environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  yield* requirePermission(caller, "reservations:write")
  const host = yield* ActorHost
  const taken = yield* host.run({
    name: "advance a reservation",
    locks: { groups: [groupFor(reservationId)] },
    body: Routine.fn(function* () {
      const row = yield* ownRow(caller, reservationId)
      const transaction = yield* Transaction
      const group = yield* transaction.group(groupFor(reservationId))
      if (group === null) return yield* new Refused({ code: "NOT_FOUND" })
      const step = nextWalkStep(group.actors, group.address)
      if (step === null) return yield* new Refused({ code: "INVALID_STATE", detail: "there is no next step" })
      const { reason_code: code } = request
      const event = code === undefined ? EVENT_BY_STEP[step](transaction.nowMs) : raised(code)
      const answer = yield* runEvent(reservationId, event)
      if (answer.type === "refused") return answer
      if (code !== undefined) {
        const rows = yield* ReservationRows
        const isRepeat = answer.value?.isRepeat === true
        const { message } = request
        if (!isRepeat) yield* noteMessage(rows, { id: reservationId, code, message })
        return { type: "answered", step: null, reservation: yield* currentRecord(reservationId) } as const
      }
      const photoUrl = step === "runner_loaded" ? yield* signedPhoto(row, PLACEHOLDER_PHOTO_ID) : null
      return { type: "answered", step, reservation: yield* currentRecord(reservationId, photoUrl) } as const
    }),
  })
  if (taken.type === "refused") return yield* refusedBy(taken)
  return { reservation: taken.reservation, step: taken.step }
})

/** The first step whose effect is missing; null after the last, or when no step is possible. */
function nextWalkStep(actors: ReservationActors, group: string): WalkStep | null {
  return walkStepsAhead(actors, group)[0] ?? null
}

/** Every step whose effect is missing, in order: advance takes the first. Empty when no step is possible. */
export function walkStepsAhead(actors: ReservationActors, group: string): readonly WalkStep[] {
  const status = reservationStatus(actors, group)
  const bot = botStatus(actors, group)
  if (status === "canceled" || status === "completed" || bot === "ABORTED") return []
  const handoff = handoffStatus(actors, group)
  return WALK_STEPS.filter((step) => !isDone(step, handoff, bot))
}

function isDone(step: WalkStep, handoff: HandoffStatus | null, bot: BotStatus | null): boolean {
  const runnerGoal = RUNNER_GOALS[step]
  if (runnerGoal !== undefined) {
    const isEnded = handoff === null || handoff === "LOADED" || handoff === "CANCELED" || handoff === "FAILED"
    return isEnded || HANDOFF_STATUSES.indexOf(handoff) >= HANDOFF_STATUSES.indexOf(runnerGoal)
  }
  const botGoal = BOT_GOALS[step]
  return botGoal !== undefined && bot !== null && BOT_STATUSES.indexOf(bot) >= BOT_STATUSES.indexOf(botGoal)
}

/** The runner's status at which the step is done; `HELD` comes before `RETRIEVED`. */
const RUNNER_GOALS: Readonly<Partial<Record<WalkStep, HandoffStatus>>> = {
  runner_assigned: "ASSIGNED",
  runner_at_store: "AT_STORE",
  order_in_hand: "RETRIEVED",
  runner_at_bot: "AT_UNIT",
  runner_loaded: "LOADED",
}

const BOT_GOALS: Readonly<Partial<Record<WalkStep, BotStatus>>> = {
  bot_arrived: "ARRIVED",
  bot_ready: "READY_FOR_HANDOFF",
  bot_secured: "SECURED",
  bot_departed: "DEPARTED",
}

type EventAt = (nowMs: EpochMs) => ReservationEventRequest

/** These events mark their steps as walked, so that no open link is called. */
const EVENT_BY_STEP: Readonly<Record<WalkStep, EventAt>> = {
  runner_assigned: () => byRunner({ type: "runner.assigned", runnerId: "sandbox" }),
  runner_at_store: () => byRunner({ type: "runner.at_store" }),
  order_in_hand: () => byRunner({ type: "order.in_hand" }),
  bot_arrived: byBot("ARRIVED"),
  runner_at_bot: () => byRunner({ type: "runner.at_unit", isWalked: true }),
  bot_ready: byBot("READY_FOR_HANDOFF"),
  runner_loaded: () => byRunner({ type: "load.recorded", photoId: PLACEHOLDER_PHOTO_ID }),
  bot_secured: byBot("SECURED"),
  bot_departed: byBot("DEPARTED"),
}

function byRunner(event: Turn<"runner-task">["event"]): ReservationEventRequest {
  return { part: "/runner-task", turn: { event } }
}

function byBot(status: BotStatus): EventAt {
  return (nowMs) => ({
    part: "/bot",
    turn: { event: { type: BOT_EVENT_BY_STATUS[status], occurredAtMs: nowMs, isWalked: true } },
  })
}

function raised(code: ExceptionCode): ReservationEventRequest {
  return byRunner({ type: "exception.raised", code })
}
