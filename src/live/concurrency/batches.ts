/**
 * Processes items in batches without long waits. The first batch begins with all items of the same moment; items that
 * arrive while it is in flight share the next one. A further batch begins in parallel when enough items wait to fill
 * it.
 */

import { Deferred, Effect, Exit, FiberId } from "effect"

export interface BatchBounds {
  readonly atOnceMax: number
  readonly sizeMax: number
  /**
   * A batch that is not full waits for this effect before it takes the waiting items, so that items of the same moment
   * join it.
   */
  readonly company: Effect.Effect<void>
}

interface Waiting<Item> {
  readonly item: Item
  readonly done: Deferred.Deferred<void>
}

export class Batches<Item> {
  readonly #bounds: BatchBounds
  readonly #work: (items: readonly Item[]) => Effect.Effect<void>
  /** In order of arrival. */
  #waiting: Waiting<Item>[] = []
  #inFlight = 0

  constructor(bounds: BatchBounds, work: (items: readonly Item[]) => Effect.Effect<void>) {
    this.#bounds = bounds
    this.#work = work
  }

  /**
   * Completes when the item's batch is done. A failed batch is retried item by item, so that each item fails only for
   * its own reasons. A caller that is interrupted waits all the same: its item is done by then.
   */
  add(item: Item): Effect.Effect<void> {
    const adding = Effect.gen(this, function* () {
      const mine: Waiting<Item> = { item, done: yield* Deferred.make<void>() }
      this.#waiting.push(mine)
      if (this.#mayBegin) yield* this.#begin
      yield* Deferred.await(mine.done)
    })
    return Effect.uninterruptible(adding)
  }

  /** Ends the wait of all items that no batch has taken, without working on them. Returns how many. */
  forget(): number {
    const forgotten = this.#waiting.splice(0)
    for (const { done } of forgotten) Deferred.unsafeDone(done, Exit.interrupt(FiberId.none))
    return forgotten.length
  }

  get #mayBegin(): boolean {
    const { atOnceMax, sizeMax } = this.#bounds
    return this.#inFlight === 0 || (this.#inFlight < atOnceMax && this.#waiting.length >= sizeMax)
  }

  /** Runs in a fiber of its own, so that the first caller does not wait for later items. */
  get #begin(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#inFlight += 1
      return Effect.asVoid(Effect.forkDaemon(Effect.uninterruptible(this.#run)))
    })
  }

  get #run(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      while (this.#waiting.length > 0) {
        if (this.#waiting.length < this.#bounds.sizeMax) yield* this.#bounds.company
        const batch = this.#waiting.splice(0, this.#bounds.sizeMax)
        if (batch.length > 0) yield* this.#take(batch)
      }
      this.#inFlight -= 1
    })
  }

  #take(batch: readonly Waiting<Item>[]): Effect.Effect<void> {
    return Effect.flatMap(Effect.exit(this.#work(batch.map(({ item }) => item))), (exit) => {
      if (Exit.isFailure(exit) && batch.length > 1)
        return Effect.forEach(batch, (one) => this.#take([one]), { discard: true })
      return Effect.forEach(batch, ({ done }) => Deferred.done(done, exit), { discard: true })
    })
  }
}
