/**
 * Management of the catalog by operations, one environment at a time. Rows that a reservation may name are not deleted:
 * stalls are deactivated, offers and grants are removed.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Grant, Offer } from "../../model/catalog.ts"
import { RETAILER, STALL, ZONE } from "../../model/nouns/catalog-nouns.ts"
import { idIn, rowFrom } from "../../model/nouns/noun.ts"
import type { ChangeOf, NewOf, Noun, RowOf } from "../../model/nouns/noun.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { CatalogRows } from "./rows.ts"
import type { CatalogLinks } from "./rows.ts"
import type { NounRows } from "./noun-rows.ts"
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
      zones: managed(host, zones, ZONE, (environment, { siteId }) => exists.site(environment, siteId)),
      stalls: managed(host, stalls, STALL, (environment, { zoneId }) => exists.zone(environment, zoneId)),
      retailers: managed(host, retailers, RETAILER),
      /** The retailers that a zone supports. */
      offers: managedLinks(host, offers, exists.offer),
      /** The retailers that an organization may book. */
      grants: managedLinks(host, grants, exists.grant),
      ensureSandboxSite,
    }
  }),
) {}

/** `check` refuses what a new one needs and is not there. */
function managed<N extends Noun>(
  host: ActorHost["Type"],
  table: NounRows<RowOf<N>>,
  declared: N,
  check: (environment: Environment, row: RowOf<N>) => Routine<void, Refused> = () => Routine.void,
): Managed<RowOf<N>, NewOf<N>, ChangeOf<N>> {
  const kind = declared.one
  const add = Routine.fn(function* (environment: Environment, request: NewOf<N>) {
    const id = idIn(declared, request) ?? newId(kind, yield* host.nonce)
    const row = rowFrom(declared, request, id)
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
  const change = (environment: Environment, id: string, changes: ChangeOf<N>): Routine<RowOf<N>, Refused> =>
    within(
      host,
      environment,
      Routine.gen(function* () {
        const row = yield* table.get(environment, id)
        if (row === null) return yield* unknown(kind, id)
        yield* table.change(environment, id, changes as unknown as Partial<RowOf<N>>)
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
