/**
 * Signatures of direct delivery's webhooks as a receiver checks them: a few lines of `node:crypto` over the bytes that came
 * through the socket, and nothing of ours.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { writeDeliverySite } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { SANDBOX_SITE, deliverySites, north } from "../conformance/delivery-world.ts"
import { startRealService } from "./real-service.ts"
import type { RealService } from "./real-service.ts"
import { startReceiver } from "./receiver.ts"
import type { Arrived, Receiver } from "./receiver.ts"
import { eventually } from "../eventually.ts"

const EVENTS = ["pickup_status.changed", "pickup.vehicle_location.changed", "webhook.test"]
const ORDER = "Zoë’s order 😀"

let service: RealService
let receiver: Receiver
let secret = ""
const byEvent = new Map<string, Arrived>()

beforeAll(async () => {
  service = await startRealService({ environment: "sandbox", allowsLoopback: true })
  receiver = await startReceiver()
  service.names.set("localhost", { type: "addresses", addresses: ["127.0.0.1"] })
  const site = deliverySites.find(({ siteId }) => siteId === SANDBOX_SITE)
  if (site === undefined) throw new Error("the world has no such site")
  const { fleetId, environment } = site
  const given = writeDeliverySite({ ...site, organizationId: service.organizationId })
  await service.run(
    Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks: {}, body: () => given })),
  )
  const vehicle = { vehicleId: "veh_1", fleetId, environment, label: "1", isSynthetic: true, isOnline: true }
  await service.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.register(vehicle)))
  const registered = await service.call("POST", "/dd/v1/webhooks", {
    body: { url: receiver.url, events: EVENTS.slice(0, 2) },
  })
  const webhook = registered.body["data"] as { webhook_id: string; secret: string }
  secret = webhook.secret
  const headers = { "x-retailer-id": SANDBOX_SITE }
  const body = {
    external_delivery_id: ORDER,
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: new Date(Date.now() + 600_000).toISOString(),
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await service.call("POST", "/dd/v1/deliveries/quote", { headers, body })
  await service.call("POST", "/dd/v1/deliveries", { headers, body: { external_delivery_id: ORDER } })
  await service.call("POST", `/dd/v1/deliveries/${encodeURIComponent(ORDER)}/advance`, { headers })
  await service.call("POST", `/dd/v1/webhooks/${webhook.webhook_id}/test`)
  await eventually(() => {
    for (const one of receiver.arrived) byEvent.set(String(one.headers["x-service-event"]), one)
    if (byEvent.size < EVENTS.length) throw new Error("not every event has come yet")
  })
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

function isGenuine({ headers, bytes }: Arrived, key: string): boolean {
  const sent = Buffer.from(String(headers["x-service-signature"]), "hex")
  const own = createHmac("sha256", key).update(bytes).digest()
  return sent.length === own.length && timingSafeEqual(sent, own)
}

function arrived(event: string): Arrived {
  const one = byEvent.get(event)
  if (one === undefined) throw new Error(`no ${event} has come`)
  return one
}

describe.each(EVENTS)("%s", (event) => {
  test("Y8: is genuine over the raw bytes, as 64 lower-case digits, under a UUID", () => {
    const one = arrived(event)
    expect(isGenuine(one, secret)).toBe(true)
    expect(one.headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/)
    expect(one.headers["x-service-delivery-id"]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(one.headers["content-type"]).toBe("application/json")
    const told = JSON.parse(one.bytes.toString()) as { event: string; data: Record<string, unknown> }
    expect(told.event).toBe(event)
    if (event !== "webhook.test") expect(told.data["external_delivery_id"]).toBe(ORDER)
  })

  test("Y8: is not with one bit changed, another secret, or the secret without its prefix", () => {
    const one = arrived(event)
    for (const at of [0, Math.floor(one.bytes.length / 2), one.bytes.length - 1]) {
      const bytes = Buffer.from(one.bytes)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(isGenuine({ ...one, bytes }, secret)).toBe(false)
    }
    expect(isGenuine(one, `${secret.slice(0, -1)}x`)).toBe(false)
    expect(isGenuine(one, secret.replace("whsec_", ""))).toBe(false)
  })
})
