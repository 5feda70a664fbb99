/**
 * The lists of operations over SQL. A statement has only the conditions that its query gives, so that the database plans each
 * combination of filters by itself. Rows at sites are read place by place, newest first, by an index that begins with the place; a
 * search reads by the indexes of the search instead.
 */

import { Effect, Layer } from "effect"
import { BLANK_PHONE } from "../../../engine/services/retention/blanks.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { ListRows } from "../list-rows.ts"
import type { ListQuery } from "../list-rows.ts"
import { deliveryIn, endpointIn, errandIn, reservationIn, vehicleIn } from "./listed.ts"
import type { Found } from "./listed.ts"
import { Routine } from "../../../engine/services/routine.ts"

export const layerListRows: Layer.Layer<ListRows, never, Database> = Layer.effect(
  ListRows,
  Effect.map(Database, (database): ListRows["Type"] => {
    const { read } = sqlOver(database)
    const rowsOf = <Row>(statement: Statement, rowIn: (found: Found) => Row) =>
      Routine.map(
        read("listing for operations", (orm) => ask(orm, statement.text, statement.params)),
        (rows) => rows.map(rowIn),
      )
    return {
      reservations: (query) => rowsOf(reservations(query), reservationIn),
      deliveries: (query) => rowsOf(deliveries(query), deliveryIn),
      errands: (query) => rowsOf(errands(query), errandIn),
      endpoints: (query) => rowsOf(endpoints(query), endpointIn),
      vehicles: (query) => rowsOf(vehicles(query), vehicleIn),
    }
  }),
)

type Param = number | string | readonly string[]

interface Statement {
  readonly text: string
  readonly params: readonly (number | string)[]
}

/** Numbers the parameters of a statement. Lists are passed as JSON. */
class Params {
  readonly values: (number | string)[] = []

  /** The parameter as the statement writes it. */
  of(value: number | string): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** A condition with the parameter, or nothing for null. */
  given<Value extends Param>(value: Value | null, condition: (param: string) => string): string | null {
    if (value === null) return null
    if (typeof value !== "object") return condition(this.of(value))
    return condition(`(select jsonb_array_elements_text(${this.of(JSON.stringify(value))}::jsonb))`)
  }
}

function all(...conditions: readonly (string | null)[]): string {
  return conditions.filter((condition) => condition !== null).join(" and ")
}

/** A table whose rows are listed newest first. `r` is the row in every expression. */
interface Listed {
  readonly table: string
  readonly id: string
  /** The instant of the order. */
  readonly at: string
  readonly orderNumber: string
  readonly phone: string
  /** The table of places by which the rows are read, and its key in both tables. */
  readonly place: { readonly table: string; readonly key: string }
  readonly only: string
}

const RESERVATIONS: Listed = {
  table: "reservations",
  id: "reservation_id",
  at: "starts_at_ms",
  orderNumber: "r.order_number",
  phone: "r.end_user_phone",
  place: { table: "zones", key: "zone_id" },
  only: "true",
}

/** The run of an errand is listed as the errand. */
const DELIVERIES: Listed = {
  table: "deliveries",
  id: "delivery_id",
  at: "created_at_ms",
  orderNumber: "r.external_delivery_id",
  phone: "(r.customer->>'phone')",
  place: { table: "sites", key: "site_id" },
  only: "r.store_place is null",
}

/** Ids and instants of a page, before anything else is read of its rows. */
function pageOf(
  listed: Listed,
  query: ListQuery & { readonly statuses: readonly string[] | null },
  params: Params,
): string {
  const { table, id, at, place } = listed
  const environment = params.of(query.environment)
  const ofSites = params.given(query.siteIds, (sites) => `p.site_id in ${sites}`)
  const rows = all(
    `r.environment = ${environment}`,
    listed.only,
    params.given(query.statuses, (statuses) => `r.status in ${statuses}`),
    params.given(query.organizationId, (organization) => `r.organization_id = ${organization}`),
    ...bounds(`r.${at}`, `r.${id}`, query, params),
  )
  const order = `order by ${at} desc, ${id} desc limit ${params.of(query.limit)}::bigint`
  const ofPlace = `p.environment = ${environment} and p.${place.key} = r.${place.key}`
  if (query.text !== null) {
    return `select r.${id}, r.${at} from ${table} r join ${place.table} p on ${ofPlace}
      where ${all(rows, ofSites, `(${wholeText(listed, query.text, params)})`)} ${order}`
  }
  return `select r.${id}, r.${at} from ${place.table} p cross join lateral (
      select r.${id}, r.${at} from ${table} r where r.${place.key} = p.${place.key} and ${rows} ${order}) r
    where ${all(`p.environment = ${environment}`, ofSites)} ${order}`
}

