/** Provides a service's methods with the ports that their layer was built with. */

import { Context, Effect, Layer, Scope } from "effect"
import { Answerable } from "./answering.ts"
import type { AddedPort, Answering } from "./answering.ts"
import type { MaybeLater } from "./later.ts"
import { Routine, isRoutine } from "./routine.ts"

/**
 * Like `Effect.provide`, but free when the caller's context already has the same ports, as on the memory host. What is provided to
 * a routine is a routine; an Effect that may wait stays one.
 */
export function provided<A, E, R, Given>(
  routine: Routine<A, E, R>,
  given: Context.Context<Given>,
): Routine<A, E, Exclude<R, Given>>
export function provided<A, E, R, Given>(
  effect: Effect.Effect<A, E, R>,
  given: Context.Context<Given>,
): Effect.Effect<A, E, Exclude<R, Given>>
export function provided<A, E, R, Given>(
  effect: Effect.Effect<A, E, R>,
  given: Context.Context<Given>,
): Effect.Effect<A, E, Exclude<R, Given>> {
  if (!isRoutine(effect)) return inFiber(effect, given)
  // Most observers have nothing to do with most turns.
  if ((effect as unknown) === Routine.void) return effect as Routine<A, E, Exclude<R, Given>>
  return new Provided(effect, given)
}

class Provided<A, E, R, Given> extends Answerable<A, E, Exclude<R, Given>> {
  readonly #routine: Routine<A, E, R>
  readonly #given: Context.Context<Given>

  constructor(routine: Routine<A, E, R>, given: Context.Context<Given>) {
    super()
    this.#routine = routine
    this.#given = given
  }

  answer(at: Answering): MaybeLater<A> {
    const services = contextWith(at.services, this.#given)
    const added = addedBeside(this.#given, at.added)
    const isSame = services === at.services && added === at.added
    return this.#routine.answer(isSame ? at : { ...at, services, added })
  }
}

/** A given port hides one that the caller has added. */
function addedBeside(given: Context.Context<never>, added: AddedPort | undefined): AddedPort | undefined {
  if (added === undefined) return undefined
  const before = addedBeside(given, added.before)
  if (given.unsafeMap.has(added.key)) return before
  return before === added.before ? added : { ...added, before }
}

function inFiber<A, E, R, Given>(
  effect: Effect.Effect<A, E, R>,
  given: Context.Context<Given>,
): Effect.Effect<A, E, Exclude<R, Given>> {
  return Effect.contextWithEffect((ambient: Context.Context<never>) => {
    const context = contextWith(ambient, given)
    return context === ambient
      ? (effect as Effect.Effect<A, E, Exclude<R, Given>>)
      : Effect.provide(effect, context as Context.Context<R>)
  })
}

/**
 * The caller's ports and the given ones. The caller's own context when it already has the same ports, as on the memory host, whose
 * runtime was made from the same layers. Merging costs more than most method calls, so the last merged context is cached: a
 * runtime's own context is the same for every request.
 */
export function contextWith(
  ambient: Context.Context<never>,
  given: Context.Context<never>,
): Context.Context<never> {
  if (holds(ambient, given)) return ambient
  const last = lastMerged.get(given)
  if (last?.ambient === ambient) return last.merged
  const merged = Context.merge(ambient, Context.omit(Scope.Scope, Layer.CurrentMemoMap)(given))
  lastMerged.set(given, { ambient, merged })
  return merged
}

/** By provided context: the last caller's context and the merged one. */
const lastMerged = new WeakMap<
  object,
  { readonly ambient: object; readonly merged: Context.Context<never> }
>()

/** The tags with which layers are built, which methods do not use. */
const OF_BUILDING: ReadonlySet<string> = new Set([Scope.Scope.key, Layer.CurrentMemoMap.key])

/** The ports that were last found to contain all of another context: a runtime has one context for its lifetime. */
const holderOf = new WeakMap<object, object>()

function holds(ambient: Context.Context<never>, given: Context.Context<never>): boolean {
  if (holderOf.get(given) === ambient) return true
  for (const [key, port] of given.unsafeMap) {
    if (!OF_BUILDING.has(key) && ambient.unsafeMap.get(key) !== port) return false
  }
  holderOf.set(given, ambient)
  return true
}
