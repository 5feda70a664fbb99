/**
 * Pages on a slow line, in headless Chromium: until the first text is seen, until the page is drawn, and what arrived. Every page is
 * opened once with an empty cache, over 400 kbit/s with 100 ms there and back. `npm run bench -- first-paint`; `-- first-paint --pictures`
 * also takes a picture of each first paint. Wanted: the first paint under 3 s; where one is missed, it ends with 1.
 */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core"
import { ScenarioFolder } from "../../src/cli/studio/folder.ts"
import { serveStudio } from "../../src/cli/studio/server.ts"
import { startChromium } from "../browser/chromium.ts"
import { signUp } from "../browser/portal-account.ts"
import { booking, call, dataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { printMachine } from "./machine-line.ts"

const FIRST_PAINT_MAX_MS = 3_000
const BYTES_PER_SECOND = 400_000 / 8
const LATENCY_MS = 100
const DRAWN_MAX_MS = 60_000
const PICTURES = fileURLToPath(new URL("../../.curbline/first-paint/", import.meta.url))

interface Opened {
  readonly name: string
  readonly url: string
  /** Appears only when the page's script has drawn the page. */
  readonly drawn: string
  /** With a session's cookies; default: a visitor without. */
  readonly as?: BrowserContext
}

export async function benchFirstPaint(): Promise<void> {
  printMachine()
  const [browser, service] = await Promise.all([startChromium(), startProcess(dataFolder())])
  const scenarios = fileURLToPath(new URL("../../scenarios", import.meta.url))
  const studio = await serveStudio(new ScenarioFolder(scenarios))
  try {
    const pages = await pagesOf(browser, service, studio.url)
    console.log("page                first paint   drawn   script    style     font      HTML and rest")
    for (const page of pages) await measure(browser, page)
  } finally {
    await browser.close()
    await service.stop()
    await studio.close()
  }
}

async function pagesOf(
  browser: Browser,
  service: ServiceProcess,
  studio: string,
): Promise<readonly Opened[]> {
  const { production, sandbox } = service.urls
  const { access } = service
  const member = await browser.newContext()
  await signUp(await member.newPage(), service, { origin: production })
  const operator = await browser.newContext()
  await operator.request.post(`${production}/ops/api/session`, {
    headers: { origin: production },
    data: { token: access.production.operator_token },
  })
  const site = `${production}/ops/sites/${access.production.site_id}`
  const group = await groupIn(browser, service)
  const scenario = "#file=reservations/the-bot-never-shows-up.yaml"
  return [
    { name: "start", url: sandbox, drawn: "table" },
    { name: "portal sign-in", url: `${production}/portal/sign-in`, drawn: "form" },
    { name: "portal home", url: `${production}/portal`, drawn: ".person", as: member },
    { name: "portal account", url: `${production}/portal/account`, drawn: ".person", as: member },
    { name: "ops sign-in", url: `${production}/ops/sign-in`, drawn: "form" },
    { name: "ops sites", url: `${production}/ops`, drawn: ".who", as: operator },
    { name: "ops board", url: site, drawn: ".board", as: operator },
    { name: "ops settings", url: `${production}/ops/settings`, drawn: ".who", as: operator },
    { name: "kiosk", url: `${site}/kiosk`, drawn: ".kiosk-stalls", as: operator },
    { name: "runner", url: `${production}/runner`, drawn: "main ol" },
    { name: "studio", url: studio, drawn: ".panes" },
    { name: "studio, a file", url: `${studio}${scenario.replace("#", "&")}`, drawn: ".cm-editor" },
    { name: "inspector list", url: `${sandbox}/inspect`, drawn: "table", as: group.context },
    { name: "inspector group", url: group.url, drawn: "#views", as: group.context },
    {
      name: "connector",
      url: `${production}/api/delivery-mcp/oauth/authorize?client_id=none`,
      drawn: "main",
    },
    { name: "docs", url: `${sandbox}/docs`, drawn: "nav" },
  ]
}

/** A reservation's group, and a context that is signed in to the inspector. */
async function groupIn(
  browser: Browser,
  { urls, access }: ServiceProcess,
): Promise<{ readonly url: string; readonly context: BrowserContext }> {
  await call(
    access.sandbox,
    "POST",
    "/rs/v1/reservations",
    booking(access.sandbox, "https://example.com/open"),
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${urls.sandbox}/inspect`)
  await page.getByLabel("Operator token").fill(access.sandbox.operator_token)
  await page.keyboard.press("Enter")
  const link = page.locator("tbody th a").first()
  await link.waitFor()
  const url = new URL((await link.getAttribute("href")) ?? "", urls.sandbox).href
  return { url, context }
}

async function measure(browser: Browser, opened: Opened): Promise<void> {
  const storageState = await opened.as?.storageState()
  const fresh = (): Promise<BrowserContext> =>
    browser.newContext({
      viewport: { width: 1440, height: 900 },
      ...(storageState === undefined ? {} : { storageState }),
    })
  // In a checkout the first request of a page waits for its bundle, and the first of a file for its compression.
  const earlier = await fresh()
  const warm = await earlier.newPage()
  await warm.goto(opened.url)
  await warm.locator(opened.drawn).first().waitFor({ timeout: DRAWN_MAX_MS })
  await earlier.close()
  const context = await fresh()
  const page = await context.newPage()
  const bytes = await countedBytes(page)
  const session = await context.newCDPSession(page)
  await session.send("Network.enable")
  const line = { offline: false, latency: LATENCY_MS }
  await session.send("Network.emulateNetworkConditions", {
    ...line,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  })
  const startedMs = performance.now()
  await page.goto(opened.url, { waitUntil: "commit", timeout: DRAWN_MAX_MS })
  const paintedMs = await page.evaluate<number>(FIRST_PAINT_MS)
  if (process.argv.includes("--pictures")) await picture(session, opened.name)
  await page.locator(opened.drawn).first().waitFor({ timeout: DRAWN_MAX_MS })
  const drawnMs = performance.now() - startedMs
  print(opened.name, paintedMs, drawnMs, bytes())
  if (paintedMs >= FIRST_PAINT_MAX_MS) process.exitCode = 1
  await context.close()
}

const FIRST_PAINT_MS = `new Promise((done) =>
  new PerformanceObserver((list) => {
    const found = list.getEntries().find(({ name }) => name === "first-contentful-paint")
    if (found !== undefined) done(found.startTime)
  }).observe({ type: "paint", buffered: true }),
)`

type Bytes = Record<"font" | "rest" | "script" | "style", number>

/** As they came over the line. */
async function countedBytes(page: Page): Promise<() => Bytes> {
  const session = await page.context().newCDPSession(page)
  await session.send("Network.enable")
  const kinds = new Map<string, keyof Bytes>()
  const bytes: Bytes = { font: 0, rest: 0, script: 0, style: 0 }
  session.on("Network.responseReceived", ({ requestId, type }) => {
    const kind = { Font: "font", Script: "script", Stylesheet: "style" }[type as string] ?? "rest"
    kinds.set(requestId, kind as keyof Bytes)
  })
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes[kinds.get(requestId) ?? "rest"] += encodedDataLength
  })
  return () => bytes
}

/** At once: a page's own screenshot would wait for its typefaces. */
async function picture(session: CDPSession, name: string): Promise<void> {
  const { data } = await session.send("Page.captureScreenshot", { format: "png" })
  mkdirSync(PICTURES, { recursive: true })
  writeFileSync(join(PICTURES, `${name.replaceAll(/\W+/g, "-")}.png`), Buffer.from(data, "base64"))
}

function print(name: string, paintedMs: number, drawnMs: number, bytes: Bytes): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  const kilobytes = (of: number): string => `${(of / 1000).toFixed(1)} kB`.padEnd(10)
  console.log(
    `${name.padEnd(20)}${seconds(paintedMs).padEnd(14)}${seconds(drawnMs).padEnd(8)}` +
      [bytes.script, bytes.style, bytes.font, bytes.rest].map(kilobytes).join(""),
  )
}
