/**
 * The portal over real databases and connections: the live stream (what it announces, resuming, rights, limits, the end), and the reads
 * behind its pages.
 */

import { hash } from "node:crypto"
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import type { FastifyInstance } from "fastify"
import Fastify from "fastify"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { layerNameLookup } from "../../../src/live/gateways/name-lookup.ts"
import { layerOutboundHttp } from "../../../src/live/gateways/outbound-http.ts"
import { layerSignedPhotos } from "../../../src/live/gateways/signed-photos.ts"
import { ApiKeys } from "../../../src/http/access/api-keys.ts"
import { CallLog } from "../../../src/http/access/call-log.ts"
import { layerCallRows } from "../../../src/http/access/store/call-rows.ts"
import { hashOfToken } from "../../../src/http/access/opaque-tokens.ts"
import { AccessRows } from "../../../src/http/access/rows.ts"
import { layerAccessRows } from "../../../src/http/access/store/access-rows.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { OpenRequests } from "../../../src/http/draining.ts"
import { sendError } from "../../../src/http/errors.ts"
import { layerLiveService } from "../../../src/live/services/live-service.ts"
import { layerPortal, layerSenders } from "../../../src/live/services/portal.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { cookieOf } from "../../../src/apps/portal/http/gate.ts"
import { portalPlugin } from "../../../src/apps/portal/http/plugin.ts"
import { PortalRows } from "../../../src/apps/portal/rows.ts"
import { ChangedGroups } from "../../../src/engine/services/changed-groups.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { PhotoStore } from "../../../src/engine/services/photos/photo-store.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../../src/engine/store/database.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { eventually } from "../../eventually.ts"

const BASE_URL = "https://portal.curbline.example"
const baseUrls = { production: BASE_URL, sandbox: BASE_URL }
const COOKIE = cookieOf(BASE_URL).name

function layerOf(database: Layer.Layer<Database, DatabaseFault>) {
  const outside = Layer.mergeAll(
    layerNameLookup(),
    layerOutboundHttp,
    layerSignedPhotos({ key: "photos", baseUrls }).pipe(
      Layer.provide(PhotoStore.layer),
      Layer.provide(layerTables),
    ),
  ).pipe(Layer.provideMerge(database))
  const pages = { secretKey: "messages", baseUrl: "https://curbline.example" }
  return layerPortal(pages).pipe(
    Layer.provide(layerSenders({ smtp: null, twilio: null })),
    Layer.provideMerge(ApiKeys.layer.pipe(Layer.provide(layerAccessRows))),
    Layer.provideMerge(CallLog.layer.pipe(Layer.provide(layerCallRows))),
    Layer.provideMerge(
      layerLiveService({
        digestKey: "digests",
        secretKey: "secrets",
        pages,
        urlPolicy: { allowsLoopback: true },
      }),
    ),
    Layer.provideMerge(outside),
    Layer.provideMerge(Logger.remove(Logger.defaultLogger)),
  )
}

interface Event {
  readonly id: string
  readonly event: string
  readonly data: { readonly group?: string; readonly revision?: number }
}

/** An open stream, and what it has brought. */
interface Opened {
  readonly status: number
  readonly events: Event[]
  readonly comments: string[]
  readonly isOver: () => boolean
  readonly leave: () => void
}

let server: PostgresDatabase | null = null
afterAll(() => server?.stop())

const DATABASES: readonly (readonly [string, () => Promise<Layer.Layer<Database, DatabaseFault>>])[] = [
  ["PGlite", async () => layerCopiedPglite],
  [
    "PostgreSQL",
    async () => {
      server = await startPostgres()
      return layerPostgres(server.url)
    },
  ],
]

