/**
 * The runner's page on a phone, over the service as a user starts it: a reservation is carried with its photo, with the
 * network cut for two moves and the page killed meanwhile; a second runner sees who has the task.
 */

import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true } as const

/** A bound against hanging; the page asks each few seconds. */
const PATIENT = { timeout: 120_000 } as const

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  ;[browser, service] = await Promise.all([
    startChromium(),
    startProcess(preparedDataFolder(), undefined, { words: ["--allow-local-targets"] }),
  ])
})
afterAll(async () => {
  await Promise.all([browser.close(), service.stop()])
})

async function pairing(name: string): Promise<string> {
  const { production } = service.access
  const operator = { ...production, api_key: production.operator_token }
  const path = `/internal/v1/sites/${production.site_id}/pairings`
  const { body } = await call(operator, "POST", path, { runner_name: name })
  return `${service.urls.production}${(body.data as unknown as { pairing: { path: string } }).pairing.path}`
}

/** As the board does. */
async function ring(message: string): Promise<void> {
  const { production } = service.access
  const operator = { ...production, api_key: production.operator_token }
  const { status } = await call(operator, "POST", `/internal/v1/sites/${production.site_id}/runner-calls`, {
    message,
  })
  expect(status).toBe(201)
}

/** As the board does. */
async function endPhones(): Promise<void> {
  const { production } = service.access
  const operator = { ...production, api_key: production.operator_token }
  const phones = `/internal/v1/sites/${production.site_id}/runner-phones`
  const { body } = await call(operator, "GET", phones)
  const { runner_phones } = body.data as unknown as { runner_phones: { phone_id: string }[] }
  for (const { phone_id } of runner_phones)
    await call(operator, "DELETE", `/internal/v1/runner-phones/${phone_id}`)
}

async function booked(order: string): Promise<string> {
  const { production } = service.access
  const asked = {
    ...booking(production, "http://127.0.0.1:9/open", order),
    payload_limit: { max_weight_kg: 12 },
  }
  const { body } = await call(production, "POST", "/rs/v1/reservations", asked)
  return body.data.reservation.reservation_id
}

const bot = (id: string, status: string) =>
  call(service.access.production, "POST", `/rs/v1/reservations/${id}/bot`, { status, label: "Serve 12" })

async function handoffOf(id: string): Promise<{ status: string; load_photo_url: string | null }> {
  const { body } = await call(service.access.production, "GET", `/rs/v1/reservations/${id}`)
  return (body.data.reservation as unknown as { handoff: { status: string; load_photo_url: string | null } })
    .handoff
}

/** axe finds nothing in light and dark, and nothing is wider than the screen. */
async function look(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    const where = `${page.url()}, ${colorScheme}`
    expect(await problemsIn(page), where).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where).toBe(true)
  }
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click()
}

/** px; the one move is 64, every other target 48 at least. */
async function heightOf(page: Page, name: RegExp): Promise<number | undefined> {
  return (await page.getByRole("button", { name }).boundingBox())?.height
}

/** Until the service worker has the page's files, a reload needs the network. */
async function isKept(page: Page): Promise<void> {
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
}

