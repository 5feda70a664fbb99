/** The search of operations over SQL. */

import { Effect, Layer } from "effect"
import { BLANK_PHONE } from "../../../engine/services/retention/blanks.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { SearchRows } from "../search.ts"
import type { Found, FoundKind } from "../search.ts"

export const layerSearchRows: Layer.Layer<SearchRows, never, Database> = Layer.effect(
  SearchRows,
  Effect.map(Database, (database): SearchRows["Type"] => {
    const { read } = sqlOver(database)
    return {
      find: ({ environment, text, lastFour, after, limit }) =>
        Routine.map(
          read("searching for operations", (orm) =>
            ask(orm, FIND, [
              environment,
              text,
              lastFour,
              after?.createdAtMs ?? Number.MAX_SAFE_INTEGER,
              after?.id ?? "",
              limit,
            ]),
          ),
          (rows) => rows.map(foundIn),
        ),
    }
  }),
)

/** Each way to find a row has an index of its own, so each is a statement of its own. */
const ways = (order: string, id: string, phone: string): readonly string[] => [
  `lower(${order}) = lower($2)`,
  `${id} = $2`,
  `$3::text is not null and right(${phone}, 4) = $3 and ${phone} <> '${BLANK_PHONE}'`,
]

/** $4 and $5: only what comes after this place, newest first. */
const partOf = (fields: string, table: string, id: string, way: string): string => `
  (select ${fields} from ${table}
    where environment = $1 and (${way}) and (created_at_ms, ${id}) < ($4::bigint, $5::text)
    order by created_at_ms desc, ${id} desc limit $6)`

const RESERVATION = `'reservation' as kind, reservation_id as id, order_number, status, zone_id, null as site_id,
  right(end_user_phone, 4) as last_four, created_at_ms`

const DELIVERY = `case when store_place is null then 'delivery' else 'errand' end as kind, delivery_id as id,
  external_delivery_id as order_number, status, null as zone_id, site_id,
  right(customer->>'phone', 4) as last_four, created_at_ms`

/** The first page begins after the end of time, where any id does. */
const FIND = `
  select found.kind, found.id, found.order_number, found.status, found.last_four, found.created_at_ms,
    coalesce(zones.site_id, sites.site_id) as site_id
  from (select * from (
    ${[
      ...ways("order_number", "reservation_id", "end_user_phone").map((way) =>
        partOf(RESERVATION, "reservations", "reservation_id", way),
      ),
      ...ways("external_delivery_id", "delivery_id", "(customer->>'phone')").map((way) =>
        partOf(DELIVERY, "deliveries", "delivery_id", way),
      ),
    ].join("\n    union\n    ")}
    ) as each order by created_at_ms desc, id desc limit $6) as found
  left join zones on zones.environment = $1 and zones.zone_id = found.zone_id
  left join sites on sites.environment = $1 and sites.site_id = found.site_id
  order by found.created_at_ms desc, found.id desc`

function foundIn(row: Readonly<Record<string, unknown>>): Found {
  const siteId = row["site_id"]
  return {
    kind: row["kind"] as FoundKind,
    id: String(row["id"]),
    orderNumber: String(row["order_number"]),
    status: String(row["status"]),
    siteId: typeof siteId === "string" ? siteId : null,
    lastFour: String(row["last_four"]),
    createdAtMs: Number(row["created_at_ms"]),
  }
}
