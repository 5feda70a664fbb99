/** The report of `curbline run` in a real browser, opened from disk without a network: it works, and axe finds nothing. */

import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { folder } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { openPage, startChromium, tabTo } from "./chromium.ts"
import { lookInEachView } from "./look.ts"
import { REPORT_WIDTHS, checkFromDisk } from "./report-file.ts"

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

/** Reservations one after the other, each canceled. */
const LONG_HEAD = `scenario: Many reservations
because: A long run is shown in parts.
clock: 2026-03-02T11:00 America/Chicago
steps:
`

function clockAt(minute: number): string {
  return `11:${String(minute).padStart(2, "0")}`
}

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
  const first = readFileSync(report, "utf8")
  await curblineHere("run", PASSING, failing, "--report", report)
  expect(readFileSync(report, "utf8") === first).toBe(true)
  expect(readdirSync(made).filter((name) => name.endsWith("html"))).toEqual(["report.html"])
})

describe.each(REPORT_WIDTHS)("the report, $width pixels wide", (viewport) => {
  test("opens from disk without a network, tells the verdict first, and has nothing that axe finds", async () => {
    await checkFromDisk(browser, { address, viewport }, async (page) => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("1 of 2 runs failed")
      const names = await page.getByRole("heading", { level: 2 }).allTextContents()
      expect(names).toEqual([
        "Runs",
        "A <b>late</b> no-show & more",
        "The answer to the capture of the fee is lost",
        "Repeat it",
      ])
      const height = `getComputedStyle(document.querySelector(".runs > .scroll")).maxHeight`
      expect(await page.evaluate(height)).toBe("none")
    })
  })
})

