/**
 * `/internal/v1/sites` and `/delivery-sites`, of the host's environment: one table of sites. The second path shows only
 * delivery sites, which have an organization, and requires the fields of a delivery site at creation.
 */

import { Effect, Schema } from "effect"
import * as nouns from "../../model/catalog.ts"
import { Refused } from "../../model/errors.ts"
import { NewDeliverySite, NewSite, SiteChange, SiteView, siteViewOf } from "../../model/site.ts"
import type { Site } from "../../model/site.ts"
import { SiteAdmin } from "../sites.ts"
import { decodeBody } from "../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../http/pages.ts"

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
}

const written = Schema.encodeSync(nouns.Stall)
const writtenZone = Schema.encodeSync(nouns.Zone)

function endpointsOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): readonly SiteEndpoint[] {
  return [listOf(kind), addOf(kind), changeOf(kind)]
}

function listOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, isShown } = kind
  return {
    method: "GET",
    path: kind.path,
    operationId: `list${kind.name}s`,
    summary: kind.summaries.list,
    parameters: PAGING,
    body: null,
    answers: { 200: pageSchema(`${noun}s`, SiteView) },
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, query }) =>
      Effect.gen(function* () {
        const all = yield* (yield* SiteAdmin).list(caller.environment)
        const listing = {
          noun: `${noun}s`,
          nameOf: ({ siteId }: Site) => siteId,
          written: siteViewOf,
        }
        return { status: 200, data: yield* pageOf(query, all.filter(isShown), listing) }
      }),
  }
}

function addOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, request } = kind
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
        zone: Schema.NullOr(nouns.Zone),
        stalls: Schema.Array(nouns.Stall),
      }),
    },
    errors: ["VALIDATION_ERROR", "ALREADY_EXISTS"],
    handle: ({ caller, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(request, body)
        const { site, zone, stalls } = yield* (yield* SiteAdmin).add(caller.environment, wanted)
        return {
          status: 201,
          data: {
            [noun]: siteViewOf(site),
            zone: zone === null ? null : writtenZone(zone),
            stalls: stalls.map((stall) => written(stall)),
          },
        }
      }),
  }
}

function changeOf<New extends NewSite, Wire>(kind: Kind<New, Wire>): SiteEndpoint {
  const { noun, isShown } = kind
  return {
    method: "PATCH",
    path: `${kind.path}/{id}`,
    operationId: `change${kind.name}`,
    summary: kind.summaries.change,
    parameters: [],
    body: SiteChange,
    answers: { 200: Schema.Struct({ [noun]: SiteView }) },
    errors: ["VALIDATION_ERROR", "NOT_FOUND"],
    handle: ({ caller, id, body }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeBody(SiteChange, body)
        const sites = yield* SiteAdmin
        const known = (yield* sites.list(caller.environment)).find(({ siteId }) => siteId === id)
        if (known === undefined || !isShown(known)) {
          return yield* new Refused({ code: "NOT_FOUND", detail: `${noun.replace("_", " ")} ${id}` })
        }
        return {
          status: 200,
          data: { [noun]: siteViewOf(yield* sites.change(caller.environment, id, wanted)) },
        }
      }),
  }
}

export const sites: readonly SiteEndpoint[] = [
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
  }),
  ...endpointsOf({
    noun: "delivery_site",
    path: "/internal/v1/delivery-sites",
    name: "DeliverySite",
    request: NewDeliverySite,
    isShown: ({ organizationId }) => organizationId !== null,
    summaries: {
      list: "Every site from which deliveries start, by id",
      add: "Add a site from which an organization's deliveries start: a place and a time zone are needed; with an area and a price it can quote at once",
      change: "Change a site's area, price, time zone or threshold, close or open it; absent fields stay",
    },
  }),
]
