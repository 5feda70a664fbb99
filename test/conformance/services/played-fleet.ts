/** The played fleet on every host: rows J25 to J29. Its rules are in test/simulation/runs. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { layerPlayedFleet, playOnce } from "../../../src/live/demo/played-fleet.ts"
import { DELIVERY_STATUSES } from "../../../src/model/delivery.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { Place } from "../../../src/model/place.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { FLEET, SITE, north } from "../delivery-world.ts"
import { operations, partner } from "../harness.ts"
import type { MakeServicesHarness, ServiceTags, ServicesHarness } from "../harness.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)

async function register(h: ServicesHarness, vehicleId: string, isSynthetic = true): Promise<void> {
  const vehicle = { vehicleId, fleetId: FLEET, environment: "production", label: vehicleId } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic, isOnline: true }))
}

async function booked(h: ServicesHarness, id: string, to: Place = north(2_000)): Promise<void> {
  await h.run(
    deliveries.quote(partner, SITE, {
      external_delivery_id: id,
      customer: { phone: "+15125550123" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: to,
      ready_by: h.now() + MINUTE_MS,
      order_items: [{ name: "Milk", quantity: 2 }],
    }),
  )
  await h.run(deliveries.create(partner, SITE, { external_delivery_id: id }))
}

const statusOf = (id: string) => Effect.map(deliveries.read(partner, SITE, id), ({ status }) => status)

/** Every status that a delivery shows until its end, looked at four times a second. */
function watched(id: string): Effect.Effect<readonly string[], unknown, ServiceTags> {
  return Effect.gen(function* () {
    const shown: string[] = []
    for (let look = 0; look < 4_000 && shown.at(-1) !== "COMPLETED"; look += 1) {
      const status = yield* statusOf(id)
      if (shown.at(-1) !== status) shown.push(status)
      yield* Effect.sleep(SECOND_MS / 4)
    }
    return shown
  })
}

function played<A, E>(speed: number, effect: Effect.Effect<A, E, ServiceTags>) {
  return Effect.scoped(Effect.zipRight(Layer.build(layerPlayedFleet(speed)), effect))
}

const WALK = DELIVERY_STATUSES.filter((status) => status !== "SCHEDULED" && status !== "CANCELLED")

export function playedFleetTests(make: MakeServicesHarness): void {
  describe("the played fleet", () => {
    test("J25: a booked delivery drives to its end, and shows every status on its way", async () => {
      const h = make()
      await register(h, "veh_1")
      await booked(h, "order-1")
      const shown = await h.run(played(600, watched("order-1")))
      expect(shown.filter((status) => status !== "SCHEDULED")).toEqual(WALK)
      expect(await h.run(vehicles.activeRuns(operations))).toEqual([])
    })

    test("J26: two runs of a vehicle are driven one after the other, and the second goes next door", async () => {
      const h = make()
      await register(h, "veh_1")
      await booked(h, "order-1")
      await booked(h, "order-2", north(40))
      const [, second] = await h.run(played(600, Effect.all([watched("order-1"), watched("order-2")])))
      expect(second).toContain("COMPLETED")
    })

    test("J27: two nodes play one vehicle: what the second says is a repeat", async () => {
      const fixesOf = async (nodes: number): Promise<unknown> => {
        const h = make()
        await register(h, "veh_1")
        await booked(h, "order-1")
        const places: unknown[] = []
        for (let at = 0; at < 10; at += 1) {
          await h.advance(SECOND_MS)
          await h.run(
            Effect.all(
              Array.from({ length: nodes }, () => playOnce(10)),
              { concurrency: nodes },
            ),
          )
          const [run] = await h.run(vehicles.activeRuns(operations))
          places.push([run?.phase, run?.status, run?.lastFix?.latitude, run?.lastFix?.longitude])
        }
        return places
      }
      expect(await fixesOf(2)).toEqual(await fixesOf(1))
    })

    test("J28: a vehicle that was not played for an hour goes on from where it was seen last", async () => {
      const h = make()
      await register(h, "veh_1")
      await booked(h, "order-1")
      const step = async (ms: number) => {
        await h.advance(ms)
        await h.run(playOnce(1))
        return (await h.run(vehicles.activeRuns(operations)))[0]?.lastFix
      }
      for (let at = 0; at < 5; at += 1) await step(2 * SECOND_MS)
      const before = await step(2 * SECOND_MS)
      const after = await step(60 * MINUTE_MS)
      expect(after).toMatchObject({ latitude: before?.latitude, longitude: before?.longitude })
      const driven = await step(2 * SECOND_MS)
      expect(driven?.latitude).toBeLessThan(after?.latitude ?? 0)
    })

    test("J29: a real vehicle, one that is off line and one without a run are left alone", async () => {
      const h = make()
      await register(h, "veh_real", false)
      await booked(h, "order-1")
      await register(h, "veh_1")
      expect(await h.run(vehicles.activeRuns(operations))).toEqual([])
      await h.run(vehicles.report(operations, "veh_real", [{ ...north(3_000), recorded_at: h.now() }]))
      await booked(h, "order-2")
      await h.advance(SECOND_MS)
      expect(await h.run(vehicles.activeRuns(operations))).toMatchObject([{ vehicleId: "veh_1" }])
      await h.run(vehicles.goOffline(operations, "veh_1"))
      expect(await h.run(vehicles.activeRuns(operations))).toEqual([])
    })
  })
}
