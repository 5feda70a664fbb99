/** When a late reservation could no longer be saved, over HTTP: who may ask, what each state says, and that a request neither waits nor computes twice. */

import { Effect } from "effect"
import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import type { CaseMomentJson } from "../../src/model/requests/case-moment.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { MOMENT_MS_MAX, MOMENT_RETRY_MS } from "../../src/live/configuration/bounds.ts"
import { startMomentThread } from "../../src/live/moments/moment-thread.ts"
import type { ToMomentThread } from "../../src/live/moments/moment-thread.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { makeApi } from "./api.ts"
import type { Api, ApiOptions } from "./api.ts"
import { visit, visits, withHistory } from "./past-visits.ts"

const WEST = "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"

const LATE_MS = 12 * MINUTE_MS

async function ask(api: Api, id: string, method: "DELETE" | "GET" = "GET"): Promise<CaseMomentJson> {
  const answer = await api.operate(method, `/reservations/${id}/moment`)
  expect([answer.status, answer.body]).toEqual([200, answer.body])
  return answer.data["moment"] as CaseMomentJson
}

/** Lets time pass, for the pauses between reads, and the thread run, until it is in a state. */
async function until(api: Api, id: string, state: string): Promise<CaseMomentJson> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const found = await ask(api, id)
    if (found.state === state) return found
    if (found.state !== "being_made") throw new Error(`${found.state} and not ${state}`)
    await api.advance(20)
    await after(20)
  }
  throw new Error(`never ${state}: ${JSON.stringify(await ask(api, id))}`)
}

interface Watched {
  readonly options: ApiOptions
  /** The messages of each thread that was started. */
  readonly given: ToMomentThread[][]
  readonly stopped: { count: number }
}

/** Threads are counted, look at few futures, and may run another script. */
function watched(script?: URL): Watched {
  const given: ToMomentThread[][] = []
  const stopped = { count: 0 }
  const moments: ApiOptions["moments"] = {
    startThread: (onSimulated) => {
      const thread = startMomentThread(onSimulated, script)
      const messages: ToMomentThread[] = []
      given.push(messages)
      return {
        answer: thread.answer,
        give: (message) => {
          messages.push(message)
          thread.give(
            message.type === "order" ? { ...message, order: { ...message.order, futures: 10 } } : message,
          )
        },
        stop: async () => {
          await thread.stop()
          stopped.count += 1
        },
      }
    },
  }
  return { given, stopped, options: { moments } }
}

const SILENT = new URL(
  `data:text/javascript,${encodeURIComponent('import { parentPort } from "node:worker_threads"; parentPort.on("message", () => undefined)')}`,
)

test("a reservation that was late gets its sentence, its curve and its decisions; the answer stays, and many requests make one", async () => {
  const threads = watched()
  const api = await withHistory(threads.options)
  await api.advance(MINUTE_MS)
  const id = await visit(api, 5, LATE_MS)
  expect(await ask(api, id)).toMatchObject({ state: "being_made", answer: null, reason: null })
  const found = await until(api, id, "ready")
  const { answer } = found
  expect(answer).toMatchObject({ is: "bad", asked: { kind: "reservation", id, limit_ms: 8 * MINUTE_MS } })
  expect(answer?.outcome).toMatch(/^The order of reservation …\w{4} was late: at \d\d:\d\d:\d\d its robot/)
  expect(answer?.headline).toMatch(/\d\d:\d\d:\d\d/)
  expect(answer?.figures?.drawn_from).toBe("20 reservations and 0 deliveries of the site before it")
  const curve = answer?.figures?.curve ?? []
  expect(curve[0]).toMatchObject({ what: "its reservation was booked", group: `reservation/${id}` })
  expect(curve.map(({ at }) => at)).toEqual(curve.map(({ at }) => at).toSorted())
  for (const { odds } of curve) {
    expect(odds.low).toBeLessThanOrEqual(odds.value)
    expect(odds.high).toBeGreaterThanOrEqual(odds.value)
  }
  expect(answer?.figures?.decisions.map(({ id: one }) => one)).toContain("runner")
  expect(JSON.stringify(found)).not.toMatch(/Ada|512555/)
  // What happened is over: it is not computed again.
  await api.advance(HOUR_MS)
  expect((await ask(api, id)).answer).toEqual(answer)
  expect(threads.given).toHaveLength(1)
  expect(threads.stopped.count).toBe(1)
  // Nothing from after the case began is learned from, and everything that was open with it is there.
  const types = [...new Set(threads.given[0]?.map(({ type }) => type))]
  expect(types).toEqual(["past", "present", "order"])
})

