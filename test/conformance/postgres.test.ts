/** The contracts on the live host over a real PostgreSQL. */

import { afterAll } from "vitest"
import { layerPostgres } from "../../src/engine/store/database.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { liveContracts } from "./live-contracts.ts"

let server: PostgresDatabase | null = null

// Hooks run backwards at the end: the server stops after the connections to it are closed.
afterAll(() => server?.stop())

liveContracts("PostgreSQL", async () => {
  server = await startPostgres()
  return layerPostgres(server.url)
})
