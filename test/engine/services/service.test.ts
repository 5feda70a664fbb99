/** Services that are made of their routines. A line under `@ts-expect-error` is checked by `npm run check:types`. */

import { Clock, Context, Effect, Exit, FiberRefs, Layer, Scope } from "effect"
import { describe, expect, expectTypeOf, test } from "vitest"
import { Transaction } from "../../../src/engine/services/host.ts"
import { inFiber, answerTo } from "../../../src/engine/services/answering.ts"
import type { Answering } from "../../../src/engine/services/answering.ts"
import { Routine, isRoutine } from "../../../src/engine/services/routine.ts"
import { service } from "../../../src/engine/services/service.ts"

class Street extends Context.Tag("Street")<Street, { readonly name: string }>() {}
class Town extends Context.Tag("Town")<Town, { readonly name: string }>() {}

class Signs extends service<Signs>()("Signs", () => ({
  street: Routine.gen(function* () {
    return (yield* Street).name
  }),
  address,
  town: Effect.map(Town, ({ name }) => name),
  countdown,
  inTransaction,
  inScope: () => Effect.zipRight(Effect.scope, Street),
  paired,
  shapeOf: (corners: 4 | 8) => (corners === 4 ? "square" : "octagon"),
  colour: "blue",
})) {}

/** The house number comes first, as in the town. */
const address = Routine.fn(function* (number: number, suffix: string = "") {
  const street = yield* Street
  const town = yield* Town
  return `${number}${suffix} ${street.name}, ${town.name}`
})

function countdown(from: number): Routine<readonly string[], "too many", Street> {
  if (from > 9) return Routine.fail("too many" as const)
  if (from === 0) return Routine.succeed([])
  return Routine.flatMap(houseAt(from), (here) =>
    Routine.map(countdown(from - 1), (others) => [here, ...others]),
  )
}

function houseAt(number: number): Routine<string, never, Street> {
  return Routine.map(Street, ({ name }) => `${number} ${name}`)
}

const inTransaction = Routine.fn(function* (text: string) {
  const { nowMs } = yield* Transaction
  return `${text} on ${(yield* Street).name} at ${nowMs}`
})

function paired<A>(value: A): Routine<readonly [A, A]> {
  return Routine.succeed([value, value])
}

const main = Layer.mergeAll(
  Layer.succeed(Street, { name: "Main Street" }),
  Layer.succeed(Town, { name: "Springfield" }),
)
const elm = Context.make(Street, { name: "Elm Street" }).pipe(Context.add(Town, { name: "Shelbyville" }))

const transaction = { nowMs: 12 } as Transaction["Type"]

const read = <A>(use: (signs: Signs["Type"]) => Effect.Effect<A, unknown>) =>
  Effect.runSync(Effect.flatMap(Signs, use).pipe(Effect.provide(Signs.layer.pipe(Layer.provide(main)))))

describe("the methods of a service", () => {
  test("use the ports that the layer was built with, not those of the caller", () => {
    const signs = Effect.runSync(Signs.pipe(Effect.provide(Signs.layer.pipe(Layer.provide(main)))))
    const called = Effect.all([signs.street, signs.address(7), signs.town])
    expect(Effect.runSync(Effect.provide(called, elm))).toEqual([
      "Main Street",
      "7 Main Street, Springfield",
      "Springfield",
    ])
  })

  test("use other ports when the layer is built with others, as in a test", () => {
    const other = Signs.layer.pipe(Layer.provide(Layer.succeedContext(elm)))
    expect(Effect.runSync(Effect.flatMap(Signs, ({ street }) => street).pipe(Effect.provide(other)))).toBe(
      "Elm Street",
    )
  })

  test("are routines where their functions make routines, and Effects otherwise", () => {
    const signs = Effect.runSync(Signs.pipe(Effect.provide(Signs.layer.pipe(Layer.provide(main)))))
    expect([isRoutine(signs.street), isRoutine(signs.address(7)), isRoutine(signs.countdown(1))]).toEqual([
      true,
      true,
      true,
    ])
    expect(isRoutine(signs.town)).toBe(false)
  })

  test("are answered by a host without a fiber, with other ports and with the same", () => {
    const own = Effect.runSync(Layer.build(Layer.provideMerge(Signs.layer, main)).pipe(Effect.scoped))
    const body = Routine.gen(function* () {
      const signs = yield* Signs
      return yield* signs.address(7, "b")
    })
    const at = (services: Context.Context<never>): Answering => ({
      services,
      clock: Clock.make(),
      refs: FiberRefs.empty(),
      run: inFiber,
    })
    expect(answerTo(body, at(own))).toBe("7b Main Street, Springfield")
    expect(answerTo(body, at(Context.merge(own, elm)))).toBe("7b Main Street, Springfield")
    const onElm = Routine.provideService(body, Street, { name: "Elm Street" })
    expect(answerTo(onElm, at(own))).toBe("7b Main Street, Springfield")
  })

  test("keep their arguments, their failures, and functions and values that need no port", () => {
    expect(read(({ address: of }) => of(7, "c"))).toBe("7c Main Street, Springfield")
    expect(read(({ countdown: from }) => from(2))).toEqual(["2 Main Street", "1 Main Street"])
    expect(read(({ countdown: from }) => Effect.flip(from(10)))).toBe("too many")
    expect(read(({ shapeOf, colour }) => Effect.succeed([shapeOf(8), colour]))).toEqual(["octagon", "blue"])
    expect(read(({ paired: both }) => both("x"))).toEqual(["x", "x"])
  })

  test("take the transaction and the scope of each call", () => {
    const given = Effect.provideService(Transaction, transaction)
    expect(read((signs) => given(signs.inTransaction("parked")))).toBe("parked on Main Street at 12")
    const callers = Effect.runSync(Scope.make())
    const seen = Effect.runSync(
      Effect.gen(function* () {
        const ended: string[] = []
        const holding = yield* Effect.provide(Holding, Holding.layer.pipe(Layer.provide(main)))
        yield* Scope.extend(holding.hold(ended), callers)
        yield* Scope.close(callers, Exit.void)
        return ended
      }).pipe(Effect.scoped),
    )
    expect(seen).toEqual(["Main Street"])
  })
})

