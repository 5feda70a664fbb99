/**
 * Management of the catalog by operations, one environment at a time. Rows that a reservation may name are not deleted:
 * stalls are deactivated, offers and grants are removed.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type {
  Grant,
  NewRetailer,
  NewStall,
  NewZone,
  Offer,
  Retailer,
  RetailerChange,
  Stall,
  StallChange,
  Zone,
  ZoneChange,
} from "../../model/catalog.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { CatalogRows } from "./rows.ts"
import type { CatalogLinks, CatalogTable } from "./rows.ts"
import { ensureSandboxSite } from "./sandbox-site.ts"
import { notFound } from "../../engine/services/refusals.ts"

/** One kind of object in the catalog. Refuses a taken id, an unknown id, and an unknown parent by name. */
export interface Managed<Row, New, Change> {
  /** By id. */
  readonly list: (environment: Environment) => Routine<readonly Row[]>
  readonly add: (environment: Environment, request: New) => Routine<Row, Refused>
  readonly change: (environment: Environment, id: string, change: Change) => Routine<Row, Refused>
}

/** A relation between objects. Adding and removing may be repeated. */
export interface ManagedLinks<Link> {
  readonly list: (environment: Environment) => Routine<readonly Link[]>
  readonly give: (environment: Environment, link: Link) => Routine<Link, Refused>
  readonly take: (environment: Environment, link: Link) => Routine<Link, Refused>
}

export class CatalogAdmin extends service<CatalogAdmin>()(
  "CatalogAdmin",
  Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* CatalogRows
    const { organization } = yield* AccessRows
    const exists = existenceOf(rows, organization)
    const { zones, stalls, retailers, offers, grants } = rows
    return {
      zones: managed<Zone, NewZone, ZoneChange>(host, zones, {
        kind: "zone",
        idOf: ({ zoneId }) => zoneId,
        make: ({ zoneId, latitude, longitude, hasRunner, ...rest }, nonce) => ({
          ...rest,
          zoneId: zoneId ?? newId("zone", nonce),
          latitude: latitude ?? null,
          longitude: longitude ?? null,
          hasRunner: hasRunner ?? true,
        }),
        check: (environment, { siteId }) => exists.site(environment, siteId),
      }),
      stalls: managed<Stall, NewStall, StallChange>(host, stalls, {
        kind: "stall",
        idOf: ({ stallId }) => stallId,
        make: ({ stallId, zoneId, label, isActive }, nonce) => ({
          stallId: stallId ?? newId("stall", nonce),
          zoneId,
          label: label ?? null,
          isActive: isActive ?? true,
        }),
        check: (environment, { zoneId }) => exists.zone(environment, zoneId),
      }),
      retailers: managed<Retailer, NewRetailer, RetailerChange>(host, retailers, {
        kind: "retailer",
        idOf: ({ retailerId }) => retailerId,
        make: (request, nonce) => ({
          retailerId: request.retailerId ?? newId("retailer", nonce),
          name: request.name,
          logoUrl: request.logoUrl ?? null,
          supportPhone: request.supportPhone ?? null,
          pickupRequirements: request.pickupRequirements ?? null,
        }),
        check: () => Routine.void,
      }),
      /** The retailers that a zone supports. */
      offers: managedLinks(host, offers, exists.offer),
      /** The retailers that an organization may book. */
      grants: managedLinks(host, grants, exists.grant),
      ensureSandboxSite,
    }
  }),
) {}

/** How one kind is made from a request, and which rows must exist before. */
interface Kind<Row, New> {
  readonly kind: string
  readonly idOf: (row: Row) => string
  readonly make: (request: New, nonce: string) => Row
  readonly check: (environment: Environment, row: Row) => Routine<void, Refused>
}

function managed<Row, New, Change extends Partial<Row>>(
  host: ActorHost["Type"],
  table: CatalogTable<Row>,
  { kind, idOf, make, check }: Kind<Row, New>,
): Managed<Row, New, Change> {
  const add = Routine.fn(function* (environment: Environment, request: New) {
    const row = make(request, yield* host.nonce)
    const id = idOf(row)
    return yield* within(
      host,
      environment,
      Routine.gen(function* () {
        if ((yield* table.get(environment, id)) !== null)
          return yield* new Refused({ code: "ALREADY_EXISTS", detail: `${kind} ${id}` })
        yield* check(environment, row)
        yield* table.insert(environment, row)
        return row
      }),
    )
  })
  const change = (environment: Environment, id: string, changes: Change): Routine<Row, Refused> =>
    within(
      host,
      environment,
      Routine.gen(function* () {
        const row = yield* table.get(environment, id)
        if (row === null) return yield* unknown(kind, id)
        yield* table.change(environment, id, changes)
        return { ...row, ...changes }
      }),
    )
  return { list: table.all, add, change }
}

function managedLinks<Link>(
  host: ActorHost["Type"],
  links: CatalogLinks<Link>,
  check: (environment: Environment, link: Link) => Routine<void, Refused>,
): ManagedLinks<Link> {
  return {
    list: links.all,
    give: (environment, link) =>
      within(
        host,
        environment,
        Routine.gen(function* () {
          yield* check(environment, link)
          yield* links.put(environment, link)
          return link
        }),
      ),
    take: (environment, link) => within(host, environment, Routine.as(links.remove(environment, link), link)),
  }
}

/** Refuses missing rows, and names them. */
function existenceOf(rows: CatalogRows["Type"], organization: AccessRows["Type"]["organization"]) {
  const found = <Row>(kind: string, id: string, row: Routine<Row | null>): Routine<void, Refused> =>
    Routine.flatMap(row, (one) => (one === null ? unknown(kind, id) : Routine.void))
  const site = (environment: Environment, id: string): Routine<void, Refused> =>
    found("site", id, rows.sites.get(environment, id))
  const zone = (environment: Environment, id: string): Routine<void, Refused> =>
    found("zone", id, rows.zones.get(environment, id))
  const offer = (environment: Environment, { zoneId, retailerId }: Offer): Routine<void, Refused> =>
    Routine.zipRight(
      zone(environment, zoneId),
      found("retailer", retailerId, rows.retailers.get(environment, retailerId)),
    )
  const grant = Routine.fn(function* (environment: Environment, link: Grant) {
    const { organizationId, zoneId, retailerId } = link
    yield* found("organization", organizationId, organization(organizationId))
    yield* offer(environment, link)
    const offers = yield* rows.offers.all(environment)
    if (!offers.some((one) => one.zoneId === zoneId && one.retailerId === retailerId)) {
      const detail = `retailer ${retailerId} in zone ${zoneId}`
      return yield* new Refused({ code: "RETAILER_NOT_SUPPORTED_IN_ZONE", detail })
    }
  })
  return { site, zone, offer, grant }
}

function unknown(kind: string, id: string): Routine<never, Refused> {
  return Routine.fail(notFound(kind, id))
}

/** Commands on the catalog of an environment run one at a time, so that checked rows do not change before the write. */
function within<A>(
  host: ActorHost["Type"],
  environment: Environment,
  body: Routine<A, Refused, Transaction>,
): Routine<A, Refused> {
  return host.run({ name: "change the catalog", locks: { key: `catalog/${environment}` }, body: () => body })
}
