/**
 * The portal as a partner meets it: from sign-up with the code of a mail to a delivery in the sandbox, in a browser,
 * against the service as a user starts it. The first way is walked by keyboard.
 */

import { createHmac } from "node:crypto"
import { decodeQR } from "qr/decode.js"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { preparedDataFolder, startProcess, startReceiver } from "../serve/service-process.ts"
import type { Receiver, ServiceProcess } from "../serve/service-process.ts"
import { drawn, openPage, problemsIn, startChromium, tabTo } from "./chromium.ts"
import { look } from "./look.ts"

let browser: Browser
let service: ServiceProcess
let receiver: Receiver
let page: Page
let context: BrowserContext
let complaints: readonly string[]
/** To a call of the partner's program in the request log. */
let loggedCall: string

beforeAll(async () => {
  ;[browser, service, receiver] = await Promise.all([
    startChromium(),
    startProcess(preparedDataFolder(), undefined, { words: ["--allow-local-targets"] }),
    startReceiver(),
  ])
  const opened = await openPage(browser, service.urls.production)
  page = opened.page
  context = page.context()
  complaints = opened.complaints
})
afterAll(async () => {
  await Promise.all([browser.close(), receiver.close()])
  await service.stop()
})

/** What a camera reads in the page's QR code. */
async function scanned(shown: Page): Promise<string> {
  const picture = await shown.locator("svg.qr-code").screenshot({ type: "png" })
  const { data, width, height } = await shown.evaluate<{ data: number[]; width: number; height: number }>(
    `(async () => {
      const picture = await createImageBitmap(new Blob([Uint8Array.from(${JSON.stringify([...picture])})]))
      const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
      context.drawImage(picture, 0, 0)
      const { data, width, height } = context.getImageData(0, 0, picture.width, picture.height)
      return { data: [...data], width, height }
    })()`,
  )
  return decodeQR({ data: Uint8Array.from(data), width, height })
}

const EMAIL = "ada@northloop.example"
const PASSWORD = "lemon tractor window"
async function go(path: string, heading: RegExp | string): Promise<void> {
  await page.goto(`${service.urls.production}${path}`)
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor()
  await drawn(page)
}

/** The mail to an address, as operations see it. */
async function mailed(to: string, pattern: RegExp): Promise<string> {
  let found = ""
  const read = async (): Promise<string> => {
    const { base_url: base, operator_token: token } = service.access.production
    const answer = await fetch(`${base}/internal/v1/messages?channel=mail`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as { data: { messages: { to: string; text: string }[] } }
    const text = data.messages.find((message) => message.to === to && pattern.test(message.text))?.text ?? ""
    found = pattern.exec(text)?.[1] ?? ""
    return found
  }
  await expect.poll(read).not.toBe("")
  return found
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
const TOTP_STEP_MS = 30_000

/** RFC 6238: the code of an authenticator application, some time steps from now. */
function totpOf(secret: string, stepsAhead: number): string {
  const bits = [...secret.replaceAll("=", "")]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0"))
    .join("")
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / TOTP_STEP_MS) + stepsAhead))
  const mac = createHmac("sha1", key).update(counter).digest()
  const at = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, "0")
}

