/** The sandbox's scenarios over HTTP: the list, every course, every code, and what isolates one organization from another. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { KEEP_CLOCK_MOVES_MS } from "../../src/model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { writeDeliverySite } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Retention } from "../../src/engine/services/retention/retention.ts"
import { SANDBOX_SITE, deliverySites } from "../conformance/delivery-world.ts"
import { HOOK, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

const SCENARIOS = "/sandbox/v1/scenarios"
const sandbox = { environment: "sandbox" } as const

interface SeenScenario {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly applies_to: "delivery" | "reservation"
  readonly starts_from: readonly string[]
  readonly steps: readonly string[]
}

interface SeenRun {
  readonly id: string
  readonly scenario: string
  readonly status: string
  readonly code: string | null
  readonly reservation_id: string | null
  readonly delivery_id: string | null
  readonly now: string
  readonly steps: readonly {
    readonly description: string
    readonly status: string
    readonly at: string | null
    readonly code: string | null
  }[]
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

function runOf({ data }: Answered): SeenRun {
  return data["run"] as SeenRun
}

async function listed(api: Api): Promise<readonly SeenScenario[]> {
  return (await api.call("GET", SCENARIOS)).data["scenarios"] as readonly SeenScenario[]
}

/** Started, and read when it has ended. Real time goes on meanwhile, so that receivers answer. */
async function played(api: Api, body: object, key = api.key): Promise<SeenRun> {
  const state = { isDone: false }
  const begun = api.call("POST", SCENARIOS, { body, key }).finally(() => {
    state.isDone = true
  })
  while (!state.isDone) await api.advance(10)
  const answered = await begun
  expect([answered.status, answered.body]).toMatchObject([
    expect.toSatisfy((status) => status === 200 || status === 202),
    { success: true },
  ])
  const read = async (): Promise<SeenRun> =>
    runOf(await api.call("GET", `${SCENARIOS}/runs/${runOf(answered).id}`, { key }))
  await expect
    .poll(async () => {
      await api.advance(10)
      return (await read()).status
    })
    .not.toBe("running")
  return read()
}

function statuses({ steps }: SeenRun): readonly string[] {
  return steps.map(({ status }) => status)
}

async function reservation(api: Api, id: string) {
  return reservationOf((await api.call("GET", `/rs/v1/reservations/${id}`)).data)
}

async function delivery(shop: Shop, id = "order-1") {
  return (await shop.call("GET", `/dd/v1/deliveries/${id}`)).data
}

/** The site's vehicles also serve a site of another organization. */
async function shareVehicles({ api }: Shop): Promise<void> {
  const otherId = await api.makeOrganization({ name: "Others" })
  const shared = deliverySites.find(({ siteId }) => siteId === SANDBOX_SITE)
  if (shared === undefined) throw new Error("the world has no site in the sandbox")
  const siteId = "99999999-0000-4000-8000-000000000001"
  const written = writeDeliverySite({ ...shared, siteId, organizationId: otherId })
  await api.run(
    Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks: {}, body: () => written })),
  )
}

test("the list comes from the scenario files: names, sentences and steps in plain words", async () => {
  const api = await makeApi(sandbox)
  const scenarios = await listed(api)
  expect(scenarios.map(({ name, applies_to: kind }) => [name, kind])).toEqual([
    ["bot_no_show", "reservation"],
    ["delivery_receiver_refuses", "delivery"],
    ["no_vehicle", "delivery"],
    ["opt_out", "delivery"],
    ["payload_rejected", "reservation"],
    ["reservation_receiver_refuses", "reservation"],
    ["vehicle_breaks_down", "delivery"],
  ])
  expect(scenarios[0]).toEqual({
    name: "bot_no_show",
    title: "The bot does not come",
    description:
      "The runner stands at the stall with the order. After ten minutes your endpoints get bot_no_show.",
    applies_to: "reservation",
    starts_from: ["confirmed"],
    latest_handoff_status: "AT_UNIT",
    steps: [
      "1 minute later, a runner takes the reservation",
      "2 minutes later, the runner of the reservation is at the store",
      "3 minutes later, the runner of the reservation has the order",
      "4 minutes later, the runner of the reservation is at the bot",
      "Within 10 minutes, the exception bot_no_show is published for the reservation",
      "The reservation has the status confirmed and the handoff status AT_UNIT",
    ],
  })
  for (const step of scenarios.flatMap(({ steps }) => steps)) expect(step).toMatch(/^[A-Z0-9]/)
  // Names that a file gives are not in the sentences.
  for (const step of scenarios.flatMap(({ steps }) => steps))
    expect(step).not.toMatch(/visit|groceries|\bvan\b|shop/)
})

