/** The forecast on the board of a site and on a wall, and "When was it lost?" in its drawer, in each of their states. The figures are made up; the service and its page are real. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { fullBoard } from "./board-states.ts"
import { boardOver } from "./board-service.ts"
import { startChromium } from "./chromium.ts"
import { forecastsAt } from "./forecast-states.ts"
import { look, lookInEachView } from "./look.ts"
import { momentsAt } from "./moment-states.ts"

let browser: Browser
let service: ServiceProcess

const { booked, openBoard, operate } = boardOver(
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

type State = keyof ReturnType<typeof forecastsAt>

/** The board and its forecast are made up from now on; the page reads both again by itself. */
async function say(page: Page, state: State): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await page.route("**/board", (route) => route.fulfill({ json: { data: { board: fullBoard(Date.now()) } } }))
  await page.route("**/forecast?*", (route) =>
    route.fulfill({ json: { data: { forecast: forecastsAt(Date.now())[state] } } }),
  )
}

async function shown(page: Page, state: State): Promise<void> {
  await say(page, state)
  await page.reload()
  await page.getByRole("heading", { name: /^Three need help/ }).waitFor()
}

test("the board says what breaks, what one more runner changes and how it was counted, also without the picture", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("link", { name: "Kiosk" }).waitFor()
  await shown(page, "busy")
  const strip = page.getByRole("region", { name: "Forecast" })
  await strip.getByText(/^Waits pass 8 min at \d\d:\d\d, 80% likely$/).waitFor()
  await strip
    .getByText(/In the next 2 h: about 3 of 41 pickups late, most from \d\d:\d\d to \d\d:\d\d\./)
    .waitFor()
  await strip.getByText("With one more runner: 1 late.").waitFor()
  await strip.getByText(/^From 100 runs, \d+ s ago\.$/).waitFor()
  expect(await strip.getByRole("img").getAttribute("aria-label")).toContain("the limit is 8 min")
  await look(page, "the board with a forecast")
  await strip.getByText("How it was counted").focus()
  await page.keyboard.press("Enter")
  const waits = strip.getByRole("table", { name: /^Waits by the quarter of an hour/ })
  expect(await waits.getByRole("row").count()).toBe(9)
  await waits.getByRole("cell", { name: "10:30", exact: true }).waitFor()
  await strip.getByText("3, by the phones that are paired").waitFor()
  await strip.getByText("Deliveries, vehicles and errands are not part of the forecast.").waitFor()
  await look(page, "the board with a forecast that is open")

  await shown(page, "calm")
  await strip.getByText("Waits stay below 8 min, 88% likely").waitFor()
  await strip.getByText("In the next 2 h: none of about 41 pickups late.").waitFor()
  expect(await strip.getByText(/With one more runner/).count()).toBe(0)
  await look(page, "the board with a calm forecast")
  await close()
})

test("the settings of a site say what another choice of vehicles changes before it is saved, or why that is not known", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("link", { name: "Kiosk" }).waitFor()
  const choose = async (name: string, words: RegExp): Promise<void> => {
    await page.goto(`${service.urls.production}/ops/settings/sites/${service.access.production.site_id}`)
    const choice = page.getByRole("combobox", { name: "Choice of a vehicle" })
    expect(await choice.inputValue()).toBe("earliest_free")
    await choice.selectOption("nearest")
    await page.getByRole("status").filter({ hasText: words }).waitFor()
    await lookInEachView(page, `another-policy-${name}`)
  }
  await say(page, "compared")
  await choose(
    "difference",
    /by 100 runs of the forecast:\s*Late deliveries\s*1\.1 of 24\.3; as it is, 3\.2 of 24\.3\s*Late errands\s*0\.4 of 6\.1/,
  )
  await say(page, "young")
  await choose("no-data", /the site has too few reservations or deliveries to learn from/)
  await say(page, "failed")
  await choose("failed", /There is no forecast for this choice: the last attempt failed/)
  await page.route("**/forecast?*", (route) =>
    route.fulfill({ status: 503, json: { error: "the service cannot reach its database" } }),
  )
  await choose("refused", /There is no forecast for this choice\. The service cannot reach its database/)
  await close()
})

