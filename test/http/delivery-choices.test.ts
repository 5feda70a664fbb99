/** Deliveries over HTTP, from the create to their end, every answer held to the API's document (Q6, Q7 and Q14 to Q29). */

import type { AddressInfo } from "node:net"
import { describe, expect, test } from "vitest"
import { DELIVERY_STATUSES } from "../../src/model/delivery.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { BARE_SITE, SITE, deliverySites, north } from "../conformance/delivery-world.ts"
import { HOOK, iso } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"

const QUOTE = "/dd/v1/deliveries/quote"
const LIST = "/dd/v1/deliveries"

describe("a quote", () => {
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
    expect(unknown.map(([name]) => name).toSorted()).toEqual(["earliest_at", "unavailable_reason"])
  })

  test("Q14 and Q24: a new one replaces the live one, is good until the instant before its end, and gives way to a delivery", async () => {
    const { api, call, quoting } = await openShop()
    const body = { external_delivery_id: "order-1" }
    await call("POST", QUOTE, { body: quoting() })
    await api.advance(4 * MINUTE_MS)
    const again = await call("POST", QUOTE, { body: quoting({ delivery_location: north(1_000) }) })
    expect(again.data["expires_at"]).toBe(iso(api.now() + 5 * MINUTE_MS))
    await call("POST", QUOTE, { body: quoting({ external_delivery_id: "order-2" }) })
    await api.advance(5 * MINUTE_MS - 1)
    const made = await call("POST", LIST, { body })
    expect(made.status).toBe(201)
    for (const term of ["pickup_eta", "delivery_eta", "delivery_fee_cents", "currency"]) {
      expect(made.data[term]).toBe(again.data[term])
    }
    expect(made.data["delivery_location"]).toEqual(north(1_000))
    expect(codeOf(await call("POST", QUOTE, { body: quoting() }))).toBe("409 DELIVERY_ALREADY_EXISTS")
    await api.advance(1)
    const late = await call("POST", LIST, { body: { external_delivery_id: "order-2" } })
    expect(codeOf(late)).toBe("410 QUOTE_EXPIRED")
  })
})

