import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OPEN, PAID, UNCLEAR, openPages } from "./courier-pages.ts"
import type { Pages } from "./courier-pages.ts"
import { openPage, startChromium } from "./chromium.ts"
import { lookInEachView } from "./look.ts"

let browser: Browser
let pages: Pages

beforeAll(async () => {
  ;[browser, pages] = await Promise.all([startChromium(), openPages()])
})
beforeEach(() => {
  Object.assign(pages, { checkout: OPEN, results: {}, isBroken: false })
  pages.paid.length = 0
})
afterAll(() => Promise.all([browser.close(), pages.close()]))

describe("the checkout page in a browser", () => {
  test("works by keyboard alone and without script: declined first, then paid, and paid once", async () => {
    pages.results = { spt_declined_checkout: { type: "declined" } }
    const { page, strayed, complaints, close } = await openPage(browser, pages.origin, {
      javaScriptEnabled: false,
    })
    await page.goto(`${pages.origin}/pay/t1`)
    expect(await page.getByRole("heading").textContent()).toContain("$4.95")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByRole("alert").waitFor()
    expect(await page.getByRole("alert").textContent()).toContain("declined")
    await page.getByLabel("A card that is accepted").check()
    await page.getByRole("button").click()
    await page.getByText("already paid").waitFor()
    await page.goBack()
    await page.getByText("already paid").waitFor()
    await page.reload()
    expect(pages.paid).toEqual(["spt_declined_checkout", "spt_ok_checkout"])
    expect([strayed, complaints.filter((one) => !one.includes("402"))]).toEqual([[], []])
    await close()
  })
})

describe("axe finds nothing", () => {
  test("in light and dark, wide and narrow, and nothing scrolls sideways", async () => {
    const { page, strayed, close } = await openPage(browser, pages.origin)
    const look = async (): Promise<void> => lookInEachView(page, await page.title())
    pages.results = { spt_ok_checkout: { type: "declined" } }
    await page.goto(`${pages.origin}/pay/t1`)
    await look()
    await page.getByRole("button").click()
    await page.getByRole("alert").waitFor()
    await look()
    pages.checkout = UNCLEAR
    await page.goto(`${pages.origin}/pay/t1`)
    await look()
    pages.checkout = PAID
    await page.getByRole("link", { name: "Look again" }).click()
    await page.getByText("already paid").waitFor()
    await page.goto(`${pages.origin}/pay/t1`)
    await look()
    expect(strayed).toEqual([])
    await close()
  })
})
