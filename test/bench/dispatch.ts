/**
 * What the choice of a vehicle costs by the policy `earliest_free`, as a ratio to `nearest`: `npm run bench -- dispatch`, with
 * `--quick` for a tenth of the rounds and `--postgres` for PostgreSQL beside memory and the embedded database. Both policies take turns
 * over the same fleets and stores. Processor time is that of this process, with the embedded database in it; of PostgreSQL it is the
 * client alone, so the time until the answer stands beside it.
 */

import { Effect } from "effect"
import type { Place } from "../../src/model/place.ts"
import type { DispatchPolicy } from "../../src/model/vehicle-pool.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"
import { STORE, fill, inMemory, median, overDatabase, siteOf } from "./pool.ts"
import type { Contestant } from "./pool.ts"

const SIZES = [5, 100, 1_000] as const
const ROUNDS = process.argv.includes("--quick") ? 20 : 200
const WARM_UP = ROUNDS / 4
const POLICIES = ["nearest", "earliest_free"] as const satisfies readonly DispatchPolicy[]
/** Around the fleet's middle, so that some have an idle vehicle nearby and others a busy one. */
const STORES = Array.from({ length: 9 }, (_, at): Place => ({
  latitude: STORE.latitude + (Math.floor(at / 3) - 1) * 0.03,
  longitude: STORE.longitude + ((at % 3) - 1) * 0.03,
}))

/** Of one turn over all stores, per choice. */
interface Cost {
  readonly processorUs: number
  readonly elapsedUs: number
}

export async function benchDispatch(): Promise<void> {
  printMachine()
  console.log(
    `medians of ${ROUNDS} rounds of ${STORES.length} choices, in each of which the policies take turns\n`,
  )
  await measure(inMemory())
  await measure(overDatabase("embedded", layerPglite("memory")))
  if (!process.argv.includes("--postgres")) return
  const server = await startServer()
  try {
    await measure(overDatabase("PostgreSQL", layerPostgres(server.url)))
  } finally {
    await server.stop()
  }
}

async function measure(contestant: Contestant): Promise<void> {
  console.log(
    `${contestant.name.padEnd(12)} vehicles   nearest: processor, answer, µs   earliest_free   ratios`,
  )
  for (const size of SIZES) {
    await fill(contestant, size)
    const found = { nearest: [] as Cost[], earliest_free: [] as Cost[] }
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      for (const policy of round % 2 === 0 ? POLICIES : POLICIES.toReversed()) {
        const cost = await costOf(contestant, size, policy)
        if (round >= 0) found[policy].push(cost)
      }
    }
    const of = (policy: (typeof POLICIES)[number], what: keyof Cost): number =>
      median(found[policy].map((cost) => cost[what]))
    const both = (["processorUs", "elapsedUs"] as const).map((what) => ({
      nearest: of("nearest", what),
      earliest: of("earliest_free", what),
    }))
    const columns = [
      String(size).padStart(21),
      both.map(({ nearest }) => nearest.toFixed(0).padStart(10)).join(""),
      both.map(({ earliest }) => earliest.toFixed(0).padStart(10)).join(""),
      both.map(({ nearest, earliest }) => (earliest / nearest).toFixed(2).padStart(8)).join(""),
    ]
    console.log(columns.join("   "))
  }
  console.log()
  await contestant.close()
}

async function costOf({ run, nowMs }: Contestant, size: number, policy: DispatchPolicy): Promise<Cost> {
  const vehicles = Effect.serviceFunctions(VehicleRows)
  const { fleetId } = siteOf(size)
  const atMs = nowMs()
  const [before, beganMs] = [process.cpuUsage(), performance.now()]
  for (const store of STORES)
    await run(vehicles.pool(fleetId, { store, policy, order: null, atMs, without: null, released: 0 }))
  const elapsedUs = (performance.now() - beganMs) * 1_000
  const { user, system } = process.cpuUsage(before)
  return { processorUs: (user + system) / STORES.length, elapsedUs: elapsedUs / STORES.length }
}