test("a failure stands beside its line, with actors over time and what was sent", async () => {
  const { page, close } = await openPage(browser, "null", { offline: true })
  await page.goto(address)
  const run = page.locator("section.run").first()
  const failure = run.locator(".failure")
  expect(await failure.locator("dd").allTextContents()).toEqual([
    "the exception bot_no_show of lunch is published at 12:06",
    "it was published at 12:05",
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

describe("the inspector inside", () => {
  test("opens by keyboard at the moment of the failure, from a copy alone in another folder, and leads back", async () => {
    const alone = join(folder(), "mailed.html")
    copyFileSync(report, alone)
    const { page, strayed, complaints, close } = await openPage(browser, "null", { offline: true })
    await page.goto(pathToFileURL(alone).href)
    await tabTo(page, "This moment in the inspector")
    await page.keyboard.press("Enter")
    await page.locator('#log [aria-selected="true"]', { hasText: "✕ expect exception" }).waitFor()
    // The page adds the chosen actor once it is drawn.
    expect(page.url()).toMatch(/mailed\.html#run=2&at=\d+(&|$)/)
    expect(await page.title()).toBe("Inspector · Failed: 2 scenario runs")
    expect(await page.getByRole("combobox", { name: "Run" }).locator("option").allTextContents()).toEqual([
      "The answer to the capture of the fee is lost, seed 1",
      "A <b>late</b> no-show & more, seed 1",
    ])

    await page.goBack()
    await page.getByRole("heading", { level: 1, name: "1 of 2 runs failed" }).waitFor()
    expect(page.url()).toMatch(/mailed\.html#run-2$/)
    expect(await page.locator("section.run:target h2").textContent()).toBe("A <b>late</b> no-show & more")

    // A kept address opens there at once.
    await page.goto(`${pathToFileURL(alone).href}#run=1&at=5`)
    await page.reload()
    await tabTo(page, "Back to the report")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "1 of 2 runs failed" }).waitFor()
    expect(page.url()).toMatch(/mailed\.html#run-1$/)
    expect([strayed, complaints]).toEqual([[], []])
    await close()
  })

  test("leads back also when its own address falls due before the browser tells of the pressed link", async () => {
    const { page, complaints, close } = await openPage(browser, "null", { offline: true })
    await page.addInitScript(`
      const wait = setTimeout
      window.due = []
      window.setTimeout = (run, ms, ...values) => (ms === 150 ? window.due.push(run) : wait(run, ms, ...values))
    `)
    await page.goto(`${address}#run=1&at=5`)
    await page.getByRole("link", { name: "Back to the report" }).waitFor()
    await page.waitForFunction("window.due.length > 0")
    await page.evaluate(`
      document.querySelector('a[href="#run-1"]').click()
      for (const run of window.due) run()
    `)
    await page.getByRole("heading", { level: 1, name: "1 of 2 runs failed" }).waitFor()
    expect(page.url()).toMatch(/report\.html#run-1$/)
    expect(complaints).toEqual([])
    await close()
  })

  test("has nothing that axe finds in any view", async () => {
    const { page, complaints, close } = await openPage(browser, "null", { offline: true })
    await page.goto(`${address}#run=2`)
    await page.locator("#log [aria-selected]").first().waitFor()
    await lookInEachView(page, "inspector-in-report")
    expect(complaints).toEqual([])
    await close()
  })

  test("says how the record of a run becomes a file that a fork continues", async () => {
    const { page, close } = await openPage(browser, "null", { offline: true })
    await page.goto(`${address}#run=2&at=20`)
    await page.getByRole("button", { name: "Fork from here" }).click()
    const command = (await page.locator(".fork-steps pre").textContent()) ?? ""
    expect(command.split("\n").slice(0, 3)).toEqual([
      `npx curbline run ${failing} --seed 1 --record run.ndjson`,
      "npx curbline fork run.ndjson --at 20 --inspect --with - <<'STEPS'",
      expect.stringContaining("what_if:"),
    ])
    await close()
  })
})

describe("a long run", () => {
  const long = join(made, "long.yaml")
  const steps = Array.from({ length: 35 }, (_, at) => {
    const [from, to] = [at % 2 === 0 ? "11:45" : "12:15", at % 2 === 0 ? "12:15" : "12:45"]
    return [
      `  - { at: "${clockAt(at)}", do: reservation.create, as: r${at}, with: { window: [${from}, ${to}] } }`,
      `  - { wait: 30s }`,
      `  - { do: reservation.cancel, for: r${at} }`,
    ].join("\n")
  })
  writeFileSync(
    long,
    `${LONG_HEAD}${steps.join("\n")}\n  - { wait: 5m }\n  - expect: { reservation: r0, status: confirmed }\n`,
  )

  test("has all its moments and actors, in parts, and the part of the failure is open", async () => {
    const file = join(made, "long.html")
    await curblineHere("run", long, "--report", file)
    const { page, close } = await openPage(browser, "null", { offline: true })
    await page.goto(pathToFileURL(file).href)
    const parts = page.locator("section.run > details")
    const words = await parts.locator("summary").allTextContents()
    expect(words.length).toBeGreaterThan(1)
    expect(words.at(0)).toMatch(/^11:00 to .*: moments 1 to 60 of \d+, \d+ steps$/)
    expect(words.at(-1)).toMatch(/, 1 failed$/)
    expect(await parts.evaluateAll((all) => all.map((one) => one.hasAttribute("open")))).toEqual(
      words.map((_, at) => at === words.length - 1),
    )
    const names = await page.locator(".lanes tbody th").allTextContents()
    for (let at = 0; at < 35; at += 1) expect(names).toContain(`r${at} · reservation`)
    // An actor that does not change any more has no row of its own in later parts.
    const last = await parts.last().locator(".lanes tbody th").allTextContents()
    expect(last).not.toContain("r0 · reservation")
    expect(await parts.last().locator("p").textContent()).toContain("r0 · reservation canceled;")
    const columns = await parts.locator("thead th:not(:first-child)").count()
    expect(words.at(-1)).toContain(`to ${columns} of ${columns},`)
    expect(await page.getByText("Not shown here").count()).toBe(0)
    await close()
  })
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
