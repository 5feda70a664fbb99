/** Today of a site over HTTP: what it has, who may read it, and that an answer without new facts is not sent again. */

import { Effect } from "effect"
import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { SITE_DAY_FRESH_MS } from "../../src/live/configuration/bounds.ts"
import { Course } from "../../src/model/replay/course-reader.ts"
import type { WrittenDay } from "../../src/model/replay/site-day.ts"
import { courseOf } from "../../src/model/replay/written-course.ts"
import { startOfDay } from "../../src/model/values/local-calendar.ts"
import { DAY_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const [EAST, WEST] = ["7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21", "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"]
const PATH = `/sites/${EAST}/today`

interface Read {
  readonly day: WrittenDay
  readonly course: Course
  readonly tag: string
  readonly completeUntilMs: number
}

/** Asks until what is committed now is part of the answer. */
async function dayOf(api: Api): Promise<Read> {
  const fromMs = api.now()
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { status, data, headers } = await api.operate("GET", PATH)
    expect(status).toBe(200)
    const { state, day } = data["today"] as { readonly state: string; readonly day: WrittenDay | null }
    const completeUntilMs = Date.parse(headers["x-complete-until"] ?? "")
    if (state === "ready" && day !== null && completeUntilMs >= fromMs) {
      const course = new Course()
      course.append({ ...courseOf(day.course), untilMs: completeUntilMs - day.head.startMs })
      return { day, course, tag: headers["etag"] ?? "", completeUntilMs }
    }
    expect(["being_made", "ready"]).toContain(state)
    await api.advance(1000)
    await after(10)
  }
  throw new Error("the day was never made")
}

/** Returns the id of a reservation that a runner has just carried to its robot. */
async function carried(api: Api): Promise<string> {
  const id = await api.book({ order_number: "A-77" })
  const step = async (path: string, body: object = {}): Promise<void> => {
    expect((await api.operate("POST", `/reservations/${id}/${path}`, { body })).status).toBe(200)
    await api.advance(MINUTE_MS)
  }
  await step("runner", { runner_id: "run_east_1" })
  await step("at-store")
  await step("order-in-hand")
  const report = { status: "ARRIVED", occurred_at: iso(api.now()) }
  expect((await api.call("POST", `/rs/v1/reservations/${id}/bot`, { body: report })).status).toBe(200)
  await step("at-unit")
  return id
}

test("a day has each order with its robot and its runner, in their states, without a name, a number of a phone or an address", async () => {
  const api = await makeApi()
  const empty = await dayOf(api)
  expect(empty.course.actors.filter(({ kind }) => kind !== "vehicle")).toEqual([])
  const beganMs = api.now()
  const id = await carried(api)
  const { day, course } = await dayOf(api)
  expect(day.head).toMatchObject({
    startMs: startOfDay(beganMs, day.head.timeZone),
    horizonMs: DAY_MS,
  })
  const at = (atMs: number): number => atMs - day.head.startMs
  const actor = (kind: string) => course.actors.findIndex((one) => one.kind === kind)
  expect(course.actors[actor("order")]).toMatchObject({ name: id, address: `reservation/${id}` })
  expect(course.actors[actor("runner")]).toMatchObject({ name: "run_east_1", address: null })
  const seen = (kind: string) => course.changesOf(actor(kind)).map(({ state }) => state)
  expect(seen("runner")).toEqual(["to store", "at counter", "carrying", "at stall"])
  expect(seen("robot")).toEqual(["expected", "at its stall"])
  expect(seen("order")).toEqual(["booked", "with a runner"])
  expect(course.stateAt(actor("runner"), at(beganMs) + 30_000)).toBe("to store")
  const text = JSON.stringify(day)
  for (const personal of ["Ada", "Example", "5550100", "A-77"]) expect(text).not.toContain(personal)
})

test("an answer without new facts is not sent again, however complete it is; a new fact gives another", async () => {
  const api = await makeApi()
  await carried(api)
  const first = await dayOf(api)
  const headers = { authorization: `Bearer ${api.operatorToken}`, "if-none-match": first.tag }
  const again = () => api.app.inject({ method: "GET", url: `/internal/v1${PATH}`, headers })
  await api.advance(SITE_DAY_FRESH_MS)
  const later = await dayOf(api)
  expect([later.tag, later.completeUntilMs > first.completeUntilMs]).toEqual([first.tag, true])
  const unchanged = await again()
  expect([unchanged.statusCode, unchanged.body]).toEqual([304, ""])
  expect(Date.parse(String(unchanged.headers["x-complete-until"]))).toBeGreaterThan(first.completeUntilMs)
  await carried(api)
  expect((await dayOf(api)).tag).not.toBe(first.tag)
  const compressed = await api.app.inject({
    method: "GET",
    url: `/internal/v1${PATH}`,
    headers: { authorization: `Bearer ${api.operatorToken}`, "accept-encoding": "gzip" },
  })
  expect([compressed.statusCode, compressed.headers["content-encoding"]]).toEqual([200, "gzip"])
})

test("what was over before midnight is not of the next day, and the day begins anew", async () => {
  const api = await makeApi()
  const id = await carried(api)
  const first = await dayOf(api)
  await api.advance(DAY_MS)
  const next = await dayOf(api)
  expect(next.day.head.startMs).toBe(first.day.head.startMs + DAY_MS)
  expect(next.course.actors.filter(({ address }) => address === `reservation/${id}`)).toEqual([])
})

test("a viewer of the site reads it; a site elsewhere, an unknown one and a partner's key get the usual refusals", async () => {
  const api = await makeApi()
  const tokenOf = (siteIds: readonly string[]) =>
    api.run(
      Effect.flatMap(OperatorTokens, (tokens) =>
        tokens.make({ environment: "production", label: "viewer", role: "viewer", siteIds }),
      ),
    )
  const [own, other] = [await tokenOf([EAST]), await tokenOf([WEST])]
  expect((await api.operate("GET", PATH, { key: own.value })).status).toBe(200)
  const refused = await api.operate("GET", PATH, { key: other.value })
  expect([refused.status, refused.code]).toEqual([404, "NOT_FOUND"])
  expect((await api.operate("GET", "/sites/nowhere/today")).status).toBe(404)
  expect((await api.operate("GET", PATH, { key: api.key })).status).toBe(401)
})
