/** The two tables of sites become one: what stood in either of them before is there after, in both databases. */

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import postgres from "postgres"
import { describe, expect, test } from "vitest"
import { CatalogRows } from "../../../src/areas/catalog/rows.ts"
import { DeliveryRows, DeliverySites } from "../../../src/areas/direct-delivery/rows.ts"
import { ProfileRows } from "../../../src/apps/portal/rows.ts"
import { layerPglite, layerPostgres } from "../../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../../src/engine/store/database.ts"
import { layerHoldsInSql } from "../../../src/areas/courier/store/holds.ts"
import { layerDeliveryStore } from "../../../src/areas/direct-delivery/store/delivery-rows.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { startPostgres } from "./postgres-server.ts"

const FOLDER = join(import.meta.dirname, "../../../src/engine/store/migrations")
const MERGE = "0100_one_site.sql"

const BOTH = "5a7d0c1e-7e57-4b0c-9a1d-000000000001"
const BOOKED = "5a7d0c1e-7e57-4b0c-9a1d-000000000002"
const DELIVERING = "5a7d0c1e-7e57-4b0c-9a1d-000000000003"
const AREA = "[[[-97.8,30.3],[-97.6,30.3],[-97.6,30.5],[-97.8,30.3]]]"

/** Rows as the release before wrote them. */
const OLD_ROWS = `
insert into sites values ('sandbox', '${BOTH}', 'Booked name', null), ('production', '${BOOKED}', 'Curb', 'America/Denver');
insert into delivery_sites (site_id, organization_id, environment, name, is_active, fleet_id, place, area, price_cents,
    ready_ahead_ms_max, has_supervisor, timezone) values
  ('${BOTH}', 'org_one', 'sandbox', 'Delivery name', false, 'fleet_1', '{"latitude":30.4,"longitude":-97.7}', '${AREA}',
    799, 60000, true, 'America/Chicago'),
  ('${DELIVERING}', 'org_two', 'production', 'Store', true, 'fleet_2', null, null, null, 7200000, false, null);
insert into quotes (site_id, external_delivery_id, expires_at_ms, created_at_ms, ready_by_ms, customer, address, place, items)
  values ('${BOTH}', 'order-1', 2, 1, 3, '{"phone":"+15125550100"}', '{}', '{"latitude":0,"longitude":0}', '[]');
insert into access_requests (request_id, organization_id, requested_by, requested_at_ms, due_at_ms, status)
  values ('req_1', 'org_one', 'acc_1', 1, 2, 'pending');`

/** A database of the previous release: every migration before the merge has run. */
async function fillOld(run: (text: string) => Promise<unknown>): Promise<void> {
  await run("create table migrations (name text primary key)")
  for (const name of readdirSync(FOLDER).toSorted()) {
    if (name >= MERGE) continue
    await run(readFileSync(join(FOLDER, name), "utf8"))
    await run(`insert into migrations values ('${name}')`)
  }
  await run(OLD_ROWS)
}

const layerRows = Layer.mergeAll(
  layerDeliveryStore.pipe(Layer.provide(layerHoldsInSql)),
  Layer.merge(CatalogRows.layer, ProfileRows.layer).pipe(Layer.provide(layerTables)),
)

function readMerged(database: Layer.Layer<Database, DatabaseFault>): Promise<object> {
  return Effect.runPromise(
    Effect.gen(function* () {
      const { sites } = yield* CatalogRows
      const delivery = yield* DeliverySites
      const rows = yield* DeliveryRows
      const owner = { organizationId: "org_one", environment: "sandbox" } as const
      return {
        both: yield* sites.get("sandbox", BOTH),
        asDelivery: yield* delivery.byId(BOTH),
        booked: yield* sites.get("production", BOOKED),
        notDelivering: yield* delivery.byId(BOOKED),
        delivering: (yield* delivery.all("production")).map(({ siteId, name }) => [siteId, name]),
        bare: yield* sites.get("production", DELIVERING),
        progress: yield* rows.progress(owner),
        requests: (yield* (yield* ProfileRows).requests("org_one")).map(({ sites: asked }) => asked),
      }
    }).pipe(Effect.provide(layerRows), Effect.provide(database)),
  )
}

const MERGED = {
  siteId: BOTH,
  name: "Booked name",
  timezone: "America/Chicago",
  organizationId: "org_one",
  isActive: false,
  fleetId: "fleet_1",
  address: null,
  place: { latitude: 30.4, longitude: -97.7 },
  area: JSON.parse(AREA) as unknown,
  priceCents: 799,
  readyAheadMsMax: 60_000,
  hasSupervisor: true,
  dispatchPolicy: "earliest_free",
}

const SEEN = {
  both: MERGED,
  asDelivery: { ...MERGED, environment: "sandbox" },
  booked: { name: "Curb", timezone: "America/Denver", organizationId: null, fleetId: null },
  notDelivering: null,
  delivering: [[DELIVERING, "Store"]],
  bare: { organizationId: "org_two", place: null, area: null, priceCents: null, timezone: null },
  progress: { hasQuote: true, hasCompleted: false },
  requests: [[]],
}

describe("the merge of the two tables of sites", () => {
  test("keeps every site of an embedded database, one that stood in both of them once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "curbline-one-site-"))
    try {
      const old = new PGlite(join(folder, "database"))
      await fillOld((text) => old.exec(text))
      await old.close()
      expect(await readMerged(layerPglite({ folder: join(folder, "database") }))).toMatchObject(SEEN)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test("keeps every site on PostgreSQL, one that stood in both of them once", async () => {
    const server = await startPostgres({ isEmpty: true })
    try {
      const client = postgres(server.url, { max: 1, onnotice: () => undefined })
      await fillOld((text) => client.unsafe(text))
      await client.end()
      expect(await readMerged(layerPostgres(server.url))).toMatchObject(SEEN)
    } finally {
      await server.stop()
    }
  })
})
