/** Direct delivery's rows over SQL. */

import { and, asc, eq, isNull, lte, sql } from "drizzle-orm"
import type { SQL, SQLWrapper } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { sites } from "../../catalog/rows.ts"
import { HoldsInSql } from "../../dispatch/holds.ts"
import { VehicleRows, vehicles as declaredVehicles } from "../../dispatch/rows.ts"
import { vehicleRowsOver } from "../../dispatch/vehicle-repository.ts"
import { deliveryRowsOver } from "../delivery-repository.ts"
import type { DeliveryReads } from "../delivery-repository.ts"
import * as declared from "../rows.ts"
import { OptOutRows } from "../../messages/rows.ts"
import type { DeliveryRows, DeliverySite } from "../rows.ts"
import { DeliverySites } from "../rows.ts"
import type { PurgeOrder } from "../../../engine/services/retention/retention.ts"
import { BLANK_PHONE } from "../../../engine/services/retention/blanks.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Notices } from "../../webhooks/notices.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { RowCache } from "../../../engine/store/row-cache.ts"
import { layerTables, tablesOver } from "../../../engine/store/sql-tables.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { forgetOnce, setOnce, sqlOver } from "../../../engine/store/transaction.ts"
import type { Sql } from "../../../engine/store/transaction.ts"
import { POOL_ANSWERS, poolOver } from "../../dispatch/store/vehicle-pool.ts"

const deliveries = declaredTable(declared.deliveries)
const quotes = declaredTable(declared.quotes)
const vehicles = declaredTable(declaredVehicles)

/** Every port of direct delivery over one database. */
export const layerDeliveryStore: Layer.Layer<
  DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows,
  never,
  Database | HoldsInSql
> = Layer.unwrapEffect(
  Effect.map(Effect.all([Database, HoldsInSql]), ([database, holds]) => {
    const here = sqlOver(database)
    const tables = tablesOver(database)
    const rows = deliveryRowsOver(tables, {
      ...personalRows(here),
      prefetchRunsOf: prefetchingRuns(here),
      progress: progressOver(here),
      completions: completionsOver(here),
    })
    return Layer.mergeAll(
      Layer.succeed(declared.DeliveryRows, {
        ...rows,
        insert: (row) =>
          Routine.zipRight(
            rows.insert(row),
            forgetOnce((name) => name.startsWith(POOL_ANSWERS)),
          ),
      }),
      Layer.succeed(VehicleRows, vehicleRowsOver(tables, poolOver(here, holds, queueInSql))),
      Layer.mergeAll(DeliverySites.layer, Notices.layer, OptOutRows.layer).pipe(Layer.provide(layerTables)),
    )
  }),
)

/** The open runs of a vehicle as dispatch's statement reads them, and where they are collected. */
function queueInSql({
  fleetId,
  vehicleId,
}: {
  readonly fleetId: string
  readonly vehicleId: string
}): string {
  return `select json_agg(json_build_object('number', d.number, 'status', d.status, 'readyByMs', d.ready_by_ms,
      'pickupEtaMs', d.pickup_eta_ms, 'deliveryEtaMs', d.delivery_eta_ms, 'customer', d.place, 'store', coalesce(d.store_place, s.place)))
    from deliveries d left join sites s on s.site_id = d.site_id and s.organization_id is not null
    where d.fleet_id = ${fleetId} and d.vehicle_id = ${vehicleId} and d.status not in ('COMPLETED', 'CANCELLED')`
}

/** Writes a site from which deliveries start; what is there under its id is replaced. Any open SQL transaction serves. */
export function writeDeliverySite(site: DeliverySite): Routine<void, never, Database> {
  const writing = Routine.flatMap(Database, (database) => tablesOver(database).of(sites).upsert(site))
  return writing as Routine<void, never, Database>
}

/** One statement: the fleet of the vehicle is not known before it. */
function prefetchingRuns({ read }: Sql): DeliveryReads["prefetchRunsOf"] {
  const cache = new RowCache(declared.deliveries)
  return (vehicleId) =>
    Routine.flatMap(
      read("prefetching the runs of a vehicle", (orm) =>
        orm
          .select(shownColumns(declared.deliveries))
          .from(deliveries)
          .where(
            and(
              eq(deliveries.fleetId, fleetOf(orm, vehicleId)),
              // Written out, not parameters: so the partial index of open deliveries serves prepared plans too.
              sql`${deliveries.status} not in ('COMPLETED', 'CANCELLED')`,
              eq(deliveries.vehicleId, vehicleId),
            ),
          ),
      ),
      (rows) => Routine.forEach(rows, (row) => setOnce(cache.nameOf(row), [row]), { discard: true }),
    )
}

