/**
 * The forecast of a site, over the service as a user starts it: a day of visits, and on the next day operations read which promises
 * will break. The service answers others meanwhile, and stops in order while one is made.
 */

import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import { booking } from "../serve/service-process.ts"
import type { DatabaseKind } from "../serve/service-process.ts"
import { databasesOf, onDatabases } from "./served.ts"
import type { Json, Served } from "./served.ts"

const ROOT = join(import.meta.dirname, "../..")
const HOUR_MS = 3_600_000
/** Each request takes time from the forecast itself. */
const POLL_MS = 1_000

/** How far the clock of a service is from today's, in hours: visits happen on the day before. */
const hoursOff = new Map<DatabaseKind, number>()

const offMsOn = (database: DatabaseKind): number => (hoursOff.get(database) ?? -26) * HOUR_MS

const env = (database: DatabaseKind) => ({
  NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
  CLOCK_OFF_MS: String(offMsOn(database)),
  CURBLINE_CLOCK_SECONDS_MAX: "off",
})

const VISITS = 22
const DELIVERIES = 3

const settings = { databases: databasesOf("PostgreSQL"), env, hasDemo: true }

onDatabases("the forecast of a site", settings, (served) => {
  let openId = ""
  let visitId = ""

  test("a site that opened today has too little history, and says how much is wanted", async () => {
    const found = await until(served, "too_little_history")
    expect(found.history).toMatchObject({ reservations: 0, reservations_wanted: 20, hours_wanted: 24 })
  })

  test("on the day after, it says how many pickups and deliveries are late, and what one more runner or vehicle or another policy changes", async () => {
    for (let number = 0; number < VISITS; number += 1) visitId = await visit(served, number)
    for (let number = 0; number < DELIVERIES; number += 1) await delivered(served, number)
    hoursOff.set(served.database, 0)
    await served.restart()
    openId = await booked(served, "under way")
    const asked = "?dispatch_policy=batching"
    const first = await forecastOf(served, asked)
    expect(first).toMatchObject({ state: "being_made", is_being_made: true, figures: null })
    // Others are answered while it is made.
    expect(
      (await served.ask({ ...asOperator(served), path: `/internal/v1/reservations/${openId}` })).status,
    ).toBe(200)
    const { figures } = await until(served, "ready", asked)
    expect(figures).toMatchObject({
      open_reservations: 1,
      runners: 2,
      history_reservations: VISITS + 1,
      left_out: [],
    })
    expect(figures.pickups.all).toBeGreaterThanOrEqual(0.5)
    expect(figures.pickups_with_one_more.late).toBeLessThanOrEqual(figures.pickups_with_one_more.all)
    expect(figures.vehicles).toBeGreaterThan(0)
    expect(figures.history_runs).toBe(DELIVERIES)
    expect(figures.deliveries.all).toBeGreaterThanOrEqual(figures.deliveries.late)
    expect(figures.deliveries.late_with_one_more_vehicle).toBeGreaterThanOrEqual(0)
    expect(figures.deliveries.with_policy).toEqual({ all: expect.any(Number), late: expect.any(Number) })
    expect(figures.errands).toBeNull()
    expect(figures.promises.map(({ metric }: Json) => metric).toSorted()).toEqual([
      "deliveries.late",
      "reservations.late",
      "reservations.wait_max",
    ])
    expect(figures.waits).toHaveLength(8)
  })

  test("a service that stops while a forecast is made stops in order, and makes it after its start", async () => {
    expect(await forecastOf(served, "?ahead=4h")).toMatchObject({ is_being_made: true })
    await served.restart()
    expect(await forecastOf(served, "?ahead=4h")).toMatchObject({ state: "being_made" })
    expect((await until(served, "ready", "?ahead=4h")).figures.waits).toHaveLength(16)
  })

  test("a reservation whose window went by has the moment at which it was lost; one that ended well has none", async () => {
    expect(await momentOf(served, visitId)).toMatchObject({ state: "not_lost", answer: { is: "good" } })
    hoursOff.set(served.database, 2)
    await served.restart()
    const { state, answer } = await momentOf(served, openId)
    expect([state, answer?.is, answer?.asked]).toMatchObject(["ready", "bad", { id: openId }])
    expect(answer.headline).toMatch(/^\S.*\.$/)
    expect(answer.figures.curve.length).toBeGreaterThan(0)
    expect(await momentOf(served, openId)).toMatchObject({ state: "ready", answer })
  })
})

