/** Charges and analytics in the portal: the organization's own, with the figures of the APIs. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { CHARGES_EXPORTED_MAX } from "../../../src/model/values/limits.ts"
import { ChargeRows, chargeTable } from "../../../src/areas/direct-delivery/charges.ts"
import type { Charge } from "../../../src/areas/direct-delivery/charges.ts"
import { Analytics } from "../../../src/areas/analytics/analytics.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { memoryRowsOf } from "../../../src/engine/memory/memory-tables.ts"
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
    const { browser, organizationId, startMs } = await charged(portal, [
      'a "b", c',
      "=1+1",
      "@x\ny",
      // Spreadsheets of some countries split cells at semicolons, also those that are quoted.
      "x;=cmd|' /C calc'!A0;y",
      'x;"=1',
      "x;\u00A0+1",
      "x\t-1",
      "x\n@y",
      "\uFF1D1",
      "a-b; c=d",
    ])
    await charged(portal, ["foreign"], "eve@else.example")
    const { status, headers, bytes } = await file(portal, browser.cookie, "")
    expect(status).toBe(200)
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8")
    expect(headers["content-disposition"]).toBe('attachment; filename="charges.csv"')
    expect(headers["cache-control"]).toBe("no-store")
    const line = (at: number, id: string) =>
      `dlv_${organizationId}_${at},${id},${organizationId},site_${at === 0 ? 1 : 2},${799 + at},USD,${isoMs(startMs + at * MINUTE_MS)}\r\n`
    expect(bytes).toBe(
      `delivery_id,external_delivery_id,organization_id,site_id,fee_cents,currency,completed_at\r\n${line(0, '"a ""b"", c"')}${line(1, "'=1+1")}${line(2, `"'@x\ny"`)}${line(3, `"x;'=cmd|' /C calc'!A0;y"`)}${line(4, `"x;""'=1"`)}${line(5, `"x;\u00A0'+1"`)}${line(6, `"x\t'-1"`)}${line(7, `"x\n'@y"`)}${line(8, "'\uFF1D1")}${line(9, '"a-b; c=d"')}`,
    )
    expect((await file(portal, browser.cookie, "?site_id=site_9")).bytes.split("\r\n")).toHaveLength(2)
    expect((await file(portal, browser.cookie, "?from=today")).status).toBe(400)
    expect((await file(portal, null, "")).status).toBe(401)
  })

  test("are summed by month and site, in the months of a time zone", async () => {
    const portal = await openPortal()
    const { browser, organizationId, startMs } = await charged(portal, ["one", "two", "three"])
    await charged(portal, ["foreign"], "eve@else.example")
    // The last instant of a month in UTC is in the next month of Auckland.
    const year = new Date(startMs).getUTCFullYear() - 1
    const lateMs = Date.UTC(year, 5, 30, 23, 59, 59, 999)
    portal.run(
      Effect.gen(function* () {
        const rows = yield* ChargeRows
        const host = yield* ActorHost
        const older = {
          deliveryId: "dlv_older",
          organizationId,
          siteId: "site_2",
          externalDeliveryId: "older",
        }
        const charge = { ...older, feeCents: 100, currency: "USD", completedAtMs: lateMs }
        yield* host.run({ name: "a test", locks: {}, body: () => rows.insert(charge) })
      }),
    )
    const summed = async (query = "") =>
      (await browser.call("GET", `${API}/charges/sums?${query}`)).data["sums"]
    const month = isoMs(startMs).slice(0, 7)
    const usd = { currency: "USD" }
    const newer = [
      { ...usd, month, site_id: "site_1", count: 1, fee_cents: 799 },
      { ...usd, month, site_id: "site_2", count: 2, fee_cents: 1_601 },
    ]
    const older = { ...usd, month: `${year}-06`, site_id: "site_2", count: 1, fee_cents: 100 }
    expect(await summed()).toEqual([...newer, older])
    expect(await summed(`until=${isoMs(lateMs + 1)}&timezone=Pacific/Auckland`)).toEqual([
      { ...older, month: `${year}-07` },
    ])
    expect(await summed(`site_id=site_1&from=${isoMs(startMs)}`)).toEqual([newer[0]])
    expect(await codeOf(browser, "GET", "/charges/sums?timezone=Mars")).toBe("400 VALIDATION_ERROR")
  })

  test("are summed however many there are", async () => {
    const portal = await openPortal()
    const { browser, organizationId, startMs } = await charged(portal, ["one"])
    const rows = memoryRowsOf(portal.service.host.store, chargeTable)
    const [[, first] = []] = rows.entries()
    if (first === undefined) throw new Error("there is no charge")
    for (let number = 2; number <= CHARGES_EXPORTED_MAX + 2; number += 1)
      rows.put(`many ${number}`, { ...first, deliveryId: `dlv_${organizationId}_${number}`, number })
    const { data } = await browser.call("GET", `${API}/charges/sums`)
    const count = CHARGES_EXPORTED_MAX + 2
    expect(data["sums"]).toEqual([
      {
        month: isoMs(startMs).slice(0, 7),
        site_id: "site_1",
        currency: "USD",
        count,
        fee_cents: count * 799,
      },
    ])
  })

  test("need access to production, and a session", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    expect(await codeOf(browser, "GET", "/charges")).toBe("403 ORG_INACTIVE")
    expect(await codeOf(browser, "GET", "/charges/sums")).toBe("403 ORG_INACTIVE")
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
    const { before, ...figures } = metrics.data
    expect(figures).toEqual(service)
    expect(before).toEqual({ visits: 0, occupancy_percentage: 0, total_seconds: 0 })
    const trends = await browser.call(
      "GET",
      `${API}/analytics/occupancy-trends?siteId=${siteId}&granularity=hour`,
    )
    const points = trends.data["points"] as { session_count: number }[]
    expect(trends.data).toMatchObject({ granularity: "hour", timezone: "America/Chicago" })
    expect(points.reduce((sum, point) => sum + point.session_count, 0)).toBe(1)
  })

  test("have the deliveries of a site, by its hours: how many, how many in time, and their fees", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const made = async (): Promise<string> => {
      const { data } = await browser.call("POST", `${API}/sandbox/deliveries`)
      return (data["delivery"] as { id: string }).id
    }
    const completed = async (id: string): Promise<void> => {
      for (let step = 0; step < 8; step += 1) await browser.call("POST", `${API}/deliveries/${id}/advance`)
    }
    const [punctual, late] = [await made(), await made()]
    await completed(punctual)
    portal.advance(3 * 60 * MINUTE_MS)
    await completed(late)
    portal.advance(MINUTE_MS)
    const read = (query: string) =>
      browser.call("GET", `${API}/analytics/deliveries?siteId=${siteId}&granularity=hour&${query}`)
    const { data } = await read("period=week")
    expect(data).toMatchObject({ timezone: "America/Chicago", completed: 2, kept: 1 })
    expect(data["before"]).toEqual({ completed: 0, kept: 0, fee_cents: 0 })
    expect(data["fee_cents"]).toBeGreaterThan(0)
    const points = data["points"] as { completed: number; kept: number }[]
    expect(points.filter((point) => point.completed > 0).map(({ kept }) => kept)).toEqual([1, 0])
    const after = `startDate=${isoMs(portal.now() - 2 * MINUTE_MS)}&endDate=${isoMs(portal.now())}`
    expect((await read(after)).data).toMatchObject({ completed: 1, kept: 0 })
    const next = `startDate=${isoMs(portal.now() + MINUTE_MS)}&endDate=${isoMs(portal.now() + 2 * MINUTE_MS)}`
    expect((await read(next)).data).toMatchObject({ completed: 0, points: [] })
  })

  test("are refused for sites of others, without a site, and in production without access", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const { browser: stranger } = await started(portal, "eve@else.example")
    for (const path of ["/analytics/metrics", "/analytics/occupancy-trends", "/analytics/deliveries"]) {
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
