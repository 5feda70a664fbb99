/** Fleet replay in a real browser: a shipped model computes, plays, is scrubbed and picked from; the page waits, fails and is read as it should be. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readFleetFile } from "../../src/cli/fleets/fleet-files.ts"
import { replayRequest } from "../../src/simulation/fleet/replay/replay-request.ts"
import { serveReplay } from "../../src/cli/fleets/fleet-watch.ts"
import { readRecordFile } from "../../src/pages/bundling/record-file.ts"
import type { Loopback } from "../../src/pages/bundling/loopback.ts"
import { casesOf, inCase } from "../../src/simulation/fleet/language/cases.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { countDifference } from "../../src/pages/web/replay/compare/comparison.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { DESK, PHONE, lookAtLargeText, lookInEachView } from "./look.ts"
import { workerThat } from "./replay-states.ts"

const FOLDER = join(ROOT, "scenarios/fleets")
const FILE = join(FOLDER, "two-bridges.yaml")
const SEED = 7

let server: Loopback
let browser: Browser

beforeAll(async () => {
  const run = replayRequest(
    { file: "two-bridges.yaml", text: readFileSync(FILE, "utf8"), seed: SEED },
    (name) => readFileSync(join(FOLDER, name), "utf8"),
  )
  ;[server, browser] = await Promise.all([serveReplay(run, "Two bridges"), startChromium()])
})

afterAll(async () => {
  await browser.close()
  await server.close()
})

async function opened(): Promise<OpenedPage> {
  return openPage(browser, new URL(server.url).origin, { viewport: DESK })
}

const clockOf = (page: Page): Promise<string | null> => page.locator(".clock-now").textContent()
const lateOf = async (page: Page): Promise<number> =>
  Number(await page.locator(".counter", { hasText: "Late" }).locator(".value").textContent())

test("a shipped model is computed in the browser with the command's digest, and its moments are played, scrubbed and read", async () => {
  const { page, strayed, complaints, close } = await opened()
  await page.goto(`${server.url}#t=1:00:00`)
  const digest = await page.locator("[data-digest]").getAttribute("data-digest")
  const { model } = await readFleetFile(FILE)
  if (model === null) throw new Error("the model has a mistake")
  expect(digest).toBe(replicate(inCase(model, casesOf(model)[0] ?? []), { seed: SEED }).digest)
  // The address named the moment, so nothing moves by itself.
  await expect.poll(() => clockOf(page)).toBe("12:00:00")
  await page.keyboard.press("Space")
  await expect.poll(() => clockOf(page)).not.toBe("12:00:00")
  await page.getByRole("button", { name: "Pause" }).click()
  await page.keyboard.press("m")
  await expect.poll(() => lateOf(page)).toBeGreaterThan(0)
  expect(new URL(page.url()).hash).toMatch(/t=\d:\d\d:\d\d/)
  const worst = await clockOf(page)
  await page.keyboard.press("Shift+ArrowRight")
  await expect.poll(() => clockOf(page)).not.toBe(worst)
  const line = await page.getByRole("slider", { name: "Instant" }).boundingBox()
  await page.mouse.click((line?.x ?? 0) + (line?.width ?? 0) / 4, (line?.y ?? 0) + (line?.height ?? 0) / 2)
  await expect.poll(() => clockOf(page)).toMatch(/^12:/)
  await picksAndReads(page)
  await staysReadable(page)
  await changesANumber(page)
  expect(strayed).toEqual([])
  expect(complaints).toEqual([])
  await close()
})

test("the causes of an actor's last step lead through other journals, and its record opens in the inspector", async () => {
  const { page, strayed, complaints, close } = await opened()
  await page.goto(`${server.url}#t=1:00:00&pick=veh_0_0001`)
  const why = page.locator(".why-chain")
  // The vehicle is free, because its delivery was unloaded, which a report of the vehicle said.
  await expect
    .poll(() => why.locator("p, li > span:nth-child(2)").allTextContents())
    .toEqual([
      "vehicle V1",
      "run.ended",
      "delivery 9",
      "order.unloaded",
      "vehicle V1",
      "unload.reported",
      "A command from outside began it.",
    ])
  const entry = /entry (\d+)/.exec((await why.locator("li").first().textContent()) ?? "")?.[1]
  const tab = page.context().waitForEvent("page")
  await page.getByRole("button", { name: "Open in the inspector" }).click()
  const inspector = await tab
  await inspector.getByText(`entry ${entry} of `).waitFor()
  expect(await inspector.locator("#state").textContent()).toBe("idle")
  expect(await problemsIn(inspector)).toEqual([])
  await inspector.close()
  // What may be changed from this instant on.
  await page.getByRole("button", { name: "Fork from here" }).click()
  const pane = page.getByRole("complementary", { name: "What if" })
  await pane.getByText("From 12:00 on").first().waitFor()
  await changesWhilePicked(page, pane)
  await pane.getByRole("button", { name: "Close what if" }).click()
  // A cause's group is picked from there.
  await why.getByRole("button", { name: "9", exact: true }).click()
  await page.getByRole("heading", { name: /Delivery 9/ }).waitFor()
  expect(await problemsIn(page)).toEqual([])
  expect([...strayed, ...complaints]).toEqual([])
  await close()
})

test("one file of the replay opens from disk at the moment of which it was saved, and has the command's digest", async () => {
  const { page, complaints, close } = await opened()
  await page.goto(`${server.url}#t=1:00:00&pick=order-12`)
  await page.locator("[data-digest]").waitFor()
  const downloading = page.waitForEvent("download")
  await page.getByRole("button", { name: "Save as one file" }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe("two-bridges-replay.html")
  const saved = join(folder(), "replay.html")
  await file.saveAs(saved)
  expect(complaints).toEqual([])
  await close()
  const disk = await openPage(browser, "null", { offline: true, viewport: DESK })
  await disk.page.goto(pathToFileURL(saved).href)
  await disk.page.getByText("equal to the command's").waitFor()
  await disk.page.getByRole("heading", { level: 2, name: /^Order 12 / }).waitFor()
  await expect.poll(() => clockOf(disk.page)).toBe("12:00:00")
  expect(await disk.page.getByRole("button", { name: "Save as one file" }).count()).toBe(0)
  expect([disk.strayed, disk.complaints]).toEqual([[], []])
  await disk.close()
})

test("a change from the playhead on is made by keyboard and pointer, kept in the address and the file, and taken away by a press", async () => {
  const { page, complaints, close } = await opened()
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  await page.goto(`${server.url}#t=0:40:20`)
  await page.locator("[data-digest]").waitFor()
  await page.keyboard.press("w")
  const pane = page.getByRole("complementary", { name: "What if" })
  const now = pane.getByRole("region", { name: "From 11:41 on" })
  const made = pane.getByRole("list", { name: "Changes" }).getByRole("listitem")
  await now
    .getByRole("button", { name: /^−1 Vehicles/ })
    .first()
    .focus()
  await page.keyboard.press("Enter")
  await expect
    .poll(() => made.allTextContents())
    .toEqual([expect.stringMatching(/^From 11:41 on: 1 fewer vehicle at /)])
  await pane.getByRole("button", { name: /^11:(4[1-9]|[5]\d):\d\d$|^1[2-9]:\d\d:\d\d$/ }).waitFor()
  await now.getByRole("slider", { name: "Every demand" }).focus()
  await page.keyboard.press("ArrowRight")
  await now
    .getByText(/^today × 1, \d/)
    .first()
    .waitFor()
  await page.keyboard.press("End")
  await now
    .getByText("today nearest, the sweep also tries least loaded, earliest free and batching")
    .waitFor()
  await now.getByRole("combobox", { name: "Vehicle that breaks down" }).selectOption({ index: 1 })
  await now.getByRole("button", { name: "Break down" }).click()
  await expect.poll(() => made.count()).toBe(3)
  await made
    .filter({ hasText: "times the demand" })
    .getByRole("button", { name: /^Remove/ })
    .click()
  await expect.poll(() => made.count()).toBe(2)
  const bar = page.getByRole("region", { name: "Two days" })
  await bar.getByRole("button", { name: "Both" }).click()
  await bar.getByRole("button", { name: "Changed day in full" }).click()
  const headline = bar.locator(".headline strong")
  await headline.waitFor()
  const said = await headline.textContent()
  const kept = await pane.getByRole("link", { name: "Keep as a model" }).getAttribute("href")
  const text = decodeURIComponent(kept?.split(",").slice(1).join(",") ?? "")
  const read = readFleet({ file: FILE, text, beside: (name) => readFileSync(join(FOLDER, name), "utf8") })
  expect(read.problems).toEqual([])
  expect(read.model?.changes.map(({ effects }) => [...effects.keys()])).toEqual([
    [expect.stringMatching(/^vehicles at /)],
    ["breakdown of veh_0_0002"],
  ])
  await lookInEachView(page, "replay-from-now")
  await page.getByRole("button", { name: "Copy this moment" }).click()
  await page.getByText("The address of this moment is copied.").waitFor()
  const copied = await page.evaluate("navigator.clipboard.readText()")
  await page.goto("about:blank")
  await page.goto(`${String(copied)}&set=Cooks at nowhere,3&from=0:41:00,runners at nowhere,+1`)
  await expect.poll(() => headline.textContent()).toBe(said)
  await expect.poll(() => pressedIn(bar)).toEqual(["Both", "Changed day in full"])
  await expect.poll(() => clockOf(page)).toBe("11:40:20")
  await page.getByText("Cooks at nowhere: 3; 1 more runner at nowhere").waitFor()
  expect(await problemsIn(page)).toEqual([])
  await page.getByRole("button", { name: "Close", exact: true }).click()
  await page.keyboard.press("w")
  await expect.poll(() => made.count()).toBe(2)
  // Another address in the open page: the day as it is written.
  await page.evaluate("location.hash = '#t=0:50:00'")
  await bar.waitFor({ state: "detached" })
  await expect.poll(() => new URL(page.url()).hash).toBe("#t=0:50:00")
  expect(await clockOf(page)).toBe("11:50:00")
  expect(complaints).toEqual([])
  await close()
})

/** On a phone the picked actor is its heading alone, so that the sentence, the form and what a change comes to are in sight. */
async function changesWhilePicked(page: Page, pane: Locator): Promise<void> {
  await page.setViewportSize(PHONE)
  const fewer = pane.getByRole("button", { name: /^−1 Vehicles/ }).first()
  const headline = page.getByRole("region", { name: "Two days" }).locator(".headline")
  const panel = page.getByRole("complementary", { name: "Picked actor" })
  const heading = panel.getByRole("heading", { level: 2, name: /^V1 / })
  await fewer.click()
  await headline.getByText(/promises break, \d+ as written/).waitFor()
  await page.evaluate("scrollTo(0, 0)")
  for (const part of [page.locator(".sentence h2"), headline, fewer, heading])
    expect(await isUncovered(part), String(part)).toBe(true)
  const details = panel.getByRole("heading", { name: "Last and next" })
  expect(await details.isVisible()).toBe(false)
  await lookInEachView(page, "replay-changed-while-picked", [PHONE])
  await panel.getByRole("button", { name: "Details" }).click()
  await details.waitFor()
  expect(await problemsIn(page)).toEqual([])
  await panel.getByRole("button", { name: "Less" }).click()
  await details.waitFor({ state: "hidden" })
  await pane.getByRole("button", { name: "Reset" }).click()
  await page.setViewportSize(DESK)
}

