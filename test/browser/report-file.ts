/** A report as a file on a disk: opened without a network, at both widths and in both schemes. */

import type { Browser, Page } from "playwright-core"
import { expect } from "vitest"
import { openPage } from "./chromium.ts"
import { DESK, PHONE, lookInEachView } from "./look.ts"

export const REPORT_WIDTHS = [DESK, PHONE]

/**
 * `check` looks at what this report shows at this width. In both schemes axe finds nothing, closed and opened, and nothing is wider
 * than the screen.
 */
export async function checkFromDisk(
  browser: Browser,
  { address, viewport }: { readonly address: string; readonly viewport: typeof DESK },
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, strayed, complaints, close } = await openPage(browser, "null", { offline: true, viewport })
  await page.goto(address)
  await check(page)
  await lookInEachView(page, "closed", [viewport])
  // What the check opened stays open.
  for (const summary of await page.locator("summary").all())
    if (!(await summary.evaluate((element) => element.parentElement?.hasAttribute("open"))))
      await summary.click()
  await lookInEachView(page, "opened", [viewport])
  expect([strayed, complaints]).toEqual([[], []])
  await close()
}
