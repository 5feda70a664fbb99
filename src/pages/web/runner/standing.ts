/**
 * How a task stands after the moves that wait on the phone. The service says which states come after the next moves; the
 * page has no rules of its own.
 */

import type { HandoffStatus } from "../../../model/handoff.ts"
import type { PhoneTask } from "../../../model/requests/runner-app.ts"
import type { AllowedMoves } from "../../../model/requests/runner-moves.ts"
import type { WaitingMove } from "./store.ts"

export interface Standing extends AllowedMoves {
  readonly status: HandoffStatus | null
  /** Moves of this task that wait. */
  readonly waiting: readonly WaitingMove[]
}

const ENDED: readonly (HandoffStatus | null)[] = ["LOADED", "CANCELED", "FAILED"]

export function standingOf(task: PhoneTask, queue: readonly WaitingMove[]): Standing {
  const waiting = queue.filter(({ reservation_id }) => reservation_id === task.reservation_id)
  let { ahead } = task
  let now: Omit<Standing, "waiting"> = { ...allowedIn(task), status: task.handoff?.status ?? null }
  for (const { move } of waiting) {
    const [next, ...later] = ahead
    if (next?.move === move) {
      ahead = later
      now = { ...allowedIn(next), status: next.handoff_status }
      continue
    }
    const status = now.moves.find((one) => one.move === move)?.handoff_status ?? now.status
    // Another move leaves the way as it was, unless it ends the task.
    now = ENDED.includes(status)
      ? { status, next_move: null, moves: [], raisable_exceptions: [] }
      : { ...now, status }
  }
  return { ...now, waiting }
}

export function isEnded({ status }: Pick<Standing, "status">): boolean {
  return ENDED.includes(status)
}

function allowedIn({ next_move, moves, raisable_exceptions }: AllowedMoves): AllowedMoves {
  return { next_move, moves, raisable_exceptions }
}
