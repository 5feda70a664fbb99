/** The sandbox's clock over HTTP: every route, every code, and what follows the clock and what does not. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import {
  KEEP_CLOCK_MOVES_MS,
  KEEP_PERSONAL_DATA_MS,
  KEEP_WEBHOOK_BODIES_MS,
} from "../../src/model/values/limits.ts"
import { Retention } from "../../src/engine/services/retention/retention.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { HOOK, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const CLOCK = "/sandbox/v1/clock"

interface SeenClock {
  readonly mode: string
  readonly now: string
  readonly offset_ms: number
  readonly frozen_since: string | null
  readonly next_timer: { readonly at: string; readonly group: string; readonly name: string } | null
  readonly move_id: string | null
}

interface SeenMove {
  readonly id: string
  readonly status: string
  readonly target: string
  readonly reached: string
  readonly before: { readonly mode: string; readonly now: string; readonly offset_ms: number }
  readonly after: { readonly mode: string; readonly now: string; readonly offset_ms: number } | null
  readonly entries: number
  readonly happened: {
    readonly count: number
    readonly items: readonly {
      readonly at: string
      readonly group: string
      readonly cause: string
      readonly event: string
      readonly outcome: string
    }[]
  }
}

function clockOf({ data }: Answered): SeenClock {
  return data["clock"] as SeenClock
}

function moveOf({ data }: Answered): SeenMove {
  return data["move"] as SeenMove
}

async function readClock(api: Api, key?: string): Promise<SeenClock> {
  return clockOf(await api.call("GET", CLOCK, key === undefined ? {} : { key }))
}

async function advanced(api: Api, body: object, key?: string): Promise<SeenMove> {
  const answered = await api.call("POST", `${CLOCK}/advance`, { body, ...(key === undefined ? {} : { key }) })
  expect([answered.status, answered.body]).toMatchObject([200, { success: true }])
  return moveOf(answered)
}

/**
 * Moves the clock while real time goes on, so that receivers answer. A busy machine may need longer than the request waits: the move
 * is then read until it has ended.
 */
async function advancedMeanwhile(api: Api, body: object): Promise<SeenMove> {
  const state = { isDone: false }
  const pending = api.call("POST", `${CLOCK}/advance`, { body }).finally(() => {
    state.isDone = true
  })
  while (!state.isDone) await goOn(api)
  const answered = await pending
  expect([200, 202]).toContain(answered.status)
  let move = moveOf(answered)
  while (move.after === null) {
    await goOn(api)
    move = moveOf(await api.call("GET", `${CLOCK}/moves/${move.id}`))
  }
  return move
}

/** The service's own work gets as much time as its clock goes on. */
async function goOn(api: Api): Promise<void> {
  const stepMs = 10
  await api.advance(stepMs)
  await new Promise((resolve) => setTimeout(resolve, stepMs))
}

async function statusOf(api: Api, id: string, key?: string): Promise<string> {
  const answered = await api.call("GET", `/rs/v1/reservations/${id}`, key === undefined ? {} : { key })
  return reservationOf(answered.data).status
}

const sandbox = { environment: "sandbox" } as const

test("at first an organization has real time", async () => {
  const api = await makeApi(sandbox)
  expect(await readClock(api)).toEqual({
    mode: "real",
    now: iso(api.now()),
    offset_ms: 0,
    frozen_since: null,
    next_timer: null,
    move_id: null,
  })
})

test("window and grace end by advancing: the reservation is canceled at its own instant", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  const startMs = api.now()
  const timer = (await readClock(api)).next_timer
  expect(timer?.group).toBe(`reservation/${id}`)
  expect(timer?.name).toBe("window and grace")
  const dueMs = Date.parse(timer?.at ?? "")
  expect(dueMs).toBeGreaterThanOrEqual(startMs + HOUR_MS)
  const move = await advanced(api, { by: "PT3H" })
  expect(move).toMatchObject({
    status: "finished",
    target: iso(startMs + 3 * HOUR_MS),
    before: { mode: "real", now: iso(startMs), offset_ms: 0 },
    after: { mode: "ahead", now: iso(startMs + 3 * HOUR_MS), offset_ms: 3 * HOUR_MS },
    entries: 1,
    happened: {
      count: 1,
      items: [
        {
          at: iso(dueMs),
          group: `reservation/${id}`,
          cause: "timer",
          event: timer?.name,
          outcome: "canceled",
        },
      ],
    },
  })
  expect(await statusOf(api, id)).toBe("canceled")
  expect(api.now()).toBe(startMs)
  expect(await readClock(api)).toMatchObject({ mode: "ahead", offset_ms: 3 * HOUR_MS, next_timer: null })
  // Windows are checked against the organization's now.
  const { code } = await api.call("POST", "/rs/v1/reservations", { body: api.booking() })
  expect(code).toBe("WINDOW_IN_PAST")
  const later = {
    arrival_window_start: iso(startMs + 3 * HOUR_MS + 30 * MINUTE_MS),
    arrival_window_end: iso(startMs + 4 * HOUR_MS),
  }
  const booked = await api.call("POST", "/rs/v1/reservations", { body: api.booking(later) })
  expect(booked.status).toBe(201)
  expect(reservationOf(booked.data)["created_at"]).toBe(iso(startMs + 3 * HOUR_MS))
})

