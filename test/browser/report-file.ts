/** A report as a file on a disk: opened without a network, at both widths and in both schemes. */

import type { Browser, Page } from "playwright-core"
import { expect } from "vitest"
import { openPage, problemsIn } from "./chromium.ts"

export const REPORT_VIEWS = [
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 1440 },
  { colorScheme: "light", width: 390 },
  { colorScheme: "dark", width: 390 },
] as const

type ReportView = (typeof REPORT_VIEWS)[number]

/** `check` looks at what this report shows. axe finds nothing, closed and opened, and nothing is wider than the screen. */
export async function checkFromDisk(
  browser: Browser,
  { address, view: { colorScheme, width } }: { readonly address: string; readonly view: ReportView },
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const options = { offline: true, colorScheme, viewport: { width, height: 900 } }
  const { page, strayed, complaints, close } = await openPage(browser, "null", options)
  await page.goto(address)
  await check(page)
  expect(await problemsIn(page)).toEqual([])
  for (const summary of await page.locator("summary").all()) await summary.click()
  expect(await problemsIn(page)).toEqual([])
  const isTooWide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
  expect(isTooWide).toBe(false)
  expect([strayed, complaints]).toEqual([[], []])
  await close()
}
