/**
 * `/docs` of a service as a user starts it: every operation and event of every document, deep links, the search, samples
 * that run as they are copied, and calls with the demo's key or a pasted one.
 */

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { drawn, openPage, startChromium, tabTo } from "./chromium.ts"
import { look } from "./look.ts"

let browser: Browser
/** Shows keys: everything is local. */
let local: ServiceProcess
/** Shows none: the address that partners would use is another host than the one that the page came from. */
let elsewhere: ServiceProcess

beforeAll(async () => {
  ;[browser, local, elsewhere] = await Promise.all([
    startChromium(),
    startProcess(preparedDataFolder(), undefined, { words: ["--allow-local-targets"] }),
    startProcess(preparedDataFolder(), undefined, {
      env: { CURBLINE_SANDBOX_URL: "https://sandbox.curbline.example" },
    }),
  ])
})
afterAll(async () => {
  await Promise.all([browser.close(), local.stop(), elsewhere.stop()])
})

interface Shown {
  readonly page: Page
  readonly strayed: readonly string[]
  readonly complaints: readonly string[]
}

async function opened(url: string): Promise<Shown> {
  const { page, strayed, complaints } = await openPage(browser, new URL(url).origin)
  await page.goto(url)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await drawn(page)
  return { page, strayed, complaints }
}

const send = (page: Page) => page.getByRole("button", { name: "Send the request" })
const answered = async (page: Page): Promise<string> => (await page.locator(".received").textContent()) ?? ""

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly summary: string }>>>
  >
  readonly webhooks?: Readonly<
    Record<string, { readonly post: { readonly operationId: string; readonly summary: string } }>
  >
}

/**
 * Goes to each address and waits until the page's heading is the one of the address. Runs inside the page, where it need not wait for a
 * frame between two addresses.
 */
const VISIT = `async (places) => {
  for (const { address, heading } of places) {
    await new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector("h1")?.textContent.includes(heading)) return
        observer.disconnect()
        resolve()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
      location.hash = address
    })
  }
}`

describe("what the reference shows", () => {
  test("every operation and event of every document of both hosts has its own address", async () => {
    for (const host of ["production", "sandbox"] as const) {
      const { page, strayed, complaints } = await opened(`${local.urls[host]}/docs`)
      const names = await page.getByLabel("Document", { exact: true }).locator("option").allTextContents()
      expect(names.slice(0, 3)).toEqual(["Reservations API", "Direct Delivery API", "Analytics API"])
      const slugs = await page
        .getByLabel("Document", { exact: true })
        .locator("option")
        .evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""))
      let count = 0
      for (const slug of slugs) {
        const document = (await (await fetch(`${local.urls[host]}/openapi/${slug}.json`)).json()) as Document
        const entries = [
          ...Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod)),
          ...Object.values(document.webhooks ?? {}).map(({ post }) => post),
        ]
        const places = entries.map(({ operationId, summary }) => ({
          address: `${slug}/${operationId}`,
          heading: summary.split("`")[0]?.trim() ?? "",
        }))
        await page.evaluate(`(${VISIT})(${JSON.stringify(places)})`)
        count += places.length
      }
      expect(count).toBeGreaterThan(90)
      expect([strayed, complaints]).toEqual([[], []])
      await page.close()
    }
  })

  test.each([
    ["", "the overview"],
    ["#rs/createReservation", "an operation with a body"],
    ["#dd/pickupStatusChanged", "an event"],
    ["#internal/recordLoad", "an operation that takes a picture"],
    ["#rs/none", "an unknown operation"],
  ])("axe finds nothing in /docs%s: %s", async (hash) => {
    const { page } = await opened(`${local.urls.sandbox}/docs${hash}`)
    await page.locator("main article, main .empty").first().waitFor()
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1)
    await page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true })")
    await look(page)
    await page.close()
  })

  test("an operation has its permission, parameters, fields with limits, examples and errors", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs#rs/createReservation`)
    const text = (await page.locator(".about").textContent()) ?? ""
    for (const part of [
      "reservations:write",
      "Idempotency-Key",
      "order_numberstringrequired",
      "1 to 64 characters; not blank",
    ])
      expect(text).toContain(part)
    expect(text).toContain("at least one of max_weight_kg, max_dimensions_cm")
    const inside = page.locator(".about").getByText("height", { exact: true })
    expect(await inside.count()).toBe(0)
    await page.getByText("Fields of max_dimensions_cm").first().click()
    await inside.waitFor()
    for (const code of ["VALIDATION_ERROR", "ZONE_NOT_FOUND", "RATE_LIMITED"])
      await page.locator(".errors > li", { hasText: code }).first().waitFor()
    const error = page.locator(".errors > li", { hasText: "VALIDATION_ERROR" })
    await error.getByText("Example").click()
    expect(await error.locator("pre").textContent()).toContain('"request_id"')
    // Of a body as a whole, and beside another rule of it.
    for (const [operation, fields] of [
      ["rs/moveArrivalWindow", "arrival_window_start, arrival_window_end"],
      ["sandbox/advanceClock", "by, to"],
    ] as const) {
      await page.evaluate(`location.hash = "${operation}"`)
      await page.locator(".about").getByText(`at least one of ${fields}`, { exact: true }).waitFor()
    }
    await page.close()
  })

  test("an event has its signature's rules, its headers and a recorded payload", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs#dd/pickupStatusChanged`)
    const text = (await page.locator("article").textContent()) ?? ""
    for (const part of [
      "compute HMAC-SHA256 over the raw body",
      "X-Service-Signature",
      '"event": "pickup_status.changed"',
    ])
      expect(text).toContain(part)
    await page.close()
  })

  test("the search finds operations of every document, by keyboard, and says when nothing matches", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs`)
    await tabTo(page, "Search operations and events")
    await page.keyboard.type("advanceclock post")
    await page.getByText("1 found").waitFor()
    await tabTo(page, /^POST/)
    await page.keyboard.press("Enter")
    await page.waitForURL(/#sandbox\/advanceClock$/)
    const heading = page.getByRole("heading", { level: 1 })
    await page.locator("h1:focus").waitFor()
    expect(await page.title()).toBe(`${await heading.textContent()} - Curbline`)
    await page.getByLabel("Search operations and events").fill("nothing like this")
    await page.getByText('Nothing matches "nothing like this".').waitFor()
    await look(page)
    await page.close()
  })

  test("a document that cannot be read is said, and is read again", async () => {
    const { page } = await openPage(browser, local.urls.sandbox)
    await page.route("**/openapi/rs.json", (route) => route.abort())
    await page.goto(`${local.urls.sandbox}/docs`)
    await page.getByRole("heading", { name: "The document could not be read" }).waitFor()
    await look(page)
    await page.unroute("**/openapi/rs.json")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("heading", { name: "Error codes" }).waitFor()
    expect(await page.getByRole("heading", { name: "The document could not be read" }).count()).toBe(0)
    await page.close()
  })

  test("the former addresses still lead to their operation", async () => {
    const { page } = await opened(
      `${local.urls.sandbox}/docs?urls.primaryName=Direct%20Delivery%20API#/deliveries/listDeliveries`,
    )
    await page.locator("article").waitFor()
    expect(await page.locator("p.address .mono").textContent()).toBe("/dd/v1/deliveries")
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^The site's deliveries/)
    await page.close()
  })
})

