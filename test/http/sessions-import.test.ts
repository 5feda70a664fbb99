/** Past sessions through the operations API: what counts in analytics afterwards, and what is refused. */

import { describe, expect, test } from "vitest"
import { IMPORTED_SESSIONS_BYTES_MAX, IMPORTED_SESSIONS_MAX } from "../../src/model/values/limits.ts"
import { DAY_MS, HOUR_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

function session(api: Api, id: string, more: object = {}): object {
  return {
    external_id: id,
    stall_id: "stall_a",
    starts_at: iso(api.now() - DAY_MS),
    ends_at: iso(api.now() - DAY_MS + HOUR_MS),
    ...more,
  }
}

function send(api: Api, sessions: readonly unknown[], site = EAST): Promise<Answered> {
  return api.operate("POST", `/sites/${site}/sessions`, { body: { sessions } })
}

async function sessionsOfWeek(api: Api): Promise<number> {
  const { data } = await api.call("GET", `/avrh/v1/analytics/metrics?siteId=${EAST}&period=week`)
  return (data as { autolane_sessions: { total: number } }).autolane_sessions.total
}

describe("POST /internal/v1/sites/{id}/sessions", () => {
  test.each(["production", "sandbox"] as const)(
    "N10, N11: on the %s host history counts there, and sending it again changes nothing",
    async (environment) => {
      const api = await makeApi({ environment })
      const history = [session(api, "a"), session(api, "b")]
      const first = await send(api, history, EAST.toUpperCase())
      expect([first.status, first.data]).toEqual([200, { imported: 2, known: 0 }])
      expect((await send(api, [...history, session(api, "c")])).data).toEqual({ imported: 1, known: 2 })
      expect(await sessionsOfWeek(api)).toBe(3)
    },
  )

  test("N10: as many sessions as one import may hold are taken in one body", async () => {
    const api = await makeApi()
    const many = Array.from({ length: IMPORTED_SESSIONS_MAX }, (_, at) =>
      session(api, `${"x".repeat(120)}${at}`),
    )
    expect((await send(api, many)).data).toEqual({ imported: IMPORTED_SESSIONS_MAX, known: 0 })
    expect((await send(api, [...many, session(api, "z")])).code).toBe("VALIDATION_ERROR")
    const text = `"${"x".repeat(IMPORTED_SESSIONS_BYTES_MAX)}"`
    expect((await api.operate("POST", `/sites/${EAST}/sessions`, { text })).code).toBe("PAYLOAD_TOO_LARGE")
  })

  test.each<[string, object]>([
    ["sessions.1.stall_id", { stall_id: "stall_nowhere" }],
    ["sessions.1.stall_id", { stall_id: "zone_ungranted_1" }],
    ["sessions.1.external_id", { external_id: "a" }],
    ["sessions.1.ends_at", { ends_at: "2026-01-01T00:00:00Z" }],
    ["sessions.1.ends_at", { ends_at: "2026-06-02T00:00:00Z" }],
    ["sessions.1.starts_at", { starts_at: "yesterday" }],
    ["sessions.1.external_id", { external_id: "" }],
  ])("N10: 400 VALIDATION_ERROR names %s of %j, and nothing is added", async (field, broken) => {
    const api = await makeApi()
    const refused = await send(api, [session(api, "a"), session(api, "b", broken)])
    expect([refused.status, refused.code]).toEqual([400, "VALIDATION_ERROR"])
    const fields = (refused.body["details"] as readonly { field: string }[]).map((one) => one.field)
    expect(fields).toContain(field)
    expect(await sessionsOfWeek(api)).toBe(0)
  })

  test("404 SITE_NOT_FOUND for a site that there is none of, after the body", async () => {
    const api = await makeApi()
    for (const site of ["00000000-0000-4000-8000-000000000000", "east"]) {
      expect((await send(api, [session(api, "a")], site)).code).toBe("SITE_NOT_FOUND")
      expect((await send(api, [], site)).code).toBe("VALIDATION_ERROR")
    }
  })

  test("401 without an operator token, with a partner's key too", async () => {
    const api = await makeApi()
    for (const key of [null, api.key]) {
      const refused = await api.operate("POST", `/sites/${EAST}/sessions`, { key, text: "{" })
      expect([refused.status, refused.code]).toEqual([401, "INVALID_OPERATOR_TOKEN"])
    }
  })
})
