/** Management's lists through HTTP, page by page. */

import { expect, test } from "vitest"
import { makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const SITE = "11111111-1111-4111-8111-111111111111"
const ROWS = ["1", "2", "3", "4"] as const

/** Four of each kind, beside what the world has. */
async function withRows(): Promise<Api> {
  const api = await makeApi()
  const made = async (method: string, path: string, body?: object): Promise<void> =>
    expect((await api.operate(method, path, body === undefined ? {} : { body })).status).toBeLessThan(300)
  await made("POST", "/sites", { site_id: SITE, name: "East" })
  for (const one of ROWS) {
    await made("POST", "/organizations", { name: `Wheels ${one}` })
    await made("POST", `/organizations/${api.organizationId}/api-keys`, { permissions: ["retailers:read"] })
    await made("POST", "/sites", { site_id: `2222222${one}-1111-4111-8111-111111111111`, name: one })
    await made("POST", "/zones", { zone_id: `zone_p${one}`, site_id: SITE, name: `Zone ${one}` })
    await made("POST", "/stalls", { stall_id: `stall_p${one}`, zone_id: "zone_p1", label: one })
    await made("POST", "/retailers", { retailer_id: `retailer_p${one}`, name: `Grocer ${one}` })
    await made("PUT", `/zones/zone_p1/retailers/retailer_p${one}`)
    await made("PUT", `/organizations/${api.organizationId}/grants/zone_p1/retailer_p${one}`)
    await made("POST", "/operator-tokens", { label: one })
  }
  return api
}

interface Page {
  readonly rows: readonly object[]
  readonly next: unknown
}

async function page(api: Api, path: string, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const asked = `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(query).toString()}`
  const { status, data } = await api.operate("GET", asked)
  expect(status).toBe(200)
  const { next_cursor: next, ...list } = data
  const [rows] = Object.values(list) as (readonly object[])[]
  return { rows: rows ?? [], next }
}

/** From the first page to the one that names no next. */
async function walked(api: Api, path: string, limit: string): Promise<readonly Page[]> {
  const pages = [await page(api, path, { limit })]
  for (let next = pages[0]?.next; typeof next === "string"; next = pages.at(-1)?.next) {
    pages.push(await page(api, path, { limit, cursor: next }))
  }
  return pages
}

test("every list of management comes in pages that are together the whole, each row once", async () => {
  const api = await withRows()
  const paths = [
    "/organizations",
    `/organizations/${api.organizationId}/api-keys`,
    "/operator-tokens",
    "/sites",
    `/zones?site_id=${SITE}`,
    "/stalls?zone_id=zone_p1",
    "/retailers",
    "/offers?zone_id=zone_p1",
    `/grants?organization_id=${api.organizationId}`,
  ]
  for (const path of paths) {
    const whole = await page(api, path, { limit: "100" })
    expect([path, whole.next, whole.rows.length >= ROWS.length]).toEqual([path, null, true])
    for (const limit of [1, 3, whole.rows.length]) {
      const pages = await walked(api, path, String(limit))
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
      expect(pages.length).toBe(Math.ceil(whole.rows.length / limit))
    }
  }
})

test("a page goes on behind a row that was taken back meanwhile", async () => {
  const api = await withRows()
  const path = `/grants?organization_id=${api.organizationId}`
  const whole = await page(api, path)
  const first = await page(api, path, { limit: "2" })
  const [, second] = first.rows as readonly { readonly zone_id: string; readonly retailer_id: string }[]
  const taken = `/organizations/${api.organizationId}/grants/${second?.zone_id ?? ""}/${second?.retailer_id ?? ""}`
  expect((await api.operate("DELETE", taken)).status).toBe(200)
  expect((await page(api, path, { cursor: String(first.next) })).rows).toEqual(whole.rows.slice(2))
})

test("a page has 50 rows unless it is told otherwise, at most 100; what no page gave is no cursor", async () => {
  const api = await makeApi()
  for (let at = 0; at < 101; at += 1) {
    const body = { stall_id: `stall_q${String(at).padStart(3, "0")}`, zone_id: "zone_curb" }
    expect((await api.operate("POST", "/stalls", { body })).status).toBe(201)
  }
  expect((await page(api, "/stalls")).rows.length).toBe(50)
  expect((await page(api, "/stalls", { limit: "100" })).rows.length).toBe(100)
  const wrong = ["limit=0", "limit=101", "limit=1.5", "limit=x", "limit=1&limit=2"]
  const strange = ["", "!", "c2l0ZQ==", "c2l0ZR"].map((cursor) => `cursor=${encodeURIComponent(cursor)}`)
  for (const query of [...wrong, ...strange]) {
    const { status, code } = await api.operate("GET", `/stalls?${query}`)
    expect([query, status, code]).toEqual([query, 400, "VALIDATION_ERROR"])
  }
})
