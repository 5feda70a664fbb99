/** `/internal/v1`: the catalog of the host's environment. */

import { Effect, Schema } from "effect"
import * as nouns from "../../../model/catalog.ts"
import { CatalogAdmin } from "../catalog-admin.ts"
import type { Managed, ManagedLinks } from "../catalog-admin.ts"
import { decodeBody, once } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import type { OperatorAsk, OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"

type CatalogEndpoint = OperatorEndpoint<CatalogAdmin>

/** One kind of object: its names, its schemas, and the part of the service that manages it. */
interface Kind<Row, New, Change, WireRow, WireNew, WireChange> {
  /** As in `zone` and `/internal/v1/zones`; `Zone` in operation ids. */
  readonly noun: string
  readonly row: Schema.Schema<Row, WireRow>
  readonly request: Schema.Schema<New, WireNew>
  readonly change: Schema.Schema<Change, WireChange>
  readonly of: (admin: CatalogAdmin["Type"]) => Managed<Row, New, Change>
  readonly idIn: (row: Row) => string
  /** The filter of a list. */
  readonly parent?: { readonly name: string; readonly idIn: (row: Row) => string }
}

const zones = endpointsOf({
  noun: "zone",
  row: nouns.Zone,
  request: nouns.NewZone,
  change: nouns.ZoneChange,
  of: (admin) => admin.zones,
  idIn: ({ zoneId }) => zoneId,
  parent: { name: "site_id", idIn: (zone) => zone.siteId },
})

const stalls = endpointsOf({
  noun: "stall",
  row: nouns.Stall,
  request: nouns.NewStall,
  change: nouns.StallChange,
  of: (admin) => admin.stalls,
  idIn: ({ stallId }) => stallId,
  parent: { name: "zone_id", idIn: (stall) => stall.zoneId },
})

const retailers = endpointsOf({
  noun: "retailer",
  row: nouns.Retailer,
  request: nouns.NewRetailer,
  change: nouns.RetailerChange,
  of: (admin) => admin.retailers,
  idIn: ({ retailerId }) => retailerId,
})

function endpointsOf<Row, New, Change, WireRow, WireNew, WireChange>(
  kind: Kind<Row, New, Change, WireRow, WireNew, WireChange>,
): readonly CatalogEndpoint[] {
  const { noun, row, request, change, of, idIn, parent } = kind
  const path = `/internal/v1/${noun}s`
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const written = Schema.encodeSync(row)
  const one = Schema.Struct({ [noun]: row })
  const add: CatalogEndpoint = {
    method: "POST",
    path,
    operationId: `add${name}`,
    summary: `Add a ${noun}`,
    parameters: [],
    body: request,
    answers: { 201: one },
    errors: ["VALIDATION_ERROR", "NOT_FOUND", "ALREADY_EXISTS"],
    handle: ({ caller, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(request, body)
        const added = yield* of(yield* CatalogAdmin).add(caller.environment, wanted)
        return { status: 201, data: { [noun]: written(added) } }
      }),
  }
  const alter: CatalogEndpoint = {
    method: "PATCH",
    path: `${path}/{id}`,
    operationId: `change${name}`,
    summary: `Change a ${noun}; absent fields stay`,
    parameters: [],
    body: change,
    answers: { 200: one },
    errors: ["VALIDATION_ERROR", "NOT_FOUND"],
    handle: ({ caller, id, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(change, body)
        const changed = yield* of(yield* CatalogAdmin).change(caller.environment, id, wanted)
        return { status: 200, data: { [noun]: written(changed) } }
      }),
  }
  const list: CatalogEndpoint = {
    method: "GET",
    path,
    operationId: `list${name}s`,
    summary: `Every ${noun}, by id`,
    parameters: parent === undefined ? PAGING : [narrowing(parent.name), ...PAGING],
    body: null,
    answers: { 200: pageSchema(`${noun}s`, row) },
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, query }) =>
      Effect.gen(function* () {
        const wanted = parent === undefined ? undefined : yield* once(query, parent.name)
        const rows = yield* of(yield* CatalogAdmin).list(caller.environment)
        const narrowed = rows.filter((known) => wanted === undefined || parent?.idIn(known) === wanted)
        const listing = { noun: `${noun}s`, nameOf: idIn, written: (known: Row) => written(known) }
        return { status: 200, data: yield* pageOf(query, narrowed, listing) }
      }),
  }
  return [list, add, alter]
}

function narrowing(name: string): Parameter {
  return { in: "query", name, description: "Only those of this one.", schema: Schema.String }
}

