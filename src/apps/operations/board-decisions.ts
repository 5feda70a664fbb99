/**
 * What the board says of a reservation and of a stall: the column, what it waits for, when the promise is broken, and what is wrong.
 * Read from the machines' states at one instant; nothing here changes anything.
 */

import type {
  BoardColumn,
  BoardRisk,
  BoardTrouble,
  StallState,
  WaitsFor,
} from "../../model/requests/board.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { STALL_DUE_WITHIN_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { State } from "../../../machines/contracts.ts"
import { botBreachOf, breachOf, isAtStall, isLateAt, riskOf } from "../../areas/reservations/lateness.ts"
import type { Standing } from "../../areas/reservations/lateness.ts"

export interface Judged {
  readonly column: BoardColumn
  readonly trouble: BoardTrouble | null
  readonly waitsFor: WaitsFor
  readonly sinceMs: EpochMs
  /** When the bot is expected at the stall, or came. */
  readonly dueAtMs: EpochMs
  readonly breachAtMs: EpochMs
  readonly isLate: boolean
  /** Null of one that is late or in trouble. */
  readonly risk: BoardRisk | null
}

export function judge(standing: Standing, nowMs: EpochMs): Judged {
  const isLate = isLateAt(standing, nowMs)
  const trouble = troubleOf(standing) ?? (isLate ? lateTrouble(standing, nowMs) : null)
  const { arrivedAtMs, bot, startsAtMs } = standing
  return {
    column: trouble === null ? columnOf(standing) : "trouble",
    trouble,
    waitsFor: waitsForOf(standing),
    sinceMs: sinceOf(standing),
    dueAtMs: arrivedAtMs ?? bot?.etaMs ?? startsAtMs,
    breachAtMs: breachOf(standing),
    isLate,
    risk: trouble === null ? riskOf(standing, nowMs) : null,
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

/** A runner cannot mend that the bot is late, so that is said first. */
function lateTrouble(standing: Standing, nowMs: EpochMs): BoardTrouble {
  if (botBreachOf(standing) < nowMs) return isAtStall(standing) ? "bot_waits_too_long" : "bot_late"
  return standing.task?.state === "queued" ? "no_runner" : "runner_late"
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
