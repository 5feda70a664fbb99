/** The pages of operations at `/ops`, over the service as a user starts it, at 390 and 1440 px, in light and dark. */

import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { codeAt, stepAt } from "../../src/portal/totp.ts"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"

const PASSWORD = "seven-kites-over-the-quiet-harbour"

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
    await page.getByRole("button", { name: "Use an operator token" }).click()
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

  test("an administrator sets up a second factor, signs in with its code, and adds a viewer who sees less", async () => {
    const { production } = service.access
    const origin = service.urls.production
    const operator = { ...production, api_key: production.operator_token }
    const made = await call(operator, "POST", "/internal/v1/operators", {
      email: "ana@operations.example",
      name: "Ana O.",
      role: "admin",
    })
    const { page, strayed, close } = await openPage(browser, origin)
    await page.goto(`${origin}${(made.body.data as unknown as { value: string }).value}`)
    await look(page)
    await page.getByLabel("New password").fill(PASSWORD)
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("link", { name: "Sign in" }).click()
    const signIn = async (email: string): Promise<void> => {
      await page.getByLabel("E-mail").fill(email)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
    }
    await signIn("ana@operations.example")
    await page.getByRole("heading", { name: "Set up your second factor first." }).waitFor()
    expect(await page.getByRole("link", { name: "Operators" }).count()).toBe(0)
    await look(page)
    await page.getByLabel("Your password").fill(PASSWORD)
    await page.getByRole("button", { name: "Show the code to scan" }).click()
    const secret = (await page.locator("section code").textContent()) ?? ""
    await look(page)
    const code = (later: number): string => codeAt(secret, stepAt(Date.now()) + later)
    await page.getByLabel("Code of the application").fill(code(0))
    await page.getByRole("button", { name: "Switch it on" }).click()
    await page.getByRole("heading", { name: "Keep these recovery codes" }).waitFor()
    await look(page)
    await page.getByRole("link", { name: "I have kept them" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${origin}/ops/sign-in`)
    await signIn("ana@operations.example")
    await look(page)
    await page.getByLabel("Code").fill(code(1))
    await page.getByRole("button", { name: "Verify" }).click()

    await page.getByRole("link", { name: "Operators" }).click()
    await page.getByText("Second factor on").waitFor()
    await look(page)
    await page.getByRole("button", { name: "Add an operator" }).click()
    await page.getByLabel("E-mail").fill("vic@operations.example")
    await page.getByLabel("Name").fill("Vic V.")
    await page.getByRole("button", { name: "Make the account" }).click()
    const link = (await page.locator("dialog .wrapped").textContent()) ?? ""
    await look(page)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("link", { name: "Audit log" }).click()
    await page.getByText("Make operator").first().waitFor()
    await look(page)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${origin}/ops/sign-in`)

    await page.goto(link)
    await page.getByLabel("New password").fill(PASSWORD)
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("link", { name: "Sign in" }).click()
    await signIn("vic@operations.example")
    await page.getByRole("heading", { name: /sites?, / }).waitFor()
    expect(await page.getByRole("link", { name: "Approvals" }).count()).toBe(0)
    expect(strayed).toEqual([])
    await close()
  })

  test("settings: a site's price and area, the policy of windows, the outbox, and the hold on calls", async () => {
    const { production } = service.access
    const origin = service.urls.production
    const { page, strayed, complaints, close } = await openPage(browser, origin)
    await page.goto(`${origin}/ops/settings`)
    await page.getByRole("button", { name: "Use an operator token" }).click()
    await page.getByLabel("Operator token").fill(production.operator_token)
    await page.getByRole("button", { name: "Sign in" }).click()
    const table = page.getByRole("table", { name: "Sites" })
    await table.locator("tbody").getByRole("button").first().waitFor()
    await look(page, "settings of sites")
    await table.locator("tbody").getByRole("button").first().click()
    const drawer = page.getByRole("complementary")
    const price = drawer.getByLabel("Price of a delivery, $")
    await price.fill("-3")
    await drawer.getByRole("button", { name: "Save the site" }).click()
    await drawer
      .getByText(/must be/)
      .first()
      .waitFor()
    await price.fill("9.25")
    await drawer.getByLabel("Reach, km").fill("4")
    await look(page, "the settings of one site")
    await drawer.getByRole("button", { name: "Save the site" }).click()
    await page.getByText("Changed", { exact: true }).waitFor()
    await table.getByText("$9.25").waitFor()
    // The area of the reach goes; three corners are pressed, and stand in the table.
    await drawer.getByRole("button", { name: "Start again" }).click()
    const canvas = drawer.locator(".area-canvas > svg")
    const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    for (const [across, down] of [
      [0.1, 0.9],
      [0.3, 0.3],
      [0.7, 0.3],
      [0.5, 0.8],
    ] as const) {
      await page.mouse.click(box.x + across * box.width, box.y + down * box.height)
      if (down === 0.9) await drawer.getByRole("button", { name: "Undo" }).click()
    }
    await drawer.getByText("Corners as a table").click()
    expect(await drawer.getByLabel(/^Latitude of corner/).count()).toBe(3)
    await look(page, "an area that is drawn")
    await drawer.getByRole("button", { name: "Save the site" }).click()
    const drawn = async (): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${production.operator_token}` }
      const listed = await call(production, "GET", "/internal/v1/sites?limit=100", undefined, headers)
      const { sites } = listed.body.data as unknown as {
        sites: readonly { name: string; area: readonly (readonly unknown[])[] | null }[]
      }
      return sites.find(({ area }) => area?.[0]?.length === 4)?.area?.[0]?.length
    }
    await expect.poll(drawn, { timeout: 10_000 }).toBe(4)
    await page.keyboard.press("Escape")

    await page.getByRole("link", { name: "Arrival windows" }).click()
    const grace = page.getByLabel("Grace after the window")
    const kept = await grace.inputValue()
    expect(await page.getByRole("button", { name: "Save the policy" }).isDisabled()).toBe(true)
    await grace.fill("1000000")
    await page.getByRole("button", { name: "Save the policy" }).click()
    await page
      .getByText(/window_grace_seconds|must be|between/i)
      .first()
      .waitFor()
    await grace.fill(String(Number(kept) + 1))
    await page.getByRole("button", { name: "Save the policy" }).click()
    await page.getByText("The policy holds for bookings from now on").waitFor()
    const policy = await call(production, "GET", "/internal/v1/window-policy", undefined, {
      Authorization: `Bearer ${production.operator_token}`,
    })
    expect(policy.body.data).toMatchObject({
      window_policy: { window_grace_seconds: (Number(kept) + 1) * 60 },
    })
    await look(page, "the policy of windows")

    await page.getByRole("link", { name: "Mails and texts" }).click()
    await page
      .getByText(/No mail was written yet|Written/)
      .first()
      .waitFor()
    await look(page, "the outbox")
    await page.getByRole("link", { name: "Outbound calls" }).click()
    await page.getByText("Webhooks, open links, payments, mails and texts leave as they come.").waitFor()
    await look(page, "the hold on calls")
    expect(strayed).toEqual([])
    // The price and the grace that were refused.
    expect(complaints.filter((line) => !line.includes("400"))).toEqual([])
    await close()
  })
})
