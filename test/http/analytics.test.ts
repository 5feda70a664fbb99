/** The analytics API over HTTP: every choice N, every code, and what an attacker may try. */

import { describe, expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Answered, Api, Document } from "./api.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"
/** Nothing on it is granted. */
const WEST = "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"
const METRICS = "/avrh/v1/analytics/metrics"
const TRENDS = "/avrh/v1/analytics/occupancy-trends"

type Params = Readonly<Record<string, string>>

function ask(api: Api, path: string, params: Params = {}, key?: string): Promise<Answered> {
  const query = new URLSearchParams({ siteId: EAST, ...params }).toString()
  return api.call("GET", `${path}?${query}`, key === undefined ? {} : { key })
}

async function outcome(api: Api, path: string, params?: Params): Promise<string> {
  const { status, code } = await ask(api, path, params)
  return `${status} ${code ?? "-"}`
}

/** A bot that arrives now and stays. */
async function stay(api: Api, ms: number): Promise<void> {
  const id = await api.book()
  const report = (status: string) => api.call("POST", `/rs/v1/reservations/${id}/bot`, { body: { status } })
  await report("ARRIVED")
  await api.advance(ms)
  await report("DEPARTED")
}

interface Trends {
  readonly granularity: string
  readonly timezone: string
  readonly start: string
  readonly end: string
  readonly points: readonly {
    readonly bucket_start: string
    readonly bucket_end: string
    readonly occupancy_percentage: number
    readonly session_count: number
  }[]
}

async function trends(api: Api, params?: Params): Promise<Trends> {
  const answered = await ask(api, TRENDS, params)
  expect(answered.status).toBe(200)
  return answered.data as unknown as Trends
}

describe("GET /avrh/v1/analytics/metrics", () => {
  test("an untouched site: zeros, in the contract's envelope", async () => {
    const api = await makeApi()
    const { status, body } = await ask(api, METRICS)
    const still = { change_percentage: 0, change_type: "increase" }
    expect([status, body]).toEqual([
      200,
      {
        status: "success",
        data: {
          autolane_sessions: { total: 0, ...still },
          average_occupancy: { percentage: 0, ...still },
          average_dwell_time: { minutes: 0, seconds: 0, total_seconds: 0, ...still },
        },
      },
    ])
  })

  test("N5, N6 and N7: two stays of a day, with nothing the day before", async () => {
    const api = await makeApi()
    await stay(api, 10 * MINUTE_MS)
    await stay(api, 25 * MINUTE_MS)
    // Local time is 10:35: 35 minutes of 4 stalls times 10 hours 35 minutes.
    expect((await ask(api, METRICS)).data).toEqual({
      autolane_sessions: { total: 2, change_percentage: 100, change_type: "increase" },
      average_occupancy: { percentage: 1.4, change_percentage: 100, change_type: "increase" },
      average_dwell_time: {
        minutes: 17,
        seconds: 30,
        total_seconds: 1_050,
        change_percentage: 100,
        change_type: "increase",
      },
    })
  })

  test("N5: against the equally long span just before", async () => {
    const api = await makeApi()
    await stay(api, 20 * MINUTE_MS)
    await stay(api, 20 * MINUTE_MS)
    const middle = api.now()
    await stay(api, 10 * MINUTE_MS)
    const params = { startDate: iso(middle), endDate: iso(middle + 40 * MINUTE_MS) }
    await api.advance(30 * MINUTE_MS)
    expect((await ask(api, METRICS, params)).data).toMatchObject({
      autolane_sessions: { total: 1, change_percentage: 50, change_type: "decrease" },
      average_occupancy: { percentage: 6.3, change_percentage: 75, change_type: "decrease" },
      average_dwell_time: { total_seconds: 600, change_percentage: 50, change_type: "decrease" },
    })
  })

  test("N3: today, week and month", async () => {
    const api = await makeApi()
    await stay(api, MINUTE_MS)
    const totals = async (): Promise<unknown[]> =>
      Promise.all(
        ["today", "week", "month"].map(
          async (period) =>
            ((await ask(api, METRICS, { period })).data as { autolane_sessions: { total: number } })
              .autolane_sessions.total,
        ),
      )
    expect(await totals()).toEqual([1, 1, 1])
    await api.advance(24 * HOUR_MS)
    expect(await totals()).toEqual([0, 1, 1])
    await api.advance(7 * 24 * HOUR_MS)
    expect(await totals()).toEqual([0, 0, 1])
    await api.advance(30 * 24 * HOUR_MS)
    expect(await totals()).toEqual([0, 0, 0])
  })

  test("N6: a span that is not over is measured to now", async () => {
    const api = await makeApi()
    await stay(api, 30 * MINUTE_MS)
    const startDate = iso(api.now() - 30 * MINUTE_MS)
    const { data } = await ask(api, METRICS, { startDate, endDate: iso(api.now() + HOUR_MS) })
    expect(data).toMatchObject({ average_occupancy: { percentage: 25 } })
    const future = { startDate: iso(api.now() + 1), endDate: iso(api.now() + HOUR_MS) }
    expect((await ask(api, METRICS, future)).data).toMatchObject({ autolane_sessions: { total: 0 } })
  })
})

