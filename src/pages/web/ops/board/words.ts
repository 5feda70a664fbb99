/** The words of the board. */

import type {
  BoardColumn,
  BoardRisk,
  BoardTrouble,
  DeliveryWaitsFor,
  StallState,
  VehicleState,
  WaitsFor,
} from "../../../../model/requests/board.ts"
import type { BotStatus } from "../../../../model/bot.ts"
import type { DeliveryStatus, ReportedStatus } from "../../../../model/delivery.ts"
import type { HandoffStatus } from "../../../../model/handoff.ts"
import { clockTime, dayClock } from "./times.ts"
import type { Tone } from "../../design/pill.tsx"
import type { IconName } from "../../design/icon.tsx"
import type { BoardRecord, CardRecord, RunRecord, StallRecord, ZoneRecord } from "./records.ts"

export const COLUMN_WORDS: Readonly<Record<BoardColumn, string>> = {
  due: "Due",
  at_store: "At store",
  in_hand: "In hand",
  at_bot: "At bot",
  trouble: "Trouble",
}

export const TROUBLE_WORDS: Readonly<Record<BoardTrouble, string>> = {
  payload_rejected: "Order does not fit",
  access_failed: "Door did not open",
  order_not_ready_fail: "Order was not ready",
  bot_no_show: "Bot did not show",
  stall_blocked: "Stall is blocked",
  order_not_ready_hold: "Order is not ready",
  runner_delayed: "Runner is late",
  bot_mismatch: "Wrong bot at the stall",
  bot_aborted: "Bot does not come",
  bot_late: "Bot is late",
  bot_waits_too_long: "Bot waits too long",
  no_runner: "No runner has it",
  runner_late: "Runner is late",
  task_failed: "Task failed",
}

const RISK_WORDS: Readonly<Record<BoardRisk, string>> = {
  bot_after_window: "bot comes after its window",
  order_after_promise: "order is ready too late",
  unassigned: "no runner yet, the window is open",
}

export const WAITS_FOR_WORDS: Readonly<Record<WaitsFor, string>> = {
  bot: "the bot to come",
  bot_ready: "the bot to be ready",
  counter: "the counter to hand over the order",
  departure: "the bot to leave",
  door: "the partner to open the door",
  door_again: "another try to open the door",
  load: "the runner to load the order",
  order: "the store to finish the order",
  runner: "a runner to take the task",
  runner_at_bot: "the runner to be at the bot",
  runner_at_store: "the runner to be at the store",
}

export const DELIVERY_WAITS_FOR_WORDS: Readonly<Record<DeliveryWaitsFor, string>> = {
  customer: "the customer to take the order",
  departure: "the vehicle to leave the store",
  load: "the store to load the order",
  vehicle: "its vehicle to take the run",
  vehicle_at_customer: "the vehicle to be at the customer",
  vehicle_at_store: "the vehicle to be at the store",
}

interface StateWords {
  readonly icon: IconName
  readonly text: string
}

export const STALL_WORDS: Readonly<Record<StallState, StateWords>> = {
  free: { icon: "circle-dashed", text: "Free" },
  due: { icon: "clock", text: "Due in" },
  occupied: { icon: "parking", text: "Occupied for" },
  late: { icon: "triangle-alert", text: "Late by" },
}

interface PillWords extends StateWords {
  readonly tone: Tone
}

export const BOT_WORDS: Readonly<Record<BotStatus, PillWords>> = {
  INBOUND: { tone: "move", icon: "arrow-right", text: "Bot is inbound" },
  ARRIVED: { tone: "wait", icon: "map-pin", text: "Bot has arrived" },
  READY_FOR_HANDOFF: { tone: "ok", icon: "bot", text: "Bot is ready" },
  SECURED: { tone: "idle", icon: "check", text: "Bot is secured" },
  DEPARTED: { tone: "idle", icon: "arrow-right", text: "Bot has left" },
  ABORTED: { tone: "bad", icon: "ban", text: "Bot does not come" },
}

export const HANDOFF_TONES: Readonly<Record<HandoffStatus, Tone>> = {
  QUEUED: "idle",
  ASSIGNED: "move",
  AT_STORE: "move",
  HELD: "wait",
  RETRIEVED: "move",
  AT_UNIT: "move",
  HANDOFF_READY: "ok",
  LOADED: "ok",
  CANCELED: "idle",
  FAILED: "bad",
}

export const VEHICLE_WORDS: Readonly<Record<VehicleState, PillWords>> = {
  driving: { tone: "move", icon: "truck", text: "Driving" },
  free: { tone: "ok", icon: "check", text: "Free" },
  offline: { tone: "bad", icon: "wifi-off", text: "Offline" },
  waits_for_load: { tone: "wait", icon: "box", text: "Waits for load" },
}

