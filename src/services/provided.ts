/** Closing a service's methods over the ports that their layer was built with. */

import { Context, Effect, Layer, Scope } from "effect"

/**
 * As `Effect.provide`, but free where the caller's context holds the same ports already, which is so on the memory host:
 * its runtime was made of the same layers. Merging two contexts costs more than most of what is called with them, so what
 * was merged last is kept: a runtime's own context comes again with every request.
 */
export function provided<A, E, R, Given>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<Given>,
): Effect.Effect<A, E, Exclude<R, Given>> {
  return Effect.contextWithEffect((ambient: Context.Context<never>) =>
    holds(ambient, context)
      ? (effect as Effect.Effect<A, E, Exclude<R, Given>>)
      : Effect.mapInputContext(effect, () => mergedOf(ambient, context) as Context.Context<R>),
  )
}

/** By what was given: the caller's context that it was last merged with, and what became of it. */
const lastMerged = new WeakMap<object, { readonly ambient: object; readonly merged: unknown }>()

function mergedOf(ambient: Context.Context<never>, context: Context.Context<never>): unknown {
  const last = lastMerged.get(context)
  if (last?.ambient === ambient) return last.merged
  const merged = Context.merge(ambient, context)
  lastMerged.set(context, { ambient, merged })
  return merged
}

/** How a layer was built is none of its methods' business. */
const OF_BUILDING: ReadonlySet<string> = new Set([Scope.Scope.key, Layer.CurrentMemoMap.key])

/** The caller's context that was last seen to hold all of another: a runtime has one for as long as it lives. */
const holderOf = new WeakMap<object, object>()

function holds<Given>(ambient: Context.Context<never>, context: Context.Context<Given>): boolean {
  if (holderOf.get(context) === ambient) return true
  for (const [key, port] of context.unsafeMap) {
    if (!OF_BUILDING.has(key) && ambient.unsafeMap.get(key) !== port) return false
  }
  holderOf.set(context, ambient)
  return true
}