describe("a create", () => {
  test("Q18 and Q19 and Q20: without a quote, after it, and from one that is unavailable, which is told why", async () => {
    const { api, call, quoting } = await openShop()
    const create = () => call("POST", LIST, { body: { external_delivery_id: "order-1" } })
    expect(codeOf(await create())).toBe("404 QUOTE_NOT_FOUND")
    await call("POST", QUOTE, { body: quoting({ delivery_location: north(90_000) }) })
    const unavailable = await create()
    expect(codeOf(unavailable)).toBe("422 QUOTE_UNAVAILABLE")
    expect(unavailable.body["error"]).toContain("OUT_OF_SERVICE_AREA")
    await call("POST", QUOTE, { body: quoting() })
    await api.advance(5 * MINUTE_MS)
    expect(codeOf(await create())).toBe("410 QUOTE_EXPIRED")
    expect((await call("GET", LIST)).body["data"]).toEqual([])
  })

  test("Q7: names and e-mail given here win over the quote's, and the number is the quote's", async () => {
    const { call, quoting } = await openShop()
    const phone = "+15125550123"
    await call("POST", QUOTE, {
      body: quoting({ customer: { phone, first_name: "Ada", last_name: "Example" } }),
    })
    const create = (customer: object) =>
      call("POST", LIST, { body: { external_delivery_id: "order-1", customer } })
    for (const bad of [{ phone: "+15125550124" }, { phone: "5125550123" }, { email: "" }]) {
      expect(codeOf(await create(bad))).toBe("400 VALIDATION_ERROR")
    }
    const made = await create({ phone, first_name: "Grace", email: "grace@example.com" })
    expect(made.data["customer"]).toEqual({
      first_name: "Grace",
      last_name: "Example",
      email: "grace@example.com",
      phone,
    })
  })

  test("Q21: the same body again is 200 with the delivery as it is now, another one 409", async () => {
    const shop = await openShop()
    const create = (more: object) =>
      shop.call("POST", LIST, { body: { external_delivery_id: "order-1", ...more } })
    await shop.call("POST", QUOTE, { body: shop.quoting() })
    const named = { customer: { first_name: "Ada" } }
    expect((await create(named)).data["status"]).toBe("SCHEDULED")
    await shop.api.advance(10 * MINUTE_MS)
    const again = await create(named)
    expect([again.status, again.data["status"]]).toEqual([200, "ASSIGNED"])
    for (const other of [
      {},
      { customer: { first_name: "Alan" } },
      { customer: { ...named.customer, last_name: "B" } },
    ]) {
      expect(codeOf(await create(other))).toBe("409 DELIVERY_ALREADY_EXISTS")
    }
  })

  test("Q23: of two creates at once exactly one is 201, and the other 409", async () => {
    const { api, call, quoting, site } = await openShop()
    await api.app.listen({ port: 0, host: "127.0.0.1" })
    const { port } = api.app.server.address() as AddressInfo
    const headers = {
      authorization: `Bearer ${api.key}`,
      "x-retailer-id": site,
      "content-type": "application/json",
    }
    const create = async (body: object) => {
      const url = `http://127.0.0.1:${port}${LIST}`
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      const { code = "-" } = (await response.json()) as { readonly code?: string }
      return `${response.status} ${code}`
    }
    for (const id of ["order-1", "order-2", "order-3"]) {
      const body = { external_delivery_id: id }
      await call("POST", QUOTE, { body: quoting(body) })
      const answers = await Promise.all([create(body), create(body)])
      expect(answers.toSorted()).toEqual(["201 -", "409 DELIVERY_ALREADY_EXISTS"])
      expect(await create(body)).toBe("200 -")
      // There is room for two.
      await call("PATCH", `${LIST}/${id}`, { body: { status: "CANCELLED" } })
    }
    expect((await call("GET", LIST)).body["data"]).toHaveLength(3)
  })

  test("Q6: one external id at two sites is two deliveries; any id fits into a path", async () => {
    const shop = await openShop()
    const { api, call } = shop
    const { area } = deliverySites.find(({ siteId }) => siteId === SITE) ?? {}
    await api.operate("PATCH", `/delivery-sites/${BARE_SITE}`, { body: { area } })
    const there = { headers: { "x-retailer-id": BARE_SITE } }
    expect((await created(shop)).status).toBe(201)
    await call("POST", QUOTE, { ...there, body: shop.quoting() })
    const second = await call("POST", LIST, { ...there, body: { external_delivery_id: "order-1" } })
    expect(second.status).toBe(201)
    await call("PATCH", `${LIST}/order-1`, { ...there, body: { status: "CANCELLED" } })
    await api.advance(0)
    const statuses = [await call("GET", `${LIST}/order-1`), await call("GET", `${LIST}/order-1`, there)]
    expect(statuses.map(({ data }) => data["status"])).toEqual(["ASSIGNED", "CANCELLED"])
    for (const id of [".", ".."]) {
      const { status, code, body } = await call("POST", QUOTE, {
        body: shop.quoting({ external_delivery_id: id }),
      })
      expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
      expect(body["details"]).toEqual([{ field: "external_delivery_id", message: 'must not be "." or ".."' }])
    }
    for (const id of ["...", "a/b c", "100%", "é".repeat(255)]) {
      expect((await created(shop, id)).status).toBe(201)
      const path = `${LIST}/${encodeURIComponent(id)}`
      expect((await call("GET", path)).data["external_delivery_id"]).toBe(id)
      expect((await call("PATCH", path, { body: { status: "CANCELLED" } })).status).toBe(200)
    }
  })
})

