/** Which groups the page of a group lists beside it, over HTTP and in a browser: of its order, its webhooks, and back. */

import { sql } from "drizzle-orm"
import { Context, Effect } from "effect"
import type { FastifyInstance } from "fastify"
import type { AddressInfo } from "node:net"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import type { RelatedGroup, RelatedGroups } from "../../../src/model/related-groups.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { openPage, problemsIn, startChromium } from "../../browser/chromium.ts"
import { SANDBOX_SITE, north } from "../../conformance/delivery-world.ts"
import { booked, partner, reservations, sandboxPartner, subscribe } from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { liveHarnesses } from "../../conformance/live-harnesses.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { inspectedHost, madeToken } from "./service.ts"

const { make, context } = liveHarnesses(async () => layerCopiedPglite)
const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)

let browser: Browser
let h: LiveHarness
let app: FastifyInstance
let token: string
let cookie: string

beforeAll(async () => {
  browser = await startChromium()
})
beforeEach(async () => {
  h = make()
  app = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1" })
  token = (await madeToken(h, "sandbox")).value
  const signed = await app.inject({
    method: "POST",
    url: "/inspect/sign-in",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ token, to: "/inspect" }).toString(),
  })
  cookie = String(signed.headers["set-cookie"]).split(";")[0] ?? ""
  await subscribe(h, { caller: sandboxPartner })
})
afterEach(() => app.close())
afterAll(() => browser.close())

async function answerOf(address: string, as = cookie) {
  const url = `/inspect/groups/${address}/related`
  const { statusCode: status, body, headers } = await app.inject({ url, headers: { cookie: as } })
  return { status, headers, ...(JSON.parse(body) as { readonly data?: RelatedGroups }) }
}

async function related(address: string): Promise<readonly RelatedGroup[]> {
  const { status, data } = await answerOf(address)
  expect(status, address).toBe(200)
  return data?.groups ?? []
}

/** A reservation with two webhooks. */
async function reserved(): Promise<string> {
  const id = await booked(h, { order_number: "1187" }, sandboxPartner)
  await h.run(reservations.cancel(sandboxPartner, id))
  return `reservation/${id}`
}

test("a reservation leads to its webhooks by the types of their events, and each of them back to it", async () => {
  const own = await reserved()
  const other = await booked(h, { order_number: "1188" }, sandboxPartner)
  const sent = await related(own)
  expect(sent.length).toBeGreaterThan(1)
  for (const one of sent) {
    expect(one).toMatchObject({
      group: expect.stringMatching(/^webhook-delivery\//),
      order_number: "1187",
      event_type: expect.stringMatching(/^reservation\./),
      states: ["sending"],
      is_settled: false,
      is_stuck: false,
    })
    expect(await related(one.group)).toEqual([
      expect.objectContaining({ group: own, order_number: "1187", event_type: null, states: ["canceled"] }),
    ])
  }
  const ofOther = (await related(`reservation/${other}`)).map(({ group }) => group)
  expect(ofOther).toHaveLength(1)
  expect(sent.map(({ group }) => group)).not.toContain(ofOther[0])
})

test("a delivery leads to its vehicle, its compartment and its webhooks, and they lead back", async () => {
  const vehicle = { vehicleId: "veh_s", fleetId: "fleet_sandbox", environment: "sandbox" } as const
  await h.run(vehicles.register({ ...vehicle, label: "S", isSynthetic: true, isOnline: true }))
  await h.run(
    deliveries.quote(sandboxPartner, SANDBOX_SITE, {
      external_delivery_id: "order-7",
      customer: { phone: "+15125550123", first_name: "Ada" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: north(2_000),
      ready_by: h.now() + 10 * MINUTE_MS,
      order_items: [{ name: "Milk", quantity: 2 }],
    }),
  )
  await h.run(deliveries.create(sandboxPartner, SANDBOX_SITE, { external_delivery_id: "order-7" }))
  const list = await app.inject({ url: "/inspect?kind=delivery", headers: { cookie } })
  const own = /\/inspect\/groups\/(delivery\/[^"]+)/.exec(list.body)?.[1] ?? ""
  const groups = await related(own)
  expect(groups.map(({ group }) => group)).toContain("vehicle/veh_s")
  expect((await related("vehicle/veh_s")).map(({ group }) => group)).toContain(own)
  for (const { group } of groups) expect((await related(group)).map((one) => one.group)).toContain(own)
})

test("only a signed-in administrator sees them, only of the own environment", async () => {
  const own = await reserved()
  expect((await answerOf(own, "")).status).toBe(401)
  const foreign = await booked(h, {}, partner)
  expect((await answerOf(`reservation/${foreign}`)).status).toBe(404)
  expect((await answerOf("reservation/res_none")).status).toBe(404)
  const { data, headers } = await answerOf(own)
  expect(headers["cache-control"]).toContain("no-store")
  expect(data?.is_full).toBe(false)
})

test("the first failure of a group that a fault has stopped is its last entry", async () => {
  const own = await reserved()
  const stop = async (reason: string | null): Promise<void> => {
    const { orm } = Context.get(await context(), Database)
    await orm.execute(sql`update groups set stopped_because = ${reason} where address = ${own}`)
  }
  await app.listen({ host: "127.0.0.1", port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const { page, close } = await openPage(browser, origin)
  await page.goto(`${origin}/inspect/groups/${own}`)
  await page.getByLabel("Operator token").fill(token)
  await page.keyboard.press("Enter")
  const button = page.getByRole("button", { name: "First failure" })
  await button.waitFor()
  expect(await button.isDisabled()).toBe(true)
  await stop("a fault")
  await page.locator("#stuck").waitFor()
  const last = (await page.locator("#place").textContent()) ?? ""
  await page.keyboard.press("Home")
  await page.getByText("paused, 1 newer").waitFor()
  await button.click()
  await page.getByText(last.trim()).waitFor()
  await close()
  await stop(null)
})

test("from a reservation to one of its webhooks and back are two actions, and states change while the page is open", async () => {
  const own = await reserved()
  await app.listen({ host: "127.0.0.1", port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const opened = await openPage(browser, origin)
  const { page } = opened
  await page.goto(`${origin}/inspect/groups/${own}`)
  await page.getByLabel("Operator token").fill(token)
  await page.keyboard.press("Enter")
  const list = page.locator("#related")
  const webhook = list.getByRole("link", { name: "webhook delivery reservation.status_changed" })
  await webhook.filter({ hasText: "sending" }).first().waitFor()
  expect(await page.locator("#name").textContent()).toMatch(/^Reservation · order 1187 · res_\S+…/)
  expect(await problemsIn(page)).toEqual([])
  await h.advance(1_000)
  await webhook.filter({ hasText: "delivered" }).first().click()
  await page.waitForURL(/webhook-delivery/)
  // What its journal does not have: the event and the order.
  await page.getByText("Webhook delivery · reservation.status_changed · order 1187").waitFor()
  await page.locator("#log").getByText("reservation.status_changed: 200").waitFor()
  await page.locator("#log").getByText("reservation.status_changed is sent").waitFor()
  expect(await page.locator(".cause-group").first().textContent()).toContain("order 1187")
  await list.getByRole("link", { name: "reservation order 1187 canceled" }).click()
  await page.waitForURL((url) => url.pathname.endsWith(own))
  expect([opened.strayed, opened.complaints.filter((one) => !one.includes("401"))]).toEqual([[], []])
  await opened.close()
})
