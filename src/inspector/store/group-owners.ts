/** The orders and organizations of groups over SQL: they stand in rows of several areas, and never in a journal. */

import { sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import type { Environment } from "../../model/caller.ts"

/** Groups of these kinds have the id of a reservation, a delivery or an errand. */
const KINDS = "(values ('reservation'), ('delivery'), ('courier-order'), ('compartment')) as kinds (kind)"

const ORDERS = `(
    select reservation_id as id, order_number, organization_id, environment from reservations
    union all
    select delivery_id, external_delivery_id, organization_id, environment from deliveries
  ) as orders`

const KINDS_SQL = sql.raw(KINDS)
const ORDERS_SQL = sql.raw(ORDERS)

/** Addresses of the groups of an order, and of its webhook deliveries. Each table has an index of its order numbers. */
export function groupsOfOrder(environment: Environment, orderNumber: string): SQL {
  return sql`(
    with found as materialized (
      select id from ${ORDERS_SQL}
      where environment = ${environment} and lower(order_number) = lower(${orderNumber}))
    select kind || '/' || id from found cross join ${KINDS_SQL}
    union all
    select 'webhook-delivery/' || sent.delivery_id from webhook_deliveries as sent
    join found on found.id = sent.reservation_id)`
}

/** Addresses of the groups of organizations with this id, or with this text in their name. */
export function groupsOfOrganization(environment: Environment, text: string): SQL {
  return sql`(
    with own as materialized (
      select organization_id from organizations where position(lower(${text}) in lower(name)) > 0
      union select ${text}::text)
    select kind || '/' || id from ${ORDERS_SQL} join own using (organization_id) cross join ${KINDS_SQL}
    where environment = ${environment}
    union all
    select 'webhook-endpoint/' || webhook_id from webhook_endpoints join own using (organization_id)
    where environment = ${environment}
    union all
    select 'webhook-delivery/' || sent.delivery_id from webhook_deliveries as sent
    join webhook_endpoints as endpoints using (webhook_id) join own using (organization_id)
    where endpoints.environment = ${environment})`
}

/** Order number and organization by the ids of groups. $1: the ids, as JSON. */
export const OWNERS = `
  with asked as materialized (select value as id from json_array_elements_text($1::json)),
  owned as (
    select id, order_number, organization_id from ${ORDERS} where id in (select id from asked)
    union all
    select webhook_id, null, organization_id from webhook_endpoints where webhook_id in (select id from asked)
    union all
    select sent.delivery_id, orders.order_number, endpoints.organization_id
    from webhook_deliveries as sent
    join webhook_endpoints as endpoints using (webhook_id)
    left join ${ORDERS} on orders.id = sent.reservation_id
    where sent.delivery_id in (select id from asked))
  select owned.id, owned.order_number, organizations.name
  from owned left join organizations using (organization_id)`
