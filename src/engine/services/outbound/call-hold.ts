/**
 * The hold on outbound calls, which operators read and end. A restored database starts with it; a command can set it.
 * Source: src/DECISIONS.md §175.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Operator } from "../../../model/caller.ts"
import type { EpochMs } from "../../../model/values/time.ts"

/** `restore`: `curbline restore FILE`. `command`: `curbline restore --hold-calls`. */
export type CallHolder = "command" | "restore"

export interface CallHoldStatus {
  /** Null: calls are allowed. */
  readonly heldSinceMs: EpochMs | null
  /** Null: calls are allowed, or an older program held them. */
  readonly heldBy: CallHolder | null
  /** Attempts of webhooks, open links and payments that have no result yet, or are due again later. */
  readonly callsWaiting: number
  /** Mails and SMS that have not been sent. */
  readonly messagesWaiting: number
}

export class CallHoldControl extends Context.Tag("CallHoldControl")<
  CallHoldControl,
  {
    readonly status: Effect.Effect<CallHoldStatus>
    /** Allows calls, on every node within a second, and writes the operator to the audit. May be repeated. */
    readonly release: (operator: Operator) => Effect.Effect<CallHoldStatus>
  }
>() {}
