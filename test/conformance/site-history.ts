/** The contract of a site's past, from which its forecast learns. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { SiteHistory } from "../../src/apps/operations/site-forecast.ts"
import { ActorHost, Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { start } from "../../src/engine/services/actors.ts"
import { CourierRows } from "../../src/areas/courier/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { persistGroup } from "../../src/engine/kernel/group.ts"
import { errand } from "./courier-rows.ts"
import { delivery, vehicle } from "./delivery-rows.ts"
import { FLEET, SITE } from "./delivery-world.ts"
import { endpoint } from "./group-journals.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = CourierRows | DeliveryRows | ReservationRows | SiteHistory | VehicleRows

const history = Effect.serviceFunctions(SiteHistory)

export function siteHistoryContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`the past of a site: ${name}`, () => {
    test("reservations of its zones come with the latest window first, back to an instant, and no more than wanted", async () => {
      const h = make()
      const { startsAtMs } = row
      const written = [
        { ...row, reservationId: "res_old", startsAtMs: startsAtMs - MINUTE_MS },
        { ...row, reservationId: "res_first", createdAtMs: row.createdAtMs + 5 },
        { ...row, reservationId: "res_ended", startsAtMs: startsAtMs + MINUTE_MS, status: "completed" },
        { ...row, reservationId: "res_other", startsAtMs: startsAtMs + 2 * MINUTE_MS, zoneId: "zone_two" },
        { ...row, reservationId: "res_elsewhere", zoneId: "zone_far" },
        { ...row, reservationId: "res_sandbox", environment: "sandbox" },
      ] as const
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const rows = yield* ReservationRows
          yield* host.run({
            name: "a test",
            locks: {},
            body: Routine.fn(function* () {
              for (const one of written) yield* rows.insert(one)
            }),
          })
        }),
      )
      const query = {
        environment: "production",
        zoneIds: ["zone_curb", "zone_two"],
        bookedBeforeMs: null,
        limit: 10,
      } as const
      const found = await h.run(history.reservations({ ...query, sinceMs: startsAtMs }))
      expect(found.map(({ address }) => address)).toEqual([
        "reservation/res_other",
        "reservation/res_ended",
        "reservation/res_first",
      ])
      expect(found.at(-1)?.bookedMs).toBe(row.createdAtMs + 5)
      const newest = await h.run(history.reservations({ ...query, sinceMs: 0, limit: 2 }))
      expect(newest).toEqual(found.slice(0, 2))
      const before = { ...query, sinceMs: startsAtMs, bookedBeforeMs: row.createdAtMs + 5 }
      expect(await h.run(history.reservations(before))).toEqual(found.slice(0, 2))
      expect(await h.run(history.reservations({ ...query, zoneIds: [], sinceMs: 0 }))).toEqual([])
    })

    test("runs are the site's deliveries and its fleet's errands, the latest first, back to an instant", async () => {
      const h = make()
      const { createdAtMs } = delivery
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const deliveries = yield* DeliveryRows
          const errands = yield* CourierRows
          const put = (deliveryId: string, more: Partial<typeof delivery>) =>
            deliveries.insert({ ...delivery, deliveryId, externalDeliveryId: deliveryId, ...more })
          yield* host.run({
            name: "a test",
            locks: {},
            body: Routine.fn(function* () {
              yield* put("dlv_old", { createdAtMs: createdAtMs - 1 })
              yield* put("dlv_first", {})
              yield* put("dlv_ended", { createdAtMs: createdAtMs + 2, status: "COMPLETED" })
              yield* put("dlv_elsewhere", { siteId: "another", createdAtMs: createdAtMs + 3 })
              yield* put("dlv_sandbox", { environment: "sandbox" })
              yield* errands.insert({ ...errand, deliveryId: "dlv_errand", createdAtMs: createdAtMs + 1 })
              yield* errands.insert({ ...errand, deliveryId: "dlv_strange", fleetId: "fleet_strange" })
            }),
          })
        }),
      )
      const query = {
        environment: "production",
        siteId: SITE,
        fleetId: FLEET,
        sinceMs: createdAtMs,
        bookedBeforeMs: null,
      } as const
      const found = await h.run(history.runs({ ...query, limit: 10 }))
      expect(found).toEqual([
        { address: "delivery/dlv_ended", bookedMs: createdAtMs + 2 },
        { address: "courier-order/dlv_errand", bookedMs: createdAtMs + 1 },
        { address: "delivery/dlv_first", bookedMs: createdAtMs },
      ])
      expect(await h.run(history.runs({ ...query, limit: 2 }))).toEqual(found.slice(0, 2))
      const before = { ...query, bookedBeforeMs: createdAtMs + 2, limit: 10 }
      expect(await h.run(history.runs(before))).toEqual(found.slice(1))
    })

    test("a fleet comes with its vehicles, what they carry and its errands, as groups with their timers", async () => {
      const h = make()
      const groups = [
        "vehicle/veh_kept_1",
        "vehicle/veh_kept_2",
        "delivery/dlv_kept_1",
        "delivery/dlv_kept_2",
        "courier-order/dlv_kept_3",
      ]
      const { createdAtMs } = delivery
      const kept = await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const [deliveries, vehicles, errands] = [
            yield* DeliveryRows,
            yield* VehicleRows,
            yield* CourierRows,
          ]
          const nonce = yield* host.nonce
          const usual = { environment: "production", organizationId: null, nonce } as const
          yield* host.run({
            name: "a test",
            locks: { groups },
            body: Routine.fn(function* () {
              for (const vehicleId of ["veh_kept_1", "veh_kept_2"]) {
                yield* vehicles.insert({ ...vehicle, fleetId: "fleet_kept", vehicleId })
                const policy = { loadWaitMs: 1000 }
                const input = { fleetId: "fleet_kept", isSynthetic: false, isOnline: true, policy }
                yield* start("vehicle@1", { to: `vehicle/${vehicleId}`, input, ...usual })
              }
            }),
          })
          yield* host.run({
            name: "a test",
            locks: { groups },
            body: Routine.fn(function* () {
              for (const [deliveryId, status] of [
                ["dlv_kept_1", "SCHEDULED"],
                ["dlv_kept_2", "COMPLETED"],
              ] as const)
                yield* deliveries.insert({
                  ...delivery,
                  fleetId: "fleet_kept",
                  deliveryId,
                  externalDeliveryId: deliveryId,
                  status,
                  deliveryEtaMs: createdAtMs + 9,
                })
              const input = { deliveryId: "dlv_kept_1", siteId: SITE, decided: { vehicleId: "veh_kept_1" } }
              yield* start("delivery@1", { to: "delivery/dlv_kept_1", input, ...usual } as never)
              const quote = { ...errand, fleetId: "fleet_kept", deliveryId: "dlv_kept_3", createdAtMs }
              yield* errands.insert(quote)
              yield* errands.insert({
                ...quote,
                deliveryId: "dlv_kept_4",
                createdAtMs: createdAtMs - MINUTE_MS,
              })
              yield* errands.insert({ ...quote, deliveryId: "dlv_kept_5", phase: "expired" })
            }),
          })
          return yield* host.view(
            groups,
            Routine.fn(function* () {
              const { group } = yield* Transaction
              const found = []
              for (const address of groups) found.push(yield* group(address))
              return found.flatMap((one) => (one === null ? [] : [persistGroup(one)]))
            })(),
          )
        }),
      )
      const query = { environment: "production", fleetId: "fleet_kept", quotedSinceMs: createdAtMs } as const
      const fleet = await h.run(history.openFleet({ ...query, limit: 5 }))
      const byAddress = (all: readonly { readonly address: string }[]) =>
        all.toSorted((a, b) => (a.address < b.address ? -1 : 1))
      expect(byAddress(fleet.groups)).toEqual(byAddress(kept))
      expect(kept.map(({ address }) => address)).toEqual([
        "vehicle/veh_kept_1",
        "vehicle/veh_kept_2",
        "delivery/dlv_kept_1",
      ])
      expect(fleet).toMatchObject({
        isWhole: true,
        terms: [{ deliveryId: "dlv_kept_1", readyByMs: delivery.readyByMs, promisedAtMs: createdAtMs + 9 }],
      })
      expect(await h.run(history.openFleet({ ...query, limit: 1 }))).toEqual({
        groups: [],
        terms: [],
        isWhole: false,
      })
      expect(await h.run(history.openFleet({ ...query, fleetId: "none", limit: 1 }))).toEqual({
        groups: [],
        terms: [],
        isWhole: true,
      })
    })

    test("entries are the texts of the journal, each group's in order", async () => {
      const h = make()
      const groups = [await endpoint(h, "whk_two"), await endpoint(h, "whk_one")]
      const texts = await h.run(history.entries([...groups, "webhook-endpoint/none"]))
      const bodies = texts.map(
        (text) => JSON.parse(text) as { readonly to: string; readonly refused: unknown },
      )
      expect(bodies.map(({ to }) => to)).toEqual([
        ...Array.from({ length: 4 }, () => "webhook-endpoint/whk_one"),
        ...Array.from({ length: 4 }, () => "webhook-endpoint/whk_two"),
      ])
      expect(bodies.slice(0, 4).map(({ refused }) => refused)).toEqual([null, null, null, "INVALID_STATE"])
      expect(await h.run(history.entries([]))).toEqual([])
    })
  })
}
