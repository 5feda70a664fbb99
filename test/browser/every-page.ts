/**
 * Every page of the service, one after the other, with the states that it has: empty, full, loading, failed, offline. `npm run
 * screens` takes their pictures, and a test looks at each of them.
 */

import type { Page, Route } from "playwright-core"
import { booking, call } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { boardShots } from "./board-states.ts"
import { CHAT_URL, openChat, showCard } from "./card-chat.ts"
import { cardStates } from "./card-states.ts"
import type { CardName } from "./card-states.ts"
import { dayText, sayDay } from "./day-states.ts"
import { PAID, UNCLEAR, openPages } from "./courier-pages.ts"
import { TRACKING_STATES, openTracking } from "./tracking-pages.ts"
import { PASSWORD, signUp } from "./portal-account.ts"
import type { PortalPost } from "./portal-account.ts"
import { addPasskey, made, stateShots, valueIn } from "./portal-states.ts"
import type { Shot } from "./portal-states.ts"
import { takeReplay } from "./replay-states.ts"
import { settingsShots } from "./settings-states.ts"

/** Opens one page, does what is done there, and looks at it. */
export type Take = (page: Page, shot: Shot) => Promise<void>

/** A fresh service with demo data: the pages make what they show. */
export async function everyPage(page: Page, service: ServiceProcess, take: Take): Promise<void> {
  for (const shot of openShots(service)) await take(page, shot)
  await takeReferenceStates(page, service.urls.sandbox, take)
  await takeReplay(page, service.urls.sandbox, take)
  await takeCustomerPages(page, take)
  await takePortal(page, service, take)
  await takeInspector(page, service, take)
  await takeOperations(page, service, take)
  await takeRunner(page, service, take)
}

