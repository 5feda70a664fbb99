/** Creations of one name that overlap, by themselves. */

import { Deferred, Effect } from "effect"
import { expect, test } from "vitest"
import { CREATIONS_KEPT_MAX } from "../../../src/model/values/limits.ts"
import { Arrivals, layerArrivals } from "../../../src/engine/services/arrivals.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { makeRaces } from "../../../src/areas/direct-delivery/races.ts"

const arrivals = Effect.runSync(Effect.provide(Arrivals, layerArrivals()))

test("Q23: a create has lost while another makes the delivery, and afterwards if it arrived before the other had ended", () => {
  const races = makeRaces(arrivals)
  const [first, second] = [arrivals.next(), arrivals.next()]
  const whileMaking = Effect.runSync(
    races.creating(
      "order-1",
      Routine.sync(() => [races.isLost("order-1", second), races.isLost("order-2", second)]),
    ),
  )
  expect(whileMaking).toEqual([true, false])
  const third = arrivals.next()
  const afterwards = [first, second, third].map((arrival) => races.isLost("order-1", arrival))
  expect(afterwards).toEqual([true, true, false])
  expect(races.isLost("order-2", second)).toBe(false)
})

test("Q23: a create that fails has made nothing, and of two in flight the other may still make it", async () => {
  const races = makeRaces(arrivals)
  const [first, second] = [arrivals.next(), arrivals.next()]
  const failing = races.creating("order-1", Routine.fail("undone"))
  expect(Effect.runSync(Effect.flip(failing))).toBe("undone")
  expect(races.isLost("order-1", second)).toBe(false)
  const gate = Effect.runSync(Deferred.make<void>())
  const slow = Effect.runPromise(
    races.creating(
      "order-1",
      Routine.suspend(() => Deferred.await(gate)),
    ),
  )
  Effect.runSync(Effect.flip(failing))
  expect(races.isLost("order-1", first)).toBe(true)
  Effect.runSync(Deferred.succeed(gate, undefined))
  await slow
  expect(races.isLost("order-1", first)).toBe(true)
})

test("so many creations are kept and no more, the latest of them", () => {
  const races = makeRaces(arrivals)
  const early = arrivals.next()
  for (let count = 0; count <= CREATIONS_KEPT_MAX; count += 1) {
    Effect.runSync(races.creating(`order-${count}`, Routine.void))
  }
  const lost = [0, 1, CREATIONS_KEPT_MAX].map((count) => races.isLost(`order-${count}`, early))
  expect(lost).toEqual([false, true, true])
})
