/** The words of a site's board. */

import { EXCEPTION_CODES } from "../handoff.ts"

export const STALL_STATES = ["free", "due", "occupied", "late"] as const

export type StallState = (typeof STALL_STATES)[number]

/** In the order in which an order passes them; what needs help comes last. */
export const BOARD_COLUMNS = ["due", "at_store", "in_hand", "at_bot", "trouble"] as const

export type BoardColumn = (typeof BOARD_COLUMNS)[number]

/** Why a reservation needs help: an exception, or what the board finds. */
export const BOARD_TROUBLES = [
  ...EXCEPTION_CODES,
  "bot_aborted",
  "bot_late",
  "bot_waits_too_long",
  "no_runner",
  "runner_late",
  "task_failed",
] as const

export type BoardTrouble = (typeof BOARD_TROUBLES)[number]

/**
 * Why a promise that still holds may break. `unassigned`: the window is open and no runner has the task. The others: an estimate
 * is beyond the promise.
 */
export const BOARD_RISKS = ["bot_after_window", "order_after_promise", "unassigned"] as const

export type BoardRisk = (typeof BOARD_RISKS)[number]

/** Who or what moves a reservation on. */
export const WAITS_FOR = [
  "bot",
  "bot_ready",
  "counter",
  "departure",
  "door",
  "door_again",
  "load",
  "order",
  "runner",
  "runner_at_bot",
  "runner_at_store",
] as const

export type WaitsFor = (typeof WAITS_FOR)[number]

/** Who or what moves a delivery on. */
export const DELIVERY_WAITS_FOR = [
  "customer",
  "departure",
  "load",
  "vehicle",
  "vehicle_at_customer",
  "vehicle_at_store",
] as const

export type DeliveryWaitsFor = (typeof DELIVERY_WAITS_FOR)[number]

/** What operations can do with a delivery. Each is the last segment of the path of its command. */
export const DELIVERY_MOVES = ["cancel", "compartment", "status", "vehicle"] as const

export type DeliveryMove = (typeof DELIVERY_MOVES)[number]

export const VEHICLE_STATES = ["driving", "free", "offline", "waits_for_load"] as const

export type VehicleState = (typeof VEHICLE_STATES)[number]
