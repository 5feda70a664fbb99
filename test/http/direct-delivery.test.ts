/** The Direct Delivery API over HTTP: statuses and codes by name, every answer held to the API's document (Q1 to Q9). */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/time.ts"
import { BARE_SITE, INACTIVE_SITE, SANDBOX_SITE, north } from "../conformance/delivery-world.ts"
import { Database } from "../../src/store/database.ts"
import { sites } from "../../src/store/schema.ts"
import { created, openShop } from "./shop.ts"

describe("quotes and deliveries over HTTP", () => {
  test("Q1: quote 200, create 201, again 200, read, list and cancel 200", async () => {
    const shop = await openShop()
    const { call, quoting } = shop
    const quoted = await call("POST", "/dd/v1/deliveries/quote", { body: quoting() })
    expect([quoted.status, quoted.data["available"], quoted.body["success"]]).toEqual([200, true, true])
    const body = { external_delivery_id: "order-1" }
    expect((await call("POST", "/dd/v1/deliveries", { body })).status).toBe(201)
    expect((await call("POST", "/dd/v1/deliveries", { body })).status).toBe(200)
    const read = await call("GET", "/dd/v1/deliveries/order-1")
    expect([read.status, read.data["external_delivery_id"]]).toEqual([200, "order-1"])
    const listed = await call("GET", "/dd/v1/deliveries?status=SCHEDULED&status=ASSIGNED&limit=1")
    expect(listed.body["data"]).toHaveLength(1)
    expect(listed.body["pagination"]).toEqual({ next_cursor: null, has_more: false })
    const cancelling = { status: "CANCELLED", cancellation_reason: "Not at home" }
    const cancelled = await call("PATCH", "/dd/v1/deliveries/order-1", { body: cancelling })
    expect([cancelled.status, cancelled.data["status"]]).toEqual([200, "CANCELLED"])
  })

  test.each([
    ["VALIDATION_ERROR", 400, undefined],
    ["VALIDATION_ERROR", 400, "no-uuid"],
    ["RETAILER_NOT_FOUND", 404, "11111111-0000-4000-8000-00000000ffff"],
    ["RETAILER_NOT_FOUND", 404, SANDBOX_SITE],
    ["RETAILER_INACTIVE", 403, INACTIVE_SITE],
    ["RETAILER_NOT_CONFIGURED", 503, BARE_SITE],
  ])("Q2: %s %i for the site %s", async (code, status, site) => {
    const { api, quoting } = await openShop()
    const headers = site === undefined ? {} : { "x-retailer-id": site }
    const answered = await api.call("POST", "/dd/v1/deliveries/quote", { body: quoting(), headers })
    expect([answered.status, answered.code]).toEqual([status, code])
  })

  test("Q3: the site is judged before the body, and the caller before the site", async () => {
    const { api, call } = await openShop()
    const inactive = { headers: { "x-retailer-id": INACTIVE_SITE }, text: "{" }
    expect((await api.call("POST", "/dd/v1/deliveries/quote", inactive)).code).toBe("RETAILER_INACTIVE")
    expect((await call("POST", "/dd/v1/deliveries/quote", { text: "{" })).code).toBe("VALIDATION_ERROR")
    const reader = { key: await api.holding("deliveries:read"), headers: {} }
    expect((await api.call("POST", "/dd/v1/deliveries/quote", reader)).code).toBe("PERMISSION_DENIED")
    expect((await api.call("GET", "/dd/v1/deliveries", { key: null })).code).toBe("INVALID_API_KEY")
    const other = await api.makeKey({ environment: "sandbox" })
    expect((await call("GET", "/dd/v1/deliveries", { key: other })).code).toBe("WRONG_ENV_KEY")
  })

  test("Q4: an organization that is no fleet partner delivers all the same", async () => {
    const { api, call } = await openShop()
    const organizationId = await api.makeOrganization({ isFleetPartner: false })
    const answered = await call("GET", "/dd/v1/deliveries", { key: await api.makeKey({ organizationId }) })
    expect(answered.code).toBe("RETAILER_NOT_FOUND")
  })

  test.each([
    ["INVALID_READY_BY", 400, { ready_by: "2020-01-01T00:00:00Z" }],
    ["VALIDATION_ERROR", 400, { ready_by: "tomorrow" }],
    ["VALIDATION_ERROR", 400, { order_items: [] }],
    ["VALIDATION_ERROR", 400, { order_items: [{ name: "Milk", quantity: 0 }] }],
    ["VALIDATION_ERROR", 400, { customer: { phone: "5125550123" } }],
    ["VALIDATION_ERROR", 400, { external_delivery_id: "x".repeat(256) }],
    [
      "GEOCODE_FAILED",
      422,
      {
        delivery_location: null,
        delivery_address: { street: "1", city: "Nowhere", state: "TX", zip: "00000" },
      },
    ],
  ])("Q5: a quote is refused with %s %i for %j", async (code, status, more) => {
    const { call, quoting } = await openShop()
    const answered = await call("POST", "/dd/v1/deliveries/quote", { body: quoting(more) })
    expect([answered.status, answered.code]).toEqual([status, code])
  })

  test("Q6: QUOTE_NOT_FOUND 404, QUOTE_UNAVAILABLE 422, QUOTE_EXPIRED 410, DELIVERY_ALREADY_EXISTS 409", async () => {
    const shop = await openShop()
    const { api, call, quoting } = shop
    const body = { external_delivery_id: "order-1" }
    const create = () => call("POST", "/dd/v1/deliveries", { body })
    const codes = [await create()]
    await call("POST", "/dd/v1/deliveries/quote", { body: quoting({ delivery_location: north(90_000) }) })
    codes.push(await create())
    await call("POST", "/dd/v1/deliveries/quote", { body: quoting() })
    await api.advance(5 * MINUTE_MS)
    codes.push(await create())
    await created(shop)
    const other = { ...body, customer: { first_name: "Alan" } }
    codes.push(await call("POST", "/dd/v1/deliveries", { body: other }))
    expect(codes.map(({ status, code }) => [status, code])).toEqual([
      [404, "QUOTE_NOT_FOUND"],
      [422, "QUOTE_UNAVAILABLE"],
      [410, "QUOTE_EXPIRED"],
      [409, "DELIVERY_ALREADY_EXISTS"],
    ])
  })

  test("Q7: DELIVERY_NOT_FOUND 404; ids are path-encoded; a PATCH can cancel and nothing else", async () => {
    const shop = await openShop()
    const { call } = shop
    expect((await call("GET", "/dd/v1/deliveries/order-1")).code).toBe("DELIVERY_NOT_FOUND")
    await created(shop, "a/b c")
    const read = await call("GET", `/dd/v1/deliveries/${encodeURIComponent("a/b c")}`)
    expect(read.data["external_delivery_id"]).toBe("a/b c")
    await created(shop)
    const patch = (body: object) => call("PATCH", "/dd/v1/deliveries/order-1", { body })
    expect((await patch({ status: "COMPLETED" })).code).toBe("VALIDATION_ERROR")
    expect((await patch({ status: "CANCELLED", cancellation_reason: "" })).code).toBe("VALIDATION_ERROR")
    expect((await patch({ status: "CANCELLED" })).status).toBe(200)
  })

  test("Q8: the sandbox advances, and ends with INVALID_STATE 409", async () => {
    const shop = await openShop("sandbox")
    await created(shop)
    const path = "/dd/v1/deliveries/order-1/advance"
    for (let step = 0; step < 8; step += 1) expect((await shop.call("POST", path)).status).toBe(200)
    const late = await shop.call("POST", path)
    expect([late.status, late.code]).toEqual([409, "INVALID_STATE"])
  })

  test("Q8: production has no such path, and neither host has the earlier ones", async () => {
    const production = await openShop()
    const path = "/dd/v1/deliveries/order-1/advance"
    const absent = await production.call("POST", path, { key: null })
    expect([absent.status, absent.code]).toEqual([404, "NOT_FOUND"])
    expect((await production.call("GET", "/api/retailer/deliveries")).status).toBe(404)
  })
})

