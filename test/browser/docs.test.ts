/** `/docs` of a service as a user starts it: "Try it out" calls the host with the key of `demo.json`. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  ;[browser, service] = await Promise.all([
    startChromium(),
    // The address that partners would use is another host than the one that the page came from.
    startProcess(preparedDataFolder(), undefined, {
      env: { CURBLINE_SANDBOX_URL: "https://sandbox.curbline.example" },
    }),
  ])
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

/** The page with one document chosen, and the bearer typed in. */
async function signedIn(document: string, bearer: string): Promise<OpenedPage> {
  const origin = service.urls.sandbox
  const opened = await openPage(browser, origin)
  const { page } = opened
  await page.goto(`${origin}/docs?urls.primaryName=${encodeURIComponent(document)}`)
  await page.locator("button.authorize").first().click()
  await page.locator(".modal-ux input").fill(bearer)
  await page.locator(".modal-ux button.authorize").click()
  await page.locator(".modal-ux .btn-done").click()
  return opened
}

/** What the host answered, as the page shows it. */
async function tried(
  page: Page,
  operationId: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: string; readonly body: string }> {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator(".opblock-summary-control").click()
  await operation.locator(".try-out__btn").click()
  for (const [name, value] of Object.entries(fields)) {
    await operation.locator(`[data-param-name="${name}"] input`).fill(value)
  }
  await operation.locator(".execute").click()
  const live = operation.locator(".live-responses-table")
  const status = await live.locator("tr.response td.response-col_status").first().innerText()
  return { status, body: await live.locator("tr.response td.response-col_description").first().innerText() }
}

describe("Try it out, with the key of demo.json", () => {
  test.each([
    ["Reservations API", "listRetailers", "retailers"],
    ["Direct Delivery API", "listDeliveries", "data"],
  ])("%s: %s answers 200", async (document, operationId, said) => {
    const { api_key: key, site_id: site } = service.access.sandbox
    const { page, strayed, close } = await signedIn(document, key)
    const fields: Readonly<Record<string, string>> =
      document === "Direct Delivery API" ? { "x-retailer-id": site } : {}
    const answer = await tried(page, operationId, fields)
    expect(answer.status).toMatch(/^200/)
    expect(answer.body).toContain(said)
    expect(strayed).toEqual([])
    await close()
  })
})
