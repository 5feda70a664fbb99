/** Charges over the operations API: what completed deliveries of production cost (B7). */

import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { SITE } from "../conformance/delivery-world.ts"
import { iso } from "./api.ts"
import type { Answered } from "./api.ts"
import { created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

async function completed({ api, ...shop }: Shop, externalId: string): Promise<string> {
  await created({ api, ...shop }, externalId)
  const [run] = (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"] as readonly {
    readonly delivery_id: string
  }[]
  const id = run?.delivery_id ?? ""
  const done = await api.operate("POST", `/deliveries/${id}/status`, { body: { status: "COMPLETED" } })
  expect(done.status).toBe(200)
  return id
}

function chargesOf({ data }: Answered): readonly Readonly<Record<string, unknown>>[] {
  return data["charges"] as readonly Readonly<Record<string, unknown>>[]
}

describe("charges", () => {
  test("B7: one for each completed delivery of production, none for a cancelled one, in pages and spans", async () => {
    const shop = await openShop()
    const { api, call } = shop
    const startMs = api.now()
    const first = await completed(shop, "order-1")
    await api.advance(MINUTE_MS)
    await created(shop, "order-2")
    await call("PATCH", "/dd/v1/deliveries/order-2", { body: { status: "CANCELLED" } })
    const third = await completed(shop, "order-3")
    const late = await api.operate("POST", `/deliveries/${third}/status`, { body: { status: "COMPLETED" } })
    expect([200, 409]).toContain(late.status)
    const listed = await api.operate("GET", "/charges")
    expect(listed.data["next_cursor"]).toBeNull()
    expect(chargesOf(listed)).toEqual([
      {
        delivery_id: third,
        external_delivery_id: "order-3",
        organization_id: api.organizationId,
        site_id: SITE,
        fee_cents: 799,
        currency: "USD",
        completed_at: iso(startMs + MINUTE_MS),
      },
      expect.objectContaining({ delivery_id: first, completed_at: iso(startMs) }),
    ])
    const page = await api.operate("GET", "/charges?limit=1")
    const next = await api.operate("GET", `/charges?limit=1&cursor=${String(page.data["next_cursor"])}`)
    expect([...chargesOf(page), ...chargesOf(next)]).toEqual(chargesOf(listed))
    const within = async (query: string) => chargesOf(await api.operate("GET", `/charges?${query}`)).length
    expect(await within(`from=${iso(startMs + 1)}`)).toBe(1)
    expect(await within(`until=${iso(startMs + MINUTE_MS)}`)).toBe(1)
    expect(await within("site_id=elsewhere")).toBe(0)
    for (const bad of ["limit=0", "from=today", "cursor=dlv_x"]) {
      expect((await api.operate("GET", `/charges?${bad}`)).code).toBe("VALIDATION_ERROR")
    }
  })

  test("B7: the same as one CSV file, oldest first, in which no id is a formula", async () => {
    const shop = await openShop()
    const { app, api, operatorToken } = { ...shop.api, api: shop.api }
    const first = await completed(shop, '=cmd"|x,1')
    const second = await completed(shop, "order-2")
    const get = (query: string, token: string) =>
      app.inject({ url: `/internal/v1/charges.csv${query}`, headers: { authorization: `Bearer ${token}` } })
    const file = await get("", operatorToken)
    expect([file.statusCode, file.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"])
    const rest = `${api.organizationId},${SITE},799,USD,${iso(api.now())}`
    expect(file.payload.split("\r\n")).toEqual([
      "delivery_id,external_delivery_id,organization_id,site_id,fee_cents,currency,completed_at",
      `${first},"'=cmd""|x,1",${rest}`,
      `${second},order-2,${rest}`,
      "",
    ])
    expect((await get("?from=today", operatorToken)).json<{ code: string }>().code).toBe("VALIDATION_ERROR")
    expect((await get("", "unknown")).statusCode).toBe(401)
  })

  test("B7: an operator of some sites reads and exports their charges alone", async () => {
    const shop = await openShop()
    const { api } = shop
    const id = await completed(shop, "order-1")
    const managerOf = async (siteIds: readonly string[]): Promise<string> => {
      const body = { label: "manager", role: "manager", site_ids: siteIds }
      return String((await api.operate("POST", "/operator-tokens", { body })).data["value"])
    }
    const read = async (siteIds: readonly string[], query = "") => {
      const key = await managerOf(siteIds)
      const listed = await api.call("GET", `/internal/v1/charges${query}`, { key })
      const file = await api.app.inject({
        url: `/internal/v1/charges.csv${query}`,
        headers: { authorization: `Bearer ${key}` },
      })
      return [
        listed.status === 200 ? chargesOf(listed).length : listed.code,
        file.payload.split("\r\n").length - 2,
      ]
    }
    const elsewhere = "11111111-1111-4111-8111-111111111111"
    expect(await read([SITE])).toEqual([1, 1])
    expect(await read([SITE, elsewhere], `?site_id=${SITE}`)).toEqual([1, 1])
    expect(await read([elsewhere])).toEqual([0, 0])
    expect(await read([elsewhere], `?site_id=${SITE}`)).toEqual([0, 0])
    expect(await read([])).toEqual([0, 0])
    expect((await read([elsewhere], `?cursor=${id}`))[0]).toBe("VALIDATION_ERROR")
  })

  test("B7: the sandbox is free", async () => {
    const shop = await openShop("sandbox")
    await created(shop)
    for (let step = 0; step < 8; step += 1) await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
    const read = await shop.call("GET", "/dd/v1/deliveries/order-1")
    expect(read.data["status"]).toBe("COMPLETED")
    expect((await shop.api.operate("GET", "/charges")).data).toEqual({ charges: [], next_cursor: null })
  })
})
