/**
 * `/internal/v1/sites` and `/delivery-sites`, of the host's environment: one table of sites. The second path shows only
 * delivery sites, which have an organization, and requires the fields of a delivery site at creation.
 */

import { Effect, Schema } from "effect"
import * as nouns from "../../../model/catalog.ts"
import {
  NewDeliverySite,
  NewSite,
  SiteChange,
  SiteDetails,
  SiteView,
  siteViewOf,
} from "../../../model/site.ts"
import type { Site, SiteOverlapView } from "../../../model/site.ts"
import { squareMetresOf } from "../../../areas/dispatch/overlap.ts"
import { overlapsOf } from "../site-overlaps.ts"
import type { SiteOverlap } from "../site-overlaps.ts"
import { SiteAdmin } from "../sites.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageSchema, rowsOfPage } from "../../../http/pages.ts"
import { notFound } from "../../../engine/services/refusals.ts"

type SiteEndpoint = OperatorEndpoint<SiteAdmin>

interface Kind<New extends NewSite, Wire> {
  /** As in `site` and `/internal/v1/sites`. */
  readonly noun: "delivery_site" | "site"
  readonly path: string
  /** Used in operation ids. */
  readonly name: string
  readonly request: Schema.Schema<New, Wire>
  readonly isShown: (site: Site) => boolean
  readonly summaries: { readonly list: string; readonly add: string; readonly change: string }
  readonly command: {
    readonly noun: CommandNoun
    /** Of the list. */
    readonly description: string
    readonly columns: readonly string[]
  }
}

const NAMED: CommandInput = ["name", "--name <name>", "for people"]

/** What can be set at creation and changed later. */
const SETTINGS: readonly CommandInput[] = [
  ["organization_id", "--org <id>", "whose deliveries start here; it cannot be changed later"],
  [
    "timezone",
    "--timezone <name>",
    "of the IANA database, such as America/Chicago; a new site has that of its place; an empty text for none",
    "text or none",
  ],
  [
    "address.street",
    "--street <line>",
    "of the address, which is looked up on the map; with --city, --state and --zip",
  ],
  ["address.city", "--city <name>", "of the address"],
  ["address.state", "--state <name>", "of the address, such as TX"],
  ["address.zip", "--zip <code>", "of the address"],
  ["latitude", "--latitude <degrees>", "of the place, WGS 84; with --longitude, instead of an address"],
  ["longitude", "--longitude <degrees>", "of the place"],
  ["area", "--area <file>", "the served GeoJSON polygon; an empty text for none", "polygon file or none"],
  ["reach_km", "--reach-km <km>", "instead of --area: a square that reaches this far from the place"],
  ["delivery_price_cents", "--price <cents>", "of one delivery; an empty text for none", "text or none"],
  ["fleet_id", "--fleet <id>", "whose vehicles come here; without it, the site has a fleet of its own"],
  ["has_supervisor", "--supervisor", "people at the site may move a delivery's status"],
  ["has_supervisor", "--no-supervisor", "they may not"],
  [
    "dispatch_policy",
    "--dispatch <policy>",
    "which vehicle takes a run: earliest_free (also without it), least_loaded, nearest or batching",
  ],
  ["ready_ahead_minutes", "--ready-ahead <minutes>", "how far ahead of now an order may be ready"],
]

const written = Schema.encodeSync(nouns.stallSchemas.row)
const writtenZone = Schema.encodeSync(nouns.zoneSchemas.row)

function endpointsOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): readonly SiteEndpoint[] {
  return [listOf(kind), addOf(kind), changeOf(kind)]
}

function listOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, isShown, command } = kind
  return {
    method: "GET",
    path: kind.path,
    operationId: `list${kind.name}s`,
    summary: kind.summaries.list,
    parameters: PAGING,
    body: null,
    answers: { 200: pageSchema(`${noun}s`, SiteView) },
    errors: ["VALIDATION_ERROR"],
    commands: [{ ...command, verb: "list" }],
    handle: ({ caller, query }) =>
      Effect.gen(function* () {
        const sites = yield* SiteAdmin
        const all = (yield* sites.list(caller.environment)).filter(isShown)
        const { page, next_cursor } = yield* rowsOfPage(query, all, ({ siteId }) => siteId)
        const served = yield* sites.served(page)
        const views = page.map((site) => siteViewOf(site, served))
        return { status: 200, data: { [`${noun}s`]: views, next_cursor } }
      }),
  }
}

function addOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, request, command } = kind
  return {
    method: "POST",
    path: kind.path,
    operationId: `add${kind.name}`,
    summary: kind.summaries.add,
    parameters: [],
    body: request,
    answers: {
      201: Schema.Struct({
        [noun]: SiteView,
        zone: Schema.NullOr(nouns.zoneSchemas.row),
        stalls: Schema.Array(nouns.stallSchemas.row),
      }),
    },
    errors: ["VALIDATION_ERROR", "ALREADY_EXISTS"],
    commands: [
      {
        noun: command.noun,
        verb: "create",
        description: `add a ${noun.replace("_", " ")}; its id goes to stdout`,
        inputs: [
          NAMED,
          ["site_id", "--id <uuid>", "an id of your own, a version 4 UUID; without it, one is made"],
          [
            "stalls",
            "--stalls <labels>",
            "separated by commas, such as A1,A2; they are made in a zone with the site's name",
          ],
          ...SETTINGS,
        ],
        did: `added the ${noun.replace("_", " ")}`,
      },
    ],
    handle: ({ caller, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(request, body)
        const sites = yield* SiteAdmin
        const { site, zone, stalls } = yield* sites.add(caller.environment, wanted)
        return {
          status: 201,
          data: {
            [noun]: siteViewOf(site, yield* sites.served([site])),
            zone: zone === null ? null : writtenZone(zone),
            stalls: stalls.map((stall) => written(stall)),
          },
        }
      }),
  }
}

function changeOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, isShown, command } = kind
  return {
    method: "PATCH",
    path: `${kind.path}/{id}`,
    operationId: `change${kind.name}`,
    summary: kind.summaries.change,
    parameters: [],
    body: SiteChange,
    answers: { 200: Schema.Struct({ [noun]: SiteView }) },
    errors: ["VALIDATION_ERROR", "NOT_FOUND"],
    commands: [
      {
        noun: command.noun,
        verb: "change",
        description: `change a ${noun.replace("_", " ")}; other fields stay, and a live quote keeps its terms`,
        inputs: [
          ["id", "<site-id>", `as ${command.noun.word} list shows it`],
          NAMED,
          ["is_active", "--active", "deliveries may start here"],
          ["is_active", "--no-active", "no delivery starts here"],
          ...SETTINGS,
        ],
        did: `changed the ${noun.replace("_", " ")}`,
        looksEverywhere: true,
      },
    ],
    handle: ({ caller, id, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(SiteChange, body)
        const sites = yield* SiteAdmin
        const known = (yield* sites.list(caller.environment)).find(({ siteId }) => siteId === id)
        if (known === undefined || !isShown(known)) {
          return yield* notFound(noun.replace("_", " "), id)
        }
        const site = yield* sites.change(caller.environment, id, wanted)
        return { status: 200, data: { [noun]: siteViewOf(site, yield* sites.served([site])) } }
      }),
  }
}

const SITES: CommandNoun = {
  word: "sites",
  description: "sites: reservations use their stalls, and deliveries of their organization start there",
}

const readSite = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}",
  operationId: "readSite",
  summary: "One site, the size of its area, and the sites whose areas share ground with it",
  answers: {
    200: Schema.Struct({ site: SiteDetails }),
  },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: SITES,
      verb: "show",
      description: "one site, and the sites whose service areas overlap with its own",
      inputs: [["id", "<site-id>", "as sites list shows it"]],
      shows: {
        columns: [
          "site_id",
          "name",
          "timezone",
          "organization_id",
          "is_active",
          "is_configured",
          "has_vehicle",
          "area_km2",
        ],
        list: ["overlaps", ["site_id", "name", "organization_id", "is_active", "area_km2", "share"]],
      },
      looksEverywhere: true,
    },
  ],
  *handle({ caller: { environment, siteIds = null }, id }) {
    const sites = yield* SiteAdmin
    const all = yield* sites.list(environment)
    const site = all.find(({ siteId }) => siteId === id)
    if (site === undefined) return yield* notFound("site", id)
    const own = siteIds === null ? all : all.filter(({ siteId }) => siteIds.includes(siteId))
    const details: SiteDetails = {
      ...siteViewOf(site, yield* sites.served([site])),
      area_km2: site.area === null ? null : squareKilometres(squareMetresOf(site.area)),
      overlaps: overlapsOf(site, own).map(overlapViewOf),
    }
    return { site: details }
  },
})

function overlapViewOf({ site, squareMetres, share }: SiteOverlap): SiteOverlapView {
  return {
    site_id: site.siteId,
    name: site.name,
    organization_id: site.organizationId,
    is_active: site.isActive,
    area_km2: squareKilometres(squareMetres),
    share: Math.round(share * 1000) / 1000,
    area: site.area,
  }
}

/** To a hundredth. */
function squareKilometres(squareMetres: number): number {
  return Math.round(squareMetres / 10_000) / 100
}

export const sites: readonly SiteEndpoint[] = [
  readSite,
  ...endpointsOf({
    noun: "site",
    path: "/internal/v1/sites",
    name: "Site",
    request: NewSite,
    isShown: () => true,
    summaries: {
      list: "Every site, by id",
      add: "Add a site; with an organization its deliveries start there, with stalls it can be booked",
      change: "Change a site; absent fields stay",
    },
    command: {
      noun: SITES,
      description: "every site",
      columns: ["site_id", "name", "timezone", "organization_id", "is_configured", "has_vehicle"],
    },
  }),
  ...endpointsOf({
    noun: "delivery_site",
    path: "/internal/v1/delivery-sites",
    name: "DeliverySite",
    request: NewDeliverySite,
    isShown: ({ organizationId }) => organizationId !== null,
    summaries: {
      list: "Every site from which deliveries start, by id",
      add: "Add a site from which an organization's deliveries start: a place is needed; with an area and a price it can quote at once",
      change: "Change a site's area, price, time zone or threshold, close or open it; absent fields stay",
    },
    command: {
      noun: { word: "delivery-sites", description: "sites from which deliveries start" },
      description: "every one, of every organization",
      columns: [
        "site_id",
        "organization_id",
        "name",
        "is_active",
        "is_configured",
        "has_vehicle",
        "timezone",
        "delivery_price_cents",
        "ready_ahead_minutes",
      ],
    },
  }),
]
