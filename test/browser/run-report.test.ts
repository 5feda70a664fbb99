/** The report of `curbline run` in a real browser, opened from disk without a network: it works, and axe finds nothing. */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { folder } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { REPORT_VIEWS, checkFromDisk } from "./report-file.ts"

const FAILING = `scenario: A <b>late</b> no-show & more
because: It shows what a failure looks like.
clock: 2026-03-02T11:30 America/Chicago
given:
  webhooks: [{ as: partner, events: all, answers: [500, 200] }]
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:46, do: runner.at_store, for: lunch }
  - { at: 11:52, do: runner.order_in_hand, for: lunch }
  - { at: 11:55, do: runner.at_unit, for: lunch }
  - expect: { exception: bot_no_show, for: lunch, at: 12:06 }
`

const PASSING = "scenarios/courier/a-capture-without-an-answer.yaml"

const made = folder()
const report = join(made, "report.html")
const address = pathToFileURL(report).href
const failing = join(made, "failing.yaml")
writeFileSync(failing, FAILING)

let browser: Browser
let ended: Ended
beforeAll(async () => {
  ended = await curblineHere("run", PASSING, failing, "--report", report)
  browser = await startChromium()
})
afterAll(() => browser.close())

test("the command names the file, and its status is that of the runs", () => {
  expect(ended).toMatchObject({ status: 1, err: `wrote ${report}\n` })
})

test("the same runs give the same bytes", async () => {
  const [first, inspector] = [report, join(made, "report.inspector.html")].map((path) =>
    readFileSync(path, "utf8"),
  )
  await curblineHere("run", PASSING, failing, "--report", report)
  expect(readFileSync(report, "utf8") === first).toBe(true)
  expect(readFileSync(join(made, "report.inspector.html"), "utf8") === inspector).toBe(true)
})

describe.each(REPORT_VIEWS)("the report, $colorScheme, $width pixels wide", (view) => {
  test("opens from disk without a network, tells the verdict first, and has nothing that axe finds", async () => {
    await checkFromDisk(browser, { address, view }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("1 of 2 runs failed")
      const names = await page.getByRole("heading", { level: 2 }).allTextContents()
      expect(names).toEqual([
        "Runs",
        "A <b>late</b> no-show & more",
        "The answer to the capture of the fee is lost",
        "Repeat it",
      ])
    })
  })
})

test("a failure stands beside its line, with actors over time and what was sent", async () => {
  const { page, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const run = page.locator("section.run").first()
  const failure = run.locator(".failure")
  expect(await failure.locator("dd").allTextContents()).toEqual([
    "exception bot_no_show of lunch at 12:06",
    "told at 12:05",
  ])
  expect(await failure.locator("mark").textContent()).toBe(
    "This line failed:   12 ▸   - expect: { exception: bot_no_show, for: lunch, at: 12:06 }",
  )

  const lanes = run.getByRole("region", { name: /^Actors over time/ })
  const task = lanes.getByRole("row", { name: /^lunch · runner task/ })
  expect(await task.locator(".stay").allTextContents()).toEqual([
    "queued",
    "assigned",
    "at store",
    "retrieved",
    "at unit",
    "canceled",
  ])
  const failed = lanes.getByRole("link", { name: /^Step 6, failed/ })
  await failed.press("Enter")
  expect(await run.locator("li:target").textContent()).toContain(
    "the exception bot_no_show is published for lunch",
  )

  const sent = run.getByRole("region", { name: /^What was sent/ })
  const first = sent.getByRole("row").nth(1)
  expect(await first.textContent()).toContain("500 after 50ms, request 1 to this URL")
  await first.getByText("reservation.status_changed").first().click()
  expect(await first.locator("pre").textContent()).toContain('"status": "confirmed"')
  await close()
})

test("a text names its receiver by the last four digits of the number", async () => {
  const { page, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const run = page.locator("section.run").nth(1)
  await run.locator("summary").first().click()
  const sent = run.getByRole("region", { name: /^What was sent/ })
  expect(await sent.getByRole("row").nth(1).textContent()).toMatch(/text\s*\+…0142\s*delivery-notice/)
  expect(readFileSync(report, "utf8")).not.toContain("+15125550142")
  await close()
})

test("its link opens the inspector at the moment of the failure", async () => {
  const { page, complaints, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  await page.getByRole("link", { name: "This moment in the inspector" }).click()
  await page.waitForURL(/report\.inspector\.html#run=2&at=\d+/)
  const selected = page.locator('#log [aria-selected="true"]', { hasText: "✕ expect exception" })
  await selected.waitFor()
  expect(complaints).toEqual([])
  await close()
})

describe("curbline run --report", () => {
  test("lists what passed runs of many sent without its content", async () => {
    const many = join(made, "many.html")
    await curblineHere("run", PASSING, failing, "--seed", "1..26", "--report", many)
    const text = readFileSync(many, "utf8")
    expect(text).toContain("26 of 52 runs failed")
    expect(text).toContain("is listed without its content")
    expect(text).not.toContain("your delivery is booked")
    expect(text).toContain("&#34;event_type&#34;: &#34;reservation.exception&#34;")
  })

  test("a place that cannot be written ends with 2 before anything is run", async () => {
    const { status, out, err } = await curblineHere(
      "run",
      PASSING,
      "--report",
      join(made, "none", "report.html"),
    )
    expect({ status, out }).toEqual({ status: 2, out: "" })
    expect(err).toContain("cannot be written")
    expect(existsSync(join(made, "none"))).toBe(false)
  })
})
