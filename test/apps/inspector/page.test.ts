/** The inspector of the running service in a browser: from signing in to a record that replays, on a real port. */

import { sql } from "drizzle-orm"
import { Context } from "effect"
import type { FastifyInstance } from "fastify"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { durationText } from "../../../src/pages/inspection/durations.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { openPage, startChromium, tabTo } from "../../browser/chromium.ts"
import { lookInEachView } from "../../browser/look.ts"
import type { OpenedPage } from "../../browser/chromium.ts"
import { booked, reservations, sandboxPartner, subscribe } from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { liveHarnesses } from "../../conformance/live-harnesses.ts"
import { inspectedHost, madeToken } from "./service.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

const { make, context } = liveHarnesses(async () => layerCopiedPglite)

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

/** The header and the chart of each registered machine. */
const LINES_BEFORE = registeredMachines().length
const group = (): string => `/inspect/groups/reservation/${id}`
/** The playhead's time and when the first armed timer is due, as the page shows them. Unit: ms of the day at the site. */
async function firstTimer(page: Page): Promise<{ readonly t: number; readonly due: number }> {
  const [t, due] = await Promise.all([
    page.locator("#clock").textContent(),
    page.locator("#timers li").first().textContent(),
  ])
  return { t: msOf(t), due: msOf(due) }
}

function msOf(text: string | null): number {
  const [, hours, minutes, seconds] = /(\d\d):(\d\d):(\d\d(?:\.\d{3})?)$/.exec(text ?? "") ?? []
  return Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS
}

const playhead = async (page: Page): Promise<string> =>
  ((await page.locator("#place").textContent()) ?? "").trim()

/** `entry 22 of 23`: entries have the numbers of their lines in the record, of which the charts are the first. */
function entry(revision: number, last: number): string {
  return `entry ${LINES_BEFORE + revision} of ${LINES_BEFORE + last}`
}

async function chooseActor(page: Page, address: string): Promise<void> {
  await page.getByRole("button", { name: "Actors", exact: true }).click()
  await page.locator(`[data-actor="${address}"]`).click()
}

