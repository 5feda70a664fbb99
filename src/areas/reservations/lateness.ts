/**
 * When an open reservation is late, and what endangers one that is not yet late. The board, the kiosk, the lists and the runner's phone
 * ask here, so that none of them contradicts another.
 */

import type { BotStatus } from "../../model/bot.ts"
import type { BoardRisk } from "../../model/requests/board.ts"
import { CURB_WAIT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Context, State } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { actorAt } from "../../engine/services/actors.ts"
import { stagingAtMs } from "./record.ts"
import type { BotReportRow, ReservationRow } from "./rows.ts"

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

export function standingOf(row: ReservationRow, group: Group, reports: readonly BotReportRow[]): Standing {
  const bot = actorAt("bot", group.actors, `${group.address}/bot`)?.context ?? null
  const task = actorAt("runner-task", group.actors, `${group.address}/runner-task`)
  const status = bot?.status ?? null
  const here = status === null ? null : { status, etaMs: bot?.etaMs ?? null }
  const first = reports.find((report) => report.isApplied && isAtStall({ bot: { ...report, etaMs: null } }))
  // A bot that reported only that it is ready has arrived by then.
  const arrivedAtMs = isAtStall({ bot: here }) ? (first?.occurredAtMs ?? bot?.assertedAtMs ?? null) : null
  return {
    startsAtMs: row.startsAtMs,
    endsAtMs: row.endsAtMs,
    createdAtMs: row.createdAtMs,
    updatedAtMs: row.updatedAtMs,
    bot: here,
    arrivedAtMs,
    task: task === null ? null : { state: task.state, context: task.context },
  }
}

const AT_STALL: readonly BotStatus[] = ["ARRIVED", "READY_FOR_HANDOFF", "SECURED"]

export function isAtStall({ bot }: Pick<Standing, "bot">): boolean {
  return bot !== null && AT_STALL.includes(bot.status)
}

/** The first of its promises that is broken: the runner's, or the bot's. */
export function breachOf(standing: Standing): EpochMs {
  return Math.min(runnerDueOf(standing) ?? Infinity, botBreachOf(standing))
}

/**
 * A bot at the stall may wait for `CURB_WAIT_MS`. Before that, a bot that told an estimate is expected then; one that told none may
 * come until its window ends.
 */
export function botBreachOf({ arrivedAtMs, bot, endsAtMs }: Standing): EpochMs {
  if (arrivedAtMs !== null) return arrivedAtMs + CURB_WAIT_MS
  return bot?.etaMs ?? endsAtMs
}

const ON_THE_WAY: readonly State<"runner-task">[] = ["queued", "assigned", "at_store", "held", "retrieved"]

/** When the runner must be at the bot; null once the runner is there, after the task's end, and without runner service. */
function runnerDueOf({ task }: Standing): EpochMs | null {
  return task !== null && ON_THE_WAY.includes(task.state) ? stagingAtMs(task.context) : null
}

/** An order that is on board breaks no promise any more. */
export function isLateAt(standing: Standing, nowMs: EpochMs): boolean {
  return !isLoaded(standing) && breachOf(standing) < nowMs
}

function isLoaded({ task }: Standing): boolean {
  return task?.state === "photographed" || task?.state === "unphotographed"
}

/** Of one that is not late: the window is open and no runner has the task, or an estimate is beyond the promise. */
export function riskOf(standing: Standing, nowMs: EpochMs): BoardRisk | null {
  const { task, bot, startsAtMs, endsAtMs } = standing
  if (isLoaded(standing) || isLateAt(standing, nowMs)) return null
  if (task?.state === "queued" && startsAtMs <= nowMs) return "unassigned"
  const dueAtMs = runnerDueOf(standing)
  const readyAtMs = task?.context.readyEstimateAtMs ?? null
  const isOrderAwaited = task?.state !== "retrieved" && dueAtMs !== null && readyAtMs !== null
  if (isOrderAwaited && readyAtMs > dueAtMs) return "order_after_promise"
  const etaMs = isAtStall(standing) ? null : (bot?.etaMs ?? null)
  return etaMs !== null && etaMs >= endsAtMs ? "bot_after_window" : null
}