test("bot_no_show: the runner waits ten minutes of the clock, and the exception has the instant", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  const startMs = api.now()
  const run = await played(api, { scenario: "bot_no_show", reservation_id: id })
  expect(run).toMatchObject({ status: "finished", code: null, reservation_id: id, delivery_id: null })
  expect(statuses(run)).toEqual(["done", "done", "done", "done", "as_expected", "as_expected"])
  const minutes = run.steps.map(({ at }) => (Date.parse(at ?? "") - startMs) / MINUTE_MS)
  expect(minutes.map(Math.floor)).toEqual([1, 3, 6, 10, 20, 20])
  const noShow = run.happened.items.find(
    ({ cause, group }) => cause === "timer" && group === `reservation/${id}`,
  )
  expect(noShow?.at).toBe(run.steps[4]?.at)
  expect(await reservation(api, id)).toMatchObject({ status: "confirmed", handoff: { status: "AT_UNIT" } })
})

test("steps whose effect is there already are skipped, and take no time", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  for (let step = 0; step < 3; step += 1) await api.call("POST", `/rs/v1/reservations/${id}/advance`)
  const startMs = api.now()
  const run = await played(api, { scenario: "bot_no_show", reservation_id: id })
  expect(statuses(run)).toEqual(["skipped", "skipped", "skipped", "done", "as_expected", "as_expected"])
  expect(Math.floor((Date.parse(run.now) - startMs) / MINUTE_MS)).toBe(14)
})

test("payload_rejected: the handoff ends as FAILED", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  const run = await played(api, { scenario: "payload_rejected", reservation_id: id })
  expect([run.status, ...statuses(run)]).toEqual([
    "finished",
    "done",
    "done",
    "done",
    "as_expected",
    "as_expected",
  ])
  expect(await reservation(api, id)).toMatchObject({ status: "confirmed", handoff: { status: "FAILED" } })
})

test("reservation_receiver_refuses: nothing leaves for ten minutes, then the retry arrives", async () => {
  const api = await makeApi(sandbox)
  await api.call("POST", "/rs/v1/webhooks", {
    body: { url: HOOK, subscribed_events: ["reservation.handoff_updated"] },
  })
  const id = await api.book()
  const other = await api.book({ order_number: "A-1002" })
  const run = await played(api, { scenario: "reservation_receiver_refuses", reservation_id: id })
  expect([run.status, ...statuses(run)]).toEqual(["finished", "done", "done", "done", "done", "done", "done"])
  const results = run.happened.items.filter(({ cause }) => cause === "result").map(({ event }) => event)
  expect(results).toEqual(["call.failed", "call.failed", "call.failed", "call.succeeded"])
  expect(api.service.received(HOOK)).toHaveLength(1)
  // Other events were not refused.
  await api.call("POST", `/rs/v1/reservations/${other}/advance`)
  await api.call("POST", `/rs/v1/reservations/${other}/advance`)
  await api.advance(SECOND_MS)
  expect(api.service.received(HOOK)).toHaveLength(2)
})

test("delivery_receiver_refuses: five attempts are refused, and the receiver answers again afterwards", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  await shop.call("POST", "/dd/v1/webhooks", { body: { url: HOOK, events: ["pickup_status.changed"] } })
  await created(shop)
  const run = await played(api, { scenario: "delivery_receiver_refuses", delivery_id: "order-1" })
  expect([run.status, ...statuses(run)]).toEqual(["finished", "done", "done", "done", "done", "done"])
  expect(api.service.received(HOOK)).toHaveLength(1)
  const failed = run.happened.items.filter(({ event }) => event === "call.failed")
  expect(failed).toHaveLength(5)
  expect(failed.at(-1)?.outcome).toBe("dropped")
  await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
  await api.advance(SECOND_MS)
  expect(api.service.received(HOOK)).toHaveLength(2)
})

test("no_vehicle: the quote of another order says so, the delivery is cancelled, the vehicle comes back", async () => {
  const shop = await openShop("sandbox")
  await created(shop)
  const run = await played(shop.api, { scenario: "no_vehicle", delivery_id: "order-1" })
  expect([run.status, ...statuses(run)]).toEqual([
    "finished",
    "done",
    "done",
    "done",
    "as_expected",
    "done",
    "as_expected",
    "done",
  ])
  expect(run.steps[1]?.code).toBe("NO_DRIVERS_ONLINE")
  expect(await delivery(shop)).toMatchObject({ status: "CANCELLED", cancellation_reason: "no vehicle came" })
  const { data } = await shop.call("POST", "/dd/v1/deliveries/quote", {
    body: shop.quoting({
      external_delivery_id: "order-2",
      ready_by: iso(Date.parse(run.now) + 30 * MINUTE_MS),
    }),
  })
  expect(data["available"]).toBe(true)
})

