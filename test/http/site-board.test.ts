/** The board of a site and the search, over HTTP: what they show of what partners and runners did, and what they keep to themselves. */

import { expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Api } from "./api.ts"
import { created, openShop } from "./shop.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

interface Stall {
  readonly stall_id: string
  readonly state: string
  readonly at: string | null
  readonly reservation_id: string | null
}

interface Board {
  readonly name: string
  readonly at: string
  readonly is_complete: boolean
  readonly zones: readonly { readonly zone_id: string; readonly stalls: readonly Stall[] }[]
  readonly reservations: readonly {
    readonly reservation_id: string
    readonly stall_id: string
    readonly column: string
    readonly [field: string]: unknown
  }[]
  readonly vehicles: readonly object[]
}

async function boardOf(api: Api): Promise<Board> {
  const answer = await api.operate("GET", `/sites/${EAST}/board`)
  expect(answer.status).toBe(200)
  return answer.data["board"] as Board
}

function stallOf({ zones }: Board, stallId: string | undefined): Stall | undefined {
  return zones.flatMap(({ stalls }) => stalls).find(({ stall_id: id }) => id === stallId)
}

const report = (api: Api, id: string, status: string, more: object = {}) =>
  api.call("POST", `/rs/v1/reservations/${id}/bot`, {
    body: { status, occurred_at: iso(api.now()), ...more },
  })

const step = (api: Api, id: string, path: string, body?: object) =>
  api.operate("POST", `/reservations/${id}/${path}`, body === undefined ? {} : { body })

test("an order goes through the columns, its stall becomes due, occupied and late, and the timer is the machine's", async () => {
  const api = await makeApi()
  const empty = await boardOf(api)
  expect(empty).toMatchObject({
    name: "East",
    is_complete: true,
    reservations: [],
    vehicles: [],
    runners_count: 0,
  })
  expect(empty.zones.flatMap(({ stalls }) => stalls).every(({ state }) => state === "free")).toBe(true)
  const id = await api.book({ order_number: "B-1" })
  const far = await boardOf(api)
  const [booked] = far.reservations
  expect(booked).toMatchObject({ reservation_id: id, column: "due", waits_for: "runner", trouble: null })
  expect(booked).toMatchObject({ retailer_name: "Grocer", next_timer: { name: "window and grace" } })
  expect(stallOf(far, booked?.stall_id)).toMatchObject({ state: "free", reservation_id: id })
  await report(api, id, "INBOUND", { eta: iso(api.now() + 5 * MINUTE_MS) })
  expect(stallOf(await boardOf(api), booked?.stall_id)).toMatchObject({ state: "due" })
  await api.operate("POST", `/reservations/${id}/runner`, { body: { runner_id: "runner_1" } })
  await step(api, id, "at-store")
  expect((await boardOf(api)).reservations[0]).toMatchObject({
    column: "at_store",
    runner_id: "runner_1",
    runner_name: null,
  })
  await step(api, id, "order-in-hand")
  expect((await boardOf(api)).reservations[0]).toMatchObject({ column: "in_hand" })
  const arrivedAt = api.now()
  await report(api, id, "ARRIVED")
  await step(api, id, "at-unit")
  const occupied = await boardOf(api)
  expect(occupied.reservations[0]).toMatchObject({ column: "at_bot", waits_for: "bot_ready" })
  expect(stallOf(occupied, booked?.stall_id)).toMatchObject({ state: "occupied", at: iso(arrivedAt) })
  await api.advance(8 * MINUTE_MS + SECOND_MS)
  const late = await boardOf(api)
  expect(late.reservations[0]).toMatchObject({ column: "trouble", is_late: true })
  expect(stallOf(late, booked?.stall_id)).toMatchObject({ state: "late", at: iso(arrivedAt + 8 * MINUTE_MS) })
  await report(api, id, "DEPARTED")
  expect((await boardOf(api)).reservations).toEqual([])
  const { timeline } = (await api.operate("GET", `/reservations/${id}/timeline`)).data as {
    readonly timeline: readonly { readonly actor: string; readonly event: string }[]
  }
  expect(timeline).toContainEqual(expect.objectContaining({ actor: "runner-task", event: "runner.at_store" }))
  expect(JSON.stringify(timeline)).not.toContain("Ada Example")
})

