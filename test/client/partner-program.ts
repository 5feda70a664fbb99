/**
 * A partner's program, compiled against the packed client alone: it quotes a delivery, makes it, advances it, and verifies the webhooks
 * that arrive; then it books a reservation. Prints one JSON object. The test writes the name of the package into its imports.
 */

import { createServer } from "node:http"
import { once } from "node:events"
import { argv, stdout } from "node:process"
import type { AddressInfo } from "node:net"
import { curbline, verifyWebhook } from "../../src/client/index.ts"
import type { DeliveryEvent, ReservationEvent, ReservationTypes } from "../../src/client/index.ts"

const [baseUrl = "", key = "", siteId = "", zoneId = "", retailerId = ""] = argv.slice(2)
const { analytics, deliveries, reservations, sandbox } = curbline({ baseUrl, key, siteId })

interface Received {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

const received: Received[] = []
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    received.push({ body: Buffer.concat(chunks), headers: request.headers })
    response.end()
  })
})
receiver.listen(0, "127.0.0.1")
await once(receiver, "listening")
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

const dd = await deliveries.POST("/dd/v1/webhooks", { body: { url, events: ["pickup_status.changed"] } })
const rs = await reservations.POST("/rs/v1/webhooks", {
  body: { url, subscribed_events: ["reservation.status_changed"] },
})
if (dd.data === undefined) throw new Error(JSON.stringify(dd.error))
if (rs.data === undefined) throw new Error(JSON.stringify(rs.error))
const deliverySecret = dd.data.data.secret
const reservationSecret = rs.data.data.webhook.secret

const quoted = await deliveries.POST("/dd/v1/deliveries/quote", {
  body: {
    external_delivery_id: "order-1",
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    ready_by: new Date(Date.now() + 20 * 60_000).toISOString(),
    order_items: [{ name: "Milk", quantity: 2 }],
  },
})
const made = await deliveries.POST("/dd/v1/deliveries", { body: { external_delivery_id: "order-1" } })
const params = { path: { id: "order-1" } }
const advanced = await deliveries.POST("/dd/v1/deliveries/{id}/advance", { params })
const absent = await deliveries.GET("/dd/v1/deliveries/{id}", { params: { path: { id: "none" } } })
// A code that the operation does not declare would not compile.
const code: "DELIVERY_NOT_FOUND" | undefined =
  absent.error?.code === "DELIVERY_NOT_FOUND" ? absent.error.code : undefined

const booked = await reservations.POST("/rs/v1/reservations", {
  body: {
    zone_id: zoneId,
    retailer_id: retailerId,
    order_number: "1001",
    end_user_name: "Ada",
    end_user_phone: "+15125550100",
    open_link_url: "http://127.0.0.1:9/open",
    arrival_window_start: new Date(Date.now() + 30 * 60_000).toISOString(),
    arrival_window_end: new Date(Date.now() + 60 * 60_000).toISOString(),
  },
})
const reservation: ReservationTypes["schemas"]["Reservation"] | undefined = booked.data?.data.reservation

for (let round = 0; received.length < 2 && round < 300; round += 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
const verified = await Promise.all(
  received.map(async ({ body, headers }) => {
    const isDelivery = headers["x-service-event"] !== undefined
    const verdict = isDelivery
      ? await verifyWebhook({ api: "direct_delivery", body, headers, secret: deliverySecret })
      : await verifyWebhook({ api: "reservations", body, headers, secret: ["whsec_old", reservationSecret] })
    const forged = await verifyWebhook({ api: "direct_delivery", body, headers, secret: "whsec_other" })
    return [verdict.isValid ? nameOf(verdict.event) : verdict.fault, forged.isValid]
  }),
)

function nameOf(event: DeliveryEvent | ReservationEvent): string {
  if ("event_type" in event) return event.event_type
  return event.event === "pickup_status.changed" ? `${event.event} ${event.data.status}` : event.event
}

const clock = await sandbox.GET("/sandbox/v1/clock")
const events = await sandbox.GET("/sandbox/v1/events", { params: { query: { limit: 100 } } })
const trends = await analytics.GET("/avrh/v1/analytics/occupancy-trends", {
  params: { query: { siteId, startDate: "2026-01-05", endDate: "2026-01-06" } },
})
receiver.close()
stdout.write(
  JSON.stringify({
    quoted: quoted.data?.data.available ?? quoted.error,
    made: made.response.status,
    advanced: advanced.data?.data.status ?? advanced.error,
    code,
    booked: reservation?.status ?? booked.error,
    verified: verified.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    clock: clock.data?.data.clock.mode ?? clock.error,
    events: events.data?.data.events.map(({ type }) => type).toSorted() ?? events.error,
    analytics: trends.response.status,
  }),
)
