import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { openPage, startChromium, stopClock } from "./chromium.ts"
import { DESK, PHONE, lookInEachView } from "./look.ts"
import {
  AT_THE_DOOR,
  BOOKED,
  DELIVERED,
  NARROW_ALONE,
  ON_THE_WAY,
  TRACKING_STATES,
  atDoorWith,
  openTracking,
} from "./tracking-pages.ts"
import type { TrackingPages } from "./tracking-pages.ts"

let browser: Browser
let pages: TrackingPages

beforeAll(async () => {
  ;[browser, pages] = await Promise.all([startChromium(), openTracking()])
})
beforeEach(() => {
  Object.assign(pages, {
    shown: BOOKED,
    views: 0,
    isBroken: false,
    digits: [],
    onOpen: () => atDoorWith("opening"),
  })
})
afterAll(() => Promise.all([browser.close(), pages.close()]))

const spoken = (page: Page): Promise<string | null> => page.getByRole("status").textContent()

describe("the tracking page in a browser", () => {
  test("follows the delivery without a reload until it is over, and speaks steps and larger changes alone", async () => {
    const { page, strayed, complaints, close } = await openPage(browser, pages.origin)
    await stopClock(page)
    await page.goto(`${pages.origin}/track/t1`)
    await page.evaluate("void (globalThis.wasHere = true)")
    await page.getByRole("heading", { name: "Arrives in 32 to 44 min" }).waitFor()
    expect(await page.getByRole("link", { name: "Refresh" }).count()).toBe(0)
    expect(await spoken(page)).toBe("")

    const { arrival } = BOOKED
    if (arrival === null) throw new Error("a booked delivery has an arrival")
    const later = (minutes: number): typeof arrival => ({
      fromMs: arrival.fromMs + minutes * 60_000,
      toMs: arrival.toMs + minutes * 60_000,
    })
    pages.shown = { ...BOOKED, arrival: later(1) }
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "Arrives in 33 to 45 min" }).waitFor()
    expect(await spoken(page)).toBe("")
    pages.shown = { ...BOOKED, arrival: later(2) }
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "Arrives in 34 to 46 min" }).waitFor()
    expect(await spoken(page)).toBe("Arrives in 34 to 46 min")

    await page.getByText("Positions as a table").click()
    pages.shown = ON_THE_WAY
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "Arrives in 12 to 17 min" }).waitFor()
    expect(await spoken(page)).toBe("On its way. Arrives in 12 to 17 min")
    expect(await page.locator("[aria-current=step]").textContent()).toContain("On its way")
    // What was open stays open and keeps the focus, and shows the vehicle now.
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Positions as a table")
    expect(await page.getByRole("row", { name: "CB-07" }).isVisible()).toBe(true)
    expect(await page.getByText("4 min later than first told.").isVisible()).toBe(true)

    pages.shown = AT_THE_DOOR
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "At your door" }).waitFor()
    expect(await page.getByRole("img", { name: /way of your order/ }).count()).toBe(0)

    pages.shown = DELIVERED
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "Delivered at 12:40 PM" }).waitFor()
    const asked = pages.views
    await page.clock.runFor(60_000)
    expect(pages.views).toBe(asked)
    expect(await page.evaluate("globalThis.wasHere === true")).toBe(true)
    expect([strayed, complaints]).toEqual([[], []])
    await close()
  })

  test("says how old its answer is while there is no connection, and goes on when it is back", async () => {
    pages.shown = ON_THE_WAY
    const { page, close } = await openPage(browser, pages.origin)
    await stopClock(page)
    await page.goto(`${pages.origin}/track/t1`)
    await page.getByText("Told 0 s ago.").waitFor()
    await page.context().setOffline(true)
    await page.clock.runFor(20_000)
    await page.getByText(/No connection: last told \d+\ss\sago\./).waitFor()
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Arrives in 12 to 17 min")
    await page.context().setOffline(false)
    pages.shown = AT_THE_DOOR
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "At your door" }).waitFor()
    // A link that dies while the page is open says so.
    pages.shown = { type: "expired" }
    await page.clock.runFor(10_000)
    await page.getByRole("heading", { name: "This link has expired" }).waitFor()
    await close()
  })

  test("reads without script, and is refreshed by a link", async () => {
    const { page, close } = await openPage(browser, pages.origin, { javaScriptEnabled: false })
    await page.goto(`${pages.origin}/track/t1`)
    await page.getByText("Meet it at the curb").waitFor()
    pages.shown = ON_THE_WAY
    await page.getByRole("link", { name: "Refresh" }).click()
    await page.getByText("Arrives in 12 to 17 min").waitFor()
    expect(await page.getByText("CB-07").count()).toBeGreaterThan(0)
    await close()
  })
})