describe.sequential("a partner in the portal", () => {
  test("is sent to sign in first, and signs up by keyboard with the code of a mail", async () => {
    await go("/portal/deliveries?x=1", "Sign in")
    expect(new URL(page.url()).searchParams.get("to")).toBe("/portal/deliveries?x=1")
    await look(page, "sign in")
    await tabTo(page, "Start in the sandbox")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Start in the sandbox" }).waitFor()
    await look(page, "sign up")
    for (const [label, value] of [
      ["Organization", "North Loop Market"],
      ["Your name", "Ada Lindqvist"],
      ["Work e-mail", EMAIL],
      ["Password", PASSWORD],
    ] as const) {
      await page.getByLabel(label, { exact: true }).focus()
      await page.keyboard.type(value)
    }
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Enter your code" }).waitFor()
    const code = await mailed(EMAIL, /code is (\d{6})/)
    const wrong = code === "000000" ? "000001" : "000000"
    await page.keyboard.type(wrong)
    await page.getByRole("alert").waitFor()
    await look(page, "a wrong code")
    for (let digit = 0; digit < 6; digit += 1) await page.keyboard.press("Backspace")
    await page.keyboard.type(code)
    await page.getByRole("heading", { name: "Seven steps to production" }).waitFor()
    await look(page, "home with seven steps")
  })

  test("describes the organization, makes a key that is shown once, and a site", async () => {
    await go("/portal/account", "Account")
    await page.getByLabel("Contact e-mail").fill("ops@northloop.example")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved").waitFor()
    await look(page, "account")

    await go("/portal/keys", "API keys")
    await page.getByText("No keys yet").waitFor()
    await look(page, "no keys")
    await page.getByRole("button", { name: "New sandbox key" }).click()
    await page.getByLabel("Label").fill("Orders service")
    await page.getByRole("button", { name: "Make the key" }).click()
    await page.getByRole("heading", { name: "Copy your key now" }).waitFor()
    await look(page, "a key, once")
    const value = ((await page.locator("[data-secret]").textContent()) ?? "").trim()
    // Neither Esc nor a press beside it closes what is never shown again.
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    await page.mouse.click(5, 5)
    expect(await page.getByRole("heading", { name: "Copy your key now" }).isVisible()).toBe(true)
    await page.getByRole("button", { name: "I have saved it" }).click()
    await page.getByText("Orders service").first().waitFor()
    expect(await page.content()).not.toContain(value)
    const answer = await fetch(`${service.urls.sandbox}/rs/v1/retailers`, {
      headers: { authorization: `Bearer ${value}` },
    })
    // A key of the organization, which is no fleet partner yet.
    expect(await answer.json()).toMatchObject({ code: "NOT_FLEET_PARTNER" })
    loggedCall = /<([^>]+)>; rel="help"/.exec(answer.headers.get("link") ?? "")?.[1] ?? ""
    await look(page, "keys")

    await go("/portal/sites", "Sites")
    await page.getByRole("button", { name: "New sandbox site" }).first().click()
    await page.getByLabel("Name").fill("Domain North")
    // A list to choose from; an empty field means the zone of the location.
    const zone = page.getByLabel("Time zone")
    expect(await zone.inputValue()).toBe("")
    const offered = `document.getElementById(document.querySelector("input[list]").getAttribute("list")).options`
    expect(await page.evaluate<string[]>(`[...${offered}].map((one) => one.value)`)).toContain(
      "America/Chicago",
    )
    await look(page, "a new site")
    await page.getByRole("button", { name: "Make the site" }).click()
    await page.getByText("Ready", { exact: true }).waitFor()
    await page.getByText("America/Chicago").waitFor()
    await look(page, "sites")
  })

  test("registers an endpoint, and what it refuses is said at the field", async () => {
    await go("/portal/webhooks", "Webhooks")
    await page.getByRole("button", { name: "Register an endpoint" }).first().click()
    await page.getByLabel("URL").fill("not a url")
    await page.getByRole("button", { name: "Register", exact: true }).click()
    await page.getByRole("alert").first().waitFor()
    await page.getByLabel("URL").fill(receiver.url)
    await page.getByRole("button", { name: "Register", exact: true }).click()
    await page.getByRole("heading", { name: "Copy the signing secret now" }).waitFor()
    await page.getByRole("button", { name: "I have saved it" }).click()
    await page.getByText("Active").waitFor()
    expect(await page.getByText(receiver.url.replace("http://", "")).count()).toBe(1)
    await look(page, "webhooks")
  })

  test("orders a test delivery and advances it to its end; the steps of home tick", async () => {
    await go("/portal/deliveries", "Deliveries")
    await page.getByText("No deliveries yet").waitFor()
    await look(page, "no deliveries")
    await page.getByRole("button", { name: "New test delivery" }).first().click()
    await page.getByRole("dialog").getByLabel("External id").fill("order-8841")
    await page.getByRole("button", { name: "Order it" }).click()
    await page.getByRole("heading", { name: /order-8841/ }).waitFor()
    await page.getByRole("button", { name: "Advance to Assigned" }).click()
    await page.getByRole("button", { name: "Advance to En route to store" }).waitFor()
    await page.getByRole("button", { name: "Advance to…" }).click()
    await page.getByRole("menuitem", { name: /Arrived at store/ }).click()
    await page.getByRole("button", { name: "Advance to Waiting for load" }).waitFor()
    await page.getByText("pickup_status.changed").first().waitFor()
    await page.getByRole("button", { name: "STOP" }).click()
    await page.getByText("The customer replied STOP").waitFor()
    await look(page, "a delivery under way")
    await page.getByRole("button", { name: "Auto-run" }).click()
    await page.getByText(/^Delivered at/).waitFor()
    await page.getByText("Timeline", { exact: true }).click()
    await page.getByRole("table", { name: "Timeline" }).waitFor()
    await page.locator("summary").getByText("Requests", { exact: true }).click()
    await page.getByText("None among the last 1,000 calls to the sandbox.").waitFor()
    await look(page, "a delivery that is done")
    await go("/portal/deliveries", "Deliveries")
    await page.getByRole("link", { name: "order-8841" }).waitFor()
    await page.getByPlaceholder("External id").fill("nothing like this")
    await page.getByText("No delivery matches").waitFor()
    // A reload keeps what is in the address.
    await expect.poll(() => new URL(page.url()).search).toBe("?q=nothing+like+this")
    await page.reload()
    await page.getByText("No delivery matches").waitFor()
    await page.getByPlaceholder("External id").fill("8841")
    await page.getByRole("link", { name: "order-8841" }).waitFor()
    await page.getByLabel("Created from").fill("2001-02-03")
    await page.getByLabel("to", { exact: true }).fill("2001-02-02")
    await page.getByText("The first day is after the last.").waitFor()
    await page.getByLabel("to", { exact: true }).fill("2001-02-04")
    await page.getByText("No delivery matches").waitFor()
    await look(page, "no delivery on these days")
    await page.getByRole("button", { name: "Any day" }).click()
    await page.getByRole("link", { name: "order-8841" }).waitFor()
    await go("/portal", /steps are done|to production/)
    await expect
      .poll(() => page.getByRole("heading", { level: 1 }).textContent())
      .toBe("All seven steps are done")
    await look(page, "home, all done")
  })

  test("sees a delivery that another page orders at once, by the event stream alone", async () => {
    const other = await context.newPage()
    // This page asks at no interval.
    await other.addInitScript("window.setInterval = () => 0")
    await other.goto(`${service.urls.production}/portal/deliveries`)
    await other.getByRole("link", { name: "order-8841" }).waitFor()
    await page.goto(`${service.urls.production}/portal/deliveries`)
    await page.getByRole("button", { name: "New test delivery" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("External id").fill("order-8842")
    // The first customer has replied STOP.
    await dialog.getByLabel("Customer's phone").fill("+15125550143")
    await dialog.getByRole("button", { name: "Order it" }).click()
    await page.getByRole("heading", { name: /order-8842/ }).waitFor()
    await other.getByRole("link", { name: "order-8842" }).waitFor()
    expect(await other.getByRole("link", { name: /^order-884/ }).count()).toBe(2)
    await other.close()
  })

  test("reads the figures of its site by hour and by day", async () => {
    await go("/portal/analytics", "Analytics")
    await page.getByText("Visits", { exact: true }).first().waitFor()
    await page.getByText("The same as a table").click()
    await page.getByRole("table", { name: "Occupancy" }).waitFor()
    await look(page, "analytics")
    await page.getByRole("button", { name: "30 days" }).click()
    await page.getByRole("heading", { name: "Occupancy by day" }).waitFor()
    expect(new URL(page.url()).searchParams.get("period")).toBe("month")
    await look(page, "analytics of 30 days")
    await page.getByRole("button", { name: "Last week" }).click()
    await page.getByText("None in the week before either").first().waitFor()
    await page.getByText("Promise kept").waitFor()
    await page.getByRole("button", { name: "Days", exact: true }).click()
    await page.getByText("None in the 7 days before either").first().waitFor()
    await page.getByLabel("Days from").fill("2099-01-01")
    await page.getByText("The first day is after the last.").waitFor()
    await look(page, "analytics of chosen days")
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ])
    expect(file.suggestedFilename()).toBe("analytics.csv")
  })

  test("makes a delivery fail: the vehicle breaks down, and the dialog says what each step did", async () => {
    await go("/portal/deliveries", "Deliveries")
    await page.getByRole("button", { name: "New test delivery" }).first().click()
    await page.getByRole("dialog").getByLabel("External id").fill("order-8843")
    await page.getByRole("button", { name: "Order it" }).click()
    await page.getByRole("heading", { name: /order-8843/ }).waitFor()
    await page.getByRole("button", { name: "Make it fail…" }).click()
    const menu = page.getByRole("menu", { name: "Make it fail…" })
    await menu.getByText("What may go wrong from Scheduled").waitFor()
    for (const words of ["No vehicle comes", "The customer opts out", "Your receiver refuses the events"])
      await menu.getByRole("menuitem", { name: new RegExp(words) }).waitFor()
    expect(await menu.getByRole("menuitem", { name: /The bot does not come/ }).count()).toBe(0)
    await look(page, "what may go wrong with a delivery")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Make it fail…" }).press("Enter")
    await menu.getByRole("menuitem", { name: /The vehicle breaks down/ }).press("Enter")
    const dialog = page.getByRole("dialog", { name: "The vehicle breaks down" })
    await dialog.getByText(/Every step was played/).waitFor()
    expect(await dialog.getByRole("row").count()).toBe(7)
    await dialog.getByText("The vehicle goes offline").waitFor()
    await look(page, "what a scenario did")
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByText("Cancelled: the vehicle broke down.").waitFor()
  })

  test("books a reservation, raises an exception, lets the bot not come and cancels it", async () => {
    await go("/portal/reservations", "Reservations")
    await page.getByText("No reservations yet").waitFor()
    await look(page, "no reservations")
    await page.getByRole("button", { name: "Enrol as a fleet partner" }).click()
    await look(page, "enrolment")
    await page.getByRole("dialog").getByRole("button", { name: "Enrol", exact: true }).click()
    await page.getByText("The sandbox is open to your robots.").waitFor()
    await page.getByRole("button", { name: "Book in the sandbox" }).first().click()
    await page.getByRole("dialog").getByLabel("Order number").fill("1001")
    await page.getByLabel("Open link").fill(`${receiver.url}/open`)
    await page.getByRole("button", { name: "Book it" }).click()
    await page.getByRole("heading", { name: /Order 1001/ }).waitFor()
    await page.getByText("Register an endpoint to get the events of reservations.").waitFor()
    await page.getByRole("button", { name: /^Advance to/ }).click()
    await page.getByRole("button", { name: "Make it fail…" }).click()
    await page.getByRole("menuitem", { name: /The runner is late/ }).click()
    await page.locator(".banner").getByText("runner_delayed").waitFor()
    await look(page, "a reservation with an exception")
    await page.getByRole("button", { name: "Make it fail…" }).click()
    await page.getByRole("menuitem", { name: /The bot does not come/ }).click()
    const played = page.getByRole("dialog", { name: "The bot does not come" })
    await played.getByText(/Every step was played/).waitFor()
    await played.getByText("Done before").first().waitFor()
    await played.getByRole("button", { name: "Close" }).click()
    await page.locator(".banner").getByText("bot_no_show").waitFor()
    await page.getByRole("button", { name: "Cancel reservation" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel reservation" }).click()
    await page.getByText("Cancelled", { exact: true }).first().waitFor()
    await expect.poll(() => page.getByRole("button", { name: /^Advance/ }).count()).toBe(0)
    await look(page, "a canceled reservation")
  })

  test("says so where an id or a page does not exist, and answers programs with an error", async () => {
    const { production } = service.urls
    for (const [path, words] of [
      ["deliveries/order-none", "There is no delivery order-none"],
      ["reservations/res_none", "There is no reservation res_none"],
      ["sites/00000000-0000-4000-8000-000000000000", "There is no site"],
      ["nothing/here", "There is no such page"],
    ] as const) {
      await page.goto(`${production}/portal/${path}`)
      await page.getByRole("heading", { name: words }).waitFor()
    }
    await look(page, "no such page")
    const slash = await fetch(`${production}/portal/`, { redirect: "manual" })
    expect([slash.status, slash.headers.get("location")]).toEqual([308, "/portal"])
    const read = (accept: string) => fetch(`${production}/portal/nothing`, { headers: { accept } })
    const [html, json] = [await read("text/html"), await read("application/json")]
    expect([html.status, html.headers.get("content-type")?.split(";")[0]]).toEqual([404, "text/html"])
    expect([json.status, await json.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test("finds its program's call in the request log, with masked bodies", async () => {
    await go("/portal/requests", "Requests")
    await page.getByRole("link", { name: /\/rs\/v1\/retailers/ }).click()
    await page.getByRole("heading", { name: "Not fleet partner", level: 2 }).waitFor()
    await look(page, "a call")
    await page.keyboard.press("Escape")
    expect(new URL(page.url()).pathname).toBe("/portal/requests")
    // The link that the refused call got.
    expect(new URL(loggedCall).origin).toBe(service.urls.production)
    await page.goto(loggedCall)
    await page.getByRole("heading", { name: "Not fleet partner", level: 2 }).waitFor()
  })

  test("asks for production with a site, and sees when the decision is due", async () => {
    await go("/portal", /to production$/)
    // An enrolled organization meets the course of robots first.
    await page.getByRole("button", { name: "Our vehicles deliver" }).click()
    await page.getByRole("heading", { name: "All seven steps are done" }).waitFor()
    await page.getByRole("button", { name: "Request production" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Site").fill("Domain North")
    await dialog.getByLabel("Street").fill("11410 Century Oaks Terrace")
    await dialog.getByLabel("City").fill("Austin")
    await dialog.getByLabel("State").fill("TX")
    await dialog.getByLabel("ZIP").fill("78758")
    await dialog.getByLabel("Deliveries a day").fill("20")
    await look(page, "asking for production")
    await dialog.getByRole("button", { name: "Request production" }).click()
    await page.getByText(/In review, due in/).waitFor()
    expect(await page.getByRole("button", { name: "Request production" }).count()).toBe(0)
  })

  test("is declined by operations with a reason, which home shows", async () => {
    const origin = service.urls.production
    const { page: desk, close } = await openPage(browser, origin)
    await desk.goto(`${origin}/ops/approvals`)
    await desk.getByRole("button", { name: "Use an operator token" }).click()
    await desk.getByLabel("Operator token").fill(service.access.production.operator_token)
    await desk.getByRole("button", { name: "Sign in" }).click()
    await desk.getByText("No decision yet.").waitFor()
    // The enrolment of its robots waits, too.
    await desk.getByRole("link", { name: /wants 1 site/ }).click()
    await desk.getByRole("button", { name: "Decline with a reason…" }).click()
    const dialog = desk.getByRole("dialog")
    expect(await dialog.getByRole("button", { name: "Decline" }).isDisabled()).toBe(true)
    await dialog.getByLabel("Reason").fill("The street has no kerb")
    await look(desk, "declining a request")
    await dialog.getByRole("button", { name: "Decline" }).click()
    await desk.getByRole("heading", { name: /was declined\.$/ }).waitFor()
    await desk.getByText("It was told: The street has no kerb").waitFor()
    await desk.getByText("One request waits for a decision.").waitFor()
    await close()
    await go("/portal", /to production$/)
    await page.getByRole("button", { name: "Our vehicles deliver" }).click()
    await page.getByText("The street has no kerb").waitFor()
  })

  test("sees each event with its attempts, sends one again and checks a signature", async () => {
    await go("/portal/webhooks", "Webhooks")
    await page.getByRole("button", { name: "pickup_status.changed" }).first().click()
    await page.getByText("Attempt 1", { exact: true }).waitFor()
    await look(page, "an event with its attempts")
    // The address opens it again, and back closes it.
    await page.reload()
    await page.getByText("Attempt 1", { exact: true }).waitFor()
    await page.goBack()
    await expect.poll(() => page.getByText("Attempt 1", { exact: true }).count()).toBe(0)
    expect(page.url()).toBe(`${service.urls.production}/portal/webhooks`)
    await page.goForward()
    await page.getByText("Attempt 1", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Resend" }).click()
    await page.getByText("Sent again").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: /^Actions of/ }).click()
    await page.getByRole("menuitem", { name: /Resend since/ }).click()
    await look(page, "resend since")
    await page.getByRole("dialog").getByRole("button", { name: "Resend" }).click()
    await page.getByText("Every event since then was delivered").waitFor()
    await page.getByRole("button", { name: /^Actions of/ }).click()
    await page.getByRole("menuitem", { name: /Check a signature/ }).click()
    const got = receiver.received.findLast(({ body }) => body.includes("pickup_status.changed"))
    if (got === undefined) throw new Error("the receiver got nothing")
    expect(got.headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/)
    const checked = page.getByRole("dialog")
    const headers = Object.entries(got.headers).map(([name, value]) => `${name}: ${String(value)}`)
    await checked.getByLabel("Headers").fill(headers.join("\n"))
    await checked.getByLabel("Body").fill(got.body)
    await checked.getByRole("button", { name: "Check", exact: true }).click()
    await checked.getByText(/^Valid/).waitFor()
    await look(page, "a valid signature")
    await checked.getByLabel("Body").fill(`${got.body} `)
    await checked.getByRole("button", { name: "Check", exact: true }).click()
    await checked.getByText(/the body was changed/).waitFor()
    await checked.getByRole("button", { name: "Close" }).click()
  })

  test("moves the sandbox's clock, freezes it and lets it run", async () => {
    await go("/portal", /steps/)
    const clock = page.getByRole("region", { name: "Environment" })
    const aheadMs = async (): Promise<number> => {
      const time = await clock.getByRole("time").getAttribute("datetime")
      return Date.parse(time ?? "") - Date.now()
    }
    // Scenarios have moved it before.
    await clock.getByText(/ahead$/).waitFor()
    const beforeMs = await aheadMs()
    await clock.getByRole("button", { name: "+15 min" }).click()
    await expect.poll(aheadMs).toBeGreaterThan(beforeMs + 14 * 60_000)
    await page.keyboard.press("Escape")
    await clock.getByRole("button", { name: "More of the clock" }).click()
    await page.getByRole("menuitem", { name: /Freeze it/ }).click()
    await clock.getByText(/^frozen since/).waitFor()
    await look(page, "a frozen clock")
    await clock.getByRole("button", { name: "More of the clock" }).click()
    await page.getByRole("menuitem", { name: /Let it run/ }).click()
    await clock.getByText(/ahead$/).waitFor()
    expect(await aheadMs()).toBeGreaterThan(beforeMs + 14 * 60_000)
  })

  test("opens a site from its card, changes its price, deactivates it and takes that back", async () => {
    await go("/portal/sites", "Sites")
    await page.getByRole("link", { name: "Domain North" }).click()
    await page.getByRole("heading", { name: /Domain North/, level: 1 }).waitFor()
    await page.getByRole("img", { name: /its service area/ }).waitFor()
    await look(page, "a site")
    await page.getByRole("button", { name: "Change", exact: true }).click()
    await page.getByLabel("Price of a delivery, $").fill("6.49")
    await page.getByRole("button", { name: "Change the site" }).click()
    await page.getByText("$6.49").waitFor()
    await page.getByRole("button", { name: "Deactivate" }).click()
    await page.getByText("Inactive", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Activate" }).click()
    await page.getByText("Ready", { exact: true }).waitFor()
    const siteId = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    const { base_url: base, operator_token: token } = service.access.sandbox
    const moved = async (fleet: string): Promise<number> => {
      const answer = await fetch(`${base}/internal/v1/sites/${siteId}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ fleet_id: fleet }),
      })
      return answer.status
    }
    expect(await moved("fleet_without_vehicles")).toBe(200)
    await page.reload()
    await page.getByText("No vehicle", { exact: true }).waitFor()
    expect(await page.getByText("Ready", { exact: true }).count()).toBe(0)
    expect(await moved(`fleet_${siteId}`)).toBe(200)
    await go("/portal/charges", "Charges")
    await page.getByText("No charges yet").waitFor()
    await look(page, "no charges")
    expect(await page.getByRole("link", { name: "The steps to production" }).count()).toBe(1)
  })

  test("switches a second factor on, signs in with a recovery code, and switches it off", async () => {
    await go("/portal/account", "Account")
    await page.getByRole("button", { name: "Switch it on" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD)
    await dialog.getByRole("button", { name: "Go on" }).click()
    await dialog.getByLabel("The code that it shows").waitFor()
    await look(page, "a second factor to add")
    const secret = ((await dialog.locator("pre").textContent()) ?? "").trim()
    expect(await scanned(page)).toBe(await dialog.getByRole("link").getAttribute("href"))
    await dialog.getByLabel("The code that it shows").fill(totpOf(secret, 0))
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
    await look(page, "recovery codes")
    const [recovery = ""] = ((await dialog.locator("pre").textContent()) ?? "").trim().split("\n")
    await page.getByRole("button", { name: "I have saved them" }).click()
    await page.getByText(/recovery codes left/).waitFor()

    await page.getByRole("button", { name: "Sign out", exact: true }).first().click()
    // The account's page has a field for an e-mail as well.
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor()
    await page.getByLabel("E-mail").fill(EMAIL)
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Enter your code" }).waitFor()
    await look(page, "the second step of a sign-in")
    await page.getByRole("button", { name: "Use a recovery code" }).click()
    await page.getByLabel("Recovery code").fill(recovery)
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByRole("heading", { name: /steps/ }).waitFor()
    await go("/portal/account", "Account")
    await page.getByRole("button", { name: "Switch it off" }).click()
    // The next time step: a code works once.
    await page.getByLabel(/^A code of your application/).fill(totpOf(secret, 1))
    await dialog.getByRole("button", { name: "Switch it off" }).click()
    await page.getByRole("button", { name: "Switch it on" }).waitFor()
    expect(await page.getByText(/recovery codes left/).count()).toBe(0)
  })

  test("adds a test number for an agent, reads how to connect it, and removes the number", async () => {
    await go("/portal/agents", "Agents")
    await page.getByRole("button", { name: "Add a number" }).click()
    await page.getByRole("textbox", { name: "Number" }).fill("+1 512 555 1234")
    await page.getByRole("button", { name: "Add it" }).click()
    await page.getByText(/Must be a number for fiction/).waitFor()
    await page.getByRole("textbox", { name: "Number" }).fill("+1 512 555 0142")
    await page.getByRole("button", { name: "Add it" }).click()
    await page.getByRole("cell", { name: "+15125550142" }).waitFor()
    await page.getByRole("tab", { name: "Cursor" }).click()
    await page.getByText("mcpServers").waitFor()
    await look(page, "agents")
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByText("No test numbers yet").waitFor()
    expect(await page.getByRole("cell", { name: "+15125550142" }).count()).toBe(0)
  })

  test("finds what was done in the audit log", async () => {
    await go("/portal/audit-log", "Audit log")
    await page.getByRole("cell", { name: "Make API key" }).first().waitFor()
    expect(await page.getByText("Ada Lindqvist").count()).toBeGreaterThan(2)
    await look(page, "the audit log")
  })

  test("invites somebody, who joins with the link of the mail", async () => {
    await go("/portal/team", "Team")
    await page.getByRole("button", { name: "Invite somebody" }).click()
    await page.getByLabel("E-mail").fill("tomas@northloop.example")
    await page.getByRole("button", { name: "Send the invitation" }).click()
    await page.getByRole("cell", { name: "tomas@northloop.example" }).waitFor()
    // The demo sends no mails, so the page has the link.
    await page.getByRole("link", { name: /\/portal\/invitation#token=/ }).waitFor()
    await look(page, "team")
    const link = await mailed("tomas@northloop.example", /(http\S+\/portal\/invitation#token=\S+)/)
    const { page: guest } = await openPage(browser, service.urls.production)
    await guest.goto(link)
    await guest.getByRole("heading", { name: "Join North Loop Market" }).waitFor()
    expect(await problemsIn(guest)).toEqual([])
    await guest.getByLabel("Your name").fill("Tomás Ruiz")
    await guest.getByLabel("Password", { exact: true }).fill("violet harbour engine")
    await guest.getByRole("button", { name: "Join", exact: true }).click()
    await guest.getByText("North Loop Market").first().waitFor()
    await guest.context().close()
  })

  test("signs out; a page of the portal then leads to sign-in, and nowhere else on the web", async () => {
    await go("/portal", /steps/)
    // Reads that are refused while the session ends do not make the page ask where to go.
    let asked = 0
    await page.route("**/portal/api/session", async (route) => {
      if (route.request().method() === "GET") asked += 1
      if (route.request().method() !== "DELETE") return route.continue()
      const ended = await route.fetch()
      const refused = page.waitForResponse((answer) => answer.status() === 401)
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await refused
      await route.fulfill({ response: ended })
    })
    await page.getByRole("button", { name: "Sign out" }).first().click()
    await page.waitForURL(/\/portal\/sign-in$/)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    expect(asked).toBe(1)
    await page.unrouteAll()
    await page.goto(`${service.urls.production}/portal/sign-in?to=https://elsewhere.example/`)
    await page.getByLabel("E-mail").fill(EMAIL)
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.getByText("North Loop Market").first().waitFor()
    expect(new URL(page.url()).origin).toBe(service.urls.production)
    // Refusals that a test provokes are the only complaints of the browser, and reads that a busy service turned away.
    expect(complaints.filter((one) => !/status of (?:40[0-9]|503)/.test(one))).toEqual([])
    await context.close()
  })
})
