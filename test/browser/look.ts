/** A page as its readers meet it: on a desk and on a phone, in light colours and in dark ones. */

import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { drawn, problemsIn } from "./chromium.ts"

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** Each width and each scheme once: what a scheme changes are colours, which no width changes. */
const VIEWS = [
  { ...PHONE, colors: "dark" },
  { ...DESK, colors: "light" },
] as const

/** The elements that reach beyond the right edge, if the page can be scrolled sideways. */
const WIDER_THAN_THE_SCREEN = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))`

/** The same for a person who reads text at twice its size, on a phone and on a desk. */
export async function lookAtLargeText(page: Page): Promise<void> {
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  for (const { width, height } of [VIEWS[0], { width: 1280, height: 800 }]) {
    await page.setViewportSize({ width, height })
    expect(await page.evaluate(WIDER_THAN_THE_SCREEN), `${page.url()} at ${width} px`).toEqual([])
  }
  await page.evaluate("document.documentElement.style.fontSize = ''")
}

/** axe finds nothing, and nothing is wider than the screen. The page is left as on a desk, in light. */
export async function look(page: Page, what = page.url()): Promise<void> {
  await drawn(page)
  for (const { width, height, colors } of VIEWS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: colors })
    const where = `${what} at ${width} px, ${colors}`
    // The bar above the page would cover a part of a row that is scrolled below it.
    await page.evaluate("scrollTo(0, 0)")
    expect(await problemsIn(page), where).toEqual([])
    expect(await page.evaluate(WIDER_THAN_THE_SCREEN), where).toEqual([])
  }
}

/**
 * axe finds nothing at any of these widths, in light and in dark, and nothing is wider than the screen. The page is left as wide as it
 * was, in light. `CURBLINE_PICTURES` names a folder for a picture of each view.
 */
export async function lookInEachView(
  page: Page,
  name: string,
  widths: readonly { readonly width: number; readonly height: number }[] = [DESK, PHONE],
): Promise<void> {
  const before = page.viewportSize() ?? DESK
  const pictures = process.env["CURBLINE_PICTURES"]
  for (const size of widths) {
    await page.setViewportSize(size)
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme })
      const where = `${name}-${size.width}-${colorScheme}`
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${where}.png`), fullPage: true })
      expect(await problemsIn(page), where).toEqual([])
      expect(await page.evaluate(WIDER_THAN_THE_SCREEN), where).toEqual([])
    }
  }
  await page.setViewportSize(before)
}
