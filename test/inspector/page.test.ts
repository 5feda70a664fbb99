/** The inspector of the running service in a browser: from signing in to a record that replays, on a real port. */

import type { FastifyInstance } from "fastify"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { program } from "../../src/simulation/program.ts"
import { replayRecord } from "../../src/simulation/replay.ts"
import { layerPglite } from "../../src/store/database.ts"
import { openPage, problemsIn, startChromium } from "../browser/chromium.ts"
import type { OpenedPage } from "../browser/chromium.ts"
import { booked, reservations, sandboxPartner } from "../conformance/harness.ts"
import type { LiveHarness } from "../conformance/live.ts"
import { liveHarnesses } from "../conformance/live-harnesses.ts"
import { inspectedHost, madeToken } from "./service.ts"

const { make } = liveHarnesses(async () => layerPglite("memory"))

let browser: Browser
let h: LiveHarness
let app: FastifyInstance
let origin: string
let token: string
let id: string

beforeAll(async () => {
  browser = await startChromium()
})
beforeEach(async () => {
  h = make()
  app = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1" })
  await app.listen({ host: "127.0.0.1", port: 0 })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  token = (await madeToken(h, "sandbox")).value
  id = await booked(h, {}, sandboxPartner)
})
afterEach(() => app.close())
afterAll(() => browser.close())

/** Signs in on the way to a page. */
async function enter(opened: OpenedPage, path: string): Promise<Page> {
  const { page } = opened
  await page.goto(`${origin}${path}`)
  await page.getByLabel("Operator token").fill(token)
  await page.keyboard.press("Enter")
  await page.getByText("signed in with the token").or(page.locator("#following")).first().waitFor()
  return page
}

const group = (): string => `/inspect/groups/reservation/${id}`
const playhead = (page: Page): Promise<string | null> => page.locator("#place").textContent()

describe("the page of a group", () => {
  test("is found by its state, followed while the playhead is at its end, and left alone when it is not", async () => {
    const other = await booked(h, { order_number: "A-1002" }, sandboxPartner)
    await h.run(reservations.cancel(sandboxPartner, other))
    const opened = await openPage(browser, origin)
    const page = await enter(opened, "/inspect")
    await page.getByLabel("State").fill("confirmed")
    await page.getByRole("button", { name: "Filter" }).click()
    await page.waitForURL(/state=confirmed/)
    expect(await page.locator("tbody tr").count()).toBe(1)
    await page.getByRole("link", { name: id }).click()
    await page.getByText("● live").waitFor()
    expect(await playhead(page)).toBe("entry 1 of 1")

    const report = (status: "ARRIVED" | "INBOUND" | "READY_FOR_HANDOFF") =>
      h.run(reservations.reportBot(sandboxPartner, id, { status }))
    await report("INBOUND")
    await page.getByText("entry 2 of 2").waitFor()
    await page.keyboard.press("Home")
    await page.getByText("entry 1 of 2").waitFor()
    await report("ARRIVED")
    await page.getByRole("button", { name: "paused, 2 newer: follow" }).waitFor()
    expect(await playhead(page)).toBe("entry 1 of 3")
    await page.keyboard.press("Escape")
    await report("READY_FOR_HANDOFF")
    await page.getByText("entry 4 of 4").waitFor()
    expect(await page.locator(`[data-actor="reservation/${id}/bot"]`).getAttribute("data-state")).toBe(
      "underway.ready",
    )
    expect([opened.strayed, opened.complaints.filter((one) => !one.includes("401"))]).toEqual([[], []])
    await opened.close()
  })

  test("sends an event that the state accepts, says what became of it, and gives a record that replays", async () => {
    const opened = await openPage(browser, origin, { acceptDownloads: true })
    const page = await enter(opened, group())
    await page.locator(`[data-actor="reservation/${id}/bot"]`).click()
    const events = await page.locator("#send select").first().locator("option").allTextContents()
    expect(events).toEqual([
      "bot.aborted",
      "bot.arrived",
      "bot.departed",
      "bot.inbound",
      "bot.ready",
      "bot.secured",
      "reservation.ended",
    ])
    await page.locator("#send").getByLabel("Event").selectOption("bot.arrived")
    await page.locator("#send").getByLabel("occurredAtMs").fill(new Date(h.now()).toISOString())
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("bot.arrived: taken").waitFor()
    await page.getByText("entry 2 of 2").waitFor()
    // What the state refuses is not offered: the bot does not go back.
    expect(await page.locator("#send select").first().locator("option").allTextContents()).not.toContain(
      "bot.inbound",
    )
    await page.locator("#send").getByLabel("Event").selectOption("bot.ready")
    await page.locator("#send").getByLabel("occurredAtMs").fill("yesterday")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("occurredAtMs must be an RFC 3339 time").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the record" }).click(),
    ])
    const record = readFileSync(await download.path(), "utf8")
    expect(replayRecord(record, program)).toMatchObject({ difference: null, entries: 2 })
    await page.getByRole("link", { name: "Groups" }).click()
    await page.getByRole("link", { name: "Sent events" }).click()
    expect(await page.locator("tbody tr").allTextContents()).toEqual([expect.stringContaining("bot.arrived")])
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Operator token").waitFor()
    expect(opened.strayed).toEqual([])
    await opened.close()
  })

  test("says when the service is away or the session has ended, and keeps what it shows", async () => {
    const opened = await openPage(browser, origin)
    const page = await enter(opened, group())
    await opened.page.context().clearCookies()
    await page.getByText("The session has ended").waitFor()
    expect(await playhead(page)).toBe("entry 1 of 1")
    await app.close()
    await page.getByText("The service is away").waitFor()
    expect(await playhead(page)).toBe("entry 1 of 1")
    await opened.close()
  })
})

describe("axe finds nothing", () => {
  test.each(["light", "dark"] as const)(
    "in %s, wide and narrow, and nothing scrolls sideways",
    async (colorScheme) => {
      const opened = await openPage(browser, origin, { colorScheme })
      const { page } = opened
      const look = async (): Promise<void> => {
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 })
          const where = `${await page.title()} ${colorScheme} ${width}`
          expect(await problemsIn(page), where).toEqual([])
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where).toBe(true)
        }
      }
      await page.goto(`${origin}/inspect`)
      await look()
      await enter(opened, "/inspect")
      await look()
      await page.goto(`${origin}/inspect/audit`)
      await look()
      await page.goto(`${origin}${group()}`)
      await page.locator("#send").waitFor()
      await look()
      await opened.close()
    },
  )
})