function bounds(
  at: string,
  id: string,
  { fromMs, untilMs, after }: Pick<ListQuery, "after" | "fromMs" | "untilMs">,
  params: Params,
): readonly (string | null)[] {
  return [
    params.given(fromMs, (from) => `${at} >= ${from}::bigint`),
    params.given(untilMs, (until) => `${at} < ${until}::bigint`),
    after === null
      ? null
      : `(${at}, ${id}) < (${params.of(after.atMs)}::bigint, ${params.of(after.id)}::text)`,
  ]
}

/** Each way has an index, as for the search (`search.ts`). */
function wholeText({ id, orderNumber, phone }: Listed, text: string, params: Params): string {
  const wanted = params.of(text)
  const ways = [`lower(${orderNumber}) = lower(${wanted}::text)`, `r.${id} = ${wanted}::text`]
  const digits = `right(${phone}, 4) = ${wanted}::text and ${phone} <> '${BLANK_PHONE}'`
  return [...ways, ...(/^\d{4}$/.test(text) ? [digits] : [])].join(" or ")
}

function reservations(query: Parameters<ListRows["Type"]["reservations"]>[0]): Statement {
  const params = new Params()
  const page = pageOf(RESERVATIONS, query, params)
  const text = `with page as (${page})
    select r.reservation_id, r.order_number, r.status, r.organization_id, r.stall_label, r.bot_label, r.starts_at_ms,
      r.ends_at_ms, r.created_at_ms, r.updated_at_ms, sites.site_id, sites.name as site_name, sites.timezone,
      retailers.name as retailer_name, organizations.name as organization_name
    from page join reservations r on r.reservation_id = page.reservation_id
    join zones on zones.environment = r.environment and zones.zone_id = r.zone_id
    join sites on sites.environment = r.environment and sites.site_id = zones.site_id
    left join retailers on retailers.environment = r.environment and retailers.retailer_id = r.retailer_id
    left join organizations on organizations.organization_id = r.organization_id
    order by r.starts_at_ms desc, r.reservation_id desc`
  return { text, params: params.values }
}

function deliveries(query: Parameters<ListRows["Type"]["deliveries"]>[0]): Statement {
  const params = new Params()
  const page = pageOf(DELIVERIES, query, params)
  const text = `with page as (${page})
    select r.delivery_id, r.external_delivery_id, r.status, r.organization_id, r.vehicle_id, r.delivery_eta_ms,
      r.created_at_ms, r.updated_at_ms, sites.site_id, sites.name as site_name, sites.timezone,
      vehicles.label as vehicle_label, organizations.name as organization_name
    from page join deliveries r on r.delivery_id = page.delivery_id
    join sites on sites.environment = r.environment and sites.site_id = r.site_id
    left join vehicles on vehicles.vehicle_id = r.vehicle_id
    left join organizations on organizations.organization_id = r.organization_id
    order by r.created_at_ms desc, r.delivery_id desc`
  return { text, params: params.values }
}

