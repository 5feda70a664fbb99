/** Probes of a host: alive, ready, and its metrics; by address, without a key. */

import { describe, expect, test } from "vitest"
import type { Probes } from "../../src/http/probes.ts"
import { bareApp } from "./bare-app.ts"

const probes: Probes = {
  readiness: async () => ({ database: null, wake_up: null }),
  metrics: async () => ({
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: "curbline_faults_total 0\n",
  }),
}
const unwell: Probes = { ...probes, readiness: async () => ({ database: "does not answer", wake_up: null }) }

describe("a probe", () => {
  test("of life is answered by every running process, even if nothing else works", async () => {
    const app = await bareApp({ probes: unwell })
    const { statusCode, json } = await app.inject({ url: "/healthz" })
    expect([statusCode, json()]).toEqual([200, { status: "ok" }])
  })

  test("of readiness says each check, and is 503 as soon as one does not hold", async () => {
    const ready = await (await bareApp({ probes })).inject({ url: "/readyz" })
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { status: "ready", checks: { database: "ok", wake_up: "ok" } },
    ])
    const not = await (await bareApp({ probes: unwell })).inject({ url: "/readyz" })
    expect([not.statusCode, not.json()]).toEqual([
      503,
      { status: "not ready", checks: { database: "does not answer", wake_up: "ok" } },
    ])
    expect(not.headers["cache-control"]).toBe("no-store")
  })

  test("of figures is answered in the text format of Prometheus", async () => {
    const { statusCode, headers, body } = await (await bareApp({ probes })).inject({ url: "/metrics" })
    expect([statusCode, headers["content-type"], body]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "curbline_faults_total 0\n",
    ])
  })

  test("G13: is answered whatever the Host says, and nothing else is", async () => {
    const app = await bareApp({ probes, hosts: ["api.example.com"] })
    const headers = { host: "10.0.0.7:4010" }
    for (const url of ["/healthz", "/readyz", "/metrics"]) {
      expect((await app.inject({ url, headers })).statusCode).toBe(200)
    }
    for (const url of ["/openapi/rs.json", "/docs", "/healthz/more", "/rs/v1/retailers"]) {
      expect((await app.inject({ url, headers })).statusCode).toBe(421)
    }
  })

  test("is asked with GET or HEAD", async () => {
    const app = await bareApp({ probes })
    expect((await app.inject({ method: "HEAD", url: "/readyz" })).statusCode).toBe(200)
    const posted = await app.inject({ method: "POST", url: "/readyz" })
    expect([posted.statusCode, posted.headers["allow"]]).toEqual([405, "GET, HEAD"])
  })
})
