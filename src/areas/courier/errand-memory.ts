/**
 * What this process remembers about errands, so that a call waits for fewer round trips. No answer depends on it: what is not
 * here is read.
 */

import { Context, Effect, Layer } from "effect"
import type { CourierEnvelope } from "../../model/courier.ts"
import type { Place } from "../../model/place.ts"

/** The store of an errand, which never changes. */
export interface HeldStore {
  readonly storeId: string
  readonly place: Place
}

interface Waiting {
  answer: CourierEnvelope | null
}

export class ErrandMemory extends Context.Tag("ErrandMemory")<ErrandMemory, ErrandsOfProcess>() {}

export class ErrandsOfProcess {
  readonly #stores = new Map<string, HeldStore>()
  readonly #waiting = new Map<string, Waiting>()

  /** Remembers the store of a held errand. */
  putStore(deliveryId: string, store: HeldStore): void {
    this.#stores.delete(deliveryId)
    this.#stores.set(deliveryId, store)
    const [oldest] = this.#stores.keys()
    if (this.#stores.size > STORES_MAX && oldest !== undefined) this.#stores.delete(oldest)
  }

  /** Returns the store once: a second call of a tool reads before it waits for locks. */
  takeStore(deliveryId: string): HeldStore | null {
    const store = this.#stores.get(deliveryId) ?? null
    this.#stores.delete(deliveryId)
    return store
  }

  /** Runs a body that waits for the answer to a call of this process. `answered` is null until its transaction is committed. */
  waiting<A, E, R>(
    call: CallOfUser,
    body: (answered: () => CourierEnvelope | null) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, R> {
    const name = nameOf(call)
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const waiting: Waiting = { answer: null }
        this.#waiting.set(name, waiting)
        return waiting
      }),
      (waiting) => body(() => waiting.answer),
      (waiting) =>
        Effect.sync(() => {
          if (this.#waiting.get(name) === waiting) this.#waiting.delete(name)
        }),
    )
  }

  /** Hands a committed answer to the call that waits for it, if it is a call of this process. */
  answer(call: CallOfUser, answer: CourierEnvelope): void {
    const waiting = this.#waiting.get(nameOf(call))
    if (waiting !== undefined) waiting.answer = answer
  }
}

export const layerErrandMemory: Layer.Layer<ErrandMemory> = Layer.sync(
  ErrandMemory,
  () => new ErrandsOfProcess(),
)

interface CallOfUser {
  readonly userId: string
  readonly key: string
}

function nameOf({ userId, key }: CallOfUser): string {
  return JSON.stringify([userId, key])
}

/** Some hundred bytes each. A hold lasts a quarter of an hour. */
const STORES_MAX = 10_000