/** Its middle is on the screen, and nothing lies over it. */
async function isUncovered(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2))
  })
}

/** By name, to its panel with its journal; its address opens the same moment. */
async function picksAndReads(page: Page): Promise<void> {
  await page.keyboard.press("/")
  await page.getByRole("searchbox").fill("order-12")
  await page.keyboard.press("Enter")
  const panel = page.getByRole("complementary", { name: "Picked actor" })
  await panel.getByRole("heading", { level: 2, name: /^Order 12 / }).waitFor()
  await panel.getByText(/^entry \d+ of \d+$/).waitFor()
  const entries = panel.getByRole("list", { name: /^Entries up to now/ }).getByRole("listitem")
  expect(await entries.count()).toBeGreaterThan(1)
  await panel.getByRole("heading", { name: "Last and next" }).waitFor()
  const downloading = page.waitForEvent("download")
  await panel.getByRole("link", { name: "Save the journal" }).click()
  const journal = await (await downloading).path()
  // What `curbline inspect` opens.
  const [saved] = readRecordFile(journal)
  expect(saved?.problem).toBeNull()
  expect(saved?.index.s.length).toBe(await entries.count())
  await panel
    .getByRole("region", { name: "Machine", exact: true })
    .getByText(/allows: /)
    .waitFor()
  const { hash } = new URL(page.url())
  expect(hash).toContain("pick=order-12")
  const before = await clockOf(page)
  await page.goto("about:blank")
  await page.goto(`${server.url}${hash}`)
  await page.locator("[data-digest]").waitFor()
  await panel.getByRole("heading", { level: 2, name: /^Order 12 / }).waitFor()
  await expect.poll(() => clockOf(page)).toBe(before)
  await page.getByRole("button", { name: "Positions" }).click()
  const table = page.getByRole("region", { name: "Positions" })
  await table.getByRole("button", { name: /^V\d / }).first().click()
  await panel.getByText("Vehicle · Quayside").waitFor()
  await page.getByRole("button", { name: "Follow on the map" }).waitFor()
}

