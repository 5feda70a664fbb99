/** Reports of a fit and of a lost order in a real browser, opened from disk without a network: axe finds nothing, nothing is cut off. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fileWith, folder } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { pageBundle } from "../../src/pages/bundling/build.ts"
import { momentFile } from "../../src/pages/bundling/moment-document.ts"
import { COARSE, IN_TIME, LATE } from "../pages/web/made-up-moment.ts"
import { CLOCK } from "../simulation/fleet/models.ts"
import { startChromium } from "./chromium.ts"
import { REPORT_WIDTHS, checkFromDisk } from "./report-file.ts"

const MODEL = `
fleet: A morning
because: Its journal is fitted.
clock: ${CLOCK}
horizon: 3h
sites: [{ as: north, at: [30.4, -97.7], stalls: 4, runners: 3 }]
runner: { walk: { gamma: { mean: 60s, sd: 20s } } }
bot: { punctuality: { normal: { mean: 0s, sd: 3m } } }
demand: [{ product: reservation, site: north, per_hour: 15 }]
`

const path = join(folder(), "fit.html")
const address = pathToFileURL(path).href

let browser: Browser
beforeAll(async () => {
  const record = fileWith("run.ndjson", "")
  await curblineHere("fleet", fileWith("morning.yaml", MODEL), "--seeds", "1", "--record", record)
  const out = join(folder(), "out.yaml")
  await curblineHere("fleet", "fit", "--journal", record, "--out", out, "--report", path)
  browser = await startChromium()
})
afterAll(() => browser.close())

describe.each(REPORT_WIDTHS)("the report of a fit, $width pixels wide", (viewport) => {
  test("opens from disk without a network, and has nothing that axe finds", async () => {
    await checkFromDisk(browser, { address, viewport }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/durations? follow/)
      const walk = page.locator(".fits > div", { has: page.getByRole("heading", { name: "runner.walk" }) })
      expect(await walk.locator("polyline.density:visible").count()).toBe(1)
      expect(await walk.textContent()).toMatch(/KS 0\.\d+, p /)
    })
  })
})

describe.each(REPORT_WIDTHS)("the page of a lost order, $width pixels wide", (viewport) => {
  const written = async (name: string, answer: typeof LATE): Promise<string> => {
    const where = join(folder(), name)
    const { html } = momentFile({ bundle: await pageBundle("moment"), answer, record: "out.ndjson" })
    writeFileSync(where, html)
    return pathToFileURL(where).href
  }

  test("says the moment; the arrow keys walk its entries, and the log and the table follow", async () => {
    await checkFromDisk(browser, { address: await written("lost.html", LATE), viewport }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(LATE.headline)
      const entry = page.getByRole("slider", { name: "Entry" })
      expect(await entry.getAttribute("aria-valuetext")).toMatch(/^12:41:08, 88 %, the task was given/)
      await entry.press("ArrowLeft")
      expect(await entry.getAttribute("aria-valuetext")).toMatch(/^12:38:20, 31 %/)
      expect(await page.locator(".log [aria-current]").innerText()).toContain("the order came on board")
      await page.locator(".log button").first().click()
      expect(await entry.getAttribute("aria-valuenow")).toBe("1")
      expect(await page.locator(".compact .is-leaf .name").textContent()).toBe("queued")
      expect(await page.locator(".what-ifs li").allInnerTexts()).toHaveLength(3)
      await page.getByRole("button", { name: "Table" }).click()
      const table = page.getByRole("table", { name: "How likely it was after each entry" })
      expect(await table.getByRole("row").nth(6).innerText()).toMatch(/83 to 93 %/)
      await page.getByRole("button", { name: "Rank" }).click()
      await page.getByRole("button", { name: "Keep as a scenario" }).click()
      await page.getByText(/aste (?:it|this) into a terminal/).waitFor()
    })
  })

  test.each([
    ["stopped early", COARSE, "It was stopped before its end"],
    ["an order in time", IN_TIME, "In time"],
  ])("%s has its sentences too", async (name, answer, said) => {
    const file = await written(`${name.replaceAll(" ", "-")}.html`, answer)
    await checkFromDisk(browser, { address: file, viewport }, async (page) => {
      expect(await page.locator("body").innerText()).toContain(said)
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
        answer.headline ?? answer.outcome,
      )
    })
  })
})
