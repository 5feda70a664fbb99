/**
 * Management of sites by operations: a site is one place, booked by organizations with a grant for its stalls, and the
 * start of the deliveries of one organization. A change applies from the next quote on; a live quote keeps its terms.
 */

import { Effect, Option } from "effect"
import type { Environment } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId, newUuid } from "../../model/ids.ts"
import { READY_AHEAD_MS_MAX } from "../../model/values/limits.ts"
import type { NewSite, Site, SiteChange } from "../../model/site.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { insertSite } from "../../areas/catalog/insert-site.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { operationsOf } from "../../engine/services/owner-turns.ts"
import { areaIn, placeIn, plainChanges } from "../../areas/dispatch/site-settings.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { timeZoneOf } from "../../engine/services/geocoding/place-time-zone.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { notFound } from "../../engine/services/refusals.ts"

export class SiteAdmin extends service<SiteAdmin>()(
  "SiteAdmin",
  Effect.gen(function* () {
    // Absent when a command runs without a service: only a service runs the machines of vehicles.
    const vehicles = Option.getOrNull(yield* Effect.serviceOption(Vehicles))
    return {
      /** By id. */
      list: (environment: Environment) => Routine.flatMap(CatalogRows, ({ sites }) => sites.all(environment)),
      /** Which fleets of the sites have a vehicle. */
      served: (sites: readonly Site[]) =>
        Routine.flatMap(DeliverySites, (rows) => rows.servedAmong(sites.map(({ fleetId }) => fleetId))),
      add: (environment: Environment, request: NewSite) => add(environment, request, vehicles),
      change: (environment: Environment, siteId: string, request: SiteChange) =>
        change({ environment, siteId, request }, vehicles),
    }
  }),
) {}

/**
 * Refuses with `VALIDATION_ERROR` and the field: an address that cannot be found, an unknown organization; with
 * `ALREADY_EXISTS` an id that is taken in either environment.
 */
const add = Routine.fn(function* (
  environment: Environment,
  request: NewSite,
  vehicles: Vehicles["Type"] | null,
) {
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const siteId = request.site_id ?? newUuid(nonce, "site")
  const place = (yield* placeIn(operationsOf({ environment }), request)) ?? null
  const wanted: Site = {
    siteId,
    name: request.name,
    timezone: request.timezone === undefined ? timeZoneOf(place) : request.timezone,
    organizationId: request.organization_id ?? null,
    isActive: request.is_active ?? true,
    fleetId: request.fleet_id ?? null,
    address: request.address ?? null,
    place,
    area: (yield* areaIn(request, place)) ?? null,
    priceCents: request.delivery_price_cents ?? null,
    readyAheadMsMax:
      request.ready_ahead_minutes === undefined
        ? READY_AHEAD_MS_MAX
        : request.ready_ahead_minutes * MINUTE_MS,
    hasSupervisor: request.has_supervisor ?? false,
    dispatchPolicy: request.dispatch_policy ?? DEFAULT_DISPATCH_POLICY,
  }
  const site = yield* withFleet(environment, wanted, vehicles)
  return yield* host.run({
    name: "add a site",
    locks: { key: `catalog/${environment}` },
    body: Routine.fn(function* () {
      yield* requireOrganization(environment, site.organizationId)
      return yield* insertSite({ environment, site, labels: request.stalls ?? [], nonce })
    }),
  })
})

interface Change {
  readonly environment: Environment
  readonly siteId: string
  readonly request: SiteChange
}

const change = Routine.fn(function* (
  { environment, siteId, request }: Change,
  vehicles: Vehicles["Type"] | null,
) {
  const host = yield* ActorHost
  const { sites } = yield* CatalogRows
  const known = yield* existing(environment, siteId)
  const place = yield* placeIn(operationsOf({ environment }), request)
  const area = yield* areaIn(request, place ?? known.place)
  // Only what was sent: the site may be changed by others until the lock is taken.
  const changes: Partial<Site> = {
    ...plainChanges(request),
    ...(place === undefined ? {} : { place }),
    ...(area === undefined ? {} : { area }),
  }
  const fleeted = yield* withFleet(environment, { ...known, ...changes }, vehicles)
  return yield* host.run({
    name: "change a site",
    locks: { key: `catalog/${environment}` },
    body: Routine.fn(function* () {
      const site = yield* existing(environment, siteId)
      const { organizationId } = site
      const wanted = request.organization_id ?? organizationId
      if (organizationId !== null && wanted !== organizationId) {
        return yield* invalid(
          "organization_id",
          `cannot be changed: deliveries of organization ${organizationId} start at this site`,
        )
      }
      yield* requireOrganization(environment, wanted)
      const { fleetId = site.fleetId ?? fleeted.fleetId } = changes
      const written = { ...changes, fleetId }
      yield* sites.change(environment, siteId, written)
      return { ...site, ...written } satisfies Site
    }),
  })
})

const existing = Routine.fn(function* (environment: Environment, siteId: string) {
  const site = yield* (yield* CatalogRows).sites.get(environment, siteId)
  return site ?? (yield* notFound(`${environment} site`, siteId))
})

/** An organization's site has a fleet: its own unless another is named. In the sandbox it has one synthetic vehicle. */
const withFleet = Routine.fn(function* (
  environment: Environment,
  site: Site,
  vehicles: Vehicles["Type"] | null,
) {
  if (site.organizationId === null || site.fleetId !== null) return site
  const fleetId = `fleet_${site.siteId}`
  if (environment === "sandbox") {
    if (vehicles === null) {
      return yield* invalid(
        "fleet_id",
        "is needed while the service is stopped: only a running one makes the synthetic vehicle of a sandbox site",
      )
    }
    // Before the site, because a site without a vehicle could not quote, but a vehicle without a site does no harm.
    yield* registerSynthetic(vehicles, fleetId)
  }
  return { ...site, fleetId }
})

const registerSynthetic = Routine.fn(function* (vehicles: Vehicles["Type"], fleetId: string) {
  const nonce = yield* (yield* ActorHost).nonce
  yield* vehicles.register({
    vehicleId: newId("vehicle", nonce),
    fleetId,
    environment: "sandbox",
    label: "Synthetic vehicle",
    isSynthetic: true,
    isOnline: true,
  })
})

const requireOrganization = Routine.fn(function* (environment: Environment, organizationId: string | null) {
  if (organizationId === null) return
  const organization = yield* (yield* AccessRows).organization(organizationId)
  if (organization === null)
    return yield* invalid("organization_id", `names no organization: ${organizationId}`)
  if (!organization.environments.includes(environment)) {
    return yield* invalid("organization_id", `names an organization that has no access to ${environment}`)
  }
})

function invalid(field: string, message: string): Routine<never, Refused> {
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] }))
}
