/** The pages of operations at `/ops`, over the service as a user starts it, at 390 and 1440 px, in light and dark. */

import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  ;[browser, service] = await Promise.all([startChromium(), startProcess(preparedDataFolder())])
})
afterAll(async () => {
  await Promise.all([browser.close(), service.stop()])
})

describe("the pages of operations", () => {
  test("an operator signs in, sees the sites and the reservations of one, and signs out", async () => {
    const { production } = service.access
    const origin = service.urls.production
    const { page, strayed, complaints, close } = await openPage(browser, origin)
    const path = `/ops/sites/${production.site_id}`
    await page.goto(`${origin}${path}`)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await look(page)
    await page.getByLabel("Operator token").fill("wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("The operator token is missing or not valid.").waitFor()
    expect(complaints.filter((line) => !line.includes("401"))).toEqual([])
    await page.getByLabel("Operator token").fill(production.operator_token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(`${origin}${path}`)
    const order = "OPS-1"
    await call(
      production,
      "POST",
      "/rs/v1/reservations",
      booking(production, "http://127.0.0.1:9/open", order),
    )
    await page.getByText(order).waitFor()
    await look(page)

    await page.getByRole("link", { name: "Sites", exact: true }).click()
    await page.getByRole("heading", { name: /sites?, all open\.|sites?, \d+ open\./ }).waitFor()
    await look(page)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${origin}/ops/sign-in`)
    await page.goto(`${origin}/ops`)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    expect(strayed).toEqual([])
    await close()
  })
})
