/** Linking's rows in memory, over PGlite, and over PostgreSQL. */

import { Effect, Layer, Runtime } from "effect"
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import { ActorHost } from "../../src/services/host.ts"
import { MemoryHost } from "../../src/simulation/memory-host.ts"
import { layerMemoryLinkingRows } from "../../src/simulation/memory-linking.ts"
import { program } from "../../src/simulation/program.ts"
import { layerPglite, layerPostgres } from "../../src/store/database.ts"
import type { Database, DatabaseFault } from "../../src/store/database.ts"
import { layerGrantRows, layerLinkingLimitRows } from "../../src/store/grants.ts"
import { layerClientRows, layerLinkedUserRows, layerSmsCodeRows } from "../../src/store/linking.ts"
import { layerSecretBox } from "../../src/store/secret-box.ts"
import { liveHarness, openTestDatabase } from "../conformance/live.ts"
import type { LiveHarness, TestDatabase } from "../conformance/live.ts"
import { START_MS } from "../conformance/memory.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresServer } from "../store/postgres-server.ts"
import { linkingPortsContract } from "./linking-ports.ts"

linkingPortsContract("memory", () => {
  const host = new MemoryHost({ program, seed: 7, startMs: START_MS, recording: "full" })
  const ports = Layer.merge(layerMemoryLinkingRows(host.store), Layer.succeed(ActorHost, host.port))
  const runtime = Effect.runSync(Effect.scoped(Layer.toRuntime(ports)))
  return { run: Runtime.runPromise(runtime) }
})

const overSql = Layer.mergeAll(
  layerClientRows,
  layerGrantRows,
  layerLinkedUserRows,
  layerLinkingLimitRows,
  layerSmsCodeRows,
).pipe(Layer.provide(layerSecretBox("contract")))

function contractOver(name: string, layer: () => Promise<Layer.Layer<Database, DatabaseFault>>): void {
  let database: TestDatabase | null = null
  const harnesses: LiveHarness[] = []

  describe(`ports over ${name}`, () => {
    beforeAll(async () => {
      database = openTestDatabase(await layer())
      await database.context
    })
    afterEach(async () => {
      for (const harness of harnesses.splice(0)) await harness.close()
    })
    afterAll(() => database?.close())

    linkingPortsContract(name, () => {
      if (database === null) throw new Error("the database is not open")
      const harness = liveHarness(database.context)
      harnesses.push(harness)
      return { run: (effect) => harness.run(Effect.provide(effect, overSql)) }
    })
  })
}

contractOver("PGlite", async () => layerPglite("memory"))

let server: PostgresServer | null = null

contractOver("PostgreSQL", async () => {
  server = await startPostgres()
  return layerPostgres(server.url)
})

afterAll(() => server?.stop())
