/** The cards in a chat, in a frame under the policy of MCP Apps and over the official bridge of hosts. */

import type { Browser, Frame, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { chatLog, openChat, setChat, showAlone } from "./card-chat.ts"
import { cardStates } from "./card-states.ts"
import type { CardName } from "./card-states.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"

let browser: Browser
let opened: OpenedPage
let page: Page
let states: ReturnType<typeof cardStates>

beforeAll(async () => {
  browser = await startChromium()
})
beforeEach(async () => {
  opened = await openPage(browser, "http://chat.test", { viewport: { width: 390, height: 2000 } })
  page = opened.page
  // It goes on, because what the card does after it is drawn waits for the next frame.
  await page.clock.install()
  await openChat(page)
  states = cardStates(await page.evaluate(() => Date.now()))
  return async () => {
    await opened.close()
    const problems = [...opened.strayed, ...opened.complaints]
    if (problems.length > 0) throw new Error(problems.join("\n"))
  }
})
afterAll(() => browser.close())

const shown = (name: CardName): Promise<Frame> => showAlone(page, name, states[name])

/** The states of all cards, and what each is called. */
const HEADINGS = {
  quote: "Delivery from Lunchbox & <Sons>",
  held: "Held for you",
  approved: "Held for you",
  "not paid": "Not paid",
  booked: "32 to 44 min",
  "on its way": "9 to 12 min",
  "at the door": "At your door",
  delivered: "Order 5521",
  declined: /^From \w+ \d+, /,
  "ran out": /^The price ran out at /,
  "hold ran out": "The vehicle is not held any more",
  cancelled: /^Cancelled at /,
  "not delivered": /^Not delivered at /,
  "in the sandbox": "Delivery from Lunchbox & <Sons>",
} as const satisfies Record<CardName, RegExp | string>

describe("each card", () => {
  test.each(Object.entries(HEADINGS))(
    "%s: is what it is, axe finds nothing in both schemes, and text of twice the size fits",
    async (name, heading) => {
      const frame = await shown(name as CardName)
      await frame.getByRole("heading", { name: heading }).waitFor()
      const grounds: unknown[] = []
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await frame.locator(`html[data-theme="${colorScheme}"]`).waitFor()
        expect(await problemsIn(frame), `${name}, ${colorScheme}`).toEqual([])
        grounds.push(await frame.evaluate<unknown>(GROUND))
      }
      expect(grounds).toEqual(["rgb(255, 255, 255)", "rgb(23, 26, 33)"])
      await frame.evaluate("document.documentElement.style.fontSize = '200%'")
      expect(await frame.evaluate(WIDER)).toEqual([])
    },
  )

  test("its frame is as high as the card, and follows it", async () => {
    const frame = await shown("quote")
    const heights = async (): Promise<readonly [number, number]> => {
      const box = await page.locator("iframe").boundingBox()
      return [box?.height ?? 0, await frame.evaluate<number>(HEIGHT)]
    }
    await expect.poll(async () => (await heights())[0]).toBeGreaterThan(300)
    const [before] = await heights()
    await frame.getByRole("button", { name: "Other times" }).click()
    await expect.poll(async () => (await heights())[0]).toBeLessThan(before)
    const [outer, inner] = await heights()
    expect(outer).toBe(inner)
  })

  test("a test delivery is marked, and no other one", async () => {
    expect(await (await shown("in the sandbox")).getByText("SANDBOX").count()).toBe(1)
    expect(await (await shown("quote")).getByText("SANDBOX").count()).toBe(0)
  })

  test("without data beside the envelope it shows what the envelope has", async () => {
    const { result } = states["on its way"]
    const { _meta, ...bare } = result as { readonly _meta: object }
    expect(_meta).toBeDefined()
    const frame = await showAlone(page, "bare", { says: "", result: bare })
    await frame.getByRole("heading", { name: "On the way to you" }).first().waitFor()
    expect(await frame.getByRole("img").count()).toBe(0)
  })
})

