/** Changed groups of organizations over SQL. */

import { Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { ChangedGroups } from "../changes.ts"
import type { ChangedGroup } from "../changes.ts"
import { Database } from "../../store/database.ts"
import { ask } from "../../store/prepared-query.ts"
import { sqlOver } from "../../store/transaction.ts"

export const layerChangedGroups: Layer.Layer<ChangedGroups, never, Database> = Layer.effect(
  ChangedGroups,
  Effect.map(Database, (database): ChangedGroups["Type"] => {
    const { read } = sqlOver(database)
    return {
      last: Effect.map(
        read("looking for the end of the journal", (orm) => ask(orm, LAST, [])),
        ([row]) => Number(row?.["position"] ?? 0),
      ),
      after: (position, limit) =>
        Effect.map(
          read("following the journal", (orm) => ask(orm, AFTER, [position, limit])),
          (rows) => ({
            changes: rows.flatMap((row) => changeOf(row) ?? []),
            position: Number(rows.at(-1)?.["position"] ?? position),
            looked: rows.length,
          }),
        ),
    }
  }),
)

const LAST = "select max(position) as position from journal"

/** $1 position, $2 limit. Owners are looked up for each entry: a join might read whole tables. */
const AFTER = `
  select entry.position, entry.group_address as address, entry.revision, owner.organization_id, owner.environment
  from (select position, group_address, revision, split_part(group_address, '/', 1) as kind,
      split_part(group_address, '/', 2) as id
    from journal where position > $1 order by position limit $2) as entry
  left join lateral (
    select organization_id, environment from deliveries
      where entry.kind = 'delivery' and delivery_id = entry.id
    union all
    select organization_id, environment from reservations
      where entry.kind = 'reservation' and reservation_id = entry.id
    union all
    select organization_id, environment from webhook_endpoints
      where entry.kind = 'webhook-endpoint' and webhook_id = entry.id
    union all
    select organization_id, environment from webhook_endpoints
      where entry.kind = 'webhook-delivery'
        and webhook_id = (select webhook_id from webhook_deliveries where delivery_id = entry.id)
    limit 1
  ) as owner on true
  order by entry.position`

/** Null for a group without an organization, such as a vehicle. */
function changeOf(row: Readonly<Record<string, unknown>>): ChangedGroup | null {
  const { address, revision, organization_id: organizationId, environment } = row
  if (typeof organizationId !== "string") return null
  return {
    address: String(address),
    revision: Number(revision),
    organizationId,
    environment: environment as Environment,
  }
}
