/** The report of a fleet run in a real browser, opened from disk without a network: it works, and axe finds nothing. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { casesOf, inCase } from "../../src/simulation/fleet/language/cases.ts"
import { reportHtml } from "../../src/simulation/fleet/report/report.ts"
import { reportOf } from "../../src/cli/fleets/fleet-report.ts"
import { replayProgram } from "../../src/cli/fleets/replay-file.ts"
import { recommendedOf } from "../../src/simulation/fleet/results/recommend.ts"
import type { FleetResult } from "../../src/simulation/fleet/results/fleet-result.ts"
import { fleetResult } from "../../src/simulation/fleet/results/fleet-result.ts"
import { caseResult } from "../../src/simulation/fleet/results/summary.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { madeUp, site } from "../simulation/fleet/made-up.ts"
import { CLOCK, fleetModel } from "../simulation/fleet/models.ts"
import { openPage, startChromium } from "./chromium.ts"
import { REPORT_WIDTHS, checkFromDisk } from "./report-file.ts"

const model = fleetModel(`
fleet: A lunch & <b>rush</b>
because: It shows every part of a report.
clock: ${CLOCK}
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: 3, runners: 2, vehicles: 3, stores: [{ as: store, preparation: 5m, cooks: 2 }] }]
demand:
  - { product: reservation, site: curb, per_hour: 20 }
  - { product: delivery, site: curb, per_hour: 10 }
sweep: { runners: [1, 2] }
promises: { wait_p95: "< 1s", orders.asked: "> 1" }
`)

const pageScript = readFileSync(join(ROOT, "src/cli/fleets/report-page.js"), "utf8")

const program = await replayProgram()

function makeResult(): FleetResult {
  const cases = casesOf(model).map((settings) =>
    caseResult(
      model,
      settings,
      [1, 2].map((seed) => replicate(inCase(model, settings), { seed, hasCourse: seed === 1 })),
    ),
  )
  return fleetResult(model, cases)
}

const result = makeResult()
const makeReport = (): string =>
  reportOf(result, "npx curbline fleet lunch.yaml --report report.html", program)

/** Writes a report into a folder of its own and gives its address. */
function onDisk(text: string): string {
  const path = join(folder(), "report.html")
  writeFileSync(path, text)
  return pathToFileURL(path).href
}

const html = makeReport()
const address = onDisk(html)

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

test("the same run gives the same bytes", () => {
  expect(reportOf(makeResult(), "npx curbline fleet lunch.yaml --report report.html", program) === html).toBe(
    true,
  )
})

describe.each(REPORT_WIDTHS)("the report, $width pixels wide", (viewport) => {
  test("opens from disk without a network, tells the verdict first, and has nothing that axe finds", async () => {
    await checkFromDisk(browser, { address, viewport }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(
        /^No case keeps every promise; [12] runners? comes? nearest\.$/,
      )
      const answer = page.locator("#answer")
      expect(await answer.textContent()).toContain(
        "Promises broken A lunch & <b>rush</b>, curb, 10:00 to 11:00",
      )
      expect(await answer.locator("p b").count()).toBe(0)
      // The first screen has the question, each promise with its margin, and what the answer rests on.
      expect(await answer.locator(".question").textContent()).toBe(model.because)
      expect(await answer.locator(".margin-list li").allTextContents()).toEqual([
        expect.stringMatching(/^\s*95 of 100 orders wait less than 1s\s+Broken.*: beyond the limit by /s),
        expect.stringMatching(/^\s*More than 1 requested orders\s+Kept.*: [\d.]+ to spare\.\s*$/s),
      ])
      expect(await answer.locator(".rests").innerText()).toMatch(
        /^4 replications of 2 cases over 1h, seeds 1 to 2\. .+ Left out are streets and traffic queues, /,
      )
      for (const first of [".question", "h1", ".margin-list li:last-child .bullet", ".rests"])
        expect(await bottomOf(page, first)).toBeLessThan(viewport.height)
      // Every other part is folded behind a sentence.
      const parts = page.locator("main > details.part")
      expect(await page.locator("main > :not(#answer, details.part)").count()).toBe(0)
      for (const part of await parts.all()) expect(await part.locator(".lead").textContent()).toMatch(/\S\.$/)
      expect(await page.locator("#use .lead").textContent()).toMatch(
        /^(Vehicles|Runners) are busy \d+\.\d% of the time from \d\d:\d\d to \d\d:\d\d\. /,
      )
      // A link opens its part. Each promise has its values and its paired differences, in the form for this width alone.
      for (const part of ["cases", "use"]) await page.locator(`nav a[href="#${part}"]`).click()
      await page.locator("#use[open] canvas").waitFor()
      expect(await page.locator("#promises svg[role=img]:visible").count()).toBe(4)
      expect(await page.locator("#use .multiples svg:visible").count()).toBeGreaterThanOrEqual(3)
    })
  })
})