test("another organization's time does not move", async () => {
  const api = await makeApi(sandbox)
  const otherId = await api.makeOrganization({ name: "Others" })
  const other = await api.makeKey({ organizationId: otherId })
  const mine = await api.book()
  const theirs = await api.book({ order_number: "B-1" }, { key: other })
  await advanced(api, { by: "PT3H" })
  expect([await statusOf(api, mine), await statusOf(api, theirs, other)]).toEqual(["canceled", "confirmed"])
  expect(await readClock(api, other)).toMatchObject({ mode: "real", offset_ms: 0, now: iso(api.now()) })
  await api.advance(3 * HOUR_MS)
  expect(await statusOf(api, theirs, other)).toBe("canceled")
})

test("a running clock that is ahead goes on with real time, and its timers fire", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  await advanced(api, { by: "PT30M" })
  const { next_timer: timer, now } = await readClock(api)
  const leftMs = Date.parse(timer?.at ?? "") - Date.parse(now)
  await api.advance(leftMs - 1)
  expect(await statusOf(api, id)).toBe("confirmed")
  await api.advance(1)
  expect(await statusOf(api, id)).toBe("canceled")
})

test("eight attempts of a webhook, over a receiver that fails seven times", async () => {
  const api = await makeApi(sandbox)
  const body = { url: HOOK, subscribed_events: ["reservation.status_changed"] }
  await api.call("POST", "/rs/v1/webhooks", { body })
  api.service.script(
    HOOK,
    Array.from({ length: 8 }, (__, at) => ({ type: "status", status: at < 7 ? 503 : 200, afterMs: 1 })),
  )
  const startMs = api.now()
  await api.book({
    arrival_window_start: iso(startMs + 5 * HOUR_MS),
    arrival_window_end: iso(startMs + 6 * HOUR_MS),
  })
  await api.advance(SECOND_MS)
  expect(api.service.received(HOOK)).toHaveLength(1)
  const move = await advancedMeanwhile(api, { by: "PT3H10M" })
  const sent = api.service.received(HOOK)
  expect(sent).toHaveLength(8)
  const results = move.happened.items.filter(
    ({ cause, group }) => cause === "result" && group.startsWith("webhook"),
  )
  expect(results.map(({ event }) => event)).toEqual([
    ...Array.from({ length: 6 }, () => "call.failed"),
    "call.succeeded",
  ])
  expect(results.at(-1)?.outcome).toBe("delivered")
  // Each attempt at its own instant: the pauses of the contract add up.
  const minutes = results.map(({ at }) => Math.floor((Date.parse(at) - startMs) / MINUTE_MS))
  expect(minutes).toEqual([2, 6, 14, 30, 62, 122, 182])
  // Bodies are the same bytes, and signatures have the true time.
  expect(new Set(sent.map((one) => one.body)).size).toBe(1)
  for (const { headers } of sent) {
    const signedAtMs = Number(/^t=(\d+),/.exec(headers["X-Service-Signature"] ?? "")?.[1]) * SECOND_MS
    expect(signedAtMs).toBeGreaterThanOrEqual(startMs)
    expect(signedAtMs).toBeLessThanOrEqual(api.now())
  }
  expect(api.now() - startMs).toBeLessThan(10 * SECOND_MS)
})

test("a frozen clock stands still: nothing fires, and commands share its instant", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  const frozenMs = api.now()
  const frozen = clockOf(await api.call("POST", `${CLOCK}/freeze`))
  expect(frozen).toMatchObject({ mode: "frozen", now: iso(frozenMs), frozen_since: iso(frozenMs) })
  await api.advance(5 * HOUR_MS)
  expect(await statusOf(api, id)).toBe("confirmed")
  expect(await readClock(api)).toMatchObject({
    mode: "frozen",
    now: iso(frozenMs),
    offset_ms: -5 * HOUR_MS,
    frozen_since: iso(frozenMs),
  })
  expect(clockOf(await api.call("POST", `${CLOCK}/freeze`)).frozen_since).toBe(iso(frozenMs))
  const moved = await advanced(api, { by: "PT1M" })
  expect(moved).toMatchObject({
    before: { mode: "frozen", now: iso(frozenMs) },
    after: { mode: "frozen", now: iso(frozenMs + MINUTE_MS) },
    entries: 0,
  })
  const resumed = clockOf(await api.call("POST", `${CLOCK}/resume`))
  expect(resumed).toMatchObject({ mode: "behind", now: iso(frozenMs + MINUTE_MS), frozen_since: null })
  expect(await statusOf(api, id)).toBe("confirmed")
  await api.advance(3 * HOUR_MS)
  expect(await statusOf(api, id)).toBe("canceled")
  // A running clock that is resumed stays as it is.
  expect(clockOf(await api.call("POST", `${CLOCK}/resume`)).mode).toBe("behind")
})