describe("the page of a group", () => {
  test("is found by its state, followed while the playhead is at its end, and left alone when it is not", async () => {
    const other = await booked(h, { order_number: "A-1002" }, sandboxPartner)
    await h.run(reservations.cancel(sandboxPartner, other))
    const opened = await openPage(browser, origin)
    const page = await enter(opened, "/inspect")
    expect(await page.locator(".counts li").allTextContents()).toEqual(["reservation 1 open"])
    await page.getByLabel("Id", { exact: true }).fill(other.slice(-6))
    await page.getByLabel("Settled ones, too").check()
    await page.getByRole("button", { name: "Filter" }).click()
    await page.waitForURL(/id=/)
    expect(await page.locator("tbody tr").allTextContents()).toEqual([expect.stringContaining(other)])
    await page.getByLabel("Id", { exact: true }).fill("")
    await page.getByLabel("State").fill("confirmed")
    await page.getByRole("button", { name: "Filter" }).click()
    await page.waitForURL(/state=confirmed/)
    expect(await page.locator("tbody tr").count()).toBe(1)
    expect(await page.locator("tbody time").last().textContent()).toMatch(/^\d+ s ago$/)
    await page.getByRole("link", { name: /^Reservation · order/ }).click()
    await page.getByText("● live").waitFor()
    expect(await page.getByRole("region", { name: "Environment" }).locator(".badge").textContent()).toBe(
      "SANDBOX",
    )
    expect(await playhead(page)).toBe(entry(1, 1))

    const report = (status: "ARRIVED" | "INBOUND" | "READY_FOR_HANDOFF") =>
      h.run(reservations.reportBot(sandboxPartner, id, { status }))
    await report("INBOUND")
    await page.getByText(entry(2, 2)).waitFor()
    await page.keyboard.press("Home")
    await page.getByText(entry(1, 2)).waitFor()
    await report("ARRIVED")
    await page.getByRole("button", { name: "paused, 2 newer: follow" }).waitFor()
    expect(await playhead(page)).toBe(entry(1, 3))
    const begun = msOf(await page.locator("#clock").textContent())
    await page.keyboard.press("Escape")
    await report("READY_FOR_HANDOFF")
    await page.getByText(entry(4, 4)).waitFor()
    // A fault leaves no entry, but is shown.
    await Context.get(await context(), Database).orm.execute(
      sql`update groups set stopped_because = 'a machine threw' where address = ${`reservation/${id}`}`,
    )
    await page.getByText("✖ stuck: a machine threw").waitFor()
    // Nothing happens any more, and time goes on: by the service's clock, not the page's.
    const { t, due } = await firstTimer(page)
    await page
      .locator("#timers")
      .getByText(`in ${durationText(due - t)}`)
      .waitFor()
    const later = async (ms: number): Promise<void> => {
      await h.standAt(h.now() + ms)
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    }
    await later(due - t - 1_000)
    await page.locator("#timers").getByText("in 1s").waitFor()
    await later(3_000)
    await page.locator("#timers").getByText("late by 2s").waitFor()
    const sinceTheStart = durationText(due - begun + 2_000)
    expect(await page.locator("#moment .facts").textContent()).toContain(`(${sinceTheStart})`)
    expect(await page.locator("#chart .is-leaf .dwell").allTextContents()).toContain(sinceTheStart)
    expect(await playhead(page)).toBe(entry(4, 4))
    // An earlier moment is shown as of then.
    await page.keyboard.press("Home")
    await page.getByText(entry(1, 4)).waitFor()
    expect(await page.locator("#timers").textContent()).toContain(`in ${durationText(due - begun)}`)
    await page.keyboard.press("Escape")
    await page.getByText(entry(4, 4)).waitFor()
    await page.getByRole("button", { name: "Actors", exact: true }).click()
    expect(await page.locator(`[data-actor="reservation/${id}/bot"]`).getAttribute("data-state")).toBe(
      "underway.ready",
    )
    expect([opened.strayed, opened.complaints.filter((one) => !one.includes("401"))]).toEqual([[], []])
    await opened.close()
  })

  test("leads from a webhook's delivery to the turn of the reservation that published the event", async () => {
    await subscribe(h, { caller: sandboxPartner })
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "INBOUND" }))
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "ARRIVED" }))
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "READY_FOR_HANDOFF" }))
    const opened = await openPage(browser, origin)
    const page = await enter(opened, "/inspect?kind=webhook-delivery&settled=1")
    await page.locator("tbody").getByRole("link").first().click()
    await page.getByText("● live").waitFor()
    await page.keyboard.press("Home")
    await page.getByText("A turn of another group led to it").waitFor()
    const link = page.locator("#why a")
    const [, revision] = /^reservation\/\S+, revision (\d+)$/.exec((await link.textContent()) ?? "") ?? []
    expect(await link.getAttribute("title")).toBe(`reservation/${id}`)
    await link.click()
    await page.getByText(entry(Number(revision), 4)).waitFor()
    expect(new URL(page.url()).pathname).toBe(group())
    // The turn there is the one that published the event.
    expect(await page.locator("#why li").first().textContent()).toMatch(/bot\.(inbound|arrived|ready)/)
    expect([opened.strayed, opened.complaints.filter((one) => !one.includes("401"))]).toEqual([[], []])
    await opened.close()
  })

  test("sends an event that the state accepts, says what became of it, and gives a record that replays", async () => {
    const opened = await openPage(browser, origin, { acceptDownloads: true })
    const page = await enter(opened, group())
    await chooseActor(page, `reservation/${id}/bot`)
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
    await page.getByText(entry(2, 2)).waitFor()
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

  test("a whole session is done by keyboard alone: in, to an actor, an event sent, back, and out", async () => {
    const opened = await openPage(browser, origin)
    const { page } = opened
    const { keyboard } = page
    await page.goto(`${origin}/inspect`)
    await tabTo(page, "Operator token")
    await keyboard.type(token)
    await keyboard.press("Enter")
    await page.getByText("signed in with the token").waitFor()
    await tabTo(page, "State")
    await keyboard.type("confirmed")
    await keyboard.press("Enter")
    await page.waitForURL(/state=confirmed/)
    await tabTo(page, /^Reservation · order/)
    await keyboard.press("Enter")
    await page.getByText("● live").waitFor()
    await tabTo(page, /underway/)
    await keyboard.press("Enter")
    await tabTo(page, /^Event/)
    await keyboard.type("bot.arrived")
    await tabTo(page, /^occurredAtMs/)
    await keyboard.press("Control+A")
    await keyboard.type(new Date(h.now()).toISOString())
    await keyboard.press("Enter")
    await page.getByText("bot.arrived: taken").waitFor()
    await page.getByText(entry(2, 2)).waitFor()
    await tabTo(page, "Playhead")
    await keyboard.press("PageDown")
    await page.getByText(entry(1, 2)).waitFor()
    await tabTo(page, /^❚❚ paused/)
    await keyboard.press("Enter")
    await page.getByText("● live").waitFor()
    await tabTo(page, "Groups")
    await keyboard.press("Enter")
    await page.getByRole("heading", { name: "Groups" }).waitFor()
    await tabTo(page, "Sent events")
    await keyboard.press("Enter")
    await page.getByText("bot.arrived").waitFor()
    await tabTo(page, "Sign out")
    await keyboard.press("Enter")
    await page.getByLabel("Operator token").waitFor()
    expect([opened.strayed, opened.complaints.filter((one) => !one.includes("401"))]).toEqual([[], []])
    await opened.close()
  })

  test("says when the service is away or the session has ended, and keeps what it shows", async () => {
    const opened = await openPage(browser, origin)
    const page = await enter(opened, group())
    const asks: string[] = []
    page.on("request", (request) => {
      if (request.url().includes("/entries?")) asks.push(request.url())
    })
    // Polls at once when it becomes visible again.
    const answeredWith = async (status: number): Promise<void> => {
      await page.route("**/entries?**", (route) => route.fulfill({ status, body: "<h1>of a proxy</h1>" }))
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    }
    for (const status of [500, 429]) {
      await answeredWith(status)
      await page.getByText("The service cannot answer at the moment").waitFor()
      await page.unroute("**/entries?**")
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.getByText("The service cannot answer").waitFor({ state: "detached" })
    }
    await opened.page.context().clearCookies()
    await page.getByRole("status").filter({ hasText: "The session has ended" }).waitFor()
    expect(await playhead(page)).toBe(entry(1, 1))
    await app.close()
    await page.getByText("The service is away; asking again.").waitFor()
    expect(await playhead(page)).toBe(entry(1, 1))
    // A group that does not exist is not polled again.
    await answeredWith(404)
    await page.getByText("The service has no such group for you any more").waitFor()
    const before = asks.length
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect([await playhead(page), asks.length - before]).toEqual([entry(1, 1), 0])
    expect(await page.locator("#following").count()).toBe(0)
    await opened.close()
  })

  test("does not call itself live on a network that drops its requests without an answer", async () => {
    const opened = await openPage(browser, origin)
    const page = await enter(opened, group())
    await page.getByText("● live").waitFor()
    await page.route("**/entries?**", () => undefined)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText("The service is away; asking again.").waitFor()
    expect(await page.getByText("● live").count()).toBe(0)
    await page.unroute("**/entries?**")
    await page.getByText("● live").waitFor()
    await opened.close()
  })

  test("tells what was read while the page went out of sight", async () => {
    const opened = await openPage(browser, origin)
    const page = await enter(opened, group())
    await page.route("**/entries?**", async (route) => {
      await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })")
      await route.fulfill({ status: 404 })
    })
    await page.getByText("The service has no such group for you any more").waitFor()
    expect(await page.locator("#following").count()).toBe(0)
    await opened.close()
  })
})

