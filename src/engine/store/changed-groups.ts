/** Changed groups with their topics over SQL. */

import { Effect, Layer } from "effect"
import { ChangedGroups } from "../services/changed-groups.ts"
import type { ChangedGroup, Topic } from "../services/changed-groups.ts"
import { Routine } from "../services/routine.ts"
import { Database } from "./database.ts"
import { ask } from "./prepared-query.ts"
import { sqlOver } from "./transaction.ts"

export const layerChangedGroups: Layer.Layer<ChangedGroups, never, Database> = Layer.effect(
  ChangedGroups,
  Effect.map(Database, (database): ChangedGroups["Type"] => {
    const { read } = sqlOver(database)
    return {
      last: Routine.map(
        read("looking for the end of the journal", (orm) => ask(orm, LAST, [])),
        ([row]) => Number(row?.["position"] ?? 0),
      ),
      after: (position, limit) =>
        Routine.map(
          read("following the journal", (orm) => ask(orm, AFTER, [position, limit])),
          (rows) => ({
            changes: changesIn(rows),
            position: Number(rows.at(-1)?.["position"] ?? position),
            looked: new Set(rows.map((row) => Number(row["position"]))).size,
          }),
        ),
    }
  }),
)

const LAST = "select max(position) as position from journal"

/**
 * $1 position, $2 limit. Owners are looked up for each entry: a join might read whole tables. One row for each topic of an entry, and
 * one for an entry without a topic. A courier errand's site is its store, which no board has; its vehicle is told to its fleet.
 */
const AFTER = `
  select entry.position, entry.group_address as address, entry.revision, topic.kind, topic.environment, topic.id
  from (select position, group_address, revision, split_part(group_address, '/', 1) as kind,
      split_part(group_address, '/', 2) as id
    from journal where position > $1 order by position limit $2) as entry
  left join lateral (
    select 'organization' as kind, environment, organization_id as id from deliveries
      where entry.kind = 'delivery' and delivery_id = entry.id
    union all
    select 'site', environment, site_id from deliveries
      where entry.kind in ('compartment', 'courier-order', 'delivery') and delivery_id = entry.id
    union all
    select 'fleet', environment, fleet_id from deliveries
      where entry.kind = 'compartment' and delivery_id = entry.id
    union all
    select 'organization', environment, organization_id from reservations
      where entry.kind = 'reservation' and reservation_id = entry.id
    union all
    select 'site', booked.environment, zones.site_id from reservations as booked
      join zones on zones.environment = booked.environment and zones.zone_id = booked.zone_id
      where entry.kind = 'reservation' and booked.reservation_id = entry.id
    union all
    select 'site', environment, site_id from runner_calls
      where entry.kind = 'runner-call' and call_id = entry.id
    union all
    select 'fleet', environment, fleet_id from vehicles
      where entry.kind = 'vehicle' and vehicle_id = entry.id
    union all
    select 'organization', environment, organization_id from webhook_endpoints
      where entry.kind = 'webhook-endpoint' and webhook_id = entry.id
    union all
    select 'organization', environment, organization_id from webhook_endpoints
      where entry.kind = 'webhook-delivery'
        and webhook_id = (select webhook_id from webhook_deliveries where delivery_id = entry.id)
  ) as topic on true
  order by entry.position`

type Row = Readonly<Record<string, unknown>>

/** The topics of each entry are in rows after one another. */
function changesIn(rows: readonly Row[]): readonly ChangedGroup[] {
  const changes = new Map<number, ChangedGroup & { readonly topics: Topic[] }>()
  for (const { position, address, revision, kind, environment, id } of rows) {
    if (typeof id !== "string") continue
    const topic = `${String(kind)}/${String(environment)}/${id}` as Topic
    const known = changes.get(Number(position))
    if (known === undefined)
      changes.set(Number(position), { address: String(address), revision: Number(revision), topics: [topic] })
    else known.topics.push(topic)
  }
  return [...changes.values()]
}