test("to an instant, and to the next timer", async () => {
  const api = await makeApi(sandbox)
  const startMs = api.now()
  await advanced(api, { to: iso(startMs + MINUTE_MS) })
  expect((await readClock(api)).now).toBe(iso(startMs + MINUTE_MS))
  const without = await api.call("POST", `${CLOCK}/advance`, { body: { to: "next_timer" } })
  expect([without.status, without.code]).toEqual([409, "INVALID_STATE"])
  const id = await api.book()
  const { next_timer: timer } = await readClock(api)
  const move = await advanced(api, { to: "next_timer" })
  expect(move).toMatchObject({ target: timer?.at, reached: timer?.at, entries: 1 })
  expect(move.happened.items).toMatchObject([{ at: timer?.at, outcome: "canceled" }])
  expect(await statusOf(api, id)).toBe("canceled")
  expect((await readClock(api)).next_timer).toBeNull()
})

test("a move can be read again, by its organization alone", async () => {
  const api = await makeApi(sandbox)
  await api.book()
  const move = await advanced(api, { by: "P1D" })
  const again = await api.call("GET", `${CLOCK}/moves/${move.id}`)
  expect([again.status, moveOf(again)]).toEqual([200, move])
  const other = await api.makeKey({ organizationId: await api.makeOrganization({ name: "Others" }) })
  const theirs = await api.call("GET", `${CLOCK}/moves/${move.id}`, { key: other })
  expect([theirs.status, theirs.code]).toEqual([404, "NOT_FOUND"])
  const unknown = await api.call("GET", `${CLOCK}/moves/nothing`)
  expect([unknown.status, unknown.code]).toEqual([404, "NOT_FOUND"])
  expect(unknown.body).toMatchObject({ error: "there is no such resource (move nothing)" })
})

test.each([
  ["neither", {}],
  ["both", { by: "PT1M", to: "2026-06-02T00:00:00Z" }],
  ["by: a text", { by: "fifteen minutes" }],
  ["by: months", { by: "P1M" }],
  ["by: nothing", { by: "PT0S" }],
  ["by: backwards", { by: "-PT1M" }],
  ["by: more than 30 days", { by: "P31D" }],
  ["to: a text", { to: "tomorrow" }],
  ["to: the past", { to: "2026-05-01T00:00:00Z" }],
  ["to: more than 30 days", { to: "2026-09-01T00:00:00Z" }],
])("VALIDATION_ERROR: %s", async (_, body) => {
  const api = await makeApi(sandbox)
  const { status, code } = await api.call("POST", `${CLOCK}/advance`, { body })
  expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
  expect((await readClock(api)).mode).toBe("real")
})

test("PERMISSION_DENIED: a key needs sandbox:manage", async () => {
  const api = await makeApi(sandbox)
  const key = await api.holding(...PERMISSIONS.filter((one) => one !== "sandbox:manage"))
  for (const [method, path] of [
    ["GET", CLOCK],
    ["POST", `${CLOCK}/advance`],
    ["POST", `${CLOCK}/freeze`],
    ["POST", `${CLOCK}/resume`],
    ["GET", `${CLOCK}/moves/some`],
  ] as const) {
    const { status, code } = await api.call(method, path, { key })
    expect([method, path, status, code]).toEqual([method, path, 403, "PERMISSION_DENIED"])
  }
})

test("INVALID_API_KEY, and WRONG_ENV_KEY for a key of production", async () => {
  const api = await makeApi(sandbox)
  const without = await api.call("GET", CLOCK, { key: null })
  expect([without.status, without.code]).toEqual([401, "INVALID_API_KEY"])
  const key = await api.makeKey({ environment: "production" })
  const wrong = await api.call("GET", CLOCK, { key })
  expect([wrong.status, wrong.code]).toEqual([403, "WRONG_ENV_KEY"])
})

