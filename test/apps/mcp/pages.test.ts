import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OPEN, PAID, UNCLEAR, openPages } from "../../browser/courier-pages.ts"
import { FAULT_PAGE, SEALED, sealOf } from "../../http/public-page.ts"
import type { Pages } from "../../browser/courier-pages.ts"

let pages: Pages

beforeAll(async () => {
  pages = await openPages()
})
beforeEach(() => {
  Object.assign(pages, { checkout: OPEN, results: {}, isBroken: false })
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
    expect(got.html).toContain("nothing was charged")
    expect(got.html).toContain("<form")
  })

  test("while the processor has not answered, there is no form to pay again, whatever brings the user", async () => {
    pages.results = { spt_ok_checkout: UNCLEAR }
    const paid = await pay("spt_ok_checkout")
    pages.checkout = UNCLEAR
    for (const got of [paid, await get("/pay/t1"), await pay()]) {
      expect([got.status, got.html.includes("<form")]).toEqual([503, false])
      expect(got.html).toContain("Do not pay again")
      expect(got.html).toContain('<a class="button" href="">Look again</a>')
      expect(got.html).not.toContain("nothing was charged")
    }
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
    [{ type: "expired", isPaid: false }, 410, "Nothing was charged. Ask your assistant for a fresh"],
    [{ type: "expired", isPaid: true }, 410, "The delivery fee is already paid"],
    [{ type: "closed" }, 410, "Nothing to pay"],
    [{ type: "unknown" }, 404, "No such payment link"],
    [PAID, 200, "already paid"],
  ] as const)("%j is %i", async (checkout, status, text) => {
    pages.checkout = checkout
    const got = await get("/pay/t1")
    expect([got.status, got.html.includes(text), got.html.includes("<form")]).toEqual([status, true, false])
  })

  test("a link that ends between page and payment says so", async () => {
    pages.results = { spt_ok_checkout: { type: "expired", isPaid: false } }
    const { status, html } = await pay("spt_ok_checkout")
    expect([status, html.includes("This link has expired")]).toEqual([410, true])
  })

  test("a form larger than any choice is refused", async () => {
    expect((await get("/pay/t1", { method: "POST", body: "x".repeat(4_097) })).status).toBe(400)
    expect(pages.paid).toEqual([])
  })
})

describe("its frame", () => {
  test("lets nothing in, is not cached, framed or indexed, and reveals its link to no other site", async () => {
    expect(sealOf((await get("/pay/t1")).headers)).toEqual(SEALED)
  })

  test("a fault of ours is a page too, and tells nothing of the inside", async () => {
    pages.isBroken = true
    expect(await get("/pay/t1")).toMatchObject(FAULT_PAGE)
  })
})
