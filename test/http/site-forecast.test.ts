/** The forecast of a site over HTTP: who may read it, what it says in each state, and that a request neither waits nor computes twice. */

import { Effect } from "effect"
import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import { startForecastThread } from "../../src/live/forecasts/forecast-thread.ts"
import type { ToForecastThread } from "../../src/live/forecasts/forecast-thread.ts"
import {
  FORECAST_FIRST_RUNS,
  FORECAST_FRESH_MS,
  FORECAST_MS_MAX,
  FORECAST_RETRY_MS,
  FORECAST_RUNS,
} from "../../src/live/configuration/bounds.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { iso, makeApi } from "./api.ts"
import type { Api, ApiOptions } from "./api.ts"
import { visits, withHistory } from "./past-visits.ts"

const [EAST, WEST] = ["7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21", "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"]

interface Forecast {
  readonly state: string
  readonly reason: string | null
  readonly is_being_made: boolean
  readonly ask_again_at: string
  readonly history: Readonly<Record<string, unknown>> | null
  readonly figures: Readonly<Record<string, unknown>> | null
}

interface Figures {
  readonly made_at: string
  readonly until: string
  readonly pickups: { readonly all: number; readonly late: number }
  readonly promises: readonly {
    readonly metric: string
    readonly bound: string
    readonly breaks: { readonly value: number; readonly low: number; readonly high: number }
  }[]
  readonly waits: readonly { readonly at: string }[]
}

const minutes = (count: number): number => count * MINUTE_MS

async function forecastOf(api: Api, query = "", siteId = EAST): Promise<Forecast> {
  const answer = await api.operate("GET", `/sites/${siteId}/forecast${query}`)
  expect(answer.status).toBe(200)
  return answer.data["forecast"] as Forecast
}

/** Lets time pass, for the pauses between reads, and the thread run, until a forecast is in a state. */
async function until(api: Api, state: string, query = ""): Promise<Forecast> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const found = await forecastOf(api, query)
    if (found.state === state && !found.is_being_made) return found
    await api.advance(20)
    await after(20)
  }
  throw new Error(`never ${state}: ${JSON.stringify(await forecastOf(api, query))}`)
}

async function pair(api: Api, name: string): Promise<void> {
  const made = await api.operate("POST", `/sites/${EAST}/pairings`, { body: { runner_name: name } })
  const { path } = made.data["pairing"] as { readonly path: string }
  const paired = await api.app.inject({
    method: "POST",
    url: "/runner/api/pair",
    headers: { "x-curbline-runner": "1", "content-type": "application/json" },
    payload: JSON.stringify({ code: path.replace("/runner#pair=", "") }),
  })
  expect(paired.statusCode).toBe(200)
}

/** A thread with the given body, which reports by `say`. */
function scripted(body: string): URL {
  const begin = `import { parentPort } from "node:worker_threads"; const say = (told) => parentPort.postMessage(told);`
  return new URL(`data:text/javascript,${encodeURIComponent(`${begin} ${body}`)}`)
}

const SILENT = scripted('parentPort.on("message", () => undefined)')
const BROKEN = scripted('parentPort.on("message", () => process.exit(3))')

interface Watched {
  readonly options: ApiOptions
  /** The messages of each thread that was started. */
  readonly given: ToForecastThread[][]
  readonly stopped: { count: number }
  script: URL | undefined
}

/** Enough for a forecast. */
const RUNS = 4

/** Threads are counted, run no longer than a test needs, and may run another script. */
function watched(script?: URL): Watched {
  const given: ToForecastThread[][] = []
  const stopped = { count: 0 }
  const seen: Watched = {
    given,
    stopped,
    script,
    options: {
      forecasts: {
        startThread: () => {
          const thread = startForecastThread(seen.script)
          const messages: ToForecastThread[] = []
          given.push(messages)
          return {
            answer: thread.answer,
            give: (message) => {
              messages.push(message)
              thread.give(
                message.type === "order"
                  ? { ...message, order: { ...message.order, replications: RUNS, runsMsMax: HOUR_MS } }
                  : message,
              )
            },
            stop: async () => {
              await thread.stop()
              stopped.count += 1
            },
          }
        },
      },
    },
  }
  return seen
}

const typesOf = (messages: readonly ToForecastThread[] | undefined) => [
  ...new Set((messages ?? []).map((one) => (one.type === "entries" ? one.of : one.type))),
]

const runsOf = (messages: readonly ToForecastThread[]) =>
  messages.flatMap((one) => (one.type === "order" ? [one.order.replications] : []))[0]

test("a site without a past has its own state, needs no thread, and is not read again at once", async () => {
  const threads = watched()
  const api = await makeApi(threads.options)
  const first = await forecastOf(api)
  expect(first).toMatchObject({ state: "being_made", is_being_made: true, figures: null, history: null })
  const few = await until(api, "too_little_history")
  expect(few).toMatchObject({
    history: { reservations: 0, from: null, reservations_wanted: 20, hours_wanted: 24 },
    figures: null,
    reason: null,
  })
  expect(Date.parse(few.ask_again_at)).toBeGreaterThan(api.now() + 5 * MINUTE_MS)
  expect(threads.given).toEqual([])
})

