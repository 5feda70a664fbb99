/** Reservations, deliveries and errands of a site, their journals, and its fleet now, over SQL. */

import { asc, inArray } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { idOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import type { DeliveryTerms } from "../../../model/requests/forecast-order.ts"
import type { PersistedGroup } from "../../../engine/kernel/group.ts"
import { groupFor } from "../../../areas/reservations/commands.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { journal } from "../../../engine/store/schema.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { SiteHistory } from "../site-forecast.ts"

export const layerSiteHistory: Layer.Layer<SiteHistory, never, Database> = Layer.effect(
  SiteHistory,
  Effect.map(Database, (database): SiteHistory["Type"] => {
    const { read } = sqlOver(database)
    const groupsAt = (addresses: readonly GroupAddress[]): Routine<readonly PersistedGroup[]> =>
      addresses.length === 0
        ? Routine.succeed([])
        : Routine.map(
            read("reading groups of a fleet", (orm) => ask(orm, GROUPS, [JSON.stringify(addresses)])),
            (rows) => rows.map((row) => row["kept"] as PersistedGroup),
          )
    return {
      reservations: ({ environment, zoneIds, sinceMs, bookedBeforeMs, limit }) =>
        Routine.map(
          read("reading past reservations of a site", (orm) =>
            ask(orm, PAST, [environment, JSON.stringify(zoneIds), sinceMs, limit, bookedBeforeMs]),
          ),
          (rows) =>
            rows.map((row) => ({
              address: groupFor(String(row["reservation_id"])),
              bookedMs: Number(row["created_at_ms"]),
            })),
        ),
      runs: ({ environment, siteId, fleetId, sinceMs, bookedBeforeMs, limit }) =>
        Routine.map(
          read("reading past runs of a site", (orm) =>
            ask(orm, PAST_RUNS, [environment, siteId, fleetId, sinceMs, limit, bookedBeforeMs]),
          ),
          (rows) =>
            rows.map((row) => ({
              address: String(row["address"]),
              bookedMs: Number(row["created_at_ms"]),
            })),
        ),
      openFleet: ({ environment, fleetId, quotedSinceMs, limit }) =>
        Routine.gen(function* () {
          const found = yield* read("reading the open runs of a fleet", (orm) =>
            ask(orm, OPEN_FLEET, [environment, fleetId, limit + 1, quotedSinceMs]),
          )
          const ofKind = (kind: string) => found.filter((row) => row["kind"] === kind)
          const counts = ["vehicle", "delivery", "courier-order"].map((kind) => ofKind(kind).length)
          const isWhole = counts.every((count) => count <= limit)
          const addresses = isWhole ? found.map((row) => String(row["address"])) : []
          const terms = isWhole ? ofKind("delivery").map(termsOf) : []
          return { groups: yield* groupsAt(addresses), terms, isWhole }
        }),
      entries: (groups) =>
        groups.length === 0
          ? Routine.succeed([])
          : Routine.map(
              read("reading journals of reservations", (orm) =>
                orm
                  .select({ text: journal.text })
                  .from(journal)
                  .where(inArray(journal.groupAddress, [...groups]))
                  .orderBy(asc(journal.groupAddress), asc(journal.revision)),
              ),
              (rows) => rows.map(({ text }) => text),
            ),
    }
  }),
)

/** Zone by zone, so that each is read by the index of arrivals, and no more than wanted of each. */
const PAST = `
  select found.reservation_id, found.created_at_ms
  from jsonb_array_elements_text($2::jsonb) as of_site(zone_id)
  cross join lateral (
    select reservation_id, created_at_ms, starts_at_ms from reservations
    where environment = $1 and zone_id = of_site.zone_id and starts_at_ms >= $3::bigint
      and ($5::bigint is null or created_at_ms < $5::bigint)
    order by starts_at_ms desc, reservation_id desc limit $4) as found
  order by found.starts_at_ms desc, found.reservation_id desc limit $4`

/** Deliveries and errands are few beside fixes and journals; each is read by an index of its own. */
const PAST_RUNS = `
  select found.address, found.created_at_ms from (
    (select 'delivery/' || delivery_id as address, created_at_ms from deliveries
      where site_id = $2 and environment = $1 and created_at_ms >= $4::bigint
        and ($6::bigint is null or created_at_ms < $6::bigint)
      order by created_at_ms desc, delivery_id desc limit $5)
    union all
    (select 'courier-order/' || delivery_id, created_at_ms from courier_orders
      where $1 = 'production' and fleet_id = $3 and created_at_ms >= $4::bigint
        and ($6::bigint is null or created_at_ms < $6::bigint)
      order by created_at_ms desc, delivery_id desc limit $5)) as found
  order by found.created_at_ms desc, found.address desc limit $5`

/** Errands that are booked come with their deliveries. */
const OPEN_FLEET = `
  with open_runs as (
    select delivery_id, site_id, ready_by_ms, delivery_eta_ms from deliveries
    where fleet_id = $2 and environment = $1 and status not in ('COMPLETED', 'CANCELLED')
    order by number limit $3)
  (select 'vehicle' as kind, 'vehicle/' || vehicle_id as address, null::bigint as ready_by_ms, null::bigint as delivery_eta_ms
    from vehicles where fleet_id = $2 and environment = $1 order by vehicle_id limit $3)
  union all
  (select 'delivery', 'delivery/' || delivery_id, ready_by_ms, delivery_eta_ms from open_runs)
  union all
  (select 'courier-order', 'courier-order/' || delivery_id, null, null from courier_orders
    where $1 = 'production' and fleet_id = $2 and (phase in ('held', 'authorizing', 'capturing')
      or (phase = 'quoted' and ended_at_ms is null and created_at_ms >= $4::bigint)
      or delivery_id in (select delivery_id from open_runs))
    order by delivery_id limit $3)`

/** Groups as the store keeps them, with their timers. Plain reads: a turn may happen between two of them. */
const GROUPS = `
  select json_build_object('address', g.address, 'revision', g.revision, 'instantMs', g.instant_ms,
    'occurredUs', g.occurred_us, 'head', g.head, 'actors', g.actors,
    'timers', coalesce((select json_agg(json_build_object('to', m.to_address, 'id', substr(m.key, length(m.to_address) + 2),
        'event', m.event->>'type', 'dueMs', m.due_ms, 'cause', m.cause) order by m.id)
      from mailbox m where m.group_address = g.address and m.kind = 'timer'), '[]')) as kept
  from jsonb_array_elements_text($1::jsonb) as wanted(address) join groups g on g.address = wanted.address
  order by g.address`

function termsOf(row: Readonly<Record<string, unknown>>): DeliveryTerms {
  return {
    deliveryId: idOf(String(row["address"])),
    readyByMs: Number(row["ready_by_ms"]),
    promisedAtMs: Number(row["delivery_eta_ms"]),
  }
}
