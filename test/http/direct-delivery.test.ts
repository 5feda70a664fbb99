/** The Direct Delivery API over HTTP: the head of a call, and quotes, every answer held to the API's document (Q1 to Q17). */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { ENVIRONMENTS, PERMISSIONS } from "../../src/model/caller.ts"
import type { Environment } from "../../src/model/caller.ts"
import { DELIVERY_STATUSES } from "../../src/model/delivery.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { Geocoder } from "../../src/engine/services/geocoding/geocoder.ts"
import type { Located } from "../../src/engine/services/geocoding/geocoder.ts"
import { InboundSms } from "../../src/areas/messages/inbound-sms.ts"
import {
  BARE_SITE,
  INACTIVE_SITE,
  SANDBOX_SITE,
  SITE,
  STRANGERS_SITE,
  north,
} from "../conformance/delivery-world.ts"
import { HOOK, iso } from "./api.ts"
import type { Document } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

const QUOTE = "/dd/v1/deliveries/quote"
const LIST = "/dd/v1/deliveries"
const HOOKS = "/dd/v1/webhooks"

/**
 * Source: direct delivery contract, endpoints and authentication; management of webhooks and the last route, only in
 * the sandbox, are ours.
 */
const ROUTES = [
  ["POST", QUOTE, "deliveries:write"],
  ["POST", LIST, "deliveries:write"],
  ["GET", LIST, "deliveries:read"],
  ["GET", `${LIST}/{id}`, "deliveries:read"],
  ["PATCH", `${LIST}/{id}`, "deliveries:write"],
  ["POST", HOOKS, "webhooks:manage"],
  ["GET", HOOKS, "webhooks:manage"],
  ["GET", `${HOOKS}/{id}`, "webhooks:manage"],
  ["PUT", `${HOOKS}/{id}`, "webhooks:manage"],
  ["DELETE", `${HOOKS}/{id}`, "webhooks:manage"],
  ["GET", `${HOOKS}/{id}/deliveries`, "webhooks:manage"],
  ["POST", `${HOOKS}/{id}/deliveries/{delivery_id}/redeliver`, "webhooks:manage"],
  ["POST", `${HOOKS}/{id}/test`, "webhooks:manage"],
  ["POST", `${LIST}/{id}/advance`, "deliveries:write"],
] as const

const NOWHERE = "11111111-0000-4000-8000-00000000ffff"

/** A path of an unknown object, with an invalid body and query: checks before them answer first. */
function bent(path: string): string {
  return `${path.replace(/\{\w+\}/g, "none")}?limit=0&limit=0`
}

