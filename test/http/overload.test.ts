/** What a host answers when more requests come in than its database can take: on each surface in its own form, and what is dropped. */

import { once } from "node:events"
import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { FastifyInstance } from "fastify"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { oauthPlugin } from "../../src/areas/linking/http/plugin.ts"
import { operationsPlugin } from "../../src/apps/operations/http/plugin.ts"
import { portalPlugin } from "../../src/apps/portal/http/plugin.ts"
import { attended } from "../../src/http/admission.ts"
import { shared } from "../../src/http/probes.ts"
import { besideDatabase } from "../../src/engine/services/presence.ts"
import { AdmissionQueue, HOST_CLOCK } from "../../src/live/concurrency/admission-queue.ts"
import type { Place } from "../../src/http/access/admission-queue.ts"
import { ADMISSION_WAITING_MAX } from "../../src/live/configuration/bounds.ts"
import { ISSUER_PATH } from "../../src/model/linking.ts"
import { PROBE_KEPT_MS } from "../../src/model/values/limits.ts"
import { GOOD_ARGUMENTS, openEndpoint } from "../apps/mcp/endpoint.ts"
import { BARE_KEY, BARE_ORGANIZATION, bareApp } from "./bare-app.ts"

const BASE_URL = "https://service.example"
/** A clock that does not move: nothing is late, and the limit does not change. */
const STANDING = { ...HOST_CLOCK, nowMs: () => 0, after: () => () => undefined }

let counted = { admitted: 0, left: 0, full: 0 }
let queue: AdmissionQueue
let apps: FastifyInstance[] = []

beforeEach(() => {
  counted = { admitted: 0, left: 0, full: 0 }
  apps = []
  queue = new AdmissionQueue(STANDING, {
    onAdmitted: () => (counted.admitted += 1),
    onLeft: () => (counted.left += 1),
    onShed: () => (counted.full += 1),
  })
})
afterEach(async () => {
  for (const app of apps) await app.close()
})

async function everySurface(): Promise<FastifyInstance> {
  const app = await bareApp({
    queue,
    probes: { readiness: async () => ({}), metrics: async () => ({ contentType: "text/plain", text: "" }) },
  })
  apps.push(app)
  const run = (): Promise<never> => Promise.reject(new Error("nothing is behind it"))
  await app.register(operationsPlugin, { run, environment: "sandbox" })
  await app.register(portalPlugin, { run, baseUrl: BASE_URL })
  await app.register(oauthPlugin, { run, baseUrl: BASE_URL })
  return app
}

/** Takes every place, and every seat for those who wait, for one share. */
async function occupy(share: string): Promise<readonly Place[]> {
  const places: Place[] = []
  while (queue.figures.inFlight < queue.figures.limit) {
    const entered = await queue.enter({ share, kind: "fresh" }).entered
    if (entered.type === "admitted") places.push(entered.place)
  }
  while (queue.figures.waiting < ADMISSION_WAITING_MAX) queue.enter({ share, kind: "fresh" })
  return places
}

