/** Direct delivery's rows over SQL. */

import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { DeliveryRows, DeliverySites, OptOutRows, VehicleRows } from "../services/direct-delivery/rows.ts"
import type {
  DeliveryQuery,
  DeliverySite,
  FixRow,
  OptOutScope,
  VehicleRow,
} from "../services/direct-delivery/rows.ts"
import { Notices } from "../services/webhooks/notices.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import {
  deliveries,
  deliverySites,
  notices,
  optOuts,
  quotes,
  vehicleFixes,
  vehicles,
} from "./delivery-tables.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

/** Every port of direct delivery over one database. */
export const layerDeliveryStore: Layer.Layer<
  DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows,
  never,
  Database
> = Layer.unwrapEffect(
  Effect.map(Database, (database) => {
    const here = sqlOver(database)
    return Layer.mergeAll(
      Layer.succeed(DeliverySites, sitesOver(here)),
      Layer.succeed(DeliveryRows, { ...deliveryReads(here), ...deliveryWrites(here) }),
      Layer.succeed(VehicleRows, vehiclesOver(here)),
      Layer.succeed(OptOutRows, optOutsOver(here)),
      Layer.succeed(Notices, noticesOver(here)),
    )
  }),
)

/** Writes a site from which deliveries start; what is there under its id is replaced. Inside a transaction. */
export const writeDeliverySite = Effect.fnUntraced(function* (site: DeliverySite) {
  const { write } = sqlOver(yield* Database)
  yield* write("writing a delivery site", (orm) =>
    orm.insert(deliverySites).values(site).onConflictDoUpdate({ target: deliverySites.siteId, set: site }),
  )
})

function sitesOver({ read }: Sql): DeliverySites["Type"] {
  return {
    byId: (siteId) =>
      Effect.map(
        read("reading a delivery site", (orm) =>
          orm.select().from(deliverySites).where(eq(deliverySites.siteId, siteId)),
        ),
        ([row]) => row ?? null,
      ),
  }
}

type Writes = Pick<DeliveryRows["Type"], "putQuote" | "insert" | "change" | "forget">

function deliveryWrites({ write }: Sql): Writes {
  return {
    putQuote: (quote) =>
      write("keeping a quote", (orm) =>
        orm
          .insert(quotes)
          .values(quote)
          .onConflictDoUpdate({ target: [quotes.siteId, quotes.externalDeliveryId], set: quote }),
      ),
    insert: (row) => write("inserting a delivery", (orm) => orm.insert(deliveries).values(row)),
    change: (id, change) =>
      write("changing a delivery", (orm) =>
        orm.update(deliveries).set(change).where(eq(deliveries.deliveryId, id)),
      ),
    forget: (id) =>
      write("forgetting a delivery", (orm) => orm.delete(deliveries).where(eq(deliveries.deliveryId, id))),
  }
}

function deliveryReads({ read }: Sql): Omit<DeliveryRows["Type"], keyof Writes> {
  return {
    quote: (siteId, externalId) =>
      Effect.map(
        read("reading a quote", (orm) =>
          orm
            .select()
            .from(quotes)
            .where(and(eq(quotes.siteId, siteId), eq(quotes.externalDeliveryId, externalId))),
        ),
        ([row]) => row ?? null,
      ),
    byId: (id) =>
      Effect.map(
        read("reading a delivery", (orm) =>
          orm.select().from(deliveries).where(eq(deliveries.deliveryId, id)),
        ),
        ([row]) => row ?? null,
      ),
    byExternalId: (siteId, externalId) =>
      Effect.map(
        read("reading a delivery", (orm) =>
          orm
            .select()
            .from(deliveries)
            .where(and(eq(deliveries.siteId, siteId), eq(deliveries.externalDeliveryId, externalId))),
        ),
        ([row]) => row ?? null,
      ),
    list: (query) => read("listing deliveries", (orm) => listed(orm, query)),
    runs: (fleetId) =>
      Effect.map(
        read("counting runs", (orm) => countedRuns(orm, fleetId)),
        (rows) => new Map(rows.map(({ vehicleId, open }) => [vehicleId, open])),
      ),
  }
}

function countedRuns(orm: Orm, fleetId: string) {
  return (
    orm
      .select({ vehicleId: deliveries.vehicleId, open: sql<number>`count(*)::int` })
      .from(deliveries)
      // Written out, not parameters: so the partial index of open deliveries serves prepared plans too.
      .where(
        and(eq(deliveries.fleetId, fleetId), sql`${deliveries.status} not in ('COMPLETED', 'CANCELLED')`),
      )
      .groupBy(deliveries.vehicleId)
  )
}

