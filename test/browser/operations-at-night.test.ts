/**
 * Operations when something is off: a computer with a wrong clock, an overloaded service, a dialog that stays open, two people at
 * one request, a wall that has to call people to a customer's door.
 */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { boardOver } from "./board-service.ts"
import { fullBoard } from "./board-states.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"

/** A bound against hanging. */

let browser: Browser
let service: ServiceProcess

const { openBoard, booked, operate } = boardOver(
  () => browser,
  () => service,
)

beforeAll(async () => {
  browser = await startChromium()
  service = await startProcess(preparedDataFolder(), undefined, { words: ["--fleet-speed", "off"] })
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

/** The browser's clock, from the next load on. */
async function withClockAhead(page: Page, ms: number): Promise<void> {
  await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${ms} }`)
  await page.reload()
}

test("a code that pairs a phone is shown on a computer whose clock is ten minutes ahead", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("button", { name: "Pair a phone" }).waitFor()
  await withClockAhead(page, 10 * MINUTE_MS)
  await page.getByRole("button", { name: "Pair a phone" }).click()
  await page.getByLabel("Runner's name").fill("Maya R.")
  await page.getByRole("button", { name: "Show the code" }).click()
  await page.getByText(/^It works once|It works once, for/).waitFor()
  await page.getByRole("img", { name: "Code that pairs the phone of Maya R." }).waitFor()
  expect(await page.getByText(/is over\. Make a new one/).count()).toBe(0)
  await close()
})

test("an order is held for minutes from the press, by the service's clock", async () => {
  const id = await booked("N-1")
  await operate("POST", `/reservations/${id}/runner`, { runner_id: "run_1" })
  await operate("POST", `/reservations/${id}/at-store`)
  const { page, close } = await openBoard(`?reservation=${id}`)
  await page.getByRole("button", { name: "Hold…" }).waitFor()
  await withClockAhead(page, 60 * MINUTE_MS)
  await page.getByRole("button", { name: "Hold…" }).click()
  await page.getByLabel("Ready in").selectOption("10")
  const pressedMs = Date.now()
  await page.getByRole("button", { name: "Hold the order" }).click()
  await page.getByText("The order is held").waitFor()
  const { body } = await operate("GET", `/reservations/${id}`)
  const { handoff } = body.data.reservation as unknown as { handoff: { ready_estimate: string } }
  const distanceMs = Date.parse(handoff.ready_estimate) - pressedMs - 10 * MINUTE_MS
  expect(Math.abs(distanceMs)).toBeLessThan(5 * MINUTE_MS)
  await close()
  await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
})

test("the drawer says that its moves may be old when it cannot be read again, and reads them once it can", async () => {
  const id = await booked("N-2")
  const { page, close } = await openBoard(`?reservation=${id}`)
  await page.getByRole("button", { name: "Give to…" }).waitFor()
  const path = new RegExp(`/internal/v1/reservations/${id}$`)
  await page.route(path, (route) =>
    route.fulfill({ status: 503, json: { error: "the service is busy", code: "OVERLOADED" } }),
  )
  await operate("POST", `/reservations/${id}/runner`, { runner_id: "run_1" })
  await page.getByText(/may be of before/).waitFor()
  await look(page, "a drawer with old moves")
  await page.unroute(path)
  await page
    .getByRole("button", { name: "Hold…" })
    .or(page.getByRole("button", { name: "More" }))
    .first()
    .waitFor()
  await expect.poll(() => page.getByRole("button", { name: "Give to…" }).count()).toBe(0)
  await page.getByText(/may be of before/).waitFor({ state: "detached" })
  await close()
  await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
})

test("a wall calls people to a compartment that did not open, and a free stall says on which day it is taken", async () => {
  const { page, close } = await openBoard("/kiosk")
  await page.getByRole("list", { name: "Stalls" }).waitFor()
  await page.route("**/board", (route) => {
    const nowMs = Date.now()
    const board = fullBoard(nowMs)
    const inThreeDays = new Date(nowMs + 3 * 24 * 60 * MINUTE_MS).toISOString()
    const zones = board.zones.map((zone) => ({
      ...zone,
      stalls: zone.stalls.map((stall) => (stall.label === "A3" ? { ...stall, at: inThreeDays } : stall)),
    }))
    return route.fulfill({ json: { data: { board: { ...board, zones } } } })
  })
  await page.reload()
  const troubles = page.getByRole("list", { name: "Needs help" })
  await troubles.getByText("Compartment did not open").waitFor()
  await troubles.getByText("Order 5517").waitFor()
  expect(await troubles.getByRole("listitem").count()).toBe(3)
  await page
    .getByText(/^until (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d/)
    .first()
    .waitFor()
  await look(page, "a wall with a compartment")
  await close()
})

test("in the sandbox a list and a drawer say times that hold after a move of the organization's clock", async () => {
  const { sandbox } = service.access
  const asked = booking(sandbox, "http://127.0.0.1:9/open", "N-3")
  await call(sandbox, "POST", "/sandbox/v1/clock/advance", { by: "PT12M" })
  const { body } = await call(sandbox, "POST", "/rs/v1/reservations", asked)
  const id = body.data.reservation.reservation_id
  const { page, close } = await openPage(browser, service.urls.sandbox)
  await page.goto(`${service.urls.sandbox}/ops/lists/reservations`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(sandbox.operator_token)
  await page.getByRole("button", { name: "Sign in" }).click()
  const row = page.getByRole("row").filter({ hasText: "N-3" })
  const updated = row.getByRole("cell").last()
  await expect.poll(() => updated.textContent()).toMatch(/\d\d:\d\d C[SD]T$/)

  await page.goto(`${service.urls.sandbox}/ops/sites/${sandbox.site_id}?reservation=${id}`)
  await page.getByText(/^The organization's says .*, 12 min ahead$/).waitFor()
  await page.getByText(/^since .*, \d+ s ago$/).waitFor()
  await look(page, "a drawer of a moved clock")

  const site = { "x-retailer-id": sandbox.site_id }
  const ordered = {
    external_delivery_id: "N-4",
    customer: { phone: "+15125550123", first_name: "Dana", last_name: "R." },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: { latitude: 30.41, longitude: -97.72 },
    ready_by: new Date(Date.now() + 22 * MINUTE_MS).toISOString(),
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await call(sandbox, "POST", "/dd/v1/deliveries/quote", ordered, site)
  await call(sandbox, "POST", "/dd/v1/deliveries", { external_delivery_id: "N-4" }, site)
  const operator = { ...sandbox, api_key: sandbox.operator_token }
  const found = await call(operator, "GET", "/internal/v1/deliveries?q=N-4")
  const [delivery] = found.body.data["deliveries"] as readonly { readonly delivery_id: string }[]
  await page.goto(`${service.urls.sandbox}/ops/sites/${sandbox.site_id}?delivery=${delivery?.delivery_id}`)
  await page.getByRole("heading", { name: "Delivery N-4" }).waitFor()
  await page.getByText(/^The organization's says .*, 12 min ahead$/).waitFor()
  await close()
})

const CASE = {
  request_id: "acc_1",
  organization_id: "org_1",
  organization_name: "Lunchbox",
  requested_at: new Date(Date.now() - 60 * MINUTE_MS).toISOString(),
  due_at: new Date(Date.now() + 60 * MINUTE_MS).toISOString(),
  is_overdue: false,
  status: "pending",
  decided_at: null,
  decided_by: null,
  reason: null,
  sites: [],
  site_ids: [],
  asked_by: null,
  steps: [],
}

test("a request that a colleague declined meanwhile says so instead of offering Approve again", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("button", { name: "Pair a phone" }).waitFor()
  let isDecided = false
  const declined = {
    ...CASE,
    status: "declined",
    decided_at: new Date().toISOString(),
    decided_by: "Bo B.",
    reason: "no phone",
  }
  await page.route(/\/internal\/v1\/access-requests/, (route) => {
    const url = route.request().url()
    if (url.endsWith("/decision")) {
      isDecided = true
      const refusal = { error: "the request is declined", code: "INVALID_STATE", request_id: "r" }
      return route.fulfill({ status: 409, json: refusal })
    }
    if (url.endsWith("/acc_1")) {
      return route.fulfill({ json: { data: { access_request: isDecided ? declined : CASE } } })
    }
    const isOfDecided = url.includes("status=decided")
    const listed = isOfDecided === isDecided ? [isDecided ? declined : CASE] : []
    return route.fulfill({ json: { data: { access_requests: listed } } })
  })
  await page.goto(`${service.urls.production}/ops/approvals/acc_1`)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByText(/^Declined by Bo B\./).waitFor()
  await expect.poll(() => page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0)
  await close()
})

test("a request with a name and a street of one long word is no wider than a phone", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("button", { name: "Pair a phone" }).waitFor()
  const word = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
  const site = {
    name: word,
    address: { street: word, city: "Austin", state: "TX", zip: "78758" },
    timezone: "America/Argentina/ComodRivadavia",
    expected_deliveries_per_day: 12_000,
  }
  const asked = { ...CASE, organization_name: word, sites: [site] }
  await page.route(/\/internal\/v1\/access-requests/, (route) => {
    const url = route.request().url()
    if (url.endsWith("/acc_1")) return route.fulfill({ json: { data: { access_request: asked } } })
    const listed = url.includes("status=decided") ? [] : [asked]
    return route.fulfill({ json: { data: { access_requests: listed } } })
  })
  await page.goto(`${service.urls.production}/ops/approvals/acc_1`)
  await page.getByRole("heading", { name: "Sites wanted" }).waitFor()
  await look(page, "a request with long words")
  expect(await page.getByRole("rowheader").first().textContent()).toContain(word)
  await close()
})

test("the page of an errand follows its vehicle, and its handover has a time for people", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("button", { name: "Pair a phone" }).waitFor()
  let state = "en_route_to_store"
  const readyAt = new Date(Date.now() + 30 * SECOND_MS).toISOString()
  const party = { street: "1 River Road", city: "Austin", zip: "78758" }
  await page.route(/\/connector\/errands\/dlv_1$/, (route) =>
    route.fulfill({
      json: {
        data: { errand: { delivery_id: "dlv_1", state, failure_reason: null, payment_status: "captured" } },
      },
    }),
  )
  await page.route(/\/connector\/errands\/dlv_1\/handover$/, (route) =>
    route.fulfill({
      json: {
        data: {
          handover: {
            delivery_id: "dlv_1",
            state,
            store: { name: "Lunchbox", ...party },
            pickup_time: "at_time",
            ready_at: readyAt,
            order_number: "7",
            pickup_code: null,
            items: [],
            check_in: { method: "order_page", url: null, phone: null, instructions: null },
            requirements: ["id_required", "name_must_match"],
            requirements_notes: null,
            dropoff: { ...party, unit: null, notes: null },
            customer: null,
            notes: [],
            cancel_reason: null,
          },
        },
      },
    }),
  )
  await page.goto(`${service.urls.production}/ops/errands/dlv_1`)
  await page.getByRole("heading", { name: "The errand is en route to store." }).waitFor()
  await page.getByRole("button", { name: "Show the handover" }).click()
  await page
    .getByText(/ready today \d\d:\d\d/)
    .or(page.getByText(/ready \d+ \w+ \d\d:\d\d/))
    .first()
    .waitFor()
  expect(await page.getByText(readyAt).count()).toBe(0)
  await page.getByText("order page").waitFor()
  await page.getByText("id required, name must match").waitFor()
  state = "loaded"
  await page.getByRole("heading", { name: "The errand is loaded." }).waitFor()
  await close()
})