test("a site with a past gets figures of the next hours, from what is under way; many requests make one", async () => {
  const threads = watched()
  const api = await makeApi(threads.options)
  const from = iso(api.now())
  await visits(api, 20)
  // One morning does not show the hours of a day.
  expect(await until(api, "too_little_history", "?ahead=1h")).toMatchObject({
    history: { reservations: 20, from },
  })
  expect(threads.given).toEqual([])
  await api.advance(20 * HOUR_MS)
  await visits(api, 4)
  for (let number = 0; number < 2; number += 1) await api.book({ order_number: `U-${number}` })
  // A zone without runners is not part of it.
  await api.book({ order_number: "Alone", zone_id: "zone_alone", retailer_id: "retailer_grocer" })
  const made = await until(api, "ready", "?ahead=1h")
  expect(made.figures).toMatchObject({
    open_reservations: 2,
    runners: 2,
    runners_from: "tasks",
    runs: RUNS,
    history_reservations: 26,
    left_out: [],
  })
  const { made_at: madeAt, until: untilAt, pickups, promises, waits } = made.figures as unknown as Figures
  expect(Date.parse(untilAt) - Date.parse(madeAt)).toBe(HOUR_MS)
  expect(pickups.all).toBeGreaterThanOrEqual(2)
  expect(pickups.late).toBeLessThanOrEqual(pickups.all)
  expect(promises.map(({ metric, bound }) => `${metric} ${bound}`).toSorted()).toEqual([
    "reservations.late < 1",
    "reservations.wait_max < 8m",
  ])
  for (const { breaks } of promises) {
    expect(breaks.low).toBeLessThanOrEqual(breaks.value)
    expect(breaks.high).toBeGreaterThanOrEqual(breaks.value)
  }
  expect(waits.map(({ at }) => Date.parse(at) - Date.parse(madeAt))).toEqual([0, 15, 30, 45].map(minutes))
  expect(JSON.stringify(made)).not.toMatch(/Ada|512555/)
  expect(threads.given.map(typesOf)).toEqual([["past", "present", "order"]])
  // Within a minute the answer is the same; after it, a forecast with more runs comes from the learned model.
  const again = await Promise.all([forecastOf(api, "?ahead=1h"), forecastOf(api, "?ahead=1h")])
  expect(again.map(({ figures }) => figures)).toEqual([made.figures, made.figures])
  await pair(api, "Maya R.")
  await api.advance(FORECAST_FRESH_MS)
  expect(await forecastOf(api, "?ahead=1h")).toMatchObject({ state: "ready", is_being_made: true })
  const newer = await until(api, "ready", "?ahead=1h")
  expect(newer.figures?.["made_at"]).not.toBe(madeAt)
  // Who has a phone now is on the shift; who had a task is not.
  expect(newer.figures).toMatchObject({ runners: 1, runners_from: "phones" })
  expect(threads.given.map(runsOf)).toEqual([FORECAST_FIRST_RUNS, FORECAST_RUNS])
  expect(threads.given.map(typesOf)).toEqual([
    ["past", "present", "order"],
    ["present", "order"],
  ])
  expect(threads.stopped.count).toBe(2)
})

test("a thread that takes too long is stopped, and the answer says so and when to ask again; so of one that fails", async () => {
  const threads = watched(SILENT)
  const api = await withHistory(threads.options)
  expect(await forecastOf(api)).toMatchObject({ state: "being_made" })
  for (let tries = 0; tries < 50; tries += 1) await api.advance(10)
  expect(threads.given.map((messages) => typesOf(messages).at(-1))).toEqual(["order"])
  expect(await forecastOf(api)).toMatchObject({ state: "being_made", is_being_made: true })
  await api.advance(FORECAST_MS_MAX)
  const failed = await until(api, "unavailable")
  expect(failed).toMatchObject({ reason: "took_too_long", figures: null })
  expect(Date.parse(failed.ask_again_at) - api.now()).toBeGreaterThan(FORECAST_RETRY_MS - MINUTE_MS)
  // Requests in the pause begin nothing.
  expect([threads.stopped.count, threads.given.length]).toEqual([1, 1])
  // A thread that ends without an answer is a failure too, and the service goes on.
  threads.script = BROKEN
  await api.advance(FORECAST_RETRY_MS)
  expect(await until(api, "unavailable")).toMatchObject({ reason: "failed", figures: null })
  expect((await api.operate("GET", `/sites/${EAST}/board`)).status).toBe(200)
  threads.script = undefined
  await api.advance(FORECAST_RETRY_MS)
  expect(await until(api, "ready")).toMatchObject({ reason: null })
  expect(threads.stopped.count).toBe(3)
})

test("a bad ahead is refused with what is possible, an unknown site does not exist, and a partner's key reads nothing", async () => {
  const api = await makeApi()
  const refused = await api.operate("GET", `/sites/${EAST}/forecast?ahead=3h`)
  expect([refused.status, refused.code]).toEqual([400, "VALIDATION_ERROR"])
  expect(JSON.stringify(refused.body["details"])).toMatch(/ahead.*30m.*1h.*2h.*4h/)
  expect((await api.operate("GET", `/sites/${EAST}/forecast?ahead=1h&ahead=2h`)).status).toBe(400)
  expect((await api.operate("GET", "/sites/nowhere/forecast")).status).toBe(404)
  expect((await api.operate("GET", `/sites/${EAST}/forecast`, { key: api.key })).status).toBe(401)
})

test("a viewer of the site reads it, and an operator of another site finds nothing there", async () => {
  const api = await makeApi()
  const tokenOf = (siteIds: readonly string[]) =>
    api.run(
      Effect.flatMap(OperatorTokens, (tokens) =>
        tokens.make({ environment: "production", label: "viewer", role: "viewer", siteIds }),
      ),
    )
  const [own, other] = [await tokenOf([EAST]), await tokenOf([WEST])]
  expect((await api.operate("GET", `/sites/${EAST}/forecast`, { key: own.value })).status).toBe(200)
  const hidden = await api.operate("GET", `/sites/${EAST}/forecast`, { key: other.value })
  expect([hidden.status, hidden.code]).toEqual([404, "NOT_FOUND"])
})
