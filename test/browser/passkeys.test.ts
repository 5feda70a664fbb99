/**
 * Passkeys in the portal, with Chromium's virtual authenticators, against the service as a user starts it under a host
 * name: adding, signing in, a device without the key, removing, an application beside them.
 */

import type { Browser, CDPSession, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { codeAt, stepAt } from "../../src/apps/portal/people/totp.ts"
import { freePort } from "../free-port.ts"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, startChromium } from "./chromium.ts"
import { look } from "./look.ts"
import { EMAIL, PASSWORD, signUp } from "./portal-account.ts"

let browser: Browser
let service: ServiceProcess
let page: Page
let devtools: CDPSession
let origin: string
let complaints: readonly string[]

beforeAll(async () => {
  const ports = [await freePort(), await freePort()] as const
  origin = `http://localhost:${ports[0]}`
  ;[browser, service] = await Promise.all([
    startChromium(),
    // Browsers refuse passkeys for addresses without a name.
    startProcess(preparedDataFolder(), ports, { env: { CURBLINE_PRODUCTION_URL: origin } }),
  ])
  const opened = await openPage(browser, origin)
  ;({ page, complaints } = opened)
  devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

/** A security key that is plugged in and touched at once. */
async function plugged(): Promise<string> {
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  })
  return authenticatorId
}

const pull = (authenticatorId: string) =>
  devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId })

/** With a recovery code, with a key that is plugged in, or without a proof while the second factor is off. */
type By = { readonly code: string } | "nothing" | "passkey"

async function add(name: string, by: By): Promise<void> {
  await page.getByRole("button", { name: "Add a passkey" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill(name)
  await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD)
  if (by === "passkey") return dialog.getByRole("button", { name: "Use a passkey" }).click()
  if (by !== "nothing") {
    expect(await dialog.getByRole("button", { name: "Go on" }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^A code of your application/).fill(by.code)
    await look(page, "a further passkey to add")
  }
  await dialog.getByRole("button", { name: "Go on" }).click()
}

async function toSecondStep(): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${origin}/portal/sign-in`)
  await page.getByLabel("E-mail").fill(EMAIL)
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Use your passkey" }).waitFor()
}

const usePasskey = () => page.getByRole("button", { name: "Use a passkey" })

describe.sequential("passkeys", () => {
  let blue: string
  let recovery: readonly string[]

  test("the first one switches the second factor on and gives recovery codes", async () => {
    await signUp(page, service, { origin })
    blue = await plugged()
    await page.goto(`${origin}/portal/account`)
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await look(page, "a passkey to add")
    await page.keyboard.press("Escape")
    await add("Blue key", "nothing")
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
    recovery = ((await page.getByRole("dialog").locator("pre").textContent()) ?? "").trim().split("\n")
    expect(recovery).toHaveLength(10)
    await page.getByRole("button", { name: "I have saved them" }).click()
    await page
      .getByRole("table", { name: "Passkeys" })
      .getByText("Blue key", { exact: true })
      .first()
      .waitFor()
    await look(page, "an account with a passkey")
  })

  test("one key has one passkey of an account; another key has another", async () => {
    await add("Blue key again", "passkey")
    await page.getByText("This device has a passkey of your account already.").waitFor()
    await page.keyboard.press("Escape")
    await pull(blue)
    const green = await plugged()
    await add("Green key", { code: recovery[3] ?? "" })
    const table = page.getByRole("table", { name: "Passkeys" })
    await table.getByText("Green key", { exact: true }).first().waitFor()
    expect(await table.locator("tbody tr").count()).toBe(2)
    blue = green
  })

  test("signs in with a passkey, by keyboard", async () => {
    await toSecondStep()
    await look(page, "the second step with a passkey")
    await usePasskey().focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /steps/ }).waitFor()
    await page.goto(`${origin}/portal/account`)
    const row = page.getByRole("table", { name: "Passkeys" }).locator("tbody tr", { hasText: "Green key" })
    expect(await row.textContent()).not.toContain("never")
  })

  test("a device without the passkey shows an error, and a recovery code signs in", async () => {
    await pull(blue)
    const empty = await plugged()
    await toSecondStep()
    await usePasskey().click()
    await page.getByText("The browser gave no answer: it was canceled, or took too long.").waitFor()
    await look(page, "a second step that the browser refused")
    await page.getByRole("button", { name: "Use a recovery code" }).click()
    await page.getByLabel("Recovery code").fill(recovery[0] ?? "")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /steps/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/portal")
    await pull(empty)
  })

  test("a removed passkey is gone; with the last one the second factor ends", async () => {
    await page.goto(`${origin}/portal/account`)
    for (const [name, code] of [
      ["Blue key", recovery[1] ?? ""],
      ["Green key", recovery[2] ?? ""],
    ] as const) {
      await page.getByRole("button", { name: `Remove ${name}` }).click()
      const dialog = page.getByRole("dialog")
      if (name === "Green key") await dialog.getByText(/It is the last one/).waitFor()
      await dialog.getByLabel(/^A code of your application/).fill(code)
      await dialog.getByRole("button", { name: "Remove it" }).click()
      await dialog.waitFor({ state: "hidden" })
      await page.getByRole("button", { name: `Remove ${name}` }).waitFor({ state: "detached" })
    }
    await page.getByRole("button", { name: "Switch it on" }).waitFor()
    await page.context().clearCookies()
    await page.goto(`${origin}/portal/sign-in`)
    await page.getByLabel("E-mail").fill(EMAIL)
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /steps/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/portal")
  })

  test("an application beside a passkey needs the passkey; switching off names and removes both", async () => {
    const red = await plugged()
    await page.goto(`${origin}/portal/account`)
    await add("Red key", "nothing")
    await page.getByRole("button", { name: "I have saved them" }).click()
    await page.getByRole("button", { name: "Add an application" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD)
    await look(page, "an application beside a passkey")
    await dialog.getByLabel(/^A code of your application/).fill("000000")
    await dialog.getByRole("button", { name: "Go on" }).click()
    await dialog.getByRole("alert").first().waitFor()
    await dialog.getByRole("button", { name: "Use a passkey" }).click()
    await page.getByRole("heading", { name: "Add it to your application" }).waitFor()
    const secret = ((await dialog.locator("pre").textContent()) ?? "").trim()
    await dialog.getByLabel("The code that it shows").fill(codeAt(secret, stepAt(Date.now())))
    await dialog.waitFor({ state: "hidden" })
    await page.getByText("10 recovery codes left").waitFor()
    await page.getByRole("button", { name: "Switch it off" }).click()
    await dialog.getByText(/^This removes the application, your passkey and the recovery codes\./).waitFor()
    await look(page, "a second factor to switch off")
    await dialog.getByRole("button", { name: "Use a passkey" }).click()
    await page.getByRole("button", { name: "Switch it on" }).waitFor()
    await page.getByRole("table", { name: "Passkeys" }).waitFor({ state: "detached" })
    await pull(red)
    expect(complaints.filter((one) => !one.includes("40"))).toEqual([])
  })
})