describe("GET /avrh/v1/analytics/occupancy-trends", () => {
  test("N9: every hour since midnight at the site, the one that runs included, later ones not", async () => {
    const api = await makeApi()
    await api.advance(30 * MINUTE_MS)
    await stay(api, 45 * MINUTE_MS)
    const found = await trends(api)
    expect({ ...found, points: [] }).toEqual({
      granularity: "hour",
      timezone: "America/Chicago",
      start: "2026-06-01T05:00:00.000Z",
      end: "2026-06-01T16:15:00.000Z",
      points: [],
    })
    expect(found.points).toHaveLength(12)
    expect(found.points.slice(-3)).toEqual([
      {
        bucket_start: "2026-06-01T14:00:00.000Z",
        bucket_end: "2026-06-01T15:00:00.000Z",
        occupancy_percentage: 0,
        session_count: 0,
      },
      {
        bucket_start: "2026-06-01T15:00:00.000Z",
        bucket_end: "2026-06-01T16:00:00.000Z",
        occupancy_percentage: 12.5,
        session_count: 1,
      },
      {
        bucket_start: "2026-06-01T16:00:00.000Z",
        bucket_end: "2026-06-01T17:00:00.000Z",
        occupancy_percentage: 25,
        session_count: 0,
      },
    ])
  })

  test.each([
    ["23 hours", "2026-03-08", "2026-03-09", 23],
    ["25 hours", "2025-11-02", "2025-11-03", 25],
    ["24 hours", "2026-03-07", "2026-03-08", 24],
  ])("N9: a day of %s", async (_, startDate, endDate, hours) => {
    const api = await makeApi()
    const { points } = await trends(api, { startDate, endDate, granularity: "hour" })
    expect(points).toHaveLength(hours)
    expect(new Set(points.map((point) => point.bucket_start)).size).toBe(hours)
    const days = await trends(api, { startDate, endDate, granularity: "day" })
    expect(days.points.map((point) => Date.parse(point.bucket_end) - Date.parse(point.bucket_start))).toEqual(
      [hours * HOUR_MS],
    )
  })

  test("N8: hours for two days, days for more, unless asked otherwise; hours for 31 days at most", async () => {
    const api = await makeApi()
    const told = async (params: Params): Promise<string> => (await trends(api, params)).granularity
    expect(await told({ startDate: "2026-05-01", endDate: "2026-05-03" })).toBe("hour")
    expect(await told({ startDate: "2026-05-01", endDate: "2026-05-04" })).toBe("day")
    expect(await told({ period: "week" })).toBe("day")
    expect(await told({ period: "month", granularity: "week" })).toBe("week")
    expect(await told({ period: "month", granularity: "hour" })).toBe("hour")
    expect(
      await outcome(api, TRENDS, { startDate: "2026-04-01", endDate: "2026-05-03", granularity: "hour" }),
    ).toBe("400 VALIDATION_ERROR")
    expect(await outcome(api, TRENDS, { granularity: "minute" })).toBe("400 VALIDATION_ERROR")
  })

  test("N9: a span of the future has no bucket yet; a year has every day", async () => {
    const api = await makeApi()
    expect((await trends(api, { startDate: "2026-06-02", endDate: "2026-06-04" })).points).toEqual([])
    expect((await trends(api, { startDate: "2025-06-01", endDate: "2026-06-01" })).points).toHaveLength(365)
  })

  test("N9: the buckets' sessions add up to the metrics' total", async () => {
    const api = await makeApi()
    for (const minutes of [3, 50, 70]) await stay(api, minutes * MINUTE_MS)
    const { points } = await trends(api, { granularity: "hour" })
    expect(points.reduce((sum, point) => sum + point.session_count, 0)).toBe(3)
    expect((await ask(api, METRICS)).data).toMatchObject({ autolane_sessions: { total: 3 } })
  })
})