/** Once it is no longer being made. */
async function momentOf(served: Served, id: string): Promise<Json> {
  for (;;) {
    const path = `/internal/v1/reservations/${id}/moment`
    const { status, data, text } = await served.ask({ ...asOperator(served), path })
    expect(status, text).toBe(200)
    const { moment } = data
    if (moment.state !== "being_made") return moment
    await after(POLL_MS)
  }
}

function asOperator(served: Served): { readonly bearer: string } {
  return { bearer: served.process().access.production.operator_token }
}

async function forecastOf(served: Served, query = ""): Promise<Json> {
  const path = `/internal/v1/sites/${served.process().access.production.site_id}/forecast${query}`
  const { status, data } = await served.ask({ ...asOperator(served), path })
  expect(status).toBe(200)
  return data.forecast
}

async function until(served: Served, state: string, query = ""): Promise<Json> {
  for (;;) {
    const found = await forecastOf(served, query)
    if (found.state === state) return found
    expect(found, served.process().log()).toMatchObject({ state: "being_made" })
    await after(POLL_MS)
  }
}

async function booked(served: Served, order: string): Promise<string> {
  const { production } = served.process().access
  const usual = booking(production, "http://127.0.0.1:9/open", order)
  const at = (minutes: number): string =>
    new Date(Date.now() + offMsOn(served.database) + minutes * 60_000).toISOString()
  const { status, data } = await served.ask({
    bearer: production.api_key,
    path: "/rs/v1/reservations",
    body: { ...usual, arrival_window_start: at(30), arrival_window_end: at(60) },
  })
  expect(status).toBe(201)
  return data.reservation.reservation_id
}

/** From the booking to the departure, as fast as requests come. */
async function visit(served: Served, number: number): Promise<string> {
  const { production } = served.process().access
  const id = await booked(served, `Visit ${number}`)
  const move = async (path: string, body?: object): Promise<void> => {
    const answer = await served.ask({
      ...asOperator(served),
      method: "POST",
      path: `/internal/v1/reservations/${id}/${path}`,
      ...(body === undefined ? {} : { body }),
    })
    expect([path, answer.status]).toEqual([path, 200])
  }
  const report = async (status: string): Promise<void> => {
    const path = `/rs/v1/reservations/${id}/bot`
    const answer = await served.ask({ bearer: production.api_key, path, body: { status } })
    expect([status, answer.status]).toEqual([status, 200])
  }
  await move("runner", { runner_id: `runner_${number % 2}` })
  await move("at-store")
  await move("order-in-hand")
  await report("ARRIVED")
  await move("at-unit")
  await report("READY_FOR_HANDOFF")
  await move("load")
  await report("DEPARTED")
  return id
}

/** Requested by the retailer, and at the customer's door by the word of the people at the site. */
async function delivered(served: Served, number: number): Promise<void> {
  const { production } = served.process().access
  const call = async (path: string, body: object, wanted: number): Promise<void> => {
    const answer = await served.ask({
      bearer: production.api_key,
      headers: { "x-retailer-id": production.site_id },
      path,
      body,
    })
    expect([path, answer.status], answer.text).toEqual([path, wanted])
  }
  const externalId = `Order ${number}`
  await call(
    "/dd/v1/deliveries/quote",
    {
      external_delivery_id: externalId,
      customer: { phone: "+15125550123", first_name: "Dana", last_name: "R." },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: { latitude: 30.41, longitude: -97.72 },
      ready_by: new Date(Date.now() + offMsOn(served.database) + 600_000).toISOString(),
      order_items: [{ name: "Milk", quantity: 2 }],
    },
    200,
  )
  await call("/dd/v1/deliveries", { external_delivery_id: externalId }, 201)
  const list = await served.ask({
    ...asOperator(served),
    path: `/internal/v1/deliveries?q=${encodeURIComponent(externalId)}`,
  })
  const path = `/internal/v1/deliveries/${list.data.deliveries[0].delivery_id}/status`
  expect((await served.ask({ ...asOperator(served), path, body: { status: "COMPLETED" } })).status).toBe(200)
}
