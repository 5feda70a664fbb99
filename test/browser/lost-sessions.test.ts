/**
 * Pages whose session has ended, or is another person's: nothing that was typed is lost, and no page acts for a person who
 * signed in since in another tab. Over the service as a user starts it.
 */

import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databasesOf } from "../journeys/served.ts"
import { dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"
import { EMAIL, PASSWORD, signUp } from "./portal-account.ts"

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${service.urls.production}/portal/sign-in`)
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${service.urls.production}/portal`)
}

/** In another tab of the same browser. */
async function inAnotherTab(context: BrowserContext, act: (tab: Page) => Promise<void>): Promise<void> {
  const tab = await context.newPage()
  await act(tab)
  await tab.close()
}

async function signOut(tab: Page, path: string): Promise<void> {
  await tab.goto(`${service.urls.production}${path}`)
  await tab.getByRole("button", { name: "Sign out" }).first().click()
  await tab.waitForURL(/\/sign-in$/)
}

/** A person who comes back to the tab. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate("window.dispatchEvent(new Event('focus'))")
}

const dialogIn = (page: Page, name: string) => page.getByRole("dialog", { name })

describe.each(databasesOf("PostgreSQL"))("on %s", (database) => {
  let postgres: PostgresDatabase | null = null

  beforeAll(async () => {
    if (database === "PostgreSQL") postgres = await startPostgres()
    const env = postgres === null ? {} : { DATABASE_URL: postgres.url, CURBLINE_SECRET: "s".repeat(32) }
    service = await startProcess(dataFolderOn(database), undefined, { env, words: ["--demo"] })
    const { page, close } = await openPage(browser, service.urls.production)
    await signUp(page, service, { origin: service.urls.production })
    const person = { email: "eve@other.example", name: "Eve Moore", organization: "Other Org" }
    await signUp(page, service, { origin: service.urls.production, person })
    await close()
  })
  afterAll(async () => {
    await service.stop()
    await postgres?.stop()
  })

  testsOfSessions()
})

function testsOfSessions(): void {
  describe("the portal", () => {
    test("keeps a form whose session has ended, and sends it after a new sign-in in another tab", async () => {
      const { page, close } = await openPage(browser, service.urls.production)
      await signIn(page, EMAIL)
      await page.goto(`${service.urls.production}/portal/keys`)
      await page.getByRole("button", { name: "New sandbox key" }).click()
      const form = dialogIn(page, "New sandbox key")
      await form.getByLabel("Label").fill("Typed at length")
      await inAnotherTab(page.context(), (tab) => signOut(tab, "/portal"))
      await form.getByRole("button", { name: "Make the key" }).click()
      const notice = dialogIn(page, "You were signed out")
      await notice.waitFor()
      await look(page)
      await page.keyboard.press("Escape")
      await page.keyboard.press("Escape")
      expect(await notice.getByRole("link", { name: "Sign in in a new tab" }).getAttribute("href")).toBe(
        "/portal/sign-in",
      )
      await inAnotherTab(page.context(), (tab) => signIn(tab, EMAIL))
      await comeBack(page)
      await dialogIn(page, "You are signed in again").getByRole("button", { name: "Go on" }).click()
      expect(await form.getByLabel("Label").inputValue()).toBe("Typed at length")
      await form.getByRole("button", { name: "Make the key" }).click()
      await dialogIn(page, "Copy your key now").waitFor()
      await close()
    })

    test("a page never acts for a person who signed in in another tab", async () => {
      const { page, close } = await openPage(browser, service.urls.production)
      await signIn(page, EMAIL)
      await page.goto(`${service.urls.production}/portal/keys`)
      await page.getByRole("button", { name: "New sandbox key" }).click()
      const form = dialogIn(page, "New sandbox key")
      await form.getByLabel("Label").fill("For North Loop alone")
      await inAnotherTab(page.context(), async (tab) => {
        await signOut(tab, "/portal")
        await signIn(tab, "eve@other.example")
      })
      // The page may have noticed by itself, and its notice lies over the form.
      await form.getByRole("button", { name: "Make the key" }).dispatchEvent("click")
      await page.getByText("Eve Moore (Other Org) has signed in since", { exact: false }).waitFor()
      await look(page)
      await inAnotherTab(page.context(), async (tab) => {
        await tab.goto(`${service.urls.production}/portal/keys`)
        await tab.getByText("No keys yet").waitFor()
      })
      await page.getByRole("button", { name: "Leave this page" }).click()
      await page.getByText("Eve Moore", { exact: true }).waitFor()
      expect(page.url()).toBe(`${service.urls.production}/portal`)
      await close()
    })

    test("a page on which nothing is typed leaves for the sign-in, and comes back to where it was", async () => {
      const { page, close } = await openPage(browser, service.urls.production)
      await signIn(page, EMAIL)
      await page.goto(`${service.urls.production}/portal/team`)
      await page.getByRole("button", { name: "Invite somebody" }).waitFor()
      await inAnotherTab(page.context(), (tab) => signOut(tab, "/portal"))
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.waitForURL(/\/portal\/sign-in/)
      expect(new URL(page.url()).search).toBe("?to=%2Fportal%2Fteam")
      await close()
    })
  })

  describe("the pages of operations", () => {
    const withToken = async (page: Page): Promise<void> => {
      await page.goto(`${service.urls.production}/ops/sign-in`)
      await page.getByRole("button", { name: "Use an operator token" }).click()
      await page.getByLabel("Operator token").fill(service.access.production.operator_token)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.waitForURL(`${service.urls.production}/ops`)
    }

    test("keep a form over the end of the session, and a session that was begun anew sends it", async () => {
      const { page, close } = await openPage(browser, service.urls.production)
      await withToken(page)
      await page.goto(`${service.urls.production}/ops/settings/retailers`)
      await page.getByRole("button", { name: "New retailer" }).click()
      const form = dialogIn(page, "New retailer")
      await form.getByLabel("Name", { exact: true }).fill("Corner Deli")
      await inAnotherTab(page.context(), (tab) => signOut(tab, "/ops"))
      await form.getByRole("button", { name: "Add the retailer" }).click()
      await dialogIn(page, "You were signed out").waitFor()
      await look(page)
      await inAnotherTab(page.context(), withToken)
      await comeBack(page)
      await dialogIn(page, "You are signed in again").getByRole("button", { name: "Go on" }).click()

      // Signed out and in again before the page has noticed anything: its form key is that of the session before.
      await inAnotherTab(page.context(), async (tab) => {
        await signOut(tab, "/ops")
        await withToken(tab)
      })
      await form.getByRole("button", { name: "Add the retailer" }).click()
      await form
        .getByText("You have signed in anew in another tab. Nothing was sent: send it again.")
        .waitFor()
      await form.getByRole("button", { name: "Add the retailer" }).click()
      await page.getByRole("cell", { name: /^Corner Deli/ }).waitFor()
      expect(await page.getByRole("cell", { name: /^Corner Deli/ }).count()).toBe(1)
      await close()
    })
  })
}