describe("the runner's page", () => {
  test("carries an order over a cut network and a killed page, with its photo", async () => {
    const { page: first, strayed, complaints } = await openPage(browser, service.urls.production, PHONE)
    const context: BrowserContext = first.context()
    await first.goto(`${service.urls.production}/runner`)
    await first.getByRole("heading", { name: "Pair this phone" }).waitFor()
    await look(first)
    const id = await booked("1187")
    const followed = first.waitForResponse((response) => response.url().endsWith("/runner/api/stream"))
    await first.goto(await pairing("Maya R."))
    expect((await followed).headers()["content-type"]).toContain("text/event-stream")
    await first.getByRole("heading", { name: "1 task is free" }).waitFor()
    expect(first.url()).toBe(`${service.urls.production}/runner`)
    await first.getByRole("button", { name: /^Take the task/ }).click()
    await first.getByRole("link", { name: /^Go on with/ }).click()
    await look(first)
    await press(first, "I am at the store")
    await press(first, "Problem")
    await look(first)
    expect(await heightOf(first, /^Wait here until/)).toBe(64)
    expect(await heightOf(first, /^10 min$/)).toBe(48)
    await press(first, "Close")
    await isKept(first)
    await expect.poll(async () => (await handoffOf(id)).status, PATIENT).toBe("AT_STORE")

    await context.setOffline(true)
    await press(first, "I have the order")
    await press(first, "I am at the bot")
    await first.getByRole("heading", { name: "No network. 2 moves are saved on this phone." }).waitFor()
    await first.close()
    const page = await context.newPage()
    await page.goto(`${service.urls.production}/runner#task/${id}`)
    await page.getByRole("heading", { name: "No network. 2 moves are saved on this phone." }).waitFor()
    await look(page)
    expect((await handoffOf(id)).status).toBe("AT_STORE")
    await context.setOffline(false)
    await expect.poll(async () => (await handoffOf(id)).status, PATIENT).toBe("AT_UNIT")

    await bot(id, "READY_FOR_HANDOFF")
    await page.getByRole("link", { name: /^Serve 12 is at stall/ }).waitFor()
    expect(await page.getByRole("link", { name: /^Serve 12 is at stall/ }).count()).toBe(1)
    await page.getByRole("link", { name: "Take the photo" }).click()
    await page.getByLabel("Open the camera").setInputFiles(await picture(page))
    await page.getByText("1600 × 1200").waitFor()
    await look(page)
    await press(page, "Loaded, use this photo")
    await page.getByText("Loaded. This task is done.").waitFor()
    await expect.poll(async () => (await handoffOf(id)).load_photo_url, PATIENT).not.toBeNull()
    const url = (await handoffOf(id)).load_photo_url ?? ""
    const photo = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(photo.subarray(0, 2).toString("hex")).toBe("ffd8")
    expect(photo.includes("Exif")).toBe(false)
    expect(strayed).toEqual([])
    expect(complaints.filter((text) => !/401|ERR_INTERNET_DISCONNECTED/.test(text))).toEqual([])
    await context.close()
  })

  test("of two runners one gets the task, and the other sees who has it; a bot that leaves is told, and the end of a phone", async () => {
    const id = await booked("1190")
    const maya = (await openPage(browser, service.urls.production, PHONE)).page
    const luis = (await openPage(browser, service.urls.production, PHONE)).page
    await maya.goto(await pairing("Maya R."))
    await luis.goto(await pairing("Luis P."))
    await luis.getByRole("button", { name: /^Take the task/ }).waitFor()
    await luis.context().setOffline(true)
    await maya.getByRole("button", { name: /^Take the task/ }).click()
    await expect.poll(async () => (await handoffOf(id)).status, PATIENT).toBe("ASSIGNED")
    await luis.getByRole("button", { name: /^Take the task/ }).click()
    await luis.context().setOffline(false)
    await luis.getByText(/not taken\./).waitFor()
    await luis.getByText("Maya R. has the task.").waitFor()
    await look(luis)

    // A phone that reconnects sees the call that was made meanwhile; who has not answered sees who comes.
    await luis.context().setOffline(true)
    await ring("1190 is urgent.")
    await maya.getByText("1190 is urgent.").waitFor()
    await luis.context().setOffline(false)
    await luis.getByText("1190 is urgent.").waitFor()
    await luis.getByRole("button", { name: "I am coming" }).click()
    await maya.getByText("The board calls: Luis P. comes.").waitFor()
    expect(await maya.getByRole("button", { name: "I am coming" }).count()).toBe(0)

    await maya.getByRole("link", { name: /^Go on with/ }).click()
    await bot(id, "DEPARTED")
    await maya.getByRole("link", { name: /^Serve 12 left stall/ }).waitFor()
    expect(await maya.evaluate("document.activeElement?.tagName")).not.toBe("DIALOG")
    await endPhones()
    await Promise.all(
      [maya, luis].map((page) => page.getByRole("heading", { name: "Pair this phone" }).waitFor()),
    )
    await Promise.all([maya.context().close(), luis.context().close()])
  })
})

/** A picture of 2,000 × 1,500 pixels, as a file with the words that cameras write in front. */
async function picture(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const drawn = (await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(2000, 1500)
    const ink = canvas.getContext("2d")
    ink.fillStyle = "#886644"
    ink.fillRect(0, 0, 2000, 1500)
    const blob = await canvas.convertToBlob({ type: "image/jpeg" })
    return [...new Uint8Array(await blob.arrayBuffer())]
  })()`)) as number[]
  const [start, rest] = [Buffer.from(drawn.slice(0, 2)), Buffer.from(drawn.slice(2))]
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 16]), Buffer.from("Exif\0\0GPS here")]).subarray(
    0,
    18,
  )
  return { name: "load.jpg", mimeType: "image/jpeg", buffer: Buffer.concat([start, exif, rest]) }
}
