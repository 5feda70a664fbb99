/** The orders and organizations of groups over SQL: they stand in rows of several areas, and never in a journal. */

import { sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import type { Environment } from "../../../model/caller.ts"

/** Groups of these kinds have the id of a reservation, a delivery or an errand. */
export const KINDS =
  "(values ('reservation'), ('delivery'), ('courier-order'), ('compartment')) as kinds (kind)"

const ORDERS = `(
    select reservation_id as id, order_number, organization_id, environment from reservations
    union all
    select delivery_id, external_delivery_id, organization_id, environment from deliveries
  ) as orders`

const KINDS_SQL = sql.raw(KINDS)
const ORDERS_SQL = sql.raw(ORDERS)

/** Organizations whose name has the text, and orders and webhook deliveries of each, newest first, that a search looks at. */
const NAMED_MAX = 10
const OF_ORGANIZATION_MAX = 2_000

/**
 * Addresses of the groups of an order, and of its webhook deliveries. Each table has an index of its order numbers. An array, so that
 * each address is looked up: with a subquery a plan may walk all groups instead.
 */
export function groupsOfOrder(environment: Environment, orderNumber: string): SQL {
  return sql`array(
    with found as materialized (
      select id from ${ORDERS_SQL}
      where environment = ${environment} and lower(order_number) = lower(${orderNumber}))
    select kind || '/' || id from found cross join ${KINDS_SQL}
    union all
    select 'webhook-delivery/' || sent.delivery_id from webhook_deliveries as sent
    join found on found.id = sent.reservation_id)`
}

/** Addresses of the groups of organizations with this id, or with this text in their name: the newest of each. */
export function groupsOfOrganization(environment: Environment, text: string): SQL {
  return sql`array(
    with own as materialized (
      (select organization_id from organizations where position(lower(${text}) in lower(name)) > 0
        order by name limit ${sql.raw(String(NAMED_MAX))})
      union select ${text}::text),
    endpoints as materialized (
      select webhook_id from webhook_endpoints where environment = ${environment}
        and organization_id in (select organization_id from own))
    select 'reservation/' || newest.reservation_id from own cross join lateral (
      select reservation_id from reservations
      where environment = ${environment} and organization_id = own.organization_id
      order by number desc limit ${sql.raw(String(OF_ORGANIZATION_MAX))}) as newest
    union all
    select kind || '/' || newest.delivery_id from own cross join lateral (
      select delivery_id from deliveries
      where organization_id = own.organization_id and environment = ${environment}
      order by number desc limit ${sql.raw(String(OF_ORGANIZATION_MAX))}) as newest cross join ${KINDS_SQL}
    union all
    select 'webhook-endpoint/' || webhook_id from endpoints
    union all
    select 'webhook-delivery/' || newest.delivery_id from endpoints cross join lateral (
      select delivery_id from webhook_deliveries where webhook_id = endpoints.webhook_id
      order by number desc limit ${sql.raw(String(OF_ORGANIZATION_MAX))}) as newest)`
}

/** Order number, organization and type of the event by the ids of groups. $1: the ids, as JSON. */
export const OWNERS = `
  with asked as materialized (select value as id from json_array_elements_text($1::json)),
  owned as (
    select id, order_number, organization_id, null as event_type from ${ORDERS} where id in (select id from asked)
    union all
    select webhook_id, null, organization_id, null from webhook_endpoints where webhook_id in (select id from asked)
    union all
    select sent.delivery_id, orders.order_number, endpoints.organization_id, webhook_bodies.event_type
    from webhook_deliveries as sent
    join webhook_endpoints as endpoints using (webhook_id)
    left join ${ORDERS} on orders.id = sent.reservation_id
    left join webhook_bodies using (event_id)
    where sent.delivery_id in (select id from asked))
  select owned.id, owned.order_number, owned.event_type, organizations.name
  from owned left join organizations using (organization_id)`
