/** The report of a fit in a real browser, opened from disk without a network: axe finds nothing, and nothing is cut off. */

import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fileWith, folder } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
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

describe.each(REPORT_WIDTHS)("the report, $width pixels wide", (viewport) => {
  test("opens from disk without a network, and has nothing that axe finds", async () => {
    await checkFromDisk(browser, { address, viewport }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/durations? follow/)
      const walk = page.locator(".fits > div", { has: page.getByRole("heading", { name: "runner.walk" }) })
      expect(await walk.locator("polyline.density:visible").count()).toBe(1)
      expect(await walk.textContent()).toMatch(/KS 0\.\d+, p /)
    })
  })
})
