/**
 * Takes a picture of every page of the service: `npm run screens`. Each is taken at 1440 and 390 px, light and dark, with
 * the states that it has: empty, full, loading, failed, offline. They go to `.curbline/screens`, which Git ignores.
 */

import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, Page, Route } from "playwright-core"
import { freePort } from "../free-port.ts"
import { booking, call, dataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { boardShots } from "./board-states.ts"
import { startChromium } from "./chromium.ts"
import { PAID, UNCLEAR, openPages } from "./courier-pages.ts"
import { TRACKING_STATES, openTracking } from "./tracking-pages.ts"
import { PASSWORD, signUp } from "./portal-account.ts"
import type { PortalPost } from "./portal-account.ts"
import { addPasskey, made, stateShots, valueIn } from "./portal-states.ts"
import type { Shot } from "./portal-states.ts"
import { settingsShots } from "./settings-states.ts"

const FOLDER = fileURLToPath(new URL("../../.curbline/screens/", import.meta.url))

const VIEWS = [
  { width: 1440, height: 900, colors: "light" },
  { width: 1440, height: 900, colors: "dark" },
  { width: 390, height: 844, colors: "light" },
  { width: 390, height: 844, colors: "dark" },
] as const

/** ms until a page without a mark of its own counts as drawn. */
const DRAWN_MS = 700

async function shoot(page: Page, { name, url, act, isPlaced = false }: Shot): Promise<void> {
  const open = async (): Promise<void> => {
    await page.goto("about:blank")
    await page.goto(url)
    await page.waitForTimeout(DRAWN_MS)
    await act?.(page)
    await page.evaluate("scrollTo(0, 0)")
  }
  if (!isPlaced) await open()
  for (const { width, height, colors } of VIEWS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: colors, reducedMotion: "reduce" })
    if (isPlaced) await open()
    await page.screenshot({ path: join(FOLDER, `${name}.${width}.${colors}.png`), fullPage: true })
  }
}

/** Pages without a session. */
function openShots({ urls: { production, sandbox } }: ServiceProcess): readonly Shot[] {
  return [
    { name: "start-sandbox", url: sandbox },
    { name: "start-production", url: production },
    { name: "design", url: `${sandbox}/design` },
    { name: "reference", url: `${sandbox}/docs` },
    { name: "reference-operation", url: `${sandbox}/docs#rs/createReservation` },
    {
      name: "reference-sent",
      url: `${sandbox}/docs#rs/listRetailers`,
      act: async (page) => {
        await page.getByRole("button", { name: "Send the request" }).click()
        await page.locator(".received").waitFor()
      },
    },
    { name: "reference-event", url: `${sandbox}/docs#dd/pickupStatusChanged` },
    { name: "reference-unknown", url: `${sandbox}/docs#rs/none` },
    {
      name: "reference-search",
      url: `${production}/docs`,
      act: (page) => page.getByLabel("Search operations and events").fill("webhook"),
    },
    ...["sign-in", "sign-up", "forgotten", "new-password", "invitation"].map((name) => ({
      name: `portal-${name}`,
      url: `${production}/portal/${name}`,
    })),
    {
      name: "linking-number",
      url: production,
      act: async (page) => {
        await page.getByRole("button", { name: "Link an agent", exact: true }).click()
        await page.getByLabel("Mobile number").waitFor()
      },
    },
    {
      name: "linking-code",
      url: production,
      act: async (page) => {
        await page.getByRole("button", { name: "Link an agent", exact: true }).click()
        // The demo's own number: it alone is invited.
        await page.getByLabel("Mobile number").fill("+15125550100")
        await page.getByRole("button", { name: "Text me a code" }).click()
        await page.getByLabel("Code").waitFor()
      },
    },
    {
      name: "portal-sign-up-error",
      url: `${production}/portal/sign-up`,
      act: async (page) => {
        await page.getByRole("button", { name: "Send me a code" }).click()
        await page.getByRole("alert").first().waitFor()
      },
    },
    { name: "linking-unknown", url: `${production}/api/delivery-mcp/oauth/authorize?client_id=mc_unknown` },
    { name: "inspector-sign-in", url: `${sandbox}/inspect` },
  ]
}

const MEMBER_PATHS = [
  "",
  "/deliveries",
  "/reservations",
  "/sites",
  "/keys",
  "/webhooks",
  "/requests",
  "/analytics",
  "/charges",
  "/team",
  "/audit-log",
  "/account",
] as const

function memberShots(origin: string, state: string): readonly Shot[] {
  return MEMBER_PATHS.map((path) => ({
    name: `portal-${path === "" ? "home" : path.slice(1)}-${state}`,
    url: `${origin}/portal${path}`,
  }))
}

/** One of each thing that a member can make in the sandbox; returns the paths of their pages. */
async function filled(post: PortalPost): Promise<readonly string[]> {
  await made(post, "/api-keys", {
    label: "Orders service",
    environment: "sandbox",
    permissions: ["deliveries:read", "deliveries:write"],
  })
  const site = await made(post, "/sites", {
    name: "Domain",
    location: { latitude: 30.4021, longitude: -97.7253 },
    reach_km: 5,
    delivery_price_cents: 799,
  })
  await made(post, "/delivery-webhooks", {
    url: "http://127.0.0.1:9/hooks",
    events: ["pickup_status.changed"],
  })
  const delivery = await made(post, "/sandbox/deliveries", {})
  return [`/deliveries/${valueIn(delivery, "id")}`, `/sites/${valueIn(site, "site_id")}`]
}

