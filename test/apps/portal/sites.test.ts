/** Sites in the portal: one in detail, changes in the sandbox, requests to operations in production. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { DeliverySites } from "../../../src/areas/direct-delivery/rows.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { SiteRequests } from "../../../src/apps/portal/site-requests.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { isoMs } from "../../../src/model/values/time.ts"
import { openPortal } from "./portal.ts"
import type { Portal } from "./portal.ts"
import { API, codeOf, started } from "./sandbox.ts"

const THERE = "00000000-0000-4000-8000-00000000aaaa"

/** A person whose organization has a site of production. */
async function provisioned(portal: Portal, email = "ada@wheels.example", siteId = THERE) {
  const one = await started(portal, email)
  const { organizationId } = one.partner
  portal.run(
    Effect.gen(function* () {
      const environments = ["sandbox", "production"] as const
      yield* (yield* Organizations).change(organizationId, { environments })
      const sites = yield* DeliverySites
      const known = yield* sites.byId(one.siteId)
      if (known === null) return
      const site = { ...known, siteId, environment: "production", fleetId: "fleet_there" } as const
      const host = yield* ActorHost
      yield* host.run({ name: "a test", locks: {}, body: () => sites.insert(site) })
    }),
  )
  return one
}

describe("one site", () => {
  test("shows place, area, price, time zone and stalls", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const { status, data } = await browser.call("GET", `${API}/sites/${siteId}`)
    expect(status).toBe(200)
    expect(data["site"]).toMatchObject({
      site_id: siteId,
      name: "East kitchen",
      timezone: "America/Chicago",
      is_active: true,
      is_configured: true,
      address: null,
      location: { latitude: 30.27, longitude: -97.74 },
      delivery_price_cents: 599,
      ready_ahead_minutes: 120,
      zones: [
        {
          name: "East kitchen",
          has_runner: true,
          stalls: [{ label: "A1" }, { label: "A2" }, { label: "A3" }],
        },
      ],
    })
    const { area } = data["site"] as { area: number[][][] }
    expect(area[0]).toHaveLength(5)
  })

  test("of another organization or environment is not to be seen or changed", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const stranger = await portal.signedUp("eve@else.example")
    const change = { name: "Mine" }
    expect(await codeOf(stranger, "GET", `/sites/${siteId}`)).toBe("404 NOT_FOUND")
    expect(await codeOf(stranger, "PATCH", `/sandbox/sites/${siteId}`, change)).toBe("404 NOT_FOUND")
    expect(await codeOf(stranger, "GET", `/sites/${siteId}/change-requests`)).toBe("404 NOT_FOUND")
    expect(await codeOf(browser, "GET", "/sites/none")).toBe("404 NOT_FOUND")
    expect(await codeOf(browser, "GET", `/sites/${siteId}?environment=production`)).toBe("403 ORG_INACTIVE")
    expect(await codeOf(browser, "GET", `/sites/${siteId}?environment=mars`)).toBe("400 VALIDATION_ERROR")
    expect(await codeOf(portal.browser(), "GET", `/sites/${siteId}`)).toBe("401 SIGN_IN_REQUIRED")
    const { data } = await browser.call("GET", `${API}/sites/${siteId}`)
    expect(data["site"]).toMatchObject({ name: "East kitchen" })
  })
})

