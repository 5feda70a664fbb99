/** The sandbox's events over HTTP: what a developer without a public URL follows, and what stays hidden from a key. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import type { Permission } from "../../src/model/caller.ts"
import { FOLLOWERS_MAX, FOLLOW_SECONDS_MAX, KEEP_SANDBOX_EVENTS_MS } from "../../src/model/values/limits.ts"
import { HOUR_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { Retention } from "../../src/engine/services/retention/retention.ts"
import { sandboxEvents } from "../../src/areas/webhooks/store.ts"
import { declaredTable } from "../../src/engine/store/declared-table.ts"
import { HOOK, contentOf, iso, makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"
import { created, openShop } from "./shop.ts"

const EVENTS = "/sandbox/v1/events"

interface SeenEvent {
  readonly event_id: string
  readonly type: string
  readonly api: string
  readonly subject_id: string
  readonly created_at: string
  readonly body: string
}

function eventsOf({ data }: Answered): readonly SeenEvent[] {
  return data["events"] as readonly SeenEvent[]
}

function cursorIn({ data }: Answered): string {
  return String(data["next_cursor"])
}

const sandbox = { environment: "sandbox" } as const

/** A booking, then all steps of its walk. */
async function walked(api: Api): Promise<string> {
  const id = await api.book()
  for (let step = 0; step < 9; step += 1) await api.call("POST", `/rs/v1/reservations/${id}/advance`)
  return id
}

test("events are kept without an endpoint, in order, each with its type, subject and instant", async () => {
  const api = await makeApi(sandbox)
  const id = await walked(api)
  const answered = await api.call("GET", EVENTS)
  expect(answered.status).toBe(200)
  const events = eventsOf(answered)
  expect(events.length).toBeGreaterThan(6)
  for (const one of events) {
    expect(one).toMatchObject({ api: "reservations", subject_id: id, created_at: iso(api.now()) })
    const { event_id, event_type, data } = JSON.parse(one.body) as {
      readonly event_id: string
      readonly event_type: string
      readonly data: { readonly reservation: { readonly reservation_id: string } }
    }
    expect([event_id, event_type, data.reservation.reservation_id]).toEqual([one.event_id, one.type, id])
  }
  expect(events[0]?.type).toBe("reservation.status_changed")
  expect(answered.data).toMatchObject({ apis: ["direct_delivery", "reservations"], has_more: false })
})

test("a body is equal, to the byte, to that of the webhook of either API", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  await api.call("POST", "/dd/v1/webhooks", { body: { url: HOOK, events: PICKUP_EVENT_TYPES } })
  await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
  await created(shop)
  for (let step = 0; step < 4; step += 1) {
    expect((await shop.call("POST", "/dd/v1/deliveries/order-1/advance")).status).toBe(200)
    await api.advance(SECOND_MS)
  }
  await walked(api)
  await api.advance(SECOND_MS)
  const sent = api.service.received(HOOK).map(({ body }) => body)
  const events = eventsOf(await api.call("GET", `${EVENTS}?limit=100`))
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(3)
  expect(events.map(({ body }) => body).toSorted()).toEqual(sent.toSorted())
})

test("pages lead from one to the next by cursor, and the last cursor to what comes later", async () => {
  const api = await makeApi(sandbox)
  await walked(api)
  const all = eventsOf(await api.call("GET", `${EVENTS}?limit=100`))
  const paged: SeenEvent[] = []
  let next = await api.call("GET", `${EVENTS}?limit=4`)
  for (;;) {
    paged.push(...eventsOf(next))
    if (next.data["has_more"] === false) break
    expect(eventsOf(next)).toHaveLength(4)
    next = await api.call("GET", `${EVENTS}?limit=4&cursor=${cursorIn(next)}`)
  }
  expect(paged).toEqual(all)
  const nothing = await api.call("GET", `${EVENTS}?cursor=${cursorIn(next)}`)
  expect([eventsOf(nothing), cursorIn(nothing)]).toEqual([[], cursorIn(next)])
  const id = await api.book({ order_number: "B-2" })
  const later = eventsOf(await api.call("GET", `${EVENTS}?cursor=${cursorIn(next)}`))
  expect(later.map(({ subject_id }) => subject_id)).toEqual([id])
})

test("a list from the newest shows nothing of before, and answers at once", async () => {
  const api = await makeApi(sandbox)
  await api.book()
  const empty = await api.call("GET", `${EVENTS}?start=newest&wait=${FOLLOW_SECONDS_MAX}`)
  expect(eventsOf(empty)).toEqual([])
  const id = await api.book({ order_number: "B-2" })
  const later = eventsOf(await api.call("GET", `${EVENTS}?cursor=${cursorIn(empty)}`))
  expect(later.map(({ subject_id }) => subject_id)).toEqual([id])
})

test("a request that waits is answered when the event comes", async () => {
  const api = await makeApi(sandbox)
  const { data } = await api.call("GET", `${EVENTS}?start=newest`)
  const waiting = api.call(
    "GET",
    `${EVENTS}?cursor=${String(data["next_cursor"])}&wait=${FOLLOW_SECONDS_MAX}`,
  )
  const id = await api.book()
  expect(eventsOf(await waiting).map(({ subject_id }) => subject_id)).toEqual([id])
})

