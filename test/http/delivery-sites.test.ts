/** Sites of deliveries as operations tune them, and what callers then meet; lists over pages; capacity; a silent geocoder. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { Geocoder } from "../../src/engine/services/geocoding/geocoder.ts"
import { FLEET, SANDBOX_SITE, SITE, deliverySites } from "../conformance/delivery-world.ts"
import { iso } from "./api.ts"
import type { Answered } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

const QUOTE = "/dd/v1/deliveries/quote"
const LIST = "/dd/v1/deliveries"

const changing =
  ({ api }: Shop) =>
  (body: object, site = SITE): Promise<Answered> =>
    api.operate("PATCH", `/delivery-sites/${site}`, { body })

/** A square about nothing that the world's customers live in. */
const FAR_OFF = [
  [
    [10, 50],
    [11, 50],
    [11, 51],
    [10, 50],
  ],
]

describe("a delivery site that operations make", () => {
  const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
  const wanted = {
    name: "Second store",
    timezone: "America/Chicago",
    address,
    reach_km: 20,
    delivery_price_cents: 650,
    fleet_id: FLEET,
    stalls: ["A1"],
  }

  test("quotes at once, and is in the lists of sites, stalls and delivery sites", async () => {
    const shop = await openShop()
    const made = await shop.api.operate("POST", "/delivery-sites", {
      body: { ...wanted, organization_id: shop.api.organizationId },
    })
    expect(made.status).toBe(201)
    const site = made.data["delivery_site"] as Readonly<Record<string, unknown>>
    expect(site).toMatchObject({ is_configured: true, fleet_id: FLEET, address, delivery_price_cents: 650 })
    expect(site["has_vehicle"]).toBe(true)
    const body = shop.quoting({ external_delivery_id: "order-of-the-second" })
    const headers = { "x-retailer-id": String(site["site_id"]) }
    const quoted = await shop.call("POST", QUOTE, { body, headers })
    expect([quoted.status, quoted.data["available"], quoted.data["delivery_fee_cents"]]).toEqual([
      200,
      true,
      650,
    ])
    for (const [path, noun] of [
      ["/sites", "sites"],
      ["/delivery-sites", "delivery_sites"],
    ] as const) {
      const { data } = await shop.api.operate("GET", `${path}?limit=100`)
      expect(data[noun]).toContainEqual(site)
    }
  })

  test("has no vehicle until its fleet has one: list, page and change say so", async () => {
    const { api } = await openShop()
    const body = { ...wanted, fleet_id: undefined, organization_id: api.organizationId }
    const { data } = await api.operate("POST", "/delivery-sites", { body })
    const made = data["delivery_site"] as { readonly site_id: string; readonly fleet_id: string }
    const { site_id: id, fleet_id: fleet } = made
    const seen = async (): Promise<readonly unknown[]> => {
      const listed = (await api.operate("GET", "/sites?limit=100")).data["sites"] as { site_id: string }[]
      const changed = await api.operate("PATCH", `/sites/${id}`, { body: { name: "Second store" } })
      const shown = [
        listed.find((one) => one.site_id === id),
        (await api.operate("GET", `/sites/${id}`)).data["site"],
        changed.data["site"],
      ]
      return shown.map((one) => (one as { has_vehicle?: unknown }).has_vehicle)
    }
    expect(made).toMatchObject({ is_configured: true, has_vehicle: false })
    expect(await seen()).toEqual([false, false, false])
    await api.operate("POST", "/vehicles", {
      body: { vehicle_id: "van_of_second", label: "Van", fleet_id: fleet },
    })
    expect(await seen()).toEqual([true, true, true])
  })

  test.each<[string, object, string | null]>([
    ["a point in Texas", { latitude: 30.4, longitude: -97.7 }, "America/Chicago"],
    ["a point in California", { latitude: 34.05, longitude: -118.24 }, "America/Los_Angeles"],
    [
      "an address in Denver",
      { address: { street: "1600 Broadway", city: "Denver", state: "CO", zip: "80202" } },
      "America/Denver",
    ],
    ["a zone of its own", { latitude: 30.4, longitude: -97.7, timezone: "America/Denver" }, "America/Denver"],
    ["no place", {}, null],
    ["no zone, by its own words", { latitude: 30.4, longitude: -97.7, timezone: null }, null],
  ])("has the time zone of its place if it names none: %s", async (_, place, timezone) => {
    const { api } = await openShop()
    const booked = await api.operate("POST", "/sites", { body: { name: "East", ...place } })
    expect(booked.data["site"]).toMatchObject({ timezone })
    if (timezone === null) return
    const body = { name: "East", organization_id: api.organizationId, ...place }
    const made = await api.operate("POST", "/delivery-sites", { body })
    expect(made.data["delivery_site"]).toMatchObject({ timezone })
  })

  test.each<[string, object, string]>([
    ["a time zone that is none", { timezone: "Mars/Olympus" }, "timezone"],
    [
      "an area that is not closed",
      {
        reach_km: undefined,
        area: [
          [
            [1, 2],
            [3, 4],
            [5, 6],
            [7, 8],
          ],
        ],
      },
      "area",
    ],
    ["a negative price", { delivery_price_cents: -1 }, "delivery_price_cents"],
    [
      "an address that no map knows",
      { address: { ...address, street: "1 Nowhere", zip: "00000" } },
      "address",
    ],
    ["no organization of that id", { organization_id: "org_nobody" }, "organization_id"],
    ["half of a place", { latitude: 30 }, "body"],
    ["neither address nor place", { address: undefined }, "body"],
    ["both area and reach", { area: FAR_OFF }, "body"],
    ["too few stalls", { stalls: [] }, "stalls"],
  ])("is refused with the field for %s", async (_, wrong, field) => {
    const shop = await openShop()
    const body = { ...wanted, organization_id: shop.api.organizationId, ...wrong }
    const refused = await shop.api.operate("POST", "/delivery-sites", { body })
    expect(codeOf(refused)).toBe("400 VALIDATION_ERROR")
    expect(JSON.stringify(refused.body)).toContain(`"field":"${field}"`)
  })
})

