/** `/internal/v1`: the catalog of the host's environment. */

import { Effect, Schema } from "effect"
import type { Operator } from "../../../model/caller.ts"
import * as nouns from "../../../model/catalog.ts"
import { RETAILER, STALL, ZONE } from "../../../model/nouns/catalog-nouns.ts"
import { camel } from "../../../model/nouns/noun.ts"
import type { ChangeOf, NewOf, Noun, NounField, OptionWords, RowOf } from "../../../model/nouns/noun.ts"
import type { NounSchemas } from "../../../model/nouns/noun-schemas.ts"
import { Refused } from "../../../model/values/errors.ts"
import { CatalogAdmin } from "../catalog-admin.ts"
import type { Managed, ManagedLinks } from "../catalog-admin.ts"
import { once } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { idArgument } from "../../../http/operator-command.ts"
import type { CommandInput, CommandNoun, OperatorCommand } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorAsk, OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"

type CatalogEndpoint = OperatorEndpoint<CatalogAdmin>

/** What a noun of the catalog has beside its declaration. */
interface Kind<N extends Noun> {
  readonly schemas: NounSchemas<N>
  readonly of: (admin: CatalogAdmin["Type"]) => Managed<RowOf<N>, NewOf<N>, ChangeOf<N>>
  /** Of its commands. */
  readonly description: string
  /** The noun that it belongs to, by which lists are filtered: `site` for `site_id`. */
  readonly parent?: string
  /** For rows of a zone: an operator of some sites gets those of their zones. */
  readonly zoneIn?: (row: RowOf<N>) => string
}

const zones = endpointsOf(ZONE, {
  schemas: nouns.zoneSchemas,
  of: (admin) => admin.zones,
  description: "zones of a site, and the retailers they support",
  parent: "site",
})

const stalls = endpointsOf(STALL, {
  schemas: nouns.stallSchemas,
  of: (admin) => admin.stalls,
  description: "stalls of a zone",
  parent: "zone",
  zoneIn: (stall) => stall.zoneId,
})

const retailers = endpointsOf(RETAILER, {
  schemas: nouns.retailerSchemas,
  of: (admin) => admin.retailers,
  description: "retailers",
})

function endpointsOf<N extends Noun>(declared: N, kind: Kind<N>): readonly CatalogEndpoint[] {
  const { one: noun } = declared
  const { schemas, of, parent, zoneIn } = kind
  const { row, request, change } = schemas
  const commands = commandsOf(declared, kind)
  const parentId = parent === undefined ? undefined : `${parent}_id`
  const path = `/internal/v1/${noun}s`
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const written = Schema.encodeSync(row)
  const one = Schema.Struct({ [noun]: row })
  const add = operatorEndpoint({
    method: "POST",
    path,
    operationId: `add${name}`,
    summary: `Add a ${noun}`,
    body: request,
    answers: { 201: one },
    errors: ["NOT_FOUND", "ALREADY_EXISTS"],
    commands: [commands.create],
    *handle({ caller }, sent) {
      const wanted = yield* sent
      const added = yield* of(yield* CatalogAdmin).add(caller.environment, wanted)
      return { [noun]: written(added) }
    },
  })
  const alter = operatorEndpoint({
    method: "PATCH",
    path: `${path}/{id}`,
    operationId: `change${name}`,
    summary: `Change a ${noun}; absent fields stay`,
    body: change,
    answers: { 200: one },
    errors: ["NOT_FOUND"],
    commands: [commands.change],
    *handle({ caller, id }, sent) {
      const wanted = yield* sent
      const changed = yield* of(yield* CatalogAdmin).change(caller.environment, id, wanted)
      return { [noun]: written(changed) }
    },
  })
  const list = operatorEndpoint({
    method: "GET",
    path,
    operationId: `list${name}s`,
    summary: `Every ${noun}, by id`,
    parameters: parentId === undefined ? PAGING : [narrowing(parentId), ...PAGING],
    answers: { 200: pageSchema(`${noun}s`, row) },
    commands: [commands.list],
    *handle({ caller, query }) {
      const wanted = parentId === undefined ? undefined : yield* once(query, parentId)
      const rows = yield* of(yield* CatalogAdmin).list(caller.environment)
      const own = zoneIn === undefined ? rows : yield* ownRows(caller, rows, zoneIn)
      const narrowed = own.filter(
        (known) => wanted === undefined || fieldOf(known, parentId ?? "") === wanted,
      )
      const nameOf = (known: RowOf<N>): string => String(fieldOf(known, declared.id))
      const listing = { noun: `${noun}s`, nameOf, written: (known: RowOf<N>) => written(known) }
      return yield* pageOf(query, narrowed, listing)
    },
  })
  return [list, add, alter]
}