describe("changes in the sandbox", () => {
  test("keep what is not sent, and are seen by the next quote", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const body = { name: "West", delivery_price_cents: 1, latitude: 30.3, longitude: -97.7, reach_km: 1 }
    const { status, data } = await browser.call("PATCH", `${API}/sandbox/sites/${siteId}`, { body })
    expect(status).toBe(200)
    expect(data["site"]).toMatchObject({
      name: "West",
      timezone: "America/Chicago",
      delivery_price_cents: 1,
      location: { latitude: 30.3, longitude: -97.7 },
    })
    const made = await browser.call("POST", `${API}/sandbox/deliveries`, { body: { site_id: siteId } })
    expect(made.data["delivery"]).toMatchObject({ delivery: { delivery_fee_cents: 1 } })
    const far = { site_id: siteId, delivery_location: { latitude: 30.27, longitude: -97.74 } }
    expect(await codeOf(browser, "POST", "/sandbox/deliveries", far)).toBe("422 QUOTE_UNAVAILABLE")
  })

  test("deactivate a site and activate it again", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const patch = (body: object) => codeOf(browser, "PATCH", `/sandbox/sites/${siteId}`, body)
    const make = () => codeOf(browser, "POST", "/sandbox/deliveries", { site_id: siteId })
    expect(await patch({ is_active: false })).toBe("200 -")
    expect(await make()).toBe("403 RETAILER_INACTIVE")
    expect(await patch({ is_active: true })).toBe("200 -")
    expect(await make()).toBe("201 -")
  })

  test.each([
    ["nothing", {}],
    ["a blank name", { name: " " }],
    ["half a place", { latitude: 30 }],
    ["an area and a reach", { reach_km: 1, area: [] }],
    ["a price below zero", { delivery_price_cents: -1 }],
    ["an unknown address", { address: { street: "1 Nowhere", city: "X", state: "TX", zip: "00000" } }],
  ])("are refused with %s", async (_, body) => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    expect(await codeOf(browser, "PATCH", `/sandbox/sites/${siteId}`, body)).toBe("400 VALIDATION_ERROR")
  })

  test("do not reach another organization, fleet or site of production", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await provisioned(portal)
    expect(await codeOf(browser, "PATCH", `/sandbox/sites/${THERE}`, { name: "X" })).toBe("404 NOT_FOUND")
    const body = { name: "X", organization_id: "org_one", fleet_id: "fleet_other" }
    expect((await browser.call("PATCH", `${API}/sandbox/sites/${siteId}`, { body })).status).toBe(200)
    const after = portal.run(Effect.flatMap(DeliverySites, (sites) => sites.byId(siteId)))
    expect(after).toMatchObject({
      name: "X",
      organizationId: partner.organizationId,
      fleetId: `fleet_${siteId}`,
    })
  })
})

describe("requests for changes in production", () => {
  const operator = { type: "operator", by: "ops", environment: "production" } as const
  const path = `/sites/${THERE}/change-requests?environment=production`

  test("reach operations, and the answer is shown", async () => {
    const portal = await openPortal()
    const { browser } = await provisioned(portal)
    const body = { text: "Serve two more kilometres to the east." }
    const { status, data } = await browser.call("POST", `${API}${path}`, { body })
    expect(status).toBe(201)
    const { request_id: requestId } = data["request"] as { request_id: string }
    expect(data["request"]).toEqual({
      request_id: requestId,
      ...body,
      status: "open",
      requested_at: isoMs(portal.now()),
      closed_at: null,
      answer: null,
    })
    const list = portal.run(SiteRequests)
    expect(portal.run(list.open(operator))).toMatchObject([{ requestId, siteId: THERE }])
    portal.run(list.close(operator, requestId, "It is done."))
    expect(portal.run(list.open(operator))).toEqual([])
    const shown = await browser.call("GET", `${API}${path}`)
    expect(shown.data["requests"]).toMatchObject([{ status: "closed", answer: "It is done." }])
  })

  test("are refused in the sandbox, without text, beyond the limit, and for sites of others", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await provisioned(portal)
    const body = { text: "Please." }
    const own = `/sites/${siteId}/change-requests?environment=sandbox`
    expect(await codeOf(browser, "POST", own, body)).toBe("409 INVALID_STATE")
    expect(await codeOf(browser, "POST", path, { text: "" })).toBe("400 VALIDATION_ERROR")
    const other = await provisioned(portal, "eve@else.example", "00000000-0000-4000-8000-00000000bbbb")
    expect(await codeOf(other.browser, "POST", path, body)).toBe("404 NOT_FOUND")
    expect(await codeOf(other.browser, "GET", path)).toBe("404 NOT_FOUND")
    for (let at = 0; at < 10; at += 1) expect(await codeOf(browser, "POST", path, body)).toBe("201 -")
    expect(await codeOf(browser, "POST", path, body)).toBe("422 LIMIT_REACHED")
  })
})
