/**
 * How late entries start that fall due together, beside a receiver that never answers: `npm run bench -- wake-up`. An
 * entry has started when its request reaches the receiver. On the embedded database, and on a PostgreSQL of its own.
 */

import { lte, sql } from "drizzle-orm"
import { Layer, ManagedRuntime } from "effect"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { mailbox } from "../../src/engine/store/schema.ts"
import { plantDeliveries, startNode, until } from "../live/node/nodes.ts"
import { onFreshDatabases, printLateness } from "./lateness.ts"

const GOOD = "https://good.partner.example/events"
const DEAD = "https://dead.partner.example/events"
const ENTRIES = { good: 900, dead: 100 }
const FAILS = { type: "status", status: 500, afterMs: 1 } as const
const ROUNDS = 3

export async function benchWakeUp(): Promise<void> {
  console.log(`${ENTRIES.good + ENTRIES.dead} entries, ${ENTRIES.dead} to a receiver that never answers;`)
  console.log("ms from the instant at which all are due to the request\n")
  await onFreshDatabases(ROUNDS, show)
}

/** Everything fails once on a node that wakes nothing up; the wake-up then meets them all at once. */
async function show(name: string, layer: Layer.Layer<Database, DatabaseFault>): Promise<void> {
  const database = ManagedRuntime.make(layer)
  const { orm } = await database.runPromise(Database)
  const shared = Layer.succeedContext((await database.runtime()).context)
  const world = new OutsideWorld()
  world.script(GOOD, [FAILS])
  world.script(DEAD, [FAILS])
  const planter = await startNode(shared, world, { wakesUp: false })
  const plan = { backoffMs: [1], leaseMs: 90_000 }
  await plantDeliveries(planter, { webhookId: "dead", url: DEAD, count: ENTRIES.dead, ...plan })
  await plantDeliveries(planter, { webhookId: "good", url: GOOD, count: ENTRIES.good, ...plan })
  const all = ENTRIES.good + ENTRIES.dead
  await until(async () => {
    const [waiting] = await orm
      .select({ count: sql<number>`count(*)::int` })
      .from(mailbox)
      .where(lte(mailbox.dueMs, Date.now()))
    return waiting?.count === all
  })
  await planter.stop()
  world.script(GOOD, [{ type: "status", status: 200, afterMs: 20 }])
  world.script(DEAD, [{ type: "timeout" }])
  const sinceMs = Date.now()
  const node = await startNode(shared, world)
  await until(() => world.received.length >= 2 * all)
  printLateness(
    name,
    world.received.slice(all).map(({ atMs }) => atMs - sinceMs),
  )
  await node.crash()
  await database.dispose()
}
