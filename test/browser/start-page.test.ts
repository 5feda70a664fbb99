/** The start page and the gallery of a service as a user starts it, in a browser: what they show to whom, and do. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { drawn, newContext, openPage, problemsIn, startChromium } from "./chromium.ts"
import { checkFirstLoad, firstLoad } from "./first-load.ts"
import { look } from "./look.ts"
import { signUp } from "./portal-account.ts"

let browser: Browser
let service: ServiceProcess

beforeAll(async () => {
  ;[browser, service] = await Promise.all([
    startChromium(),
    startProcess(preparedDataFolder(), undefined, {
      words: ["--allow-local-targets", "--fleet-speed", "40"],
    }),
  ])
})
afterAll(async () => {
  await Promise.all([browser.close(), service.stop()])
})

async function opened(url: string): Promise<Page> {
  const { page } = await openPage(browser, new URL(url).origin)
  await page.goto(url)
  await page.getByRole("heading").first().waitFor()
  await drawn(page)
  return page
}

describe("the start page", () => {
  test("programs get a directory, and a browser a page with a strict policy", async () => {
    const { sandbox, production } = service.urls
    const plain = await fetch(sandbox)
    expect(await plain.json()).toMatchObject({
      success: true,
      data: {
        environment: "sandbox",
        urls: { production, sandbox },
        docs: "/docs",
        portal: `${production}/portal`,
      },
    })
    const shown = await fetch(sandbox, { headers: { accept: "text/html" } })
    expect(shown.headers.get("vary")).toBe("Accept")
    expect(shown.headers.get("cache-control")).toBe("no-store")
    const policy = shown.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const refused = await fetch(sandbox, { method: "POST" })
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  test("keys appear to this machine alone: a forwarded request gets the name of the file", async () => {
    const { sandbox } = service.urls
    const key = service.access.sandbox.api_key
    const textOf = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(sandbox, { headers: { accept: "text/html", ...headers } })).text()
    expect(await textOf({})).toContain(key)
    for (const name of ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip", "via"]) {
      const text = await textOf({ [name]: "203.0.113.7" })
      expect(text, name).not.toContain(key)
      expect(text, name).not.toContain(service.access.sandbox.operator_token)
      expect(text, name).toContain("demo.json")
    }
  })

  test("its files are kept by browsers, and an unknown one is a 404", async () => {
    const { sandbox } = service.urls
    const html = await (await fetch(sandbox, { headers: { accept: "text/html" } })).text()
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/start-[^"]+)"/g)].map(([, path]) => path ?? "")
    expect(paths).toHaveLength(2)
    for (const path of paths) {
      const file = await fetch(`${sandbox}${path}`)
      expect([file.status, file.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ])
    }
    for (const path of ["inter.woff2", "jetbrains-mono.woff2", "mark.svg"]) {
      expect((await fetch(`${sandbox}/assets/${path}`)).status, path).toBe(200)
    }
    for (const path of ["start-0000000000000000.js", "nothing.js", "..%2fdemo.json"]) {
      expect((await fetch(`${sandbox}/assets/${path}`)).status, path).toBe(404)
    }
  })

  test("links every application of the host, and names the command of the studio", async () => {
    for (const environment of ["production", "sandbox"] as const) {
      const origin = service.urls[environment]
      const page = await opened(origin)
      const pages = page.getByRole("table", { name: "Pages of this service" })
      const links = await page.evaluate<readonly (readonly [string, string])[]>(
        `[...document.querySelectorAll('table[aria-label="Pages of this service"] a')].map((link) => [link.textContent.trim(), link.href])`,
      )
      const byName = new Map(links)
      expect([...byName.keys()]).toEqual(
        expect.arrayContaining(["Portal", "Operations", "Kiosk", "Runner", "Outbox", "API reference"]),
      )
      for (const [name, href] of byName) {
        const answer = await fetch(href, { headers: { accept: "text/html" } })
        // The inspector asks for a token by the way of HTTP, the others by a page.
        expect([name, answer.status]).toEqual([name, name === "Inspector" ? 401 : 200])
      }
      expect(await pages.getByRole("row", { name: /^Studio/ }).textContent()).toContain("npx curbline studio")
      await page.close()
    }
    // The demo's site has its wall, behind a sign-in.
    const page = await opened(service.urls.sandbox)
    await page.getByRole("link", { name: "Kiosk" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.close()
  })

  test("books a reservation and walks it to its end, by keyboard", async () => {
    const page = await opened(service.urls.sandbox)
    await look(page)
    const button = page.getByRole("button", { name: "Book and walk", exact: true })
    await button.focus()
    await page.keyboard.press("Enter")
    const action = page.locator("section", { has: button })
    await action.getByText("Completed", { exact: true }).waitFor()
    const id = (await action.locator(".running .mono").textContent()) ?? ""
    const { base_url: base, api_key: key } = service.access.sandbox
    const read = await fetch(`${base}/rs/v1/reservations/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await read.json()).toMatchObject({ data: { reservation: { status: "completed" } } })
    await page.close()
  })

  test("orders a delivery that arrives, and opens the page that links an agent", async () => {
    const page = await opened(service.urls.sandbox)
    const button = page.getByRole("button", { name: "Order and watch", exact: true })
    await button.click()
    const action = page.locator("section", { has: button })
    await action.getByText("Completed", { exact: true }).waitFor()
    const inspect = (await action.getByRole("link", { name: "Inspect" }).getAttribute("href")) ?? ""
    expect(inspect).toMatch(/^\/inspect\/groups\/delivery\/dlv_\w+$/)
    const { base_url: base, operator_token: token } = service.access.sandbox
    const read = await fetch(`${base}/internal/v1/deliveries/${inspect.split("/").at(-1)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(read.status).toBe(200)
    await page.goto(service.urls.production)
    await look(page)
    await page.getByRole("button", { name: "Link an agent", exact: true }).click()
    await page.getByLabel("Mobile number").waitFor()
    expect(await page.getByRole("heading").first().textContent()).toContain("Demo agent")
    // The page that asks for the code shows it to this machine alone.
    await page.getByLabel("Mobile number").fill("+15125550100")
    await page.getByRole("button", { name: "Text me a code" }).click()
    const code = /The code is (\d{6})/.exec(await page.getByText("No text leaves from here").innerText())?.[1]
    expect(code).toMatch(/^\d{6}$/)
    await look(page)
    const elsewhere = await fetch(page.url(), { headers: { "x-forwarded-for": "203.0.113.7" } })
    expect([elsewhere.status, (await elsewhere.text()).includes(code ?? "")]).toEqual([200, false])
    await page.close()
  })

  test("says so where the demo's day cannot be shown, and keeps the way to its page", async () => {
    const { sandbox } = service.urls
    for (const [path, says] of [
      ["**/replay/run", "The demo's day cannot be shown now."],
      ["**/assets/replay-worker-*", "This day cannot be shown: its script did not load"],
    ] as const) {
      const context = await newContext(browser, { viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      await page.route(path, (route) => route.fulfill({ status: 503, body: "" }))
      await page.goto(sandbox)
      await page.getByText(says).waitFor()
      expect(await problemsIn(page)).toEqual([])
      await context.close()
    }
  })

  test("shows the vehicle of an order on the map, and leads to the customer's page", async () => {
    const page = await opened(service.urls.production)
    const button = page.getByRole("button", { name: "Order and watch", exact: true })
    await button.click()
    const action = page.locator("section", { has: button })
    await action.locator(".map .marker.vehicle").waitFor()
    await look(page)
    await action.getByRole("link", { name: "Track" }).click()
    await page.getByRole("heading", { name: /^Arrives|^Delivered|door/ }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/track\/dlv_/)
    await page.close()
  })

  test("a sign-up finds its code where it is asked for, and a caller of elsewhere does not", async () => {
    const page = await opened(`${service.urls.production}/portal/sign-up`)
    const email = "ada@door.example"
    await page.getByLabel("Organization").fill("Doors")
    await page.getByLabel("Your name").fill("Ada")
    await page.getByLabel("Work e-mail").fill(email)
    await page.getByLabel("Password", { exact: true }).fill("lemon tractor window")
    await page.getByRole("button", { name: "Send me a code" }).click()
    await page.getByText("This demo sends no mails.").waitFor()
    await look(page)
    const path = `${service.urls.production}/portal/waiting-mail?to=${encodeURIComponent(email)}`
    const forwarded = { headers: { "x-forwarded-for": "203.0.113.7" } }
    const ofOtherPage = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } }
    const answers = await Promise.all([{}, forwarded, ofOtherPage].map((init) => fetch(path, init)))
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404])
    expect(await (await fetch(`${service.urls.production}/portal/sign-up`, forwarded)).text()).toContain(
      '"shows_mails":false',
    )
    await page.getByRole("button", { name: /^Fill in \d{6}$/ }).click()
    await page.getByRole("button", { name: "Verify" }).click()
    await page.waitForURL(`${service.urls.production}/portal`)
    await page.close()
  })

  test("orders again and again in the sandbox, whose vehicle takes two: what a reader left is cancelled", async () => {
    const page = await opened(service.urls.sandbox)
    const button = page.getByRole("button", { name: "Order and watch", exact: true })
    const action = page.locator("section", { has: button })
    for (let left = 0; left < 4; left += 1) {
      await page.reload()
      await button.click()
      await action.getByText("Assigned", { exact: true }).waitFor()
    }
    expect(await action.getByText("NO_CAPACITY").count()).toBe(0)
    await page.close()
  })

  test("runs an errand at any hour, with the tool calls beside it, and again after one that was left", async () => {
    const page = await opened(service.urls.sandbox)
    const button = page.getByRole("button", { name: "Run an errand", exact: true })
    const action = page.locator("section", { has: button })
    await button.click()
    await action.getByText("Assigned", { exact: true }).waitFor()
    await page.reload()
    await button.click()
    await action.getByText("Completed", { exact: true }).waitFor()
    const calls = await action.locator(".code pre").last().innerText()
    for (const name of ["check_delivery", "reserve_delivery", "confirm_delivery"])
      expect(calls).toContain(`tools/call ${name}`)
    await action.getByText("Settings of VS Code").click()
    expect(await action.locator("details .code pre").allInnerTexts()).toEqual(
      ["servers", "mcpServers", "claude mcp add", "inspector"].map((part) => expect.stringContaining(part)),
    )
    await look(page)
    await action.getByRole("link", { name: "Track" }).click()
    await page.getByText("Check-in Kitchen").first().waitFor()
    await page.close()
  })
})

