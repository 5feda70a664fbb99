/** Calls of a group without an answer yet. They are read from the journal, because they are stored nowhere else. */

import type { Address } from "../model/address.ts"

export interface PendingCall {
  readonly actor: Address
  readonly call: string
  readonly attempt: number
}

interface CallEntry {
  readonly to: Address
  readonly by: string
  readonly event?: { readonly attempt?: number }
  readonly steps: readonly {
    readonly a: Address
    readonly asked: readonly { readonly type: string; readonly call?: string; readonly attempt?: number }[]
  }[]
  readonly refused: string | null
}

/** Takes entries in order: an actor waits for its last call until there is a result of that attempt. */
export function pendingCalls(texts: readonly string[]): readonly PendingCall[] {
  const pending = new Map<Address, PendingCall>()
  for (const text of texts) {
    const { to, by, event, steps, refused } = JSON.parse(text) as CallEntry
    if (refused !== null) continue
    if (by === "result" && pending.get(to)?.attempt === event?.attempt) pending.delete(to)
    for (const { a, asked } of steps) {
      for (const { type, call, attempt } of asked) {
        if (type === "kernel.call" && call !== undefined && attempt !== undefined)
          pending.set(a, { actor: a, call, attempt })
      }
    }
  }
  return [...pending.values()]
}
