/**
 * A real browser for the tests of pages: the machine's own Chromium without a window, driven by playwright-core, which brings
 * none. A page may reach the server under test and nothing else.
 */

import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { chromium } from "playwright-core"
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from "playwright-core"
import { TestRunner, onTestFailed } from "vitest"
import { chromiumPath } from "./chromium-path.ts"

/** Bounds against hanging, far above what a busy machine takes; no test asserts a speed. */
const START_MS_MAX = 900_000
const STEP_MS_MAX = 400_000
const TEXT_MS_MAX = 30_000

/** Playwright switches Chromium's sandbox off, because root cannot use it. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), timeout: START_MS_MAX })
}

/** With time for each step. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(STEP_MS_MAX)
  if (TestRunner.getCurrentTest() !== undefined) onTestFailed(() => describePages(context))
  return context
}

/** Adds what each page shows to the failure, as an error; a test that has closed its pages adds none. */
async function describePages(context: BrowserContext): Promise<void> {
  const shown: string[] = []
  for (const page of context.pages()) {
    const text = await page.innerText("body", { timeout: TEXT_MS_MAX }).catch(String)
    shown.push(`${page.url()} shows:\n${text}`)
  }
  if (shown.length > 0) throw new Error(shown.join("\n\n"))
}

export interface OpenedPage {
  readonly page: Page
  /** What went to another origin; must stay empty. */
  readonly strayed: readonly string[]
  /** What the browser complained of: scripts that failed, and what the policy forbade. */
  readonly complaints: readonly string[]
  readonly close: () => Promise<void>
}

/** The time of the page stands still but for `page.clock.runFor`. */
export async function stopClock({ clock }: Page): Promise<void> {
  const nowMs = Date.now()
  // It goes on until it is stopped, and can only be stopped later than it is.
  await clock.install({ time: nowMs - 3_600_000 })
  await clock.pauseAt(nowMs)
}

/** A page of its own, with no past. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await newContext(browser, options)
  const strayed: string[] = []
  const complaints: string[] = []
  const page = await context.newPage()
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) strayed.push(request.url())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  return { page, strayed, complaints, close: () => context.close() }
}

/** The service sends a frame with its heading, which the page's script replaces. Waits until it has. */
export async function drawn(page: Page): Promise<void> {
  await page.locator('.opening[aria-busy="true"]').waitFor({ state: "detached" })
}

const require = createRequire(import.meta.url)
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

/** What axe finds, one line a problem; evaluated in the page's own world, which no policy of the page forbids. */
export async function problemsIn(page: Frame | Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
        }>
      }
    }
    const runOnly = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
    // To write a selector for each element that passes takes longer than all checks.
    const { violations } = await axe.run({ runOnly, resultTypes: ["violations"], selectors: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    )
  })
}

/** Goes on with Tab until something of that name has the focus: what its label says, or what it says itself. */
export async function tabTo(page: Page, name: RegExp | string): Promise<void> {
  const isIt = (text: string): boolean => (typeof name === "string" ? text === name : name.test(text))
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press("Tab")
    // Between its end and its beginning nothing of the page has it.
    const focused = await page.evaluate<string>(`(() => {
      const { activeElement: found, body } = document
      const label = found.getAttribute("aria-label") ?? (found.labels?.[0] ?? found).textContent
      return found === body ? "" : label.trim()
    })()`)
    if (isIt(focused)) return
  }
  throw new Error(`Tab leads to nothing that is called ${String(name)}`)
}