/** The day with other numbers: alone, over the one that is written, and beside it. */
async function changesANumber(page: Page): Promise<void> {
  const pane = await withFewerVehicles(page)
  const bar = page.getByRole("region", { name: "Two days" })
  await bar.getByText(/promises break, \d+ as written; \d+ orders are declined/).waitFor()
  await pane.getByText("They part at").waitFor()
  await bar.getByRole("button", { name: "Changed day" }).click()
  const open = page.locator(".counter", { hasText: "Open orders" })
  const countOf = async (): Promise<number> => Number(await open.locator(".value").textContent())
  const said = open.locator(".count-difference")
  await said.waitFor()
  const [changed, difference] = [await countOf(), await said.textContent()]
  await bar.getByRole("button", { name: "This day", exact: true }).click()
  await said.waitFor({ state: "detached" })
  expect(difference).toBe(`${countDifference(changed, await countOf())} compared with this day`)
  await bar.getByRole("button", { name: "Changed day" }).click()
  await showsBoth(page)
  await onTwentySeeds(page)
  await pane.getByRole("button", { name: "Reset" }).click()
  await bar.waitFor({ state: "detached" })
  await page.keyboard.press("w")
  await pane.waitFor({ state: "detached" })
}

/** Of the model's vehicles one is left. */
async function withFewerVehicles(page: Page): Promise<Locator> {
  await page.keyboard.press("w")
  const pane = page.getByRole("complementary", { name: "What if" })
  await pane
    .getByRole("slider", { name: /^Vehicles at / })
    .first()
    .fill("1")
  await pane.getByText(/: 1, not \d+/).waitFor()
  return pane
}

