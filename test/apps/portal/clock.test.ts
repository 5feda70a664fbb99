/** The sandbox's clock and scenarios in the portal: every route and code, over the embedded database, on real time. */

import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ApiKeys } from "../../../src/http/access/api-keys.ts"
import { CallLog } from "../../../src/http/access/call-log.ts"
import { layerAccessRows } from "../../../src/http/access/store/access-rows.ts"
import { layerCallRows } from "../../../src/http/access/store/call-rows.ts"
import { ClockRows } from "../../../src/areas/clock/rows.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { layerNameLookup } from "../../../src/live/gateways/name-lookup.ts"
import { layerOutboundDocuments } from "../../../src/live/gateways/outbound-documents.ts"
import { layerOutboundHttp } from "../../../src/live/gateways/outbound-http.ts"
import { layerSignedPhotos } from "../../../src/live/gateways/signed-photos.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { layerLiveService } from "../../../src/live/services/live-service.ts"
import { layerPortal, layerSenders } from "../../../src/live/services/portal.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { portalPlugin } from "../../../src/apps/portal/http/plugin.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { PhotoStore } from "../../../src/engine/services/photos/photo-store.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { bareApp } from "../../http/bare-app.ts"
import { checker } from "../../http/document.ts"
import type { Answered, Check } from "../../http/document.ts"
import { layerSandboxConnector } from "../../../src/live/services/sandbox-connector.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { BASE_URL, PASSWORD } from "./portal.ts"

const CLOCK = "/portal/api/sandbox/clock"
const SCENARIOS = "/portal/api/sandbox/scenarios"
const baseUrls = { production: BASE_URL, sandbox: BASE_URL }

const outside = Layer.mergeAll(
  layerNameLookup(),
  layerOutboundHttp,
  layerSignedPhotos({ key: "photos", baseUrls }).pipe(
    Layer.provide(PhotoStore.layer),
    Layer.provide(layerTables),
  ),
).pipe(Layer.provideMerge(layerCopiedPglite))
const pages = { secretKey: "messages", baseUrl: "https://curbline.example" }
const connector = layerSandboxConnector({ baseUrl: BASE_URL, secret: "tests" }).pipe(
  Layer.provide(layerOutboundDocuments),
)
const layer = Layer.merge(layerPortal(pages), connector).pipe(
  Layer.provide(layerSenders({ smtp: null, twilio: null })),
  Layer.provideMerge(CallLog.layer.pipe(Layer.provide(layerCallRows))),
  Layer.provideMerge(ApiKeys.layer.pipe(Layer.provide(layerAccessRows))),
  Layer.provideMerge(layerLiveService({ digestKey: "digests", secretKey: "secrets", pages })),
  Layer.provideMerge(outside),
  Layer.provideMerge(Logger.remove(Logger.defaultLogger)),
)
const managed = ManagedRuntime.make(layer)
let app: FastifyInstance
let check: Check
let owner = ""
let other = ""

beforeAll(async () => {
  app = await bareApp({ environment: "production" })
  const run = bridgeTo(await managed.runtime())
  await app.register(portalPlugin, { run, runClock: run, baseUrl: BASE_URL })
  check = checker((await app.inject({ url: "/openapi/portal.json" })).body)
  owner = await signedUp("ada@wheels.example")
  other = await signedUp("bob@others.example")
})
afterAll(async () => {
  await app.close()
  await managed.dispose()
})

interface Sent {
  readonly cookie?: string
  readonly body?: object
  readonly isBare?: boolean
}

