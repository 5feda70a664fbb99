/**
 * A partner's way from sign-up to the first delivery of production, in a browser, by keyboard alone, on both databases. What a
 * partner's program, operations and a vehicle do beside it is done over HTTP.
 */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { databasesOf, inMinutes, onDatabases } from "../journeys/served.ts"
import type { Json } from "../journeys/served.ts"
import { startMailServer } from "../areas/messages/smtp-server.ts"
import { startReceiver } from "../serve/service-process.ts"
import { openPage, startChromium, tabTo } from "./chromium.ts"
import { look } from "./look.ts"

const mail = await startMailServer()
const receiver = await startReceiver()
let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await Promise.all([browser.close(), mail.stop(), receiver.close()])
})

const env = (): NodeJS.ProcessEnv => ({
  SMTP_URL: mail.url,
  MAIL_FROM: "portal@curbline.example",
  // The vehicle of this story reports for itself.
  CURBLINE_FLEET_SPEED: "off",
})
const PRODUCTION = ["--environment", "production"]
const CUSTOMER = { latitude: 30.41, longitude: -97.72 }

const settings = { databases: databasesOf("PostgreSQL"), env }

onDatabases("a partner at the keyboard", settings, ({ ask, operate, process, database }) => {
  const email = `ada@${database === "PostgreSQL" ? "loop" : "north"}.example`
  let page: Page
  let complaints: readonly string[]
  let operator = ""
  let site: Json

  beforeAll(async () => {
    const opened = await openPage(browser, process().urls.production)
    page = opened.page
    complaints = opened.complaints
  })
  afterAll(() => page.context().close())

  /** Opens a page as its address would; everything on it is done by keys. */
  const open = async (path: string, heading: RegExp | string): Promise<void> => {
    await page.goto(`${process().urls.production}${path}`)
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor()
  }
  const press = async (name: RegExp | string): Promise<void> => {
    await tabTo(page, name)
    await page.keyboard.press("Enter")
  }
  const fill = async (label: string, text: string): Promise<void> => {
    await tabTo(page, label)
    await page.keyboard.press("Control+A")
    await page.keyboard.type(text)
  }
  const mailed = async (pattern: RegExp): Promise<string> => {
    let found = ""
    const lastCode = (): string => {
      const last = mail.received.findLast(({ to }) => to.includes(`<${email}>`))
      found = pattern.exec((last?.data ?? "").replaceAll("=\r\n", ""))?.[1] ?? ""
      return found
    }
    await expect.poll(lastCode).not.toBe("")
    return found
  }
  /** Makes a key on the page of keys; its value, which the page shows once. */
  const newKey = async (environment: "production" | "sandbox"): Promise<string> => {
    await open("/portal/keys", "API keys")
    await press(`New ${environment} key`)
    await fill("Label", "Orders")
    await press("Make the key")
    await page.getByRole("heading", { name: "Copy your key now" }).waitFor()
    const value = ((await page.locator("[data-secret]").textContent()) ?? "").trim()
    await press("I have saved it")
    // With the first key the page is another one, without the button that opened the dialog.
    await page.locator("main :focus").waitFor()
    return value
  }

  test("signs up with the code of the mail", async () => {
    await open("/portal", "Sign in")
    await press("Start in the sandbox")
    await page.getByRole("heading", { name: "Start in the sandbox" }).waitFor()
    await fill("Organization", "North Loop")
    await fill("Your name", "Ada Lindqvist")
    await fill("Work e-mail", email)
    await fill("Password", "lemon tractor window")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Enter your code" }).waitFor()
    await page.keyboard.type(await mailed(/code is (\d{6})/))
    await page.getByRole("heading", { name: "Seven steps to production" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/portal")
  })

  test("does the seven steps", async () => {
    await open("/portal/account", "Account")
    await fill("Contact e-mail", email)
    await press("Save")
    await page.getByText("Saved").waitFor()
    await newKey("sandbox")
    await open("/portal/sites", "Sites")
    await press("New sandbox site")
    await fill("Name", "Domain North")
    await press("Make the site")
    await page.getByText("Ready", { exact: true }).waitFor()
    await open("/portal/webhooks", "Webhooks")
    await press("Register an endpoint")
    await fill("URL", receiver.url)
    await press("Register")
    await page.getByRole("heading", { name: "Copy the signing secret now" }).waitFor()
    await press("I have saved it")
    await open("/portal/deliveries", "Deliveries")
    await press("New test delivery")
    await press("Order it")
    await page.getByRole("button", { name: "Advance to Assigned" }).waitFor()
    await press("Auto-run")
    await page.getByText(/^Delivered at/).waitFor()
    await open("/portal", /steps? are done|to production/)
    await expect
      .poll(() => page.getByRole("heading", { level: 1 }).textContent())
      .toBe("All seven steps are done")
  })

  test("asks for production, and operations approve", async () => {
    await press("Request production")
    await fill("Site", "Domain store")
    await fill("Street", "11410 Century Oaks Terrace")
    await fill("City", "Austin")
    await fill("State", "TX")
    await fill("ZIP", "78758")
    await fill("Deliveries a day", "40")
    await fill("Time zone", "America/Chicago")
    await press("Request production")
    await page.getByText(/In review, due in/).waitFor()

    operator = await operate("operator-tokens", "create", "--label", "Grace", ...PRODUCTION)
    const { page: desk, close } = await openPage(browser, process().urls.production)
    await desk.goto(`${process().urls.production}/ops/approvals`)
    await desk.getByRole("button", { name: "Use an operator token" }).click()
    await desk.getByLabel("Operator token").fill(operator)
    await desk.getByRole("button", { name: "Sign in" }).click()
    await desk
      .getByRole("heading", { name: "North Loop is ready: seven of seven steps are proved." })
      .waitFor()
    const evidence = desk.getByRole("table", { name: "The seven steps" })
    await evidence.getByText("pickup_status.changed").waitFor()
    expect(await evidence.getByText("Missing").count()).toBe(0)
    await desk.getByText("11410 Century Oaks Terrace").waitFor()
    await look(desk, "a request that waits")
    await desk.getByRole("button", { name: "Approve 1 site" }).click()
    await desk.getByRole("heading", { name: "North Loop may use production." }).waitFor()
    await desk.getByRole("link", { name: /North Loop.*Approved.*1 site made, by Grace/ }).waitFor()
    await look(desk, "a request that is approved")
    await close()
    const listed: Json = JSON.parse(await operate("delivery-sites", "list", "--json", ...PRODUCTION))
    const made = (listed.delivery_sites ?? listed).find(({ name }: Json) => name === "Domain store")
    await operate(
      "delivery-sites",
      "change",
      made.site_id,
      "--reach-km",
      "8",
      "--price",
      "799",
      ...PRODUCTION,
    )
    const vehicle = { vehicle_id: "veh_1", fleet_id: made.fleet_id, label: "Vehicle 1" }
    const added = await ask({ path: "/internal/v1/vehicles", bearer: operator, body: vehicle })
    expect(added.status).toBe(200)
    site = made
  })

  test("switches to production and makes a key; its program's first delivery reaches the door", async () => {
    await open("/portal", /Good to see you/)
    await press("Switch to production")
    await page.getByRole("region", { name: "Environment" }).getByText("PRODUCTION", { exact: true }).waitFor()
    const key = await newKey("production")
    await open("/portal/deliveries", "Deliveries")
    await page.getByText("No deliveries yet").waitFor()

    const order = async (path: string, body: object): Promise<Json> => {
      const headers = { "x-retailer-id": site.site_id }
      const answered = await ask({ path: `/dd/v1/deliveries${path}`, bearer: key, headers, body })
      expect(answered.status, answered.text).toBeLessThan(300)
      return answered.data
    }
    await order("/quote", {
      external_delivery_id: "first-real",
      customer: { phone: "+15125550100", first_name: "Bob", last_name: "Example" },
      delivery_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: CUSTOMER,
      ready_by: inMinutes(10),
      order_items: [{ name: "Milk", quantity: 1 }],
    })
    await order("", { external_delivery_id: "first-real" })
    // The open page shows it without being asked.
    await page.getByRole("link", { name: "first-real" }).waitFor()

    let told = 0
    const report = async ({ latitude, longitude }: Json, load?: string): Promise<void> => {
      // Each report is a little later than the one before it.
      const recorded_at = new Date(Date.now() + (told += 1)).toISOString()
      const body = { latitude, longitude, recorded_at, speed_mps: 4, ...(load === undefined ? {} : { load }) }
      const answered = await ask({ path: "/internal/v1/vehicles/veh_1/telemetry", bearer: operator, body })
      expect(answered.status).toBe(200)
    }
    await report({ ...site, latitude: site.latitude + 0.01 })
    await report(site)
    await report(site, "loaded")
    await press("first-real")
    await page.getByRole("heading", { name: /first-real/ }).waitFor()
    await report(CUSTOMER)
    await report(CUSTOMER, "unloaded")
    await page.getByText(/^Delivered at/).waitFor()
    await open("/portal/charges", "Charges")
    for (const name of ["Sums", "Charges"])
      await page.getByRole("table", { name, exact: true }).getByText("$7.99").waitFor()
    await page.getByText("1 delivery, $7.99").waitFor()
    await look(page, "charges")
    // A busy service turns reads away, which pages repeat.
    expect(complaints.filter((one) => !/status of 503/.test(one))).toEqual([])
  })
})
