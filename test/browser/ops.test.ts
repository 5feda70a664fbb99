/** The pages of operations at `/ops`, over the service as a user starts it, at 390 and 1440 px, in light and dark. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { codeAt, stepAt } from "../../src/apps/portal/people/totp.ts"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look, lookAtLargeText } from "./look.ts"
import {
  operate,
  walkConnector,
  walkNewSite,
  walkOneSite,
  walkOrganization,
  walkRetailers,
  walkSite,
  walkSiteRequest,
  walkStores,
  walkZones,
} from "./settings-walks.ts"
import type { Visit } from "./settings-walks.ts"

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
    await lookAtLargeText(page)

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
    /** Sets up a second factor, and gives its secret. */
    const enrolled = async (): Promise<string> => {
      await page.getByLabel("Your password").fill(PASSWORD)
      await page.getByRole("button", { name: "Show the code to scan" }).click()
      const shown = (await page.getByLabel("the key", { exact: true }).textContent()) ?? ""
      await look(page)
      await page.getByLabel("The code that it shows").fill(codeAt(shown, stepAt(Date.now())))
      await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
      await look(page)
      await page.getByRole("button", { name: "I have saved them" }).click()
      return shown
    }
    await signIn("ana@operations.example")
    await page.getByRole("heading", { name: "Set up your second factor first." }).waitFor()
    expect(await page.getByRole("link", { name: "Operators" }).count()).toBe(0)
    await look(page)
    const secret = await enrolled()
    const code = (later: number): string => codeAt(secret, stepAt(Date.now()) + later)
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
    await page.getByRole("cell", { name: "Make operator" }).first().waitFor()
    const choices = await page.getByLabel("Action", { exact: true }).locator("option").allTextContents()
    for (const action of await page.locator("tbody tr td:nth-child(3)").allTextContents())
      expect(choices).toContain(action)
    await look(page)
    await page.goto(`${origin}/ops/nothing/here`)
    await page.getByRole("heading", { name: "There is no such page." }).waitFor()
    await look(page)
    await page.getByRole("link", { name: "All sites" }).click()
    await page.waitForURL(`${origin}/ops`)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${origin}/ops/sign-in`)

    await page.goto(link)
    await page.getByLabel("New password").fill(PASSWORD)
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("link", { name: "Sign in" }).click()
    await signIn("vic@operations.example")
    await page.getByRole("heading", { name: "Set up your second factor first." }).waitFor()
    await enrolled()
    await page.getByRole("heading", { name: /sites?, / }).waitFor()
    expect(await page.getByRole("link", { name: "Approvals" }).count()).toBe(0)
    await followsRights(page, operator)
    expect(strayed).toEqual([])
    await close()
  })

  /** A board that is open in the browser while its operator, Vic, may do more, less, and then nothing at this site. */
  async function followsRights(page: Page, administrator: Access): Promise<void> {
    const listed = await call(administrator, "GET", "/internal/v1/operators")
    const { operators } = listed.body.data as unknown as {
      readonly operators: readonly { readonly email: string; readonly operator_id: string }[]
    }
    const vic = operators.find(({ email }) => email === "vic@operations.example")?.operator_id ?? ""
    const change = async (to: object): Promise<void> => {
      const { status } = await call(administrator, "PATCH", `/internal/v1/operators/${vic}`, to)
      expect(status).toBe(200)
    }
    /** A person who comes back to the tab. */
    const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    const pair = page.getByRole("button", { name: "Pair a phone" })
    await page.goto(`${service.urls.production}/ops/sites/${administrator.site_id}`)
    await page.getByRole("heading", { name: "Due" }).waitFor()
    expect(await pair.count()).toBe(0)
    await change({ role: "dispatcher" })
    await comeBack()
    await pair.click()
    const typed = page.getByLabel("Runner's name")
    await typed.fill("Maya R.")
    await change({ role: "viewer" })
    await comeBack()
    await page.getByText("What you may do has changed since this page was read.").waitFor()
    expect(await typed.inputValue()).toBe("Maya R.")
    await page.getByRole("dialog").getByText("Close", { exact: true }).click()
    await comeBack()
    await pair.waitFor({ state: "detached" })
    await page.getByRole("heading", { name: "Due" }).waitFor()

    const other = await call(administrator, "POST", "/internal/v1/sites", {
      name: "Other store",
      timezone: "America/Chicago",
    })
    const { site } = other.body.data as unknown as { readonly site: { readonly site_id: string } }
    await change({ site_ids: [site.site_id] })
    await page.getByText("There is no such site, or you may not see it").waitFor()
    expect(await page.getByRole("heading", { name: "Due" }).count()).toBe(0)
  }

  test("settings: a new site with its area and what it overlaps, its zones, stalls and retailers", async () => {
    const visit = await visitAs(service.access.production.operator_token)
    await walkNewSite(visit)
    await walkSite(visit)
    await walkZones(visit)
    await walkRetailers(visit)
    expect(await visit.end()).toEqual([])
  })

  test("settings: an organization, its key and its grant; the connector with stores, numbers and an errand", async () => {
    const visit = await visitAs(service.access.production.operator_token)
    await walkOrganization(visit)
    await walkStores(visit)
    await walkConnector(visit)
    expect(await visit.end()).toEqual([])
  })

  test("settings: the policy of windows, tokens, charges, requests, the outbox, and the hold on calls", async () => {
    const { production } = service.access
    const visit = await visitAs(production.operator_token)
    const { page } = visit
    await page.getByRole("link", { name: "Settings" }).click()
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
    const photos = page.getByLabel("Photos kept, in days")
    expect(await photos.inputValue()).toBe("90")
    await photos.fill("30")
    await page.getByRole("button", { name: "Save the policy" }).click()
    await page.getByText("The policy holds for bookings from now on").waitFor()
    expect(await operate(service, "GET", "/window-policy")).toMatchObject({
      window_policy: { window_grace_seconds: (Number(kept) + 1) * 60, photo_retention_days: 30 },
    })
    await look(page, "the policy of windows")

    await page.getByRole("link", { name: "Operator tokens" }).click()
    await page.getByRole("button", { name: "New token" }).click()
    await page.getByLabel("Held by").fill("Night shift")
    await page.getByLabel("Role").selectOption("manager")
    await page.getByLabel("Sites", { exact: true }).selectOption("some")
    await page.getByRole("group", { name: "These sites" }).getByLabel("Domain North").check()
    await look(page, "a new operator token")
    await page.getByRole("button", { name: "Make the token" }).click()
    const token = (await page.locator("[data-secret]").textContent()) ?? ""
    expect(token).toMatch(/^ot_prod_[0-9A-Za-z]{40}$/)
    await page.getByRole("button", { name: "I have saved it" }).click()
    const { operator_tokens: tokens } = await operate(service, "GET", "/operator-tokens?limit=100")
    expect(tokens).toContainEqual(
      expect.objectContaining({ label: "Night shift", role: "manager", site_ids: [production.site_id] }),
    )
    const other = await visitAs(token)
    await walkOneSite(other, token)
    expect(await other.end()).toEqual([])
    await page.getByRole("button", { name: "Revoke the token of Night shift" }).click()
    await page.getByLabel(/^Type /).fill(token.slice(-4))
    await page.getByRole("button", { name: "Revoke the token", exact: true }).click()
    await page.getByRole("row", { name: /Night shift.*Revoked/ }).waitFor()

    await page.getByRole("link", { name: "Charges" }).click()
    await page.getByText("There are no charges here").waitFor()
    await page.getByLabel("From").fill("2026-03-01")
    await page.getByText("None was completed at this site in this time.").waitFor()
    const file = await page.request.get(await hrefOf(page, "Download as CSV"))
    expect([file.status(), await file.text()]).toEqual([200, expect.stringMatching(/^delivery_id,.*\r\n$/)])
    await look(page, "charges")
    await walkSiteRequest(visit)
    const person = { email: "ada@outbox.example", password: "lemon tractor window", name: "Ada" }
    const signUp = await fetch(`${service.urls.production}/portal/api/sign-up`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-curbline-portal": "1" },
      body: JSON.stringify({ ...person, organization_name: "Outbox" }),
    })
    expect(signUp.status).toBe(202)
    await page.getByRole("link", { name: "Mails and texts" }).click()
    const mail = page.getByRole("row", { name: /ada@outbox\.example/ })
    await mail.getByText("Your code for Curbline").click()
    await mail.getByText(/Your code is \d{6}\./).waitFor()
    await look(page, "the outbox")
    await page.getByRole("link", { name: "Outbound calls" }).click()
    await page.getByText("Webhooks, open links, payments, mails and texts leave as they come.").waitFor()
    await look(page, "the hold on calls")
    await page.getByRole("link", { name: "Audit log" }).click()
    await page.getByRole("cell", { name: "Revoke operator token" }).first().waitFor()
    expect(await page.getByRole("row").nth(1).getByRole("cell").first().innerText()).toMatch(
      /^\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d:\d\d$/,
    )
    expect(await visit.end()).toEqual([])
  })
})

interface Visiting extends Visit {
  /** What went elsewhere, and what the browser complained of beside refusals that a walk wants to see. */
  readonly end: () => Promise<readonly string[]>
}

/** A page of somebody who signed in with an operator token. */
async function visitAs(token: string): Promise<Visiting> {
  const origin = service.urls.production
  const { page, strayed, complaints, close } = await openPage(browser, origin)
  await page.goto(`${origin}/ops`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${origin}/ops`)
  return {
    service,
    page,
    end: async () => {
      await close()
      return [...strayed, ...complaints.filter((line) => !/status of 4(?:00|09)/.test(line))]
    },
  }
}

async function hrefOf(page: Page, name: string): Promise<string> {
  const path = await page.getByRole("link", { name }).getAttribute("href")
  return new URL(path ?? "", page.url()).href
}
