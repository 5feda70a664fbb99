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
    await first.locator("main :focus").waitFor()
    await first.getByRole("link", { name: /^Go on with/ }).click()
    await first.locator("main h1:focus").waitFor()
    await look(first)
    await press(first, "I am at the store")
    await press(first, "Problem")
    await look(first)
    expect(await heightOf(first, /^Wait here until/)).toBe(64)
    expect(await heightOf(first, /^10 min$/)).toBe(48)
    await press(first, "Close")
    await isKept(first)
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_STORE")

    await cutNetwork(context)
    await press(first, "I have the order")
    await press(first, "I am at the bot")
    await first.getByRole("heading", { name: "No network. 2 moves are saved on this phone." }).waitFor()
    await first.close()
    const page = await context.newPage()
    await page.goto(`${service.urls.production}/runner#task/${id}`)
    await page.getByRole("heading", { name: "No network. 2 moves are saved on this phone." }).waitFor()
    await look(page)
    // As on a real phone, a move may have left before the network was gone. Its answer was not heard, so the phone keeps it, and its
    // key makes it one move.
    await mendNetwork(context)
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_UNIT")
    expect(await movesOn(id)).toEqual(["runner", "at-store", "order-in-hand", "at-unit"])

    await bot(id, "READY_FOR_HANDOFF")
    await page.getByRole("link", { name: /^Serve 12 is at stall/ }).waitFor()
    expect(await page.getByRole("link", { name: /^Serve 12 is at stall/ }).count()).toBe(1)
    await page.getByRole("link", { name: "Take the photo" }).click()
    await page.getByLabel("Open the camera").setInputFiles(await picture(page))
    await page.getByText("1600 × 1200").waitFor()
    await look(page)
    await press(page, "Loaded, use this photo")
    await page.getByText("Loaded. This task is done.").waitFor()
    await expect.poll(async () => (await handoffOf(id)).load_photo_url).not.toBeNull()
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
    await expect.poll(async () => (await handoffOf(id)).status).toBe("ASSIGNED")
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

  test("the Problem sheet: a hold with its estimate, a report, an order that fits and one that does not", async () => {
    const id = await booked("1194")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Ines T."))
    await page.getByRole("button", { name: /^Take the task/ }).click()
    await page.getByRole("link", { name: /^Go on with/ }).click()
    await press(page, "I am at the store")
    await press(page, "Problem")
    await press(page, "30 min")
    await page.getByRole("button", { name: /^Wait here until/ }).click()
    await page.getByText("Not ready yet", { exact: true }).waitFor()
    await look(page)
    await expect.poll(async () => (await handoffOf(id)).status).toBe("HELD")
    const { ready_estimate: estimate } = (await handoffOf(id)) as unknown as {
      readonly ready_estimate: string
    }
    expect(Math.round((Date.parse(estimate) - Date.now()) / 60_000)).toBe(30)
    await press(page, "The order is ready")
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_STORE")

    await press(page, "Problem")
    await page.getByText("Stall is blocked", { exact: true }).click()
    await page.getByLabel("What do you see? (optional)").filter({ visible: true }).fill("A van stands there.")
    await press(page, "Report: stall is blocked")
    await page.getByRole("link", { name: "Tasks" }).click()
    await page.getByText("The stall is blocked").first().waitFor()
    await page.getByRole("link", { name: /^Go on with/ }).click()

    const measure = async (kg: string): Promise<void> => {
      await press(page, "Measure")
      await page.getByLabel("Weight in kg, at most 12").fill(kg)
      await look(page)
      await press(page, "Check the order")
    }
    await measure("11.5")
    await page.getByRole("link", { name: /the order fits\. Go on\.$/ }).waitFor()
    expect((await handoffOf(id)).status).toBe("AT_STORE")
    await measure("12.5")
    await page.getByRole("link", { name: /the order does not fit\. Take the order back to / }).waitFor()
    await page.getByText("The task has ended.", { exact: false }).waitFor()
    expect((await handoffOf(id)).status).toBe("FAILED")
    await close()
  })

  test("rings, vibrates and keeps the screen on; a photo without network is sent later; what cannot be saved is said", async () => {
    const id = await booked("1195")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.addInitScript(RECORDS_SIGNALS)
    await page.goto(await pairing("Nora V."))
    await page.getByRole("button", { name: /^Take the task/ }).click()
    await page.getByRole("link", { name: /^Go on with/ }).click()
    await expect.poll(() => page.evaluate("signals.locks")).toBe(1)
    expect(await page.evaluate("[signals.tones, signals.vibrations]")).toEqual([0, 0])
    await bot(id, "ARRIVED")
    await page.getByRole("link", { name: /^Serve 12 is at stall/ }).waitFor()
    expect(await page.evaluate("[signals.tones, signals.vibrations]")).toEqual([2, 1])

    await page.evaluate("IDBObjectStore.prototype.add = () => { throw new Error('The disk is full.') }")
    await press(page, "I am at the store")
    await page.getByText("this phone could not save it, and did not send it", { exact: false }).waitFor()
    await page.getByText("The disk is full.", { exact: false }).waitFor()
    await look(page)
    await page.reload()
    expect((await handoffOf(id)).status).toBe("ASSIGNED")
    for (const name of ["I am at the store", "I have the order", "I am at the bot"]) await press(page, name)
    await isKept(page)
    await bot(id, "READY_FOR_HANDOFF")
    await page.getByRole("link", { name: "Take the photo" }).click()
    const context = page.context()
    await cutNetwork(context)
    await page.getByLabel("Open the camera").setInputFiles(await picture(page))
    await page.getByText("1600 × 1200").waitFor()
    await press(page, "Loaded, use this photo")
    await page.getByRole("heading", { name: "No network. 1 move is saved on this phone." }).waitFor()
    await look(page)
    expect((await handoffOf(id)).load_photo_url).toBeNull()
    await page.close()
    const again = await context.newPage()
    await again.goto(`${service.urls.production}/runner`)
    await again.getByRole("heading", { name: "No network. 1 move is saved on this phone." }).waitFor()
    await mendNetwork(context)
    await expect.poll(async () => (await handoffOf(id)).load_photo_url).not.toBeNull()
    expect((await handoffOf(id)).status).toBe("LOADED")
    await again.setViewportSize({ width: 1440, height: 900 })
    await look(again)
    await close()
  })
})

