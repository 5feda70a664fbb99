/** Moves of a runner task, as the operations API and the runner's phone name them. */

import type { ExceptionCode, HandoffStatus } from "../handoff.ts"
import type { ReservationStatus } from "../reservation.ts"

/** Each is the last segment of the path of its command. */
export const RUNNER_MOVES = [
  "runner",
  "at-store",
  "order-in-hand",
  "at-unit",
  "load",
  "ready",
  "hold",
  "payload",
  "open-link",
  "exceptions",
  "give-up",
  "cancel",
] as const

export type RunnerMove = (typeof RUNNER_MOVES)[number]

/** The operation of each move when a phone makes it. */
export const PHONE_OPERATIONS: Readonly<Record<RunnerMove, string>> = {
  runner: "takeTask",
  "at-store": "phoneAtStore",
  "order-in-hand": "phoneOrderInHand",
  "at-unit": "phoneAtUnit",
  load: "phoneLoad",
  ready: "phoneReady",
  hold: "phoneHold",
  payload: "phonePayload",
  "open-link": "phoneOpenLink",
  exceptions: "phoneException",
  "give-up": "phoneGiveUp",
  cancel: "phoneCancel",
}

/** The moves of a handoff without exceptions, in order. */
export const HAPPY_MOVES = ["runner", "at-store", "order-in-hand", "at-unit", "load"] as const

export type HappyMove = (typeof HAPPY_MOVES)[number]

/** A move that the machines would take now, and the statuses after it; null when they depend on what it says. */
export interface AllowedMove {
  readonly move: RunnerMove
  readonly handoff_status: HandoffStatus | null
  readonly reservation_status: ReservationStatus | null
}

/** What the machines would take now. */
export interface AllowedMoves {
  /** The next move of a handoff without exceptions; null while it waits for the bot, and after its end. */
  readonly next_move: HappyMove | null
  readonly moves: readonly AllowedMove[]
  /** Exceptions that may be raised and are not raised yet. */
  readonly raisable_exceptions: readonly ExceptionCode[]
}

/** The state after a move that a phone may make without network. */
export interface MoveAhead extends AllowedMoves {
  readonly move: HappyMove
  readonly handoff_status: HandoffStatus
}
