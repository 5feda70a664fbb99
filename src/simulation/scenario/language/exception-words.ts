/** The reason codes of exceptions: when the service publishes each, for people who write scenarios. */

import type { ExceptionCode } from "../../../model/handoff.ts"

const RAISED_ALONE = "the service publishes it when someone raises it (exception.raise), and never by itself"

export const EXCEPTION_MEANINGS: Readonly<Record<ExceptionCode, string>> = {
  payload_rejected:
    "the order does not fit max_weight_kg or max_dimensions_cm of the booking: runner.measure finds it at the counter, before runner.order_in_hand; ends the handoff",
  access_failed: "the open link has failed at every attempt; runner.retry_open_link calls it again",
  order_not_ready_fail:
    "the runner gives up at the counter (runner.give_up), or the window ends there; ends the handoff",
  bot_no_show: "the runner has waited at the bot for the policy's bot_wait, and the bot is not ready",
  stall_blocked: `the stall is blocked; ${RAISED_ALONE}`,
  order_not_ready_hold: "the order is not ready, and the runner waits at the counter (runner.hold)",
  runner_delayed: `the runner is late; ${RAISED_ALONE}`,
  bot_mismatch: `the bot at the stall is another one; ${RAISED_ALONE}`,
}
