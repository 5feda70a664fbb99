/** The contract of what a database has of a site's day. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { DAY_FIX_EVERY_MS, SiteDayRows } from "../../src/apps/operations/site-day.ts"
import { CourierRows } from "../../src/areas/courier/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { start } from "../../src/engine/services/actors.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { errand } from "./courier-rows.ts"
import { delivery, vehicle } from "./delivery-rows.ts"
import { SITE } from "./delivery-world.ts"
import { endpoint } from "./group-journals.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = CourierRows | DeliveryRows | SiteDayRows | VehicleRows

const rows = Effect.serviceFunctions(SiteDayRows)
const FLEET = "fleet_of_the_day"
const T = delivery.createdAtMs

export function siteDayContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`the day of a site: ${name}`, () => {
    test("groups are the site's deliveries of the day, the errands and vehicles of its fleet, with their revisions and promises", async () => {
      const h = make()
      await h.run(fleetOfTheDay)
      const site = {
        environment: "production",
        siteId: SITE,
        zoneIds: ["zone_curb"],
        fleetId: FLEET,
      } as const
      const query = { site, fromMs: T - HOUR_MS, untilMs: T + HOUR_MS, limit: 2 }
      const { groups, isWhole } = await h.run(rows.groups(query))
      expect(isWhole).toBe(true)
      const [run, carried, one, two, ...others] = groups
      expect(run).toMatchObject({ address: "delivery/dlv_day_1", promisedMs: T + 9 })
      expect(carried).toMatchObject({ address: "delivery/dlv_day_errand", promisedMs: T + 7 })
      expect([one?.address, two?.address]).toEqual(["vehicle/veh_day_1", "vehicle/veh_day_2"])
      expect([one?.promisedMs, others]).toEqual([null, []])
      // The start, and the offer of the run.
      expect([run?.revision, one?.revision]).toEqual([expect.any(Number), 1])
      const less = await h.run(rows.groups({ ...query, limit: 1 }))
      expect([less.groups.map(({ address }) => address), less.isWhole]).toEqual([
        ["delivery/dlv_day_1", "vehicle/veh_day_1"],
        false,
      ])
      const other = await h.run(
        rows.groups({ ...query, site: { ...site, siteId: "another", zoneIds: [], fleetId: null } }),
      )
      expect(other).toEqual({ groups: [], isWhole: true })
    })

    test("entries are those after a revision, each group's in order", async () => {
      const h = make()
      const [first, second] = [await endpoint(h, "whk_day_2"), await endpoint(h, "whk_day_1")]
      const found = await h.run(
        rows.entries([
          { address: first, after: 2 },
          { address: second, after: 0 },
          { address: "webhook-endpoint/none", after: 0 },
        ]),
      )
      expect(found.map(({ group, revision }) => [group, revision])).toEqual([
        ...[1, 2, 3, 4].map((revision) => [second, revision]),
        ...[3, 4].map((revision) => [first, revision]),
      ])
      for (const { group, text } of found) expect(JSON.parse(text)).toMatchObject({ to: group })
      expect(await h.run(rows.entries([]))).toEqual([])
    })

    test("reports are the first of each vehicle in each span of time after an instant, up to another", async () => {
      const h = make()
      const minute = T - (T % MINUTE_MS)
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const vehicles = yield* VehicleRows
          yield* host.run({
            name: "a test",
            locks: {},
            body: Routine.fn(function* () {
              for (const [at, offMs] of [
                -1,
                10,
                DAY_FIX_EVERY_MS - 1,
                MINUTE_MS,
                5 * MINUTE_MS,
                HOUR_MS,
              ].entries())
                yield* vehicles.insertFix({
                  vehicleId: "veh_reports",
                  deliveryId: null,
                  latitude: 30 + at,
                  longitude: -97,
                  recordedAtMs: minute + offMs,
                  receivedAtMs: minute + offMs,
                  speedMps: null,
                  load: null,
                  batteryPercent: null,
                  sequence: null,
                })
            }),
          })
        }),
      )
      const wanted = { vehicleId: "veh_reports", sinceMs: minute - 1 }
      const found = await h.run(rows.fixes([wanted], minute + 10 * MINUTE_MS))
      expect(found).toEqual(
        [
          [10, 31],
          [MINUTE_MS, 33],
          [5 * MINUTE_MS, 34],
        ].map(([offMs = 0, latitude]) => ({
          vehicleId: "veh_reports",
          atMs: minute + offMs,
          latitude,
          longitude: -97,
        })),
      )
      expect(await h.run(rows.fixes([], T))).toEqual([])
    })
  })
}

/** Two vehicles, one delivery of the day, and what is not of it: of another site, and long before. */
const fleetOfTheDay = Effect.gen(function* () {
  const host = yield* ActorHost
  const [deliveries, vehicles, errands] = [yield* DeliveryRows, yield* VehicleRows, yield* CourierRows]
  const nonce = yield* host.nonce
  const usual = { environment: "production", organizationId: null, nonce } as const
  const groups = [
    "vehicle/veh_day_1",
    "vehicle/veh_day_2",
    "delivery/dlv_day_1",
    "delivery/dlv_day_errand",
    "delivery/dlv_day_other_fleet",
  ]
  yield* host.run({
    name: "a test",
    locks: { groups },
    body: Routine.fn(function* () {
      for (const vehicleId of ["veh_day_1", "veh_day_2"]) {
        yield* vehicles.insert({ ...vehicle, fleetId: FLEET, vehicleId })
        const input = { fleetId: FLEET, isSynthetic: false, isOnline: true, policy: { loadWaitMs: 1000 } }
        yield* start("vehicle@1", { to: `vehicle/${vehicleId}`, input, ...usual })
      }
    }),
  })
  yield* host.run({
    name: "a test",
    locks: { groups },
    body: Routine.fn(function* () {
      const put = (deliveryId: string, more: Partial<typeof delivery>) =>
        deliveries.insert({
          ...delivery,
          fleetId: FLEET,
          deliveryId,
          externalDeliveryId: deliveryId,
          ...more,
        })
      yield* put("dlv_day_1", { deliveryEtaMs: T + 9 })
      for (const [deliveryId, fleetId] of [
        ["dlv_day_errand", FLEET],
        ["dlv_day_other_fleet", "another"],
        ["dlv_day_held", FLEET],
      ] as const)
        yield* errands.insert({ ...errand, deliveryId, fleetId, createdAtMs: T - 1 })
      yield* put("dlv_day_errand", { siteId: "store_tacos", deliveryEtaMs: T + 7 })
      yield* put("dlv_day_other_fleet", { siteId: "store_tacos", fleetId: "another" })
      yield* put("dlv_day_elsewhere", { siteId: "another" })
      yield* put("dlv_day_before", { createdAtMs: T - 24 * HOUR_MS })
      for (const deliveryId of ["dlv_day_1", "dlv_day_errand", "dlv_day_other_fleet"]) {
        const input = { deliveryId, siteId: SITE, decided: { vehicleId: "veh_day_1" } }
        yield* start("delivery@1", { to: `delivery/${deliveryId}`, input, ...usual } as never)
      }
    }),
  })
})