async function call(method: string, path: string, { cookie = "", body, isBare = false }: Sent = {}) {
  const response = await app.inject({
    method: method as "GET",
    url: path,
    headers: {
      ...(isBare ? {} : { "x-curbline-portal": "1", origin: BASE_URL }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      cookie,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const parsed = response.json<{ data?: Record<string, unknown>; code?: string }>()
  const { data = {}, code = null } = parsed
  const headers = response.headers as Answered["headers"]
  const answered = { status: response.statusCode, code, data, body: parsed, headers } as unknown as Answered
  if (path.startsWith(CLOCK) || path.startsWith(SCENARIOS)) check({ method, path, answered, sent: body })
  const [session = ""] = ([response.headers["set-cookie"]].flat()[0] ?? "").split(";")
  return { ...answered, session }
}

async function signedUp(email: string): Promise<string> {
  const body = { email, password: PASSWORD, name: "Ada", organization_name: email }
  const asked = await call("POST", "/portal/api/sign-up", { body })
  const mails = await managed.runPromise(
    Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "mail", limit: 10 })),
  )
  const code = /code is (\d{6})/.exec(mails.find(({ to }) => to === email)?.text ?? "")?.[1]
  const verified = await call("POST", "/portal/api/sign-up/verify", {
    body: { sign_up_token: asked.data["sign_up_token"], code },
  })
  expect(verified.status).toBe(201)
  return verified.session
}

interface SeenClock {
  readonly mode: string
  readonly now: string
  readonly offset_ms: number
  readonly move_id: string | null
}

async function clock(cookie = owner): Promise<SeenClock> {
  const { status, data } = await call("GET", CLOCK, { cookie })
  expect(status).toBe(200)
  return data["clock"] as SeenClock
}

describe("the sandbox's clock in the portal", () => {
  test("a member reads and moves it; another organization's stays", async () => {
    expect(await clock()).toMatchObject({ mode: "real", offset_ms: 0, next_timer: null })
    const moved = await call("POST", `${CLOCK}/advance`, { cookie: owner, body: { by: "PT15M" } })
    expect([moved.status, moved.data["move"]]).toMatchObject([200, { status: "finished", entries: 0 }])
    const { mode, offset_ms: offsetMs } = await clock()
    expect(mode).toBe("ahead")
    expect(offsetMs).toBeGreaterThan(14 * MINUTE_MS)
    expect(await clock(other)).toMatchObject({ mode: "real" })
    const { id } = moved.data["move"] as { readonly id: string }
    const again = await call("GET", `${CLOCK}/moves/${id}`, { cookie: owner })
    expect([again.status, again.data]).toEqual([200, moved.data])
    const theirs = await call("GET", `${CLOCK}/moves/${id}`, { cookie: other })
    expect([theirs.status, theirs.code]).toEqual([404, "NOT_FOUND"])
  })

  test("the audit log says who moved it, at the real time", async () => {
    const { data } = await call("GET", "/portal/api/audit-log?action=advanceClock", { cookie: owner })
    const [line] = data["lines"] as readonly Record<string, unknown>[]
    expect(line).toMatchObject({
      action: "advanceClock",
      actor: { type: "member" },
      subject_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    })
    expect(Math.abs(Date.parse(String(line?.["at"])) - Date.now())).toBeLessThan(MINUTE_MS)
  })

  test("frozen and resumed", async () => {
    const frozen = await call("POST", `${CLOCK}/freeze`, { cookie: owner })
    expect([frozen.status, frozen.data["clock"]]).toMatchObject([200, { mode: "frozen" }])
    const { now } = await clock()
    expect((await clock()).now).toBe(now)
    const resumed = await call("POST", `${CLOCK}/resume`, { cookie: owner })
    expect([resumed.status, resumed.data["clock"]]).toMatchObject([200, { mode: "ahead" }])
  })

  test("what members make in the sandbox follows the clock; production does not", async () => {
    await call("POST", `${CLOCK}/advance`, { cookie: owner, body: { by: "P1D" } })
    const nowMs = Date.parse((await clock()).now)
    const site = await call("POST", "/portal/api/sites", {
      cookie: owner,
      body: {
        name: "Sandbox store",
        location: { latitude: 30.4, longitude: -97.72 },
        reach_km: 5,
        delivery_price_cents: 650,
      },
    })
    expect(site.status).toBe(201)
    const { site_id: siteId } = site.data["site"] as { readonly site_id: string }
    const delivery = await call("POST", "/portal/api/sandbox/deliveries", {
      cookie: owner,
      body: { site_id: siteId },
    })
    expect([delivery.status, delivery.code]).toEqual([201, null])
    const created = /"created_at":"([^"]+)"/.exec(JSON.stringify(delivery.data))?.[1] ?? ""
    expect(Date.parse(created)).toBeGreaterThanOrEqual(nowMs)
    expect(Date.parse(created)).toBeLessThan(nowMs + HOUR_MS)
  })

  test("to the next timer: INVALID_STATE without one", async () => {
    const { status, code } = await call("POST", `${CLOCK}/advance`, {
      cookie: other,
      body: { to: "next_timer" },
    })
    expect([status, code]).toEqual([409, "INVALID_STATE"])
  })

  test.each([{}, { by: "P31D" }, { to: "yesterday" }])("VALIDATION_ERROR: %j", async (body) => {
    const { status, code } = await call("POST", `${CLOCK}/advance`, { cookie: owner, body })
    expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
  })

  test("SIGN_IN_REQUIRED, and CROSS_SITE_REQUEST from another page", async () => {
    for (const [method, path] of [
      ["GET", CLOCK],
      ["GET", `${CLOCK}/moves/some`],
      ["POST", `${CLOCK}/advance`],
      ["POST", `${CLOCK}/freeze`],
      ["POST", `${CLOCK}/resume`],
    ] as const) {
      const without = await call(method, path)
      expect([path, without.status, without.code]).toEqual([path, 401, "SIGN_IN_REQUIRED"])
    }
    for (const path of ["advance", "freeze", "resume"]) {
      const foreign = await call("POST", `${CLOCK}/${path}`, { cookie: owner, isBare: true })
      expect([path, foreign.status, foreign.code]).toEqual([path, 403, "CROSS_SITE_REQUEST"])
    }
  })

  test("CLOCK_IS_MOVING while a move runs", async () => {
    await call("POST", `${CLOCK}/freeze`, { cookie: other })
    await managed.runPromise(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* ClockRows
        const { data } = yield* Effect.promise(() =>
          call("GET", "/portal/api/organization", { cookie: other }),
        )
        const { organization_id: id } = data["organization"] as { readonly organization_id: string }
        const row = yield* rows.clock(id)
        if (row === null) throw new Error("the clock has no row")
        yield* host.run({
          name: "a test",
          locks: {},
          body: () => rows.putClock({ ...row, moveId: "move_of_another_node" }),
        })
      }),
    )
    expect((await clock(other)).move_id).toBe("move_of_another_node")
    for (const [path, body] of [
      ["advance", { by: "PT1M" }],
      ["freeze", undefined],
      ["resume", undefined],
    ] as const) {
      const sent = body === undefined ? {} : { body }
      const { status, code } = await call("POST", `${CLOCK}/${path}`, { cookie: other, ...sent })
      expect([path, status, code]).toEqual([path, 409, "CLOCK_IS_MOVING"])
    }
  })
})

