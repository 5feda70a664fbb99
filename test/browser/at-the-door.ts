/**
 * A compartment at a customer's door over a service that a test has started: operations set the fleet's URL, the customer opens it
 * by digits, wrong tries lock another one, and operations open that one from the board. Then the receipt is downloaded.
 */

import { readFile } from "node:fs/promises"
import type { Browser, Page } from "playwright-core"
import { expect, test } from "vitest"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { call, startReceiver } from "../serve/service-process.ts"
import type { Receiver, ServiceProcess } from "../serve/service-process.ts"
import type { BoardService } from "./board-service.ts"
import { openPage, problemsIn } from "./chromium.ts"
import { look } from "./look.ts"

/** A bound against hanging. */

const FIELD = "Last four digits of your phone number"

/** Of the customer of `BoardService.delivered`. */
const DIGITS = "0123"

/** Statuses before the door, each with its step and its words on the page. */
const FOLLOWED = [
  ["ARRIVED_AT_STORE", "At the store", "At the store"],
  ["LOADED", "At the store", "Order on board"],
  ["EN_ROUTE_TO_CUSTOMER", "On its way", "On the way to you"],
] as const

export function testsAtTheDoor(
  browser: () => Browser,
  service: () => ServiceProcess,
  { openBoard, delivered, operate }: BoardService,
): void {
  const trackingUrl = async (number: string): Promise<string> => {
    const { production } = service().access
    const site = { "x-retailer-id": production.site_id }
    const { body } = await call(production, "GET", `/dd/v1/deliveries/${number}`, undefined, site)
    return String(body.data["tracking_url"])
  }

  const phoneAt = async (
    url: string,
  ): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> => {
    const viewport = { width: 390, height: 844 }
    const { page, close } = await openPage(browser(), service().urls.production, { viewport })
    await page.goto(url)
    return { page, close }
  }

  const type = async (page: Page, digits: string): Promise<void> => {
    await page.getByLabel(FIELD).fill(digits)
    await page.getByRole("button", { name: "Open the compartment" }).click()
  }

  /** As a browser without script sends the form. */
  const post = async (url: string, digits: string): Promise<number> => {
    const body = new URLSearchParams({ digits })
    return (await fetch(`${url}/open`, { method: "POST", body, redirect: "manual" })).status
  }

  /** Gives the signing secret, which the page shows once. */
  const openedBy = async (receiver: Receiver): Promise<string> => {
    const { page, close } = await openBoard()
    await page.getByText("Live", { exact: true }).waitFor()
    const { production } = service().access
    await page.goto(`${service().urls.production}/ops/settings/sites/${production.site_id}`)
    const section = page.getByRole("region", { name: "Compartments" })
    await section.getByText("None: the tracking page has no button").waitFor()
    await section.getByRole("button", { name: "Change…" }).click()
    await page.getByLabel("URL that opens").fill("no URL")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText(/must be an https URL on a public host/i).waitFor()
    await page.getByLabel("URL that opens").fill(`${receiver.url}/open`)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const secret = (await page.locator("[data-secret]").textContent()) ?? ""
    await look(page, "the fleet's secret")
    await page.getByRole("button", { name: "I have saved it" }).click()
    await section.getByText(`${receiver.url}/open`).waitFor()
    expect(await section.textContent()).not.toContain(secret)
    await look(page, "how compartments are opened")
    await close()
    return secret
  }

  /** A delivery that a vehicle of its own carries. */
  const carried = async (number: string, vehicleId: string): Promise<string> => {
    const { body } = await operate("GET", `/vehicles?site_id=${service().access.production.site_id}`)
    const [own] = body.data["vehicles"] as readonly { readonly fleet_id: string }[]
    await operate("POST", "/vehicles", { vehicle_id: vehicleId, fleet_id: own?.fleet_id, label: vehicleId })
    const id = await delivered(number)
    expect((await operate("PUT", `/deliveries/${id}/vehicle`, { vehicle_id: vehicleId })).status).toBe(200)
    return id
  }

  const arrive = async (id: string): Promise<void> => {
    const status = "ARRIVED_AT_CUSTOMER"
    expect((await operate("POST", `/deliveries/${id}/status`, { status })).status).toBe(200)
  }

  test("a compartment opens at the door alone, once, by the customer's digits, under the fleet's signature", async () => {
    const receiver = await startReceiver()
    const secret = await openedBy(receiver)
    const id = await carried("5531", "veh_door_1")
    const url = await trackingUrl("5531")
    // Not before the vehicle is there, whatever is sent.
    expect(await post(url, DIGITS)).toBe(303)
    const { page, close } = await phoneAt(url)
    expect(await page.getByLabel(FIELD).count()).toBe(0)
    // The open page follows the vehicle to the store and back, without a reload.
    await page.evaluate("globalThis.isFirstLoad = true")
    for (const [status, step, words] of FOLLOWED) {
      expect((await operate("POST", `/deliveries/${id}/status`, { status })).status).toBe(200)
      // As when somebody looks at the phone again; a page that stays open asks each ten seconds.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.locator('[aria-current="step"]', { hasText: step }).waitFor()
      await page.locator(".told", { hasText: `${words}, as of` }).waitFor()
    }
    expect(await page.evaluate("isFirstLoad")).toBe(true)
    await arrive(id)
    await page.getByLabel(FIELD).waitFor()
    expect(receiver.received).toEqual([])
    await type(page, "9999")
    await page.getByText("These are not the last four digits. 4 tries left.").first().waitFor()
    await type(page, DIGITS)
    await page.getByText("It is open.").first().waitFor()
    expect(await post(url, DIGITS)).toBe(303)
    const [sent, ...more] = receiver.received
    expect(more).toEqual([])
    if (sent === undefined) throw new Error("the fleet was not called")
    const header = String(sent.headers["x-service-signature"])
    const signed = { header, body: sent.body, secrets: [secret], nowMs: Date.now(), toleranceMs: 300_000 }
    expect([sent.path, verifyWebhook(signed)]).toEqual(["/open", true])
    expect(JSON.parse(sent.body)).toMatchObject({ delivery_id: id, vehicle_id: "veh_door_1" })
    expect(sent.body).not.toContain(DIGITS)

    const log = await operate("GET", "/audit-log?limit=100")
    const lines = (log.body.data["actions"] as readonly Record<string, unknown>[]).filter(
      ({ actor_type: actor, subject_id: about }) => actor === "customer" && about === id,
    )
    expect(lines.map(({ outcome }) => outcome)).toEqual(["done", "done", "WRONG_DIGITS", "INVALID_STATE"])
    await operate("POST", `/deliveries/${id}/status`, { status: "COMPLETED" })
    const link = page.getByRole("link", { name: "Receipt" })
    await link.waitFor()
    const download = page.waitForEvent("download")
    await link.click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^receipt.*\.html$/)
    expect(await readFile(await file.path(), "utf8")).toContain("1 Sample St")
    await close()
    await receiver.close()
  })

  test("five wrong tries lock a compartment, and the board opens it", async () => {
    const receiver = await startReceiver()
    const { production } = service().access
    const { body } = await operate("GET", `/vehicles?site_id=${production.site_id}`)
    const [own] = body.data["vehicles"] as readonly { readonly fleet_id: string }[]
    const open_url = `${receiver.url}/open`
    expect((await operate("PATCH", `/fleets/${own?.fleet_id}`, { open_url })).status).toBe(200)
    const id = await carried("5532", "veh_door_2")
    const url = await trackingUrl("5532")
    await arrive(id)
    for (let tries = 0; tries < 4; tries += 1) expect(await post(url, "9999")).toBe(303)
    const { page, close } = await phoneAt(url)
    await page.getByText("1 try left.").waitFor()
    await type(page, "9999")
    await page.getByText("It is locked.").first().waitFor()
    // The right digits come too late.
    expect(await post(url, DIGITS)).toBe(303)
    expect(receiver.received).toEqual([])
    const board = await openBoard("?vehicle=veh_door_2")
    await board.page.getByRole("heading", { name: "veh_door_2, 5532" }).waitFor()
    await look(board.page, "a vehicle with a locked compartment")
    await board.page.getByRole("button", { name: "Open the compartment…" }).click()
    await board.page.getByText("Make sure that the customer stands beside the vehicle").waitFor()
    expect(await problemsIn(board.page)).toEqual([])
    await board.page.getByRole("button", { name: "Open the compartment", exact: true }).click()
    await page.getByText("It is open.").first().waitFor()
    expect(receiver.received.map(({ path }) => path)).toEqual(["/open"])
    await operate("POST", `/deliveries/${id}/status`, { status: "COMPLETED" })
    for (const one of [{ close }, board]) await one.close()
    await receiver.close()
  })
}
