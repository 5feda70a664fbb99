/** The sites of a thing, for operators who may see some sites alone. */

import { Context, Effect, Layer } from "effect"
import { DeliveryRows, DeliverySites } from "../areas/direct-delivery/rows.ts"
import { VehicleRows } from "../areas/dispatch/rows.ts"
import { ReservationRows } from "../areas/reservations/rows.ts"
import { RunnerPhoneRows } from "../areas/runner-phones/rows.ts"
import { WebhookStore } from "../areas/webhooks/store.ts"
import { Places } from "./places.ts"
import { provided } from "../services/provided.ts"
import { Routine } from "../services/routine.ts"

/** What an endpoint's `{id}` names. */
export type OperatedKind = "delivery" | "endpoint" | "reservation" | "runner phone" | "site" | "vehicle"

export class OperatedSites extends Context.Tag("OperatedSites")<
  OperatedSites,
  {
    /**
     * A vehicle is at every site that its fleet serves, and an endpoint at every site whose events it gets. Empty for a thing that
     * does not exist, or that has no site.
     */
    readonly sitesOf: (kind: OperatedKind, id: string) => Routine<readonly string[]>
  }
>() {}

type Needs =
  DeliveryRows | DeliverySites | Places | ReservationRows | RunnerPhoneRows | VehicleRows | WebhookStore

export const layerOperatedSites: Layer.Layer<OperatedSites, never, Needs> = Layer.effect(
  OperatedSites,
  Effect.map(Effect.context<Needs>(), (context): OperatedSites["Type"] => ({
    sitesOf: (kind, id) => provided(sitesOf(kind, id), context),
  })),
)

const sitesOf = Routine.fn(function* (kind: OperatedKind, id: string) {
  switch (kind) {
    case "site":
      return [id]
    case "delivery":
      return one((yield* (yield* DeliveryRows).byId(id))?.siteId)
    case "runner phone":
      return one((yield* (yield* RunnerPhoneRows).phone(id))?.siteId)
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

function one(siteId: string | undefined): readonly string[] {
  return siteId === undefined ? [] : [siteId]
}
