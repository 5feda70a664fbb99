/**
 * Pages that an agent sends its user to, in a browser without a network: linking a phone, and paying where the processor has
 * a page of its own. What the page asks of our host is injected into the app; what leaves for another host is seen and fails.
 */

import { Context, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bridgeTo } from "../../src/http/bridge.ts"
import { courierPagesPlugin } from "../../src/areas/courier/http/plugin.ts"
import { CourierCheckout } from "../../src/areas/courier/checkout.ts"
import { HostedPayment } from "../../src/areas/courier/hosted-payment.ts"
import { bareApp } from "../http/bare-app.ts"
import { CALLBACK, ORIGIN, authorizeUrl, makeConnector } from "../areas/linking/connector.ts"
import type { Connector } from "../areas/linking/connector.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { OPEN } from "./courier-pages.ts"
import { Routine } from "../../src/engine/services/routine.ts"

let browser: Browser
let connector: Connector

beforeAll(async () => {
  ;[browser, connector] = await Promise.all([startChromium(), makeConnector()])
})
afterAll(() => Promise.all([browser.close(), connector.close()]))

const PHONE_SIZED = { width: 390, height: 844 }
/** The least side of what a finger must hit, and the least text into which a phone does not zoom; in CSS pixels. */
const TARGET_PX_MIN = 44
const INPUT_TEXT_PX_MIN = 16

/** A page at our host, where the app answers from memory. */
async function offline(app: FastifyInstance, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await openPage(browser, ORIGIN, { offline: true, viewport: PHONE_SIZED, ...options })
  await opened.page.route(`${ORIGIN}/**`, async (route) => {
    const request = route.request()
    const payload = request.postDataBuffer()
    const { statusCode, headers, rawPayload } = await app.inject({
      method: request.method() as "GET",
      url: request.url().slice(ORIGIN.length),
      headers: { ...(await request.allHeaders()), host: new URL(ORIGIN).host },
      ...(payload === null ? {} : { payload }),
    })
    // The browser would load the page of a redirect from the network, which is not there.
    if (statusCode === 303) return route.fulfill({ status: 200, ...onward(String(headers["location"])) })
    const told = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
    return route.fulfill({ status: statusCode, headers: Object.fromEntries(told), body: rawPayload })
  })
  return opened
}

/** Leaves no entry in the history, like a redirect that answers a form. */
function onward(location: string): { readonly contentType: string; readonly body: string } {
  return { contentType: "text/html", body: `<meta http-equiv="refresh" content="0;url=${location}">` }
}

/** As a person on a phone meets it, in both schemes. */
async function look(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    const where = `${await page.title()}, ${colorScheme}`
    expect(await problemsIn(page), where).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where).toBe(true)
  }
  for (const field of await page.locator("button, input:not([type=hidden])").all()) {
    const box = await field.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(TARGET_PX_MIN)
    const size = await field.evaluate((element) => {
      const shown = globalThis as unknown as { getComputedStyle: (of: unknown) => { fontSize: string } }
      return Number.parseFloat(shown.getComputedStyle(element).fontSize)
    })
    expect(size).toBeGreaterThanOrEqual(INPUT_TEXT_PX_MIN)
  }
}

/** The page of a refused form, once the browser has loaded it by its address. */
async function refusedPage(page: Page): Promise<void> {
  await page.getByRole("alert").waitFor()
  await page.waitForURL(/\?step=/)
}

async function startOf(clientName: string): Promise<string> {
  const client = await connector.visitor().register({ client_name: clientName })
  return `${ORIGIN}${authorizeUrl(client, { state: "s1" })}`
}