describe.each([METRICS, TRENDS])("what %s refuses", (path) => {
  test.each<[string, string]>([
    ["", "siteId"],
    ["?siteId=", "siteId"],
    ["?siteId=east", "siteId"],
    [`?siteId=${EAST}&siteId=${EAST}`, "siteId"],
    [`?siteId=${EAST}'%20or%201=1--`, "siteId"],
    [`?siteId=${EAST}%00`, "siteId"],
    [`?siteId=%7B${EAST}%7D`, "siteId"],
    [`?siteId=${EAST}&period=year`, "period"],
    [`?siteId=${EAST}&period=`, "period"],
    [`?siteId=${EAST}&period=constructor`, "period"],
    [`?siteId=${EAST}&startDate=2026-06-01`, "endDate"],
    [`?siteId=${EAST}&endDate=2026-06-01`, "startDate"],
    [`?siteId=${EAST}&startDate=2026-06-02&endDate=2026-06-01`, "endDate"],
    [`?siteId=${EAST}&startDate=2026-06-01&endDate=2026-06-01`, "endDate"],
    [`?siteId=${EAST}&startDate=2026-02-30&endDate=2026-06-01`, "startDate"],
    [`?siteId=${EAST}&startDate=2026-06-01T10:00&endDate=2026-06-02`, "startDate"],
    [`?siteId=${EAST}&startDate=2026-06-01T10:00:00&endDate=2026-06-02`, "startDate"],
    [`?siteId=${EAST}&startDate=yesterday&endDate=2026-06-02`, "startDate"],
    [`?siteId=${EAST}&startDate=1780000000&endDate=1780000001`, "startDate"],
    [`?siteId=${EAST}&startDate=&endDate=`, "startDate"],
    [`?siteId=${EAST}&startDate=2025-05-01&endDate=2026-06-01`, "endDate"],
    [`?siteId=${EAST}&startDate=0000-01-01&endDate=9999-12-31`, "endDate"],
    [`?siteId=${EAST}&startDate=%2B275760-09-13&endDate=%2B275760-09-14`, "startDate"],
    [`?siteId=${EAST}&startDate=2026-06-01');drop%20table%20sites;--&endDate=2026-06-02`, "startDate"],
    [`?siteId[]=${EAST}`, "siteId"],
  ])("N1 and N4: 400 VALIDATION_ERROR: %s", async (query, field) => {
    const api = await makeApi()
    const { status, body } = await api.call("GET", `${path}${query}`)
    expect([status, body["status"], body["success"], body["code"]]).toEqual([
      400,
      "error",
      false,
      "VALIDATION_ERROR",
    ])
    expect(body["error"]).toContain(field)
    expect((body["details"] as { field: string }[]).map((problem) => problem.field)).toContain(field)
  })

  test("N4: a time whose + stands as it is in the query is 400, and the message says how to write it", async () => {
    const api = await makeApi()
    const { body } = await api.call("GET", `${path}?siteId=${EAST}&startDate=2026-06-01T10:00:00+02:00`)
    expect(body["error"]).toMatch(
      /^[^;]*startDate: must be an RFC 3339 time[^;]*; in a query, write \+ as %2B/,
    )
  })

  test.each([
    ["that there is none of", "00000000-0000-4000-8000-000000000000"],
    ["of other organizations", WEST],
  ])("N1: 404 SITE_NOT_FOUND for a site %s", async (_, siteId) => {
    const api = await makeApi()
    const { status, body } = await ask(api, path, { siteId })
    expect([status, body["status"], body["success"], body["code"]]).toEqual([
      404,
      "error",
      false,
      "SITE_NOT_FOUND",
    ])
    expect(await outcome(api, path, { siteId, startDate: "2026-06-02", endDate: "2026-06-01" })).toBe(
      "400 VALIDATION_ERROR",
    )
  })

  test("the ends of the calendar are taken, and empty", async () => {
    const api = await makeApi()
    for (const [startDate, endDate] of [
      ["0001-01-01", "0001-12-31"],
      ["9999-01-01", "9999-12-31"],
      ["1883-11-18", "1883-11-20"],
    ]) {
      expect(await outcome(api, path, { startDate: startDate ?? "", endDate: endDate ?? "" })).toBe("200 -")
    }
  })

  test("N2: no x-retailer-id is read; N1: a UUID's case does not matter; what is unknown is passed over", async () => {
    const api = await makeApi()
    const headers = { "x-retailer-id": "not a uuid" }
    const { status } = await api.call("GET", `${path}?siteId=${EAST.toUpperCase()}&unknown=1`, { headers })
    expect(status).toBe(200)
  })

  test("403 PERMISSION_DENIED: needs analytics:read and no other", async () => {
    const api = await makeApi()
    const lacking = await api.holding(...PERMISSIONS.filter((permission) => permission !== "analytics:read"))
    const refused = await ask(api, path, {}, lacking)
    expect([refused.status, refused.code, refused.body["status"]]).toEqual([
      403,
      "PERMISSION_DENIED",
      "error",
    ])
    expect((await ask(api, path, {}, await api.holding("analytics:read"))).status).toBe(200)
  })

  test("G4: key, environment, organization, permission, rate, query, site, in this order; no enrolment", async () => {
    const api = await makeApi({ limits: { perMinute: { analytics: 2, "bot-reports": 1, requests: 1 } } })
    const codeWith = async (key: string, params: Params = { siteId: "" }): Promise<string | null> =>
      (await ask(api, path, params, key)).code
    expect(await codeWith("unknown")).toBe("INVALID_API_KEY")
    const organizationId = await api.makeOrganization({ environments: [], isFleetPartner: false })
    expect(await codeWith(await api.makeKey({ organizationId, environment: "sandbox" }))).toBe(
      "WRONG_ENV_KEY",
    )
    expect(await codeWith(await api.makeKey({ organizationId, permissions: [] }))).toBe("ORG_INACTIVE")
    const other = await api.makeOrganization({ isFleetPartner: false })
    expect(await codeWith(await api.makeKey({ organizationId: other, permissions: [] }))).toBe(
      "PERMISSION_DENIED",
    )
    const key = await api.makeKey({ organizationId: other })
    expect(await codeWith(key)).toBe("VALIDATION_ERROR")
    expect(await codeWith(key, { siteId: WEST })).toBe("SITE_NOT_FOUND")
    expect(await codeWith(key)).toBe("RATE_LIMITED")
  })
})