test("too many requests of one organization that wait are refused, and those that wait are answered", async () => {
  const api = await makeApi(sandbox)
  const wait = `${EVENTS}?wait=${FOLLOW_SECONDS_MAX}`
  const waiting = Array.from({ length: FOLLOWERS_MAX + 1 }, () => api.call("GET", wait))
  const refused = await Promise.race(waiting)
  expect([refused.status, refused.code]).toEqual([429, "RATE_LIMITED"])
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  await api.book()
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(FOLLOWERS_MAX)
  await api.book({ order_number: "B-2" })
  expect((await api.call("GET", wait)).status).toBe(200)
})

const READING: readonly (readonly [string, readonly Permission[], readonly string[]])[] = [
  ["both APIs", ["events:read", "deliveries:read", "reservations:read"], ["direct_delivery", "reservations"]],
  ["deliveries alone", ["events:read", "deliveries:read"], ["direct_delivery"]],
  ["reservations alone", ["events:read", "reservations:read"], ["reservations"]],
  ["neither", ["events:read"], []],
]

test.each(READING)("a key that may read %s sees the events of those alone", async (_, permissions, apis) => {
  const shop = await openShop("sandbox")
  await created(shop)
  await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
  await shop.api.book()
  const key = await shop.api.holding(...permissions)
  const answered = await shop.api.call("GET", EVENTS, { key })
  expect(answered.data["apis"]).toEqual(apis)
  expect([...new Set(eventsOf(answered).map(({ api }) => api))].toSorted()).toEqual(apis)
})

test("a key without events:read is refused", async () => {
  const api = await makeApi(sandbox)
  const key = await api.holding(...PERMISSIONS.filter((one) => one !== "events:read"))
  const { status, code, body } = await api.call("GET", EVENTS, { key })
  expect([status, code]).toEqual([403, "PERMISSION_DENIED"])
  expect(JSON.stringify(body)).toContain("events:read")
})

test("another organization's events, and the places of its cursors, stay its own", async () => {
  const api = await makeApi(sandbox)
  const mine = await api.book()
  const otherId = await api.makeOrganization({ name: "Others" })
  const other = await api.makeKey({ organizationId: otherId })
  const theirs = await api.book({ order_number: "B-1" }, { key: other })
  const own = await api.call("GET", EVENTS, { key: other })
  expect(eventsOf(own).map(({ subject_id }) => subject_id)).toEqual([theirs])
  const { data } = await api.call("GET", EVENTS)
  expect(eventsOf(await api.call("GET", EVENTS)).map(({ subject_id }) => subject_id)).toEqual([mine])
  const crossed = await api.call("GET", `${EVENTS}?cursor=${String(data["next_cursor"])}`, { key: other })
  expect([crossed.status, crossed.code]).toEqual([400, "VALIDATION_ERROR"])
})

test.each([
  ["cursor=abc", "cursor"],
  ["cursor=ZTAx", "cursor"],
  ["cursor=ZC0x", "cursor"],
  ["limit=0", "limit"],
  ["limit=101", "limit"],
  ["wait=-1", "wait"],
  ["wait=31", "wait"],
  ["wait=1.5", "wait"],
  ["start=middle", "start"],
  ["wait=1&wait=2", "wait"],
])("%s is refused, and the answer names the field", async (query, field) => {
  const api = await makeApi(sandbox)
  const { status, code, body } = await api.call("GET", `${EVENTS}?${query}`)
  expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
  expect(JSON.stringify(body)).toContain(`"${field}"`)
})

test("production has no such path, and a key of production none of the sandbox's", async () => {
  const api = await makeApi({ environment: "production" })
  const answered = await api.app.inject({ url: EVENTS, headers: { authorization: `Bearer ${api.key}` } })
  expect(answered.statusCode).toBe(404)
})

test("a key of production is refused on the sandbox host", async () => {
  const api = await makeApi(sandbox)
  const key = await api.makeKey({ environment: "production" })
  expect((await api.call("GET", EVENTS, { key })).code).toBe("WRONG_ENV_KEY")
})

test("events of production are not kept", async () => {
  const api = await makeApi({ environment: "production" })
  await api.book()
  expect(JSON.parse(await contentOf(api, [declaredTable(sandboxEvents)]))).toMatchObject([{ rows: [] }])
})

test("events are kept for seven days in real time, whatever the organization's clock says", async () => {
  const api = await makeApi(sandbox)
  await api.book()
  const moved = await api.call("POST", "/sandbox/v1/clock/advance", { body: { by: "P7D" } })
  expect(moved.status).toBe(200)
  const purge = Effect.flatMap(Retention, ({ run }) => run)
  await api.run(purge)
  const before = eventsOf(await api.call("GET", EVENTS))
  expect(before.length).toBeGreaterThan(0)
  await api.advance(KEEP_SANDBOX_EVENTS_MS + HOUR_MS)
  await api.run(purge)
  expect(eventsOf(await api.call("GET", EVENTS))).toEqual([])
})