test.each([
  [0, "EN_ROUTE_TO_STORE"],
  [5, "LOADED"],
])("vehicle_breaks_down after %i advances", async (advances, last) => {
  const shop = await openShop("sandbox")
  await created(shop)
  for (let step = 0; step < advances; step += 1) await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
  const run = await played(shop.api, { scenario: "vehicle_breaks_down", delivery_id: "order-1" })
  const first = advances === 0 ? "done" : "skipped"
  expect([run.status, ...statuses(run)]).toEqual([
    "finished",
    first,
    "done",
    "done",
    "done",
    "as_expected",
    "done",
  ])
  expect(await delivery(shop)).toMatchObject({
    status: "CANCELLED",
    cancellation_reason: "the vehicle broke down",
  })
  const reached = run.happened.items
    .filter(({ event }) => event === "step.advanced")
    .map(({ outcome }) => outcome)
  expect(reached.at(-1)?.toLowerCase() ?? "open.loaded").toContain(last.toLowerCase())
})

test("opt_out: the next quote says CUSTOMER_OPTED_OUT, and the delivery goes on", async () => {
  const shop = await openShop("sandbox")
  await created(shop)
  const run = await played(shop.api, { scenario: "opt_out", delivery_id: "order-1" })
  expect([run.status, ...statuses(run)]).toEqual(["finished", "done", "done", "done"])
  expect(run.steps[1]?.code).toBe("CUSTOMER_OPTED_OUT")
  expect(await delivery(shop)).toMatchObject({ status: "ASSIGNED" })
})

test("without an id a test reservation or a test delivery is made, with sandbox:manage alone", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  const key = await api.holding("sandbox:manage")
  const visit = await played(api, { scenario: "payload_rejected" }, key)
  expect(visit.status).toBe("finished")
  expect(await reservation(api, visit.reservation_id ?? "")).toMatchObject({ handoff: { status: "FAILED" } })
  const order = await played(api, { scenario: "opt_out" }, key)
  expect([order.status, order.delivery_id]).toEqual(["finished", expect.stringMatching(/^dlv_/)])
})

test.each(["opt_out", "delivery_receiver_refuses"])(
  "%s without an id ends its test delivery, so that it can be played again and again",
  async (scenario) => {
    const shop = await openShop("sandbox")
    const numbers = new Set<string>()
    for (let time = 0; time < 4; time += 1) {
      const run = await played(shop.api, { scenario })
      expect([time, run.status, run.code]).toEqual([time, "finished", null])
      const row = await shop.api.run(Effect.flatMap(DeliveryRows, (rows) => rows.byId(run.delivery_id ?? "")))
      expect(await delivery(shop, row?.externalDeliveryId)).toMatchObject({
        status: "CANCELLED",
        cancellation_reason: "the scenario is over",
      })
      numbers.add(row?.customer.phone ?? "")
    }
    // The customer who opted out has opted in again.
    expect([...numbers]).toEqual([expect.stringMatching(/^\+1512555/)])
  },
)

test("a test delivery for which the scenario could not begin is cancelled", async () => {
  const shop = await openShop("sandbox")
  await shareVehicles(shop)
  for (let time = 0; time < 4; time += 1) {
    const refused = await shop.api.call("POST", SCENARIOS, { body: { scenario: "no_vehicle" } })
    expect([time, codeOf(refused)]).toEqual([time, "409 INVALID_STATE"])
  }
})

test("a test reservation ends with its scenario", async () => {
  const api = await makeApi(sandbox)
  const run = await played(api, { scenario: "payload_rejected" })
  expect(await reservation(api, run.reservation_id ?? "")).toMatchObject({
    status: "canceled",
    handoff: { status: "FAILED" },
  })
})

test("a frozen clock stands still again where the course ended", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  await api.call("POST", "/sandbox/v1/clock/freeze")
  const startMs = api.now()
  const run = await played(api, { scenario: "bot_no_show", reservation_id: id })
  expect(run.now).toBe(iso(startMs + 20 * MINUTE_MS))
  const { clock } = (await api.call("GET", "/sandbox/v1/clock")).data as { clock: object }
  expect(clock).toMatchObject({ mode: "frozen", now: run.now, move_id: null })
})

