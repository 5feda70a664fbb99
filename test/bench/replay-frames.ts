/**
 * A replay of 1,000 vehicles in headless Chromium: work of the page for each frame at ×300, the time from a press on the time line
 * to its picture, and the page's memory early and late in the day. `npm run bench -- replay-frames`; `--quick` has 200 vehicles. Wanted:
 * 8 ms a frame, 50 ms for a press, memory that does not grow. It prints them and never fails for being slow; the day's digest must be
 * the one of `curbline fleet`.
 */

import type { CDPSession, Page } from "playwright-core"
import { replayRequest } from "../../src/simulation/fleet/replay/replay-request.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import { casesOf, inCase } from "../../src/simulation/fleet/language/cases.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { serveReplay } from "../../src/cli/fleets/fleet-watch.ts"
import { newContext, startChromium } from "../browser/chromium.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const SITES = isQuick ? 4 : 20
const VEHICLES_A_SITE = 50
const PLAY_MS = 8_000
const PRESSES = 20
const MEGABYTE = 2 ** 20

/** Sites in a grid over a city; each has its own stores and vehicles. */
function cityText(): string {
  const sites = Array.from({ length: SITES }, (_, at) => ({
    name: `site-${at}`,
    at: [30.2 + 0.04 * Math.floor(at / 5), -97.9 + 0.05 * (at % 5)],
  }))
  return [
    "fleet: A thousand vehicles",
    "because: Does the page keep up with them?",
    "clock: 2026-03-06T10:00 America/Chicago",
    "horizon: 8h",
    "sites:",
    ...sites.map(
      ({ name, at }) =>
        `  - { as: ${name}, at: [${at.join(", ")}], reach_km: 3, stalls: 8, runners: 4, vehicles: ${VEHICLES_A_SITE}, stores: [{ as: kitchen, preparation: 6m, cooks: 30 }] }`,
    ),
    "demand:",
    ...sites.flatMap(({ name }) => [
      `  - { product: delivery, site: ${name}, per_hour: 90 }`,
      `  - { product: reservation, site: ${name}, per_hour: 12 }`,
    ]),
    "",
  ].join("\n")
}

interface Counted {
  /** Processor time of the page's own work: script, styles and layout. Unit: ms. */
  readonly ownMs: number
  /** All of the main thread; without a graphics processor also the drawing of the canvas. Unit: ms. */
  readonly taskMs: number
  readonly heap: number
}

async function counted(session: CDPSession): Promise<Counted> {
  await session.send("HeapProfiler.collectGarbage")
  const { metrics } = await session.send("Performance.getMetrics")
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  const own = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"]
  return {
    ownMs: own.reduce((sum, name) => sum + of(name), 0) * 1000,
    taskMs: of("TaskDuration") * 1000,
    heap: of("JSHeapUsedSize"),
  }
}

const framesIn = (page: Page, ms: number): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    let frames = 0
    const until = performance.now() + ${ms}
    const next = () => {
      frames += 1
      if (performance.now() < until) requestAnimationFrame(next)
      else resolve(frames)
    }
    requestAnimationFrame(next)
  })`)

/** For each frame, while it plays from an hour of the day on. */
async function played(page: Page, session: CDPSession, hour: number): Promise<Counted> {
  await page.evaluate(`location.hash = "#t=${hour}:00:00"`)
  await page.getByRole("button", { name: "×300" }).click()
  await page.getByRole("button", { name: "Play", exact: true }).click()
  await framesIn(page, 1_000)
  const before = await counted(session)
  const frames = await framesIn(page, PLAY_MS)
  const { ownMs, taskMs, heap } = await counted(session)
  await page.getByRole("button", { name: "Pause" }).click()
  return { ownMs: (ownMs - before.ownMs) / frames, taskMs: (taskMs - before.taskMs) / frames, heap }
}

/** The median time from a press on the time line to the frame after next. Unit: ms. */
async function scrubbed(page: Page): Promise<number> {
  const line = await page.getByRole("slider", { name: "Instant" }).boundingBox()
  const times: number[] = []
  for (let press = 0; press < PRESSES; press += 1) {
    const x = (line?.x ?? 0) + ((line?.width ?? 0) * ((press * 7) % PRESSES)) / PRESSES
    await page.evaluate(`addEventListener("pointerdown", () => {
      const began = performance.now()
      requestAnimationFrame(() => setTimeout(() => { window.took = performance.now() - began }))
    }, { once: true, capture: true }), window.took = null`)
    await page.mouse.click(x, (line?.y ?? 0) + (line?.height ?? 0) / 2)
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
      const look = () => (window.took === null ? requestAnimationFrame(look) : resolve(window.took))
      look()
    })`),
    )
  }
  return times.toSorted((a, b) => a - b)[PRESSES / 2] ?? Number.NaN
}

export async function benchReplayFrames(): Promise<void> {
  printMachine()
  const text = cityText()
  const { model, problems } = readFleet({ file: "city.yaml", text, beside: () => null })
  if (model === null) throw new Error(problems.map(({ message }) => message).join("; "))
  const { digest } = replicate(inCase(model, casesOf(model)[0] ?? []), { seed: 1 })
  const run = replayRequest({ file: "city.yaml", text, seed: 1 }, () => null)
  const [server, browser] = await Promise.all([serveReplay(run, "A thousand vehicles"), startChromium()])
  try {
    const page = await (await newContext(browser, { viewport: { width: 1440, height: 900 } })).newPage()
    const began = performance.now()
    await page.goto(`${server.url}#t=0:00:00`)
    const shown = await page.locator("[data-digest]").getAttribute("data-digest")
    console.log(`${SITES * VEHICLES_A_SITE} vehicles computed in ${Math.round(performance.now() - began)} ms`)
    if (shown !== digest) throw new Error(`the page has the digest ${shown}, the command ${digest}`)
    const session = await page.context().newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    for (const hour of [1, 6]) {
      const { ownMs, taskMs, heap } = await played(page, session, hour)
      console.log(
        `×300 from ${hour} h: ${ownMs.toFixed(1)} ms a frame of the page, ${taskMs.toFixed(1)} ms with the drawing; heap ${Math.round(heap / MEGABYTE)} MB`,
      )
    }
    console.log(`press on the time line to its picture: ${(await scrubbed(page)).toFixed(0)} ms (median)`)
  } finally {
    await browser.close()
    await server.close()
  }
}
