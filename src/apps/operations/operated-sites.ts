/** The sites of a thing, for operators who may see some sites alone. */

import { CatalogRows } from "../../areas/catalog/rows.ts"
import { DeliveryRows, DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../areas/dispatch/rows.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import type { Environment } from "../../model/caller.ts"
import { Places } from "./places.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

/** What an endpoint's `{id}` names. */
export type OperatedKind =
  | "delivery"
  | "endpoint"
  | "reservation"
  | "runner call"
  | "runner phone"
  | "site"
  | "stall"
  | "vehicle"
  | "zone"

export class OperatedSites extends service<OperatedSites>()("OperatedSites", () => ({
  sitesOf,
})) {}

/**
 * A vehicle is at every site that its fleet serves, and an endpoint at every site whose events it gets. Empty for a
 * thing that does not exist in the environment, or that has no site.
 */
const sitesOf = Routine.fn(function* (environment: Environment, kind: OperatedKind, id: string) {
  switch (kind) {
    case "site":
      return [id]
    case "delivery":
      return one((yield* (yield* DeliveryRows).byId(id))?.siteId)
    case "runner call":
      return one((yield* (yield* RunnerPhoneRows).call(id))?.siteId)
    case "runner phone":
      return one((yield* (yield* RunnerPhoneRows).phone(id))?.siteId)
    case "zone":
      return yield* sitesOfZone(environment, id)
    case "stall": {
      const stall = yield* (yield* CatalogRows).stalls.get(environment, id)
      return stall === null ? [] : yield* sitesOfZone(environment, stall.zoneId)
    }
    case "reservation": {
      const row = yield* (yield* ReservationRows).byId(id)
      if (row === null) return []
      const place = yield* (yield* Places).siteOfZone(row.environment, row.zoneId)
      return one(place?.siteId)
    }
    case "vehicle": {
      const vehicle = yield* (yield* VehicleRows).byId(id)
      if (vehicle === null) return []
      const sites = yield* (yield* DeliverySites).all(vehicle.environment)
      return sites.filter(({ fleetId }) => fleetId === vehicle.fleetId).map(({ siteId }) => siteId)
    }
    case "endpoint": {
      const endpoint = yield* (yield* WebhookStore).endpoint(id)
      if (endpoint === null) return []
      if (endpoint.siteId !== null) return [endpoint.siteId]
      const sites = yield* (yield* DeliverySites).ofOrganization(endpoint)
      return sites.map(({ siteId }) => siteId)
    }
  }
})

const sitesOfZone = Routine.fn(function* (environment: Environment, zoneId: string) {
  return one((yield* (yield* CatalogRows).zones.get(environment, zoneId))?.siteId)
})

function one(siteId: string | null | undefined): readonly string[] {
  return siteId === undefined || siteId === null ? [] : [siteId]
}