test("one that ended well or has not ended is not lost, and needs neither a past nor a thread", async () => {
  const threads = watched()
  const api = await makeApi(threads.options)
  const good = await visit(api, 1)
  const said = await until(api, good, "not_lost")
  expect(said.answer).toMatchObject({ is: "good", figures: null })
  expect(said.answer?.outcome).toMatch(/^Reservation …\w{4} ended well, at/)
  const open = await api.book()
  expect((await until(api, open, "not_lost")).answer).toMatchObject({ is: "open", at: null })
  // A late one of a young site: too little to learn from.
  const late = await visit(api, 2, LATE_MS)
  const few = await until(api, late, "too_little_history")
  expect(few.history).toMatchObject({ reservations: 2, reservations_wanted: 20, hours_wanted: 24 })
  expect(few.answer).toBeNull()
  expect(threads.given).toEqual([])
})

test("an order that still waits beyond its limit is late already", async () => {
  const api = await withHistory(watched().options)
  await api.advance(MINUTE_MS)
  const id = await api.book({ order_number: "Waits" })
  await api.advance(30 * MINUTE_MS)
  const body = { status: "ARRIVED" }
  expect((await api.call("POST", `/rs/v1/reservations/${id}/bot`, { body })).status).toBe(200)
  await api.advance(LATE_MS)
  const { answer } = await until(api, id, "ready")
  expect(answer?.figures?.how).toBe("late")
})

test("one is computed and one waits, a third comes again later; a stopped one leaves its place and begins anew", async () => {
  const threads = watched(SILENT)
  const api = await withHistory(threads.options)
  const ids = [
    await visit(api, 3, LATE_MS),
    await visit(api, 4, LATE_MS),
    await visit(api, 5, LATE_MS),
  ] as const
  expect(await ask(api, ids[0])).toMatchObject({ state: "being_made", progress: { step: "waiting" } })
  for (let tries = 0; tries < 100 && threads.given.at(-1)?.at(-1)?.type !== "order"; tries += 1)
    await api.advance(20)
  expect(await ask(api, ids[0])).toMatchObject({ progress: { step: "simulating", futures: 0 } })
  expect(await ask(api, ids[1])).toMatchObject({ state: "being_made", progress: { step: "waiting" } })
  expect(await ask(api, ids[2])).toMatchObject({ state: "unavailable", reason: "busy", progress: null })
  expect(threads.given).toHaveLength(1)
  expect(await ask(api, ids[0], "DELETE")).toMatchObject({ state: "unavailable", reason: "stopped" })
  for (let tries = 0; tries < 100 && threads.given.length < 2; tries += 1) await api.advance(20)
  expect([threads.given.length, threads.stopped.count]).toEqual([2, 1])
  expect(await ask(api, ids[2])).toMatchObject({ state: "being_made", progress: { step: "waiting" } })
  // The second one takes too long, and says so until the pause is over.
  await api.advance(MOMENT_MS_MAX)
  expect(await until(api, ids[1], "unavailable")).toMatchObject({ reason: "took_too_long" })
  await api.advance(MOMENT_RETRY_MS)
  expect(await ask(api, ids[1])).toMatchObject({ state: "being_made" })
  expect(await ask(api, ids[1], "DELETE")).toMatchObject({ reason: "stopped" })
})

test("an unknown case does not exist, nor one of another site, and a partner's key reads nothing", async () => {
  const api = await makeApi()
  await visits(api, 1)
  const id = await api.book()
  expect((await api.operate("GET", "/reservations/res_nowhere/moment")).status).toBe(404)
  expect((await api.operate("GET", "/deliveries/dlv_nowhere/moment")).status).toBe(404)
  expect((await api.operate("DELETE", "/deliveries/dlv_nowhere/moment")).status).toBe(404)
  expect((await api.operate("GET", `/reservations/${id}/moment`, { key: api.key })).status).toBe(401)
  const other = await api.run(
    Effect.flatMap(OperatorTokens, (tokens) =>
      tokens.make({ environment: "production", label: "viewer", role: "viewer", siteIds: [WEST] }),
    ),
  )
  const hidden = await api.operate("GET", `/reservations/${id}/moment`, { key: other.value })
  expect([hidden.status, hidden.code]).toEqual([404, "NOT_FOUND"])
})
