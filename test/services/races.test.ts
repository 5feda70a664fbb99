/** Races of one name, by themselves. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { WINS_KEPT_MAX } from "../../src/model/limits.ts"
import { Arrivals, layerArrivals } from "../../src/services/arrivals.ts"
import { makeRaces } from "../../src/services/direct-delivery/races.ts"
import type { Race } from "../../src/services/direct-delivery/races.ts"

const arrivals = Effect.runSync(Effect.provide(Arrivals, layerArrivals()))

function winning(race: Race): Effect.Effect<void> {
  return Effect.sync(() => {
    race.began()
    race.won()
  })
}

const asking = (race: Race) => Effect.sync(() => race.isLost())

test("Q23: whoever arrives while another has won has lost, unless that one's work was undone and began anew", () => {
  const races = makeRaces(arrivals)
  const another = races.run("order-1", null, asking)
  const winner = races.run("order-1", null, (race) =>
    Effect.gen(function* () {
      race.began()
      race.won()
      const whileWon = yield* another
      race.began()
      const whileUndone = yield* another
      race.won()
      return [whileWon, whileUndone, yield* another, race.isLost()]
    }),
  )
  expect(Effect.runSync(winner)).toEqual([true, false, true, false])
  expect(Effect.runSync(another)).toBe(false)
})

test("Q23: whoever arrived before the winner ended has lost, however late it begins; of that name alone", () => {
  const races = makeRaces(arrivals)
  const [first, second] = [arrivals.next(), arrivals.next()]
  Effect.runSync(races.run("order-1", first, winning))
  const third = arrivals.next()
  const lost = (name: string, arrival: number) => Effect.runSync(races.run(name, arrival, asking))
  expect([lost("order-1", second), lost("order-1", third), lost("order-2", second)]).toEqual([
    true,
    false,
    false,
  ])
})

test("Q23: a winner that fails has won nothing", () => {
  const races = makeRaces(arrivals)
  const [first, second] = [arrivals.next(), arrivals.next()]
  const failing = races.run("order-1", first, (race) => Effect.zipRight(winning(race), Effect.fail("undone")))
  expect(Effect.runSync(Effect.flip(failing))).toBe("undone")
  expect(Effect.runSync(races.run("order-1", second, asking))).toBe(false)
})

test("so many wins are kept and no more, the latest of them", () => {
  const races = makeRaces(arrivals)
  const early = arrivals.next()
  for (let count = 0; count <= WINS_KEPT_MAX; count += 1) {
    Effect.runSync(races.run(`order-${count}`, arrivals.next(), winning))
  }
  const lost = [0, 1, WINS_KEPT_MAX].map((count) => races.run(`order-${count}`, early, asking))
  expect(lost.map((one) => Effect.runSync(one))).toEqual([false, true, true])
})