describe("a delivery site that operations change", () => {
  test("is read with the size of its area and the sites that share ground with it, the largest share first", async () => {
    const { api } = await openShop()
    const place = { latitude: 30.4, longitude: -97.7 }
    const made = async (name: string, more: object): Promise<string> => {
      const { status, data } = await api.operate("POST", "/sites", { body: { name, ...place, ...more } })
      expect([name, status]).toEqual([name, 201])
      return (data["site"] as { readonly site_id: string }).site_id
    }
    const id = await made("Middle", { reach_km: 2 })
    const inside = await made("Inside", { reach_km: 1, is_active: false })
    const none = await made("No area", {})
    await made("Far off", { area: FAR_OFF })
    const read = async (siteId: string, key = api.operatorToken) =>
      api.call("GET", `/internal/v1/sites/${siteId}`, { key })
    const overlapsOf = ({ data }: Answered) =>
      (data["site"] as { readonly overlaps: readonly Readonly<Record<string, unknown>>[] }).overlaps
    const middle = await read(id)
    expect(middle.data).toMatchObject({ site: { site_id: id, name: "Middle", area_km2: 16 } })
    const overlaps = overlapsOf(middle)
    const names = overlaps.map(({ name }) => name)
    expect(names).toContain("Inside")
    expect(names).not.toContain("Middle")
    expect(names).not.toContain("Far off")
    expect(overlaps.find((one) => one["site_id"] === inside)).toMatchObject({
      area_km2: 4,
      share: 0.25,
      is_active: false,
      organization_id: null,
    })
    const shares = overlaps.map(({ share }) => Number(share))
    expect(shares).toEqual(shares.toSorted((a, b) => b - a))
    expect(overlapsOf(await read(inside))).toContainEqual(expect.objectContaining({ site_id: id, share: 1 }))
    expect((await read(none)).data).toMatchObject({ site: { area_km2: null, overlaps: [] } })
    expect((await read("none")).code).toBe("NOT_FOUND")

    const body = { label: "viewer", role: "viewer", site_ids: [id] }
    const key = String((await api.operate("POST", "/operator-tokens", { body })).data["value"])
    expect(overlapsOf(await read(id, key))).toEqual([])
    expect((await read(inside, key)).code).toBe("NOT_FOUND")
  })

  test("is listed with what can be changed; the other environment's are not there", async () => {
    const { api } = await openShop()
    const { data } = await api.operate("GET", "/delivery-sites")
    const listed = data["delivery_sites"] as readonly Readonly<Record<string, unknown>>[]
    expect(listed.map((one) => one["site_id"])).not.toContain(SANDBOX_SITE)
    expect(listed.find((one) => one["site_id"] === SITE)).toMatchObject({
      is_active: true,
      is_configured: true,
      delivery_price_cents: 799,
      ready_ahead_minutes: 120,
      area: deliverySites.find(({ siteId }) => siteId === SITE)?.area,
    })
  })

  test("Q16: the next quote has the new price, threshold and area; a live one keeps its terms", async () => {
    const shop = await openShop()
    const change = changing(shop)
    const quoted = (more: object) => shop.call("POST", QUOTE, { body: shop.quoting(more) })
    expect((await quoted({})).data["delivery_fee_cents"]).toBe(799)
    expect((await change({ delivery_price_cents: 1_050 })).data["delivery_site"]).toMatchObject({
      delivery_price_cents: 1_050,
      ready_ahead_minutes: 120,
    })
    const made = await shop.call("POST", LIST, { body: { external_delivery_id: "order-1" } })
    expect(made.data["delivery_fee_cents"]).toBe(799)
    const second = { external_delivery_id: "order-2" }
    expect((await quoted(second)).data["delivery_fee_cents"]).toBe(1_050)
    await change({ ready_ahead_minutes: 30 })
    const late = { external_delivery_id: "order-3", ready_by: iso(shop.api.now() + 31 * MINUTE_MS) }
    expect((await quoted(late)).data["unavailable_reason"]).toBe("NO_DRIVERS_ONLINE")
    await change({ area: FAR_OFF })
    expect((await quoted(late)).data["unavailable_reason"]).toBe("OUT_OF_SERVICE_AREA")
    await change({ area: null })
    const unconfigured = await quoted(late)
    expect(codeOf(unconfigured)).toBe("503 RETAILER_NOT_CONFIGURED")
    expect(unconfigured.headers).not.toHaveProperty("retry-after")
    await change({ area: FAR_OFF, delivery_price_cents: null })
    expect(codeOf(await quoted(late))).toBe("503 RETAILER_NOT_CONFIGURED")
    await change({ is_active: false, timezone: "America/Denver" })
    expect(codeOf(await quoted(late))).toBe("403 RETAILER_INACTIVE")
  })

  test("stays as it was when what is sent is not valid", async () => {
    const shop = await openShop()
    const listed = () => shop.api.operate("GET", "/delivery-sites")
    const before = (await listed()).data
    const corners = [
      [10, 50],
      [11, 50],
      [11, 51],
    ]
    for (const body of [
      {},
      { delivery_price_cents: -1 },
      { delivery_price_cents: 100_001 },
      { ready_ahead_minutes: 0 },
      { ready_ahead_minutes: 1_441 },
      { timezone: "Mars/Olympus" },
      { area: [] },
      { area: [corners] },
      { area: [[...corners, [10, 51]]] },
      { area: [[[10, 91], ...corners, [10, 91]]] },
      { area: [Array.from({ length: 2_001 }, () => [10, 50])] },
    ]) {
      expect(codeOf(await changing(shop)(body)), JSON.stringify(body)).toBe("400 VALIDATION_ERROR")
    }
    expect((await listed()).data).toEqual(before)
  })

  test("is unknown under another environment's host, and under no token at all", async () => {
    const shop = await openShop()
    const change = changing(shop)
    expect(codeOf(await change({ name: "East" }, SANDBOX_SITE))).toBe("404 NOT_FOUND")
    const path = `/internal/v1/delivery-sites/${SITE}`
    const unasked = await shop.api.call("PATCH", path, { body: { name: "East" } })
    expect(codeOf(unasked)).toBe("401 INVALID_OPERATOR_TOKEN")
  })
})

