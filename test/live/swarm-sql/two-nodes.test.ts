/** Two nodes over one PostgreSQL with cut connections: the journal repeats in memory, and every invariant holds over it. */

import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import type { Database } from "../../../src/engine/store/database.ts"
import { startCuttingProxy } from "../../engine/store/cutting-proxy.ts"
import type { CuttingProxy } from "../../engine/store/cutting-proxy.ts"
import { isLong } from "../../long-tests.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { runOnTwoNodes } from "./two-nodes.ts"

/** A small seed; `npm run test:long` runs fifty. */
const SEEDS = isLong ? Array.from({ length: 50 }, (_, number) => number + 1) : [6]

let server: PostgresDatabase
let proxies: readonly [CuttingProxy, CuttingProxy]
let direct: ManagedRuntime.ManagedRuntime<Database, unknown>

beforeAll(async () => {
  server = await startPostgres()
  proxies = [await startCuttingProxy(server.url), await startCuttingProxy(server.url)]
  direct = ManagedRuntime.make(layerPostgres(server.url))
})
afterAll(async () => {
  await direct.dispose()
  for (const proxy of proxies) await proxy.close()
  await server.stop()
})

test.each(SEEDS)("seed %i: memory repeats what two nodes committed, and everything ends", async (seed) => {
  const { context } = await direct.runtime()
  const run = await runOnTwoNodes(seed, context, proxies)
  expect(run).toMatchObject({ broken: [], faults: [], isQuiet: true })
  expect(run.cuts).toBeGreaterThan(0)
  expect(run.answers).toBeGreaterThan(0)
})
