import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { COURIER_STATES, FAILURE_REASONS } from "../../src/model/courier.ts"
import { BOOKED, DELIVERED, NOON, ON_THE_WAY, OPEN, PAID, openPages } from "../browser/courier-pages.ts"
import type { Pages } from "../browser/courier-pages.ts"

let pages: Pages

beforeAll(async () => {
  pages = await openPages()
})
beforeEach(() => {
  Object.assign(pages, { checkout: OPEN, results: {}, tracking: BOOKED, isBroken: false })
  pages.paid.length = 0
})
afterAll(() => pages.close())

interface Got {
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

async function get(path: string, init: RequestInit = {}): Promise<Got> {
  const answer = await fetch(`${pages.origin}${path}`, { redirect: "manual", ...init })
  return { status: answer.status, headers: answer.headers, html: await answer.text() }
}

function pay(instrument?: string): Promise<Got> {
  return get("/pay/t1", {
    method: "POST",
    body: new URLSearchParams(instrument === undefined ? {} : { instrument }),
  })
}

describe("the checkout page", () => {
  test("says for what, how much, and until when", async () => {
    const { status, html } = await get("/pay/t1")
    expect(status).toBe(200)
    expect(html).toContain("$4.95")
    expect(html).toContain("Lunchbox &#38; &#60;Sons&#62;")
    expect(html).toContain("Mar 2, 12:35 PM CST")
    expect(html).not.toContain("<Sons>")
  })

  test("a payment leads back to the page, which says that it is paid", async () => {
    const { status, headers } = await pay("spt_ok_checkout")
    expect([status, headers.get("location")]).toEqual([303, "/pay/t1"])
    const { html } = await get("/pay/t1")
    expect(html).toContain("already paid")
    expect(html).not.toContain("<form")
  })

  test.each([
    ["declined", 402],
    ["unavailable", 503],
  ] as const)("%s leaves the page open, with %i", async (type, status) => {
    pages.results = { spt_ok_checkout: { type } }
    const got = await pay("spt_ok_checkout")
    expect(got.status).toBe(status)
    expect(got.html).toContain('role="alert"')
    expect(got.html).toContain("<form")
  })

  test.each([undefined, "", "spt_ok_of_mine", "4242 4242 4242 4242"])(
    "%j is no card of the form, and never reaches the processor",
    async (instrument) => {
      const { status, html } = await pay(instrument)
      expect([status, html.includes("Choose a card first")]).toEqual([400, true])
      expect(pages.paid).toEqual([])
    },
  )

  test.each([
    [{ type: "expired" }, 410, "This link has expired"],
    [{ type: "closed" }, 410, "Nothing to pay"],
    [{ type: "unknown" }, 404, "No such payment link"],
    [PAID, 200, "already paid"],
  ] as const)("%j is %i", async (checkout, status, text) => {
    pages.checkout = checkout
    const got = await get("/pay/t1")
    expect([got.status, got.html.includes(text), got.html.includes("<form")]).toEqual([status, true, false])
  })

  test("a link that ends between page and payment says so", async () => {
    pages.results = { spt_ok_checkout: { type: "expired" } }
    const { status, html } = await pay("spt_ok_checkout")
    expect([status, html.includes("This link has expired")]).toEqual([410, true])
  })

  test("a form larger than any choice is refused", async () => {
    expect((await get("/pay/t1", { method: "POST", body: "x".repeat(4_097) })).status).toBe(400)
    expect(pages.paid).toEqual([])
  })
})

describe("the tracking page", () => {
  test.each(COURIER_STATES)("has words for %s", async (state) => {
    pages.tracking = { ...BOOKED, state }
    const { status, html } = await get("/track/t1")
    expect(status).toBe(200)
    expect(/<p class="big">([^<]+)</.exec(html)?.[1]).toMatch(/^[A-Z][a-z ,:]+$/i)
  })

  test("shows pickup and window at the store's clock", async () => {
    const { html } = await get("/track/t1")
    expect(html).toContain("<dt>Pickup</dt><dd>12:20 PM</dd>")
    expect(html).toContain("<dt>Delivery</dt><dd>12:35 PM to 12:50 PM</dd>")
  })

  test("shows a place only when there is one", async () => {
    expect((await get("/track/t1")).html).not.toMatch(/<svg class="map"|30\.2/)
    pages.tracking = ON_THE_WAY
    const { html } = await get("/track/t1")
    expect(html).toContain('<circle class="vehicle"')
    expect(html).toContain("At 30.26543, -97.74321, seen at 12:30 PM.")
  })

  test("a vehicle beyond the sketch is drawn at its edge", async () => {
    pages.tracking = { ...ON_THE_WAY, vehicle: { latitude: 31, longitude: -99, recordedAtMs: NOON } }
    expect((await get("/track/t1")).html).toContain('<circle class="vehicle" cx="12" cy="12"')
  })

  test.each(FAILURE_REASONS)("says why it failed: %s", async (failureReason) => {
    pages.tracking = { ...DELIVERED, state: "failed", failureReason }
    expect((await get("/track/t1")).html).toMatch(/<p class="big">Not delivered<\/p>\n<p>[A-Z]/)
  })

  test("what is over runs no script and needs no refresh", async () => {
    pages.tracking = DELIVERED
    const { html, headers } = await get("/track/t1")
    expect(html).toContain("<dt>Ended</dt><dd>Mar 2, 12:40 PM CST</dd>")
    expect(html).not.toMatch(/<script|Refresh/)
    expect(headers.get("content-security-policy")).not.toContain("script-src")
  })

  test.each([
    ["expired", 410],
    ["unknown", 404],
  ] as const)("%s is %i", async (type, status) => {
    pages.tracking = { type }
    expect((await get("/track/t1")).status).toBe(status)
  })

  test("a token of any form stays inside its attribute", async () => {
    const { html } = await get(`/track/${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(html).not.toContain("alert(1)</script>")
  })
})

describe("both pages", () => {
  test.each(["/pay/t1", "/track/t1"])(
    "%s lets nothing in, is not cached, framed or indexed, and reveals its link to no other site",
    async (path) => {
      const { headers } = await get(path)
      const policy = headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-robots-tag")).toBe("noindex")
      expect(headers.get("set-cookie")).toBeNull()
    },
  )

  test("a fault of ours is a page too, and tells nothing of the inside", async () => {
    pages.isBroken = true
    const { status, html } = await get("/track/t1")
    expect([status, html.includes("Something went wrong"), html.includes("secret")]).toEqual([
      500,
      true,
      false,
    ])
  })
})
