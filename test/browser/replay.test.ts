/** Fleet replay in a real browser: a shipped model computes, plays, is scrubbed and picked from; the page waits, fails and is read as it should be. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readFleetFile } from "../../src/cli/fleets/fleet-files.ts"
import { replayRequest } from "../../src/cli/fleets/replay-pages.ts"
import { serveReplay } from "../../src/cli/fleets/fleet-watch.ts"
import type { Loopback } from "../../src/pages/bundling/loopback.ts"
import { casesOf, inCase } from "../../src/simulation/fleet/language/cases.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { ROOT } from "../cli/command-line.ts"
import { madeUpChunk, madeUpHead, partOf } from "../pages/web/made-up-course.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"

const FOLDER = join(ROOT, "scenarios/fleets")
const FILE = join(FOLDER, "two-bridges.yaml")
const SEED = 1
const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

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
  const { model } = readFleetFile(FILE)
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

/** By name, to its panel with its journal; its address opens the same moment. */
async function picksAndReads(page: Page): Promise<void> {
  await page.keyboard.press("/")
  await page.getByRole("searchbox").fill("order-12")
  await page.keyboard.press("Enter")
  const panel = page.getByRole("complementary", { name: "Picked actor" })
  await panel.getByRole("heading", { level: 2, name: /^Order 12 / }).waitFor()
  await panel.getByText(/^\d+ of \d+ entries$/).waitFor()
  const entries = panel.getByRole("list", { name: /^Entries up to now/ }).getByRole("listitem")
  expect(await entries.count()).toBeGreaterThan(1)
  await panel.getByRole("heading", { name: "Last and next" }).waitFor()
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

/** The day with other numbers beside the one that is written. */
async function changesANumber(page: Page): Promise<void> {
  await page.keyboard.press("w")
  const pane = page.getByRole("complementary", { name: "What if" })
  await pane
    .getByRole("slider", { name: /^Vehicles at / })
    .first()
    .fill("3")
  await pane.getByText(/: 3, not \d+/).waitFor()
  await pane.getByRole("heading", { level: 3, name: /promises break/ }).waitFor()
  await pane.getByText("They part at").waitFor()
  const written = await lateOf(page)
  await page.keyboard.press("m")
  await pane.getByRole("button", { name: "Changed" }).click()
  await page.keyboard.press("m")
  await expect.poll(() => lateOf(page)).toBeGreaterThan(written)
  await expectReadable(page)
  await pane.getByRole("button", { name: "Reset" }).click()
  await pane.getByRole("button", { name: "Changed" }).waitFor({ state: "detached" })
  await page.keyboard.press("w")
  await pane.waitFor({ state: "detached" })
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
  await page.setViewportSize(DESK)
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keys" }).waitFor()
  expect(await problemsIn(page)).toEqual([])
  await page.keyboard.press("Escape")
}

/** A worker that says the first hour and a half of a made-up run, and then what is given; without it, nothing more. */
async function workerThat(page: Page, end: object | null): Promise<void> {
  const part = partOf(madeUpChunk(), 0, 90 * 60_000)
  const text = JSON.stringify(part, (_, value: unknown) =>
    ArrayBuffer.isView(value) ? { column: value.constructor.name, rows: [...(value as Uint32Array)] } : value,
  )
  const script = `
    const made = JSON.parse(${JSON.stringify(text)}, (_, value) => value?.column ? new globalThis[value.column](value.rows) : value)
    self.onmessage = ({ data: { type, token } }) => {
      if (type !== "open") return
      postMessage({ type: "opened", token, head: ${JSON.stringify(madeUpHead())}, numbers: [] })
      postMessage({ type: "chunk", token, turns: 4812, chunk: made })
      const end = ${JSON.stringify(end)}
      if (end !== null) postMessage({ ...end, token })
    }`
  await page.route(/replay-worker/, (route) =>
    route.fulfill({ body: script, contentType: "text/javascript" }),
  )
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
