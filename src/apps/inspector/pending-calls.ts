/** Calls of a group without an answer yet, and the last one that failed. They are read from the journal, because they are stored nowhere else. */

import type { Address } from "../../model/address.ts"

export interface PendingCall {
  readonly actor: Address
  readonly call: string
  readonly attempt: number
}

/** A call that was answered with a failure: `status_503`, `timeout`. */
export interface FailedCall extends PendingCall {
  readonly reason: string
}

export interface CallsOfGroup {
  readonly pending: readonly PendingCall[]
  /** The last call that had its answer; null when that one did not fail. */
  readonly failed: FailedCall | null
}

interface CallEntry {
  readonly to: Address
  readonly by: string
  readonly event?: { readonly type?: string; readonly attempt?: number; readonly reason?: string }
  readonly steps: readonly {
    readonly a: Address
    readonly asked: readonly { readonly type: string; readonly call?: string; readonly attempt?: number }[]
  }[]
  readonly refused: string | null
}

/** Takes entries in order: an actor waits for its last call until there is a result of that attempt. */
export function callsIn(texts: readonly string[]): CallsOfGroup {
  const pending = new Map<Address, PendingCall>()
  let failed: FailedCall | null = null
  for (const text of texts) {
    const { to, by, event, steps, refused } = JSON.parse(text) as CallEntry
    if (refused !== null) continue
    const answered = pending.get(to)
    if (by === "result" && answered !== undefined && answered.attempt === event?.attempt) {
      pending.delete(to)
      failed = event.type === "call.failed" ? { ...answered, reason: event.reason ?? "" } : null
    }
    for (const { a, asked } of steps) {
      for (const { type, call, attempt } of asked) {
        if (type === "kernel.call" && call !== undefined && attempt !== undefined)
          pending.set(a, { actor: a, call, attempt })
      }
    }
  }
  return { pending: [...pending.values()], failed }
}