describe("the form at the door", () => {
  test("is filled in by keyboard, shows wrong digits, then the opening and the open compartment without a reload", async () => {
    pages.shown = atDoorWith("closed")
    const { page, strayed, complaints, close } = await openPage(browser, pages.origin)
    await stopClock(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${pages.origin}/track/t1`)
    await page.evaluate("void (globalThis.wasHere = true)")
    const field = page.getByLabel("Last four digits of your phone number")
    const button = page.getByRole("button", { name: "Open the compartment" })
    await field.focus()
    // The browser keeps what is no four digits.
    await page.keyboard.type("12")
    await page.keyboard.press("Enter")
    expect(pages.digits).toEqual([])
    await page.keyboard.type("34")
    pages.onOpen = () => atDoorWith("closed", 1)
    await page.keyboard.press("Enter")
    await page.getByText("These are not the last four digits. 4 tries left.").first().waitFor()
    expect(await spoken(page)).toBe("These are not the last four digits. 4 tries left.")
    expect(await field.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true)
    expect(await field.inputValue()).toBe("")

    pages.onOpen = () => atDoorWith("opening")
    await page.keyboard.type("9876")
    await page.keyboard.press("Tab")
    expect(await button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press("Space")
    await page.getByText("Opening …").waitFor()
    expect(pages.digits).toEqual(["1234", "9876"])
    // The next answer is asked for at once, not after ten seconds.
    pages.shown = atDoorWith("opened")
    await page.clock.runFor(1_000)
    await page.getByText("It is open.").first().waitFor()
    expect(await spoken(page)).toBe("It is open.")
    expect(await button.count()).toBe(0)
    expect(await page.evaluate("globalThis.wasHere === true")).toBe(true)
    expect([strayed, complaints]).toEqual([[], []])
    await close()
  })

  test("works without script, and says after five tries who can help", async () => {
    pages.shown = atDoorWith("closed", 4)
    pages.onOpen = () => atDoorWith("locked", 5)
    const { page, close } = await openPage(browser, pages.origin, { javaScriptEnabled: false })
    await page.goto(`${pages.origin}/track/t1`)
    await page.getByText("These are not the last four digits. 1 try left.").waitFor()
    await page.getByLabel("Last four digits of your phone number").fill("0000")
    await page.getByRole("button", { name: "Open the compartment" }).click()
    await page.getByText("It is locked.").waitFor()
    await page.getByText("Our operations team sees this and can open it for you.").waitFor()
    expect(page.url()).toBe(`${pages.origin}/track/t1`)
    expect(await page.getByRole("button").count()).toBe(0)
    await page.locator("#open").getByRole("link", { name: "Help" }).click()
    await page.getByRole("heading", { name: "Help" }).waitFor()
    await close()
  })
})

describe("axe finds nothing", () => {
  test("in light and dark, wide and narrow, nothing scrolls sideways, and texts of double size fit", async () => {
    const { page, strayed, close } = await openPage(browser, pages.origin, { viewport: PHONE })
    for (const [name, shown] of Object.entries(TRACKING_STATES)) {
      pages.shown = shown
      await page.goto(`${pages.origin}/track/t1`)
      await lookInEachView(page, name, NARROW_ALONE.includes(name) ? [PHONE] : [DESK, PHONE])
      await page.evaluate(DOUBLE_TEXT)
      expect(await page.evaluate(CUT), `${name} at 200%`).toEqual([])
    }
    expect(strayed).toEqual([])
    await close()
  })
})

/** As people set it who need larger text; the layout stays as wide as the phone. */
const DOUBLE_TEXT = "document.documentElement.style.fontSize = '200%'"

/** The texts that stand out of the page or of their box. A box that scrolls by itself, such as a map, is left alone. */
const CUT = `(() => {
  const cut = []
  if (document.documentElement.scrollWidth > innerWidth) cut.push("the page scrolls sideways")
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest("svg, .visually-hidden, .sr-only, script, style") !== null) continue
    const range = document.createRange()
    for (const node of one.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || node.textContent.trim() === "") continue
      range.selectNodeContents(node)
      const text = range.getBoundingClientRect()
      if (text.width <= 1 || text.height <= 1) continue
      const box = one.getBoundingClientRect()
      const isOut = text.left < -1 || text.right > innerWidth + 1
      const isOver = text.right > box.right + 1 || text.left < box.left - 1
      const style = getComputedStyle(one)
      const isClipped = style.overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1
      if (isOut || (isOver && style.display !== "inline") || isClipped) cut.push(node.textContent.trim())
    }
  }
  return cut
})()`