describe("analytics of deliveries", () => {
  test("N10: a delivery's stay at the store is a session of its site, from the arrival to the load", async () => {
    const shop = await openShop("sandbox")
    const { api, call, site } = shop
    const row = { environment: "sandbox", siteId: site, name: "Store", timezone: "America/Chicago" } as const
    await api.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.insert(sites).values(row))))
    await created(shop)
    const advance = () => call("POST", "/dd/v1/deliveries/order-1/advance")
    for (let step = 0; step < 3; step += 1) await advance()
    await api.advance(2 * MINUTE_MS)
    for (let step = 0; step < 2; step += 1) await advance()
    const metrics = await api.call("GET", `/avrh/v1/analytics/metrics?siteId=${site}`)
    expect(metrics.data).toMatchObject({
      autolane_sessions: { total: 1 },
      average_dwell_time: { minutes: 2, seconds: 0, total_seconds: 120 },
    })
    const stranger = await api.makeKey({ organizationId: await api.makeOrganization() })
    const refused = await api.call("GET", `/avrh/v1/analytics/metrics?siteId=${site}`, { key: stranger })
    expect([refused.status, refused.code]).toEqual([404, "SITE_NOT_FOUND"])
  })
})

describe("webhooks over HTTP", () => {
  test("Q9: register 201, list, read, change, delete 200; bad ones by name", async () => {
    const { api, call } = await openShop()
    const url = "https://hooks.partner.example/events"
    const events = ["pickup_status.changed"]
    const made = await call("POST", "/dd/v1/webhooks", { body: { url, events } })
    expect(made.status).toBe(201)
    const path = `/dd/v1/webhooks/${made.data["webhook_id"] as string}`
    expect((await call("GET", path)).data["secret"]).toMatch(/^…[0-9a-f]{4}$/)
    expect((await api.call("GET", "/dd/v1/webhooks")).body["data"]).toHaveLength(1)
    const rotated = await call("PUT", path, { body: { rotate_secret: true, is_active: false } })
    expect(rotated.data).toMatchObject({ is_active: false })
    expect(rotated.data["secret"]).not.toBe(made.data["secret"])
    for (const bad of [{ url, events: [] }, { url, events: ["reservation.exception"] }, { url }]) {
      expect((await call("POST", "/dd/v1/webhooks", { body: bad })).code).toBe("VALIDATION_ERROR")
    }
    const plain = { url: "http://hooks.partner.example/", events }
    expect((await call("POST", "/dd/v1/webhooks", { body: plain })).code).toBe("INVALID_WEBHOOK_URL")
    expect((await call("DELETE", path)).status).toBe(200)
    expect((await call("GET", path)).code).toBe("NOT_FOUND")
    const unable = { key: await api.holding("deliveries:read") }
    expect((await call("GET", "/dd/v1/webhooks", unable)).code).toBe("PERMISSION_DENIED")
  })
})