describe("a tap too many", () => {
  test("a double tap is one move, and the next button under the finger is not pressed with it", async () => {
    const id = await booked("1196")
    await booked("1197")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Rosa M."))
    await page
      .getByRole("button", { name: /^Take the task/ })
      .first()
      .dblclick()
    // A late second tap falls on the row of the taken task, which leads there, too.
    await page.goto(`${service.urls.production}/runner#task/${id}`)
    await page.getByRole("button", { name: "I am at the store", disabled: false }).waitFor()
    await page.evaluate(TAP_THE_NEXT_AS_WELL)
    await press(page, "I have the order")
    await expect.poll(async () => (await handoffOf(id)).status).toBe("RETRIEVED")
    expect(await movesOn(id)).toEqual(["runner", "at-store", "order-in-hand"])
    expect(await page.getByText(/not taken\./).count()).toBe(0)
    await endPhones()
    await close()
  })

  test("an answer to a move is not undone by tasks that were read before it and arrive after it", async () => {
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    const id = await booked("1209")
    await page.goto(await pairing("Lee V."))
    await takeOrder(page, "1209")
    await page.getByRole("link", { name: /^Go on with/ }).click()
    const store = page.getByRole("button", { name: "I am at the store", exact: true })
    await store.waitFor()
    const early = Promise.withResolvers<undefined>()
    const late = Promise.withResolvers<undefined>()
    let isFirst = true
    await page.route("**/runner/api/tasks", async (route) => {
      // Of the reads, the first is answered late, and those after it not until the page was looked at.
      if (!isFirst) return
      isFirst = false
      const response = await route.fetch()
      early.resolve(undefined)
      await late.promise
      await route.fulfill({ response })
    })
    await early.promise
    await store.click()
    await page.getByRole("button", { name: "I have the order", exact: true }).waitFor()
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_STORE")
    await expect.poll(() => page.locator(".offline").count()).toBe(0)
    const next = page.waitForRequest("**/runner/api/tasks")
    late.resolve(undefined)
    await next
    expect(await store.count()).toBe(0)
    await close()
  })
})

