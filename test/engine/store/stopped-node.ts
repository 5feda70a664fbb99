/**
 * A node for tests that stop it: a process that holds a site's row inside a transaction, prints it, and never
 * continues. Usage: `node test/engine/store/stopped-node.ts URL SITE_ID IDLE_MS_MAX`.
 */

import { setTimeout as after } from "node:timers/promises"
import { eq } from "drizzle-orm"
import { Effect } from "effect"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { sites as declaredSites } from "../../../src/areas/catalog/rows.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"

const sites = declaredTable(declaredSites)

const [url = "", siteId = "", idleMsMax = ""] = process.argv.slice(2)
const idleMs = Number(idleMsMax)
const hold = Effect.flatMap(Database, ({ orm }) =>
  Effect.promise(() =>
    orm.transaction(async (open) => {
      await open.update(sites).set({ name: "half a change" }).where(eq(sites.siteId, siteId))
      // A running process sends again before the time limit. It prints at the beginning of a pause that it holds the
      // row: the server counts only the time between statements, and a half-sent statement has no such end.
      for (;;) {
        await open.select().from(sites).where(eq(sites.siteId, siteId))
        process.stdout.write("holding\n")
        await after(idleMs / 5)
      }
    }),
  ),
)
const layer = layerPostgres(url, { connectionsMax: 2, idleInTransactionMsMax: idleMs })
await Effect.runPromise(Effect.provide(hold, layer))
