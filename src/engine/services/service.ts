/** Services and repositories that are made of their methods: the tag, the types and the layer follow from them. */

import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { Transaction } from "./host.ts"
import { provided } from "./provided.ts"
import type { Routine } from "./routine.ts"

/**
 * A service with one implementation:
 *
 *     export class Reservations extends service<Reservations>()("Reservations", () => ({ create, read })) {}
 *
 * `make` returns the methods: routines or Effects, functions that return them, and plain values. With a set-up it is an Effect of
 * the methods, whose needs and resources belong to the layer. `layer` needs what the set-up and the methods need, and every method
 * runs with the ports that `layer` was built with. What each call has of its own stays a need of the method: the transaction and
 * the scope.
 */
export function service<Self>() {
  return <const Id extends string, Methods extends object, E = never, R = never>(
    id: Id,
    make: Effect.Effect<Methods, E, R> | (() => Methods),
  ): ServiceClass<Self, Id, Methods, E, R> => {
    const tag = Context.Tag(id)<Self, Provided<Methods>>()
    const methods: Effect.Effect<Methods, E, R> = Effect.isEffect(make) ? make : Effect.sync(make)
    const built = Effect.zipWith(Effect.context<NeedsOf<Methods>>(), methods, withPorts)
    return Object.assign(tag, { layer: Layer.scoped(tag, built) })
  }
}

interface ServiceClass<Self, Id extends string, Methods, E, R> extends Context.TagClass<
  Self,
  Id,
  Provided<Methods>
> {
  readonly layer: Layer.Layer<Self, E, Exclude<R, Scope.Scope> | NeedsOf<Methods>>
}

/**
 * A service whose set-up gives its methods all that they need, as rows have it over their tables. Most commands call such methods
 * many times, so they run with the ports of their caller.
 */
export function repository<Self>() {
  return <const Id extends string, Methods extends object, E, R>(
    id: Id,
    make: Effect.Effect<Methods, E, R>,
  ): RepositoryClass<Self, Id, Methods, E, R> => {
    const tag = Context.Tag(id)<Self, Methods>()
    return Object.assign(tag, { layer: Layer.effect(tag, make) })
  }
}

interface RepositoryClass<Self, Id extends string, Methods, E, R> extends Context.TagClass<
  Self,
  Id,
  Methods
> {
  readonly layer: Layer.Layer<Self, E, R>
}

/** What a call has of its own. */
type OfCall = Scope.Scope | Transaction

/** The ports that the layer gives to the methods. */
type NeedsOf<Methods> = { [Name in keyof Methods]: NeedsOfMember<Methods[Name]> }[keyof Methods]

type NeedsOfMember<Member> = Exclude<
  PortsOf<Member extends (...args: never) => infer Result ? Result : Member>,
  OfCall
>

type PortsOf<Result> = Result extends Effect.Effect<unknown, unknown, infer R> ? R : never

/** The methods with their ports. One that needs none keeps its type, also its type parameters. */
type Provided<Methods> = {
  readonly [Name in keyof Methods]: [NeedsOfMember<Methods[Name]>] extends [never]
    ? Methods[Name]
    : Methods[Name] extends (...args: infer Args) => infer Result
      ? (...args: Args) => ProvidedResult<Result>
      : ProvidedResult<Methods[Name]>
}

type ProvidedResult<Result> = [Result] extends [Routine<infer A, infer E, infer R>]
  ? Routine<A, E, Extract<R, OfCall>>
  : [Result] extends [Effect.Effect<infer A, infer E, infer R>]
    ? Effect.Effect<A, E, Extract<R, OfCall>>
    : Result

function withPorts<Methods extends object>(
  given: Context.Context<NeedsOf<Methods>>,
  methods: Methods,
): Provided<Methods> {
  const members = Object.entries(methods).map(([name, member]) => [name, memberWith(member, given)] as const)
  return Object.fromEntries(members) as Provided<Methods>
}

function memberWith<Given>(member: unknown, given: Context.Context<Given>): unknown {
  if (Effect.isEffect(member)) return provided(member, given)
  if (typeof member !== "function") return member
  const method = member as (...args: readonly unknown[]) => unknown
  return (...args: readonly unknown[]) => {
    const result = method(...args)
    return Effect.isEffect(result) ? provided(result, given) : result
  }
}