describe("what callers meet", () => {
  test("Q25 and Q26: a list goes over pages in one order, filters hold on all of them, and the last one says so", async () => {
    const shop = await openShop("sandbox")
    for (let count = 1; count <= 5; count += 1) {
      const answer = await created(shop, `order-${count}`)
      expect(answer.status).toBe(201)
      await shop.call("PATCH", `${LIST}/order-${count}`, { body: { status: "CANCELLED" } })
      await shop.api.advance(HOUR_MS)
    }
    const ids: string[] = []
    let query = "?status=CANCELLED&status=ASSIGNED&limit=2"
    for (let page = 1; page <= 3; page += 1) {
      const { body } = await shop.call("GET", `${LIST}${query}`)
      const rows = body["data"] as readonly { readonly external_delivery_id: string }[]
      ids.push(...rows.map((one) => one.external_delivery_id))
      const { next_cursor: next, has_more: hasMore } = body["pagination"] as Record<string, unknown>
      expect([rows.length, hasMore]).toEqual(page === 3 ? [1, false] : [2, true])
      query = `?status=CANCELLED&status=ASSIGNED&limit=2&cursor=${String(next)}`
    }
    expect(ids).toEqual(["order-5", "order-4", "order-3", "order-2", "order-1"])
    const none = await shop.call("GET", `${LIST}?status=COMPLETED&limit=2`)
    expect(none.body).toMatchObject({ data: [], pagination: { next_cursor: null, has_more: false } })
  })

  test("Q22: NO_CAPACITY 409 when the places have gone since the quote; a cancel makes the same quote good again", async () => {
    const shop = await openShop()
    const create = (id: string) => shop.call("POST", LIST, { body: { external_delivery_id: id } })
    for (const id of ["order-1", "order-2", "order-3"]) {
      const { data } = await shop.call("POST", QUOTE, { body: shop.quoting({ external_delivery_id: id }) })
      expect(data["unavailable_reason"]).toBeNull()
    }
    for (const id of ["order-1", "order-2"]) expect((await create(id)).status).toBe(201)
    const refused = await create("order-3")
    expect([refused.status, refused.code]).toEqual([409, "NO_CAPACITY"])
    const earliestAt = String(refused.body["earliest_at"])
    expect(earliestAt).toMatch(/T\d\d:\d\d:00\.000Z$/)
    expect(refused.body["error"]).toContain(earliestAt)
    const full = await shop.call("POST", QUOTE, { body: shop.quoting({ external_delivery_id: "order-4" }) })
    expect(full.data).toMatchObject({ unavailable_reason: "NO_CAPACITY", earliest_at: earliestAt })
    await shop.call("PATCH", `${LIST}/order-1`, { body: { status: "CANCELLED" } })
    expect((await create("order-3")).status).toBe(201)
  })

  test("Q9: GEOCODING_UNAVAILABLE 503 while the geocoder is down, and a place given directly needs no geocoder", async () => {
    const silent = Layer.succeed(Geocoder, { locate: () => Effect.succeed({ type: "unavailable" } as const) })
    const { call, quoting } = await openShop("production", { geocoder: silent })
    const { status, code, headers } = await call("POST", QUOTE, {
      body: quoting({ delivery_location: null }),
    })
    expect([status, code, headers["retry-after"]]).toEqual([503, "GEOCODING_UNAVAILABLE", "2"])
    expect((await call("POST", QUOTE, { body: quoting({}) })).status).toBe(200)
  })
})
