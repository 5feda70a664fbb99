/** The contracts on the live host over a real PostgreSQL; of the services' contract what only several connections show, unless all are wanted. */

import { afterAll } from "vitest"
import { layerPostgres } from "../../src/engine/store/database.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { liveContracts } from "./live-contracts.ts"
import { servicesContract, servicesOverConnectionsContract } from "./services.ts"

let server: PostgresDatabase | null = null

// Hooks run backwards at the end: the server stops after the connections to it are closed.
afterAll(() => server?.stop())

/** A release's statements are those that the whole contract makes. */
const isWhole =
  process.env["CURBLINE_LONG_TESTS"] === "true" || process.env["CURBLINE_TEST_STATEMENTS"] !== undefined

liveContracts(
  "PostgreSQL",
  async () => {
    server = await startPostgres()
    return layerPostgres(server.url)
  },
  { services: isWhole ? servicesContract : servicesOverConnectionsContract },
)