function listed(orm: Orm, query: DeliveryQuery) {
  const { statuses, createdAfterMs, createdBeforeMs, beforeNumber } = query
  return orm
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.siteId, query.siteId),
        statuses === null ? undefined : inArray(deliveries.status, [...statuses]),
        createdAfterMs === null ? undefined : gt(deliveries.createdAtMs, createdAfterMs),
        createdBeforeMs === null ? undefined : lt(deliveries.createdAtMs, createdBeforeMs),
        beforeNumber === null ? undefined : lt(deliveries.number, beforeNumber),
      ),
    )
    .orderBy(desc(deliveries.number))
    .limit(query.limit)
}

function vehiclesOver({ read, write }: Sql): VehicleRows["Type"] {
  const first = ([row]: readonly (FixRow & { readonly id: number })[]): FixRow | null =>
    row === undefined ? null : withoutId(row)
  return {
    insert: (vehicle) => write("inserting a vehicle", (orm) => orm.insert(vehicles).values(vehicle)),
    change: (id, change) =>
      write("changing a vehicle", (orm) =>
        orm.update(vehicles).set(change).where(eq(vehicles.vehicleId, id)),
      ),
    byId: (id): Effect.Effect<VehicleRow | null> =>
      Effect.map(
        read("reading a vehicle", (orm) => orm.select().from(vehicles).where(eq(vehicles.vehicleId, id))),
        ([row]) => row ?? null,
      ),
    ofFleet: (fleetId) =>
      read("reading a fleet", (orm) =>
        orm.select().from(vehicles).where(eq(vehicles.fleetId, fleetId)).orderBy(asc(vehicles.vehicleId)),
      ),
    insertFix: (fix) => write("keeping a fix", (orm) => orm.insert(vehicleFixes).values(fix)),
    hasFix: (vehicleId, recordedAtMs) =>
      Effect.map(
        read("looking for a fix", (orm) =>
          orm
            .select({ id: vehicleFixes.id })
            .from(vehicleFixes)
            .where(and(eq(vehicleFixes.vehicleId, vehicleId), eq(vehicleFixes.recordedAtMs, recordedAtMs)))
            .limit(1),
        ),
        (rows) => rows.length > 0,
      ),
    lastFix: (of) =>
      Effect.map(
        read("reading the last fix", (orm) =>
          orm
            .select()
            .from(vehicleFixes)
            .where(
              "vehicleId" in of
                ? eq(vehicleFixes.vehicleId, of.vehicleId)
                : eq(vehicleFixes.deliveryId, of.deliveryId),
            )
            .orderBy(desc(vehicleFixes.recordedAtMs), desc(vehicleFixes.id))
            .limit(1),
        ),
        first,
      ),
    firstFixSince: (vehicleId, sinceMs) =>
      Effect.map(
        read("reading a fix", (orm) =>
          orm
            .select()
            .from(vehicleFixes)
            .where(and(eq(vehicleFixes.vehicleId, vehicleId), gte(vehicleFixes.recordedAtMs, sinceMs)))
            .orderBy(asc(vehicleFixes.recordedAtMs), asc(vehicleFixes.id))
            .limit(1),
        ),
        first,
      ),
  }
}

function withoutId({ id: _, ...fix }: FixRow & { readonly id: number }): FixRow {
  return fix
}

function optOutsOver({ read, write }: Sql): OptOutRows["Type"] {
  const keyed = ({ environment, organizationId }: OptOutScope, digest: string) => ({
    environment,
    organizationId: organizationId ?? "",
    digest,
  })
  const isIt = (scope: OptOutScope, digest: string) => {
    const row = keyed(scope, digest)
    return and(
      eq(optOuts.environment, row.environment),
      eq(optOuts.organizationId, row.organizationId),
      eq(optOuts.digest, row.digest),
    )
  }
  return {
    put: (scope, digest) =>
      write("keeping an opt-out", (orm) =>
        orm.insert(optOuts).values(keyed(scope, digest)).onConflictDoNothing(),
      ),
    remove: (scope, digest) =>
      write("clearing an opt-out", (orm) => orm.delete(optOuts).where(isIt(scope, digest))),
    has: (scope, digest) =>
      Effect.map(
        read("looking for an opt-out", (orm) => orm.select().from(optOuts).where(isIt(scope, digest))),
        (rows) => rows.length > 0,
      ),
  }
}

function noticesOver({ read, write }: Sql): Notices["Type"] {
  return {
    add: (notice) => write("adding a notice", (orm) => orm.insert(notices).values(notice)),
    list: ({ organizationId, environment }) =>
      Effect.map(
        read("reading notices", (orm) =>
          orm
            .select()
            .from(notices)
            .where(and(eq(notices.environment, environment), eq(notices.organizationId, organizationId)))
            .orderBy(asc(notices.number)),
        ),
        (rows) => rows.map(({ number: _, ...notice }) => notice),
      ),
  }
}
