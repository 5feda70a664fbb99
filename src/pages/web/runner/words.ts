/** The words of the runner's page. */

import type { BotStatus } from "../../../model/bot.ts"
import type { ExceptionCode, HandoffStatus } from "../../../model/handoff.ts"
import type { PhoneCall, PhoneTask } from "../../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"
import type { Tone } from "../design/pill.tsx"
import type { IconName } from "../design/icon.tsx"
import type { Away } from "./api.ts"

/** Why the service was not heard. */
export const AWAY_WORDS: Readonly<Record<Away, string>> = {
  "no network": "No network",
  "no answer": "The service does not answer",
  "timed out": "No answer from the service",
}

/** What the button of a move says. */
export const MOVE_WORDS: Readonly<Record<RunnerMove, string>> = {
  runner: "Take this task",
  "at-store": "I am at the store",
  "order-in-hand": "I have the order",
  "at-unit": "I am at the bot",
  load: "Loaded",
  ready: "The order is ready",
  hold: "Wait for the order",
  payload: "Measure",
  "open-link": "Open the door again",
  exceptions: "Report",
  "give-up": "Give up the order",
  cancel: "Cancel the reservation",
}

/** What a call is about. */
export function callWords({
  order_number,
  stall_label,
}: Pick<PhoneCall, "order_number" | "stall_label">): string {
  if (order_number === null) return "The board calls"
  return `Order ${order_number}${stall_label ? ` at ${stall_label}` : ""}`
}

/** A move that was made, in a list of those that wait. */
export const MADE_WORDS: Readonly<Record<RunnerMove, string>> = {
  runner: "taken",
  "at-store": "at the store",
  "order-in-hand": "I have the order",
  "at-unit": "at the bot",
  load: "loaded",
  ready: "order is ready",
  hold: "order is not ready",
  payload: "measured",
  "open-link": "open the door again",
  exceptions: "problem reported",
  "give-up": "given up",
  cancel: "canceled",
}

export const STEPS = ["Taken", "At store", "In hand", "At bot", "Loaded"] as const

/** The step that is now; -1 before the first, and one more than there are after the last. */
export const STEP_OF: Readonly<Record<HandoffStatus, number>> = {
  QUEUED: -1,
  ASSIGNED: 0,
  AT_STORE: 1,
  HELD: 1,
  RETRIEVED: 2,
  AT_UNIT: 3,
  HANDOFF_READY: 3,
  LOADED: 5,
  CANCELED: -1,
  FAILED: -1,
}

interface Words {
  readonly tone: Tone
  readonly icon: IconName
  readonly text: string
}

const BOT_WORDS: Readonly<Record<BotStatus, Words>> = {
  INBOUND: { tone: "move", icon: "arrow-right", text: "Inbound" },
  ARRIVED: { tone: "wait", icon: "map-pin", text: "Arrived" },
  READY_FOR_HANDOFF: { tone: "ok", icon: "circle-check", text: "Ready" },
  SECURED: { tone: "idle", icon: "check", text: "Secured" },
  DEPARTED: { tone: "bad", icon: "arrow-right", text: "Left" },
  ABORTED: { tone: "bad", icon: "ban", text: "Does not come" },
}

export function botWords(task: PhoneTask): Words {
  return task.bot === null
    ? { tone: "idle", icon: "circle-dashed", text: "Not reported" }
    : BOT_WORDS[task.bot.status]
}

export function botName({ bot }: PhoneTask): string {
  return bot?.label || "The bot"
}

/** Exceptions that a runner may report, with what follows. Others are told by moves and by clocks. */
export const REPORTS: readonly {
  readonly code: ExceptionCode
  readonly title: string
  readonly about: string
  readonly icon: IconName
}[] = [
  {
    code: "bot_mismatch",
    title: "Wrong bot at the stall",
    about: "Operations look; you keep the task",
    icon: "bot",
  },
  {
    code: "stall_blocked",
    title: "Stall is blocked",
    about: "Operations look; you keep the task",
    icon: "ban",
  },
  {
    code: "bot_no_show",
    title: "The bot is not here",
    about: "The partner is notified; you keep the task",
    icon: "search",
  },
  {
    code: "access_failed",
    title: "The door does not open",
    about: "The partner is notified; you keep the task",
    icon: "key",
  },
  { code: "runner_delayed", title: "I am late", about: "The partner is notified", icon: "timer" },
]

const FLAG_WORDS: Readonly<Record<ExceptionCode, string>> = {
  payload_rejected: "The order does not fit",
  access_failed: "The door did not open",
  order_not_ready_fail: "The order was not ready",
  bot_no_show: "The bot did not come",
  stall_blocked: "The stall is blocked",
  order_not_ready_hold: "The order is not ready",
  runner_delayed: "You said that you are late",
  bot_mismatch: "Another bot is at the stall",
}

const STATUS_WORDS: Readonly<Record<HandoffStatus, Words>> = {
  QUEUED: { tone: "idle", icon: "circle-dashed", text: "Free" },
  ASSIGNED: { tone: "move", icon: "arrow-right", text: "Go to the store" },
  AT_STORE: { tone: "wait", icon: "store", text: "At the store" },
  HELD: { tone: "wait", icon: "clock", text: "Waiting at the store" },
  RETRIEVED: { tone: "move", icon: "box", text: "Order in hand" },
  AT_UNIT: { tone: "wait", icon: "map-pin", text: "At the bot" },
  HANDOFF_READY: { tone: "ok", icon: "circle-check", text: "Load now" },
  LOADED: { tone: "ok", icon: "check", text: "Loaded" },
  CANCELED: { tone: "idle", icon: "ban", text: "Canceled" },
  FAILED: { tone: "bad", icon: "circle-x", text: "Failed" },
}

/** The exception that is raised last, or else the state. */
export function stateWords(task: PhoneTask, status: HandoffStatus | null): Words {
  const flag = task.open_exceptions.at(-1)
  if (flag !== undefined) return { tone: "bad", icon: "triangle-alert", text: FLAG_WORDS[flag] }
  return STATUS_WORDS[status ?? "QUEUED"]
}

/** What the runner says at the counter. */
export function counterWords({ pickup_reference, end_user_name }: PhoneTask): string {
  return end_user_name === ""
    ? `“Order ${pickup_reference}”`
    : `“Order ${pickup_reference} for ${end_user_name}”`
}

/** `12 kg`, `40 × 30 × 30 cm`. */
export function limitWords({ payload_limit: limit }: PhoneTask): readonly string[] {
  const size = limit?.max_dimensions_cm
  return [
    ...(typeof limit?.max_weight_kg === "number" ? [`${limit.max_weight_kg} kg`] : []),
    ...(size === undefined || size === null ? [] : [`${size.length} × ${size.width} × ${size.height} cm`]),
  ]
}
