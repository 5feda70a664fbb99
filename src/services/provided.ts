/** Provides a service's methods with the ports that their layer was built with. */

import { Context, Effect, Layer, Scope } from "effect"

/**
 * Like `Effect.provide`, but free when the caller's context already has the same ports, as on the memory host, whose
 * runtime was made from the same layers. Merging two contexts costs more than most method calls, so the last merged
 * context is cached: a runtime's own context is the same for every request.
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

/** By provided context: the last caller's context and the merged one. */
const lastMerged = new WeakMap<object, { readonly ambient: object; readonly merged: unknown }>()

function mergedOf(ambient: Context.Context<never>, context: Context.Context<never>): unknown {
  const last = lastMerged.get(context)
  if (last?.ambient === ambient) return last.merged
  const merged = Context.merge(ambient, context)
  lastMerged.set(context, { ambient, merged })
  return merged
}

/** The tags with which layers are built, which methods do not use. */
const OF_BUILDING: ReadonlySet<string> = new Set([Scope.Scope.key, Layer.CurrentMemoMap.key])

/** The caller's context that was last found to contain all of another: a runtime has one for its lifetime. */
const holderOf = new WeakMap<object, object>()

function holds<Given>(ambient: Context.Context<never>, context: Context.Context<Given>): boolean {
  if (holderOf.get(context) === ambient) return true
  for (const [key, port] of context.unsafeMap) {
    if (!OF_BUILDING.has(key) && ambient.unsafeMap.get(key) !== port) return false
  }
  holderOf.set(context, ambient)
  return true
}
