/**
 * Forms of the portal that are refused, interrupted or taken back, over the service as a user starts it: problems stand at their
 * fields, a sign-up survives a reload, an invitation finds its person, and members leave.
 */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { drawn, openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"
import { EMAIL, PASSWORD, signUp } from "./portal-account.ts"

let browser: Browser
let service: ServiceProcess
let page: Page

beforeAll(async () => {
  ;[browser, service] = await Promise.all([startChromium(), startProcess(preparedDataFolder())])
  page = (await openPage(browser, service.urls.production)).page
  await signUp(page, service, { origin: service.urls.production })
})
afterAll(async () => {
  await Promise.all([browser.close(), service.stop()])
})

const url = (path: string): string => `${service.urls.production}${path}`

/** What a mail to an address says, by a pattern with one group. */
async function mailed(to: string, pattern: RegExp): Promise<string> {
  const { base_url: base, operator_token: token } = service.access.production
  const answer = await fetch(`${base}/internal/v1/messages?channel=mail`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { data } = (await answer.json()) as { data: { messages: { to: string; text: string }[] } }
  const text = data.messages.find((message) => message.to === to)?.text ?? ""
  return pattern.exec(text)?.[1] ?? ""
}

/** What its label says of the element that has the focus. */
function focused(shown: Page): Promise<string> {
  return shown.evaluate<string>("document.activeElement?.labels?.[0]?.textContent ?? ''")
}

describe("a refused form", () => {
  test("has each problem at its field and no name of the API, and the focus in the first", async () => {
    await page.goto(url("/portal/sites"))
    await page.getByRole("button", { name: "New sandbox site" }).first().click()
    const form = page.getByRole("dialog", { name: "New sandbox site" })
    await form.getByLabel("Latitude").fill("")
    await form.getByLabel("Price of a delivery, $").fill("2000")
    await form.getByLabel("Time zone").fill("Mars/Base")
    await form.getByRole("button", { name: "Make the site" }).click()
    await form.getByText("Must not be empty.").waitFor()
    await expect.poll(() => focused(page)).toBe("Name")
    expect(await form.locator("[aria-invalid=true]").count()).toBe(4)
    await form.getByText("Must be a number from -80 to 80.", { exact: true }).waitFor()
    await form.getByText("Must be from $0.00 to $1,000.00.").waitFor()
    expect(await form.innerText()).not.toMatch(/location\.|_cents|timezone:|is null/)
    await look(page)

    await form.getByLabel("Name").fill("Domain")
    await form.getByLabel("Price of a delivery, $").fill("7.99")
    await form.getByLabel("Time zone").fill("America/Chicago")
    await form.getByRole("button", { name: "Make the site" }).click()
    await expect.poll(() => focused(page)).toBe("Latitude")
    await form.getByLabel("Latitude").fill("30.4021")
    await form.getByRole("button", { name: "Make the site" }).click()
    await page.getByRole("heading", { name: "Domain" }).waitFor()

    // A contact that was given can be replaced, not taken away.
    await page.goto(url("/portal/account"))
    const profile = page.locator("#organization")
    await profile.getByLabel("Contact e-mail").fill("ada@northloop.example")
    await profile.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved").waitFor()
    await profile.getByLabel("Contact e-mail").fill("")
    await profile.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => focused(page)).toBe("Contact e-mail")
    expect(await profile.locator("[aria-invalid=true]").count()).toBe(1)

    await page.goto(url("/portal/deliveries"))
    await page.getByRole("button", { name: "New test delivery" }).first().click()
    const order = page.getByRole("dialog", { name: "New test delivery" })
    await order.getByLabel("Customer's phone").fill("12")
    await order.getByRole("button", { name: "Order it" }).click()
    await expect.poll(() => focused(page)).toBe("Customer's phone")
  })
})

describe("an empty list", () => {
  test("has one primary button, whose form stays when the first row comes from elsewhere", async () => {
    await page.goto(url("/portal/deliveries"))
    await page.getByText("No deliveries yet").waitFor()
    expect(await page.getByRole("button", { name: "New test delivery" }).count()).toBe(1)
    await look(page)
    await page.getByRole("button", { name: "New test delivery" }).click()
    const form = page.getByRole("dialog", { name: "New test delivery" })
    await form.getByLabel("Street").fill("Typed at length")
    const headers = { origin: service.urls.production, "x-curbline-portal": "1" }
    const made = await page
      .context()
      .request.post(url("/portal/api/sandbox/deliveries"), { data: {}, headers })
    expect(made.status()).toBe(201)
    await page.locator("td", { hasText: "Scheduled" }).waitFor({ state: "attached" })
    expect(await form.getByLabel("Street").inputValue()).toBe("Typed at length")
  })
})

describe("at four times its size", () => {
  test.each(["", "/deliveries", "/sites", "/keys", "/webhooks", "/team", "/account"])(
    "/portal%s is read without scrolling sideways",
    async (path) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await page.goto(url(`/portal${path}`))
      await page.getByRole("heading", { level: 1 }).waitFor()
      await drawn(page)
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(320)
      await page.setViewportSize({ width: 1440, height: 900 })
    },
  )
})