describe("the surface", () => {
  test("G14: 60 requests a minute, beside the others' budget", async () => {
    const api = await makeApi()
    const first = await ask(api, METRICS)
    expect([first.headers["ratelimit-limit"], first.headers["ratelimit-remaining"]]).toEqual(["60", "59"])
    for (let count = 1; count < 60; count += 1) await ask(api, count % 2 === 0 ? METRICS : TRENDS)
    const refused = await ask(api, TRENDS)
    expect([refused.status, refused.code, refused.body["status"]]).toEqual([429, "RATE_LIMITED", "error"])
    expect((await api.call("GET", "/rs/v1/retailers")).headers["ratelimit-remaining"]).toBe("299")
    await api.advance(MINUTE_MS)
    expect((await ask(api, TRENDS)).status).toBe(200)
  })

  test.each([
    "/avrh/v1",
    "/avrh/v1/analytics",
    "/avrh/v1/analytics/dwell",
    "/avrh/v1/analytics/metrics/",
    "/avrh/v1/%",
  ])("G2: 404 NOT_FOUND: %s, in the body of analytics, before any key", async (path) => {
    const api = await makeApi()
    const { status, body } = await api.call("GET", path, { key: null })
    expect([status, body["status"], body["success"], body["code"]]).toEqual([
      404,
      "error",
      false,
      "NOT_FOUND",
    ])
  })

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("405 METHOD_NOT_ALLOWED: %s", async (method) => {
    const api = await makeApi()
    const { status, code, body, headers } = await api.call(method, METRICS, { key: null })
    expect([status, code, body["status"], headers["allow"]]).toEqual([
      405,
      "METHOD_NOT_ALLOWED",
      "error",
      "GET, HEAD",
    ])
  })

  test("the Reservations API keeps its own error body", async () => {
    const api = await makeApi()
    expect((await api.call("GET", "/rs/v1/nothing")).body).not.toHaveProperty("status")
  })

  test.each([
    ["production", "sandbox"],
    ["sandbox", "production"],
  ] as const)("N11: the %s host shows what happened on it", async (environment, other) => {
    const api = await makeApi({ environment })
    await stay(api, MINUTE_MS)
    expect((await ask(api, METRICS)).data).toMatchObject({ autolane_sessions: { total: 1 } })
    const key = await api.makeKey({ environment: other })
    expect((await ask(api, METRICS, {}, key)).code).toBe("WRONG_ENV_KEY")
  })

  test("G22: /openapi/analytics.json lists the two endpoints with their parameters", async () => {
    const api = await makeApi()
    const document = (await api.app.inject({ url: "/openapi/analytics.json" })).json<Document>()
    expect(document.openapi).toBe("3.1.0")
    expect(Object.keys(document.paths)).toEqual([METRICS, TRENDS])
    const names = Object.values(document.paths).map((methods) =>
      (methods["get"] as unknown as { parameters: { name: string; required?: boolean }[] }).parameters.map(
        ({ name, required }) => (required === true ? `${name}!` : name),
      ),
    )
    const common = ["siteId!", "period", "startDate", "endDate"]
    expect(names).toEqual([common, [...common, "granularity"]])
    expect(Object.keys(document.components.schemas).toSorted()).toEqual([
      "Error",
      "Metrics",
      "TrendPoint",
      "Trends",
    ])
  })
})