/** By keys and buttons, on a desk with a map of each day, on a phone with a switch. */
async function showsBoth(page: Page): Promise<void> {
  const bar = page.getByRole("region", { name: "Two days" })
  // A slider takes keys of its own.
  await bar.getByRole("button", { name: "Changed day", exact: true }).focus()
  await page.keyboard.press("d")
  await expect.poll(() => pressedIn(bar)).toEqual(["Both", "Changed day in full"])
  await page.keyboard.press("Home")
  await page.keyboard.press("n")
  await bar.getByText(/Here they part, with /).waitFor()
  await page.getByText(/^Difference 1 of \d+$/).waitFor()
  const parted = await clockOf(page)
  await page.keyboard.press("n")
  await bar.getByText(/Order \w+ is (saved|lost)\./).waitFor()
  await page.getByRole("button", { name: "Difference", exact: true }).click()
  await expect.poll(() => clockOf(page)).toBe(parted)
  await page
    .getByRole("img", {
      name: /A this day: \d+ breaks\. B changed day: \d+ breaks\. Wait for .*, most: A \d+, B \d+ orders/,
    })
    .waitFor()
  await page.getByText("not as in A").waitFor()
  await bar.getByRole("button", { name: "This day in full" }).click()
  await expect.poll(() => pressedIn(bar)).toEqual(["Both", "This day in full"])
  await bar.getByRole("button", { name: "Side by side" }).click()
  await page.getByRole("region", { name: "Map of A, this day" }).waitFor()
  await page.getByRole("region", { name: "Map of B, changed day" }).waitFor()
  await lookInEachView(page, "replay-two-days")
  await page.setViewportSize(PHONE)
  await bar.getByRole("button", { name: "Side by side" }).waitFor({ state: "detached" })
  await page.getByRole("region", { name: "Map", exact: true }).waitFor()
  await bar.getByRole("button", { name: "Changed day in full" }).click()
  await expect.poll(() => pressedIn(bar)).toEqual(["Both", "Changed day in full"])
  await page.setViewportSize(DESK)
}

async function pressedIn(bar: Locator): Promise<readonly (string | null)[]> {
  return bar
    .locator('.joined [aria-pressed="true"]')
    .evaluateAll((ones) => ones.map((one) => one.getAttribute("aria-label") ?? one.textContent))
}

/** In the workers of both days; what is known when it is canceled stays. */
async function onTwentySeeds(page: Page): Promise<void> {
  const seeds = page.getByRole("region", { name: "More seeds" })
  await seeds.getByRole("button", { name: "On 20 seeds" }).click()
  await seeds.getByText(/^([4-9]|\d\d) of 40 runs$/).waitFor()
  expect(await problemsIn(page)).toEqual([])
  await seeds.getByRole("button", { name: "Cancel" }).click()
  await seeds.getByRole("button", { name: "Go on to 20 seeds" }).click()
  const said = seeds.getByText(/^On 20 seeds the change breaks \d+\.\d promises a day more \(95 %: /)
  await said.waitFor()
  const [, better, same, worse] =
    /better on (\w+), same on (\w+), worse on (\w+)/.exec((await said.textContent()) ?? "") ?? []
  const counts = [better, same, worse].map((count) => (count === "none" ? 0 : Number(count)))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
  await seeds.getByRole("table").waitFor()
  await lookInEachView(page, "replay-seeds")
}

async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await problemsIn(page)).toEqual([])
  }
}