function errands(query: Parameters<ListRows["Type"]["errands"]>[0]): Statement {
  const params = new Params()
  const { states, text: wanted } = query
  const ofStates =
    states === null
      ? null
      : `(${params.given(states.phases, (phases) => `o.phase in ${phases}`)} or
          (o.phase = 'booked' and ${params.given(states.statuses, (some) => `d.status in ${some}`)}))`
  const search =
    wanted === null
      ? null
      : `o.delivery_id in (select r.delivery_id from deliveries r where r.environment = ${params.of(query.environment)}
          and (${wholeText(DELIVERIES, wanted, params)}) union all select ${params.of(wanted)}::text)`
  const where = all(
    "o.organization_id is null",
    ofStates,
    search,
    ...bounds("o.created_at_ms", "o.delivery_id", query, params),
  )
  const text = `select o.delivery_id, o.phase, o.payment_status, o.details->>'retailerName' as store_name, o.created_at_ms,
      o.updated_at_ms, d.external_delivery_id as order_number, d.status as delivery_status, vehicles.label as vehicle_label
    from courier_orders o left join deliveries d on d.delivery_id = o.delivery_id
    left join vehicles on vehicles.vehicle_id = d.vehicle_id
    where ${where} order by o.created_at_ms desc, o.delivery_id desc limit ${params.of(query.limit)}::bigint`
  return { text, params: params.values }
}

const ENDPOINT_STATE = `case when e.is_active then 'on' when e.disabled_at_ms is null then 'off' else 'disabled' end`

/** An endpoint without a site gets events of every site of its organization. */
const ofEndpointSites = (sites: string): string => `(e.site_id in ${sites} or (e.site_id is null and exists (
  select from sites own where own.environment = e.environment and own.organization_id = e.organization_id
    and own.site_id in ${sites})))`

function endpoints(query: Parameters<ListRows["Type"]["endpoints"]>[0]): Statement {
  const params = new Params()
  const where = all(
    `e.environment = ${params.of(query.environment)}`,
    params.given(query.siteIds, ofEndpointSites),
    params.given(query.organizationId, (organization) => `e.organization_id = ${organization}`),
    params.given(query.states, (states) => `${ENDPOINT_STATE} in ${states}`),
    params.given(
      query.text,
      (wanted) => `(e.webhook_id = ${wanted}::text or strpos(lower(e.url), lower(${wanted}::text)) > 0)`,
    ),
    ...bounds("e.created_at_ms", "e.webhook_id", { ...query, fromMs: null, untilMs: null }, params),
  )
  const text = `select e.webhook_id, e.area, ${ENDPOINT_STATE} as state, e.organization_id, organizations.name as organization_name,
      e.site_id, sites.name as site_name, e.url, e.subscribed_events, e.consecutive_failures, e.disabled_at_ms, e.created_at_ms,
      e.updated_at_ms
    from webhook_endpoints e
    left join organizations on organizations.organization_id = e.organization_id
    left join sites on sites.environment = e.environment and sites.site_id = e.site_id
    where ${where} order by e.created_at_ms desc, e.webhook_id desc limit ${params.of(query.limit)}::bigint`
  return { text, params: params.values }
}

const HAS_RUN = `exists (select from deliveries d where d.fleet_id = v.fleet_id and d.vehicle_id = v.vehicle_id
  and d.status not in ('COMPLETED', 'CANCELLED'))`

const VEHICLE_STATE = `case when not v.is_online then 'offline' when ${HAS_RUN} then 'on_a_run' else 'free' end`

function vehicles(query: Parameters<ListRows["Type"]["vehicles"]>[0]): Statement {
  const params = new Params()
  const environment = params.of(query.environment)
  const { after } = query
  const where = all(
    `v.environment = ${environment}`,
    params.given(
      query.siteIds,
      (sites) =>
        `v.fleet_id in (select fleet_id from sites where environment = ${environment} and site_id in ${sites})`,
    ),
    params.given(query.states, (states) => `${VEHICLE_STATE} in ${states}`),
    params.given(
      query.text,
      (wanted) => `(v.vehicle_id = ${wanted}::text or strpos(lower(v.label), lower(${wanted}::text)) > 0)`,
    ),
    after === null
      ? null
      : `(v.label collate "C", v.vehicle_id collate "C") > (${params.of(after.label)}::text, ${params.of(after.vehicleId)}::text)`,
  )
  const text = `select v.vehicle_id, v.fleet_id, v.environment, v.label, v.is_synthetic, v.is_online from vehicles v
    where ${where} order by v.label collate "C", v.vehicle_id collate "C" limit ${params.of(query.limit)}::bigint`
  return { text, params: params.values }
}