const STEP_WORDS: Readonly<Record<DeliveryStatus, string>> = {
  SCHEDULED: "not started",
  ASSIGNED: "not started",
  EN_ROUTE_TO_STORE: "to the store",
  ARRIVED_AT_STORE: "at the store",
  WAITING_FOR_LOAD: "at the store, waits for the order",
  LOADED: "loaded",
  EN_ROUTE_TO_CUSTOMER: "to the customer",
  ARRIVED_AT_CUSTOMER: "at the customer's door",
  COMPLETED: "delivered",
  CANCELLED: "canceled",
}

export function stepWords({ status }: RunRecord): string {
  return STEP_WORDS[status]
}

/** As an option of a list. */
export function reportWords(status: ReportedStatus): string {
  const words = status === "ASSIGNED" ? "assigned to its vehicle" : STEP_WORDS[status]
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Null unless operations must open it. */
export function compartmentTrouble(run: RunRecord | null): string | null {
  if (run?.compartment === "failed") return "Compartment did not open"
  return run?.compartment === "locked" ? "Compartment is locked" : null
}

/** At the customer: `12:13 to 12:18`. */
export function arrivalWords({ arrives_from, arrives_to }: RunRecord, zone: string | null): string {
  return `${clockTime(arrives_from, zone)} to ${clockTime(arrives_to, zone)}`
}

const NUMBERS = [
  "No",
  "One",
  "Two",
  "Three",
  "Four",
  "Five",
  "Six",
  "Seven",
  "Eight",
  "Nine",
  "Ten",
  "Eleven",
  "Twelve",
]

/** A number at the start of a sentence. */
export function numberWord(count: number): string {
  return NUMBERS[count] ?? String(count)
}

export interface Verdict {
  readonly help: string | null
  readonly risk: string | null
  readonly rest: string | null
}

/** Reservations and runs that need help. */
export function helpOf({ reservations, vehicles }: Helped): number {
  const runs = vehicles.filter(({ run }) => compartmentTrouble(run) !== null)
  return reservations.filter(({ column }) => column === "trouble").length + runs.length
}

type Helped = Pick<BoardRecord, "reservations" | "vehicles">

/** True when nothing needs help or is at risk. Only then is green shown. */
export function isCalm(board: Helped): boolean {
  return helpOf(board) === 0 && board.reservations.every(({ risk }) => risk === null)
}

export function verdictOf(board: Helped): Verdict {
  const help = helpOf(board)
  const others = board.reservations.filter(({ column }) => column !== "trouble")
  const atRisk = others.filter(({ risk }) => risk !== null).length
  const onTime = others.length - atRisk
  const isAlone = help === 0 && atRisk === 0
  return {
    help: help === 0 ? null : `${numberWord(help)} need${help === 1 ? "s" : ""} help.`,
    risk: atRisk === 0 ? null : `${areWords(atRisk)} at risk.`,
    rest:
      onTime > 0
        ? `${isAlone && onTime > 1 ? `All ${onTime} are` : areWords(onTime)} on time.`
        : atRisk > 0
          ? null
          : `Nothing ${help === 0 ? "" : "else "}is open.`,
  }
}

function areWords(count: number): string {
  return `${numberWord(count)} ${count === 1 ? "is" : "are"}`
}

export function sentenceOf(board: Helped): string {
  const { help, risk, rest } = verdictOf(board)
  return [help, risk, rest].filter((part) => part !== null).join(" ")
}

/** `87%`. */
export function batteryWords(percent: number): string {
  return `${Math.round(percent)}%`
}

export function orderWords({ order_number }: Pick<CardRecord, "order_number">): string {
  return /^order\b/i.test(order_number) ? order_number : `Order ${order_number}`
}

export function botName({ bot_label, bot_status }: Pick<CardRecord, "bot_label" | "bot_status">): string {
  return bot_label || (bot_status === null ? "no report" : "bot")
}

/** Who has it and since when, or what is wrong. */
export function standingWords(card: CardRecord, zone: string | null, nowMs: number): string {
  const { column, trouble, risk, runner_id, runner_name, since, handoff_status, ready_estimate } = card
  if (column === "trouble" && trouble !== null) return TROUBLE_WORDS[trouble]
  if (risk !== null) return RISK_WORDS[risk]
  if (handoff_status === null) return "loads without a runner"
  if (runner_id === null) return "no runner yet"
  const runner = runner_name ?? runner_id
  if (handoff_status === "HELD")
    return `${runner}, ${ready_estimate === null ? "order is held" : `held to ${dayClock(ready_estimate, zone, nowMs)}`}`
  if (handoff_status === "LOADED") return `${runner}, loaded`
  if (handoff_status === "HANDOFF_READY") return `${runner}, loading`
  return `${runner}, since ${dayClock(since, zone, nowMs)}`
}

/** `3 free, 3 due, 2 occupied, 2 late, 1 closed`. A stall that takes no bookings is not free. */
export function countsOf(stalls: ZoneRecord["stalls"]): string {
  const states = ["free", "due", "occupied", "late", "closed"] as const
  const stateOf = ({ is_active, state }: StallRecord): (typeof states)[number] =>
    !is_active && state === "free" ? "closed" : state
  return states
    .map((state) => [stalls.filter((stall) => stateOf(stall) === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${state}`)
    .join(", ")
}
