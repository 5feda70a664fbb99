/** The contract of the groups that a live stream follows. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ChangedGroups } from "../../src/portal/changes.ts"
import { start } from "../../src/services/actors.ts"
import { ActorHost } from "../../src/services/host.ts"
import type { Transaction } from "../../src/services/host.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { delivery } from "./delivery-rows.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = ChangedGroups | DeliveryRows | ReservationRows | WebhookStore

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
    test("come in the order of the journal with their owner; groups without one are only counted", async () => {
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
            host.run({ name: "a test", locks: {}, body: () => body })
          yield* write(store.insertEndpoint(endpoint))
          yield* write(started("webhook-endpoint/whk_1"))
          yield* write(started("webhook-endpoint/whk_unknown"))
          yield* write(deliveries.insert(delivery))
          yield* write(reservations.insert(row))
        }),
      )
      const found = await h.run(groups.after(began, 100))
      expect(found.changes).toEqual([
        { address: "webhook-endpoint/whk_1", revision: 1, organizationId: "org_two", environment: "sandbox" },
      ])
      expect(found.looked).toBe(2)
      expect(found.position).toBe(await h.run(last))
      const [first, rest] = [
        await h.run(groups.after(began, 1)),
        await h.run(groups.after(found.position, 100)),
      ]
      expect(first).toMatchObject({ looked: 1, changes: found.changes })
      expect(rest).toEqual({ changes: [], looked: 0, position: found.position })
    })
  })
}
