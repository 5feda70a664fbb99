/** Groups that belong to one order or event, by the rows of the areas: a reservation and its webhook deliveries, for example. */

import { KINDS } from "./group-owners.ts"

/** Calls to runners that are looked at, the newest: few are made, and no index has their reservations. */
const RUNNER_CALLS_MAX = 2_000

/**
 * Addresses of related groups. $1: kind, $2: id, $3: how many of each kind. `subjects` are the reservations, deliveries and errands
 * that the group is about; `sent` are webhook deliveries. The kind decides which parts of the statement find rows.
 */
export const RELATED = `
  with own as materialized (
    select webhook_id, reservation_id, redelivery_of from webhook_deliveries
    where $1::text = 'webhook-delivery' and delivery_id = $2::text),
  runs as materialized (
    select deliveries.delivery_id from vehicles join deliveries using (fleet_id, vehicle_id)
    where $1 = 'vehicle' and vehicles.vehicle_id = $2 and deliveries.status not in ('COMPLETED', 'CANCELLED')
    limit $3::bigint),
  ringing as materialized (
    select call_id, reservation_id from (
      select call_id, reservation_id from runner_calls order by called_at_ms desc limit ${RUNNER_CALLS_MAX}) as newest
    where ($1 = 'runner-call' and call_id = $2 or $1 = 'reservation' and reservation_id = $2)
      and reservation_id is not null
    limit $3),
  subjects as materialized (
    select $2 as id where $1 in ('reservation', 'delivery', 'courier-order', 'compartment')
    union select reservation_id from own
    union select delivery_id from runs
    union select reservation_id from ringing),
  sent as (
    (select delivery_id from webhook_deliveries
      where reservation_id = $2 and $1 in ('reservation', 'delivery', 'courier-order', 'compartment')
      order by number desc limit $3)
    union all
    (select delivery_id from webhook_deliveries where webhook_id = $2 and $1 = 'webhook-endpoint'
      order by number desc limit $3)
    union all
    (select delivery_id from webhook_deliveries where redelivery_of = $2 and $1 = 'webhook-delivery'
      order by number desc limit $3)
    union all
    select redelivery_of from own where redelivery_of is not null)
  select kind || '/' || id as address from subjects cross join ${KINDS}
  union all
  select 'vehicle/' || vehicle_id from deliveries
    where delivery_id = $2 and $1 in ('delivery', 'courier-order', 'compartment')
  union all
  select 'runner-call/' || call_id from ringing
  union all
  select 'webhook-endpoint/' || webhook_id from own
  union all
  select 'webhook-delivery/' || delivery_id from sent`
