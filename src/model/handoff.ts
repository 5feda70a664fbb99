/** Handoff: the public view of the runner task. Source: reservations contract, handoff and events. */

export const HANDOFF_STATUSES = [
  "QUEUED",
  "ASSIGNED",
  "AT_STORE",
  "HELD",
  "RETRIEVED",
  "AT_UNIT",
  "HANDOFF_READY",
  "LOADED",
  "CANCELED",
  "FAILED",
] as const

export type HandoffStatus = (typeof HANDOFF_STATUSES)[number]

export const MILESTONES = ["task_started", "order_in_hand", "runner_at_unit", "handoff_complete"] as const

export type Milestone = (typeof MILESTONES)[number]

/** The eight reasons of `reservation.exception`; the last three complete the contract's list (src/DECISIONS.md §5). */
export const EXCEPTION_CODES = [
  "payload_rejected",
  "access_failed",
  "order_not_ready_fail",
  "bot_no_show",
  "stall_blocked",
  "order_not_ready_hold",
  "runner_delayed",
  "bot_mismatch",
] as const

export type ExceptionCode = (typeof EXCEPTION_CODES)[number]

/** These two end the runner task. The other six are flags that the next step clears. */
export const ENDING_EXCEPTION_CODES = [
  "payload_rejected",
  "order_not_ready_fail",
] as const satisfies ExceptionCode[]

export function endsTheTask(code: ExceptionCode): boolean {
  return (ENDING_EXCEPTION_CODES as readonly ExceptionCode[]).includes(code)
}

/** The text of an event without a message of its own. */
export const EXCEPTION_MESSAGES: Readonly<Record<ExceptionCode, string>> = {
  payload_rejected: "The order does not fit the payload limit.",
  access_failed: "The compartment could not be opened.",
  order_not_ready_fail: "The order was not ready in time.",
  bot_no_show: "The bot did not become ready while the runner waited.",
  stall_blocked: "The stall is blocked.",
  order_not_ready_hold: "The order is not ready yet; the runner waits at the counter.",
  runner_delayed: "The runner is late.",
  bot_mismatch: "The bot at the stall is not the expected one.",
}
