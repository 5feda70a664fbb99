/**
 * Effect: layers are built one after the other in the fiber that asks, each once. `Layer.build` gives every layer a scope, a
 * deferred value and a difference of fiber refs, and merged layers fibers; for a simulated service, whose layers neither wait nor
 * hold a resource, that takes most of its start. What a layer is made of has no documented name (Effect 3.22).
 */

import { Context, Effect, Scope } from "effect"
import type { Layer } from "effect"

/** A layer, by the operation that it was made with. */
type Operation =
  | { readonly _op_layer: "ExtendScope"; readonly layer: Any }
  | {
      readonly _op_layer: "Fold"
      readonly layer: Any
      readonly failureK: (cause: unknown) => Any
      readonly successK: (context: Services) => Any
    }
  | { readonly _op_layer: "FromEffect"; readonly effect: Building }
  | { readonly _op_layer: "Fresh"; readonly layer: Any }
  | { readonly _op_layer: "Locally"; readonly self: Any; readonly f: (building: Building) => Building }
  | { readonly _op_layer: "MergeAll"; readonly layers: readonly Any[] }
  | { readonly _op_layer: "Provide"; readonly first: Any; readonly second: Any }
  | {
      readonly _op_layer: "ProvideMerge" | "ZipWith"
      readonly first: Any
      readonly second: Any
      readonly zipK: (one: Services, other: Services) => Services
    }
  | { readonly _op_layer: "Scoped"; readonly effect: Building }
  | { readonly _op_layer: "Suspend"; readonly evaluate: () => Any }

type Any = Layer.Layer<unknown, unknown, unknown>
type Services = Context.Context<unknown>
type Building = Effect.Effect<Services, unknown, unknown>

/** As `Layer.build`, without concurrency. */
export function builtInOrder<A, E, R>(
  layer: Layer.Layer<A, E, R>,
): Effect.Effect<Context.Context<A>, E, R | Scope.Scope> {
  const building = Effect.flatMap(Effect.scope, (scope) => new Builder(scope).build(layer as unknown as Any))
  return building as unknown as Effect.Effect<Context.Context<A>, E, R | Scope.Scope>
}

class Builder {
  readonly #scope: Scope.Scope
  readonly #built = new Map<Any, Services>()

  constructor(scope: Scope.Scope) {
    this.#scope = scope
  }

  build(layer: Any): Building {
    return Effect.suspend(() => {
      const known = this.#built.get(layer)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(this.#made(layer as unknown as Operation), (services) => {
        this.#built.set(layer, services)
      })
    })
  }

  #made(operation: Operation): Building {
    switch (operation._op_layer) {
      case "ExtendScope":
        return this.build(operation.layer)
      case "Fold":
        return Effect.matchCauseEffect(this.build(operation.layer), {
          onFailure: (cause) => this.build(operation.failureK(cause)),
          onSuccess: (services) => this.build(operation.successK(services)),
        })
      case "FromEffect":
        return operation.effect
      case "Fresh":
        return new Builder(this.#scope).build(operation.layer)
      case "Locally":
        return operation.f(this.build(operation.self))
      case "MergeAll":
        return Effect.map(
          Effect.forEach(operation.layers, (one) => this.build(one)),
          (all) => Context.mergeAll(...all),
        )
      case "Provide":
        return Effect.flatMap(this.build(operation.first), (services) =>
          Effect.mapInputContext(this.build(operation.second), () => services),
        )
      case "ProvideMerge":
      case "ZipWith":
        return Effect.zipWith(this.build(operation.first), this.build(operation.second), operation.zipK)
      case "Scoped":
        return Scope.extend(operation.effect, this.#scope)
      case "Suspend":
        return this.build(operation.evaluate())
      default:
        return Effect.dieMessage(`Effect has another kind of layer: ${(operation as Operation)._op_layer}`)
    }
  }
}