async function routesOf({ api }: Shop): Promise<readonly string[]> {
  const { paths } = (await api.app.inject({ url: "/openapi/dd.json" })).json<Document>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

function routesOn(environment: Environment) {
  return environment === "sandbox" ? ROUTES : ROUTES.slice(0, -1)
}

describe("the surface", () => {
  test.each(ENVIRONMENTS)(
    "B8: on %s it has the contract's routes, and none of the earlier paths, for any caller",
    async (environment) => {
      const shop = await openShop(environment)
      const expected = routesOn(environment).map(([method, path]) => `${method} ${path}`)
      expect((await routesOf(shop)).toSorted()).toEqual(expected.toSorted())
      for (const path of [
        "",
        "/deliveries",
        "/deliveries/quote",
        "/deliveries/order-1",
        "/webhooks",
        "/v1/deliveries",
      ]) {
        for (const method of ["GET", "POST", "PATCH"]) {
          const url = `/api/retailer${path}`
          expect(codeOf(await shop.call(method, url)), `${method} ${url}`).toBe("404 NOT_FOUND")
          expect(codeOf(await shop.api.call(method, url, { key: null })), `${method} ${url}`).toBe(
            "404 NOT_FOUND",
          )
        }
      }
    },
  )

  test("Q1 and PW1: quote 200, create 201, again 200, read, list and cancel 200; register 201", async () => {
    const { api, call, quoting } = await openShop()
    const quoted = await call("POST", QUOTE, { body: quoting() })
    expect([quoted.status, quoted.data["available"], quoted.body["success"]]).toEqual([200, true, true])
    const body = { external_delivery_id: "order-1" }
    expect((await call("POST", LIST, { body })).status).toBe(201)
    expect((await call("POST", LIST, { body })).status).toBe(200)
    const read = await call("GET", `${LIST}/order-1`)
    expect([read.status, read.data["external_delivery_id"]]).toEqual([200, "order-1"])
    expect((await call("GET", LIST)).status).toBe(200)
    const cancelled = await call("PATCH", `${LIST}/order-1`, { body: { status: "CANCELLED" } })
    expect([cancelled.status, cancelled.data["status"]]).toEqual([200, "CANCELLED"])
    const made = await api.call("POST", HOOKS, { body: { url: HOOK, events: ["pickup_status.changed"] } })
    expect([made.status, made.body["success"]]).toEqual([201, true])
    expect(Object.keys(made.data).toSorted()).toEqual([
      "consecutive_failures",
      "created_at",
      "disabled_at",
      "disabled_reason",
      "events",
      "is_active",
      "retailer_id",
      "secret",
      "updated_at",
      "url",
      "webhook_id",
    ])
  })
})

describe("the head of a call", () => {
  test.each(ENVIRONMENTS)(
    "Q2 and Q3 and Q4 and X7: on %s every route refuses a bad site in one way",
    async (environment) => {
      const shop = await openShop(environment)
      const { api, site } = shop
      const routes = routesOn(environment)
      const refused = async (header: string, expected: string) => {
        for (const [method, path] of routes) {
          const headers = { "x-retailer-id": header }
          const answered = await api.call(method, bent(path), {
            headers,
            ...(method === "GET" ? {} : { text: "{" }),
          })
          expect(codeOf(answered), `${method} ${path} of ${header}`).toBe(expected)
          const fields = (answered.body["details"] ?? []) as readonly { readonly field: string }[]
          expect(fields.map(({ field }) => field)).toEqual(
            expected.startsWith("400") ? ["x-retailer-id"] : [],
          )
        }
      }
      for (const shapeless of ["", "no-uuid", `${site}, ${site}`])
        await refused(shapeless, "400 VALIDATION_ERROR")
      const elsewhere = environment === "sandbox" ? SITE : SANDBOX_SITE
      for (const foreign of [NOWHERE, STRANGERS_SITE, elsewhere])
        await refused(foreign, "404 RETAILER_NOT_FOUND")
      await api.operate("PATCH", `/delivery-sites/${site}`, { body: { is_active: false } })
      await refused(site, "403 RETAILER_INACTIVE")
    },
  )

  test("Q2: without the header deliveries are refused, and webhooks are the organization's; a UUID's case does not matter", async () => {
    const { api, site } = await openShop("sandbox")
    for (const [method, path] of ROUTES) {
      const answered = await api.call(method, bent(path), method === "GET" ? {} : { text: "{" })
      const isRefused = JSON.stringify(answered.body["details"] ?? []).includes("x-retailer-id")
      expect(isRefused, `${method} ${path}`).toBe(path.startsWith(LIST))
    }
    const headers = { "x-retailer-id": site.toUpperCase() }
    expect((await api.call("GET", LIST, { headers })).status).toBe(200)
    expect((await api.call("GET", HOOKS, { headers })).status).toBe(200)
  })

  test("Q5: each route asks for its one permission, before the site is looked at", async () => {
    const { api } = await openShop("sandbox")
    const headers = { "x-retailer-id": "no-uuid" }
    for (const needed of ["deliveries:read", "deliveries:write", "webhooks:manage"] as const) {
      const able = await api.holding(needed)
      const unable = await api.holding(...PERMISSIONS.filter((one) => one !== needed))
      for (const [method, path] of ROUTES.filter(([, , needs]) => needs === needed)) {
        const of = async (key: string) => codeOf(await api.call(method, bent(path), { headers, key }))
        expect([await of(able), await of(unable)], `${method} ${path}`).toEqual([
          "400 VALIDATION_ERROR",
          "403 PERMISSION_DENIED",
        ])
      }
    }
  })

  test("G4: key, environment and organization come before the site; no enrolment as a fleet partner is asked for", async () => {
    const { api, call } = await openShop()
    const sent = { headers: { "x-retailer-id": "no-uuid" }, text: "{" }
    const of = async (key: string) => codeOf(await api.call("POST", QUOTE, { ...sent, key }))
    expect(await of("unknown")).toBe("401 INVALID_API_KEY")
    expect(await of(await api.makeKey({ environment: "sandbox" }))).toBe("403 WRONG_ENV_KEY")
    const closed = await api.makeOrganization({ environments: ["sandbox"] })
    expect(await of(await api.makeKey({ organizationId: closed }))).toBe("403 ORG_INACTIVE")
    const organizationId = await api.makeOrganization({ isFleetPartner: false })
    const key = await api.makeKey({ organizationId })
    expect(await of(key)).toBe("400 VALIDATION_ERROR")
    expect(codeOf(await call("GET", LIST, { key }))).toBe("404 RETAILER_NOT_FOUND")
  })
})

describe("a quote", () => {
  /** The status for a quote with these fields. */
  const asking =
    ({ call, quoting }: Shop) =>
    async (more: object): Promise<string> =>
      codeOf(await call("POST", QUOTE, { body: quoting(more) }))

  test("Q6 to Q12: bounds of its fields hold at the last value and fail at the next", async () => {
    const shop = await openShop()
    const at = asking(shop)
    const address = { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" }
    const item = { name: "Milk", quantity: 2 }
    const of = (length: number) => "x".repeat(length)
    const living = (more: object) => ({ delivery_address: { ...address, ...more } })
    const with_ = (customer: object) => ({ customer: { phone: "+15125550123", ...customer } })
    const ordering = (...order_items: object[]) => ({ order_items })
    const bounds: readonly (readonly [choice: string, good: object, bad: object])[] = [
      ["Q6", { external_delivery_id: "x" }, { external_delivery_id: "" }],
      ["Q6", { external_delivery_id: of(255) }, { external_delivery_id: of(256) }],
      ["Q7", with_({ phone: "+1234567" }), with_({ phone: "+123456" })],
      ["Q7", with_({ phone: "+123456789012345" }), with_({ phone: "5125550123" })],
      ["Q7", with_({ first_name: null, last_name: null, email: null }), { customer: { first_name: "Ada" } }],
      ["Q7", with_({ email: "ada+1@mail.example.com" }), with_({ email: "ada" })],
      ["Q7", with_({ email: "zoë@bücher.example" }), with_({ email: "ada@example" })],
      ["Q7", with_({ email: `${of(64)}@${of(60)}.example.com` }), with_({ email: "Ada <ada@example.com>" })],
      ["Q8", living({ street: of(255) }), living({ street: of(256) })],
      ["Q8", living({ street: "1" }), living({ street: " " })],
      ["Q8", living({ city: of(255) }), living({ city: of(256) })],
      ["Q8", living({ city: "A" }), living({ city: "" })],
      ["Q8", living({ state: of(64) }), living({ state: of(65) })],
      ["Q8", living({ state: "T" }), living({ state: "" })],
      ["Q8", living({ zip: of(20) }), living({ zip: of(21) })],
      ["Q8", living({ zip: "7" }), living({ zip: "" })],
      ["Q8", living({ unit: of(64) }), living({ unit: of(65) })],
      ["Q8", living({}), { delivery_address: { ...address, city: undefined } }],
      [
        "Q9",
        { delivery_location: { latitude: 90, longitude: 180 } },
        { delivery_location: { latitude: 91, longitude: 0 } },
      ],
      [
        "Q9",
        { delivery_location: { latitude: -90, longitude: -180 } },
        { delivery_location: { latitude: 0, longitude: 181 } },
      ],
      [
        "Q11",
        ordering(...Array.from({ length: 100 }, () => item)),
        ordering(...Array.from({ length: 101 }, () => item)),
      ],
      ["Q11", ordering(item), ordering()],
      ["Q11", ordering({ ...item, quantity: 999 }), ordering({ ...item, quantity: 1_000 })],
      ["Q11", ordering({ ...item, quantity: 1 }), ordering({ ...item, quantity: 0 })],
      ["Q11", ordering({ ...item, quantity: 2 }), ordering({ ...item, quantity: 1.5 })],
      ["Q11", ordering({ ...item, name: of(200) }), ordering({ ...item, name: of(201) })],
      ["Q12", { pickup_instructions: of(2_000) }, { pickup_instructions: of(2_001) }],
      ["Q12", { pickup_instructions: null }, { pickup_instructions: 7 }],
    ]
    for (const [choice, good, bad] of bounds) {
      const told = `${choice} ${JSON.stringify([good, bad]).slice(0, 200)}`
      expect([await at(good), await at(bad)], told).toEqual(["200 -", "400 VALIDATION_ERROR"])
    }
  })

  test("Q9: a place given directly, by either name, needs no address that can be found; the first name goes first", async () => {
    const { call, quoting } = await openShop()
    const address = { street: "1", city: "Nowhere", state: "TX", zip: "00000" }
    const reason = async (more: object) => {
      const { status, code, data } = await call("POST", QUOTE, { body: quoting(more) })
      return `${status} ${code ?? String(data["unavailable_reason"])}`
    }
    const [near, far] = [north(500), north(90_000)]
    const alias = { ...address, location: { lat: near.latitude, lng: near.longitude } }
    expect(await reason({ delivery_location: null, delivery_address: address })).toBe("422 GEOCODE_FAILED")
    expect(await reason({ delivery_location: near, delivery_address: address })).toBe("200 null")
    expect(await reason({ delivery_location: null, delivery_address: alias })).toBe("200 null")
    expect(await reason({ delivery_location: far, delivery_address: alias })).toBe("200 OUT_OF_SERVICE_AREA")
  })

  test("Q10: what is ready now or was is INVALID_READY_BY, what is no instant VALIDATION_ERROR; any offset is read", async () => {
    const shop = await openShop()
    const { api } = shop
    const at = asking(shop)
    const now = api.now()
    expect(await at({ ready_by: iso(now + 1) })).toBe("200 -")
    expect(await at({ ready_by: iso(now) })).toBe("400 INVALID_READY_BY")
    expect(await at({ ready_by: "2020-01-01T00:00:00Z" })).toBe("400 INVALID_READY_BY")
    for (const ready_by of ["tomorrow", "", "2099-01-01", "2099-01-01T10:00:00", 4_070_908_800, null]) {
      expect(await at({ ready_by }), String(ready_by)).toBe("400 VALIDATION_ERROR")
    }
    const local = iso(now + MINUTE_MS - 300 * MINUTE_MS).replace("Z", "-05:00")
    expect(await at({ ready_by: local })).toBe("200 -")
  })

  test("Q13: of everything that is wrong the first in one order answers; no answer about an address is 503, and no 422", async () => {
    let located: Located = { type: "unavailable" }
    const geocoder = Layer.succeed(Geocoder, { locate: () => Effect.sync(() => located) })
    const shop = await openShop("production", { geocoder })
    const { api, call, quoting } = shop
    for (const id of ["order-2", "order-3"]) expect((await created(shop, id)).status).toBe(201)
    const stop = { environment: "production", organizationId: null, inboundId: null, text: "STOP" } as const
    await api.run(Effect.flatMap(InboundSms, (sms) => sms.receive({ ...stop, from: "+15125550199" })))
    let asked: object = {
      customer: { phone: "+15125550199" },
      delivery_location: null,
      order_items: [],
      ready_by: iso(api.now() - 1),
    }
    let headers = { "x-retailer-id": INACTIVE_SITE }
    const answers: string[] = []
    const mended = async (more: object): Promise<void> => {
      asked = { ...asked, ...more }
      const { status, code, data } = await api.call("POST", QUOTE, { body: quoting(asked), headers })
      answers.push(`${status} ${code ?? String(data["unavailable_reason"])}`)
    }
    await mended({})
    headers = { "x-retailer-id": BARE_SITE }
    await mended({})
    await mended({ order_items: [{ name: "Milk", quantity: 1 }] })
    await mended({ ready_by: iso(api.now() + 121 * MINUTE_MS) })
    headers = { "x-retailer-id": SITE }
    await mended({})
    located = { type: "unknown" }
    await mended({})
    located = { type: "found", place: north(90_000) }
    await mended({})
    located = { type: "found", place: north(500) }
    await mended({})
    await mended({ customer: { phone: "+15125550123" } })
    await mended({ ready_by: iso(api.now() + MINUTE_MS) })
    await call("PATCH", `${LIST}/order-2`, { body: { status: "CANCELLED" } })
    await api.advance(0)
    await mended({})
    expect(answers).toEqual([
      "403 RETAILER_INACTIVE",
      "400 VALIDATION_ERROR",
      "400 INVALID_READY_BY",
      "503 RETAILER_NOT_CONFIGURED",
      "503 GEOCODING_UNAVAILABLE",
      "422 GEOCODE_FAILED",
      "200 OUT_OF_SERVICE_AREA",
      "200 CUSTOMER_OPTED_OUT",
      "200 NO_DRIVERS_ONLINE",
      "200 NO_CAPACITY",
      "200 null",
    ])
  })

  test("Q16 and Q17: each reason that holds by itself, and none once it is gone", async () => {
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
    expect(await reason({})).toEqual([200, null])
    await created(shop, "b")
    expect(await reason({})).toEqual([200, "NO_CAPACITY"])
    await call("PATCH", `${LIST}/b`, { body: { status: "CANCELLED" } })
    expect(await reason({})).toEqual([200, null])
    await created(shop, "c")
    for (let step = 1; step < DELIVERY_STATUSES.indexOf("COMPLETED"); step += 1)
      await call("POST", `${LIST}/a/advance`)
    expect(await reason({})).toEqual([200, "NO_CAPACITY"])
    expect((await call("POST", `${LIST}/a/advance`)).data["status"]).toBe("COMPLETED")
    expect(await reason({})).toEqual([200, null])
  })
})