/** A relation between two objects. */
interface Link<One, Wire> {
  /** As in `offer` and `/internal/v1/offers`. */
  readonly noun: string
  readonly link: Schema.Schema<One, Wire>
  /** The path at which one is added and removed. */
  readonly path: string
  readonly summaries: { readonly list: string; readonly give: string; readonly take: string }
  readonly of: (admin: CatalogAdmin["Type"]) => ManagedLinks<One>
  readonly linkIn: (ask: OperatorAsk) => One
  /** In the order of the list. */
  readonly idsIn: (link: One) => readonly string[]
  readonly parent: { readonly name: string; readonly idIn: (link: One) => string }
  readonly givingErrors: CatalogEndpoint["errors"]
}

const offers = linksOf({
  noun: "offer",
  link: nouns.Offer,
  path: "/internal/v1/zones/{id}/retailers/{retailer_id}",
  summaries: {
    list: "Which retailers the zones support",
    give: "Let a zone support a retailer; safe to repeat",
    take: "Let it no longer: its grants sleep until it does again",
  },
  of: (admin) => admin.offers,
  linkIn: ({ parts }) => ({ zoneId: parts["id"] ?? "", retailerId: parts["retailer_id"] ?? "" }),
  idsIn: ({ zoneId, retailerId }) => [zoneId, retailerId],
  parent: { name: "zone_id", idIn: (offer) => offer.zoneId },
  givingErrors: ["NOT_FOUND"],
})

const grants = linksOf({
  noun: "grant",
  link: nouns.Grant,
  path: "/internal/v1/organizations/{id}/grants/{zone_id}/{retailer_id}",
  summaries: {
    list: "What organizations may book where",
    give: "Let an organization book a retailer in a zone; safe to repeat",
    take: "Remove the permission; existing bookings stay",
  },
  of: (admin) => admin.grants,
  linkIn: ({ parts }) => ({
    organizationId: parts["id"] ?? "",
    zoneId: parts["zone_id"] ?? "",
    retailerId: parts["retailer_id"] ?? "",
  }),
  idsIn: ({ organizationId, zoneId, retailerId }) => [organizationId, zoneId, retailerId],
  parent: { name: "organization_id", idIn: (grant) => grant.organizationId },
  givingErrors: ["NOT_FOUND", "RETAILER_NOT_SUPPORTED_IN_ZONE"],
})

function linksOf<One, Wire>(kind: Link<One, Wire>): readonly CatalogEndpoint[] {
  const { noun, link, path, summaries, of, linkIn, idsIn, parent, givingErrors } = kind
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const written = Schema.encodeSync(link)
  const one = Schema.Struct({ [noun]: link })
  const list: CatalogEndpoint = {
    method: "GET",
    path: `/internal/v1/${noun}s`,
    operationId: `list${name}s`,
    summary: summaries.list,
    parameters: [narrowing(parent.name), ...PAGING],
    body: null,
    answers: { 200: pageSchema(`${noun}s`, link) },
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, query }) =>
      Effect.gen(function* () {
        const wanted = yield* once(query, parent.name)
        const links = yield* of(yield* CatalogAdmin).list(caller.environment)
        const narrowed = links.filter((known) => wanted === undefined || parent.idIn(known) === wanted)
        const listing = {
          noun: `${noun}s`,
          // A newline sorts before every character of an id, so names sort by their parts.
          nameOf: (known: One) => idsIn(known).join("\n"),
          written: (known: One) => written(known),
        }
        return { status: 200, data: yield* pageOf(query, narrowed, listing) }
      }),
  }
  const give: CatalogEndpoint = {
    method: "PUT",
    path,
    operationId: `give${name}`,
    summary: summaries.give,
    parameters: [],
    body: null,
    answers: { 200: one },
    errors: givingErrors,
    handle: (ask) =>
      Effect.gen(function* () {
        const given = yield* of(yield* CatalogAdmin).give(ask.caller.environment, linkIn(ask))
        return { status: 200, data: { [noun]: written(given) } }
      }),
  }
  const take: CatalogEndpoint = {
    method: "DELETE",
    path,
    operationId: `take${name}`,
    summary: summaries.take,
    parameters: [],
    body: null,
    answers: { 200: one },
    errors: [],
    handle: (ask) =>
      Effect.gen(function* () {
        const taken = yield* of(yield* CatalogAdmin).take(ask.caller.environment, linkIn(ask))
        return { status: 200, data: { [noun]: written(taken) } }
      }),
  }
  return [list, give, take]
}

export const catalog: readonly CatalogEndpoint[] = [...zones, ...stalls, ...retailers, ...offers, ...grants]
