/**
 * A node that is made to be stopped: a process of its own that holds a site's row inside a transaction, says so, and never
 * goes on. Usage: `node test/store/stopped-node.ts URL SITE_ID IDLE_MS_MAX`.
 */

import { setTimeout as after } from "node:timers/promises"
import { eq } from "drizzle-orm"
import { Effect } from "effect"
import { Database, layerPostgres } from "../../src/store/database.ts"
import { sites as declaredSites } from "../../src/services/catalog/rows.ts"
import { declaredTable } from "../../src/store/declared-table.ts"

const sites = declaredTable(declaredSites)

const [url = "", siteId = "", idleMsMax = ""] = process.argv.slice(2)
const idleMs = Number(idleMsMax)
const hold = Effect.flatMap(Database, ({ orm }) =>
  Effect.promise(() =>
    orm.transaction(async (open) => {
      await open.update(sites).set({ name: "half a change" }).where(eq(sites.siteId, siteId))
      // Whoever is not stopped speaks again before the bound. It says that it holds the row at the beginning of a pause: the
      // server counts only the time between statements, and one that is half sent when the node stops has no such end.
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
