/** Reservations of a site and their journals, over SQL. */

import { asc, inArray } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { groupFor } from "../../areas/reservations/commands.ts"
import { Routine } from "../../services/routine.ts"
import { Database } from "../../store/database.ts"
import { ask } from "../../store/prepared-query.ts"
import { journal } from "../../store/schema.ts"
import { sqlOver } from "../../store/transaction.ts"
import { SiteHistory } from "../site-forecast.ts"

export const layerSiteHistory: Layer.Layer<SiteHistory, never, Database> = Layer.effect(
  SiteHistory,
  Effect.map(Database, (database): SiteHistory["Type"] => {
    const { read } = sqlOver(database)
    return {
      reservations: ({ environment, zoneIds, sinceMs, limit }) =>
        Routine.map(
          read("reading past reservations of a site", (orm) =>
            ask(orm, PAST, [environment, JSON.stringify(zoneIds), sinceMs, limit]),
          ),
          (rows) =>
            rows.map((row) => ({
              address: groupFor(String(row["reservation_id"])),
              bookedMs: Number(row["created_at_ms"]),
            })),
        ),
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
    order by starts_at_ms desc, reservation_id desc limit $4) as found
  order by found.starts_at_ms desc, found.reservation_id desc limit $4`