describe("a sign-up", () => {
  test("says what is missing at the first field, and goes on with its code after a reload", async () => {
    const { page: fresh, close } = await openPage(browser, service.urls.production)
    await fresh.goto(url("/portal/sign-up"))
    await fresh.getByRole("button", { name: "Send me a code" }).click()
    await expect.poll(() => fresh.locator("[aria-invalid=true]").count()).toBe(4)
    await expect.poll(() => focused(fresh)).toBe("Organization")
    await fresh.getByLabel("Organization").fill("Corner Deli")
    await fresh.getByLabel("Your name").fill("Mia Park")
    await fresh.getByLabel("Work e-mail").fill("mia@corner.example")
    await fresh.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await fresh.getByRole("button", { name: "Send me a code" }).click()
    await fresh.getByRole("heading", { name: "Enter your code" }).waitFor()
    await fresh.reload()
    await fresh.getByText("mia@corner.example", { exact: true }).waitFor()
    await look(fresh)
    await fresh.getByLabel("Code").fill(await mailed("mia@corner.example", /code is (\d{6})/))
    await fresh.waitForURL(url("/portal"))
    expect(await fresh.evaluate("sessionStorage.length")).toBe(0)
    await close()
  })
})

describe("the team", () => {
  test("keeps its only owner, and an invitation that another person opened finds the invited one", async () => {
    await page.goto(url("/portal/team"))
    const own = page.getByRole("row", { name: /Ada Lindqvist/ })
    await own.getByText("the only one").waitFor()
    expect(await own.getByRole("button").count()).toBe(0)
    await page.getByRole("button", { name: "Invite somebody" }).click()
    const form = page.getByRole("dialog", { name: "Invite somebody" })
    await form.getByLabel("E-mail").fill("ben@northloop.example")
    await form.getByRole("button", { name: "Send the invitation" }).click()
    await page.getByText("The invitation is on its way").waitFor()
    const link = await mailed("ben@northloop.example", /(http\S+invitation\S+)/)

    await page.goto(link)
    await page.getByRole("button", { name: "Sign out and go on" }).waitFor()
    await look(page)
    await page.getByRole("button", { name: "Sign out and go on" }).click()
    await page.getByLabel("Your name").fill("Ben Ortiz")
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.getByRole("button", { name: "Join" }).click()
    await page.waitForURL(url("/portal"))
  })

  test("lets a member go, whose account ends when it has no other organization", async () => {
    await page.goto(url("/portal/team"))
    expect(await page.getByRole("button", { name: "Remove" }).count()).toBe(0)
    await page.getByRole("button", { name: "Leave" }).click()
    const form = page.getByRole("dialog", { name: "Leave North Loop Market?" })
    await form.getByText(/so your account is deleted/).waitFor()
    await look(page)
    expect(await form.getByRole("button", { name: "Leave" }).isDisabled()).toBe(true)
    await form.getByLabel("Type North Loop Market to leave it").fill("North Loop Market")
    await form.getByRole("button", { name: "Leave" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.getByLabel("E-mail").fill("ben@northloop.example")
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page
      .getByText(/you are no longer a member of North Loop Market/iu)
      .first()
      .waitFor()
    await page.getByLabel("E-mail").fill(EMAIL)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(url("/portal"))
    await page.goto(url("/portal/team"))
    await page.getByText("the only one").waitFor()
  })
})

describe("an organization whose name is one long word", () => {
  const organization = "Transportgesellschaft".padEnd(90, "W")

  test("is wider than no page, in the portal and in operations", async () => {
    const other = await openPage(browser, service.urls.production)
    const person = { email: "max@long.example", name: "Max", organization }
    await signUp(other.page, service, { origin: service.urls.production, person })
    await other.page.goto(url("/portal/account"))
    await other.page.getByRole("heading", { name: "Account" }).waitFor()
    await look(other.page)

    await other.page.goto(url("/ops/settings/organizations"))
    await other.page.getByRole("button", { name: "Use an operator token" }).click()
    await other.page.getByLabel("Operator token").fill(service.access.production.operator_token)
    await other.page.getByRole("button", { name: "Sign in" }).click()
    await other.page.getByRole("link", { name: organization }).waitFor()
    await look(other.page)
    await other.page.getByRole("link", { name: organization }).click()
    await other.page.getByRole("heading", { name: organization }).waitFor()
    await look(other.page)
    expect(other.strayed).toEqual([])
    await other.close()
  })
})
