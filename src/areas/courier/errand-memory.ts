/**
 * What this process remembers about errands, so that a call waits for fewer round trips. No answer depends on it: what is not
 * here is read.
 */

import { Context, Effect, Layer } from "effect"
import type { CourierEnvelope } from "../../model/courier.ts"
import type { Place } from "../../model/place.ts"

interface Waiting {
  answer: CourierEnvelope | null
}

export class ErrandMemory extends Context.Tag("ErrandMemory")<ErrandMemory, ErrandsOfProcess>() {}

export class ErrandsOfProcess {
  readonly #storePlaces = new Map<string, Place>()
  readonly #waiting = new Map<string, Waiting>()

  /** Remembers where the store of a held errand is, which never changes. */
  putStorePlace(deliveryId: string, place: Place): void {
    this.#storePlaces.delete(deliveryId)
    this.#storePlaces.set(deliveryId, place)
    const [oldest] = this.#storePlaces.keys()
    if (this.#storePlaces.size > STORE_PLACES_MAX && oldest !== undefined) this.#storePlaces.delete(oldest)
  }

  /** Returns the place once: a second call of a tool reads before it waits for locks. */
  takeStorePlace(deliveryId: string): Place | null {
    const place = this.#storePlaces.get(deliveryId) ?? null
    this.#storePlaces.delete(deliveryId)
    return place
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
const STORE_PLACES_MAX = 10_000
