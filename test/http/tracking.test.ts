import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { COURIER_STATES, FAILURE_REASONS } from "../../src/model/courier.ts"
import {
  AT_THE_DOOR,
  BOOKED,
  CANCELLED,
  DELIVERED,
  FAILED,
  NOON,
  ON_THE_WAY,
  TEST_DELIVERY,
  atDoorWith,
  openTracking,
} from "../browser/tracking-pages.ts"
import type { TrackingView } from "../../src/areas/tracking/tracking.ts"
import { FAULT_PAGE, SEALED, sealOf } from "./public-page.ts"
import type { TrackingPages } from "../browser/tracking-pages.ts"

let pages: TrackingPages

beforeAll(async () => {
  pages = await openTracking()
})
beforeEach(() => {
  Object.assign(pages, { shown: BOOKED, isBroken: false, digits: [] })
})
afterAll(() => pages.close())

async function get(path = "/track/t1") {
  const answer = await fetch(`${pages.origin}${path}`)
  return { status: answer.status, headers: answer.headers, html: await answer.text() }
}

const titleIn = (html: string): string | undefined => /<h1>([^<]+)<\/h1>/.exec(html)?.[1]?.trim()

describe("the tracking page", () => {
  test.each(COURIER_STATES)("has words for %s", async (state) => {
    pages.shown = { ...BOOKED, arrival: null, state }
    const { status, html } = await get()
    expect([status, titleIn(html)]).toEqual([200, expect.stringMatching(/^[A-Z][a-z ]+$/)])
  })

  test("says when the order arrives, at the clock of its place", async () => {
    pages.shown = ON_THE_WAY
    const { html } = await get()
    expect(titleIn(html)).toBe("Arrives in 12 to 17 min")
    expect(html).toContain("12:36 to 12:41 PM in Austin. On the way to you, as of 12:24 PM.")
    expect(html).toContain("Lunchbox &#38; &#60;Sons&#62;, order 5521")
    expect(html).not.toMatch(/<Sons>|[ "]style=/)
  })

  test.each([
    [{ fromMs: NOON + 120 * 60_000, toMs: NOON + 140 * 60_000 }, "Arrives at 2:00 to 2:20 PM"],
    [{ fromMs: NOON - 60_000, toMs: NOON + 3 * 60_000 }, "Arrives within 3 min"],
    [{ fromMs: NOON, toMs: NOON + 60_000 }, "Arrives in a minute"],
    [{ fromMs: NOON + 5 * 60_000, toMs: NOON + 5 * 60_000 }, "Arrives in 5 min"],
  ])("an arrival of %j is said as %s", async (arrival, title) => {
    pages.shown = { ...BOOKED, arrival }
    expect(titleIn((await get()).html)).toBe(title)
  })

  test("shows the vehicle and its trail once it has the order, and no map at the door and after the end", async () => {
    const booked = (await get()).html
    expect([booked.includes("marker door"), booked.includes("marker vehicle")]).toEqual([true, false])
    pages.shown = ON_THE_WAY
    const { html } = await get()
    expect([
      html.includes("marker vehicle"),
      html.includes("CB-07"),
      html.includes('class="driven"'),
    ]).toEqual([true, true, true])
    expect(html).toContain("Made-up streets of the demo")
    for (const shown of [AT_THE_DOOR, DELIVERED]) {
      pages.shown = shown
      expect((await get()).html).not.toContain('<svg class="map"')
    }
  })

  test("says what changed and why, and how to take the order out", async () => {
    pages.shown = ON_THE_WAY
    const { html } = await get()
    expect(html).toMatch(
      /4 min later than first told\.<\/strong>\s+The store needs longer\. At the booking it was 12:35 PM\./,
    )
    expect(html).toMatch(/Meet it at the curb<\/strong> in front of 2301 Rosewood Ave/)
    expect(html).toContain("Your order has 3 items.")
  })

  test("offers the form at the door of a fleet that can be asked alone, and otherwise its instruction", async () => {
    const shows = async (shown: TrackingView): Promise<readonly boolean[]> => {
      pages.shown = shown
      const { html } = await get()
      return [html.includes("<form"), html.includes("Lift the lid"), html.includes("Turn the knob.")]
    }
    const instruction = "Turn the knob."
    expect(await shows(AT_THE_DOOR)).toEqual([false, true, false])
    expect(await shows({ ...AT_THE_DOOR, opening: { instruction, compartment: null } })).toEqual([
      false,
      false,
      true,
    ])
    expect(await shows(atDoorWith("closed"))).toEqual([true, false, false])
    expect(await shows({ ...atDoorWith("closed"), state: "en_route_to_customer" })).toEqual([
      false,
      false,
      false,
    ])
    for (const state of ["opening", "opened", "failed", "locked"] as const)
      expect((await shows(atDoorWith(state)))[0]).toBe(false)
  })

  test("digits are sent by POST, which leads back to the page; a body that is no form is refused", async () => {
    const post = (body: string) =>
      fetch(`${pages.origin}/track/t1/open`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
      })
    const answer = await post("digits=9876")
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/track/t1"])
    expect((await post("")).status).toBe(303)
    expect(pages.digits).toEqual(["9876", ""])
    expect((await post(`digits=${"1".repeat(300)}`)).status).toBe(400)
    expect((await post("digits=%00")).status).toBe(400)
  })

  test("an errand has its fee, a direct delivery is billed by the store", async () => {
    pages.shown = DELIVERED
    expect((await get()).html).toMatch(/Receipt[\s\S]+\$4\.95[\s\S]+charged to the card/)
    pages.shown = TEST_DELIVERY
    const { html } = await get()
    expect([html.includes("billed by Lunchbox"), html.includes("$")]).toEqual([true, false])
  })

  test.each([
    ["sandbox", true],
    ["production", false],
  ] as const)("the bar of the environment: %s", async (environment, isThere) => {
    const other = await openTracking(environment)
    try {
      for (const shown of [TEST_DELIVERY, { type: "unknown" }] as const) {
        other.shown = shown
        const html = await (await fetch(`${other.origin}/track/t1`)).text()
        expect(html.includes("SANDBOX")).toBe(isThere)
      }
    } finally {
      await other.close()
    }
  })

  test.each(FAILURE_REASONS)("says why it failed: %s", async (failureReason) => {
    pages.shown = { ...FAILED, failureReason }
    expect((await get()).html).toMatch(/<h1>Not delivered<\/h1>\s+<p class="told">(The|Your) [a-z ]+\./)
  })

  test("what is over needs no refresh and says when the page ends", async () => {
    pages.shown = CANCELLED
    const { html } = await get()
    expect(html).toContain("The fee goes back to the card that you gave.")
    expect(html).toContain("This page ends a day later, at 12:40 PM.")
    expect(html).not.toMatch(/Refresh|Rosewood/)
  })

  test.each([
    ["expired", 410],
    ["unknown", 404],
  ] as const)("%s is %i", async (type, status) => {
    pages.shown = { type }
    expect((await get()).status).toBe(status)
  })

  test("a link whose token is none is a page for a browser, and an error for a program", async () => {
    const at = (accept: string) => fetch(`${pages.origin}/track/t1%00`, { headers: { accept } })
    const page = await at("text/html,*/*;q=0.8")
    expect([page.status, titleIn(await page.text())]).toEqual([404, "No such tracking link"])
    const error = await at("*/*")
    expect([error.status, await error.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test("the receipt is a file that prints by itself, from the delivery until the page ends", async () => {
    pages.shown = { ...DELIVERED, orderNumber: '5521/"; x="' }
    expect((await get()).html).toContain('href="/track/t1/receipt"')
    const { status, headers, html } = await get("/track/t1/receipt")
    expect([status, headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="receipt-5521-x.html"',
    ])
    for (const name of ["cache-control", "referrer-policy", "x-robots-tag"])
      expect(headers.get(name)).toBe((await get()).headers.get(name))
    for (const text of [
      "Salmon bowl",
      "Lunchbox &#38; &#60;Sons&#62;",
      "11410 Century Oaks Terrace",
      "Unit 7",
      "$4.95",
      "Mar 2, 12:40 PM CST",
      "@media print",
    ])
      expect(html).toContain(text)
    expect(html).not.toMatch(/<Sons>|<script|<link|src=|url\((?!"?data:)/)
    expect(html).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src/)
    pages.shown = { ...DELIVERED, environment: "sandbox", fee: null }
    const sandbox = (await get("/track/t1/receipt")).html
    expect([
      sandbox.includes("a test delivery"),
      sandbox.includes("$"),
      sandbox.includes("billed by"),
    ]).toEqual([true, false, true])
  })

  test.each([
    ["on its way", ON_THE_WAY, 404],
    ["cancelled", CANCELLED, 404],
    ["expired", { type: "expired" }, 410],
    ["unknown", { type: "unknown" }, 404],
  ] as const)("there is no receipt of one that is %s", async (_name, shown, status) => {
    pages.shown = shown
    const answer = await get("/track/t1/receipt")
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([status, null])
    expect((await get()).html).not.toContain("/receipt")
  })

  test("a token of any form stays inside its attribute", async () => {
    const { html } = await get(`/track/${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(html).not.toContain("alert(1)</script>")
  })

  test("lets nothing in, is not cached, framed or indexed, and reveals its link to no other site", async () => {
    expect(sealOf((await get()).headers)).toEqual(SEALED)
  })

  test("a fault of ours is a page too, and tells nothing of the inside", async () => {
    pages.isBroken = true
    expect(await get()).toMatchObject(FAULT_PAGE)
  })
})