test("while one is made the board says so and gets it by itself; a failure is said with its time; too little history says what is missing", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("link", { name: "Kiosk" }).waitFor()
  await shown(page, "making")
  const strip = page.getByRole("region", { name: "Forecast" })
  await strip.getByText("The forecast of the next 2 h is being made.").waitFor()
  await look(page, "the board while a forecast is made")
  await say(page, "busy")
  await strip.getByText(/^Waits pass 8 min/).waitFor()

  await shown(page, "failed")
  await strip
    .getByText(/^No forecast of the next 2 h: it took too long\. The service tries again at \d\d:\d\d\.$/)
    .waitFor()
  await look(page, "the board without a forecast")

  await shown(page, "young")
  await strip
    .getByText(
      /^No forecast of the next 2 h yet: 4 of 20 reservations have ended, and 23 h.* of 24 h of history are missing\.$/,
    )
    .waitFor()
  expect(await strip.getByRole("img").count()).toBe(0)
  await close()
})

test("the board says which deliveries and errands are late, when, how likely, and what one more vehicle changes", async () => {
  const { page, close } = await openBoard()
  await page.getByRole("link", { name: "Kiosk" }).waitFor()
  await shown(page, "both")
  const strip = page.getByRole("region", { name: "Forecast" })
  await strip.getByText(/^Waits pass 8 min/).waitFor()
  await strip.getByText(/^Deliveries are late from \d\d:\d\d on, 74% likely$/).waitFor()
  await strip
    .getByText(/In the next 2 h: about 3 of 24 deliveries late, most due from \d\d:\d\d to \d\d:\d\d\./)
    .waitFor()
  await strip.getByText("With one more vehicle: 1 late.").waitFor()
  await strip.getByText(/^Errands are late from \d\d:\d\d on, 52% likely$/).waitFor()
  await strip.getByText("One more vehicle changes little.").waitFor()
  await look(page, "the board with a forecast of pickups, deliveries and errands")
  await strip.getByText("How it was counted").click()
  const promises = strip.getByRole("table", { name: "Promises and how likely each breaks" })
  expect(await promises.getByRole("row").count()).toBe(5)
  const row = promises.getByRole("row").filter({ hasText: "No delivery is late" })
  expect(await row.getByRole("cell").allTextContents()).toEqual([
    "74% (66% to 82%)",
    "25%, vehicle",
    expect.stringMatching(/^\d\d:\d\d$/),
  ])
  await strip.getByText("9 reservations, 5 deliveries, 1 errand").waitFor()
  await strip.getByText("4 of the site's fleet").waitFor()
  await strip.getByText(/^1114 reservations and 812 deliveries and errands since/).waitFor()
  await look(page, "the board with a forecast of all that is open")

  // A site that only delivers says nothing of pickups and runners, and has no picture of waits.
  await shown(page, "deliveries")
  await strip.getByText(/^Deliveries are late from/).waitFor()
  expect(await strip.getByText(/Waits|pickup/).count()).toBe(0)
  expect(await strip.getByRole("img").count()).toBe(0)
  await strip.getByText("How it was counted").click()
  expect(await strip.getByText(/Runners|reservations/).allTextContents()).toEqual([])
  expect(await strip.getByRole("table").count()).toBe(1)
  await look(page, "the board of a site that only delivers")

  await shown(page, "calmBoth")
  await strip.getByText("Deliveries are on time, 94% likely").waitFor()
  await strip.getByText("In the next 2 h: none of about 24 deliveries late.").waitFor()
  expect(await strip.getByText(/one more/i).count()).toBe(2) // Both in the closed part.
  await shown(page, "nothing")
  await strip.getByText("No pickup is expected in the next 2 h").waitFor()
  await strip.getByText("No delivery is expected in the next 2 h").waitFor()
  expect(await strip.getByText(/^(Errands|No errand is expected)/).count()).toBe(0)
  await look(page, "the board when nothing is expected")

  // Reads fail: the last forecast stays, and says its age.
  await shown(page, "old")
  await strip.getByText(/From 100 runs, \d+ min ago: too old to rely on\./).waitFor()
  await look(page, "the board with an old forecast")
  await close()
})