describe("a host that is full", () => {
  test.each([
    ["GET", "/rs/v1/retailers"],
    ["POST", "/rs/v1/reservations"],
    ["POST", "/dd/v1/deliveries"],
    ["GET", "/avrh/v1/analytics/metrics"],
    ["GET", "/internal/v1/organizations"],
    ["GET", "/portal/api/sites"],
  ])(
    "answers %s %s with 503 OVERLOADED and Retry-After, before any key is looked up",
    async (method, url) => {
      const app = await everySurface()
      await occupy(url.startsWith("/portal") ? "portal" : "unknown")
      const { statusCode, headers, json } = await app.inject({ method: method as "GET", url })
      expect([statusCode, headers["retry-after"], json<{ code: string }>().code]).toEqual([
        503,
        "1",
        "OVERLOADED",
      ])
    },
  )

  test.each(["token", "revoke", "register"])(
    "is temporarily_unavailable at the endpoint %s of the authorization server",
    async (name) => {
      const app = await everySurface()
      await occupy("unknown")
      const url = `${ISSUER_PATH}/oauth/${name}`
      const { statusCode, headers, json } = await app.inject({ method: "POST", url, payload: "{}" })
      expect([statusCode, headers["retry-after"], json()]).toMatchObject([
        503,
        "1",
        { error: "temporarily_unavailable" },
      ])
    },
  )

  test("says so on a page to users who link a phone", async () => {
    const app = await everySurface()
    await occupy("unknown")
    const { statusCode, headers, body } = await app.inject({ url: `${ISSUER_PATH}/oauth/authorize` })
    expect([statusCode, headers["retry-after"]]).toEqual([503, "1"])
    expect(body).toContain("<h1>Linking did not work</h1>")
  })

  test("answers a tool with internal_error that may be retried, and other messages with 503", async () => {
    const endpoint = await openEndpoint({ queue })
    apps.push(endpoint.app)
    await occupy("unknown")
    const { status, json } = await endpoint.call("check_delivery", GOOD_ARGUMENTS.check_delivery)
    expect([status, json]).toMatchObject([
      200,
      {
        id: 1,
        result: {
          isError: true,
          structuredContent: { error: { code: "internal_error", retryable: true } },
        },
      },
    ])
    const params = { name: "check_delivery", arguments: GOOD_ARGUMENTS.check_delivery }
    const stateless = await endpoint.askStateless("tools/call", params)
    expect(stateless.json).toMatchObject({ id: "own", result: { isError: true, resultType: "complete" } })
    expect((await endpoint.askStateless("tools/list")).json).toMatchObject({
      error: { code: -32_000 },
      id: "own",
    })
    const listed = await endpoint.ask("tools/list")
    expect([listed.status, listed.headers["retry-after"], listed.json]).toMatchObject([
      503,
      "1",
      { error: { code: -32_000 }, id: null },
    ])
    expect(endpoint.asked).toEqual([])
  })

  test.each(["/healthz", "/readyz", "/metrics"])("answers %s all the same", async (url) => {
    const app = await everySurface()
    await occupy("unknown")
    expect((await app.inject({ url })).statusCode).toBe(200)
  })

  test.each(["/openapi/rs.json", "/openapi/internal.json", "/docs/", "/assets/mark.svg"])(
    "answers %s when it has a place, in the turn of its own group",
    async (url) => {
      const app = await everySurface()
      const places = await occupy("unknown")
      const { admitted } = counted
      const answer = app.inject({ url })
      // A stranger behind it, in the turn of strangers.
      const stranger = app.inject({ url: "/rs/v1/retailers" })
      expect((await stranger).statusCode).toBe(503)
      expect(counted.admitted).toBe(admitted)
      for (const place of places.slice(0, 2)) place.leave()
      expect((await answer).statusCode).toBe(200)
      expect(counted.admitted).toBeGreaterThan(admitted)
    },
  )

  test("answers probes that come at once from one reading", async () => {
    let readings = 0
    const answering = Promise.withResolvers<void>()
    const read = async <A>(found: A): Promise<A> => {
      readings += 1
      await answering.promise
      return found
    }
    const app = await bareApp({
      queue,
      probes: {
        readiness: shared(() => read({ database: null })),
        metrics: shared(() => read({ contentType: "text/plain", text: "one 1" })),
      },
    })
    apps.push(app)
    const asked = ["/readyz", "/metrics"].flatMap((url) =>
      Array.from({ length: 20 }, () => app.inject({ url })),
    )
    await new Promise((resolve) => setImmediate(resolve))
    answering.resolve()
    for (const { statusCode } of await Promise.all(asked)) expect(statusCode).toBe(200)
    expect(readings).toBe(2)
  })

  test("answers probes one after the other from one reading a second, also when it failed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    try {
      let readings = 0
      const ask = shared(() => {
        readings += 1
        return readings === 2 ? Promise.reject(new Error("away")) : Promise.resolve(readings)
      })
      expect([await ask(), await ask()]).toEqual([1, 1])
      vi.advanceTimersByTime(PROBE_KEPT_MS - 1)
      expect(await ask()).toBe(1)
      vi.advanceTimersByTime(1)
      for (let count = 0; count < 2; count += 1) await expect(ask()).rejects.toThrow("away")
      vi.advanceTimersByTime(PROBE_KEPT_MS)
      expect(await ask()).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("turns", () => {
  test("a caller whose key was good before is not turned away for a flood of unknown keys", async () => {
    const app = await everySurface()
    const headers = { authorization: `Bearer ${BARE_KEY}` }
    // Nothing is behind the route: 500 is the route's.
    expect((await app.inject({ url: "/rs/v1/retailers", headers })).statusCode).toBe(500)
    const places = await occupy("unknown")
    const asked = app.inject({ url: "/rs/v1/retailers", headers })
    const stranger = await app.inject({ url: "/rs/v1/retailers" })
    expect(stranger.statusCode).toBe(503)
    for (const place of places) place.leave()
    expect((await asked).statusCode).toBe(500)
  })

  test("an organization that floods the host turns away its own requests", async () => {
    const app = await everySurface()
    const headers = { authorization: `Bearer ${BARE_KEY}` }
    await app.inject({ url: "/rs/v1/retailers", headers })
    await occupy(BARE_ORGANIZATION)
    expect((await app.inject({ url: "/rs/v1/retailers", headers })).statusCode).toBe(503)
  })

  test("every place is free again when its answer has left, whatever the answer was", async () => {
    const app = await everySurface()
    const headers = { authorization: `Bearer ${BARE_KEY}` }
    await app.inject({ url: "/rs/v1/retailers", headers })
    await app.inject({ url: "/rs/v1/retailers" })
    await app.inject({ method: "POST", url: "/rs/v1/reservations", headers, payload: "{" })
    await app.inject({ method: "POST", url: "/rs/v1/reservations", headers, payload: "x".repeat(1_048_577) })
    await app.inject({ method: "PATCH", url: "/rs/v1/retailers" })
    await app.inject({ url: "/no/such/path" })
    await app.inject({ url: "/rs/v1/reservations?status=%00", headers })
    expect(queue.figures).toMatchObject({ inFlight: 0, waiting: 0 })
  })

  test("a body that does not come holds no place", async () => {
    const app = await everySurface()
    await app.listen({ host: "127.0.0.1", port: 0 })
    const { port } = app.server.address() as AddressInfo
    const routed = new Promise((resolve) => app.server.once("request", resolve))
    const socket = connect(port, "127.0.0.1")
    const head = ["POST /rs/v1/reservations HTTP/1.1", "Host: x", `Authorization: Bearer ${BARE_KEY}`]
    socket.write(`${[...head, "Content-Length: 100"].join("\r\n")}\r\n\r\n{`)
    await routed
    // The next request is answered on another socket, after the hooks of the first have run.
    await fetch(`http://127.0.0.1:${port}/rs/v1/retailers`)
    expect(queue.figures.inFlight).toBe(0)
    socket.destroy()
  })

  test("a request that waits for something else than the database gives up its place, and takes one again", async () => {
    const app = await everySurface()
    let answer = (): void => undefined
    const work = new Promise<void>((resolve) => (answer = resolve))
    app.get("/slow", (request) =>
      Effect.runPromise(attended(request, besideDatabase(Effect.promise(() => work)))).then(
        () => queue.figures,
      ),
    )
    const asked = app.inject({ url: "/slow" })
    await expect.poll(() => counted.admitted).toBe(1)
    await expect.poll(() => queue.figures.inFlight).toBe(0)
    answer()
    expect((await asked).json()).toMatchObject({ inFlight: 1 })
    expect([counted.admitted, queue.figures.inFlight]).toEqual([2, 0])
  })

  test("a request whose other work is short keeps its place", async () => {
    const app = await everySurface()
    const work = besideDatabase(Effect.promise(async () => undefined))
    app.get("/quick", (request) => Effect.runPromise(attended(request, work)).then(() => queue.figures))
    expect((await app.inject({ url: "/quick" })).json()).toMatchObject({ inFlight: 1 })
    expect([counted.admitted, queue.figures.inFlight]).toEqual([1, 0])
  })

  test("a request whose client leaves while it waits is dropped", async () => {
    const app = await everySurface()
    await app.listen({ host: "127.0.0.1", port: 0 })
    const { port } = app.server.address() as AddressInfo
    const places: Place[] = []
    while (queue.figures.inFlight < queue.figures.limit) {
      const entered = await queue.enter({ share: "other", kind: "fresh" }).entered
      if (entered.type === "admitted") places.push(entered.place)
    }
    const answered = new Promise<void>((resolve) =>
      app.server.once("request", (_, response) => response.once("close", resolve)),
    )
    const socket = connect(port, "127.0.0.1")
    const arrived = once(app.server, "request")
    socket.write("GET /rs/v1/retailers HTTP/1.1\r\nHost: x\r\n\r\n")
    await arrived
    socket.destroy()
    await answered
    expect([counted.left, queue.figures.waiting]).toEqual([1, 0])
    for (const place of places) place.leave()
    expect(queue.figures.inFlight).toBe(0)
  })
})