test("a step that is refused ends the course as failed, and the vehicle comes back", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  await created(shop)
  // The retailer cancels while the course waits for its quote to be answered.
  await shop.call("POST", "/dd/v1/webhooks", { body: { url: HOOK, events: ["pickup_status.changed"] } })
  api.service.script(HOOK, [{ type: "status", status: 200, afterMs: 5 * SECOND_MS }])
  const begun = await api.call("POST", SCENARIOS, {
    body: { scenario: "vehicle_breaks_down", delivery_id: "order-1" },
  })
  expect([begun.status, runOf(begun).status]).toEqual([202, "running"])
  for (let step = 0; step < 7; step += 1) await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
  expect(await delivery(shop)).toMatchObject({ status: "COMPLETED" })
  const read = async (): Promise<SeenRun> =>
    runOf(await api.call("GET", `${SCENARIOS}/runs/${runOf(begun).id}`))
  await expect
    .poll(async () => {
      await api.advance(SECOND_MS)
      return (await read()).status
    })
    .toBe("failed")
  const run = await read()
  expect(run.code).toBe("INVALID_STATE")
  expect(statuses(run).slice(-3)).toEqual(["refused", "not_run", "done"])
  const { data } = await shop.call("POST", "/dd/v1/deliveries/quote", {
    body: shop.quoting({
      external_delivery_id: "order-2",
      ready_by: iso(Date.parse(run.now) + 30 * MINUTE_MS),
    }),
  })
  expect(data["available"]).toBe(true)
})

test("CLOCK_IS_MOVING: one course or move at a time, and the clock shows it", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  await api.call("POST", "/rs/v1/webhooks", {
    body: { url: HOOK, subscribed_events: ["reservation.handoff_updated"] },
  })
  api.service.script(HOOK, [{ type: "status", status: 200, afterMs: 5 * SECOND_MS }])
  const begun = await api.call("POST", SCENARIOS, { body: { scenario: "bot_no_show", reservation_id: id } })
  expect([begun.status, runOf(begun).status]).toEqual([202, "running"])
  const { clock } = (await api.call("GET", "/sandbox/v1/clock")).data as { clock: object }
  expect(clock).toMatchObject({ move_id: runOf(begun).id })
  for (const [path, body] of [
    [SCENARIOS, { scenario: "payload_rejected", reservation_id: id }],
    [SCENARIOS, { scenario: "payload_rejected" }],
    ["/sandbox/v1/clock/advance", { by: "PT1M" }],
  ] as const) {
    const { status, code } = await api.call("POST", path, { body })
    expect([path, status, code]).toEqual([path, 409, "CLOCK_IS_MOVING"])
  }
  await expect
    .poll(async () => {
      await api.advance(SECOND_MS)
      return runOf(await api.call("GET", `${SCENARIOS}/runs/${runOf(begun).id}`)).status
    })
    .toBe("finished")
})

test.each([
  ["no name", {}, "scenario"],
  ["an unknown name", { scenario: "earthquake" }, "scenario"],
  ["an id of the other kind", { scenario: "bot_no_show", delivery_id: "dlv_1" }, "delivery_id"],
  ["an empty id", { scenario: "bot_no_show", reservation_id: "" }, "reservation_id"],
])("VALIDATION_ERROR: %s", async (_, body, field) => {
  const api = await makeApi(sandbox)
  const answered = await api.call("POST", SCENARIOS, { body })
  expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
  expect(JSON.stringify(answered.body)).toContain(`"${field}"`)
  if ("scenario" in body && body.scenario === "earthquake")
    expect(JSON.stringify(answered.body)).toContain(
      "must be one of bot_no_show, delivery_receiver_refuses, no_vehicle, opt_out, payload_rejected",
    )
})

test("INVALID_STATE says which state the course needs", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  const id = await api.book()
  await api.call("DELETE", `/rs/v1/reservations/${id}`)
  const ended = await api.call("POST", SCENARIOS, { body: { scenario: "bot_no_show", reservation_id: id } })
  expect([codeOf(ended), JSON.stringify(ended.body)]).toEqual([
    "409 INVALID_STATE",
    expect.stringContaining(
      "bot_no_show needs a reservation in confirmed, with a handoff that is not past AT_UNIT; this one is canceled",
    ),
  ])
  await created(shop)
  await shop.call("POST", "/dd/v1/deliveries/order-1/advance")
  const begun = await api.call("POST", SCENARIOS, {
    body: { scenario: "no_vehicle", delivery_id: "order-1" },
  })
  expect([codeOf(begun), JSON.stringify(begun.body)]).toEqual([
    "409 INVALID_STATE",
    expect.stringContaining("no_vehicle needs a delivery in SCHEDULED; this one is ASSIGNED"),
  ])
})

