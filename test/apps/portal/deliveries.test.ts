/** Direct delivery in the portal, over the real services in memory: sites, deliveries, replies, and the steps to production. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, isoMs } from "../../../src/model/values/time.ts"
import type { Partner } from "../../../src/model/caller.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliverySites } from "../../../src/areas/direct-delivery/rows.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { PickupWebhooks } from "../../../src/areas/webhooks/webhooks.ts"
import { openPortal } from "./portal.ts"
import type { Browser } from "./portal.ts"
import { API, PHONE, codeOf, deliver, madeSite, quoting, started } from "./sandbox.ts"

const HOOK = "https://hooks.partner.example/pickups"

interface Shown {
  readonly id: string
  readonly site_id: string
  readonly delivery: { readonly external_delivery_id: string; readonly status: string }
}

async function listed(browser: Browser, query = ""): Promise<readonly Shown[]> {
  return (await browser.call("GET", `${API}/deliveries${query}`)).data["deliveries"] as readonly Shown[]
}

async function steps(browser: Browser): Promise<readonly string[]> {
  const { data } = await browser.call("GET", `${API}/onboarding`)
  const all = data["steps"] as readonly { readonly step: string; readonly is_done: boolean }[]
  return all.filter(({ is_done }) => is_done).map(({ step }) => step)
}

describe("deliveries", () => {
  test("B1: advance takes one step at a time to the end, and no further", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    deliver(portal, partner, siteId, "lunch")
    const [shown] = await listed(browser)
    expect(shown).toMatchObject({
      site_id: siteId,
      delivery: { external_delivery_id: "lunch", status: "SCHEDULED" },
    })
    const walked: string[] = []
    for (let step = 0; step < 8; step += 1) {
      const { data } = await browser.call("POST", `${API}/deliveries/${shown?.id}/advance`)
      walked.push((data["delivery"] as Shown).delivery.status)
    }
    expect(walked).toEqual([
      "ASSIGNED",
      "EN_ROUTE_TO_STORE",
      "ARRIVED_AT_STORE",
      "WAITING_FOR_LOAD",
      "LOADED",
      "EN_ROUTE_TO_CUSTOMER",
      "ARRIVED_AT_CUSTOMER",
      "COMPLETED",
    ])
    expect(await codeOf(browser, "POST", `/deliveries/${shown?.id}/advance`)).toBe("409 INVALID_STATE")
  })

  test("B4: cancel has the effect of the API's PATCH: once, with the first reason, and not after the end", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    deliver(portal, partner, siteId, "lunch")
    const [shown] = await listed(browser)
    const cancel = `/deliveries/${shown?.id}/cancel`
    const long = { cancellation_reason: "x".repeat(501) }
    expect(await codeOf(browser, "POST", cancel, long)).toBe("400 VALIDATION_ERROR")
    const reason = { cancellation_reason: "no lunch", reason: "its former name" }
    expect(await codeOf(browser, "POST", cancel, { reason: "x".repeat(501) })).toBe("400 VALIDATION_ERROR")
    expect(await codeOf(browser, "POST", cancel, reason)).toBe("200 -")
    expect(await codeOf(browser, "POST", cancel)).toBe("200 -")
    const { data } = await browser.call("GET", `${API}/deliveries/${shown?.id}`)
    const seen = portal.run(
      Effect.flatMap(DirectDelivery, (service) => service.read(partner, siteId, "lunch")),
    )
    expect((data["delivery"] as { delivery: unknown }).delivery).toEqual(seen)
    expect(seen).toMatchObject({ status: "CANCELLED", cancellation_reason: "no lunch" })
    expect(await codeOf(browser, "POST", `/deliveries/${shown?.id}/advance`)).toBe("409 INVALID_STATE")
  })

  test("are listed over all sites, newest first, by pages and by site", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const other = await madeSite(browser, "West kitchen")
    deliver(portal, partner, siteId, "one")
    deliver(portal, partner, other, "two")
    deliver(portal, partner, siteId, "three")
    const ids = (shown: readonly Shown[]): readonly string[] =>
      shown.map(({ delivery }) => delivery.external_delivery_id)
    const first = await browser.call("GET", `${API}/deliveries?limit=2`)
    expect(ids(first.data["deliveries"] as Shown[])).toEqual(["three", "two"])
    const rest = await browser.call("GET", `${API}/deliveries?cursor=${String(first.data["next_cursor"])}`)
    expect(ids(rest.data["deliveries"] as Shown[])).toEqual(["one"])
    expect(rest.data["next_cursor"]).toBeNull()
    expect(ids(await listed(browser, `?site_id=${siteId}`))).toEqual(["three", "one"])
    for (const query of ["limit=0", "limit=101", "limit=1.5", "limit=x", "cursor=abc"]) {
      expect(await codeOf(browser, "GET", `/deliveries?${query}`)).toBe("400 VALIDATION_ERROR")
    }
    expect(await codeOf(browser, "GET", "/deliveries?site_id=none")).toBe("404 NOT_FOUND")
  })

  test("of another organization, or in an environment without access, are not to be seen or moved", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    deliver(portal, partner, siteId, "lunch")
    const [shown] = await listed(browser)
    const stranger = await portal.signedUp("eve@else.example")
    expect(await listed(stranger)).toEqual([])
    expect(await codeOf(stranger, "GET", `/deliveries/${shown?.id}`)).toBe("404 NOT_FOUND")
    expect(await codeOf(stranger, "POST", `/deliveries/${shown?.id}/advance`)).toBe("404 NOT_FOUND")
    expect(await codeOf(stranger, "POST", `/deliveries/${shown?.id}/cancel`)).toBe("404 NOT_FOUND")
    expect(await codeOf(stranger, "GET", `/deliveries?site_id=${siteId}`)).toBe("404 NOT_FOUND")
    expect(await codeOf(browser, "GET", "/deliveries?environment=production")).toBe("403 ORG_INACTIVE")
    expect((await listed(browser))[0]?.delivery.status).toBe("SCHEDULED")
  })

  test("RETAILER_INACTIVE: of a deactivated site are still shown, and move no more", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    deliver(portal, partner, siteId, "lunch")
    const [shown] = await listed(browser)
    portal.run(
      Effect.gen(function* () {
        const sites = yield* DeliverySites
        const host = yield* ActorHost
        yield* host.run({ name: "a test", locks: {}, body: () => sites.change(siteId, { isActive: false }) })
      }),
    )
    expect(await codeOf(browser, "GET", `/deliveries/${shown?.id}`)).toBe("200 -")
    expect(await codeOf(browser, "POST", `/deliveries/${shown?.id}/advance`)).toBe("403 RETAILER_INACTIVE")
    const { data } = await browser.call("GET", `${API}/sites`)
    expect(data["sites"]).toMatchObject([{ is_active: false, is_configured: true }])
  })
})

describe("sites", () => {
  test("are listed by environment, and a new organization has none", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    expect((await browser.call("GET", `${API}/sites`)).data["sites"]).toEqual([])
    expect(await codeOf(browser, "GET", "/sites?environment=production")).toBe("403 ORG_INACTIVE")
    const siteId = await madeSite(browser)
    expect((await browser.call("GET", `${API}/sites`)).data["sites"]).toEqual([
      {
        site_id: siteId,
        name: "East kitchen",
        timezone: "America/Chicago",
        is_active: true,
        is_configured: true,
        has_vehicle: true,
      },
    ])
  })

  test("have the time zone of their location if they name none", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    const site = { name: "Pier", reach_km: 5, delivery_price_cents: 599 }
    const location = { latitude: 40.71, longitude: -74.01 }
    const zoneOf = async (more: object): Promise<unknown> => {
      const { data } = await browser.call("POST", `${API}/sites`, { body: { ...site, location, ...more } })
      return (data["site"] as { timezone?: unknown }).timezone
    }
    expect([await zoneOf({}), await zoneOf({ timezone: "America/Denver" })]).toEqual([
      "America/New_York",
      "America/Denver",
    ])
  })

  test("whose fleet has no vehicle say so, and are not yet the step to production", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    portal.run(
      Effect.gen(function* () {
        const sites = yield* DeliverySites
        const host = yield* ActorHost
        const body = () => sites.change(siteId, { fleetId: "fleet_without_vehicles" })
        yield* host.run({ name: "a test", locks: {}, body })
      }),
    )
    const one = await browser.call("GET", `${API}/sites/${siteId}`)
    expect((await browser.call("GET", `${API}/sites`)).data["sites"]).toMatchObject([{ has_vehicle: false }])
    expect(one.data["site"]).toMatchObject({ is_configured: true, has_vehicle: false })
    const { data } = await browser.call("GET", `${API}/onboarding`)
    const all = data["steps"] as readonly { readonly step: string }[]
    expect(all.find(({ step }) => step === "sandbox_site")).toMatchObject({
      is_done: false,
      hint: "The site East kitchen has no vehicle.",
    })
  })

  test("serve as far as they reach, with one vehicle of their own", async () => {
    const portal = await openPortal()
    const { partner, siteId } = await started(portal)
    const ask = (latitude: number, id: string) =>
      portal.run(
        Effect.flatMap(DirectDelivery, (service) =>
          service.quote(
            partner,
            siteId,
            quoting(portal, id, { delivery_location: { latitude, longitude: -97.74 } }),
          ),
        ),
      )
    expect(ask(30.27 + 0.089, "near")).toMatchObject({ available: true, delivery_fee_cents: 599 })
    expect(ask(30.27 + 0.091, "far").unavailable_reason).toBe("OUT_OF_SERVICE_AREA")
    deliver(portal, partner, siteId, "one")
    deliver(portal, partner, siteId, "two")
    expect(ask(30.28, "three").unavailable_reason).toBe("NO_CAPACITY")
  })

  test("each of their vehicles takes two runs, so three of them take six", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const location = { latitude: 30.27, longitude: -97.74 }
    const body = { name: "Three", location, reach_km: 10, delivery_price_cents: 599, vehicles: 3 }
    const made = await browser.call("POST", `${API}/sites`, { body })
    const { site_id: siteId } = made.data["site"] as { readonly site_id: string }
    for (const id of ["one", "two", "three", "four", "five", "six"]) deliver(portal, partner, siteId, id)
    const seventh = portal.run(
      Effect.flatMap(DirectDelivery, (service) => service.quote(partner, siteId, quoting(portal, "seven"))),
    )
    expect(seventh.unavailable_reason).toBe("NO_CAPACITY")
  })

  test.each<[string, object]>([
    ["no vehicle", { vehicles: 0 }],
    ["six vehicles", { vehicles: 6 }],
    ["no name", { name: " " }],
    ["a place off the map", { location: { latitude: 91, longitude: 0 } }],
    ["no reach", { reach_km: 0 }],
    ["half a cent", { delivery_price_cents: 0.5 }],
  ])("are not made with %s", async (_, more) => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    const location = { latitude: 30.27, longitude: -97.74 }
    const body = { name: "East", location, reach_km: 10, delivery_price_cents: 599, ...more }
    expect(await codeOf(browser, "POST", "/sites", body)).toBe("400 VALIDATION_ERROR")
  })

  test("LIMIT_REACHED: an organization makes twenty", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    for (let at = 0; at < 20; at += 1) await madeSite(browser, `Kitchen ${at}`)
    const location = { latitude: 30.27, longitude: -97.74 }
    const body = { name: "One more", location, reach_km: 10, delivery_price_cents: 599 }
    expect(await codeOf(browser, "POST", "/sites", body)).toBe("422 LIMIT_REACHED")
  })
})

describe("replies", () => {
  test("B3: a played STOP stops one organization's sandbox, START clears it, and other words do nothing", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const other = await started(portal, "eve@else.example")
    const say = async (text: string): Promise<unknown> =>
      (await browser.call("POST", `${API}/inbound-sms`, { body: { from: PHONE, text } })).data["keyword"]
    const reason = (of: { partner: Partner; siteId: string }): unknown =>
      portal.run(
        Effect.flatMap(DirectDelivery, (service) =>
          service.quote(of.partner, of.siteId, quoting(portal, "lunch")),
        ),
      ).unavailable_reason
    for (const word of ["STOP", "unsubscribe", " Cancel ", "END", "quit."]) {
      expect(await say(word)).toBe("stop")
      expect(reason({ partner, siteId })).toBe("CUSTOMER_OPTED_OUT")
      expect(reason(other)).toBeNull()
      expect(await say("please stop it")).toBeNull()
      expect(await say("help")).toBe("help")
      expect(reason({ partner, siteId })).toBe("CUSTOMER_OPTED_OUT")
      expect(await say("start")).toBe("start")
      expect(reason({ partner, siteId })).toBeNull()
    }
  })

  test("B3: answers and notices of the sandbox are written down as suppressed", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    deliver(portal, partner, siteId, "lunch")
    await browser.call("POST", `${API}/inbound-sms`, { body: { from: PHONE, text: "STOP" } })
    const sms = portal.run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 10 })))
    expect(sms.map(({ purpose, status, reason }) => `${purpose} ${status} ${reason}`)).toEqual([
      "keyword-answer suppressed sandbox",
      "delivery-notice suppressed sandbox",
    ])
  })
})

interface Step {
  readonly step: string
  readonly done_at: string | null
  readonly done_by: { readonly type: string; readonly name: string } | null
  readonly hint: string | null
}

async function stepOf(browser: Browser, name: string): Promise<Step> {
  const { data } = await browser.call("GET", `${API}/onboarding`)
  const found = (data["steps"] as readonly Step[]).find(({ step }) => step === name)
  if (found === undefined) throw new Error(`no step ${name}`)
  return found
}

describe("the way to production", () => {
  test("B5: each step says what is missing, from what is there, then when it was done and by whom", async () => {
    const portal = await openPortal()
    const fresh = await portal.signedUp("new@else.example")
    const hints = async (browser: Browser) => {
      const { data } = await browser.call("GET", `${API}/onboarding`)
      return (data["steps"] as readonly Step[]).map(({ hint }) => hint)
    }
    expect(await hints(fresh)).toEqual([
      "The organization has no contact address, to which operations write.",
      "There is no API key of the sandbox.",
      "There is no site in the sandbox.",
      "No endpoint for direct delivery is registered in the sandbox.",
      "No quote has been requested for a site of the sandbox.",
      "No delivery of the sandbox is in progress: create one and advance it to COMPLETED.",
      "No endpoint is registered that could answer an event with 2xx.",
    ])
    const { browser, partner, siteId } = await started(portal)
    const noted = {
      done_at: isoMs(portal.now()),
      done_by: { type: "member", name: "Ada Example" },
      hint: null,
    }
    expect(await stepOf(browser, "sandbox_site")).toMatchObject(noted)
    await browser.call("PATCH", `${API}/organization`, { body: { contact_email: "ops@wheels.example" } })
    await browser.call("POST", `${API}/api-keys`, { body: { permissions: ["deliveries:write"] } })
    expect(await stepOf(browser, "organization_profile")).toMatchObject(noted)
    expect(await stepOf(browser, "sandbox_key")).toMatchObject(noted)
    await browser.call("POST", `${API}/delivery-webhooks`, {
      body: { url: HOOK, events: ["pickup_status.changed"] },
    })
    expect(await stepOf(browser, "sandbox_webhook")).toMatchObject(noted)
    expect((await stepOf(browser, "webhook_acknowledged")).hint).toBe(
      "No event has been answered with 2xx yet.",
    )
    deliver(portal, partner, siteId, "lunch")
    expect(await stepOf(browser, "sandbox_quote")).toMatchObject({ done_at: noted.done_at, done_by: null })
    expect((await stepOf(browser, "sandbox_delivery")).hint).toBe(
      "The delivery lunch is SCHEDULED: advance it to COMPLETED.",
    )
    portal.service.world.script(HOOK, [{ type: "status", status: 500, afterMs: 0 }])
    const [shown] = await listed(browser)
    for (let step = 0; step < 8; step += 1)
      await browser.call("POST", `${API}/deliveries/${shown?.id}/advance`)
    expect(await stepOf(browser, "sandbox_delivery")).toMatchObject({ done_by: noted.done_by, hint: null })
    portal.advance(1_000)
    expect((await stepOf(browser, "webhook_acknowledged")).hint).toMatch(
      /^The endpoint at hooks\.\S+ failed /,
    )
    portal.service.world.script(HOOK, [{ type: "status", status: 204, afterMs: 0 }])
    portal.advance(MINUTE_MS)
    expect(await stepOf(browser, "webhook_acknowledged")).toMatchObject({ done_by: null, hint: null })
    expect((await stepOf(browser, "webhook_acknowledged")).done_at).not.toBeNull()
    expect(await hints(fresh)).not.toContain(null)
  })

  test("B5: all seven steps tick themselves as they are done, and stay ticked", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    expect(await steps(browser)).toEqual(["sandbox_site"])
    await browser.call("PATCH", `${API}/organization`, { body: { contact_email: "ops@wheels.example" } })
    await browser.call("POST", `${API}/api-keys`, { body: { permissions: ["deliveries:write"] } })
    expect(await steps(browser)).toEqual(["organization_profile", "sandbox_key", "sandbox_site"])
    const hooks = portal.run(PickupWebhooks)
    const { webhook_id: webhookId } = portal.run(
      hooks.register(partner, { url: HOOK, events: ["pickup_status.changed"] }),
    )
    expect((await steps(browser)).slice(3)).toEqual(["sandbox_webhook"])
    deliver(portal, partner, siteId, "lunch")
    expect((await steps(browser)).slice(4)).toEqual(["sandbox_quote"])
    portal.service.world.script(HOOK, [{ type: "status", status: 500, afterMs: 0 }])
    const [shown] = await listed(browser)
    for (let step = 0; step < 8; step += 1)
      await browser.call("POST", `${API}/deliveries/${shown?.id}/advance`)
    portal.advance(1_000)
    expect((await steps(browser)).slice(5)).toEqual(["sandbox_delivery"])
    expect(await codeOf(browser, "POST", "/production-access")).toBe("409 ONBOARDING_INCOMPLETE")
    portal.service.world.script(HOOK, [{ type: "status", status: 204, afterMs: 0 }])
    portal.advance(MINUTE_MS)
    expect(await steps(browser)).toHaveLength(7)
    portal.run(hooks.remove(partner, webhookId))
    expect(await steps(browser)).toHaveLength(7)
    const { data } = await browser.call("POST", `${API}/production-access`)
    const request = data["production_access"] as { readonly due_at: string }
    expect(request.due_at).toBe(isoMs(portal.now() + 24 * 60 * MINUTE_MS))
  })

  test("B5: what another organization has done, or what was done in production, ticks nothing", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    const other = await started(portal, "eve@else.example")
    const hooks = portal.run(PickupWebhooks)
    portal.run(hooks.register(other.partner, { url: HOOK, events: ["pickup_status.changed"] }))
    deliver(portal, other.partner, other.siteId, "lunch")
    const { data } = await browser.call("GET", `${API}/session`)
    const { organization_id: organizationId } = data["organization"] as { organization_id: string }
    const partner: Partner = { ...other.partner, organizationId, environment: "production" }
    portal.run(hooks.register(partner, { url: HOOK, events: ["pickup_status.changed"] }))
    expect(await steps(browser)).toEqual([])
  })
})