/** In both schemes, on a desk and on a phone, with somebody picked and without. */
async function staysReadable(page: Page): Promise<void> {
  for (const viewport of [DESK, PHONE]) {
    await page.setViewportSize(viewport)
    await expectReadable(page)
    const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(wide).toBeLessThanOrEqual(0)
  }
  await page.keyboard.press("Escape")
  await page.getByRole("complementary", { name: "Picked actor" }).waitFor({ state: "detached" })
  expect(await problemsIn(page)).toEqual([])
  await lookAtLargeText(page)
  await page.setViewportSize(DESK)
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keys" }).waitFor()
  expect(await problemsIn(page)).toEqual([])
  await page.keyboard.press("Escape")
}

test("what is computed can be played while the rest is computed, and after a fault", async () => {
  const { page, close } = await opened()
  await workerThat(page, null)
  await page.goto(server.url)
  const card = page.getByRole("region", { name: "Computing" })
  await card.getByText("12:30 of 14:30 is done", { exact: false }).waitFor()
  await page.locator(".hatched").getByText("computed to 12:30").waitFor()
  expect(await problemsIn(page)).toEqual([])
  await page.keyboard.press("5")
  await card.getByRole("button", { name: "Play what is done" }).click()
  // It waits at the end of what is computed, and does not stop.
  await expect.poll(() => clockOf(page)).toBe("12:30:00")
  await page.getByText("waits for the computing").waitFor()
  await page.getByRole("button", { name: "Pause" }).waitFor()
  await page.unroute(/replay-worker/)
  await workerThat(page, { type: "failed", mistake: { message: "no way leads to the store", place: null } })
  await page.reload()
  const alert = page.getByRole("alert")
  await alert.getByText("no way leads to the store").waitFor()
  await page.keyboard.press("End")
  await expect.poll(() => clockOf(page)).toBe("12:30:00")
  expect(await problemsIn(page)).toEqual([])
  await alert.getByRole("button", { name: "Compute again" }).click()
  await alert.getByText("no way leads to the store").waitFor()
  await close()
})

test("a digest unlike the command's is said above all, and an equal one beside it", async () => {
  const { page, close } = await opened()
  const openExpecting = async (expectedDigest: string): Promise<void> => {
    await page.route(server.url, async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replace(
        `"seed":${SEED}`,
        `"seed":${SEED},"expectedDigest":"${expectedDigest}"`,
      )
      await route.fulfill({ response: answer, body })
    })
    await page.goto(server.url)
    await page.unroute(server.url)
  }
  await workerThat(page, { type: "done", digest: "76b9b7645c738a43", turns: 9 })
  await openExpecting("0000000000000000")
  const alert = page.getByRole("alert")
  await alert.getByText("This is not the run of the command: their digests differ.").waitFor()
  await alert.getByText("76b9b7645c738a43").waitFor()
  await alert.getByText("0000000000000000").waitFor()
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  await alert.getByRole("button", { name: "Copy both" }).click()
  await page.getByText("Both digests are copied.").waitFor()
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
    "this page: 76b9b7645c738a43\nthe command: 0000000000000000\n",
  )
  await lookInEachView(page, "replay-unlike-digest")
  await openExpecting("76b9b7645c738a43")
  await page.getByText("equal to the command's").waitFor()
  expect(await page.getByRole("alert").count()).toBe(0)
  await close()
})

test("without motion it starts paused, and goes on in steps of a virtual minute", async () => {
  const { page, close } = await opened()
  await page.emulateMedia({ reducedMotion: "reduce" })
  await page.goto(server.url)
  await page.locator("[data-digest]").waitFor()
  expect(await clockOf(page)).toBe("11:00:00")
  await page.getByRole("button", { name: "Play", exact: true }).click()
  const seen = new Set<string | null>()
  await expect
    .poll(async () => {
      seen.add(await clockOf(page))
      return seen.size
    })
    .toBeGreaterThan(2)
  for (const time of seen) expect(time).toMatch(/:00$/)
  await close()
})