describe("try it", () => {
  test("with the demo's key, a booking of the recorded example is a reservation of now", async () => {
    const { page, strayed } = await opened(`${local.urls.sandbox}/docs#rs/createReservation`)
    await page.getByText("The demo's.").waitFor()
    await send(page).click()
    const text = await answered(page)
    expect(text).toContain("201")
    expect(text).toContain('"status": "confirmed"')
    await look(page)
    expect(strayed).toEqual([])
    await page.close()
  })

  test("with the operator's token, operations answer too; production says that a call is real", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs#internal/listZones`)
    await send(page).click()
    expect(await answered(page)).toContain("200")
    await page.goto(`${local.urls.production}/docs#rs/createReservation`)
    await page.getByText("This is production: the call does what it says.").waitFor()
    await page.close()
  })

  test.each([
    ["rs/listRetailers", {}, "retailers"],
    ["dd/listDeliveries", { "x-retailer-id": "site" }, "data"],
  ])("with a pasted key, %s answers 200 on a host that shows none", async (place, fields, said) => {
    const { api_key: key, site_id: site } = elsewhere.access.sandbox
    const { page, strayed } = await opened(`${elsewhere.urls.sandbox}/docs#${place}`)
    await send(page).click()
    await page.getByText("A key is needed: paste one above. Nothing was sent.").waitFor()
    await page.getByLabel("API key").fill(key)
    for (const name of Object.keys(fields)) await page.getByLabel(name).fill(site)
    await send(page).click()
    const text = await answered(page)
    expect(text).toContain("200")
    expect(text).toContain(said)
    expect(strayed).toEqual([])
    expect(
      await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
    ).toBe('[{},{},""]')
    await page.close()
  })

  test("says what is missing before anything is sent, and what the host refused", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs#rs/readReservation`)
    await send(page).click()
    await page.getByText("id is part of the path and has no value. Nothing was sent.").waitFor()
    await page.getByLabel("id", { exact: true }).fill("res_none")
    await send(page).click()
    expect(await answered(page)).toContain("NOT_FOUND")
    await page.goto(`${local.urls.sandbox}/docs#rs/createReservation`)
    await page.getByLabel("Body").fill("{")
    await send(page).click()
    expect(await page.getByRole("alert").textContent()).toMatch(/The body is not JSON.*Nothing was sent/)
    await page.close()
  })
})

describe("the samples", () => {
  const run = promisify(execFile)

  test("in curl and JavaScript run as they are copied", async () => {
    const { page } = await opened(`${local.urls.sandbox}/docs#rs/createReservation`)
    const env = { ...process.env, CURBLINE_KEY: local.access.sandbox.api_key }
    const textOf = async (name: string): Promise<string> => {
      await page.getByRole("tab", { name }).click()
      return (await page.getByRole("tabpanel").locator("pre").textContent()) ?? ""
    }
    const shell = await run("sh", ["-c", await textOf("curl")], { env })
    expect(shell.stdout).toContain('"status":"confirmed"')
    const script = await run(process.execPath, ["--input-type=module", "-e", await textOf("JavaScript")], {
      env,
    })
    expect(script.stdout).toMatch(/^201 .*"status":"confirmed"/)
    // Run as well where Python is installed; its text is compared everywhere.
    const python = await textOf("Python")
    expect(python).toContain(`"Authorization": f"Bearer {os.environ['CURBLINE_KEY']}",`)
    const ran = await run("python3", ["-c", python], { env }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return null
      throw cause
    })
    if (ran !== null) expect(ran.stdout).toMatch(/^201 .*"status":"confirmed"/)
    await page.close()
  })
})
