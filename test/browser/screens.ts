/**
 * Takes a picture of every page of the service: `npm run screens`. Each is taken at 1440 and 390 px, light and dark. They go to
 * `.curbline/screens`, which Git ignores.
 */

import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { freePort } from "../free-port.ts"
import { dataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { newContext, startChromium } from "./chromium.ts"
import { everyPage, passkeyPage } from "./every-page.ts"
import { signUp } from "./portal-account.ts"
import type { Shot } from "./portal-states.ts"

const FOLDER = fileURLToPath(new URL("../../.curbline/screens/", import.meta.url))

const VIEWS = [
  { width: 1440, height: 900, colors: "light" },
  { width: 1440, height: 900, colors: "dark" },
  { width: 390, height: 844, colors: "light" },
  { width: 390, height: 844, colors: "dark" },
] as const

/** ms until a page without a mark of its own counts as drawn. */
const DRAWN_MS = 700

async function shoot(page: Page, { name, url, act, isPlaced = false }: Shot): Promise<void> {
  const open = async (): Promise<void> => {
    await page.goto("about:blank")
    await page.goto(url)
    await page.waitForTimeout(DRAWN_MS)
    await act?.(page)
    await page.evaluate("scrollTo(0, 0)")
  }
  if (!isPlaced) await open()
  for (const { width, height, colors } of VIEWS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: colors, reducedMotion: "reduce" })
    if (isPlaced) await open()
    await page.screenshot({ path: join(FOLDER, `${name}.${width}.${colors}.png`), fullPage: true })
  }
}

async function shootPasskey(page: Page): Promise<void> {
  const ports = [await freePort(), await freePort()] as const
  const origin = `http://localhost:${ports[0]}`
  const service = await startProcess(dataFolder(), ports, { env: { CURBLINE_PRODUCTION_URL: origin } })
  try {
    await signUp(page, service, { origin })
    await passkeyPage(page, origin, shoot)
  } finally {
    await service.stop()
  }
}

async function shootAll(browser: Browser, service: ServiceProcess): Promise<void> {
  const page = await (await newContext(browser)).newPage()
  await everyPage(page, service, shoot)
  await shootPasskey(page)
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const [browser, service] = await Promise.all([startChromium(), startProcess(dataFolder())])
try {
  await shootAll(browser, service)
} finally {
  await browser.close()
  await service.stop()
}