describe("the end of a shift", () => {
  test("waits for moves that were not sent, and for the service: until then the phone says that it is signed in", async () => {
    const id = await booked("1198")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Tomas W."))
    await takeOrder(page, "1198")
    await expect.poll(async () => (await handoffOf(id)).status).toBe("ASSIGNED")
    await isKept(page)
    await page.getByRole("button", { name: /^Tomas W\. · until/ }).click()
    await page.getByText(/^You still have A\d\.$/).waitFor()
    await look(page)
    await page.context().setOffline(true)
    await press(page, "End my shift")
    await page
      .getByRole("alert")
      .getByText(/^No network: this phone is still signed in\./)
      .waitFor()
    await look(page)
    await press(page, "Close")
    await page.locator("button:focus", { hasText: /^Tomas W\. · until/ }).waitFor()
    await page.getByRole("link", { name: /^Go on with/ }).click()
    await press(page, "I am at the store")
    await page.getByRole("heading", { name: "No network. 1 move is saved on this phone." }).waitFor()
    await page.getByRole("link", { name: "Tasks" }).click()
    await page.getByRole("button", { name: /^Tomas W\. · until/ }).click()
    await press(page, "End my shift")
    await page
      .getByRole("alert")
      .getByText(/^1 move is not sent yet\./)
      .waitFor()
    expect((await handoffOf(id)).status).toBe("ASSIGNED")

    await page.context().setOffline(false)
    await press(page, "End my shift")
    await page.getByRole("heading", { name: "Pair this phone" }).waitFor()
    expect((await handoffOf(id)).status).toBe("AT_STORE")
    expect(await page.evaluate("fetch('/runner/api/me').then(({ status }) => status)")).toBe(401)
    await close()
  })

  test("leaves nothing of the site on a phone that operations ended, also without network", async () => {
    await booked("1199")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Uma K."))
    await page.getByText("Order 1199").waitFor()
    await isKept(page)
    await endPhones()
    await page.getByRole("heading", { name: "Pair this phone" }).waitFor()
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText("No network.").waitFor()
    expect(await page.getByText("Order 1199").count()).toBe(0)
    await close()
  })
})

describe("a service that does not answer", () => {
  test("is not called a missing network; moves wait and go out when it answers", async () => {
    const id = await booked("1200")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Ivo L."))
    await takeOrder(page, "1200")
    await page.getByRole("link", { name: /^Go on with/ }).click()
    let isFailing = true
    await page.route(/\/runner\/api\/(?:tasks|calls)/, (route) =>
      isFailing ? route.fulfill({ status: 503, json: { error: "The database is away." } }) : route.continue(),
    )
    await press(page, "I am at the store")
    await page
      .getByRole("heading", { name: "The service does not answer. 1 move is saved on this phone." })
      .waitFor()
    await page.getByText("They go out in order as soon as it answers.", { exact: false }).waitFor()
    await look(page)
    expect((await handoffOf(id)).status).toBe("ASSIGNED")
    isFailing = false
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_STORE")
    await close()
  })
})

describe("a service that gives no answer in time", () => {
  test("is not called a missing network while the phone has one; the move arrives once", async () => {
    const id = await booked("1203")
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Noa F."))
    await takeOrder(page, "1203")
    await page.getByRole("link", { name: /^Go on with/ }).click()
    let isFrozen = true
    await page.evaluate(
      "AbortSignal.timeout = ((late) => () => late.call(AbortSignal, 300))(AbortSignal.timeout)",
    )
    await page.route(/\/runner\/api\/(?:tasks|calls)/, (route) => (isFrozen ? undefined : route.continue()))
    let isMoveFrozen = true
    await page.route("**/at-store", (route) => (isMoveFrozen ? undefined : route.continue()))
    await press(page, "I am at the store")
    await page
      .getByRole("heading", { name: "No answer from the service. 1 move is saved on this phone." })
      .waitFor()
    await look(page)
    isFrozen = false
    // Reads are answered first: that is no word about the move.
    await page
      .getByText("The service answers again; the first of them had no answer. It is sent again")
      .waitFor()
    await look(page)
    isMoveFrozen = false
    await page.evaluate("AbortSignal.timeout = () => new AbortController().signal")
    await expect.poll(async () => (await handoffOf(id)).status).toBe("AT_STORE")
    await close()
  })
})

