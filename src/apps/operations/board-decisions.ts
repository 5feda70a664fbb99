/**
 * What the board says of a reservation and of a stall: the column, what it waits for, when the promise is broken, and what is wrong.
 * Read from the machines' states at one instant; nothing here changes anything.
 */

import type { BotStatus } from "../../model/bot.ts"
import type { BoardColumn, BoardTrouble, StallState, WaitsFor } from "../../model/requests/board.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { CURB_WAIT_MS, STALL_DUE_WITHIN_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Context, State } from "../../../machines/contracts.ts"

/** An open reservation at one instant. */
export interface Standing {
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
  /** Null before the first report. */
  readonly bot: { readonly status: BotStatus; readonly etaMs: EpochMs | null } | null
  /** When the bot was first reported at the stall; null before that. */
  readonly arrivedAtMs: EpochMs | null
  /** Null without runner service. */
  readonly task: { readonly state: State<"runner-task">; readonly context: Context<"runner-task"> } | null
}

export interface Judged {
  readonly column: BoardColumn
  readonly trouble: BoardTrouble | null
  readonly waitsFor: WaitsFor
  readonly sinceMs: EpochMs
  /** When the bot is expected at the stall, or came. */
  readonly dueAtMs: EpochMs
  readonly breachAtMs: EpochMs
  readonly isLate: boolean
}

const AT_STALL: readonly BotStatus[] = ["ARRIVED", "READY_FOR_HANDOFF", "SECURED"]

export function isAtStall({ bot }: Pick<Standing, "bot">): boolean {
  return bot !== null && AT_STALL.includes(bot.status)
}

/**
 * A bot at the stall may wait for `CURB_WAIT_MS`. Before that, a bot that told an estimate is expected then; one that told none may
 * come until its window ends.
 */
export function breachOf({ arrivedAtMs, bot, endsAtMs }: Standing): EpochMs {
  if (arrivedAtMs !== null) return arrivedAtMs + CURB_WAIT_MS
  return bot?.etaMs ?? endsAtMs
}

/** An order that is on board breaks no promise any more. */
export function isLateAt(standing: Standing, nowMs: EpochMs): boolean {
  return !isLoaded(standing) && breachOf(standing) < nowMs
}

export function judge(standing: Standing, nowMs: EpochMs): Judged {
  const isLate = isLateAt(standing, nowMs)
  const trouble = troubleOf(standing) ?? (isLate ? lateTrouble(standing) : null)
  const { arrivedAtMs, bot, startsAtMs } = standing
  return {
    column: trouble === null ? columnOf(standing) : "trouble",
    trouble,
    waitsFor: waitsForOf(standing),
    sinceMs: sinceOf(standing),
    dueAtMs: arrivedAtMs ?? bot?.etaMs ?? startsAtMs,
    breachAtMs: breachOf(standing),
    isLate,
  }
}

/** The flags that need help, the worst first. An order that is held at the counter is not one of them. */
const HELP: readonly ExceptionCode[] = [
  "access_failed",
  "bot_no_show",
  "bot_mismatch",
  "stall_blocked",
  "runner_delayed",
]

function troubleOf({ bot, task }: Standing): BoardTrouble | null {
  if (bot?.status === "ABORTED") return "bot_aborted"
  if (task === null) return null
  if (task.state === "failed") return "task_failed"
  return HELP.find((code) => task.context.flags.includes(code)) ?? null
}

function lateTrouble(standing: Standing): BoardTrouble {
  return isAtStall(standing) ? "bot_waits_too_long" : "bot_late"
}

const COLUMN_BY_STATE: Readonly<Record<State<"runner-task">, Exclude<BoardColumn, "trouble">>> = {
  queued: "due",
  assigned: "due",
  at_store: "at_store",
  held: "at_store",
  retrieved: "in_hand",
  at_unit: "at_bot",
  handoff_ready: "at_bot",
  unphotographed: "at_bot",
  photographed: "at_bot",
  canceled: "at_bot",
  failed: "at_bot",
}

function columnOf(standing: Standing): BoardColumn {
  if (standing.task !== null) return COLUMN_BY_STATE[standing.task.state]
  return isAtStall(standing) ? "at_bot" : "due"
}

function isLoaded({ task }: Standing): boolean {
  return task?.state === "photographed" || task?.state === "unphotographed"
}

function waitsForOf(standing: Standing): WaitsFor {
  const { task } = standing
  if (task === null) return isAtStall(standing) ? "departure" : "bot"
  switch (task.state) {
    case "queued":
      return "runner"
    case "assigned":
      return "runner_at_store"
    case "at_store":
      return "counter"
    case "held":
      return "order"
    case "retrieved":
      return "runner_at_bot"
    case "at_unit":
      return "bot_ready"
    case "handoff_ready":
      if (task.context.openLink === "calling") return "door"
      return task.context.openLink === "failed" ? "door_again" : "load"
    case "photographed":
    case "unphotographed":
    case "canceled":
    case "failed":
      return "departure"
  }
}

function sinceOf({ createdAtMs, updatedAtMs, task, arrivedAtMs }: Standing): EpochMs {
  const known = (atMs: EpochMs | null | undefined): EpochMs => atMs ?? updatedAtMs
  switch (task?.state) {
    case undefined:
      return arrivedAtMs ?? createdAtMs
    case "queued":
      return createdAtMs
    case "at_store":
      return known(task?.context.startedAtMs)
    case "retrieved":
      return known(task?.context.orderInHandAtMs)
    case "at_unit":
    case "handoff_ready":
      return known(task?.context.atUnitAtMs)
    case "photographed":
    case "unphotographed":
      return known(task?.context.completedAtMs)
    case "assigned":
    case "held":
    case "canceled":
    case "failed":
      return updatedAtMs
  }
}

export interface JudgedStall {
  readonly state: StallState
  /** The reservation that decides; null for a stall that is free with nothing booked. */
  readonly reservationId: string | null
  /** When a due bot is expected, an occupied stall was taken, a late bot was due, or a free stall is next taken; null: never. */
  readonly atMs: EpochMs | null
}

interface AtStall {
  readonly reservationId: string
  readonly standing: Standing
  readonly judged: Judged
  /** On the clock of the reservation. */
  readonly nowMs: EpochMs
}

/** A bot at the stall decides before one that is expected, and a late one before one in time. */
export function judgeStall(here: readonly AtStall[]): JudgedStall {
  const [first] = here.toSorted((one, other) => rankOf(one) - rankOf(other))
  if (first === undefined) return { state: "free", reservationId: null, atMs: null }
  const { reservationId, standing, judged, nowMs } = first
  const { arrivedAtMs } = standing
  if (judged.isLate) return { state: "late", reservationId, atMs: judged.breachAtMs }
  if (isAtStall(standing)) return { state: "occupied", reservationId, atMs: arrivedAtMs }
  const isSoon = judged.dueAtMs - nowMs <= STALL_DUE_WITHIN_MS
  return { state: isSoon ? "due" : "free", reservationId, atMs: judged.dueAtMs }
}

/** Distances are smaller than the steps between the kinds. Instants of different clocks cannot be compared. */
function rankOf({ standing, judged, nowMs }: AtStall): number {
  const kind = isAtStall(standing) ? 0 : judged.isLate ? 1 : 2
  return kind * 1e15 + (judged.dueAtMs - nowMs)
}
