/**
 * Work that is done in batches without waiting for long: the first begins with all items of the same moment, and what
 * comes while it is under way shares the next. Another at the same time is begun for a whole batch of those who wait.
 */

import { Deferred, Effect, Exit } from "effect"

export interface BatchBounds {
  readonly atOnceMax: number
  readonly sizeMax: number
  /** What a batch waits for before it takes who is there, unless they fill it: those who come in the same moment. */
  readonly company: Effect.Effect<void>
}

interface Waiting<Item> {
  readonly item: Item
  readonly done: Deferred.Deferred<void>
}

export class Batches<Item> {
  readonly #bounds: BatchBounds
  readonly #work: (items: readonly Item[]) => Effect.Effect<void>
  /** In the order of their coming. */
  #waiting: Waiting<Item>[] = []
  #inFlight = 0

  constructor(bounds: BatchBounds, work: (items: readonly Item[]) => Effect.Effect<void>) {
    this.#bounds = bounds
    this.#work = work
  }

  /**
   * Ends as the item's batch does. A batch that fails is taken apart, so that an item fails for its own reasons alone.
   * An interrupted caller takes its item back, or stays until the batch that has it is done.
   */
  add(item: Item): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const mine: Waiting<Item> = { item, done: yield* Deferred.make<void>() }
      this.#waiting.push(mine)
      if (this.#mayBegin) yield* this.#begin
      yield* Effect.onInterrupt(Deferred.await(mine.done), () =>
        Effect.suspend(() => {
          if (!this.#waiting.includes(mine)) return Effect.exit(Deferred.await(mine.done))
          this.#waiting = this.#waiting.filter((one) => one !== mine)
          return Effect.void
        }),
      )
    })
  }

  get #mayBegin(): boolean {
    const { atOnceMax, sizeMax } = this.#bounds
    return this.#inFlight === 0 || (this.#inFlight < atOnceMax && this.#waiting.length >= sizeMax)
  }

  /** In a fiber of its own, so that the first caller does not wait for later items. */
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
