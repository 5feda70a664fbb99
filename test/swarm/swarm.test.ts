/** The swarm: seeds repeat exactly, many of them break nothing, and they reach what the service can do. */

import { expect, test } from "vitest"
import { Tally, tryingSeed } from "../../src/swarm/explore.ts"

/** A seed takes about 80 ms on one core. */
const SEEDS = 500
const TIMEOUT_MS = 600_000

test(
  "no seed breaks an invariant, and together they reach every kind of fault",
  () => {
    const tally = new Tally()
    for (let seed = 1; seed <= SEEDS; seed += 1) tally.add(tryingSeed(seed))
    expect(Object.fromEntries(tally.seedsBySentence)).toEqual({})
    expect([...(tally.coverage.counts.get("fault")?.keys() ?? [])].toSorted()).toEqual([
      "an upgrade",
      "crashes",
      "doubled results",
      "late results",
      "late timers",
      "lost answers",
      "lost commits",
      "lost nodes",
      "lost results",
    ])
  },
  TIMEOUT_MS,
)

test("a seed repeats exactly: the same turns, the same hash, the same coverage", () => {
  for (let seed = 1; seed <= 25; seed += 1) expect(tryingSeed(seed)).toEqual(tryingSeed(seed))
})