/** What a page looks like when reads of the API wait, fail, or find no host. */
const BROKEN: Readonly<Record<string, (route: Route) => unknown>> = {
  loading: () => undefined,
  error: (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/json",
      body: JSON.stringify({
        success: false,
        error: "the service cannot reach its database; send the same request again after Retry-After seconds",
        code: "UNAVAILABLE",
        request_id: "5f0a2c1e-8b7d-4a6f-9c3e-1d2b4f6ac19b",
      }),
    }),
  offline: (route) => route.abort(),
}

async function shootPortal(page: Page, service: ServiceProcess): Promise<void> {
  const origin = service.urls.production
  const post = await signUp(page, service, { origin })
  for (const shot of memberShots(origin, "empty")) await shoot(page, shot)
  const details = await filled(post)
  for (const shot of memberShots(origin, "full")) await shoot(page, shot)
  for (const path of details)
    await shoot(page, { name: `portal-${path.split("/")[1] ?? ""}-detail`, url: `${origin}/portal${path}` })
  await shoot(page, {
    name: "portal-account-qr-code",
    url: `${origin}/portal/account`,
    act: async () => {
      await page.getByRole("button", { name: "Switch it on" }).click()
      await page.getByRole("dialog").getByLabel("Your password", { exact: true }).fill(PASSWORD)
      await page.getByRole("button", { name: "Go on" }).click()
      await page.locator(".qr-code").waitFor()
    },
  })
  for (const shot of await stateShots(service, { origin, post })) await shoot(page, shot)
  for (const [state, answer] of Object.entries(BROKEN)) {
    await page.route("**/portal/api/**", async (route) => void (await answer(route)))
    for (const shot of memberShots(origin, state)) await shoot(page, shot)
    await page.unrouteAll({ behavior: "ignoreErrors" })
  }
}

async function shootReferenceStates(page: Page, origin: string): Promise<void> {
  for (const [state, answer] of Object.entries(BROKEN)) {
    await page.route("**/openapi/**", async (route) => void (await answer(route)))
    await shoot(page, { name: `reference-${state}`, url: `${origin}/docs` })
    await page.unrouteAll({ behavior: "ignoreErrors" })
  }
}

/** Pages of customers, over a checkout and a tracking that are set by hand. */
async function shootCustomerPages(page: Page): Promise<void> {
  const pages = await openPages()
  try {
    const { origin } = pages
    await shoot(page, { name: "checkout-open", url: `${origin}/pay/t1` })
    pages.checkout = UNCLEAR
    await shoot(page, { name: "checkout-unclear", url: `${origin}/pay/t1` })
    pages.checkout = PAID
    await shoot(page, { name: "checkout-paid", url: `${origin}/pay/t1` })
  } finally {
    await pages.close()
  }
  await shootTracking(page)
}

async function shootTracking(page: Page): Promise<void> {
  const pages = await openTracking()
  try {
    for (const [state, view] of Object.entries(TRACKING_STATES)) {
      pages.shown = view
      await shoot(page, { name: `tracking-${state}`, url: `${pages.origin}/track/t1` })
    }
    pages.isBroken = true
    await shoot(page, { name: "tracking-error", url: `${pages.origin}/track/t1` })
  } finally {
    await pages.close()
  }
}

/** The board of the production site, with one reservation, and the settings. */
async function shootBoard(page: Page, service: ServiceProcess): Promise<void> {
  const { production } = service.access
  const asked = booking(production, "https://example.com/open", "1187")
  const { body } = await call(production, "POST", "/rs/v1/reservations", asked)
  const id = body.data.reservation.reservation_id
  for (const shot of await boardShots(page, service, id)) await shoot(page, shot)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  // The board has signed in.
  for (const shot of await settingsShots(page, service)) await shoot(page, shot)
  await page.unrouteAll({ behavior: "ignoreErrors" })
}

/** The list of groups, and one of them. */
async function shootInspector(page: Page, { urls, access }: ServiceProcess): Promise<void> {
  const url = `${urls.sandbox}/inspect`
  await page.goto(url)
  await page.getByLabel("Operator token").fill(access.sandbox.operator_token)
  await page.keyboard.press("Enter")
  const group = page.getByRole("link", { name: /^delivery\// }).first()
  await group.waitFor()
  await shoot(page, { name: "inspector-groups", url })
  await shoot(page, { name: "inspector-group", url, act: () => group.click() })
}

/** On a service of its own: browsers refuse passkeys for addresses without a name, and such a service has no demo. */
async function shootPasskey(page: Page): Promise<void> {
  const ports = [await freePort(), await freePort()] as const
  const origin = `http://localhost:${ports[0]}`
  const service = await startProcess(dataFolder(), ports, { env: { CURBLINE_PRODUCTION_URL: origin } })
  try {
    await signUp(page, service, { origin })
    await addPasskey(page, origin)
    await shoot(page, { name: "portal-account-passkey", url: `${origin}/portal/account` })
  } finally {
    await service.stop()
  }
}

async function shootAll(browser: Browser, service: ServiceProcess): Promise<void> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(30_000)
  for (const shot of openShots(service)) await shoot(page, shot)
  await shootReferenceStates(page, service.urls.sandbox)
  await shootCustomerPages(page)
  await shootPortal(page, service)
  await shootInspector(page, service)
  await shootBoard(page, service)
  await shootPasskey(page)
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const [browser, service] = await Promise.all([startChromium(), startProcess(dataFolder())])
try {
  await shootAll(browser, service)
} finally {
  await browser.close()
  await service.stop()
}