function commandsOf<N extends Noun>(
  { one, id, fields }: N,
  { description, parent }: Pick<Kind<N>, "description" | "parent">,
) {
  const noun: CommandNoun = { word: `${one}s`, description }
  const inParent = (does: string): readonly CommandInput[] =>
    parent === undefined ? [] : [[`${parent}_id`, `--${parent} <id>`, does]]
  return {
    create: {
      noun,
      verb: "create",
      description: `add a ${one}; its id goes to stdout`,
      inputs: [
        ...inParent(`the ${parent} it belongs to`),
        [id, "--id <id>", "an id of your own; without it, one is made"],
        ...inputsOf(fields, ({ otherwise, options }) =>
          options === undefined ? [] : [otherwise === true ? options.no : options.yes],
        ),
      ],
      did: `added the ${one}`,
    },
    list: {
      noun,
      verb: "list",
      description: `every ${one}`,
      inputs: inParent(`of this ${parent} only`),
      columns: [id, ...Object.keys(fields)],
    },
    change: {
      noun,
      verb: "change",
      description: `change a ${one}; other fields stay`,
      inputs: [
        idArgument(one),
        ...inputsOf(fields, ({ options }) => (options === undefined ? [] : [options.yes, options.no])),
      ],
      did: `changed the ${one}`,
    },
  } satisfies Readonly<Record<string, OperatorCommand>>
}

/** The options of the fields; `flags` chooses those of a flag. */
function inputsOf(
  fields: Noun["fields"],
  flags: (field: NounField) => readonly OptionWords[],
): readonly CommandInput[] {
  return Object.entries(fields).flatMap(([name, field]): readonly CommandInput[] => {
    const { option, is, isNullable = false } = field
    if (option === undefined) return flags(field).map((words) => [name, ...words])
    const isText = is !== "latitude" && is !== "longitude"
    return [isNullable && isText ? [name, ...option, "text or none"] : [name, ...option]]
  })
}

function fieldOf(row: object, name: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[camel(name)]
}

/** The rows in zones of the operator's sites. */
const ownRows = Effect.fnUntraced(function* <Row>(
  { environment, siteIds = null }: Operator,
  rows: readonly Row[],
  zoneIn: (row: Row) => string,
) {
  if (siteIds === null) return rows
  const all = yield* (yield* CatalogAdmin).zones.list(environment)
  const own = new Set(all.filter(({ siteId }) => siteIds.includes(siteId)).map(({ zoneId }) => zoneId))
  return rows.filter((row) => own.has(zoneIn(row)))
})

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
  readonly zoneIn: (link: One) => string
  readonly givingErrors: CatalogEndpoint["errors"]
  readonly commands: {
    /** The path's parameters. */
    readonly inputs: readonly CommandInput[]
    readonly list: OperatorCommand
    readonly give: LinkWords
    readonly take: LinkWords
  }
}

