/** States of portal pages that no walk through the pages reaches: exceptions, menus, refused days, unknown ids. */

import type { Page } from "playwright-core"
import type { ServiceProcess } from "../serve/service-process.ts"
import { PASSWORD, enrol } from "./portal-account.ts"
import type { PortalPost } from "./portal-account.ts"

/** One picture of a page. */
export interface Shot {
  /** Of the files, before width and colours. */
  readonly name: string
  readonly url: string
  /** What is done before the picture. */
  readonly act?: (page: Page) => Promise<unknown>
  /** True when it opens something at a place, which a later change of the width would not move. */
  readonly isPlaced?: boolean
}

const NOWHERE = "00000000-0000-4000-8000-000000000000"

/** Sends a command that must succeed; returns the text of its answer. */
export async function made(post: PortalPost, path: string, body: object): Promise<string> {
  const answer = await post(path, body)
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
  return answer.text()
}

/** The first value of a field in an answer's text. */
export function valueIn(text: string, name: string): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1] ?? ""
}

/** For an organization that has one delivery and one endpoint. */
export async function stateShots(
  service: ServiceProcess,
  { origin, post }: { readonly origin: string; readonly post: PortalPost },
): Promise<readonly Shot[]> {
  await enrol(service, "North Loop Market")
  const booked = valueIn(await made(post, "/sandbox/reservations", {}), "reservation_id")
  const silent = `${origin}/portal/reservations/${booked}`
  await made(post, `/reservations/${booked}/advance`, { reason_code: "runner_delayed" })
  await made(post, "/webhooks", {
    url: "http://127.0.0.1:9/hooks",
    subscribed_events: ["reservation.exception"],
  })
  return [
    { name: "portal-reservation-exception", url: silent },
    {
      name: "portal-endpoint-menu",
      isPlaced: true,
      url: `${origin}/portal/webhooks`,
      act: async (page) => {
        await page
          .getByRole("button", { name: /^Actions of/ })
          .first()
          .click()
        await page.getByRole("menu").first().waitFor()
      },
    },
    {
      name: "portal-key-form",
      url: `${origin}/portal/keys`,
      act: async (page) => {
        await page.getByRole("button", { name: "New sandbox key" }).click()
        await page.getByRole("dialog").getByLabel("Label").waitFor()
      },
    },
    {
      name: "portal-day-error",
      url: `${origin}/portal/deliveries`,
      act: async (page) => {
        await page.getByLabel("Created from").fill("2001-02-04")
        await page.getByLabel("to", { exact: true }).fill("2001-02-03")
        await page.getByRole("alert").first().waitFor()
      },
    },
    { name: "portal-delivery-unknown", url: `${origin}/portal/deliveries/${NOWHERE}` },
    { name: "portal-reservation-unknown", url: `${origin}/portal/reservations/${NOWHERE}` },
    { name: "portal-site-unknown", url: `${origin}/portal/sites/${NOWHERE}` },
    { name: "portal-unknown", url: `${origin}/portal/nothing/here` },
  ]
}

/** An account with a passkey, which a virtual security key makes in Chromium. Needs a portal under a host name. */
export async function addPasskey(page: Page, origin: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  })
  await page.goto(`${origin}/portal/account`)
  await page.getByRole("button", { name: "Add a passkey" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("Blue key")
  await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD)
  await dialog.getByRole("button", { name: "Go on" }).click()
  await page.getByRole("button", { name: "I have saved them" }).click()
  await page.getByRole("table", { name: "Passkeys" }).waitFor()
}
