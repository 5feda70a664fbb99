/** Direct delivery's personal data: names, numbers, addresses, coordinates and the caller's ids stay in rows. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { persistGroup } from "../../../src/engine/kernel/group.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { PICKUP_EVENT_TYPES } from "../../../src/model/webhook.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { InboundSms } from "../../../src/areas/messages/inbound-sms.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { PickupWebhooks } from "../../../src/areas/webhooks/webhooks.ts"
import { FLEET, SITE } from "../../conformance/delivery-world.ts"
import { operations, partner } from "../../conformance/harness.ts"
import { memoryHarness } from "../../conformance/memory.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)

const PLANTED = {
  id: "planted-order-91",
  firstName: "Wilhelmina",
  lastName: "Quetzal",
  email: "planted@example.com",
  phone: "+15125559876",
  street: "77 Planted Street",
  unit: "Unit Planted",
  item: "Planted oranges",
  instructions: "Planted instructions",
  reason: "Planted reason",
  hook: "https://planted-hook.partner.example/hook",
}
const PLACE = { latitude: 30.412_345, longitude: -97.712_345 }

test("a delivery's journal and contexts hold ids, distances and times, and nothing of a person or a place", async () => {
  const h = memoryHarness()
  const vehicle = {
    vehicleId: "veh_1",
    fleetId: FLEET,
    environment: "production",
    label: "Planted van",
  } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic: false, isOnline: true }))
  const endpoint = await h.run(
    Effect.flatMap(PickupWebhooks, (webhooks) =>
      webhooks.register(partner, { url: PLANTED.hook, events: PICKUP_EVENT_TYPES }),
    ),
  )
  const customer = { first_name: PLANTED.firstName, last_name: PLANTED.lastName, email: PLANTED.email }
  const request = {
    external_delivery_id: PLANTED.id,
    customer: { ...customer, phone: PLANTED.phone },
    delivery_address: {
      street: PLANTED.street,
      unit: PLANTED.unit,
      city: "Austin",
      state: "TX",
      zip: "78758",
    },
    delivery_location: PLACE,
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: PLANTED.item, quantity: 1 }],
    pickup_instructions: PLANTED.instructions,
  }
  await h.run(deliveries.quote(partner, SITE, request))
  await h.run(deliveries.create(partner, SITE, { external_delivery_id: PLANTED.id, customer }))
  await h.advance(MINUTE_MS)
  const fix = { ...PLACE, recorded_at: h.now(), load: "loaded" } as const
  await h.run(vehicles.report(operations, "veh_1", [fix]))
  const stop = { from: PLANTED.phone, text: "STOP", inboundId: null } as const
  const scope = { environment: "production", organizationId: null } as const
  await h.run(Effect.flatMap(InboundSms, (inbound) => inbound.receive({ ...scope, ...stop })))
  await h.advance(MINUTE_MS)
  const cancel = { status: "CANCELLED", cancellation_reason: PLANTED.reason } as const
  await h.run(deliveries.cancel(partner, SITE, PLANTED.id, cancel))
  await h.advance(DAY_MS)

  const { host, world } = h.service
  const texts = [
    ...host.entries.map(({ entry }) => entry.text),
    ...host.groups.all().map((group) => JSON.stringify(persistGroup(group))),
  ]
  expect(texts.length).toBeGreaterThan(30)
  const words = [...Object.values(PLANTED), "Planted van", endpoint.secret, "30.41", "-97.71", "78758"]
  for (const word of words) expect(texts.filter((text) => text.includes(word))).toEqual([])
  // They were really carried: receivers got the place, and the row still has the name.
  expect(world.received.map(({ body }) => body).join("\n")).toContain("30.412345")
  expect((await h.run(deliveries.read(partner, SITE, PLANTED.id))).customer.last_name).toBe("Quetzal")
  // An opt-out is a keyed hash: the number is only in the deliveries and quotes of that person.
  const optOuts = JSON.stringify(host.store.content()["opt-outs"])
  expect(optOuts).not.toContain(PLANTED.phone.slice(1))
  expect(JSON.parse(optOuts)).toHaveLength(1)
})
