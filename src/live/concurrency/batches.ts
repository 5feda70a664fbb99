/**
 * Processes items in batches without long waits. The first batch begins with all items of the same moment; items that
 * arrive while it is in flight share the next one. A further batch begins in parallel when enough items wait to fill
 * it.
 */

import { Cause } from "effect"

export interface BatchBounds {
  readonly atOnceMax: number
  readonly sizeMax: number
  /** A batch that is not full waits for this before it takes the waiting items, so that items of the same moment join it. */
  readonly company: () => Promise<void>
}

interface Waiting<Item> {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

export class Batches<Item> {
  readonly #bounds: BatchBounds
  readonly #work: (items: readonly Item[]) => Promise<void>
  /** In order of arrival. */
  #waiting: Waiting<Item>[] = []
  #inFlight = 0

  constructor(bounds: BatchBounds, work: (items: readonly Item[]) => Promise<void>) {
    this.#bounds = bounds
    this.#work = work
  }

  /** Resolves when the item's batch is done. A failed batch is retried item by item, so that each item fails only for its own reasons. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#mayBegin) void this.#run()
    })
  }

  /** Ends the wait of all items that no batch has taken, without working on them. Returns how many. */
  forget(): number {
    const forgotten = this.#waiting.splice(0)
    for (const { reject } of forgotten) reject(new Cause.InterruptedException())
    return forgotten.length
  }

  get #mayBegin(): boolean {
    const { atOnceMax, sizeMax } = this.#bounds
    return this.#inFlight === 0 || (this.#inFlight < atOnceMax && this.#waiting.length >= sizeMax)
  }

  async #run(): Promise<void> {
    const { company, sizeMax } = this.#bounds
    this.#inFlight += 1
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < sizeMax) await company()
      const batch = this.#waiting.splice(0, sizeMax)
      if (batch.length > 0) await this.#take(batch)
    }
    this.#inFlight -= 1
  }

  async #take(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#work(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (cause) {
      if (batch.length > 1) for (const one of batch) await this.#take([one])
      else for (const { reject } of batch) reject(cause)
    }
  }
}
