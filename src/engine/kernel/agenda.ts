/**
 * The agenda: everything that is due, in the order (due time; timers, then messages, then commands; sequence). It is a
 * heap in which each entry has up to four below it: half as many levels as with two, and the four lie side by side in
 * memory. An entry that is no longer live is removed only when its time comes.
 */

import type { EpochMs } from "../../model/values/time.ts"

/** Order at equal instants: timers before messages before commands and sleeps. */
export const RANK = { timer: 0, message: 1, command: 2 } as const

export type Rank = (typeof RANK)[keyof typeof RANK]

export interface AgendaEntry {
  readonly dueMs: EpochMs
  readonly rank: Rank
  readonly sequence: number
  /** What the entry is about. Both functions get it, so that many entries can share them. */
  readonly subject?: unknown
  /** False when the entry was disarmed, replaced or canceled. It is then skipped without moving the clock. */
  readonly isLive: (subject: unknown) => boolean
  readonly run: (subject: unknown) => void
}

/** Above every sequence. */
const SEQUENCES = 2 ** 51

export class Agenda {
  // The order of entries stands beside them, so that the heap reads no entry to compare two: most are in no cache.
  #entries: AgendaEntry[] = []
  #dues: EpochMs[] = []
  /** Rank, then sequence. */
  #orders: number[] = []
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
    const dues = this.#dues
    const orders = this.#orders
    const { dueMs } = entry
    const order = entry.rank * SEQUENCES + entry.sequence
    let at = dues.length
    while (at > 0) {
      const parent = (at - 1) >> 2
      const dueAbove = dues[parent] as EpochMs
      if (dueAbove < dueMs || (dueAbove === dueMs && (orders[parent] as number) < order)) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(entry, order, at)
  }

  /** The first live entry; it stays in the heap. */
  peek(): AgendaEntry | undefined {
    for (;;) {
      const first = this.#entries[0]
      if (first === undefined || first.isLive(first.subject)) return first
      this.removeFirst()
    }
  }

  /** Removes and returns the first live entry. */
  take(): AgendaEntry | undefined {
    const first = this.peek()
    if (first !== undefined) this.removeFirst()
    return first
  }

  /** When the first entry is due, also one that is no longer live. */
  get firstDueMs(): EpochMs {
    return this.#dues[0] ?? Number.POSITIVE_INFINITY
  }

  /** Entries in the heap, including those that are no longer live. */
  get size(): number {
    return this.#entries.length
  }

  /** All of them, in no order. */
  entries(): readonly AgendaEntry[] {
    return this.#entries
  }

  /** Removes the entry that `peek` returned. */
  removeFirst(): void {
    const entry = this.#entries.pop()
    const dueMs = this.#dues.pop()
    const order = this.#orders.pop()
    if (entry === undefined || dueMs === undefined || order === undefined || this.#dues.length === 0) return
    this.#put(entry, order, this.#sink(dueMs, order))
  }

  /** Moves up what comes before, from the top down; returns the place that is left. */
  #sink(dueMs: EpochMs, order: number): number {
    const dues = this.#dues
    const orders = this.#orders
    const size = dues.length
    let at = 0
    for (;;) {
      let first = 4 * at + 1
      if (first >= size) return at
      let due = dues[first] as EpochMs
      const end = Math.min(first + 4, size)
      for (let child = first + 1; child < end; child += 1) {
        const other = dues[child] as EpochMs
        if (other > due || (other === due && (orders[child] as number) > (orders[first] as number))) continue
        first = child
        due = other
      }
      if (dueMs < due || (dueMs === due && order < (orders[first] as number))) return at
      this.#move(first, at)
      at = first
    }
  }

  #put(entry: AgendaEntry, order: number, at: number): void {
    this.#entries[at] = entry
    this.#dues[at] = entry.dueMs
    this.#orders[at] = order
  }

  #move(from: number, to: number): void {
    this.#entries[to] = this.#entries[from] as AgendaEntry
    this.#dues[to] = this.#dues[from] as EpochMs
    this.#orders[to] = this.#orders[from] as number
  }
}
