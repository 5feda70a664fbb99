/** Layers that are built in order are those that Effect builds itself. An upgrade of Effect that changes how layers are made fails here. */

import { Context, Effect, Either, Exit, FiberRef, Layer, Scope } from "effect"
import { describe, expect, test } from "vitest"
import { builtInOrder } from "../../../src/engine/library-internals/layers.ts"

class One extends Context.Tag("One")<One, string>() {}
class Two extends Context.Tag("Two")<Two, string>() {}
class Three extends Context.Tag("Three")<Three, string>() {}

const one = Layer.succeed(One, "one")
const two = Layer.effect(
  Two,
  Effect.map(One, (text) => `${text}, two`),
)
const three = Layer.effect(
  Three,
  Effect.map(Effect.all([One, Two]), (texts) => `${texts.join("; ")}; three`),
)
const failing = Layer.effect(One, Effect.fail("no one"))
const reference = FiberRef.unsafeMake("usual")
const changed = Layer.effect(
  Three,
  Effect.map(FiberRef.get(reference), (text) => text),
)

const LAYERS: readonly (readonly [string, Layer.Layer<never, unknown, Scope.Scope>])[] = [
  ["succeed", one],
  ["merge", Layer.merge(one, Layer.succeed(Two, "two"))],
  ["mergeAll", Layer.mergeAll(one, Layer.succeed(Two, "two"), Layer.succeed(Three, "three"))],
  ["provide", Layer.provide(two, one)],
  ["provideMerge", Layer.provideMerge(two, one)],
  ["provide, which hides what is below", Layer.provide(three, Layer.provideMerge(two, one))],
  ["provideMerge of several", three.pipe(Layer.provideMerge(two), Layer.provideMerge(one))],
  ["map", Layer.map(one, (services) => Context.add(services, Two, Context.get(services, One)))],
  ["flatMap", Layer.flatMap(one, (services) => Layer.succeed(Two, `${Context.get(services, One)} again`))],
  ["suspend", Layer.suspend(() => one)],
  ["unwrapEffect", Layer.unwrapEffect(Effect.succeed(one))],
  [
    "scoped",
    Layer.scoped(
      One,
      Effect.acquireRelease(Effect.succeed("one"), () => Effect.void),
    ),
  ],
  ["a failure", failing],
  ["catchAll", Layer.catchAll(failing, (reason) => Layer.succeed(Two, reason))],
  ["orElse", Layer.orElse(failing, () => one)],
  ["fresh", Layer.merge(Layer.fresh(one), one)],
  ["locally", Layer.locally(changed, reference, "changed")],
  [
    "a changed fiber ref",
    Layer.provide(changed, Layer.scopedDiscard(Effect.locallyScoped(reference, "changed"))),
  ],
  ["extendScope", Layer.extendScope(one)],
  ["discard", Layer.discard(one)],
  ["empty", Layer.empty],
] as const

/** The services by their keys, or the failure. */
function servicesOf(
  building: Effect.Effect<Context.Context<never>, unknown, Scope.Scope>,
): Readonly<Record<string, unknown>> | string {
  const found = Effect.runSync(Effect.either(Effect.scoped(building)))
  if (Either.isLeft(found)) return String(found.left)
  return Object.fromEntries([...found.right.unsafeMap].filter(([key]) => !key.startsWith("effect/Layer/")))
}

test.each(LAYERS)("%s", (_, layer) => {
  expect(servicesOf(builtInOrder(layer))).toEqual(servicesOf(Layer.build(layer)))
})

describe("a layer that several need", () => {
  test("is built once, and its resource is released with the scope", async () => {
    const events: string[] = []
    const note = (event: string) => Effect.sync(() => void events.push(event))
    const shared = Layer.scoped(
      One,
      Effect.acquireRelease(Effect.as(note("opened"), "one"), () => note("closed")),
    )
    const layers = Layer.merge(
      Layer.provide(two, shared),
      three.pipe(Layer.provide(two), Layer.provide(shared)),
    )
    const scope = Effect.runSync(Scope.make())
    const services = await Effect.runPromise(Scope.extend(builtInOrder(layers), scope))
    expect(Context.get(services, Three)).toBe("one; one, two; three")
    expect(events).toEqual(["opened"])
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(events).toEqual(["opened", "closed"])
  })
})

test("a kind of layer that this version of Effect does not have is a defect", () => {
  const unknown = Object.assign(Object.create(Object.getPrototypeOf(one) as object) as typeof one, {
    _op_layer: "Other",
  })
  expect(() => servicesOf(builtInOrder(unknown))).toThrow("another kind of layer: Other")
})