test("a reservation is judged by its organization's clock, which may be ahead or stand still", async () => {
  const api = await makeApi({ environment: "sandbox" })
  const id = await api.book({ order_number: "B-2" })
  await report(api, id, "INBOUND", { eta: iso(api.now() + 5 * MINUTE_MS) })
  const before = await boardOf(api)
  expect(before.reservations[0]).toMatchObject({ is_late: false, clock_at: before.at, clock_stands: false })

  const moved = await api.call("POST", "/sandbox/v1/clock/advance", { body: { by: "PT6M" } })
  expect(moved.status).toBe(200)
  const ahead = await boardOf(api)
  const clockMs = Date.parse(String(ahead.reservations[0]?.["clock_at"]))
  expect(clockMs - Date.parse(ahead.at)).toBeGreaterThan(5.9 * MINUTE_MS)
  expect(ahead.reservations[0]).toMatchObject({ column: "trouble", trouble: "bot_late", is_late: true })
  expect(stallOf(ahead, ahead.reservations[0]?.stall_id)).toMatchObject({ state: "late" })

  await api.call("POST", "/sandbox/v1/clock/freeze")
  await api.advance(MINUTE_MS)
  const frozen = await boardOf(api)
  expect(frozen.reservations[0]).toMatchObject({ clock_stands: true })
  expect(Date.parse(frozen.at) - Date.parse(ahead.at)).toBeGreaterThanOrEqual(MINUTE_MS)
  expect(Date.parse(String(frozen.reservations[0]?.["clock_at"])) - clockMs).toBeLessThan(SECOND_MS)
})

test("a run is judged by the clock of its organization, and its vehicle by real time", async () => {
  const shop = await openShop("sandbox")
  const { api, site } = shop
  await created(shop)
  const runOf = async () => {
    const { board } = (await api.operate("GET", `/sites/${site}/board`)).data
    return (board as Board & { vehicles: readonly { run: SeenRun | null }[] }).vehicles[0]?.run
  }
  await api.call("POST", "/sandbox/v1/clock/advance", { body: { by: "PT40M" } })
  const run = await runOf()
  const { delivery } = (await api.operate("GET", `/deliveries/${run?.delivery_id}`)).data
  const { at, ...read } = delivery as SeenRun & { readonly at: string }
  expect(Date.parse(read.clock_at) - Date.parse(at)).toBeGreaterThan(39.9 * MINUTE_MS)
  expect(run).toMatchObject({ clock_at: read.clock_at, clock_stands: false })
  // The order was to be ready half an hour before: what is expected is still to come.
  expect(Date.parse(run?.arrives_from ?? "")).toBeGreaterThanOrEqual(Date.parse(read.clock_at) - MINUTE_MS)
  expect(run?.estimated_delivery_at).toBe(read.estimated_delivery_at)

  await api.call("POST", "/sandbox/v1/clock/freeze")
  expect(await runOf()).toMatchObject({ clock_stands: true })
})

interface SeenRun {
  readonly delivery_id: string
  readonly clock_at: string
  readonly arrives_from: string
  readonly estimated_delivery_at: string
}

test("NOT_FOUND for boards, timelines and contacts of the other environment", async () => {
  const api = await makeApi({ environment: "sandbox" })
  for (const path of [`/sites/no-site/board`, "/reservations/res_none/timeline"])
    expect((await api.operate("GET", path)).status).toBe(404)
  expect((await api.operate("POST", "/reservations/res_none/contact")).status).toBe(404)
  expect((await api.operate("GET", `/sites/${EAST}/board`, { key: api.key })).status).toBe(401)
})

test("search finds by order number, id and last four digits, page by page, and shows no name and no number", async () => {
  const api = await makeApi()
  const id = await api.book({ order_number: "Order 77%" })
  await api.advance(SECOND_MS)
  const other = await api.book({ order_number: "order 77%", end_user_phone: "+15125554321" })
  const find = async (q: string, more = "") => api.operate("GET", `/search?q=${encodeURIComponent(q)}${more}`)
  const idsOf = async (q: string) =>
    ((await find(q)).data["results"] as readonly { readonly id: string }[]).map((one) => one.id)
  expect(await idsOf("ORDER 77%")).toEqual([other, id])
  expect(await idsOf("order 7%")).toEqual([])
  expect(await idsOf(id)).toEqual([id])
  expect(await idsOf("4321")).toEqual([other])
  const [row] = (await find(" 4321 ")).data["results"] as readonly object[]
  expect(row).toMatchObject({
    kind: "reservation",
    site_id: EAST,
    phone_last_four: "4321",
    status: "confirmed",
  })
  expect(JSON.stringify(row)).not.toMatch(/Ada|512555/)
  const { data } = await step(api, id, "contact")
  expect(data["contact"]).toEqual({ end_user_name: "Ada Example", end_user_phone: "+15125550100" })
  for (const hostile of ["' or 1=1 --", "%", "_", "\\", "$1", "0000", "\u{1f600}", "a".repeat(100)])
    expect(await idsOf(hostile)).toEqual([])
  for (const refused of ["", " ", "a".repeat(101)]) expect((await find(refused)).status).toBe(400)
  expect((await find("x", "&cursor=abc")).status).toBe(400)
  expect((await find("x", "&q=y")).status).toBe(400)
  for (let count = 0; count < 20; count += 1) await api.book({ order_number: "order 77%" })
  const first = await find("order 77%")
  expect(first.data["results"]).toHaveLength(20)
  const second = await find("order 77%", `&cursor=${String(first.data["next_cursor"])}`)
  const ids = [first, second].flatMap((page) => page.data["results"] as readonly { readonly id: string }[])
  expect(new Set(ids.map((one) => one.id)).size).toBe(22)
  expect(second.data["next_cursor"]).toBeNull()
})
