/** Charges and analytics in the portal: the organization's own, with the figures of the APIs. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ChargeRows } from "../../../src/areas/direct-delivery/charges.ts"
import type { Charge } from "../../../src/areas/direct-delivery/charges.ts"
import { Analytics } from "../../../src/areas/analytics/analytics.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { MINUTE_MS, isoMs } from "../../../src/model/values/time.ts"
import { openPortal } from "./portal.ts"
import type { Portal } from "./portal.ts"
import { API, codeOf, started } from "./sandbox.ts"

/** A person whose organization has production access and a charge of each id, a minute apart. */
async function charged(portal: Portal, ids: readonly string[], email = "ada@wheels.example") {
  const one = await started(portal, email)
  const { organizationId } = one.partner
  const startMs = portal.now()
  portal.run(
    Effect.gen(function* () {
      yield* (yield* Organizations).change(organizationId, { environments: ["sandbox", "production"] })
      const rows = yield* ChargeRows
      const host = yield* ActorHost
      for (const [at, externalDeliveryId] of ids.entries()) {
        const charge: Omit<Charge, "number"> = {
          deliveryId: `dlv_${organizationId}_${at}`,
          organizationId,
          siteId: at === 0 ? "site_1" : "site_2",
          externalDeliveryId,
          feeCents: 799 + at,
          currency: "USD",
          completedAtMs: startMs + at * MINUTE_MS,
        }
        yield* host.run({ name: "a test", locks: {}, body: () => rows.insert(charge) })
      }
    }),
  )
  return { ...one, organizationId, startMs }
}

describe("charges", () => {
  test("are the organization's own, newest first, by site, span and pages", async () => {
    const portal = await openPortal()
    const { browser, organizationId, startMs } = await charged(portal, ["one", "two", "three"])
    const other = await charged(portal, ["foreign"], "eve@else.example")
    const listed = async (query = "") => {
      const { status, data } = await browser.call("GET", `${API}/charges?${query}`)
      expect(status).toBe(200)
      return (data["charges"] as { external_delivery_id: string }[]).map((one) => one.external_delivery_id)
    }
    expect(await listed()).toEqual(["three", "two", "one"])
    expect(await listed("site_id=site_1")).toEqual(["one"])
    expect(
      await listed(`from=${isoMs(startMs + MINUTE_MS)}&until=${isoMs(startMs + 2 * MINUTE_MS)}`),
    ).toEqual(["two"])
    const page = await browser.call("GET", `${API}/charges?limit=2`)
    expect(page.data["charges"]).toMatchObject([
      {
        external_delivery_id: "three",
        organization_id: organizationId,
        fee_cents: 801,
        currency: "USD",
        completed_at: isoMs(startMs + 2 * MINUTE_MS),
      },
      {},
    ])
    expect(await listed(`cursor=${String(page.data["next_cursor"])}`)).toEqual(["one"])
    const foreign = `dlv_${other.organizationId}_0`
    for (const query of ["limit=0", "from=today", "cursor=none", `cursor=${foreign}`])
      expect(await codeOf(browser, "GET", `/charges?${query}`)).toBe("400 VALIDATION_ERROR")
  })

  test("as a file are quoted, and no cell is a formula", async () => {
    const portal = await openPortal()
    const { browser, organizationId, startMs } = await charged(portal, ['a "b", c', "=1+1", "@x\ny"])
    await charged(portal, ["foreign"], "eve@else.example")
    const { status, headers, bytes } = await file(portal, browser.cookie, "")
    expect(status).toBe(200)
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8")
    expect(headers["content-disposition"]).toBe('attachment; filename="charges.csv"')
    expect(headers["cache-control"]).toBe("no-store")
    const line = (at: number, id: string) =>
      `dlv_${organizationId}_${at},${id},${organizationId},site_${at === 0 ? 1 : 2},${799 + at},USD,${isoMs(startMs + at * MINUTE_MS)}\r\n`
    expect(bytes).toBe(
      `delivery_id,external_delivery_id,organization_id,site_id,fee_cents,currency,completed_at\r\n${line(0, '"a ""b"", c"')}${line(1, "'=1+1")}${line(2, `"'@x\ny"`)}`,
    )
    expect((await file(portal, browser.cookie, "?site_id=site_9")).bytes.split("\r\n")).toHaveLength(2)
    expect((await file(portal, browser.cookie, "?from=today")).status).toBe(400)
    expect((await file(portal, null, "")).status).toBe(401)
  })

  test("need access to production, and a session", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    expect(await codeOf(browser, "GET", "/charges")).toBe("403 ORG_INACTIVE")
    expect((await file(portal, browser.cookie, "")).status).toBe(403)
    expect(await codeOf(portal.browser(), "GET", "/charges")).toBe("401 SIGN_IN_REQUIRED")
  })
})

/** The CSV file, which is no JSON. */
async function file({ app, service }: Portal, cookie: string | null, query: string) {
  const { time } = service.host
  const pending = app.inject({
    url: `${API}/charges.csv${query}`,
    ...(cookie === null ? {} : { headers: { cookie } }),
  })
  const settled = pending.then(() => true)
  const nothing = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false))
  while (!(await Promise.race([settled, nothing()]))) time.run(time.nowMs - 1)
  const { statusCode, headers, payload } = await pending
  return { status: statusCode, headers, bytes: payload }
}

describe("analytics", () => {
  test("are the figures of the API, for a site of the organization", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const { data } = await browser.call("POST", `${API}/sandbox/deliveries`)
    const { id } = data["delivery"] as { id: string }
    for (let step = 0; step < 4; step += 1) await browser.call("POST", `${API}/deliveries/${id}/advance`)
    portal.advance(10 * MINUTE_MS)
    for (let step = 0; step < 2; step += 1) await browser.call("POST", `${API}/deliveries/${id}/advance`)
    portal.advance(MINUTE_MS)
    const metrics = await browser.call("GET", `${API}/analytics/metrics?siteId=${siteId}`)
    expect(metrics.data).toMatchObject({
      autolane_sessions: { total: 1 },
      average_dwell_time: { total_seconds: 600 },
    })
    const service = portal.run(Effect.flatMap(Analytics, (one) => one.metrics(partner, { siteId })))
    expect(metrics.data).toEqual(service)
    const trends = await browser.call(
      "GET",
      `${API}/analytics/occupancy-trends?siteId=${siteId}&granularity=hour`,
    )
    const points = trends.data["points"] as { session_count: number }[]
    expect(trends.data).toMatchObject({ granularity: "hour", timezone: "America/Chicago" })
    expect(points.reduce((sum, point) => sum + point.session_count, 0)).toBe(1)
  })

  test("are refused for sites of others, without a site, and in production without access", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const { browser: stranger } = await started(portal, "eve@else.example")
    for (const path of ["/analytics/metrics", "/analytics/occupancy-trends"]) {
      expect(await codeOf(stranger, "GET", `${path}?siteId=${siteId}`)).toBe("404 SITE_NOT_FOUND")
      expect(await codeOf(browser, "GET", path)).toBe("400 VALIDATION_ERROR")
      expect(await codeOf(browser, "GET", `${path}?siteId=${siteId}&period=year`)).toBe(
        "400 VALIDATION_ERROR",
      )
      const there = `${path}?siteId=${siteId}&environment=production`
      expect(await codeOf(browser, "GET", there)).toBe("403 ORG_INACTIVE")
      expect(await codeOf(portal.browser(), "GET", `${path}?siteId=${siteId}`)).toBe("401 SIGN_IN_REQUIRED")
    }
  })
})