describe("a service that answers, but fails at one move", () => {
  test("says that the move waits, and the runner can discard it for the moves after it", async () => {
    const [failing, next] = [await booked("1201"), await booked("1202")]
    const { page, close } = await openPage(browser, service.urls.production, PHONE)
    await page.goto(await pairing("Ada P."))
    await takeOrder(page, "1201")
    await page.getByRole("link", { name: /^Go on with/ }).click()
    await page.route("**/at-store", (route) => route.fulfill({ status: 500, json: { error: "A fault." } }))
    await press(page, "I am at the store")
    await page.getByRole("heading", { name: "1 move is saved on this phone, not sent yet." }).waitFor()
    await page.goto(`${service.urls.production}/runner#`)
    await takeOrder(page, "1202")
    await page.getByRole("heading", { name: "2 moves are saved on this phone, not sent yet." }).waitFor()
    await page.getByText("The service answers, but cannot take the first of them.").waitFor()
    await look(page)
    await press(page, "Discard")
    await press(page, "Discard it: the board will not know")
    await expect.poll(async () => (await handoffOf(next)).status).toBe("ASSIGNED")
    await expect.poll(() => page.locator(".offline").count()).toBe(0)
    expect((await handoffOf(failing)).status).toBe("ASSIGNED")
    await close()
  })
})

const CALLS = "**/runner/api/**"

/** Also for pages that are opened later: one may send before Chromium has taken its network away. */
async function cutNetwork(context: BrowserContext): Promise<void> {
  await context.setOffline(true)
  await context.route(CALLS, (route) => route.abort("internetdisconnected"))
}

async function mendNetwork(context: BrowserContext): Promise<void> {
  await context.unroute(CALLS)
  await context.setOffline(false)
}

/** Takes the task of an order from the list. */
async function takeOrder(page: Page, order: string): Promise<void> {
  await page
    .getByRole("listitem")
    .filter({ hasText: `Order ${order}` })
    .getByRole("button", { name: /^Take the task/ })
    .click()
}

/** What phones did on a reservation, oldest first. */
async function movesOn(id: string): Promise<readonly string[]> {
  const { production } = service.access
  const operator = { ...production, api_key: production.operator_token }
  const { body } = await call(operator, "GET", `/internal/v1/reservations/${id}/phone-moves`)
  return (body.data as unknown as { phone_moves: { move: string }[] }).phone_moves.map(({ move }) => move)
}

/** Taps the large button twice, and once more as soon as another one stands there. */
const TAP_THE_NEXT_AS_WELL = `new Promise((resolve) => {
  const button = () => document.querySelector("button.next")
  const first = button().textContent
  new MutationObserver((_, observer) => {
    if (button()?.textContent === first) return
    observer.disconnect()
    button()?.click()
    resolve(true)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
  button().click()
  button().click()
  // A slow phone shows the next button late.
  for (const untilMs = performance.now() + 1000; performance.now() < untilMs; );
})`

/** Counts what the page asks of a phone that a computer does not have. */
const RECORDS_SIGNALS = `
  globalThis.signals = { locks: 0, tones: 0, vibrations: 0 }
  navigator.vibrate = () => (signals.vibrations += 1) > 0
  Object.defineProperty(navigator, "wakeLock", {
    value: {
      request: async () => {
        signals.locks += 1
        return { released: false, release: async () => undefined }
      },
    },
  })
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (at) {
    signals.tones += 1
    return start.call(this, at)
  }
`

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