interface SeenRun {
  readonly id: string
  readonly status: string
  readonly delivery_id: string | null
  readonly steps: readonly {
    readonly description: string
    readonly status: string
    readonly code: string | null
  }[]
}

describe("scenarios of the sandbox in the portal", () => {
  const signedIn = (): Promise<string> => signedUp(`${crypto.randomUUID()}@scenarios.example`)
  const withSite = async (): Promise<{ readonly cookie: string; readonly id: string }> => {
    const cookie = await signedIn()
    const site = await call("POST", "/portal/api/sites", {
      cookie,
      body: {
        name: "Sandbox store",
        location: { latitude: 30.4, longitude: -97.72 },
        reach_km: 5,
        delivery_price_cents: 650,
      },
    })
    expect(site.status).toBe(201)
    const made = await call("POST", "/portal/api/sandbox/deliveries", { cookie })
    expect(made.status).toBe(201)
    return { cookie, id: (made.data["delivery"] as { readonly id: string }).id }
  }
  const ended = async (cookie: string, started: Answered): Promise<SeenRun> => {
    expect([200, 202]).toContain(started.status)
    const { id } = started.data["run"] as SeenRun
    const read = async (): Promise<SeenRun> =>
      (await call("GET", `${SCENARIOS}/runs/${id}`, { cookie })).data["run"] as SeenRun
    await expect.poll(async () => (await read()).status).not.toBe("running")
    return read()
  }

  test("a member reads the list, plays one and reads what it did; it is audited", async () => {
    const { cookie, id } = await withSite()
    const { status, data } = await call("GET", SCENARIOS, { cookie })
    const names = (data["scenarios"] as readonly { readonly name: string }[]).map(({ name }) => name)
    expect([status, names]).toEqual([200, expect.arrayContaining(["bot_no_show", "vehicle_breaks_down"])])
    const body = { scenario: "vehicle_breaks_down", delivery_id: id }
    const run = await ended(cookie, await call("POST", SCENARIOS, { cookie, body }))
    expect(run).toMatchObject({ status: "finished", delivery_id: id })
    expect(run.steps.map((step) => step.status)).toEqual([
      "done",
      "done",
      "done",
      "done",
      "as_expected",
      "done",
    ])
    const read = await call("GET", `/portal/api/deliveries/${id}?environment=sandbox`, { cookie })
    expect(read.data["delivery"]).toMatchObject({ delivery: { status: "CANCELLED" } })
    const { data: audit } = await call("GET", "/portal/api/audit-log?action=startScenario", { cookie })
    expect(audit["lines"]).toMatchObject([
      { action: "startScenario", actor: { type: "member" }, subject_id: run.id },
    ])
  })

  test("without an id a test delivery is made; without a site the answer says what is missing", async () => {
    const { cookie, id } = await withSite()
    const run = await ended(cookie, await call("POST", SCENARIOS, { cookie, body: { scenario: "opt_out" } }))
    expect(run.delivery_id).toMatch(/^dlv_/)
    expect(run.delivery_id).not.toBe(id)
    const without = await call("POST", SCENARIOS, { cookie: await signedIn(), body: { scenario: "opt_out" } })
    expect([without.status, without.code]).toEqual([404, "RETAILER_NOT_FOUND"])
    const visit = await call("POST", SCENARIOS, { cookie, body: { scenario: "bot_no_show" } })
    expect([visit.status, visit.code]).toEqual([403, "NOT_FLEET_PARTNER"])
  })

  test("NOT_FOUND for another organization's, VALIDATION_ERROR, INVALID_STATE", async () => {
    const { cookie, id } = await withSite()
    const foreign = await withSite()
    const body = { scenario: "opt_out", delivery_id: id }
    const run = await ended(cookie, await call("POST", SCENARIOS, { cookie, body }))
    const theirs = await call("POST", SCENARIOS, { cookie: foreign.cookie, body })
    expect([theirs.status, theirs.code]).toEqual([404, "NOT_FOUND"])
    const read = await call("GET", `${SCENARIOS}/runs/${run.id}`, { cookie: foreign.cookie })
    expect([read.status, read.code]).toEqual([404, "NOT_FOUND"])
    const unknown = await call("POST", SCENARIOS, { cookie, body: { scenario: "earthquake" } })
    expect([unknown.status, unknown.code]).toEqual([400, "VALIDATION_ERROR"])
    const late = await call("POST", SCENARIOS, { cookie, body: { ...body, scenario: "no_vehicle" } })
    expect([late.status, late.code]).toEqual([409, "INVALID_STATE"])
  })

  test("SIGN_IN_REQUIRED, and CROSS_SITE_REQUEST from another page", async () => {
    for (const [method, path] of [
      ["GET", SCENARIOS],
      ["GET", `${SCENARIOS}/runs/some`],
      ["POST", SCENARIOS],
    ] as const) {
      const without = await call(method, path)
      expect([path, without.status, without.code]).toEqual([path, 401, "SIGN_IN_REQUIRED"])
    }
    const foreign = await call("POST", SCENARIOS, { cookie: owner, isBare: true })
    expect([foreign.status, foreign.code]).toEqual([403, "CROSS_SITE_REQUEST"])
  })

  test("CLOCK_IS_MOVING while the clock moves", async () => {
    const refused = await call("POST", SCENARIOS, { cookie: other, body: { scenario: "opt_out" } })
    expect([refused.status, refused.code]).toEqual([409, "CLOCK_IS_MOVING"])
  })
})