describe("the gallery", () => {
  test("shows every component; its dialog and menu work by keyboard", async () => {
    const page = await opened(`${service.urls.sandbox}/design`)
    await page.getByRole("heading", { name: "Components" }).waitFor()
    await look(page)
    await page.getByRole("button", { name: "Revoke…" }).last().focus()
    await page.keyboard.press("Enter")
    await page.getByLabel("Type Orders service to revoke it").fill("Orders service")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await page.getByRole("button", { name: "Make it fail…" }).focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowDown")
    expect(await page.locator(":focus").textContent()).toContain("The vehicle breaks down")
    await page.keyboard.press("Escape")
    await page.close()
  })
})

/** The cookies of a member of the portal and of an operator, who also has the inspector, and a group's page there. */
async function sessions(): Promise<{ readonly cookie: string; readonly group: string }> {
  const { production, sandbox } = service.urls
  const { access } = service
  const asked = booking(access.sandbox, "http://127.0.0.1:9/open")
  await call(access.sandbox, "POST", "/rs/v1/reservations", asked)
  const context = await newContext(browser)
  const page = await context.newPage()
  await signUp(page, service, { origin: production })
  await page.goto(`${production}/ops/sign-in`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(access.production.operator_token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${production}/ops`)
  await page.goto(`${sandbox}/inspect`)
  await page.getByLabel("Operator token").fill(access.sandbox.operator_token)
  await page.keyboard.press("Enter")
  const group = (await page.locator("tbody th a").first().getAttribute("href")) ?? ""
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`)
  await context.close()
  return { cookie: cookies.join("; "), group: `${sandbox}${group}` }
}

describe("on a slow line", () => {
  test("every page is painted from its HTML and its style, and needs less than 150 kB of script", async () => {
    const { production, sandbox } = service.urls
    const { cookie, group } = await sessions()
    const site = service.access.production.site_id
    const ops = [
      "",
      `/sites/${site}`,
      `/sites/${site}/kiosk`,
      "/lists",
      "/errands/none",
      "/approvals",
      "/settings",
    ]
    const ofAdmins = ["/audit-log", "/operators", "/account", "/set-password"]
    const portal = ["", "/deliveries", "/deliveries/none", "/reservations", "/reservations/none", "/sites"]
    const ofDevelopers = [
      "/sites/none",
      "/keys",
      "/webhooks",
      "/requests",
      "/agents",
      "/analytics",
      "/charges",
      "/team",
    ]
    const pages = [
      ...[...ops, ...ofAdmins].map((path) => `${production}/ops${path}`),
      ...[...portal, ...ofDevelopers, "/audit-log", "/account"].map((path) => `${production}/portal${path}`),
      `${sandbox}/inspect`,
      group,
    ]
    const open = ["sign-in", "sign-up", "forgotten", "new-password", "invitation"]
    const ofVisitors = [
      ...open.map((name) => `${production}/portal/${name}`),
      `${production}/ops/sign-in`,
      ...["", "/runner", "/docs"].map((path) => `${sandbox}${path}`),
    ]
    const parts = new Set<string>()
    for (const url of [...pages, ...ofVisitors]) {
      const load = await firstLoad(url, pages.includes(url) ? { cookie } : {})
      checkFirstLoad(url, load)
      parts.add(load.part)
    }
    // Each page of the portal and of operations has a part of its own.
    expect(parts.size).toBeGreaterThan(25)
  })

  test("the service worker keeps every file of the runner's page", async () => {
    const { sandbox } = service.urls
    const { html, scripts } = await firstLoad(`${sandbox}/runner`)
    const worker = await (await fetch(`${sandbox}/runner/worker.js`)).text()
    const [, shell = ""] = /CURBLINE_SHELL = (.*);/.exec(worker) ?? []
    const kept = (JSON.parse(shell) as { url: string }[]).map(({ url }) => url)
    const [, style = ""] = /rel="stylesheet" href="([^"]+)"/.exec(html) ?? []
    expect(kept).toEqual(expect.arrayContaining(["/runner", style, "/assets/inter.woff2", ...scripts]))
    for (const path of kept) expect((await fetch(`${sandbox}${path}`)).status, path).toBe(200)
  })
})
