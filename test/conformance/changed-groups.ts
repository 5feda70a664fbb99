/** The contract of the groups that a live stream follows. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ChangedGroups } from "../../src/engine/services/changed-groups.ts"
import { start } from "../../src/engine/services/actors.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { delivery } from "./delivery-rows.ts"
import { FLEET, SITE } from "./delivery-world.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = ChangedGroups | DeliveryRows | ReservationRows | VehicleRows | WebhookStore

const endpoint = {
  webhookId: "whk_1",
  organizationId: "org_two",
  environment: "sandbox",
  area: "direct_delivery",
  siteId: null,
  url: "https://hooks.partner.example/events",
  subscribedEvents: ["pickup_status.changed"],
  isActive: true,
  secret: "whsec_1",
  consecutiveFailures: 0,
  disabledAtMs: null,
  disabledReason: null,
  createdAtMs: 0,
  updatedAtMs: 0,
} as const

const groups = Effect.serviceFunctions(ChangedGroups)

export function changedGroupsContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`changed groups: ${name}`, () => {
    test("come in the order of the journal with their topics; groups without one are only counted", async () => {
      const h = make()
      const last = Effect.flatMap(ChangedGroups, (changed) => changed.last)
      const began = await h.run(last)
      /** Any machine: only the address says whose group it is. */
      const started = (to: string) =>
        Effect.flatMap(ActorHost, ({ nonce }) =>
          Effect.flatMap(nonce, (drawn) =>
            start("webhook-endpoint@1", {
              to,
              input: { failuresMax: 3 },
              environment: "sandbox",
              organizationId: null,
              nonce: drawn,
            }),
          ),
        )
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const store = yield* WebhookStore
          const deliveries = yield* DeliveryRows
          const reservations = yield* ReservationRows
          const write = (body: Effect.Effect<unknown, never, ActorHost | Transaction>) =>
            host.run({ name: "a test", locks: {}, body: () => Routine.from(body) })
          yield* write(store.insertEndpoint(endpoint))
          yield* write(started("webhook-endpoint/whk_1"))
          yield* write(started("webhook-endpoint/whk_unknown"))
          yield* write(deliveries.insert(delivery))
          yield* write(started("compartment/dlv_1"))
          yield* write(reservations.insert(row))
          const vehicles = yield* VehicleRows
          const vehicle = {
            fleetId: "fleet_1",
            environment: "production",
            isSynthetic: false,
            isOnline: true,
          } as const
          yield* write(vehicles.insert({ ...vehicle, vehicleId: "veh_changed", label: "" }))
          const input = { fleetId: "fleet_1", isSynthetic: false, isOnline: true, policy: { loadWaitMs: 1 } }
          const nonce = yield* host.nonce
          const to = "vehicle/veh_changed"
          const owner = { environment: "production", organizationId: null } as const
          yield* write(start("vehicle@1", { to, input, ...owner, nonce }))
        }),
      )
      const found = await h.run(groups.after(began, 100))
      expect(found.changes.map(({ address, topics }) => [address, topics])).toEqual([
        ["webhook-endpoint/whk_1", ["organization/sandbox/org_two"]],
        ["compartment/dlv_1", [`site/production/${SITE}`, `fleet/production/${FLEET}`]],
        ["vehicle/veh_changed", ["fleet/production/fleet_1"]],
      ])
      expect(found.changes.every(({ revision }) => revision === 1)).toBe(true)
      expect(found.looked).toBe(4)
      expect(found.position).toBe(await h.run(last))
      // Positions may have gaps: a transaction that was rolled back has used one up.
      const first = await h.run(groups.after(began, 1))
      expect(first).toMatchObject({ looked: 1, changes: found.changes.slice(0, 1) })
      expect(await h.run(groups.after(first.position, 100))).toEqual({
        looked: 3,
        position: found.position,
        changes: found.changes.slice(1),
      })
      const rest = await h.run(groups.after(found.position, 100))
      expect(rest).toEqual({ changes: [], looked: 0, position: found.position })
    })
  })
}
