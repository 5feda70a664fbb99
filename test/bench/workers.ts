/**
 * Replications on threads: the same replications of a lunch at a site on one thread and on two, turn about, by the clock on the
 * wall. `npm run bench -- workers`, `--quick` for fewer. Wanted: two threads are 1.8 times as fast as one. That holds on a machine
 * with two processors and no other work; the load is printed beside it. It fails when the two give other digests, never for being slow.
 */

import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { startThreads } from "../../src/cli/fleets/parallel/threads.ts"
import type { Threads } from "../../src/cli/fleets/parallel/threads.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const ROUNDS = isQuick ? 1 : 3
const REPLICATIONS = isQuick ? 16 : 64

const TEXT = `
fleet: A lunch
because: How many replications does a second have?
clock: 2026-03-02T10:00 America/Chicago
horizon: 4h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, runners: 6, vehicles: 12, stores: [{ as: grill, preparation: 6m, cooks: 6 }] }]
demand:
  - { product: reservation, site: curb, per_hour: 60 }
  - { product: delivery, site: curb, per_hour: 30 }
`

function model(): FleetModel {
  const read = readFleet({ file: "lunch", text: TEXT, beside: () => null })
  if (read.model === null) throw new Error(read.problems.map(({ message }) => message).join("; "))
  return read.model
}

interface Timed {
  readonly seconds: number
  readonly digests: readonly string[]
}

async function timed({ replicate }: Threads, lunch: FleetModel): Promise<Timed> {
  const beganMs = performance.now()
  const made = await Promise.all(
    Array.from({ length: REPLICATIONS }, (_, at) =>
      replicate({ model: lunch, seed: at + 1, hasCourse: false }),
    ),
  )
  return { seconds: (performance.now() - beganMs) / 1000, digests: made.map(({ digest }) => digest) }
}

export async function benchWorkers(): Promise<void> {
  printMachine()
  const lunch = model()
  const pools = [startThreads(1), startThreads(2)] as const
  try {
    // Loads the modules of each thread.
    for (const pool of pools) await timed(pool, lunch)
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = await timed(pools[0], lunch)
      const two = await timed(pools[1], lunch)
      if (one.digests.join() !== two.digests.join())
        throw new Error("two threads give other digests than one")
      ratios.push(one.seconds / two.seconds)
      console.log(
        `${REPLICATIONS} replications: one thread ${one.seconds.toFixed(1)} s, two ${two.seconds.toFixed(1)} s, ratio ${(one.seconds / two.seconds).toFixed(2)}`,
      )
    }
    const sorted = ratios.toSorted((a, b) => a - b)
    console.log(
      `two threads over one, median: ${sorted[Math.floor(sorted.length / 2)]?.toFixed(2)}, wanted 1.8`,
    )
  } finally {
    await Promise.all(pools.map((pool) => pool.close()))
  }
}