describe("a list", () => {
  test("Q25 and Q26: narrows by statuses and by creation, both ends left out, and has its pages beside it", async () => {
    const shop = await openShop()
    const { api, call } = shop
    const startMs = api.now()
    for (const id of ["a", "b", "c"]) {
      expect((await created(shop, id)).status).toBe(201)
      if (id !== "a") await call("PATCH", `${LIST}/${id}`, { body: { status: "CANCELLED" } })
      await api.advance(MINUTE_MS)
    }
    const found = async (query: string) => {
      const { status, code, body } = await call("GET", `${LIST}?${query}`)
      const rows = (body["data"] ?? []) as readonly Record<string, unknown>[]
      return status === 200
        ? rows.map((row) => row["external_delivery_id"]).join("")
        : `${status} ${code ?? "-"}`
    }
    const at = (minutes: number, ms = 0) => encodeURIComponent(iso(startMs + minutes * MINUTE_MS + ms))
    expect(await found("")).toBe("cba")
    expect(await found("status=CANCELLED")).toBe("cb")
    expect(await found("status=ASSIGNED")).toBe("a")
    expect(await found("status=CANCELLED&status=ASSIGNED")).toBe("cba")
    expect(await found(`created_after=${at(1)}`)).toBe("c")
    expect(await found(`created_after=${at(1, -1)}`)).toBe("cb")
    expect(await found(`created_before=${at(1)}`)).toBe("a")
    expect(await found(`created_before=${at(1, 1)}`)).toBe("ba")
    expect(await found(`created_after=${at(0)}&created_before=${at(2)}&status=CANCELLED`)).toBe("b")
    for (const bad of [
      "status=",
      "status=LOST",
      "status=cancelled",
      "status=CANCELLED&status=LOST",
      "created_after=yesterday",
      "created_before=2026-06-01",
      `created_after=${at(0)}&created_after=${at(1)}`,
      "limit=0",
      "limit=101",
      "limit=1.5",
      "cursor=none",
    ]) {
      expect(await found(bad), bad).toBe("400 VALIDATION_ERROR")
    }
    const { body } = await call("GET", `${LIST}?limit=2`)
    const read = await call("GET", `${LIST}/c`)
    expect(body).toEqual({
      success: true,
      data: [read.data, expect.objectContaining({ external_delivery_id: "b" })],
      pagination: { next_cursor: expect.any(String) as string, has_more: true },
    })
    const { next_cursor: cursor } = body["pagination"] as Record<string, unknown>
    const last = await call("GET", `${LIST}?limit=2&cursor=${String(cursor)}`)
    expect(last.body["pagination"]).toEqual({ next_cursor: null, has_more: false })
    expect(last.body["data"]).toEqual([expect.objectContaining({ external_delivery_id: "a" })])
  })

  test("G15: a cursor tells no count of deliveries, and only the list that gave it takes it", async () => {
    const shop = await openShop()
    const { api, call } = shop
    for (const id of ["a", "b"]) expect((await created(shop, id)).status).toBe(201)
    const { body } = await call("GET", `${LIST}?limit=1`)
    const cursor = String((body["pagination"] as Record<string, unknown>)["next_cursor"])
    expect(Buffer.from(cursor, "base64url").toString()).toMatch(/^dlv_[0-9A-Za-z]{22}$/)
    const counted = Buffer.from("d2").toString("base64url")
    const unknown = Buffer.from(`dlv_${"0".repeat(22)}`).toString("base64url")
    for (const bad of [counted, unknown, `${cursor}=`, cursor.slice(0, -1)]) {
      expect((await call("GET", `${LIST}?cursor=${bad}`)).code, bad).toBe("VALIDATION_ERROR")
    }
    const elsewhere = { headers: { "x-retailer-id": BARE_SITE } }
    expect((await api.call("GET", LIST, elsewhere)).status).toBe(200)
    expect((await api.call("GET", `${LIST}?cursor=${cursor}`, elsewhere)).code).toBe("VALIDATION_ERROR")
  })
})

