/** The contract of the inspector's time zones: a group's site is found over every store's rows. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { MeasuredSites } from "../../src/areas/analytics/sites.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import { GroupZones } from "../../src/apps/inspector/group-zones.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import type { WebhookLogRows } from "../../src/areas/webhooks/webhook-log.ts"
import { delivery } from "./delivery-rows.ts"
import { row as reservation } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { transacted } from "./transacted.ts"

type Ports =
  DeliveryRows | DeliverySites | MeasuredSites | ReservationRows | VehicleRows | WebhookLogRows | WebhookStore

const deliveries = Effect.serviceFunctions(DeliveryRows)
const reservations = Effect.serviceFunctions(ReservationRows)
const vehicles = Effect.serviceFunctions(VehicleRows)
const webhooks = Effect.serviceFunctions(WebhookStore)
const zones = Effect.serviceFunctions(GroupZones)

const CHICAGO = "America/Chicago"
const { createdAtMs } = delivery

export function groupZonesContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`time zones of groups: ${name}`, () => {
    test("a group has the zone of its site, and UTC where no site or no zone is known", async () => {
      const h = make()
      const vehicle = { environment: "production", label: "Van", isSynthetic: false, isOnline: true } as const
      const sending = (deliveryId: string, subjectId: string) =>
        webhooks.insertDelivery({
          deliveryId,
          subjectId,
          webhookId: "whk_1",
          eventId: "evt_1",
          redeliveryOf: null,
          redeliveredAtMs: null,
        })
      await transacted(
        h,
        reservations.insert(reservation),
        reservations.insert({ ...reservation, reservationId: "res_west", zoneId: "zone_ungranted" }),
        deliveries.insert(delivery),
        deliveries.insert({
          ...delivery,
          deliveryId: "dlv_errand",
          externalDeliveryId: "errand-1",
          siteId: "store:1",
        }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_zoned", fleetId: delivery.fleetId }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_alone", fleetId: "fleet_nowhere" }),
        webhooks.insertBody({
          eventId: "evt_1",
          eventType: "pickup_status.changed",
          subjectId: delivery.deliveryId,
          body: "{}",
          createdAtMs,
        }),
        sending("sent_delivery", delivery.deliveryId),
        sending("sent_reservation", reservation.reservationId),
        sending("sent_test", "whk_1"),
      )
      const expected = {
        [`reservation/${reservation.reservationId}`]: CHICAGO,
        "reservation/res_west": "UTC",
        [`delivery/${delivery.deliveryId}`]: CHICAGO,
        "courier-order/dlv_errand": CHICAGO,
        "vehicle/veh_zoned": CHICAGO,
        "vehicle/veh_alone": "UTC",
        "webhook-delivery/sent_delivery": CHICAGO,
        "webhook-delivery/sent_reservation": CHICAGO,
        "webhook-delivery/sent_test": "UTC",
        "webhook-delivery/sent_nowhere": "UTC",
        "webhook-endpoint/whk_1": "UTC",
        "reservation/res_none": "UTC",
      }
      const found = await h.run(
        Effect.forEach(Object.keys(expected), (address) => zones.of("production", address)).pipe(
          Effect.provide(GroupZones.layer),
        ),
      )
      expect(Object.fromEntries(Object.keys(expected).map((address, at) => [address, found[at]]))).toEqual(
        expected,
      )
    })
  })
}
