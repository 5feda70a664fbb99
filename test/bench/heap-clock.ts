/** A clock for live XState actors: virtual time over a binary heap, exact to the millisecond. The fair opponent. */

import type { EpochMs } from "../../src/model/values/time.ts"

export interface Alarm {
  readonly dueMs: EpochMs
  readonly sequence: number
  readonly run: () => void
  isCanceled: boolean
}

export class HeapClock {
  nowMs: EpochMs
  #heap: Alarm[] = []
  #sequence = 0

  constructor(startMs: EpochMs) {
    this.nowMs = startMs
  }

  setTimeout(run: () => void, delayMs: number): Alarm {
    this.#sequence += 1
    const alarm = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      sequence: this.#sequence,
      run,
      isCanceled: false,
    }
    const heap = this.#heap
    let at = heap.push(alarm) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Alarm
      if (isBefore(above, alarm)) break
      heap[at] = above
      at = parent
    }
    heap[at] = alarm
    return alarm
  }

  clearTimeout(alarm: Alarm): void {
    alarm.isCanceled = true
  }

  /** Runs everything, until nothing is due any more. */
  run(): void {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      if (next.isCanceled) continue
      this.nowMs = next.dueMs
      next.run()
    }
  }

  #take(): Alarm | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    const size = heap.length
    if (last === undefined || size === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(heap[child + 1] as Alarm, heap[child] as Alarm)) child += 1
      const below = heap[child] as Alarm
      if (isBefore(last, below)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.dueMs === other.dueMs ? one.sequence < other.sequence : one.dueMs < other.dueMs
}