function bottomOf(page: Page, selector: string): Promise<number> {
  return page.locator(`#answer ${selector}`).evaluate((element) => element.getBoundingClientRect().bottom)
}

test("on paper it is one sheet with a picture, and parts that were opened follow", async () => {
  const { page, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const sheets = async (): Promise<number> =>
    (await page.pdf({ preferCSSPageSize: true })).toString("latin1").split(/\/Type \/Page\b(?!s)/).length - 1
  expect(await sheets()).toBe(1)
  await page.emulateMedia({ media: "print" })
  expect(await page.locator("#answer .paper-picture svg:visible").count()).toBe(1)
  expect(await page.locator("#replay:visible, .part:visible").count()).toBe(0)
  await page.emulateMedia({ media: "screen" })
  await page.locator("#limits > summary").click()
  expect(await sheets()).toBeGreaterThan(1)
  await close()
})

test("the figures are a file for spreadsheets, made without a network", async () => {
  const { page, complaints, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const downloading = page.waitForEvent("download")
  await page.getByRole("link", { name: "Figures as CSV" }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe("figures.csv")
  const [head, ...rows] = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\n")
  expect(head).toBe("case,figure,unit,value,low,high,least,most,replications,waits")
  expect(new Set(rows.map((row) => row.split(",")[0]))).toEqual(new Set(['"runners 1"', '"runners 2"']))
  expect(rows.some((row) => /^"runners 1",wait_p95,ms,\d/.test(row))).toBe(true)
  expect(complaints).toEqual([])
  await close()
})

test("the command that makes the report again is copied, or shown where the clipboard is closed", async () => {
  const { page, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const button = page.getByRole("button", { name: "Copy the command" })
  await page.evaluate(
    "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve() }",
  )
  await button.click()
  await page.getByRole("button", { name: "Copied" }).waitFor()
  expect(await page.evaluate("window.copied")).toBe("npx curbline fleet lunch.yaml --report report.html")
  await button.waitFor()
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('closed'))")
  await button.click()
  await page.waitForURL(/#repeat$/)
  await close()
})

describe("the replay inside", () => {
  test("plays the shown case's day on the first page, and what is pressed opens the whole page in the same file", async () => {
    const { page, strayed, complaints, close } = await openPage(browser, "null", { offline: true })
    await page.goto(address)
    const day = page.locator("#replay")
    await day.locator(".map-part").waitFor()
    await day.getByRole("button", { name: "Pause" }).click()
    await day.locator(".ticket").first().click()
    await page.locator(".actor h2").waitFor()
    expect(page.url()).toMatch(/report\.html#t=.+pick=/)
    const digest = await page.locator("[data-digest]").getAttribute("data-digest")
    expect(digest).toBe(recommendedOf(result).shown?.replications[0]?.digest)
    await page.goBack()
    await page.getByRole("heading", { level: 1, name: /^No case keeps every promise/ }).waitFor()
    expect([strayed, complaints]).toEqual([[], []])
    await close()
  })

  test("is left out where a report has none", async () => {
    const { page, complaints, close } = await openPage(browser, "null", { offline: true })
    await page.goto(manyCases)
    expect(await page.locator("#replay").count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})

const RUNNERS = [3, 4, 5, 6, 7, 8, 9, 10]

function reportOfManyCases(): string {
  const many = site(
    `promises: { reservations.wait_p95: "< 5m", wait_max: "< 9m" }\nsweep: { runners: [${RUNNERS.join(", ")}] }`,
  )
  const cases = casesOf(many).map((settings, at) => {
    const made = [1, 2, 3].map((seed) =>
      madeUp(
        seed,
        Array.from({ length: 40 }, (_, wait) => wait * (10 - at)),
      ),
    )
    return caseResult(many, settings, made)
  })
  return onDisk(
    reportHtml(fleetResult(many, cases), {
      pageScript,
      replay: null,
      command: "npx curbline fleet many.yaml",
    }),
  )
}

const manyCases = reportOfManyCases()

describe("many cases", () => {
  test.each(REPORT_WIDTHS)(
    "are all on the page with their verdicts, and names of figures are whole words, $width pixels wide",
    async (viewport) => {
      await checkFromDisk(browser, { address: manyCases, viewport }, async (page) => {
        await page.locator("#cases > summary").click()
        const table = page.getByRole("region", { name: "Promises, with their margins" })
        expect(await table.locator("tbody tr").count()).toBe(2 * RUNNERS.length)
        const [shown, whole] = await table.evaluate((element) => [element.clientHeight, element.scrollHeight])
        expect(shown).toBe(whole)
        expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
        expect(await table.locator(".promise").first().textContent()).toBe(
          "95 of 100 reservations wait less than 5m",
        )
        // No word continues on the next line.
        const broken = await page.evaluate<readonly string[]>(`
        [...document.querySelectorAll(".margins .promise")].flatMap(({ firstChild: written }) =>
          [...written.textContent.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
            const range = document.createRange()
            range.setStart(written, index)
            range.setEnd(written, index + word.length)
            return range.getClientRects().length > 1
          }).map(([word]) => word))`)
        expect(broken).toEqual([])
      })
    },
  )
})

describe("many sites", () => {
  const manySites = reportOfManySites()
  test.each(REPORT_WIDTHS)(
    "have a short table with the broken ones first, and the others are counted, $width pixels wide",
    async (viewport) => {
      await checkFromDisk(browser, { address: manySites, viewport }, async (page) => {
        await page.locator("#parts > summary").click()
        const table = page.getByRole("region", { name: "Sites", exact: true })
        const rows = table.locator("tbody tr")
        expect(await rows.count()).toBe(20)
        expect(await rows.first().textContent()).toMatch(
          /^\s*site 9.*p95.*Broken\s+wait of 95 of 100 reservations by \d+m/s,
        )
        expect(await table.locator("tr.broken").count()).toBe(1)
        expect(await page.locator("#parts").textContent()).toMatch(
          /4 more sites: [\d,]+ orders on board; p95 of their waits from/,
        )
        // On a phone the columns share the width.
        const widths = await table
          .locator("tbody tr:first-child > :visible")
          .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width))
        expect(Math.min(...widths)).toBeGreaterThan(75)
        expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
        expect(await page.locator("#answer").textContent()).toContain(
          "At 1 of 24 sites the wait of 95 of 100 reservations breaks its limit: site 9 (",
        )
        expect(await page.locator(".about").textContent()).toMatch(/Many sites, 24 sites, 10:00 to 13:00/)
        // Each site has one demand, so a table of demands would say the same again.
        expect(await page.getByRole("region", { name: "Demands", exact: true }).count()).toBe(0)
        expect(await page.getByRole("link", { name: "Sites", exact: true }).getAttribute("href")).toBe(
          "#parts",
        )
      })
    },
  )
})

function reportOfManySites(): string {
  const numbers = Array.from({ length: 24 }, (_, at) => at + 1)
  const many = fleetModel(`
fleet: Many sites
because: Does each keep what all keep?
clock: ${CLOCK}
horizon: 3h
sites:
${numbers.map((at) => `  - { as: site ${at}, at: [${29 + at / 10}, -97.7], stalls: 4, runners: ${at === 9 ? 1 : 3} }`).join("\n")}
demand:
${numbers.map((at) => `  - { product: reservation, site: site ${at}, per_hour: ${at === 9 ? 25 : 8} }`).join("\n")}
promises: { reservations.wait_p95: "< 12m" }
`)
  const found = caseResult(
    many,
    [],
    [1, 2, 3].map((seed) => replicate(many, { seed })),
  )
  return onDisk(
    reportHtml(fleetResult(many, [found]), {
      pageScript,
      replay: null,
      command: "npx curbline fleet sites.yaml",
    }),
  )
}