const GROUND = "getComputedStyle(document.querySelector('main')).backgroundColor"
const HEIGHT = "Math.ceil(document.documentElement.getBoundingClientRect().height)"
const WIDER = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120))`

describe("the price", () => {
  test("keyboard: Hold is off until both boxes are ticked, then the agent gets the accepted versions", async () => {
    const frame = await shown("quote")
    const terms = frame.getByRole("checkbox", { name: /^I accept these delivery terms/ })
    const consent = frame.getByRole("checkbox", { name: /Reply STOP to opt out/ })
    const hold = frame.getByRole("button", { name: "Hold a vehicle" })
    expect([await terms.isChecked(), await consent.isChecked()]).toEqual([false, false])
    expect(await hold.getAttribute("aria-disabled")).toBe("true")
    await frame.getByText("Tick both boxes to hold a vehicle.").waitFor()
    // It leads to what it waits for.
    await hold.focus()
    await page.keyboard.press("Enter")
    expect(await hasFocus(terms)).toBe(true)
    await page.keyboard.press("Space")
    await hold.focus()
    await page.keyboard.press("Enter")
    expect(await hasFocus(consent)).toBe(true)
    expect(await chatLog(page, "message")).toEqual([])
    await page.keyboard.press("Space")
    await page.keyboard.press("Tab")
    expect(await hasFocus(hold)).toBe(true)
    await page.keyboard.press("Enter")
    await frame.getByText("The agent knows.").waitFor()
    expect(await chatLog(page, "message")).toEqual([
      "I accept the price of $4.95, the delivery terms of version 2026-09-27 and text messages about this delivery, " +
        `consent version 2026-09-27. Please hold a vehicle for delivery dlv_${"A1".repeat(11)}.`,
    ])
    // It is not accepted twice.
    expect(await hold.count()).toBe(0)
  })

  test("another pickup time is chosen with the arrow keys, and told with the acceptance", async () => {
    const frame = await shown("quote")
    await frame.getByRole("button", { name: "Other times" }).focus()
    await page.keyboard.press("Enter")
    const times = frame.getByRole("group", { name: "When it leaves the store" }).getByRole("radio")
    expect(await times.count()).toBe(3)
    expect(await hasFocus(times.first())).toBe(true)
    expect(await problemsIn(frame)).toEqual([])
    await page.keyboard.press("ArrowDown")
    expect(await times.nth(1).isChecked()).toBe(true)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect(await hasFocus(frame.getByRole("button", { name: "Other times" }))).toBe(true)
    for (const box of await frame.getByRole("checkbox").all()) await box.check()
    await frame.getByRole("button", { name: "Hold a vehicle" }).click()
    await frame.getByText("The agent knows.").waitFor()
    const { pickup_windows: windows } = (
      states.quote.result as {
        readonly structuredContent: { readonly pickup_windows: readonly { start: string; end: string }[] }
      }
    ).structuredContent
    const [message] = await chatLog(page, "message")
    expect(message).toContain(`with the pickup window ${windows[1]?.start} to ${windows[1]?.end}.`)
  })

  test("a chat that takes no messages gets the sentence to write", async () => {
    await setChat(page, { refuses: true })
    const frame = await shown("quote")
    await frame.getByRole("button", { name: "Not now" }).click()
    await frame.getByText(/Write this to the agent: .*I do not want delivery dlv_/).waitFor()
    // The model was not told behind the user's back either.
    expect(await chatLog(page, "told")).toHaveLength(1)
  })

  test("runs out by the clock while the card is seen", async () => {
    const frame = await shown("quote")
    await frame.getByText(/^holds (29:00|28:5\d)$/).waitFor()
    await page.clock.runFor(29 * 60_000)
    await frame.getByRole("heading", { name: /^The price ran out at / }).waitFor()
    expect(await frame.getByRole("checkbox").count()).toBe(0)
  })
})

describe("a held vehicle", () => {
  test("pays outside of the chat, and the card sees the payment, the booking and the door by itself", async () => {
    const frame = await shown("held")
    await setChat(page, { answer: states.held.result })
    const pay = frame.getByRole("button", { name: /^Pay \$4\.95.*, opens outside of the chat$/ })
    await pay.click()
    await frame.getByText("This card follows.").waitFor()
    expect(await chatLog(page, "link")).toEqual(["https://courier.curbline.example/pay/t1"])
    expect(await chatLog(page, "call")).toEqual([])
    await page.clock.runFor(10_000)
    await expect
      .poll(() => chatLog(page, "call"))
      .toEqual([`get_delivery_status {"delivery_id":"dlv_${"A1".repeat(11)}"}`])
    await setChat(page, { answer: states.approved.result })
    await page.clock.runFor(11_000)
    await frame.getByText("$4.95 is approved").waitFor()
    expect(await pay.count()).toBe(0)
    await setChat(page, { answer: states["on its way"].result })
    await page.clock.runFor(11_000)
    await frame.getByRole("heading", { name: /min$/ }).waitFor()
    expect(await frame.getByRole("status").first().textContent()).toBe("This is how it stands.")
    await setChat(page, { answer: states["at the door"].result })
    await page.clock.runFor(11_000)
    await frame.getByRole("button", { name: /^Open the compartment/ }).click()
    await expect
      .poll(async () => (await chatLog(page, "link")).at(-1))
      .toBe("https://courier.curbline.example/track/t1")
  })

  test("that runs out can be asked for again", async () => {
    await setChat(page, { passesCalls: false })
    const frame = await shown("held")
    await page.clock.runFor(14 * 60_000)
    await frame.getByRole("button", { name: "Hold a vehicle again" }).click()
    await frame.getByText("The agent knows.").waitFor()
    expect(await chatLog(page, "message")).toEqual([
      `Please hold a vehicle again for delivery dlv_${"A1".repeat(11)}.`,
    ])
  })

  test("a page that the chat does not open is named", async () => {
    await setChat(page, { refuses: true })
    const frame = await shown("not paid")
    await frame.getByRole("button", { name: /^Pay another way/ }).click()
    await frame.getByText("https://courier.curbline.example/pay/t1").waitFor()
    expect(await chatLog(page, "link")).toHaveLength(1)
  })
})

describe("a delivery on its way", () => {
  test("says how old its answer is, in amber from a minute on, while there is no connection", async () => {
    const frame = await shown("on its way")
    await frame.getByText(/told \d s ago/).waitFor()
    await frame.getByRole("img", { name: "The way of your order: CB-07 is 1.5 km from your door." }).waitFor()
    await page.clock.runFor(11_000)
    await frame.getByText(/no answer, told 1\d s ago/).waitFor()
    await page.clock.runFor(110_000)
    const age = frame.getByText("no answer, told 2 min ago")
    expect(await age.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).color)).toBe(
      "rgb(161, 92, 0)",
    )
    await setChat(page, { answer: states.delivered.result })
    await page.clock.runFor(10_000)
    await frame.getByRole("button", { name: /^Receipt/ }).click()
    await expect
      .poll(() => chatLog(page, "link"))
      .toEqual(["https://courier.curbline.example/track/t1/receipt"])
    const asked = (await chatLog(page, "call")).length
    await page.clock.runFor(60_000)
    expect(await chatLog(page, "call")).toHaveLength(asked)
  })

  test("shows an old answer as it stands now, as soon as the chat is opened again", async () => {
    await page.clock.runFor(3_600_000)
    await setChat(page, { answer: cardStates(await page.evaluate(() => Date.now())).delivered.result })
    const frame = await shown("on its way")
    await page.clock.runFor(1_000)
    await frame.getByRole("button", { name: /^Receipt/ }).waitFor()
    expect(await chatLog(page, "call")).toHaveLength(1)
  })

  test("does not poll while it is scrolled out of view", async () => {
    await page.setViewportSize({ width: 390, height: 600 })
    await shown("on its way")
    await page.evaluate("document.body.style.marginTop = '5000px'")
    // The browser tells frames what is seen of them with its next frame.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await page.clock.runFor(30_000)
    expect(await chatLog(page, "call")).toEqual([])
    await page.evaluate("scrollTo(0, 5000)")
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return chatLog(page, "call")
      })
      .not.toEqual([])
  })

  test("in a chat that passes no calls on it stays as it was told, with its age", async () => {
    await setChat(page, { passesCalls: false })
    const frame = await shown("on its way")
    await page.clock.runFor(120_000)
    await frame.getByText("told 2 min ago").waitFor()
    expect(await chatLog(page, "call")).toEqual([])
  })
})

function hasFocus(one: ReturnType<Frame["locator"]>): Promise<boolean> {
  return one.evaluate((element) => element === element.ownerDocument.activeElement)
}