function progressOver({ read }: Sql): DeliveryReads["progress"] {
  return ({ organizationId, environment }) =>
    Routine.map(
      read("reading the progress of an organization", (orm) =>
        ask(orm, PROGRESS, [organizationId, environment]),
      ),
      ([row]) => ({ hasQuote: row?.["has_quote"] === true, hasCompleted: row?.["has_completed"] === true }),
    )
}

/** $1 organization, $2 environment. */
const PROGRESS = `select
  exists (select from sites join quotes on quotes.site_id = sites.site_id
    where sites.organization_id = $1 and sites.environment = $2) as has_quote,
  exists (select from deliveries
    where organization_id = $1 and environment = $2 and status = 'COMPLETED') as has_completed`

function completionsOver({ read }: Sql): DeliveryReads["completions"] {
  return ({ siteId, organizationId, environment, cuts }) =>
    Routine.map(
      read("counting the completed deliveries of a site", (orm) =>
        ask(orm, COMPLETIONS, [
          siteId,
          organizationId,
          environment,
          `{${cuts.join(",")}}`,
          cuts[0] ?? 0,
          cuts.at(-1) ?? 0,
        ]),
      ),
      (rows) => {
        const byPart = new Map(rows.map((row) => [Number(row["part"]), row]))
        return cuts.slice(1).map((_, at) => {
          const { completed = 0, kept = 0, fee_cents = 0 } = byPart.get(at + 1) ?? {}
          return { completed: Number(completed), kept: Number(kept), feeCents: Number(fee_cents) }
        })
      },
    )
}

/** $1 site, $2 organization, $3 environment, $4 cuts, $5 the first and $6 the last of them. Doubles represent these integers exactly, and both drivers read them alike. */
export const COMPLETIONS = `select width_bucket(completed_at_ms, $4::bigint[]) as part, count(*)::float8 as completed,
    (count(*) filter (where completed_at_ms <= delivery_eta_ms))::float8 as kept, sum(fee_cents)::float8 as fee_cents
  from deliveries
  where site_id = $1 and organization_id = $2 and environment = $3 and status = 'COMPLETED'
    and completed_at_ms >= $5 and completed_at_ms < $6
  group by 1`

function fleetOf(orm: Orm, vehicleId: string): SQL {
  return sql`(${orm.select({ fleetId: vehicles.fleetId }).from(vehicles).where(eq(vehicles.vehicleId, vehicleId))})`
}

/** As in the partial indexes that serve the purges. */
function holdsPerson(customer: typeof deliveries.customer): SQL {
  return sql`${customer} ->> 'phone' <> ${sql.raw(`'${BLANK_PHONE}'`)}`
}

function personalRows({ writeReturning }: Sql): Pick<DeliveryReads, "ended" | "expired"> {
  const endedAtMs = sql`coalesce(${deliveries.completedAtMs}, ${deliveries.cancelledAtMs})`
  const endedBy = (at: SQLWrapper, more: SQL | undefined, { beforeMs, limit }: PurgeOrder) =>
    writeReturning("finding deliveries that ended", (orm) =>
      orm
        .select(shownColumns(declared.deliveries))
        .from(deliveries)
        .where(and(holdsPerson(deliveries.customer), lte(at, beforeMs), more))
        .orderBy(asc(at))
        .limit(limit)
        .for("update", { skipLocked: true }),
    )
  const expiredBy = (at: SQLWrapper, more: SQL | undefined, { beforeMs, limit }: PurgeOrder) =>
    writeReturning("finding quotes that expired", (orm) =>
      orm
        .select(shownColumns(declared.quotes))
        .from(quotes)
        .where(and(holdsPerson(quotes.customer), lte(at, beforeMs), more))
        .orderBy(asc(at))
        .limit(limit)
        .for("update", { skipLocked: true }),
    )
  return {
    ended: (order) =>
      inTurn(
        order,
        (rest) => endedBy(endedAtMs, isNull(deliveries.keptFromMs), rest),
        (rest) => endedBy(deliveries.keptFromMs, undefined, rest),
      ),
    expired: (order) =>
      inTurn(
        order,
        (rest) => expiredBy(quotes.expiresAtMs, isNull(quotes.keptFromMs), rest),
        (rest) => expiredBy(quotes.keptFromMs, undefined, rest),
      ),
  }
}

/** Rows with real instants, then those of organizations whose clock was moved: each has an index of its own. */
function inTurn<A, R>(
  order: PurgeOrder,
  usual: (order: PurgeOrder) => Routine<readonly A[], never, R>,
  moved: (order: PurgeOrder) => Routine<readonly A[], never, R>,
): Routine<readonly A[], never, R> {
  return Routine.flatMap(usual(order), (found) =>
    found.length >= order.limit
      ? Routine.succeed(found)
      : Routine.map(moved({ ...order, limit: order.limit - found.length }), (more) => [...found, ...more]),
  )
}