class Holding extends service<Holding>()("Holding", () => ({
  hold: (ended: string[]) =>
    Effect.flatMap(Street, ({ name }) => Effect.addFinalizer(() => Effect.sync(() => ended.push(name)))),
})) {}

/** With a set-up: a counter, and a resource of the layer. */
class Meter extends service<Meter>()(
  "Meter",
  Effect.gen(function* () {
    const { name } = yield* Town
    const log = yield* Log
    yield* Effect.acquireRelease(
      Effect.sync(() => log.lines.push("opened")),
      () => Effect.sync(() => log.lines.push("closed")),
    )
    let count = 0
    return {
      next: () => Routine.map(Street, (street) => `${(count += 1)} ${street.name}, ${name}`),
    }
  }),
) {}

class Log extends Context.Tag("Log")<Log, { readonly lines: string[] }>() {}

describe("a service with a set-up", () => {
  test("makes it once for each layer, and releases its resources with it", () => {
    const lines: string[] = []
    const layer = Meter.layer.pipe(Layer.provide(Layer.merge(main, Layer.succeed(Log, { lines }))))
    const twice = Effect.gen(function* () {
      const first = yield* (yield* Meter).next()
      return [first, yield* (yield* Meter).next(), ...lines]
    })
    expect(Effect.runSync(Effect.provide(twice, layer))).toEqual([
      "1 Main Street, Springfield",
      "2 Main Street, Springfield",
      "opened",
    ])
    expect(lines).toEqual(["opened", "closed"])
  })
})

describe("the types of a service", () => {
  test("name exactly the ports that it needs, and leave a method the needs of each call", () => {
    expectTypeOf<Layer.Layer.Context<typeof Signs.layer>>().toEqualTypeOf<Street | Town>()
    expectTypeOf<Layer.Layer.Success<typeof Signs.layer>>().toEqualTypeOf<Signs>()
    expectTypeOf<Layer.Layer.Error<typeof Signs.layer>>().toEqualTypeOf<never>()
    expectTypeOf<Layer.Layer.Context<typeof Meter.layer>>().toEqualTypeOf<Log | Street | Town>()
    expectTypeOf<Layer.Layer.Context<typeof Holding.layer>>().toEqualTypeOf<Street>()
    type Methods = Signs["Type"]
    expectTypeOf<Methods["street"]>().toEqualTypeOf<Routine<string>>()
    expectTypeOf<Methods["address"]>().parameters.toEqualTypeOf<Parameters<typeof address>>()
    expectTypeOf<Methods["address"]>().returns.toEqualTypeOf<Routine<string>>()
    expectTypeOf<Methods["town"]>().toEqualTypeOf<Effect.Effect<string>>()
    expectTypeOf<Methods["countdown"]>().returns.toEqualTypeOf<Routine<readonly string[], "too many">>()
    expectTypeOf<Methods["inTransaction"]>().returns.toEqualTypeOf<Routine<string, never, Transaction>>()
    expectTypeOf<Methods["paired"]>().toEqualTypeOf<typeof paired>()
    expectTypeOf<Methods["colour"]>().toEqualTypeOf<string>()
    expect(Signs.key).toBe("Signs")
  })

  test("refuse a missing layer, wrong arguments and a wrong stand-in", () => {
    const use = Effect.flatMap(Signs, (signs) => signs.address(1))
    const withoutTown = Signs.layer.pipe(Layer.provide(Layer.succeed(Street, { name: "Main Street" })))
    const run = (program: Effect.Effect<unknown>) => program
    // @ts-expect-error -- The service is missing.
    run(use)
    // @ts-expect-error -- The town is missing.
    run(Effect.provide(use, withoutTown))
    run(Effect.provide(use, Layer.provide(withoutTown, main)))
    const wrong = (signs: Signs["Type"]) => [
      // @ts-expect-error -- A number is wanted.
      signs.address("1"),
      // @ts-expect-error -- Too few arguments.
      signs.address(),
      // @ts-expect-error -- Too many arguments.
      signs.countdown(1, 2),
    ]
    // @ts-expect-error -- The transaction is missing.
    const outside = (signs: Signs["Type"]) => run(signs.inTransaction("parked"))
    // @ts-expect-error -- The other methods are missing.
    const standIn = Layer.succeed(Signs, { colour: "red" })
    expect([wrong, outside, standIn]).toHaveLength(3)
  })
})
