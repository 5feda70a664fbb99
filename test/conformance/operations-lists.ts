/** The contract of the lists of operations. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { CourierRows } from "../../src/areas/courier/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { ListRows } from "../../src/apps/operations/list-rows.ts"
import type { ListQuery } from "../../src/apps/operations/list-rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { errand } from "./courier-rows.ts"
import { delivery, vehicle } from "./delivery-rows.ts"
import { BARE_SITE, SITE, STRANGERS_SITE } from "./delivery-world.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { endpoint } from "./webhook-store.ts"
import { world } from "./world.ts"

type Ports = CourierRows | DeliveryRows | ListRows | ReservationRows | VehicleRows | WebhookStore

const [WEST = "", EAST = ""] = world.map(({ siteId }) => siteId)
const T = row.createdAtMs

const query: ListQuery & { readonly states: null; readonly statuses: null } = {
  environment: "production",
  siteIds: null,
  organizationId: null,
  text: null,
  fromMs: null,
  untilMs: null,
  after: null,
  limit: 9,
  states: null,
  statuses: null,
}

const lists = Effect.serviceFunctions(ListRows)

function written(
  h: RowsHarness<Ports>,
  ...writes: readonly Effect.Effect<unknown, never, Ports | Transaction>[]
): Promise<unknown> {
  const all = Routine.from(Effect.all(writes))
  return h.run(Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks: {}, body: () => all })))
}

export function operationsListsContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`lists of operations: ${name}`, () => {
    test("reservations are sorted by their windows and narrow by site, state, organization, window and text", async () => {
      const h = make()
      const rows = Effect.serviceFunctions(ReservationRows)
      const at = (minutes: number) => ({ startsAtMs: T + minutes * MINUTE_MS })
      await written(
        h,
        rows.insert({ ...row, ...at(30), orderNumber: "Order-1" }),
        rows.insert({
          ...row,
          ...at(50),
          reservationId: "res_2",
          status: "completed",
          zoneId: "zone_ungranted",
        }),
        rows.insert({ ...row, ...at(40), reservationId: "res_3", organizationId: "org_two" }),
        rows.insert({ ...row, ...at(40), reservationId: "res_4", endUserPhone: "+15125550199" }),
        rows.insert({ ...row, ...at(60), reservationId: "res_5", environment: "sandbox" }),
      )
      const found = async (more: object) =>
        (await h.run(lists.reservations({ ...query, ...more }))).map(({ reservationId: id }) => id)
      expect(await found({})).toEqual(["res_2", "res_4", "res_3", "res_1"])
      expect(await found({ siteIds: [EAST] })).toEqual(["res_4", "res_3", "res_1"])
      expect(await found({ siteIds: [WEST, "no site"] })).toEqual(["res_2"])
      expect(await found({ siteIds: [] })).toEqual([])
      expect(await found({ statuses: ["completed", "canceled"] })).toEqual(["res_2"])
      expect(await found({ organizationId: "org_two" })).toEqual(["res_3"])
      expect(await found({ fromMs: T + 31 * MINUTE_MS, untilMs: T + 50 * MINUTE_MS })).toEqual([
        "res_4",
        "res_3",
      ])
      expect(await found({ text: "order-1" })).toEqual(["res_1"])
      expect(await found({ text: "res_3" })).toEqual(["res_3"])
      expect(await found({ text: "0199" })).toEqual(["res_4"])
      expect(await found({ text: "0199", siteIds: [WEST] })).toEqual([])
      expect(await found({ text: "order" })).toEqual([])
      expect(await found({ limit: 2 })).toEqual(["res_2", "res_4"])
      const after = { atMs: T + 40 * MINUTE_MS, id: "res_4" }
      expect(await found({ after, limit: 2 })).toEqual(["res_3", "res_1"])
      expect(await found({ after, text: "0100" })).toEqual(["res_3", "res_1"])
      const [first] = await h.run(lists.reservations({ ...query, text: "res_1" }))
      expect(first).toMatchObject({
        siteId: EAST,
        siteName: "East",
        retailerName: "Grocer",
        status: "confirmed",
      })
      expect(first).not.toHaveProperty("endUserName")
    })

    test("deliveries are newest first without those of errands, and errands are a list of their own", async () => {
      const h = make()
      const deliveries = Effect.serviceFunctions(DeliveryRows)
      const errands = Effect.serviceFunctions(CourierRows)
      const other = { ...delivery, deliveryId: "dlv_2", externalDeliveryId: "order-2", createdAtMs: T + 1 }
      const carried = {
        ...delivery,
        deliveryId: "dlv_3",
        externalDeliveryId: "A-7",
        storePlace: delivery.place,
      }
      await written(
        h,
        deliveries.insert(delivery),
        deliveries.insert({ ...other, siteId: BARE_SITE, status: "CANCELLED" }),
        deliveries.insert({ ...carried, siteId: "store_1", status: "LOADED" }),
        errands.insert({ ...errand, deliveryId: "dlv_3", phase: "booked", createdAtMs: T + 3 }),
        errands.insert({ ...errand, deliveryId: "dlv_4", phase: "lapsed", createdAtMs: T + 2 }),
      )
      const found = async (more: object) =>
        (await h.run(lists.deliveries({ ...query, ...more }))).map(({ deliveryId: id }) => id)
      expect(await found({})).toEqual(["dlv_2", "dlv_1"])
      expect(await found({ siteIds: [SITE] })).toEqual(["dlv_1"])
      expect(await found({ statuses: ["CANCELLED"] })).toEqual(["dlv_2"])
      expect(await found({ organizationId: "org_two" })).toEqual([])
      expect(await found({ fromMs: T + 1 })).toEqual(["dlv_2"])
      expect(await found({ text: "ORDER-1" })).toEqual(["dlv_1"])
      expect(await found({ text: "A-7" })).toEqual([])
      expect(await found({ after: { atMs: T + 1, id: "dlv_2" } })).toEqual(["dlv_1"])

      const ofErrands = async (more: object) =>
        (await h.run(lists.errands({ ...query, ...more }))).map(({ deliveryId: id }) => id)
      expect(await ofErrands({})).toEqual(["dlv_3", "dlv_4"])
      expect(await ofErrands({ states: { phases: ["lapsed"], statuses: [] } })).toEqual(["dlv_4"])
      expect(await ofErrands({ states: { phases: [], statuses: ["LOADED"] } })).toEqual(["dlv_3"])
      expect(await ofErrands({ states: { phases: [], statuses: ["SCHEDULED"] } })).toEqual([])
      expect(await ofErrands({ text: "a-7" })).toEqual(["dlv_3"])
      expect(await ofErrands({ text: "dlv_4" })).toEqual(["dlv_4"])
      expect(await ofErrands({ untilMs: T + 3 })).toEqual(["dlv_4"])
      expect(await ofErrands({ after: { atMs: T + 3, id: "dlv_3" } })).toEqual(["dlv_4"])
      expect((await h.run(lists.errands(query)))[0]).toMatchObject({
        orderNumber: "A-7",
        storeName: "Lunchbox Kitchen",
        deliveryStatus: "LOADED",
      })
    })

    test("vehicles are sorted by label and narrow by the fleets of sites, by state and by text", async () => {
      const h = make()
      const vehicles = Effect.serviceFunctions(VehicleRows)
      const deliveries = Effect.serviceFunctions(DeliveryRows)
      await written(
        h,
        vehicles.insert({ ...vehicle, vehicleId: "veh_1", label: "CB-2" }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_2", label: "CB-1" }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_3", label: "CB-1", isOnline: false }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_4", label: "AA", fleetId: "fleet_else" }),
        vehicles.insert({ ...vehicle, vehicleId: "veh_5", label: "AB", environment: "sandbox" }),
        deliveries.insert({ ...delivery, vehicleId: "veh_1" }),
      )
      const found = async (more: object) =>
        (await h.run(lists.vehicles({ ...query, after: null, ...more }))).map(({ vehicleId: id }) => id)
      expect(await found({})).toEqual(["veh_4", "veh_2", "veh_3", "veh_1"])
      expect(await found({ siteIds: [SITE] })).toEqual(["veh_2", "veh_3", "veh_1"])
      expect(await found({ siteIds: [EAST] })).toEqual([])
      expect(await found({ siteIds: [SITE], states: ["free"] })).toEqual(["veh_2"])
      expect(await found({ states: ["on_a_run", "offline"] })).toEqual(["veh_3", "veh_1"])
      expect(await found({ text: "cb-1" })).toEqual(["veh_2", "veh_3"])
      expect(await found({ text: "veh_4" })).toEqual(["veh_4"])
      expect(await found({ after: { label: "CB-1", vehicleId: "veh_2" }, limit: 1 })).toEqual(["veh_3"])
    })

    test("endpoints belong to the sites whose events they get, and have no secret", async () => {
      const h = make()
      const store = Effect.serviceFunctions(WebhookStore)
      const delivering = { ...endpoint, area: "direct_delivery" } as const
      await written(
        h,
        store.insertEndpoint(delivering),
        store.insertEndpoint({
          ...delivering,
          webhookId: "whk_2",
          siteId: BARE_SITE,
          isActive: false,
          createdAtMs: T + 1,
        }),
        store.insertEndpoint({
          ...delivering,
          webhookId: "whk_3",
          organizationId: "org_two",
          url: "https://else.example/hooks?key=1",
          isActive: false,
          disabledAtMs: T,
          createdAtMs: T + 2,
        }),
        store.insertEndpoint({ ...endpoint, webhookId: "whk_4", environment: "sandbox" }),
      )
      const found = async (more: object) =>
        (await h.run(lists.endpoints({ ...query, ...more }))).map(({ webhookId: id }) => id)
      expect(await found({})).toEqual(["whk_3", "whk_2", "whk_1"])
      expect(await found({ siteIds: [SITE] })).toEqual(["whk_1"])
      expect(await found({ siteIds: [BARE_SITE] })).toEqual(["whk_2", "whk_1"])
      expect(await found({ siteIds: [STRANGERS_SITE] })).toEqual(["whk_3"])
      expect(await found({ siteIds: [EAST] })).toEqual([])
      expect(await found({ states: ["disabled"] })).toEqual(["whk_3"])
      expect(await found({ states: ["on", "off"] })).toEqual(["whk_2", "whk_1"])
      expect(await found({ organizationId: "org_two" })).toEqual(["whk_3"])
      expect(await found({ text: "ELSE.example" })).toEqual(["whk_3"])
      expect(await found({ text: "whk_1" })).toEqual(["whk_1"])
      expect(await found({ after: { atMs: T + 1, id: "whk_2" } })).toEqual(["whk_1"])
      const [disabled] = await h.run(lists.endpoints(query))
      expect(disabled).toMatchObject({ state: "disabled", subscribedEvents: endpoint.subscribedEvents })
      expect(JSON.stringify(disabled)).not.toContain(endpoint.secret)
    })
  })
}
