/** The time zone of a group's site, in which the inspector shows its times. */

import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { isTimeZone } from "../../model/values/time-zone.ts"
import { MeasuredSites } from "../../areas/analytics/sites.ts"
import { VehicleRows } from "../../areas/dispatch/rows.ts"
import { DeliveryRows, DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { WebhookLogRows } from "../../areas/webhooks/webhook-log.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class GroupZones extends service<GroupZones>()("GroupZones", () => ({
  of: zoneOf,
})) {}

/** IANA time zone; `UTC` if the group has no site, or its site has no time zone. */
const zoneOf = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const zone = yield* knownZoneOf(environment, address)
  return zone !== null && isTimeZone(zone) ? zone : "UTC"
})

const knownZoneOf = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const id = idOf(address)
  switch (kindOf(address)) {
    case "reservation":
      return yield* zoneOfReservation(id)
    case "compartment":
    case "courier-order":
    case "delivery":
      return yield* zoneOfDelivery(id)
    case "vehicle": {
      const vehicle = yield* (yield* VehicleRows).byId(id)
      return vehicle === null ? null : yield* zoneOfFleet(environment, vehicle.fleetId)
    }
    case "webhook-delivery": {
      const sending = yield* (yield* WebhookLogRows).byId(id)
      if (sending === null) return null
      return (yield* zoneOfReservation(sending.subjectId)) ?? (yield* zoneOfDelivery(sending.subjectId))
    }
    default:
      return null
  }
})

const zoneOfReservation = Routine.fn(function* (reservationId: string) {
  const row = yield* (yield* ReservationRows).byId(reservationId)
  if (row === null) return null
  const siteId = yield* (yield* MeasuredSites).siteOfZone(row.environment, row.zoneId)
  return siteId === null ? null : yield* zoneOfSite(row.environment, siteId)
})

/** A courier errand starts at a store, which is not a site: the time zone is that of its fleet. */
const zoneOfDelivery = Routine.fn(function* (deliveryId: string) {
  const row = yield* (yield* DeliveryRows).byId(deliveryId)
  if (row === null) return null
  return (
    (yield* zoneOfSite(row.environment, row.siteId)) ?? (yield* zoneOfFleet(row.environment, row.fleetId))
  )
})

const zoneOfSite = Routine.fn(function* (environment: Environment, siteId: string) {
  const site = yield* (yield* MeasuredSites).site({ environment, organizationId: null }, siteId)
  return site?.timezone ?? null
})

/** The time zone that all sites of a fleet share; null without one. */
const zoneOfFleet = Routine.fn(function* (environment: Environment, fleetId: string) {
  const sites = yield* (yield* DeliverySites).all(environment)
  const zones = new Set(sites.filter((site) => site.fleetId === fleetId).map(({ timezone }) => timezone))
  const [zone = null] = zones
  return zones.size === 1 ? zone : null
})