describe("a cancel", () => {
  test("Q27 and Q28: what is only quoted cannot be read or changed; a PATCH cancels, with a reason of up to 500, and nothing else", async () => {
    const shop = await openShop()
    const { call } = shop
    const patch = (body: unknown) => call("PATCH", `${LIST}/order-1`, { body })
    const cancel = { status: "CANCELLED" }
    expect(codeOf(await call("GET", `${LIST}/order-1`))).toBe("404 DELIVERY_NOT_FOUND")
    await call("POST", QUOTE, { body: shop.quoting() })
    expect(codeOf(await call("GET", `${LIST}/order-1`))).toBe("404 DELIVERY_NOT_FOUND")
    expect(codeOf(await patch(cancel))).toBe("404 DELIVERY_NOT_FOUND")
    await created(shop)
    for (const bad of [
      {},
      [],
      null,
      { status: "COMPLETED" },
      { status: "cancelled" },
      { status: null },
      { cancellation_reason: "Not at home" },
      { ...cancel, cancellation_reason: 7 },
      { ...cancel, cancellation_reason: "é".repeat(501) },
    ]) {
      expect(codeOf(await patch(bad)), JSON.stringify(bad)).toBe("400 VALIDATION_ERROR")
    }
    expect((await call("GET", `${LIST}/order-1`)).data).toMatchObject({
      cancelled_at: null,
      cancellation_reason: null,
    })
    const cancellation_reason = "é".repeat(500)
    const first = await patch({ ...cancel, cancellation_reason })
    expect(first.data).toMatchObject({ ...cancel, cancellation_reason })
    expect((await patch({ ...cancel, cancellation_reason: "Another" })).data).toEqual(first.data)
  })

  test("G16: an optional text may be empty, and then replaces none that is known", async () => {
    const { call, quoting } = await openShop()
    const quote = quoting({ customer: { phone: "+15125550123", first_name: "Ada", last_name: " " } })
    await call("POST", QUOTE, { body: { ...quote, pickup_instructions: "" } })
    const customer = { first_name: "", last_name: null }
    const made = await call("POST", LIST, { body: { external_delivery_id: "order-1", customer } })
    expect(made.data).toMatchObject({
      customer: { first_name: "Ada", last_name: " " },
      pickup_instructions: "",
      cancellation_reason: null,
    })
    // A retry that leaves the empty name out is the same create.
    const again = await call("POST", LIST, { body: { external_delivery_id: "order-1", customer: null } })
    expect([again.status, again.data["external_delivery_id"]]).toEqual([200, "order-1"])
    const body = { status: "CANCELLED", cancellation_reason: "" }
    expect((await call("PATCH", `${LIST}/order-1`, { body })).data).toMatchObject(body)
  })

  test("Q28: is told once with where the vehicle is while that is known, and is refused at the end", async () => {
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
    // A fix that is over five minutes old is not published.
    expect(told.map(({ data }) => data)).toEqual([
      expect.objectContaining({ ...about, status: "ASSIGNED", previous_status: "SCHEDULED" }),
      { ...about, status: "CANCELLED", previous_status: "ASSIGNED", vehicle_location: null },
    ])
    await created(shop, "order-2")
    for (let step = 0; step < 8; step += 1) await call("POST", `${LIST}/order-2/advance`)
    const late = await call("PATCH", `${LIST}/order-2`, { body: { status: "CANCELLED" } })
    expect(codeOf(late)).toBe("409 INVALID_STATE")
  })

  test("Q29 and B1: the sandbox advances a step a call, and every status before the last can be cancelled", async () => {
    const shop = await openShop("sandbox")
    const { call } = shop
    const walk = DELIVERY_STATUSES.slice(0, DELIVERY_STATUSES.indexOf("COMPLETED") + 1)
    for (const [steps, status] of walk.entries()) {
      const path = `${LIST}/order-${steps}`
      expect((await created(shop, `order-${steps}`)).data["status"]).toBe("SCHEDULED")
      for (let step = 1; step <= steps; step += 1) {
        expect((await call("POST", `${path}/advance`)).data["status"]).toBe(walk[step])
      }
      const isOver = status === "COMPLETED"
      const cancelled = await call("PATCH", path, { body: { status: "CANCELLED" } })
      expect(codeOf(cancelled), status).toBe(isOver ? "409 INVALID_STATE" : "200 -")
      expect(codeOf(await call("POST", `${path}/advance`))).toBe("409 INVALID_STATE")
    }
    expect(codeOf(await call("POST", `${LIST}/none/advance`))).toBe("404 DELIVERY_NOT_FOUND")
  })

  test("B1: production has no advance, for any caller", async () => {
    const { call } = await openShop()
    for (const key of [null, "unknown"]) {
      expect(codeOf(await call("POST", `${LIST}/order-1/advance`, { key }))).toBe("404 NOT_FOUND")
    }
  })
})

describe("analytics of deliveries", () => {
  test("N10: a delivery's stay at the store is a session of its site, from the arrival to the load or the cancel", async () => {
    const shop = await openShop("sandbox")
    const { api, call, site } = shop
    const advance = async (id: string, steps: number) => {
      for (let step = 0; step < steps; step += 1) await call("POST", `${LIST}/${id}/advance`)
    }
    const measured = async () => {
      const { data } = await api.call("GET", `/avrh/v1/analytics/metrics?siteId=${site}`)
      const { autolane_sessions, average_dwell_time } = data as Record<string, Record<string, unknown>>
      return [autolane_sessions?.["total"], average_dwell_time?.["total_seconds"]]
    }
    for (const id of ["loaded", "cancelled"]) await created(shop, id)
    await advance("loaded", 3)
    await api.advance(2 * MINUTE_MS)
    await advance("loaded", 2)
    expect(await measured()).toEqual([1, 120])
    await advance("cancelled", 4)
    await api.advance(4 * MINUTE_MS)
    await call("PATCH", `${LIST}/cancelled`, { body: { status: "CANCELLED" } })
    await call("PATCH", `${LIST}/loaded`, { body: { status: "CANCELLED" } })
    await api.advance(MINUTE_MS)
    expect(await measured()).toEqual([2, 180])
    await created(shop, "never came")
    await advance("never%20came", 2)
    await call("PATCH", `${LIST}/never%20came`, { body: { status: "CANCELLED" } })
    expect(await measured()).toEqual([2, 180])
    const stranger = await api.makeKey({ organizationId: await api.makeOrganization() })
    const refused = await api.call("GET", `/avrh/v1/analytics/metrics?siteId=${site}`, { key: stranger })
    expect([refused.status, refused.code]).toEqual([404, "SITE_NOT_FOUND"])
  })
})
