/** The contract of a counter in windows of the clock: what any layer of one must do. */

import { Effect } from "effect"
import type { Context } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { WindowCounter } from "../../src/engine/services/rate-limits/window-counter.ts"

interface CounterHarness<Counter> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ActorHost | Counter>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")
const MANY = Array.from({ length: 5 })

export function windowCounterContract<Counter>(
  name: string,
  tag: Context.Tag<Counter, WindowCounter>,
  make: () => CounterHarness<Counter>,
): void {
  const window = { bucket: "sign-in/1", startsAtMs: T, lengthMs: MINUTE_MS }
  const other = { ...window, bucket: "sign-in/2" }
  const next = { ...window, startsAtMs: T + MINUTE_MS }
  const using = <A>(use: (counter: WindowCounter) => Effect.Effect<A>) => Effect.flatMap(tag, use)
  const count = (one: typeof window) => using((counter) => counter.count(one))
  const counted = (one: typeof window) => using((counter) => counter.counted(one))

  describe(`windows of the ${name}`, () => {
    test("counts from 1, also when many ask at once; reading takes nothing", async () => {
      const h = make()
      expect(await h.run(counted(window))).toBe(0)
      const counts = await h.run(
        Effect.all(
          MANY.map(() => count(window)),
          { concurrency: "unbounded" },
        ),
      )
      expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
      expect(await h.run(counted(window))).toBe(5)
      expect(await h.run(count(window))).toBe(6)
    })

    test("each bucket and each window has its own count", async () => {
      const h = make()
      await h.run(count(window))
      expect(await h.run(count(other))).toBe(1)
      expect(await h.run(counted(next))).toBe(0)
      expect(await h.run(count(next))).toBe(1)
    })

    test("a count for the window before, from a node whose clock is behind, empties no bucket", async () => {
      const h = make()
      for (const expected of [1, 2, 3]) expect(await h.run(count(next))).toBe(expected)
      expect(await h.run(count(window))).toBe(4)
      expect(await h.run(counted(window))).toBe(4)
      expect(await h.run(count(next))).toBe(5)
    })

    test("a window that a wrong clock began far ahead fills no bucket until then", async () => {
      const h = make()
      const far = { ...window, startsAtMs: T + 2 * MINUTE_MS }
      for (const expected of [1, 2, 3]) expect(await h.run(count(far))).toBe(expected)
      expect(await h.run(counted(window))).toBe(0)
      for (const expected of [1, 2]) expect(await h.run(count(window))).toBe(expected)
    })

    test("a count of a transaction is seen after its commit, in its own window", async () => {
      const h = make()
      const adding = (one: typeof window) =>
        Effect.gen(function* () {
          const host = yield* ActorHost
          const counter = yield* tag
          yield* host.run({ name: "a test", locks: {}, body: () => counter.add(one) })
        })
      await h.run(count(window))
      await h.run(adding(window))
      expect(await h.run(counted(window))).toBe(2)
      await h.run(adding(next))
      expect(await h.run(counted(next))).toBe(1)
      expect(await h.run(counted(other))).toBe(0)
    })

    test("a bucket is forgotten alone, and windows of an instant and before are purged", async () => {
      const h = make()
      const purge = (beforeMs: number, limit: number) =>
        Effect.gen(function* () {
          const host = yield* ActorHost
          const counter = yield* tag
          return yield* host.run({
            name: "a test",
            locks: {},
            body: () => counter.purge({ beforeMs, limit }),
          })
        })
      await h.run(count(window))
      await h.run(count(other))
      await h.run(using((counter) => counter.forget(window.bucket)))
      expect(await h.run(count(window))).toBe(1)
      expect(await h.run(count(other))).toBe(2)
      expect(await h.run(purge(T - 1, 1))).toBe(0)
      expect(await h.run(count(window))).toBe(2)
      expect(await h.run(purge(T, 1))).toBe(1)
      expect(await h.run(purge(T, 9))).toBe(1)
      expect(await h.run(count(window))).toBe(1)
    })
  })
}
