/** Answers that come at once or later, and continue without another turn of the event loop. */

/** A value, or its promise where the answer waits for a database or for the outside. */
export type MaybeLater<A> = A | PromiseLike<A>

type Ended<A> =
  { readonly hasFailed: false; readonly value: A } | { readonly hasFailed: true; readonly thrown: unknown }

/**
 * A promise that calls back at the moment when it ends, as fibers do: simulated time goes on without waiting for the microtasks by which
 * a `Promise` calls back.
 */
export class Later<A> implements PromiseLike<A> {
  #ended: Ended<A> | null = null
  #waiting: ((ended: Ended<A>) => void)[] = []

  constructor(begin: (resolve: (value: A) => void, reject: (thrown: unknown) => void) => void) {
    begin(
      (value) => this.#end({ hasFailed: false, value }),
      (thrown) => this.#end({ hasFailed: true, thrown }),
    )
  }

  // oxlint-disable-next-line unicorn/no-thenable -- It is a promise.
  then<B = A, C = never>(
    next?: ((value: A) => B | PromiseLike<B>) | null,
    onThrown?: ((thrown: unknown) => C | PromiseLike<C>) | null,
  ): Later<B | C> {
    return new Later((resolve, reject) => {
      this.#whenEnded((ended) => {
        try {
          const continued = ended.hasFailed ? onThrown?.(ended.thrown) : next?.(ended.value)
          if (ended.hasFailed && (onThrown ?? null) === null) reject(ended.thrown)
          else if (isLater(continued)) void continued.then(resolve as never, reject)
          else resolve(continued as B | C)
        } catch (thrown) {
          reject(thrown)
        }
      })
    })
  }

  #end(ended: Ended<A>): void {
    if (this.#ended !== null) return
    this.#ended = ended
    for (const call of this.#waiting.splice(0)) call(ended)
  }

  #whenEnded(call: (ended: Ended<A>) => void): void {
    if (this.#ended === null) this.#waiting.push(call)
    else call(this.#ended)
  }
}

export function isLater<A>(answer: MaybeLater<A>): answer is PromiseLike<A> {
  return answer instanceof Promise || answer instanceof Later
}

/** Continues at once with a value, and later with a promise's. */
export function onAnswer<A, B>(
  answer: MaybeLater<A>,
  next: (value: A) => MaybeLater<B>,
  onThrown?: (thrown: unknown) => MaybeLater<B>,
): MaybeLater<B> {
  // oxlint-disable-next-line promise/no-callback-in-promise -- This is the place where both kinds of answer continue.
  return isLater(answer) ? answer.then(next, onThrown) : next(answer)
}
