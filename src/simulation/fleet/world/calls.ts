/** Calls a service's methods from the simulated world: arguments, and a callback for the outcome. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Refused } from "../../../model/values/errors.ts"
import type { SimulatedServices } from "../../simulated-service.ts"
import type { FleetWorld, Outcome } from "./fleet-world.ts"

type Answer<M> = M extends (...words: never[]) => Effect.Effect<infer A, Refused> ? A : never
type Words<M> = M extends (...words: infer W) => unknown ? W : never

/** Every method of a service, with a callback for the outcome. The callback runs at once unless the call waits. */
export type MoveOf<S> = {
  readonly [Name in keyof S]: (
    words: Words<S[Name]>,
    then?: (outcome: Outcome<Answer<S[Name]>>) => void,
  ) => void
}

/** Binds the service once: a look-up for every call would cost more than many a turn. */
export function callsOf<I extends SimulatedServices, S extends object>(
  world: FleetWorld,
  tag: Context.Tag<I, S>,
): MoveOf<S> {
  const service = Context.unsafeGet(world.service.runtime.context, tag)
  const methods = Object.entries(service) as [
    string,
    (...words: unknown[]) => Effect.Effect<unknown, Refused>,
  ][]
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (words: readonly unknown[], then?: (outcome: Outcome<unknown>) => void) =>
        world.call(method(...words), then),
    ]),
  ) as unknown as MoveOf<S>
}
