/** What the live host tells of itself while it works; whoever counts implements it. It is told after the fact and fails nothing. */

import type { TurnResult } from "../kernel/turn.ts"
import type { CallResult } from "../model/verbs.ts"

export interface LiveObserver {
  /** A transaction came to its end: committed with its turns, or undone. */
  readonly onCommit: (turns: readonly TurnResult[]) => void
  readonly onUndo: () => void
  /** A transaction lost against another and begins anew. */
  readonly onRetry: () => void
  /** A call came back. */
  readonly onCall: (call: string, result: CallResult) => void
  /** The wake-up took a batch of so many groups. */
  readonly onBatch: (groups: number) => void
  /** The wake-up looked for what is due and could do all that it found to do. */
  readonly onWakeUp: () => void
}

const nothing = (): void => undefined

export const NO_OBSERVER: LiveObserver = {
  onCommit: nothing,
  onUndo: nothing,
  onRetry: nothing,
  onCall: nothing,
  onBatch: nothing,
  onWakeUp: nothing,
}
