import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { BOOKED, DELIVERED, ON_THE_WAY, OPEN, PAID, openPages } from "./courier-pages.ts"
import type { Pages } from "./courier-pages.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"

let browser: Browser
let pages: Pages

beforeAll(async () => {
  ;[browser, pages] = await Promise.all([startChromium(), openPages()])
})
beforeEach(() => {
  Object.assign(pages, { checkout: OPEN, results: {}, tracking: BOOKED, views: 0, isBroken: false })
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
    await page.reload()
    expect(pages.paid).toEqual(["spt_declined_checkout", "spt_ok_checkout"])
    expect([strayed, complaints.filter((one) => !one.includes("402"))]).toEqual([[], []])
    await close()
  })
})

describe("the tracking page in a browser", () => {
  test("follows the delivery without a reload, on its own script alone, until it is over", async () => {
    const { page, strayed, complaints, close } = await openPage(browser, pages.origin)
    await page.clock.install()
    await page.goto(`${pages.origin}/track/t1`)
    await page.evaluate("void (globalThis.wasHere = true)")
    expect(await page.getByRole("status").textContent()).toContain("Booked")
    expect(await page.locator("svg.map").count()).toBe(0)

    pages.tracking = ON_THE_WAY
    await page.clock.runFor(10_000)
    await page.getByText("On the way to you").waitFor()
    expect(await page.title()).toContain("On the way to you")
    expect(await page.getByRole("img").getAttribute("aria-label")).toContain("southwest of the Capitol")
    expect(await page.getByText("At 30.26543, -97.74321").count()).toBe(1)

    pages.tracking = {
      ...ON_THE_WAY,
      vehicle: { latitude: 30.28, longitude: -97.73, recordedAtMs: ON_THE_WAY.updatedAtMs + 60_000 },
    }
    await page.clock.runFor(10_000)
    await page.getByText("At 30.28000, -97.73000").waitFor()

    pages.tracking = DELIVERED
    await page.clock.runFor(10_000)
    await page.getByText("Delivered").waitFor()
    const asked = pages.views
    await page.clock.runFor(60_000)
    expect(pages.views).toBe(asked)
    expect(await page.evaluate("globalThis.wasHere === true")).toBe(true)
    expect([strayed, complaints]).toEqual([[], []])
    await close()
  })

  test("keeps what it shows while the service is away, and goes on when it is back", async () => {
    const { page, close } = await openPage(browser, pages.origin)
    await page.clock.install()
    await page.goto(`${pages.origin}/track/t1`)
    pages.isBroken = true
    const refused = page.waitForResponse((response) => response.status() === 500)
    await page.clock.runFor(10_000)
    await refused
    expect(await page.getByRole("status").textContent()).toContain("Booked")
    Object.assign(pages, { isBroken: false, tracking: ON_THE_WAY })
    await page.clock.runFor(10_000)
    await page.getByText("On the way to you").waitFor()
    await close()
  })

  test("is refreshed by a link where there is no script", async () => {
    const { page, close } = await openPage(browser, pages.origin, { javaScriptEnabled: false })
    await page.goto(`${pages.origin}/track/t1`)
    expect(await page.getByText("follows the delivery by itself").isVisible()).toBe(false)
    pages.tracking = ON_THE_WAY
    await page.getByRole("link", { name: "Refresh" }).click()
    await page.getByText("On the way to you").waitFor()
    await close()
  })
})

describe("axe finds nothing", () => {
  test.each(["light", "dark"] as const)(
    "in %s, wide and narrow, and nothing scrolls sideways",
    async (colorScheme) => {
      const { page, strayed, close } = await openPage(browser, pages.origin, { colorScheme })
      const look = async (): Promise<void> => {
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 })
          const where = `${await page.title()} ${colorScheme} ${width}`
          expect(await problemsIn(page), where).toEqual([])
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where).toBe(true)
        }
      }
      pages.results = { spt_ok_checkout: { type: "declined" } }
      await page.goto(`${pages.origin}/pay/t1`)
      await look()
      await page.getByRole("button").click()
      await page.getByRole("alert").waitFor()
      await look()
      pages.checkout = PAID
      await page.goto(`${pages.origin}/pay/t1`)
      await look()
      for (const tracking of [ON_THE_WAY, DELIVERED] as const) {
        pages.tracking = tracking
        await page.goto(`${pages.origin}/track/t1`)
        await look()
      }
      expect(strayed).toEqual([])
      await close()
    },
  )
})
