/**
 * What operations tune of a site from which deliveries start: its area, price, time zone, how far ahead a run may be asked
 * for, and whether it is open. A change counts from the next quote on; a live quote keeps its terms.
 */

import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { DeliverySiteChange, DeliverySiteView } from "../../model/delivery-site.ts"
import { Refused } from "../../model/errors.ts"
import { MINUTE_MS } from "../../model/time.ts"
import { ActorHost } from "../host.ts"
import { DeliverySites } from "./rows.ts"
import type { DeliverySite } from "./rows.ts"
import { isConfigured } from "./sites.ts"

export class DeliverySiteAdmin extends Context.Tag("DeliverySiteAdmin")<
  DeliverySiteAdmin,
  {
    /** By id. */
    readonly list: (environment: Environment) => Effect.Effect<readonly DeliverySiteView[]>
    readonly change: (
      environment: Environment,
      siteId: string,
      change: DeliverySiteChange,
    ) => Effect.Effect<DeliverySiteView, Refused>
  }
>() {}

export const layerDeliverySiteAdmin: Layer.Layer<DeliverySiteAdmin, never, ActorHost | DeliverySites> =
  Layer.effect(
    DeliverySiteAdmin,
    Effect.gen(function* () {
      const host = yield* ActorHost
      const sites = yield* DeliverySites
      const change = Effect.fnUntraced(function* (
        environment: Environment,
        siteId: string,
        request: DeliverySiteChange,
      ) {
        const site = yield* sites.byId(siteId)
        if (site === null || site.environment !== environment) {
          return yield* new Refused({ code: "NOT_FOUND", detail: `delivery site ${siteId}` })
        }
        const changes = changesIn(request)
        yield* sites.change(siteId, changes)
        return viewOf({ ...site, ...changes })
      })
      return {
        list: (environment) => Effect.map(sites.all(environment), (all) => all.map(viewOf)),
        change: (environment, siteId, request) =>
          host.transact({ key: `delivery-sites/${siteId}` }, change(environment, siteId, request)),
      }
    }),
  )

function changesIn(request: DeliverySiteChange): Partial<DeliverySite> {
  const { is_active, delivery_price_cents, ready_ahead_minutes, ...same } = request
  return {
    ...same,
    ...(is_active === undefined ? {} : { isActive: is_active }),
    ...(delivery_price_cents === undefined ? {} : { priceCents: delivery_price_cents }),
    ...(ready_ahead_minutes === undefined ? {} : { readyAheadMsMax: ready_ahead_minutes * MINUTE_MS }),
  }
}

function viewOf(site: DeliverySite): DeliverySiteView {
  return {
    site_id: site.siteId,
    organization_id: site.organizationId,
    name: site.name,
    is_active: site.isActive,
    is_configured: isConfigured(site),
    fleet_id: site.fleetId,
    latitude: site.place?.latitude ?? null,
    longitude: site.place?.longitude ?? null,
    timezone: site.timezone,
    area: site.area,
    delivery_price_cents: site.priceCents,
    ready_ahead_minutes: site.readyAheadMsMax / MINUTE_MS,
    has_supervisor: site.hasSupervisor,
  }
}
