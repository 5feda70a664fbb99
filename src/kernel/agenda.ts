/**
 * The agenda: everything that is due, in the order (due time; timers, then messages, then commands; sequence). It is a
 * binary heap. An entry that is no longer live is removed only when its time comes.
 */

import type { EpochMs } from "../model/time.ts"

/** Order at equal instants: timers before messages before commands and sleeps. */
export const RANK = { timer: 0, message: 1, command: 2 } as const

export type Rank = (typeof RANK)[keyof typeof RANK]

export interface AgendaEntry {
  readonly dueMs: EpochMs
  readonly rank: Rank
  readonly sequence: number
  /** False when the entry was disarmed, replaced or canceled. It is then skipped without moving the clock. */
  readonly isLive: () => boolean
  readonly run: () => void
}

export class Agenda {
  #heap: AgendaEntry[] = []
  #sequence = 0

  /** The next sequence number. An entry gets its sequence when it is scheduled. */
  nextSequence(): number {
    this.#sequence += 1
    return this.#sequence
  }

  /** Continues with numbers above this one. */
  skipTo(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence)
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Cost: O(log n). */
  add(entry: AgendaEntry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (above === undefined || isBefore(above, entry)) break
      heap[at] = above
      at = parent
    }
    heap[at] = entry
  }

  /** The first live entry; it stays in the heap. */
  peek(): AgendaEntry | undefined {
    while (this.#heap[0] !== undefined && !this.#heap[0].isLive()) this.#removeFirst()
    return this.#heap[0]
  }

  /** Removes and returns the first live entry. */
  take(): AgendaEntry | undefined {
    const first = this.peek()
    if (first !== undefined) this.#removeFirst()
    return first
  }

  /** Entries in the heap, including those that are no longer live. */
  get size(): number {
    return this.#heap.length
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    const size = heap.length
    if (last === undefined || size === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      const right = child + 1
      if (right < size && isBefore(heap[right] as AgendaEntry, heap[child] as AgendaEntry)) child = right
      const below = heap[child] as AgendaEntry
      if (isBefore(last, below)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
  }
}

function isBefore(one: AgendaEntry, other: AgendaEntry): boolean {
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs
  if (one.rank !== other.rank) return one.rank < other.rank
  return one.sequence < other.sequence
}
