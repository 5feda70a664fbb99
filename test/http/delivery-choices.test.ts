/** What the contract of direct delivery leaves open, as callers meet it over HTTP (Q16 to Q22). */

import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/time.ts"
import { PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { BARE_SITE, INACTIVE_SITE, north } from "../conformance/delivery-world.ts"
import { HOOK, iso } from "./api.ts"
import type { Answered } from "./api.ts"
import { created, openShop } from "./shop.ts"

const QUOTE = "/dd/v1/deliveries/quote"
const LIST = "/dd/v1/deliveries"

/** The last is the sandbox's alone. */
const CALLS = [
  { method: "POST", path: QUOTE, needs: "write" },
  { method: "POST", path: LIST, needs: "write" },
  { method: "GET", path: LIST, needs: "read" },
  { method: "GET", path: `${LIST}/order-1`, needs: "read" },
  { method: "PATCH", path: `${LIST}/order-1`, needs: "write" },
  { method: "POST", path: `${LIST}/order-1/advance`, needs: "write" },
] as const

function codeOf({ status, code }: Answered): string {
  return `${status} ${code ?? "-"}`
}

describe("the head of a call", () => {
  test("Q16: every call with a deactivated site's header is RETAILER_INACTIVE, and each asks for its permission", async () => {
    const { api } = await openShop("sandbox")
    const writer = await api.holding("deliveries:write")
    const reader = await api.holding("deliveries:read")
    const headers = { "x-retailer-id": INACTIVE_SITE }
    for (const { method, path, needs } of CALLS) {
      const [able, unable] = needs === "read" ? [reader, writer] : [writer, reader]
      expect(codeOf(await api.call(method, path, { headers, key: unable }))).toBe("403 PERMISSION_DENIED")
      // The world's inactive site is one of production: a sandbox key does not find it.
      expect(codeOf(await api.call(method, path, { headers, key: able }))).toBe("404 RETAILER_NOT_FOUND")
    }
  })

  test("Q16: and on production it answers so on every path", async () => {
    const { api } = await openShop()
    const headers = { "x-retailer-id": INACTIVE_SITE }
    for (const { method, path } of CALLS.slice(0, -1)) {
      expect(codeOf(await api.call(method, path, { headers }))).toBe("403 RETAILER_INACTIVE")
    }
    const body = { url: HOOK, events: PICKUP_EVENT_TYPES }
    const hook = await api.call("POST", "/dd/v1/webhooks", { headers, body })
    expect(codeOf(hook)).toBe("403 RETAILER_INACTIVE")
  })
})

describe("a quote", () => {
  test("Q17: each reason that holds by itself, and none once it is gone", async () => {
    const shop = await openShop("sandbox")
    const { api, call, quoting } = shop
    const reason = async (more: object) => {
      const { status, data } = await call("POST", QUOTE, { body: quoting(more) })
      return [status, data["unavailable_reason"]]
    }
    expect(await reason({ delivery_location: north(90_000) })).toEqual([200, "OUT_OF_SERVICE_AREA"])
    const [edge, beyond] = [120 * MINUTE_MS, 120 * MINUTE_MS + 1]
    expect(await reason({ ready_by: iso(api.now() + beyond) })).toEqual([200, "NO_DRIVERS_ONLINE"])
    expect(await reason({ ready_by: iso(api.now() + edge) })).toEqual([200, null])
    await created(shop, "a")
    await created(shop, "b")
    expect(await reason({})).toEqual([200, "NO_CAPACITY"])
    await call("PATCH", `${LIST}/a`, { body: { status: "CANCELLED" } })
    expect(await reason({})).toEqual([200, null])
  })

  test("X13: says null for what an unavailable one has not, and for the reason of an available one", async () => {
    const { call, quoting } = await openShop()
    const asked = async (more: object) => (await call("POST", QUOTE, { body: quoting(more) })).data
    const { expires_at: first, ...unavailable } = await asked({ delivery_location: north(90_000) })
    const { expires_at: second, ...available } = await asked({})
    for (const one of [first, second]) expect(one).toEqual(expect.stringMatching(/Z$/))
    expect(Object.keys(unavailable).toSorted()).toEqual(Object.keys(available).toSorted())
    const known = Object.entries(unavailable).filter(([, value]) => value !== null)
    expect(known.map(([name]) => name).toSorted()).toEqual(
      ["available", "external_delivery_id", "unavailable_reason"].filter((name) => name in unavailable),
    )
    const unknown = Object.entries(available).filter(([, value]) => value === null)
    expect(unknown.map(([name]) => name)).toEqual(["unavailable_reason"])
  })

  test("Q18: bounds of its fields hold at the last value and fail at the next", async () => {
    const { call, quoting } = await openShop()
    const address = { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" }
    const item = { name: "Milk", quantity: 2 }
    const at = async (more: object) => (await call("POST", QUOTE, { body: quoting(more) })).status
    const rows: readonly (readonly [good: object, bad: object])[] = [
      [{ external_delivery_id: "x".repeat(255) }, { external_delivery_id: "" }],
      [{ delivery_address: address }, { delivery_address: { ...address, street: "s".repeat(256) } }],
      [
        { delivery_address: { ...address, unit: "u".repeat(64) } },
        { delivery_address: { ...address, unit: "u".repeat(65) } },
      ],
      [
        { delivery_address: { ...address, zip: "9".repeat(20) } },
        { delivery_address: { ...address, zip: "9".repeat(21) } },
      ],
      [
        { order_items: Array.from({ length: 100 }, () => item) },
        { order_items: Array.from({ length: 101 }, () => item) },
      ],
      [{ order_items: [{ ...item, quantity: 999 }] }, { order_items: [{ ...item, quantity: 1_000 }] }],
      [
        { order_items: [{ ...item, name: "n".repeat(200) }] },
        { order_items: [{ ...item, name: "n".repeat(201) }] },
      ],
      [{ pickup_instructions: "p".repeat(2_000) }, { pickup_instructions: "p".repeat(2_001) }],
    ]
    for (const [good, bad] of rows) expect([await at(good), await at(bad)]).toEqual([200, 400])
    const { latitude: lat, longitude: lng } = north(500)
    const alias = { ...address, zip: "00000", location: { lat, lng } }
    expect(await at({ delivery_location: null, delivery_address: alias })).toBe(200)
  })

  test("Q19: a new one replaces the live one, holds until the instant of its end, and gives way to a delivery", async () => {
    const { api, call, quoting } = await openShop()
    const body = { external_delivery_id: "order-1" }
    await call("POST", QUOTE, { body: quoting() })
    await api.advance(4 * MINUTE_MS)
    const again = await call("POST", QUOTE, { body: quoting() })
    expect(again.data["expires_at"]).toBe(iso(api.now() + 5 * MINUTE_MS))
    expect(codeOf(await call("GET", `${LIST}/order-1`))).toBe("404 DELIVERY_NOT_FOUND")
    await api.advance(5 * MINUTE_MS - 1)
    const phone = { ...body, customer: { phone: "+15125550124" } }
    expect(codeOf(await call("POST", LIST, { body: phone }))).toBe("400 VALIDATION_ERROR")
    const made = await call("POST", LIST, { body })
    expect(made.status).toBe(201)
    for (const term of ["pickup_eta", "delivery_eta", "delivery_fee_cents", "currency"]) {
      expect(made.data[term]).toBe(again.data[term])
    }
    expect(Object.keys(made.data)).not.toContain("vehicle_id")
    expect(codeOf(await call("POST", QUOTE, { body: quoting() }))).toBe("409 DELIVERY_ALREADY_EXISTS")
  })

  test("Q20: of two creates at once one is 201, the other 409 or the same delivery", async () => {
    const { call, quoting } = await openShop()
    await call("POST", QUOTE, { body: quoting() })
    const body = { external_delivery_id: "order-1" }
    const both = await Promise.all([1, 2].map(() => call("POST", LIST, { body })))
    const codes = both.map(codeOf).toSorted()
    expect([
      ["201 -", "409 DELIVERY_ALREADY_EXISTS"],
      ["200 -", "201 -"],
    ]).toContainEqual(codes)
    expect((await call("GET", LIST)).body["data"]).toHaveLength(1)
  })
})

describe("a cancel and its event", () => {
  test("Q21: is told once with where the vehicle is while that is known, and is refused at the end", async () => {
    const shop = await openShop("sandbox")
    const { api, call, site } = shop
    await api.call("POST", "/dd/v1/webhooks", { body: { url: HOOK, events: ["pickup_status.changed"] } })
    await created(shop)
    await call("POST", `${LIST}/order-1/advance`)
    await api.advance(5 * MINUTE_MS + 1)
    const cancel = () => call("PATCH", `${LIST}/order-1`, { body: { status: "CANCELLED" } })
    const first = await cancel()
    await api.advance(SECOND_MS)
    expect((await cancel()).data).toEqual(first.data)
    await api.advance(SECOND_MS)
    const told = api.service.received(HOOK).map(({ body }) => JSON.parse(body) as { readonly data: object })
    const about = { retailer_id: site, external_delivery_id: "order-1" }
    // Both events of the first step may leave in either order; a fix that is over five minutes old is not told.
    expect(told.map(({ data }) => data)).toEqual([
      expect.objectContaining({ ...about, status: "ASSIGNED", previous_status: "SCHEDULED" }),
      { ...about, status: "CANCELLED", previous_status: "ASSIGNED", vehicle_location: null },
    ])
    await created(shop, "order-2")
    for (let step = 0; step < 8; step += 1) await call("POST", `${LIST}/order-2/advance`)
    const late = await call("PATCH", `${LIST}/order-2`, { body: { status: "CANCELLED" } })
    expect(codeOf(late)).toBe("409 INVALID_STATE")
  })
})

describe("an endpoint", () => {
  test("Q22: with the site's header hears of that site alone; bad URLs say why; there are ten at most", async () => {
    const shop = await openShop("sandbox")
    const { api, call } = shop
    const register = (url: string, headers = {}) =>
      api.call("POST", "/dd/v1/webhooks", { headers, body: { url, events: ["pickup_status.changed"] } })
    const bad: readonly (readonly [url: string, detail: string])[] = [
      ["no url", "INVALID_URL"],
      ["http://hooks.partner.example/", "NOT_HTTPS"],
      ["https://8.8.8.8/", "BARE_IP_REJECTED"],
      ["https://unknown.example/", "DNS_RESOLUTION_FAILED"],
      ["https://inside.example/", "BLOCKED_TARGET"],
    ]
    api.service.breakHost("unknown.example", "unknown")
    api.service.breakHost("inside.example", "private")
    for (const [url, detail] of bad) {
      const refused = await register(url)
      expect(codeOf(refused)).toBe("400 INVALID_WEBHOOK_URL")
      expect(refused.body["error"]).toContain(detail)
    }
    expect(codeOf(await register(HOOK, { "x-retailer-id": "site" }))).toBe("400 VALIDATION_ERROR")
    expect((await register(HOOK, { "x-retailer-id": shop.site })).status).toBe(201)
    await created(shop)
    await call("POST", `${LIST}/order-1/advance`)
    await api.advance(SECOND_MS)
    expect(api.service.received(HOOK)).toHaveLength(1)
    for (let count = 1; count < 10; count += 1) expect((await register(`${HOOK}/${count}`)).status).toBe(201)
    expect(codeOf(await register(`${HOOK}/10`))).toBe("422 WEBHOOK_LIMIT_REACHED")
  })
})

test("X7: an endpoint that was registered under a site's header hears of that site alone, without one of all", async () => {
  const shop = await openShop()
  const { api } = shop
  const hooks = { bare: `${HOOK}/bare`, site: `${HOOK}/site`, all: `${HOOK}/all` }
  const register = (url: string, headers: Readonly<Record<string, string>>) =>
    api.call("POST", "/dd/v1/webhooks", { headers, body: { url, events: PICKUP_EVENT_TYPES } })
  for (const url of Object.values(hooks))
    api.service.script(url, [{ type: "status", status: 204, afterMs: 1 }])
  expect((await register(hooks.bare, { "x-retailer-id": BARE_SITE })).status).toBe(201)
  expect((await register(hooks.site, { "x-retailer-id": shop.site })).status).toBe(201)
  expect((await register(hooks.all, {})).status).toBe(201)
  expect((await created(shop)).status).toBe(201)
  await shop.call("PATCH", `${LIST}/order-1`, { body: { status: "CANCELLED" } })
  await api.advance(SECOND_MS)
  const heard = Object.values(hooks).map((url) => api.service.received(url).length > 0)
  expect(heard).toEqual([false, true, true])
})
