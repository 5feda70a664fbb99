/** Events of the live host, for metrics. Methods are called after the event and must not throw. */

import type { TurnResult } from "../../engine/kernel/turn.ts"
import { kindOf } from "../../model/address.ts"
import type { CallResult } from "../../model/call-result.ts"
import type { BreakerChange } from "../concurrency/call-slots.ts"

/** A turn as the metrics count it. A part is counted with its root, because they settle together. */
export interface CountedTurn {
  readonly machine: string
  readonly outcome: "moved" | "refused" | "unchanged"
  /** True when the turn has an entry in the journal. */
  readonly isKept: boolean
}

export function countedTurn({ entry, group, hasMoved, outcome }: TurnResult): CountedTurn {
  const moved = hasMoved ? "moved" : "unchanged"
  return {
    machine: kindOf(group.address),
    outcome: outcome.type === "refused" ? "refused" : moved,
    isKept: entry !== null,
  }
}

export interface LiveObserver {
  /** A transaction ended: committed with its turns, or rolled back. */
  readonly onCommit: (turns: readonly CountedTurn[]) => void
  readonly onUndo: () => void
  /** A transaction was aborted by a conflict and runs again. */
  readonly onRetry: () => void
  /** The result of a call arrived. */
  readonly onCall: (call: string, result: CallResult) => void
  /** A call could not be sent and waits in its endpoint's queue. */
  readonly onDeferred: () => void
  /** The circuit breaker of an endpoint opened or closed. */
  readonly onBreaker: (change: BreakerChange) => void
  /** The wake-up took a batch of this many groups. */
  readonly onBatch: (groups: number) => void
  /** The wake-up completed a round without a failure. */
  readonly onWakeUp: () => void
}

const nothing = (): void => undefined

export const NO_OBSERVER: LiveObserver = {
  onCommit: nothing,
  onUndo: nothing,
  onRetry: nothing,
  onCall: nothing,
  onDeferred: nothing,
  onBreaker: nothing,
  onBatch: nothing,
  onWakeUp: nothing,
}
