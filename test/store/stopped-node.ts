/**
 * A node that is made to be stopped: a process of its own that holds a site's row inside a transaction, says so, and never
 * goes on. Usage: `node test/store/stopped-node.ts URL SITE_ID IDLE_MS_MAX`.
 */

import { eq } from "drizzle-orm"
import { Effect } from "effect"
import { Database, layerPostgres } from "../../src/store/database.ts"
import { sites } from "../../src/store/schema.ts"

const [url = "", siteId = "", idleMsMax = ""] = process.argv.slice(2)
const hold = Effect.flatMap(Database, ({ orm }) =>
  Effect.promise(() =>
    orm.transaction(async (open) => {
      await open.update(sites).set({ name: "half a change" }).where(eq(sites.siteId, siteId))
      process.stdout.write("holding\n")
      // Kept alive and busy with the transaction: whoever is not stopped speaks again before the bound.
      for (;;) await open.select().from(sites).where(eq(sites.siteId, siteId))
    }),
  ),
)
const layer = layerPostgres(url, { connectionsMax: 2, idleInTransactionMsMax: Number(idleMsMax) })
await Effect.runPromise(Effect.provide(hold, layer))