test("production has no clock: 404 before the key", async () => {
  const api = await makeApi()
  for (const path of [CLOCK, `${CLOCK}/advance`, `${CLOCK}/moves/some`]) {
    const { statusCode } = await api.app.inject({ method: "GET", url: path })
    expect([path, statusCode]).toEqual([path, 404])
  }
})

test("CLOCK_IS_MOVING while a move waits for a receiver, whose answer ends it", async () => {
  const api = await makeApi(sandbox)
  await api.book()
  const body = { url: HOOK, subscribed_events: ["reservation.status_changed"] }
  await api.call("POST", "/rs/v1/webhooks", { body })
  api.service.script(HOOK, [{ type: "status", status: 200, afterMs: 5 * SECOND_MS }])
  const startMs = api.now()
  const begun = await api.call("POST", `${CLOCK}/advance`, { body: { by: "P1D" } })
  const move = moveOf(begun)
  expect([begun.status, move.status, move.after]).toEqual([202, "running", null])
  // The clock stands where the reservation ended, until the answer is in.
  const moving = await readClock(api)
  expect(moving).toMatchObject({ mode: "ahead", now: move.reached, move_id: move.id })
  expect(Date.parse(moving.now)).toBeGreaterThan(startMs + HOUR_MS)
  expect(Date.parse(moving.now)).toBeLessThan(startMs + DAY_MS)
  for (const [path, sent] of [
    ["advance", { body: { by: "PT1M" } }],
    ["freeze", {}],
    ["resume", {}],
  ] as const) {
    const { status, code } = await api.call("POST", `${CLOCK}/${path}`, sent)
    expect([path, status, code]).toEqual([path, 409, "CLOCK_IS_MOVING"])
  }
  await api.advance(5 * SECOND_MS)
  const ended = async (): Promise<SeenMove> => moveOf(await api.call("GET", `${CLOCK}/moves/${move.id}`))
  await expect.poll(async () => (await ended()).status).toBe("finished")
  expect((await ended()).after).toMatchObject({ mode: "ahead", now: iso(startMs + DAY_MS) })
  expect((await readClock(api)).move_id).toBeNull()
})

test("retention counts in real time, whether the clock is ahead or stands still", async () => {
  const api = await makeApi(sandbox)
  const endpoint = { url: HOOK, subscribed_events: ["reservation.status_changed"] }
  await api.call("POST", "/rs/v1/webhooks", { body: endpoint })
  await advancedMeanwhile(api, { by: "P30D" })
  const nowMs = Date.parse((await readClock(api)).now)
  const ahead = {
    arrival_window_start: iso(nowMs + 30 * MINUTE_MS),
    arrival_window_end: iso(nowMs + HOUR_MS),
  }
  await api.call("POST", `${CLOCK}/freeze`)
  const id = await api.book(ahead)
  await api.call("DELETE", `/rs/v1/reservations/${id}`)
  await api.advance(SECOND_MS)
  const purged = async (): Promise<Record<string, number>> => {
    const found = await api.run(Effect.flatMap(Retention, ({ run }) => run))
    return Object.fromEntries(found.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]))
  }
  expect(await purged()).toEqual({})
  // By its own instants it is 30 days in the future, and after 40 days of standing still 10 days old.
  await api.advance(KEEP_WEBHOOK_BODIES_MS - MINUTE_MS)
  expect(await purged()).not.toHaveProperty("webhook bodies")
  await api.advance(2 * MINUTE_MS)
  expect(await purged()).toMatchObject({ "webhook bodies": 2 })
  await api.advance(Math.max(0, KEEP_PERSONAL_DATA_MS - KEEP_WEBHOOK_BODIES_MS))
  expect(await purged()).toMatchObject({ "personal data": 1 })
  expect(reservationOf((await api.call("GET", `/rs/v1/reservations/${id}`)).data)["end_user_name"]).not.toBe(
    "Ada Example",
  )
})

test("moves and what happened in them are kept for 30 days", async () => {
  const api = await makeApi(sandbox)
  await api.book()
  const move = await advanced(api, { by: "P1D" })
  await api.advance(KEEP_CLOCK_MOVES_MS - MINUTE_MS)
  await api.run(Effect.flatMap(Retention, ({ run }) => run))
  expect((await api.call("GET", `${CLOCK}/moves/${move.id}`)).status).toBe(200)
  await api.advance(2 * MINUTE_MS)
  const found = await api.run(Effect.flatMap(Retention, ({ run }) => run))
  expect(found.filter(({ name }) => name.includes("moves"))).toEqual([
    { name: "moves of clocks", rows: 1 },
    { name: "turns of moves", rows: 1 },
  ])
  expect((await api.call("GET", `${CLOCK}/moves/${move.id}`)).status).toBe(404)
})
