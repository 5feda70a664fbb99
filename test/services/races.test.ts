/** Races of one name, by themselves. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { makeRaces } from "../../src/services/direct-delivery/races.ts"

test("Q23: whoever begins while another has won has lost, unless that one's work was undone and began anew", () => {
  const races = makeRaces()
  const another = races.run("order-1", (race) => Effect.sync(() => race.isLost()))
  const winner = races.run("order-1", (race) =>
    Effect.gen(function* () {
      race.began()
      race.won()
      const whileWon = yield* another
      race.began()
      const whileUndone = yield* another
      race.won()
      return [whileWon, whileUndone, yield* another]
    }),
  )
  expect(Effect.runSync(winner)).toEqual([true, false, true])
  expect(Effect.runSync(another)).toBe(false)
})
