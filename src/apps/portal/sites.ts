/**
 * One site for people of its organization: what is set there, changes in the sandbox, and in production requests for changes, which
 * operations make. Objects of another organization or environment are `NOT_FOUND`.
 */

import type { Partner } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { SITE_REQUESTS_MAX } from "../../model/values/limits.ts"
import type { SandboxSiteChange } from "../../model/site.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { StalledZone } from "../../areas/catalog/rows.ts"
import { areaIn, placeIn, plainChanges } from "../../areas/dispatch/site-settings.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../areas/direct-delivery/rows.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { notFound } from "./refusals.ts"
import { SiteRequestRows } from "./site-requests.ts"
import type { SiteRequest } from "./site-requests.ts"

export interface SiteDetail {
  readonly site: DeliverySite
  /** True when its fleet has one. */
  readonly hasVehicle: boolean
  readonly zones: readonly StalledZone[]
}

export class PortalSites extends service<PortalSites>()("PortalSites", () => ({
  read,
  change,
  ask,
  requests,
})) {}

const ownSite = Routine.fn(function* ({ organizationId, environment }: Partner, siteId: string) {
  const site = yield* (yield* DeliverySites).byId(siteId)
  const isOwn = site?.organizationId === organizationId && site.environment === environment
  return isOwn ? site : yield* notFound()
})

const read = Routine.fn(function* (caller: Partner, siteId: string) {
  const site = yield* ownSite(caller, siteId)
  const zones = yield* (yield* CatalogRows).zonesOf(caller.environment, siteId)
  const served = yield* (yield* DeliverySites).servedAmong([site.fleetId])
  return { site, zones, hasVehicle: served.has(site.fleetId) } satisfies SiteDetail
})

/** Only in the sandbox. Applies from the next quote on. */
const change = Routine.fn(function* (caller: Partner, siteId: string, request: SandboxSiteChange) {
  const { environment } = caller
  if (environment !== "sandbox") return yield* notFound()
  const known = yield* ownSite(caller, siteId)
  const located = yield* placeIn(caller, request)
  const place = located === undefined ? known.place : located
  const area = yield* areaIn(request, place)
  const changes = { ...plainChanges(request), place, ...(area === undefined ? {} : { area }) }
  const host = yield* ActorHost
  yield* host.run({
    name: "change a sandbox site",
    locks: { key: `catalog/${environment}` },
    body: Routine.fn(function* () {
      const { sites } = yield* CatalogRows
      yield* sites.change(environment, siteId, changes)
    }),
  })
  return yield* read(caller, siteId)
})

/** Asks operations for a change of a site of production. */
const ask = Routine.fn(function* (
  caller: Partner,
  { siteId, accountId, text }: { readonly siteId: string; readonly accountId: string; readonly text: string },
) {
  if (caller.environment !== "production") {
    return yield* new Refused({ code: "INVALID_STATE", detail: "sites of the sandbox are changed directly" })
  }
  yield* ownSite(caller, siteId)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "ask for a change of a site",
    locks: { key: `site-requests/${siteId}` },
    body: Routine.fn(function* () {
      const rows = yield* SiteRequestRows
      const { nowMs } = yield* Transaction
      const waiting = (yield* rows.ofSite(siteId)).filter(({ status }) => status === "open")
      if (waiting.length >= SITE_REQUESTS_MAX) return yield* new TurnedAway({ code: "LIMIT_REACHED" })
      const request: SiteRequest = {
        requestId: newUuid(nonce, "request to change a site"),
        organizationId: caller.organizationId,
        siteId,
        requestedBy: accountId,
        text,
        status: "open",
        requestedAtMs: nowMs,
        closedAtMs: null,
        answer: null,
      }
      yield* rows.insert(request)
      return request
    }),
  })
})

/** Newest first. */
const requests = Routine.fn(function* (caller: Partner, siteId: string) {
  yield* ownSite(caller, siteId)
  return yield* (yield* SiteRequestRows).ofSite(siteId)
})