describe("linking a phone", () => {
  test("works by keyboard alone and without script, past a slip at each step, to the agent's own address", async () => {
    const { page, strayed, complaints, close } = await offline(connector.app, { javaScriptEnabled: false })
    const phone = await connector.number()
    await page.goto(await startOf("Lunch Helper"))
    expect(await page.getByRole("heading").textContent()).toContain("Lunch Helper")
    await page.keyboard.press("Tab")
    await page.keyboard.type("555")
    await page.keyboard.press("Enter")
    await refusedPage(page)
    expect(await page.getByLabel("Mobile number").inputValue()).toBe("555")
    await page.getByLabel("Mobile number").fill(phone)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByLabel("Code").waitFor()
    await page.goBack()
    expect(await page.getByRole("alert").textContent()).toContain("not a valid mobile number")
    await page.goForward()
    await page.getByLabel("Code").waitFor()
    await page.getByLabel("Code").fill("000000")
    await page.keyboard.press("Enter")
    await refusedPage(page)
    const answered = page.waitForEvent("requestfailed", (request) => !request.url().startsWith(ORIGIN))
    await page.getByLabel("Code").fill(connector.provider.sent.get(phone)?.at(-1) ?? "")
    await page.keyboard.press("Enter")
    const location = new URL((await answered).url())
    expect(`${location.origin}${location.pathname}`).toBe(CALLBACK)
    expect(location.searchParams.get("state")).toBe("s1")
    expect(location.searchParams.get("code")).toMatch(/^mcc_/)
    expect(strayed).toEqual([location.href])
    expect(complaints.filter((one) => !/status of 400|ERR_INTERNET_DISCONNECTED/.test(one))).toEqual([])
    await close()
  })

  test("each page is readable on a phone 390 pixels wide, and axe finds nothing", async () => {
    const { page, strayed, close } = await offline(connector.app)
    const phone = await connector.number()
    await page.goto(
      await startOf(
        "An agent with a name as long as names may be, which is very long indeed, one hundred letters wide",
      ),
    )
    await look(page)
    await page.getByLabel("Mobile number").fill("555")
    await page.getByRole("button").click()
    await refusedPage(page)
    await look(page)
    await page.getByLabel("Mobile number").fill(phone)
    await page.getByRole("button").click()
    await page.getByLabel("Code").waitFor()
    await look(page)
    await page.getByLabel("Code").fill("000000")
    await page.getByRole("button", { name: "Link this phone" }).click()
    await refusedPage(page)
    await look(page)
    await page.goBack()
    await page.getByText("We texted a code").waitFor()
    await page.getByRole("button", { name: "Text me another code" }).click()
    await page.getByText("We texted another code").waitFor()
    await look(page)
    await page.goto(`${ORIGIN}/api/delivery-mcp/oauth/authorize?client_id=mc_unknown`)
    await page.getByRole("alert").waitFor()
    await look(page)
    expect(strayed).toEqual([])
    await close()
  })
})

describe("paying where the processor has a page of its own", () => {
  test("works without script: the button leads there, and the way back says that it is paid", async () => {
    const app = await hostedApp()
    const { page, strayed, complaints, close } = await offline(app, { javaScriptEnabled: false })
    await page.goto(`${ORIGIN}/pay/t1`)
    expect(await page.getByRole("heading").textContent()).toContain("$4.95")
    const left = page.waitForEvent("requestfailed", (request) => !request.url().startsWith(ORIGIN))
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect((await left).url()).toBe(PROCESSOR)
    expect(strayed).toEqual([PROCESSOR])
    expect(complaints.filter((one) => !one.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([])
    await close()
    const back = await offline(app, { javaScriptEnabled: false })
    await back.page.goto(`${ORIGIN}/pay/t1?session=cs_1`)
    await back.page.getByText("The delivery fee is paid").waitFor()
    expect([back.strayed, back.complaints]).toEqual([[], []])
    await Promise.all([back.close(), app.close()])
  })

  test("its pages are readable on a phone 390 pixels wide, and axe finds nothing", async () => {
    const app = await hostedApp()
    const { page, strayed, close } = await offline(app)
    for (const path of ["/pay/t1", "/pay/t1?session=cs_1"]) {
      await page.goto(`${ORIGIN}${path}`)
      await look(page)
    }
    expect(strayed).toEqual([])
    await Promise.all([close(), app.close()])
  })
})

const PROCESSOR = "https://checkout.example/c/pay/cs_1"

/** The pages of a link that is open, and of a user who comes back from the processor. */
async function hostedApp(): Promise<FastifyInstance> {
  const known = Context.make(CourierCheckout, {
    view: () => Routine.succeed(OPEN),
    pay: () => Routine.dieMessage("no payments in this test"),
  }).pipe(
    Context.add(HostedPayment, {
      begin: () => Routine.succeed({ type: "elsewhere", url: PROCESSOR }),
      returned: () => Routine.succeed("kept"),
      noticed: () => Routine.succeed("forged"),
    }),
  )
  const run = bridgeTo(
    Runtime.updateContext(Runtime.defaultRuntime, (context) => Context.merge(context, known)),
  )
  const app = await bareApp({ environment: "production", hosts: [new URL(ORIGIN).host] })
  await app.register(courierPagesPlugin, { run, runHosted: run })
  return app
}
