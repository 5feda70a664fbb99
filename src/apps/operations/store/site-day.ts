/** The groups of a site's day, their journals and the reports of its vehicles, over SQL. */

import { Effect, Layer } from "effect"
import { Routine } from "../../../engine/services/routine.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import { DAY_FIX_EVERY_MS, SiteDayRows } from "../site-day.ts"

/** What was due or ordered before the day may still be open on it. */
const BEFORE_MS = 12 * HOUR_MS

export const layerSiteDayRows: Layer.Layer<SiteDayRows, never, Database> = Layer.effect(
  SiteDayRows,
  Effect.map(Database, (database): SiteDayRows["Type"] => {
    const { read } = sqlOver(database)
    return {
      groups: ({ site: { environment, siteId, zoneIds, fleetId }, fromMs, untilMs, limit }) =>
        Routine.map(
          read("reading the groups of a site's day", (orm) =>
            ask(orm, GROUPS, [
              environment,
              JSON.stringify(zoneIds),
              siteId,
              fleetId,
              fromMs,
              untilMs,
              BEFORE_MS,
              limit + 1,
            ]),
          ),
          (rows) => {
            const kept = [1, 2, 3].map((rank) => rows.filter((row) => Number(row["rank"]) === rank))
            return {
              isWhole: kept.every((some) => some.length <= limit),
              groups: kept
                .flatMap((some) => some.slice(0, limit))
                .map((row) => ({
                  address: String(row["address"]),
                  revision: Number(row["revision"]),
                  promisedMs: row["promised_ms"] === null ? null : Number(row["promised_ms"]),
                })),
            }
          },
        ),
      entries: (groups) =>
        groups.length === 0
          ? Routine.succeed([])
          : Routine.map(
              read("reading journals of a site's day", (orm) => ask(orm, ENTRIES, [JSON.stringify(groups)])),
              (rows) =>
                rows.map((row) => ({
                  group: String(row["group_address"]),
                  revision: Number(row["revision"]),
                  text: String(row["text"]),
                })),
            ),
      fixes: (vehicles, untilMs) =>
        vehicles.length === 0
          ? Routine.succeed([])
          : Routine.map(
              read("reading reports of vehicles on a day", (orm) =>
                ask(orm, FIXES, [
                  JSON.stringify(
                    vehicles.map(({ vehicleId, sinceMs }) => ({ id: vehicleId, since: sinceMs })),
                  ),
                  untilMs,
                  DAY_FIX_EVERY_MS,
                ]),
              ),
              (rows) =>
                rows.map((row) => ({
                  vehicleId: String(row["vehicle_id"]),
                  atMs: Number(row["recorded_at_ms"]),
                  latitude: Number(row["latitude"]),
                  longitude: Number(row["longitude"]),
                })),
            ),
    }
  }),
)

/**
 * Zone by zone, so that each is read by the index of arrivals; deliveries by that of their site. An errand has the store of an agent and
 * not the site: it is of the day when the site's fleet carries it, and errands are read by the index of the newest.
 */
const GROUPS = `
  with of_day as (
    (select 'reservation/' || found.reservation_id as address, null::bigint as promised_ms,
        found.starts_at_ms as at_ms, 1 as rank
      from jsonb_array_elements_text($2::jsonb) as of_site(zone_id)
      cross join lateral (
        select reservation_id, starts_at_ms from reservations
        where environment = $1 and zone_id = of_site.zone_id
          and starts_at_ms >= $5::bigint - $7::bigint and starts_at_ms < $6::bigint
        order by starts_at_ms desc, reservation_id desc limit $8::integer) as found
      order by found.starts_at_ms desc, found.reservation_id desc limit $8::integer)
    union all
    (select 'delivery/' || delivery_id, delivery_eta_ms, created_at_ms, 2 from deliveries
      where site_id = $3 and environment = $1
        and created_at_ms >= $5::bigint - $7::bigint and created_at_ms < $6::bigint
      order by created_at_ms desc, delivery_id desc limit $8::integer)
    union all
    (select 'delivery/' || o.delivery_id, d.delivery_eta_ms, o.created_at_ms, 2
      from courier_orders o join deliveries d on d.delivery_id = o.delivery_id
      where $1 = 'production' and o.fleet_id = $4::text
        and o.created_at_ms >= $5::bigint - $7::bigint and o.created_at_ms < $6::bigint
      order by o.created_at_ms desc, o.delivery_id desc limit $8::integer)
    union all
    (select 'vehicle/' || vehicle_id, null, null, 3 from vehicles
      where fleet_id = $4::text and environment = $1 order by vehicle_id limit $8::integer))
  select d.address, d.promised_ms, d.rank, g.revision
  from of_day d join groups g on g.address = d.address
  where d.at_ms is null or d.at_ms >= $5::bigint or g.instant_ms >= $5::bigint
  order by d.rank, d.at_ms desc, d.address`

const ENTRIES = `
  select j.group_address, j.revision, j.text
  from jsonb_to_recordset($1::jsonb) as wanted(address text, after integer)
  join journal j on j.group_address = wanted.address and j.revision > wanted.after
  order by j.group_address, j.revision`

const FIXES = `
  select distinct on (wanted.id, f.recorded_at_ms / $3::bigint)
    wanted.id as vehicle_id, f.recorded_at_ms, f.latitude, f.longitude
  from jsonb_to_recordset($1::jsonb) as wanted(id text, since bigint)
  join vehicle_fixes f on f.vehicle_id = wanted.id
    and f.recorded_at_ms > wanted.since and f.recorded_at_ms <= $2::bigint
  order by wanted.id, f.recorded_at_ms / $3::bigint, f.recorded_at_ms`