test("on a wall the forecast is a sentence for each promise that breaks, in big type", async () => {
  const { page, close } = await openBoard("/kiosk")
  await page.getByRole("list", { name: "Stalls" }).waitFor()
  await shown(page, "busy")
  const sentence = page.getByText(
    /^Waits pass 8 min at \d\d:\d\d, 80% likely\. With one more runner: 1 late\.$/,
  )
  await sentence.waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  const size = "getComputedStyle(document.querySelector('.kiosk-forecast')).fontSize"
  expect(Number.parseFloat(String(await page.evaluate(size)))).toBeGreaterThanOrEqual(20)
  await look(page, "the wall with a forecast")
  await shown(page, "both")
  await page
    .getByText(/^Deliveries are late from \d\d:\d\d on, 74% likely\. With one more vehicle: 1 late\.$/)
    .waitFor()
  await sentence.waitFor()
  await look(page, "the wall with a forecast of pickups, deliveries and errands")
  await shown(page, "old")
  await page.getByText("The forecast is too old to rely on.").waitFor()
  await shown(page, "failed")
  await page.getByText(/^No forecast of the next 2 h/).waitFor()
  await look(page, "the wall without a forecast")
  await close()
})

test("the drawer of an order that has ended says when it was lost and what would have saved it, or why that is not known", async () => {
  const id = await booked("Lost")
  expect((await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })).status).toBe(200)
  const { page, close } = await openBoard(`?reservation=${id}`)
  const asked: string[] = []
  const answers = async (state: keyof ReturnType<typeof momentsAt>): Promise<void> => {
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.route("**/moment", (route) => {
      asked.push(route.request().method())
      return route.fulfill({ json: { data: { moment: momentsAt(Date.now())[state] } } })
    })
  }
  const key = page.getByRole("button", { name: "When was it lost?" })
  const part = page.getByRole("region", { name: "When was it lost?" })
  await answers("reading")
  await key.waitFor()
  expect(asked).toEqual([])
  await key.click()
  await part.getByText("The journal of the site is read.").waitFor()
  await answers("making")
  await part.getByText("325 futures simulated so far.").waitFor()
  await lookInEachView(page, "moment-making")
  // It gets the answer by itself.
  await answers("ready")
  await part.getByText(/^From 12:35:24 the promise could no longer be kept/).waitFor()
  await part.getByText(/^Best: the next free runner takes this order/).waitFor()
  expect(await part.getByRole("img").getAttribute("aria-label")).toMatch(/5% at first, 97% after/)
  await part.getByText(/^1844 futures, drawn from 1114 reservations .*; not calibrated yet\.$/).waitFor()
  await part.getByText("After each entry").focus()
  await page.keyboard.press("Enter")
  const rows = part.getByRole("table", { name: /^How likely/ }).getByRole("row")
  expect(await rows.count()).toBe(8)
  await rows.filter({ hasText: "its robot arrived" }).getByText("44%").waitFor()
  await lookInEachView(page, "moment-ready")

  const show = async (state: keyof ReturnType<typeof momentsAt>): Promise<void> => {
    await answers(state)
    await page.reload()
    await key.click()
  }
  await show("making")
  asked.length = 0
  await part.getByRole("button", { name: "Stop" }).click()
  await key.waitFor()
  expect(asked).toContain("DELETE")
  await show("young")
  await part.getByText(/^Too little happened before to learn from: 4 reservations .* 20 are needed/).waitFor()
  await lookInEachView(page, "moment-young")
  await show("good")
  await part.getByText(/ended well, at 12:31:07: nothing was late/).waitFor()
  await show("busy")
  await part.getByText(/^The service looks into others at the moment/).waitFor()
  await lookInEachView(page, "moment-busy")
  await answers("failed")
  await part.getByRole("button", { name: "Ask again" }).click()
  await part.getByText("More happened at the site than the service reads for this.").waitFor()
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await page.route("**/moment", (route) =>
    route.fulfill({ status: 503, json: { error: "the service cannot reach its database" } }),
  )
  await page.reload()
  await key.click()
  await part.getByText("The moment could not be read").waitFor()
  await close()
})
