/** The journals of everything at a site while a case was open, over SQL. */

import { and, asc, inArray, lte } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { idOf } from "../../../model/address.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { journal } from "../../../engine/store/schema.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { CaseJournals } from "../case-moment.ts"

/** A window that begins so long before a case may still be open, and one so long after it changes nothing. */
const AROUND_MS = 12 * HOUR_MS

export const layerCaseJournals: Layer.Layer<CaseJournals, never, Database> = Layer.effect(
  CaseJournals,
  Effect.map(Database, (database): CaseJournals["Type"] => {
    const { read } = sqlOver(database)
    return {
      groups: ({ environment, siteId, zoneIds, fleetId, fromMs, untilMs, limit }) =>
        Routine.map(
          read("reading what was open at a site", (orm) =>
            ask(orm, GROUPS, [
              environment,
              JSON.stringify(zoneIds),
              siteId,
              fleetId,
              fromMs,
              untilMs,
              AROUND_MS,
              limit + 1,
            ]),
          ),
          (rows) => {
            const counts = RANKS.map((rank) => rows.filter((row) => Number(row["rank"]) === rank).length)
            return {
              groups: rows.map((row) => String(row["address"])),
              terms: rows
                .filter((row) => row["promised_ms"] !== null)
                .map((row) => ({
                  deliveryId: idOf(String(row["address"])),
                  readyByMs: Number(row["ready_by_ms"]),
                  promisedAtMs: Number(row["promised_ms"]),
                })),
              isWhole: counts.every((count) => count <= limit),
            }
          },
        ),
      entries: (groups, untilMs) =>
        groups.length === 0
          ? Routine.succeed([])
          : read("reading journals of a case", (orm) =>
              orm
                .select({ instantMs: journal.instantMs, position: journal.position, text: journal.text })
                .from(journal)
                .where(and(inArray(journal.groupAddress, [...groups]), lte(journal.instantMs, untilMs)))
                .orderBy(asc(journal.groupAddress), asc(journal.revision)),
            ),
    }
  }),
)

const RANKS = [1, 2, 3, 4]

/** Zone by zone and site by site, so that each is read by an index. Vehicles of a fleet also carry for its other sites and for agents. */
const GROUPS = `
  with of_case as (
    (select 'reservation/' || found.reservation_id as address, null::bigint as ready_by_ms, null::bigint as promised_ms, 1 as rank
      from jsonb_array_elements_text($2::jsonb) as of_site(zone_id)
      cross join lateral (
        select reservation_id from reservations
        where environment = $1 and zone_id = of_site.zone_id and created_at_ms <= $6::bigint
          and starts_at_ms >= $5::bigint - $7::bigint and starts_at_ms < $6::bigint + $7::bigint) as found)
    union all
    (select 'delivery/' || found.delivery_id, found.ready_by_ms, found.delivery_eta_ms, 2
      from sites s
      cross join lateral (
        select delivery_id, ready_by_ms, delivery_eta_ms from deliveries
        where site_id = s.site_id and environment = $1
          and created_at_ms >= $5::bigint - $7::bigint and created_at_ms <= $6::bigint) as found
      where s.environment = $1 and (s.site_id = $3 or s.fleet_id = $4::text))
    union all
    (select part.address, d.ready_by_ms, d.delivery_eta_ms, 3
      from courier_orders o
      cross join lateral (values ('courier-order/' || o.delivery_id), ('delivery/' || o.delivery_id)) as part(address)
      left join deliveries d on part.address = 'delivery/' || d.delivery_id and d.delivery_id = o.delivery_id
      where $1 = 'production' and o.fleet_id = $4::text
        and o.created_at_ms >= $5::bigint - $7::bigint and o.created_at_ms <= $6::bigint)
    union all
    (select 'vehicle/' || vehicle_id, null, null, 4 from vehicles
      where fleet_id = $4::text and environment = $1))
  select c.address, c.ready_by_ms, c.promised_ms, c.rank
  from of_case c join groups g on g.address = c.address and (c.rank = 4 or g.instant_ms >= $5::bigint)
  order by c.rank, c.address limit 4 * $8::integer`
