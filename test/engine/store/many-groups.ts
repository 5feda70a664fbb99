/**
 * Very many groups for the inspector's list: a reservation in five, webhook deliveries about it otherwise. They are copies of one
 * booking of a service, so that its first organization also owns the most of them.
 */

import { sql } from "drizzle-orm"
import type { GroupQuery } from "../../../src/apps/inspector/rows.ts"
import { INSPECTED_GROUPS_BATCH } from "../../../src/model/values/limits.ts"
import type { Orm } from "../../../src/engine/store/database.ts"
import { Database } from "../../../src/engine/store/database.ts"
import type { RealService } from "../../attacks/real-service.ts"

/** The first page of all open groups. */
export const OPEN_GROUPS: GroupQuery = {
  environment: "production",
  kind: null,
  addressPart: null,
  orderNumber: null,
  organization: null,
  isOpen: true,
  isStopped: false,
  dueBeforeMs: null,
  beforeNumber: null,
  limit: INSPECTED_GROUPS_BATCH,
}

/** Organizations beside the first. */
const ORGANIZATIONS = 199
const EVENTS = 4

export interface ManyGroups {
  readonly reservations: number
  /** One group in this many is open. */
  readonly oneOpenIn: number
}

/** Order numbers are `M-1` to `M-…`; organizations `Many 1` to `Many 199`. */
export async function addManyGroups(service: RealService, many: ManyGroups): Promise<void> {
  const hook = { url: "https://hooks.partner.example/a", subscribed_events: ["reservation.status_changed"] }
  await service.call("POST", "/rs/v1/webhooks", { body: hook })
  await service.call("POST", "/rs/v1/reservations", {
    headers: { "idempotency-key": "one" },
    body: service.booking(),
  })
  const { orm } = await service.run(Database)
  await orm.transaction((transaction) => copy(transaction as unknown as Orm, many))
}

async function copy(orm: Orm, { reservations, oneOpenIn }: ManyGroups): Promise<void> {
  const groups = sql`generate_series(1, ${reservations}) n`
  await orm.execute(sql`set local statement_timeout = 0`)
  await orm.execute(sql`
    insert into organizations select (jsonb_populate_record(null::organizations, to_jsonb(one) || jsonb_build_object(
      'organization_id', 'org_' || n, 'name', 'Many ' || n))).*
    from (select * from organizations limit 1) one, generate_series(1, ${ORGANIZATIONS}) n`)
  await orm.execute(sql`
    insert into webhook_endpoints select (jsonb_populate_record(null::webhook_endpoints, to_jsonb(one) || jsonb_build_object(
      'webhook_id', 'whk_' || n, 'organization_id', 'org_' || n, 'number', 1000 + n))).*
    from (select * from webhook_endpoints limit 1) one, generate_series(1, ${ORGANIZATIONS}) n`)
  await orm.execute(sql`
    insert into reservations select (jsonb_populate_record(null::reservations, to_jsonb(one) || jsonb_build_object(
      'reservation_id', 'res_' || n, 'number', 1000000 + n, 'order_number', 'M-' || n, 'idempotency_key', null,
      'organization_id', case n % 2 when 0 then one.organization_id else 'org_' || (n % ${ORGANIZATIONS} + 1) end))).*
    from (select * from reservations limit 1) one, ${groups}`)
  await orm.execute(sql`
    insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
    select 'reservation/res_' || n, one.kind,
      one.revision, one.instant_ms, one.occurred_us, one.head,
      replace(one.actors::text, one.address, 'reservation/res_' || n)::json, n % ${oneOpenIn} <> 0, one.environment
    from (select * from groups where kind = 'reservation' limit 1) one, ${groups}`)
  await orm.execute(sql`
    insert into webhook_deliveries (delivery_id, webhook_id, event_id, reservation_id, number)
    select 'm' || n || '-' || e, case n % 2 when 0 then (select webhook_id from webhook_endpoints order by number limit 1)
      else 'whk_' || (n % ${ORGANIZATIONS} + 1) end, 'm' || n || '-' || e, 'res_' || n, 1000000 + n * 10 + e
    from ${groups}, generate_series(1, ${EVENTS}) e`)
  await orm.execute(sql`
    insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
    select 'webhook-delivery/m' || n || '-' || e, 'webhook-delivery', 3, 0, 0, '',
      json_build_array(json_build_object('address', 'webhook-delivery/m' || n || '-' || e, 'machine', 'webhook-delivery@2',
        'value', 'waiting')), n % ${oneOpenIn} <> 0, 'production'
    from ${groups}, generate_series(1, ${EVENTS}) e`)
}
