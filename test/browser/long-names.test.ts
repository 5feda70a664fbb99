/** Long names, long ids and large text at the pages of operations and at the start page, and a sign-in after an ended session. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { everyPage } from "./every-page.ts"
import { look, lookAtLargeText } from "./look.ts"

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  ;[browser, service] = await Promise.all([startChromium(), startProcess(preparedDataFolder())])
})
afterAll(async () => {
  await Promise.all([browser.close(), service.stop()])
})

const NAME = "The Extraordinarily Long-Winded Neighborhood Grocery and Provisions Cooperative of North Austin"

const operator = () => {
  const { sandbox } = service.access
  return { ...sandbox, api_key: sandbox.operator_token }
}

async function signIn(page: Page, token = operator().api_key): Promise<void> {
  await page.goto(`${service.urls.sandbox}/ops/sign-in`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${service.urls.sandbox}/ops`)
}

test("the start page fits a phone with large text", async () => {
  const { page, strayed, close } = await openPage(browser, service.urls.sandbox)
  await page.goto(service.urls.sandbox)
  await page.getByRole("heading", { name: "Keys and ids of the demo" }).waitFor()
  await lookAtLargeText(page)
  await look(page)
  expect(strayed).toEqual([])
  await close()
})

test("both start pages play the demo's day, and what is pressed is picked on its page", async () => {
  for (const environment of ["sandbox", "production"] as const) {
    const { page, complaints, close } = await openPage(browser, service.urls[environment])
    await page.goto(service.urls[environment])
    const day = page.getByRole("region", { name: "A made-up city at lunch" })
    const clock = day.locator(".clock-now")
    const before = await clock.textContent()
    await expect.poll(() => clock.textContent()).not.toBe(before)
    await day.getByRole("button", { name: "Pause" }).click()
    const at = (await clock.textContent()) ?? ""
    await look(page)
    if (environment === "production") {
      await day.getByRole("link", { name: "Open the replay" }).click()
      await page.locator(".replay-head").waitFor()
    } else {
      const ticket = day.locator(".ticket").first()
      const order = (await ticket.textContent()) ?? ""
      await ticket.click()
      await page.locator(".actor h2", { hasText: order }).waitFor()
    }
    expect(page.url()).toContain(`${service.urls.sandbox}/replay#t=`)
    await page.locator("[data-digest]").waitFor()
    expect(await page.locator(".transport .clock-now").textContent()).toBe(at)
    expect(complaints).toEqual([])
    await close()
  }
})

test("a long name widens no filter, and ids are short in lists and in the audit log", async () => {
  const made = await call(operator(), "POST", "/internal/v1/organizations", { name: NAME })
  const { organization_id: id } = (
    made.body as unknown as { readonly data: { readonly organization: { readonly organization_id: string } } }
  ).data.organization
  const short = `${id.slice(0, 8)}…${id.slice(-4)}`
  const { page, close } = await openPage(browser, service.urls.sandbox)
  await signIn(page)
  await page.goto(`${service.urls.sandbox}/ops/lists/reservations`)
  const filter = page.getByLabel("Organization", { exact: true })
  await filter.selectOption(NAME)
  expect((await filter.boundingBox())?.width).toBeLessThanOrEqual(256)
  await look(page)
  await lookAtLargeText(page)
  await page.goto(`${service.urls.sandbox}/ops/settings`)
  await page.getByText("America/Chicago").first().waitFor()
  await lookAtLargeText(page)
  await page.goto(`${service.urls.sandbox}/ops/settings/organizations`)
  await page.getByText(short).waitFor()
  await lookAtLargeText(page)
  await page.goto(`${service.urls.sandbox}/ops/audit-log`)
  await page.getByText(short).first().waitFor()
  expect(await page.getByText(id).count()).toBe(0)
  await look(page)
  await lookAtLargeText(page)
  await close()
})

test("the sign-in page says that the operator token of the session is revoked", async () => {
  const made = await call(operator(), "POST", "/internal/v1/operator-tokens", {
    label: "leaves",
    role: "viewer",
  })
  const { value: token, operator_token: row } = (
    made.body as unknown as { readonly data: { value: string; operator_token: { token_id: string } } }
  ).data
  const { page, close } = await openPage(browser, service.urls.sandbox)
  await signIn(page, token)
  await call(operator(), "DELETE", `/internal/v1/operator-tokens/${row.token_id}`)
  await page.goto(`${service.urls.sandbox}/ops/lists/vehicles`)
  const said = page.getByRole("main").getByRole("status")
  await expect
    .poll(() => said.textContent())
    .toContain("the operator token with which you signed in is revoked")
  await look(page)
  await lookAtLargeText(page)
  await close()
})

test("every page of which a picture is taken is drawn, and none of its scripts fails", async () => {
  const { page, close } = await openPage(browser, service.urls.production, {
    viewport: { width: 390, height: 844 },
    reducedMotion: "reduce",
  })
  const taken: string[] = []
  const wrongs: string[] = []
  page.on("pageerror", ({ message }) => wrongs.push(`${taken.at(-1)}: ${message}`))
  await everyPage(page, service, async (shown, { name, url, act }) => {
    taken.push(name)
    await shown.goto("about:blank")
    await shown.goto(url)
    await act?.(shown)
    await shown.locator("body", { hasText: /\S/ }).waitFor()
    // These two show what is there while something loads.
    if (name !== "design" && !name.endsWith("-loading"))
      await expect.poll(() => shown.locator(".skeleton").count(), { message: name }).toBe(0)
    await shown.screenshot()
  })
  expect(wrongs).toEqual([])
  expect(taken).toContain("runner-task")
  expect(new Set(taken).size).toBe(taken.length)
  await close()
})