/** For a service under a host name, without a demo: browsers refuse passkeys for addresses without a name. */
export async function passkeyPage(page: Page, origin: string, take: Take): Promise<void> {
  await addPasskey(page, origin)
  await take(page, { name: "portal-account-passkey", url: `${origin}/portal/account` })
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
  "/agents",
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

async function takePortal(page: Page, service: ServiceProcess, take: Take): Promise<void> {
  const origin = service.urls.production
  const post = await signUp(page, service, { origin })
  for (const shot of memberShots(origin, "empty")) await take(page, shot)
  const details = await filled(post)
  for (const shot of memberShots(origin, "full")) await take(page, shot)
  for (const path of details)
    await take(page, { name: `portal-${path.split("/")[1] ?? ""}-detail`, url: `${origin}/portal${path}` })
  await take(page, {
    name: "portal-account-qr-code",
    url: `${origin}/portal/account`,
    act: async () => {
      await page.getByRole("button", { name: "Switch it on" }).click()
      await page.getByRole("dialog").getByLabel("Your password", { exact: true }).fill(PASSWORD)
      await page.getByRole("button", { name: "Go on" }).click()
      await page.locator(".qr-code").waitFor()
    },
  })
  for (const shot of await stateShots(service, { origin, post })) await take(page, shot)
  for (const [state, answer] of Object.entries(BROKEN)) {
    await page.route("**/portal/api/**", async (route) => void (await answer(route)))
    for (const shot of memberShots(origin, state)) await take(page, shot)
    await page.unrouteAll({ behavior: "ignoreErrors" })
  }
}

async function takeReferenceStates(page: Page, origin: string, take: Take): Promise<void> {
  for (const [state, answer] of Object.entries(BROKEN)) {
    await page.route("**/openapi/**", async (route) => void (await answer(route)))
    await take(page, { name: `reference-${state}`, url: `${origin}/docs` })
    await page.unrouteAll({ behavior: "ignoreErrors" })
  }
}

/** Pages of customers, over a checkout and a tracking that are set by hand. */
async function takeCustomerPages(page: Page, take: Take): Promise<void> {
  const pages = await openPages()
  try {
    const { origin } = pages
    await take(page, { name: "checkout-open", url: `${origin}/pay/t1` })
    pages.checkout = UNCLEAR
    await take(page, { name: "checkout-unclear", url: `${origin}/pay/t1` })
    pages.checkout = PAID
    await take(page, { name: "checkout-paid", url: `${origin}/pay/t1` })
  } finally {
    await pages.close()
  }
  await takeTracking(page, take)
  await takeCards(page, take)
}

/** Each card in a chat, in colours of its host. */
async function takeCards(page: Page, take: Take): Promise<void> {
  await openChat(page)
  for (const name of Object.keys(cardStates(Date.now())) as CardName[])
    await take(page, {
      name: `card-${name}`,
      url: CHAT_URL,
      act: () => showCard(page, name, cardStates(Date.now())[name]),
    })
  await take(page, {
    name: "card-windows",
    url: CHAT_URL,
    act: async () => {
      const frame = await showCard(page, "quote", cardStates(Date.now()).quote)
      await frame.getByRole("button", { name: "Other times" }).click()
    },
  })
  await page.unrouteAll({ behavior: "ignoreErrors" })
}

async function takeTracking(page: Page, take: Take): Promise<void> {
  const pages = await openTracking()
  try {
    for (const [state, view] of Object.entries(TRACKING_STATES)) {
      pages.shown = view
      await take(page, { name: `tracking-${state}`, url: `${pages.origin}/track/t1` })
    }
    pages.isBroken = true
    await take(page, { name: "tracking-error", url: `${pages.origin}/track/t1` })
  } finally {
    await pages.close()
  }
}

const OPERATIONS_PATHS = [
  "",
  "/lists",
  "/lists/deliveries",
  "/lists/errands",
  "/lists/vehicles",
  "/lists/endpoints",
  "/lists/messages",
  "/approvals",
  "/operators",
  "/audit-log",
  "/account",
  "/nothing/here",
] as const

/** The board of the production site, with one reservation, the settings, and what operators see of all sites. */
async function takeOperations(page: Page, service: ServiceProcess, take: Take): Promise<void> {
  const { production } = service.access
  const asked = booking(production, "http://127.0.0.1:9/open", "1187")
  const { body } = await call(production, "POST", "/rs/v1/reservations", asked)
  const id = body.data.reservation.reservation_id
  for (const shot of await boardShots(page, service, id)) await take(page, shot)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await takeToday(page, service, take)
  // The board has signed in.
  for (const shot of await settingsShots(page, service)) await take(page, shot)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  for (const path of OPERATIONS_PATHS)
    await take(page, {
      name: `ops${path.replaceAll("/", "-")}`,
      url: `${service.urls.production}/ops${path}`,
    })
}

/** Today of the site: a busy day, an empty one, and one that cannot be read. The board has signed in. */
async function takeToday(page: Page, { urls, access }: ServiceProcess, take: Take): Promise<void> {
  const url = `${urls.production}/ops/sites/${access.production.site_id}/replay`
  for (const [state, body] of [
    ["full", dayText("full")],
    ["empty", dayText("empty")],
    ["error", null],
  ] as const) {
    await sayDay(page, body)
    await take(page, { name: `ops-today-${state}`, url })
  }
  await page.unrouteAll({ behavior: "ignoreErrors" })
}

/** The list of groups, and one of them. */
async function takeInspector(page: Page, { urls, access }: ServiceProcess, take: Take): Promise<void> {
  const url = `${urls.sandbox}/inspect`
  await page.goto(url)
  await page.getByLabel("Operator token").fill(access.sandbox.operator_token)
  await page.keyboard.press("Enter")
  const group = page.getByRole("link", { name: /^Delivery · / }).first()
  await group.waitFor()
  await take(page, { name: "inspector-groups", url })
  await take(page, { name: "inspector-group", url, act: () => group.click() })
}

/** A phone before its pairing, the tasks, and the one that it takes: the reservation of the board. */
async function takeRunner(page: Page, { urls, access }: ServiceProcess, take: Take): Promise<void> {
  const { production } = access
  const url = `${urls.production}/runner`
  await take(page, { name: "runner-pair", url })
  const operator = { ...production, api_key: production.operator_token }
  const pairings = `/internal/v1/sites/${production.site_id}/pairings`
  const { body } = await call(operator, "POST", pairings, { runner_name: "Maya R." })
  const { path } = body.data["pairing"] as { readonly path: string }
  const free = page.getByRole("button", { name: /^Take the task/ }).first()
  await take(page, { name: "runner-tasks", url: `${urls.production}${path}`, act: () => free.waitFor() })
  await take(page, {
    name: "runner-task",
    url,
    act: async () => {
      await free.click()
      await page.getByRole("link", { name: /^Go on with/ }).click()
      await page.locator('[aria-current="step"]').waitFor()
    },
  })
}