type LinkWords = Pick<OperatorCommand, "description" | "did" | "verb">

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
  zoneIn: (offer) => offer.zoneId,
  givingErrors: ["NOT_FOUND"],
  commands: {
    inputs: [idArgument("zone"), idArgument("retailer", "retailer_id")],
    list: {
      noun: { word: "zones", description: "zones of a site, and the retailers they support" },
      verb: "supported",
      description: "which retailers the zones support",
      inputs: [["zone_id", "--zone <id>", "of this zone only"]],
      columns: ["zone_id", "retailer_id"],
    },
    give: { verb: "support", description: "let a zone support a retailer", did: "zone {id} supports" },
    take: {
      verb: "unsupport",
      description: "withdraw the support; grants there stop until it returns",
      did: "zone {id} no longer supports",
    },
  },
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
  zoneIn: (grant) => grant.zoneId,
  givingErrors: ["NOT_FOUND", "RETAILER_NOT_SUPPORTED_IN_ZONE"],
  commands: {
    inputs: [
      ["id", "--org <id>", "the organization"],
      ["zone_id", "--zone <id>", "the zone"],
      ["retailer_id", "--retailer <id>", "the retailer"],
    ],
    list: {
      noun: { word: "grants", description: "which retailers an organization may book where" },
      verb: "list",
      description: "every grant",
      inputs: [["organization_id", "--org <id>", "of this organization only"]],
      columns: ["organization_id", "zone_id", "retailer_id"],
    },
    give: {
      verb: "create",
      description: "let an organization book a retailer in a zone",
      did: "organization {id} may book in zone {zone_id} retailer",
    },
    take: {
      verb: "revoke",
      description: "withdraw the grant; existing bookings stay",
      did: "organization {id} may no longer book in zone {zone_id} retailer",
    },
  },
})

function linksOf<One, Wire>(kind: Link<One, Wire>): readonly CatalogEndpoint[] {
  const { noun, link, path, summaries, of, linkIn, idsIn, parent, zoneIn, givingErrors, commands } = kind
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const written = Schema.encodeSync(link)
  const isLink = Schema.is(link)
  const one = Schema.Struct({ [noun]: link })
  const ofLink = { noun: commands.list.noun, inputs: commands.inputs, prints: "retailer_id" }
  const list = operatorEndpoint({
    method: "GET",
    path: `/internal/v1/${noun}s`,
    operationId: `list${name}s`,
    summary: summaries.list,
    parameters: [narrowing(parent.name), ...PAGING],
    answers: { 200: pageSchema(`${noun}s`, link) },
    commands: [commands.list],
    *handle({ caller, query }) {
      const wanted = yield* once(query, parent.name)
      const all = yield* of(yield* CatalogAdmin).list(caller.environment)
      const links = yield* ownRows(caller, all, zoneIn)
      const narrowed = links.filter((known) => wanted === undefined || parent.idIn(known) === wanted)
      const listing = {
        noun: `${noun}s`,
        // A newline sorts before every character of an id, so names sort by their parts.
        nameOf: (known: One) => idsIn(known).join("\n"),
        written: (known: One) => written(known),
      }
      return yield* pageOf(query, narrowed, listing)
    },
  })
  const give = operatorEndpoint({
    method: "PUT",
    path,
    operationId: `give${name}`,
    summary: summaries.give,
    answers: { 200: one },
    errors: givingErrors,
    commands: [{ ...ofLink, ...commands.give }],
    *handle(ask) {
      const given = yield* of(yield* CatalogAdmin).give(ask.caller.environment, linkIn(ask))
      return { [noun]: written(given) }
    },
  })
  const take = operatorEndpoint({
    method: "DELETE",
    path,
    operationId: `take${name}`,
    summary: summaries.take,
    answers: { 200: one },
    commands: [{ ...ofLink, ...commands.take }],
    *handle(ask) {
      const asked = linkIn(ask)
      // Removing a link that does not exist succeeds; an id that cannot exist is refused.
      if (!isLink(asked)) return yield* new Refused({ code: "NOT_FOUND" })
      const taken = yield* of(yield* CatalogAdmin).take(ask.caller.environment, asked)
      return { [noun]: written(taken) }
    },
  })
  return [list, give, take]
}

export const catalog: readonly CatalogEndpoint[] = [...zones, ...stalls, ...retailers, ...offers, ...grants]