test("INVALID_STATE: a vehicle that serves other organizations is left alone", async () => {
  const shop = await openShop("sandbox")
  await shareVehicles(shop)
  await created(shop)
  for (const scenario of ["no_vehicle", "vehicle_breaks_down"]) {
    const refused = await shop.api.call("POST", SCENARIOS, { body: { scenario, delivery_id: "order-1" } })
    expect([codeOf(refused), JSON.stringify(refused.body)]).toEqual([
      "409 INVALID_STATE",
      expect.stringContaining("vehicles serve other organizations too"),
    ])
  }
})

test("NOT_FOUND for what belongs to another organization, and for what does not exist", async () => {
  const shop = await openShop("sandbox")
  const { api } = shop
  const otherId = await api.makeOrganization({ name: "Others" })
  const key = await api.makeKey({ organizationId: otherId })
  const id = await api.book()
  await created(shop)
  const run = await played(api, { scenario: "opt_out", delivery_id: "order-1" })
  for (const [scenario, field, ids] of [
    ["bot_no_show", "reservation_id", [id, "res_none"]],
    ["opt_out", "delivery_id", ["order-1", run.delivery_id, "dlv_none"]],
  ] as const) {
    for (const one of ids) {
      const answered = await api.call("POST", SCENARIOS, { key, body: { scenario, [field]: one } })
      expect([one, codeOf(answered)]).toEqual([one, "404 NOT_FOUND"])
      expect(JSON.stringify(answered.body)).toContain(`${field.replace("_id", "")} ${one}`)
    }
  }
  const foreign = await api.call("GET", `${SCENARIOS}/runs/${run.id}`, { key })
  expect(codeOf(foreign)).toBe("404 NOT_FOUND")
  const none = await api.call("GET", `${SCENARIOS}/runs/none`)
  expect(codeOf(none)).toBe("404 NOT_FOUND")
  const { clock } = (await api.call("GET", "/sandbox/v1/clock", { key })).data as { clock: object }
  expect(clock).toMatchObject({ mode: "real" })
})

test("without a grant or a site the answer names what is missing", async () => {
  const api = await makeApi(sandbox)
  const organizationId = await api.makeOrganization({ name: "Shop", isFleetPartner: false })
  const key = await api.makeKey({ organizationId })
  const order = await api.call("POST", SCENARIOS, { key, body: { scenario: "opt_out" } })
  expect(codeOf(order)).toBe("404 RETAILER_NOT_FOUND")
})

test("PERMISSION_DENIED without sandbox:manage, INVALID_API_KEY without a key; production has no such paths", async () => {
  const api = await makeApi(sandbox)
  const key = await api.holding(...PERMISSIONS.filter((one) => one !== "sandbox:manage"))
  for (const [method, path] of [
    ["GET", SCENARIOS],
    ["POST", SCENARIOS],
    ["GET", `${SCENARIOS}/runs/some`],
  ] as const) {
    const body = method === "POST" ? { body: { scenario: "bot_no_show" } } : {}
    expect([method, path, codeOf(await api.call(method, path, { key, ...body }))]).toEqual([
      method,
      path,
      "403 PERMISSION_DENIED",
    ])
    expect(codeOf(await api.call(method, path, { key: null, ...body }))).toBe("401 INVALID_API_KEY")
  }
})

test("production has no scenarios: 404 before the key", async () => {
  const api = await makeApi()
  for (const path of [SCENARIOS, `${SCENARIOS}/runs/some`]) {
    const { statusCode } = await api.app.inject({ method: "GET", url: path })
    expect([path, statusCode]).toEqual([path, 404])
  }
})

test("runs are kept as long as moves of clocks", async () => {
  const api = await makeApi(sandbox)
  const id = await api.book()
  const run = await played(api, { scenario: "payload_rejected", reservation_id: id })
  const purge = Effect.flatMap(Retention, (retention) => retention.run)
  const ended = (purged: readonly { readonly name: string; readonly rows: number }[]) =>
    purged.filter(({ name }) => name.endsWith("of courses"))
  expect(ended(await api.run(purge)).map(({ rows }) => rows)).toEqual([0, 0])
  await api.advance(KEEP_CLOCK_MOVES_MS + SECOND_MS)
  expect(ended(await api.run(purge))).toEqual([
    { name: "runs of courses", rows: 1 },
    { name: "steps of courses", rows: run.steps.length },
  ])
})