describe.each(DATABASES)("the stream over %s", (_, database) => {
  let managed: ManagedRuntime.ManagedRuntime<Layer.Layer.Success<ReturnType<typeof layerOf>>, unknown>
  let app: FastifyInstance
  let url = ""
  let counter = 0
  const opened: Opened[] = []

  beforeAll(async () => {
    managed = ManagedRuntime.make(layerOf(await database()))
    app = await listening()
    const address = app.server.address()
    url = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
  })
  afterEach(() => {
    for (const one of opened.splice(0)) one.leave()
  })
  afterAll(async () => {
    await app.close()
    await managed.dispose()
  })

  async function listening(): Promise<FastifyInstance> {
    const made = Fastify({ forceCloseConnections: true })
    made.setErrorHandler(sendError)
    made.removeAllContentTypeParsers()
    made.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
    await made.register(portalPlugin, { run: bridgeTo(await managed.runtime()), baseUrl: BASE_URL })
    await made.listen({ port: 0, host: "127.0.0.1" })
    return made
  }

  /** A session of an organization of its own; returns the token. */
  async function signedIn(organizationId = `org_${(counter += 1)}`, isNew = true): Promise<string> {
    const token = hash("sha256", `token ${organizationId} ${(counter += 1)}`, "base64url")
    const nowMs = Date.now()
    const accountId = `acc_${counter}`
    await managed.runPromise(
      Effect.gen(function* () {
        const rows = yield* PortalRows
        const access = yield* AccessRows
        const host = yield* ActorHost
        const organization = {
          organizationId,
          name: organizationId,
          isActive: true,
          isFleetPartner: false,
          environments: ["sandbox"] as const,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        }
        const account = {
          accountId,
          organizationId,
          role: "owner" as const,
          email: `${accountId}@wheels.example`,
          name: "Ada",
          passwordHash: "x",
          createdAtMs: nowMs,
        }
        const session = {
          sessionId: `ses_${counter}`,
          tokenHash: hashOfToken(token),
          accountId,
          organizationId,
          environment: "sandbox" as const,
          userAgent: "test",
          createdAtMs: nowMs,
          seenAtMs: nowMs,
          endsAtMs: nowMs + HOUR_MS,
        }
        yield* host.run({
          name: "a test",
          locks: {},
          body: Routine.fn(function* () {
            if (isNew) yield* access.insertOrganization(organization)
            yield* rows.insertAccount(account)
            yield* rows.insertSession(session)
          }),
        })
      }),
    )
    return token
  }

  async function call(token: string, method: string, path: string, body?: object) {
    const response = await fetch(`${url}/portal/api${path}`, {
      method,
      headers: {
        cookie: `${COOKIE}=${token}`,
        "x-curbline-portal": "1",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data } = (await response.json()) as { data?: Record<string, unknown> }
    return { status: response.status, data: data ?? {} }
  }

  async function madeDelivery(token: string): Promise<string> {
    const { data } = await call(token, "POST", "/sandbox/deliveries")
    return (data["delivery"] as { id: string }).id
  }

  /** An organization with a site. */
  async function started(): Promise<string> {
    const token = await signedIn()
    const site = { name: "East", location: { latitude: 30.27, longitude: -97.74 }, reach_km: 10 }
    expect((await call(token, "POST", "/sites", { ...site, delivery_price_cents: 599 })).status).toBe(201)
    return token
  }

  async function open(
    token: string | null,
    headers: Record<string, string> = {},
    query = "",
  ): Promise<Opened> {
    const leaving = new AbortController()
    const response = await fetch(`${url}/portal/api/stream${query}`, {
      headers: { ...(token === null ? {} : { cookie: `${COOKIE}=${token}` }), ...headers },
      signal: leaving.signal,
    })
    let isOver = false
    const events: Event[] = []
    const comments: string[] = []
    const take = (block: string): void => {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      )
      if (fields.has("")) comments.push(fields.get("") ?? "")
      const data = fields.get("data")
      if (data === undefined) return
      events.push({
        id: fields.get("id") ?? "",
        event: fields.get("event") ?? "",
        data: JSON.parse(data) as Event["data"],
      })
    }
    const reading = async (): Promise<void> => {
      let text = ""
      try {
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk as Uint8Array).toString()
          const blocks = text.split("\n\n")
          text = blocks.pop() ?? ""
          for (const block of blocks) take(block)
        }
      } catch {
        // The test has left.
      }
      isOver = true
    }
    if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) void reading()
    else await response.text()
    const one = {
      status: response.status,
      events,
      comments,
      isOver: () => isOver,
      leave: () => leaving.abort(),
    }
    opened.push(one)
    if (response.status === 200) await eventually(() => expect(events[0]?.event).toBe("open"))
    return one
  }

  const changes = ({ events }: Opened, group: string): readonly number[] =>
    events.filter(({ data }) => data.group === group).map(({ data }) => data.revision ?? 0)

  test("announces a group's revision, to its organization alone, and nothing but that", async () => {
    const [token, other] = [await started(), await started()]
    const [stream, strangers] = [await open(token), await open(other)]
    const id = await madeDelivery(token)
    const group = `delivery/${id}`
    await eventually(() => expect(changes(stream, group)).toEqual([1]))
    await call(token, "POST", `/deliveries/${id}/advance`)
    await eventually(() => expect(changes(stream, group)).toEqual([1, 2]))
    for (const { event, data } of stream.events.slice(1)) {
      expect(event).toBe("change")
      expect(Object.keys(data)).toEqual(["group", "revision"])
    }
    expect(strangers.events).toHaveLength(1)
    const vehicles = stream.events.filter(({ data }) => data.group?.startsWith("vehicle/") === true)
    expect(vehicles).toEqual([])
    const { data } = await call(token, "GET", "/sites")
    const [{ site_id: siteId } = { site_id: "" }] = data["sites"] as { site_id: string }[]
    const journal = await managed.runPromise(Effect.flatMap(ChangedGroups, ({ after }) => after(0, 10_000)))
    const topics = journal.changes.find(({ address }) => address === group)?.topics
    expect(topics).toContain(`site/sandbox/${siteId}`)
  })

  test("announces a revision once to a client that stays, although entries are read again", async () => {
    const token = await started()
    const stream = await open(token)
    const id = await madeDelivery(token)
    await eventually(() => expect(changes(stream, `delivery/${id}`)).toEqual([1]))
    const later = await madeDelivery(token)
    // A later group is announced by a later read, the third of which covers the overlap again.
    await new Promise((resolve) => setTimeout(resolve, 2_600))
    expect(changes(stream, `delivery/${id}`)).toEqual([1])
    expect(changes(stream, `delivery/${later}`)).toEqual([1])
  })

  test("brings a client that resumes what has changed since, by its last revision", async () => {
    const token = await started()
    const first = await open(token)
    const id = await madeDelivery(token)
    await eventually(() => expect(changes(first, `delivery/${id}`)).toEqual([1]))
    const lastId = first.events.at(-1)?.id ?? ""
    first.leave()
    for (let step = 0; step < 3; step += 1) await call(token, "POST", `/deliveries/${id}/advance`)
    const resumed = await open(token, { "last-event-id": lastId })
    await eventually(() => expect(changes(resumed, `delivery/${id}`)[0]).toBe(4))
    const again = await open(token, { "last-event-id": resumed.events.at(-1)?.id ?? "" })
    expect(again.events.some(({ event }) => event === "reset")).toBe(false)
  })

  test.each(["abc", "-1.5", "99999999999"])(
    "says that everything is to be read again after the id %s",
    async (lastId) => {
      const stream = await open(await started(), { "last-event-id": lastId })
      await eventually(() => expect(stream.events.map(({ event }) => event)).toEqual(["open", "reset"]))
    },
  )

  test("is refused without a session, for another site, and in an environment without access", async () => {
    const token = await started()
    expect((await open(null)).status).toBe(401)
    expect((await open(token, { origin: "https://else.example" })).status).toBe(403)
    expect((await open(token, { "sec-fetch-site": "cross-site" })).status).toBe(403)
    expect((await open(token, {}, "?environment=production")).status).toBe(403)
    expect((await open(token, {}, "?environment=mars")).status).toBe(400)
    expect((await open(token, { "sec-fetch-site": "same-origin", origin: BASE_URL })).status).toBe(200)
  })

  test("RATE_LIMITED: a session has ten; a closed one makes room, and another session has its own", async () => {
    const token = await started()
    const all = await Promise.all(Array.from({ length: 10 }, () => open(token)))
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect((await open(token)).status).toBe(429)
    expect((await open(await started())).status).toBe(200)
    all[0]?.leave()
    await eventually(async () => expect((await open(token)).status).toBe(200))
  })

  test("ends at once with its session, and no other stream does", async () => {
    const token = await started()
    const stays = await open(await started())
    const stream = await open(token)
    expect((await call(token, "DELETE", "/session")).status).toBe(200)
    await eventually(() => expect(stream.isOver()).toBe(true))
    expect(stays.isOver()).toBe(false)
    expect((await open(token)).status).toBe(401)
  })

  test("the pages of deliveries, sites, webhooks and analytics read what the sandbox did", async () => {
    const token = await started()
    const hook = { url: "http://127.0.0.1:9/pickups", events: ["pickup_status.changed"] }
    expect((await call(token, "POST", "/delivery-webhooks", hook)).status).toBe(201)
    const { data: sites } = await call(token, "GET", "/sites")
    const [{ site_id: siteId } = { site_id: "" }] = sites["sites"] as { site_id: string }[]
    const made = await call(token, "POST", "/sandbox/deliveries", { external_delivery_id: "Order-8841" })
    const { id } = made.data["delivery"] as { id: string }
    await call(token, "POST", "/sandbox/deliveries", { external_delivery_id: "other" })
    expect((await call(token, "POST", `/deliveries/${id}/advance`)).status).toBe(200)
    const detail = await call(token, "GET", `/deliveries/${id}`)
    expect(detail.data["delivery"]).toMatchObject({
      status_label: "Assigned",
      steps: [
        { status: "SCHEDULED" },
        { status: "ASSIGNED", reached_at: expect.any(String) as string },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
      ],
      next_steps: [{ status: "EN_ROUTE_TO_STORE", sends: { endpoints: 1 } }, {}, {}, {}, {}, {}, {}],
    })
    const listed = async (query: string) =>
      ((await call(token, "GET", `/deliveries?${query}`)).data["deliveries"] as { id: string }[]).map(
        (one) => one.id,
      )
    expect(await listed("q=8841")).toEqual([id])
    expect(await listed("q=oRDer&status=ASSIGNED&status=LOADED")).toEqual([id])
    expect(await listed(`site_id=${siteId}&limit=1`)).not.toEqual([id])
    expect(await listed(`to=${new Date(0).toISOString()}`)).toEqual([])
    const part = async (name: string) => (await call(token, "GET", `/deliveries/${id}/${name}`)).data[name]
    expect(await part("messages")).toMatchObject([{ status: "suppressed", reason: "sandbox" }])
    expect(await part("timeline")).toMatchObject([{ event: "started" }, { event: "step.advanced" }])
    await eventually(async () =>
      expect(await part("events")).toMatchObject([
        { status: "ASSIGNED", outcome: "waiting", attempts: [{ attempt: 1, status: null }] },
      ]),
    )
    const { data: log } = await call(
      token,
      "GET",
      `/webhook-events?subject_id=${id}&event=pickup_status.changed`,
    )
    expect(log["events"]).toMatchObject([{ outcome: "waiting", url: hook.url }])
    const waiting = await call(token, "GET", "/webhook-events?outcome=waiting&limit=1")
    expect(waiting.data["events"]).toHaveLength(1)
    const patched = await call(token, "PATCH", `/sandbox/sites/${siteId}`, { delivery_price_cents: 1 })
    expect(patched.data["site"]).toMatchObject({ delivery_price_cents: 1, zones: [{ stalls: [{}, {}, {}] }] })
    const figures = await call(token, "GET", `/analytics/metrics?siteId=${siteId}`)
    expect(figures.data).toMatchObject({ autolane_sessions: { total: 0 } })
    const { data: none } = await call(token, "GET", "/reservations?q=a&status=confirmed")
    expect(none["reservations"]).toEqual([])
    expect((await call(token, "GET", "/charges")).status).toBe(403)
  })

  test("ends in order when the service stops", async () => {
    const own = await listening()
    const requests = new OpenRequests(own)
    const address = own.server.address()
    const there = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
    const response = await fetch(`${there}/portal/api/stream`, {
      headers: { cookie: `${COOKIE}=${await started()}` },
    })
    const text = response.text()
    await requests.drain(60_000)
    // The answer is whole: it ended, and was not cut off.
    expect(await text).toContain("event: open")
  })
})