describe("the list of groups", () => {
  /** The script reads at once when the page becomes visible again. */
  const readAgain = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  const rowsOf = (page: Page) => page.locator("tbody tr")
  const groupsIn = async (page: Page): Promise<readonly string[]> =>
    Promise.all((await rowsOf(page).all()).map(async (row) => String(await row.getAttribute("data-group"))))

  test("finds an order, an organization and an event, and says whose each group is", async () => {
    const other = await booked(h, { order_number: "B-2002" }, sandboxPartner)
    await h.run(reservations.reportBot(sandboxPartner, other, { status: "ARRIVED" }))
    const opened = await openPage(browser, origin)
    const page = await enter(opened, "/inspect")
    const find = async (label: string, text: string): Promise<readonly string[]> => {
      await page.goto(`${origin}/inspect`)
      await page.getByLabel(label).fill(text)
      await page.keyboard.press("Enter")
      await page.waitForURL(/\?.*=/)
      return groupsIn(page)
    }
    expect(await find("Order number", "b-2002")).toEqual([`reservation/${other}`])
    // The row says what it is, what it waits for and what is due, in words.
    expect(await rowsOf(page).getByRole("link").textContent()).toBe("Reservation · order B-2002")
    expect(await rowsOf(page).locator(".owner").textContent()).toBe(other)
    const [, waitsFor, next] = await rowsOf(page).getByRole("cell").allInnerTexts()
    expect([waitsFor, next]).toEqual([
      "bot: ready, secured, departed or aborted\nrunner task: runner assigned",
      expect.stringMatching(/^window and grace, in \d+ (?:min|h)$/),
    ])
    expect(await find("Event, code or request id", "bot.arrived")).toEqual([`reservation/${other}`])
    expect(await find("Organization", "org_one")).toEqual([`reservation/${other}`, `reservation/${id}`])
    expect(await find("Organization", "org_two")).toEqual([])
    await page.goto(`${origin}/inspect?kind=reservation`)
    expect(await page.getByLabel("reservation by state").getByRole("listitem").allTextContents()).toEqual([
      "open.arrived 1",
      "open.confirmed 1",
    ])
    await page.getByRole("link", { name: "open.arrived" }).click()
    await page.waitForURL(/state=open.arrived/)
    expect(await groupsIn(page)).toEqual([`reservation/${other}`])
    expect(opened.strayed).toEqual([])
    await opened.close()
  })

  test("follows by itself, and moves no row under the pointer or the focus", async () => {
    const opened = await openPage(browser, origin)
    const page = await enter(opened, "/inspect")
    const own = rowsOf(page).filter({ hasText: id })
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "INBOUND" }))
    await own.getByText("underway.inbound").waitFor()
    await page.getByText("● live", { exact: true }).waitFor()
    const second = await booked(h, {}, sandboxPartner)
    await page.locator(`[data-group="reservation/${second}"]`).waitFor()
    // A row with the focus changes where it is, and a newer one waits.
    await own.getByRole("link").focus()
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "ARRIVED" }))
    const third = await booked(h, {}, sandboxPartner)
    await readAgain(page)
    await own.getByText("underway.arrived").waitFor()
    await page.getByText("● live; 1 newer wait until you leave the list").waitFor()
    expect(await rowsOf(page).count()).toBe(2)
    expect(await page.evaluate("document.activeElement.closest('tr').dataset.group")).toBe(
      `reservation/${id}`,
    )
    await page.getByLabel("Order number").focus()
    await readAgain(page)
    await page.locator(`[data-group="reservation/${third}"]`).waitFor()
    expect(await rowsOf(page).first().textContent()).toContain(third)
    // After a failed read the page says so and keeps the list.
    await page.route("**/inspect", (route) => route.fulfill({ status: 500, body: "<h1>of a proxy</h1>" }))
    await readAgain(page)
    await page.getByText("The service cannot answer at the moment").waitFor()
    await page.unroute("**/inspect")
    await page.context().clearCookies()
    await readAgain(page)
    await page.getByText("The session has ended").waitFor()
    expect(await rowsOf(page).count()).toBe(3)
    await app.close()
    await readAgain(page)
    await page.getByText("The service is away").waitFor()
    expect(opened.strayed).toEqual([])
    await opened.close()
  })
})

describe("axe finds nothing", () => {
  test("in light and dark, wide and narrow, and nothing scrolls sideways", async () => {
    const opened = await openPage(browser, origin)
    const { page } = opened
    const look = async (): Promise<void> => lookInEachView(page, await page.title())
    await page.goto(`${origin}/inspect`)
    await look()
    await enter(opened, "/inspect")
    await look()
    await page.goto(`${origin}/inspect/audit`)
    await look()
    await page.goto(`${origin}${group()}`)
    await page.locator("#send").waitFor()
    await look()
    expect(opened.strayed).toEqual([])
    await opened.close()
  })
})
