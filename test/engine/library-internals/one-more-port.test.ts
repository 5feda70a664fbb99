import { Context, Effect } from "effect"
import { expect, test } from "vitest"
import { withPort, withoutLastPort } from "../../../src/engine/library-internals/one-more-port.ts"

class Clock extends Context.Tag("test/Clock")<Clock, string>() {}
class Store extends Context.Tag("test/Store")<Store, string>() {}
class Open extends Context.Tag("test/Open")<Open, string>() {}

const others = Context.make(Clock, "clock").pipe(Context.add(Store, "store"))
const overlaid = withPort(others, Open, "open")
const copied = Context.add(others, Open, "open")

test("every way in which Effect reads a context gives what a copied context gives", () => {
  expect(Context.get(overlaid, Open)).toBe("open")
  expect(Context.get(overlaid, Store)).toBe("store")
  expect([...overlaid.unsafeMap]).toEqual([...copied.unsafeMap])
  expect([...overlaid.unsafeMap.keys()]).toEqual([...copied.unsafeMap.keys()])
  expect([...overlaid.unsafeMap.values()]).toEqual([...copied.unsafeMap.values()])
  expect(overlaid.unsafeMap.size).toBe(3)
  const visited: [string, unknown][] = []
  overlaid.unsafeMap.forEach((port, key) => visited.push([key, port]))
  expect(visited).toEqual([...copied.unsafeMap])
  for (const make of [
    (context: Context.Context<Clock | Open | Store>) =>
      Context.merge(context, Context.make(Store, "another")),
    (context: Context.Context<Clock | Open | Store>) =>
      Context.mergeAll(context, Context.make(Store, "another")),
    (context: Context.Context<Clock | Open | Store>) => Context.pick(Clock, Open)(context),
    (context: Context.Context<Clock | Open | Store>) => Context.omit(Clock)(context),
    (context: Context.Context<Clock | Open | Store>) => Context.add(context, Clock, "another"),
  ]) {
    expect(make(overlaid)).toEqual(make(copied))
  }
  expect(Context.getOption(withPort(Context.empty(), Open, "open"), Store)._tag).toBe("None")
})

test("the new port hides one of the same key, and the given context stays as it was", () => {
  const hiding = withPort(overlaid, Open, "second")
  expect(Context.get(hiding, Open)).toBe("second")
  expect(hiding.unsafeMap.size).toBe(3)
  expect([...hiding.unsafeMap]).toEqual([
    ["test/Clock", "clock"],
    ["test/Store", "store"],
    ["test/Open", "second"],
  ])
  expect(Context.get(overlaid, Open)).toBe("open")
  expect(Context.getOption(others, Open)._tag).toBe("None")
})

test("an Effect runs with such a context", () => {
  const reads = Effect.all([Clock, Store, Open])
  expect(Effect.runSync(Effect.provide(reads, overlaid))).toEqual(["clock", "store", "open"])
  expect(Effect.runSync(Effect.provide(Effect.provideService(reads, Store, "inner"), overlaid))).toEqual([
    "clock",
    "inner",
    "open",
  ])
})

test("the context without the port that was added last is found", () => {
  expect(withoutLastPort(overlaid)).toMatchObject({ key: "test/Open", others: others.unsafeMap })
  expect(withoutLastPort(copied)).toBeNull()
})

test("nothing is written to such a context", () => {
  expect(() => overlaid.unsafeMap.set("x", 1)).toThrow("a context's ports are not changed")
  expect(() => overlaid.unsafeMap.delete("x")).toThrow("a context's ports are not changed")
  expect(() => overlaid.unsafeMap.clear()).toThrow("a context's ports are not changed")
})
