/** Vehicles and runs over the operations API: telemetry, supervisors, another vehicle. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { Compartments } from "../../src/areas/compartments/compartments.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../src/areas/direct-delivery/rows.ts"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { writeDeliverySite } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { FLEET, SITE, deliverySites, north } from "../conformance/delivery-world.ts"
import { contentOf, iso, makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"
import { codeOf } from "./shop.ts"

async function writeSite(api: Api, more: Partial<DeliverySite> = {}): Promise<void> {
  const site = deliverySites.find(({ siteId }) => siteId === SITE)
  if (site === undefined) throw new Error("the world has no such site")
  const given = writeDeliverySite({ ...site, organizationId: api.organizationId, ...more })
  await api.run(
    Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks: {}, body: () => given })),
  )
}

/** A production site with one vehicle, another one off line, and a delivery on its way to the first. */
async function withRun(): Promise<{ readonly api: Api; readonly id: string }> {
  const api = await makeApi()
  await writeSite(api)
  const vehicle = { fleetId: FLEET, environment: "production", isSynthetic: false } as const
  const register = (vehicleId: string, isOnline: boolean) =>
    api.run(
      Effect.flatMap(Vehicles, (vehicles) =>
        vehicles.register({ ...vehicle, vehicleId, label: vehicleId, isOnline }),
      ),
    )
  await register("veh_1", true)
  await register("veh_2", false)
  await order(api, "order-1")
  const [run] = (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"] as readonly {
    readonly delivery_id: string
  }[]
  return { api, id: run?.delivery_id ?? "" }
}

/** An order that is ready in ten minutes. */
async function order(api: Api, external_delivery_id: string): Promise<Record<string, unknown>> {
  const headers = { "x-retailer-id": SITE }
  const body = {
    external_delivery_id,
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: iso(api.now() + 10 * MINUTE_MS),
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await api.call("POST", "/dd/v1/deliveries/quote", { headers, body })
  return (await api.call("POST", "/dd/v1/deliveries", { headers, body: { external_delivery_id } })).data
}

/** Once the groups have taken what they sent each other. */
async function statusOf(api: Api): Promise<unknown> {
  await api.advance(0)
  const [run] = (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"] as readonly {
    readonly status: string
  }[]
  return run?.status
}

describe("vehicles over HTTP", () => {
  test("the board's estimates of a run are those of its delivery, and follow the vehicle", async () => {
    const { api, id } = await withRun()
    const headers = { "x-retailer-id": SITE }
    const compared = async () => {
      const { board } = (await api.operate("GET", `/sites/${SITE}/board`)).data as {
        readonly board: {
          readonly vehicles: readonly {
            readonly vehicle_id: string
            readonly run: Readonly<Record<string, string | null>> | null
          }[]
        }
      }
      const { data } = await api.call("GET", "/dd/v1/deliveries/order-1", { headers })
      const { estimated_pickup_at, estimated_delivery_at } = data as Record<string, string | null>
      const run = board.vehicles.find(({ vehicle_id }) => vehicle_id === "veh_1")?.run
      expect(run).toMatchObject({ delivery_id: id, estimated_pickup_at, estimated_delivery_at })
      return run
    }
    const report = (body: object) => api.operate("POST", "/vehicles/veh_1/telemetry", { body })
    const booked = await compared()
    await report({ ...north(6_000), recorded_at: iso(api.now()) })
    const far = await compared()
    expect(far?.["estimated_pickup_at"]).not.toBe(booked?.["estimated_pickup_at"])
    await report({ ...north(0), recorded_at: iso(api.now() + SECOND_MS) })
    await api.advance(31 * SECOND_MS)
    await report({ ...north(0), recorded_at: iso(api.now()), load: "loaded" })
    await api.advance(0)
    const loaded = await compared()
    expect(loaded?.["estimated_pickup_at"]).toBeNull()
    expect(Date.parse(loaded?.["arrives_from"] ?? "")).toBeLessThan(Date.parse(loaded?.["arrives_to"] ?? ""))
  })

  test("PM1 and PM3: fixes move the delivery, a repeat is a no-op, and an older one moves nothing", async () => {
    const { api } = await withRun()
    expect(await statusOf(api)).toBe("ASSIGNED")
    const report = (body: object) => api.operate("POST", "/vehicles/veh_1/telemetry", { body })
    const fix = { ...north(0), recorded_at: iso(api.now()) }
    expect((await report(fix)).data).toEqual({ stored: 1, repeated: 0, older: 0 })
    expect(await statusOf(api)).toBe("ARRIVED_AT_STORE")
    expect((await report(fix)).data).toEqual({ stored: 0, repeated: 1, older: 0 })
    const older = { ...north(3_000), recorded_at: iso(api.now() - SECOND_MS) }
    expect((await report({ fixes: [older] })).data).toEqual({ stored: 1, repeated: 0, older: 1 })
    expect(await statusOf(api)).toBe("ARRIVED_AT_STORE")
    await api.advance(30 * SECOND_MS)
    expect(await statusOf(api)).toBe("WAITING_FOR_LOAD")
    await report({ ...north(0), recorded_at: iso(api.now()), load: "loaded" })
    expect(await statusOf(api)).toBe("LOADED")
    expect(codeOf(await report({ latitude: 91, longitude: 0, recorded_at: "today" }))).toBe(
      "400 VALIDATION_ERROR",
    )
    expect(codeOf(await api.operate("POST", "/vehicles/veh_x/telemetry", { body: fix }))).toBe(
      "404 NOT_FOUND",
    )
  })

  test("a vehicle tells that its next order is on board, too: once its own is, and of no other order", async () => {
    const { api, id } = await withRun()
    await order(api, "order-2")
    const headers = { "x-retailer-id": SITE }
    const statusesOf = () =>
      Promise.all(
        ["order-1", "order-2"].map(
          async (one) => (await api.call("GET", `/dd/v1/deliveries/${one}`, { headers })).data["status"],
        ),
      )
    const runs = (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"] as readonly {
      readonly delivery_id: string
    }[]
    const second = runs.find(({ delivery_id }) => delivery_id !== id)?.delivery_id
    const report = async (metres: number, more: object) => {
      await api.advance(SECOND_MS)
      const body = { ...north(metres), recorded_at: iso(api.now()), ...more }
      expect((await api.operate("POST", "/vehicles/veh_1/telemetry", { body })).status).toBe(200)
      await api.advance(0)
      return statusesOf()
    }
    expect(await report(0, { also_on_board: second })).toEqual(["ARRIVED_AT_STORE", "ASSIGNED"])
    expect(await report(0, { load: "loaded" })).toEqual(["LOADED", "ASSIGNED"])
    expect(await report(0, { also_on_board: "dlv_other" })).toEqual(["LOADED", "ASSIGNED"])
    expect(await report(0, { also_on_board: second })).toEqual(["LOADED", "LOADED"])
    expect(await report(500, { also_on_board: second })).toEqual([
      "EN_ROUTE_TO_CUSTOMER",
      "EN_ROUTE_TO_CUSTOMER",
    ])
  })

  test("PM1: a fix has a place and a time, and may have speed, load and sequence, which tells fixes of one instant apart", async () => {
    const { api } = await withRun()
    const report = (body: object) => api.operate("POST", "/vehicles/veh_1/telemetry", { body })
    await report({ ...north(0), recorded_at: iso(api.now()) })
    await api.advance(30 * SECOND_MS)
    const fix = { ...north(1), recorded_at: iso(api.now()) }
    const bounds: readonly (readonly [field: string, good: unknown, bad: unknown])[] = [
      ["sequence", 0, -1],
      ["sequence", 1, 1.5],
      ["sequence", Number.MAX_SAFE_INTEGER, 2 ** 53],
      ["sequence", null, "1"],
      ["speed_mps", 100, 101],
      ["speed_mps", 0, -1],
      ["load", "unloaded", "half"],
      ["battery_percent", 100, 100.5],
      ["battery_percent", 0, -1],
      ["latitude", 90, 91],
      ["longitude", -180, -181],
      ["recorded_at", fix.recorded_at, "today"],
    ]
    for (const [field, good, bad] of bounds) {
      // Of another vehicle, which is at no store.
      const answers = [good, bad].map((value) =>
        api.operate("POST", "/vehicles/veh_2/telemetry", { body: { ...fix, [field]: value } }),
      )
      expect((await Promise.all(answers)).map(codeOf), field).toEqual(["200 -", "400 VALIDATION_ERROR"])
    }
    const loading = {
      fixes: [
        { ...fix, sequence: 8, load: "loaded", speed_mps: 0.5, battery_percent: 12.4 },
        { ...fix, sequence: 7 },
      ],
    }
    expect((await report(loading)).data).toEqual({ stored: 2, repeated: 0, older: 0 })
    expect(await statusOf(api)).toBe("LOADED")
    expect((await report(loading)).data).toEqual({ stored: 0, repeated: 2, older: 0 })
    for (const repeat of [fix, { ...fix, sequence: 8 }])
      expect((await report(repeat)).data).toMatchObject({ repeated: 1 })
    const late = { ...fix, ...north(500), sequence: 6 }
    expect((await report(late)).data).toEqual({ stored: 1, repeated: 0, older: 1 })
    expect((await report(late)).data).toEqual({ stored: 0, repeated: 1, older: 0 })
    const row = await api.run(Effect.flatMap(VehicleRows, (rows) => rows.lastFix({ vehicleId: "veh_1" })))
    expect(row).toMatchObject({ sequence: 8, speedMps: 0.5, load: "loaded", batteryPercent: 12.4 })
  })

  test("the board and the list show the battery of a vehicle whose last fix reports it, and null of one that does not", async () => {
    const { api } = await withRun()
    const shown = async () => {
      const { board } = (await api.operate("GET", `/sites/${SITE}/board`)).data as {
        readonly board: { readonly vehicles: readonly Readonly<Record<string, unknown>>[] }
      }
      const { vehicles } = (await api.operate("GET", "/vehicles")).data as {
        readonly vehicles: readonly Readonly<Record<string, unknown>>[]
      }
      return [board.vehicles, vehicles].map(
        (all) => all.find(({ vehicle_id }) => vehicle_id === "veh_1")?.["battery_percent"],
      )
    }
    const report = (more: object) =>
      api.operate("POST", "/vehicles/veh_1/telemetry", {
        body: { ...north(0), recorded_at: iso(api.now()), ...more },
      })
    expect(await shown()).toEqual([null, null])
    await report({ battery_percent: 41.5 })
    expect(await shown()).toEqual([41.5, 41.5])
    await api.advance(SECOND_MS)
    await report({})
    expect(await shown()).toEqual([null, null])
  })

  test("PM4: a supervisor names a later status, and never an earlier one", async () => {
    const { api, id } = await withRun()
    const say = (status: string) => api.operate("POST", `/deliveries/${id}/status`, { body: { status } })
    expect((await say("LOADED")).data["delivery"]).toMatchObject({ status: "LOADED" })
    expect((await say("ARRIVED_AT_STORE")).status).toBe(409)
    expect(codeOf(await say("CANCELLED"))).toBe("400 VALIDATION_ERROR")
    const unknown = await api.operate("POST", "/deliveries/dlv_x/status", { body: { status: "LOADED" } })
    expect(unknown.status).toBe(404)
    await writeSite(api, { hasSupervisor: false })
    expect(codeOf(await say("COMPLETED"))).toBe("409 INVALID_STATE")
  })

  test("PM6: a run stays with a vehicle that goes off line, until operations give it to another; its estimates move, its quoted times do not", async () => {
    const { api, id } = await withRun()
    const runs = async () => (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"]
    const line = (vehicle: string, is_online: boolean) =>
      api.operate("PATCH", `/vehicles/${vehicle}`, { body: { is_online } })
    expect((await line("veh_1", false)).data).toEqual({ vehicle_id: "veh_1", is_online: false })
    expect(await runs()).toMatchObject([{ delivery_id: id, vehicle_id: "veh_1" }])
    await line("veh_2", true)
    const headers = { "x-retailer-id": SITE }
    const times = async () => (await api.call("GET", "/dd/v1/deliveries/order-1", { headers })).data
    const quoted = await times()
    const eta = async () => Date.parse(String((await times())["estimated_pickup_at"])) - api.now()
    expect(await eta()).toBeLessThanOrEqual(11 * MINUTE_MS)
    const far = { ...north(-20_000), recorded_at: iso(api.now()) }
    await api.operate("POST", "/vehicles/veh_2/telemetry", { body: far })
    const moved = await api.operate("PUT", `/deliveries/${id}/vehicle`, { body: { vehicle_id: "veh_2" } })
    expect(moved.status).toBe(200)
    // 20 km at 25 km/h.
    expect(await eta()).toBeGreaterThanOrEqual(48 * MINUTE_MS)
    expect(await runs()).toMatchObject([{ delivery_id: id, vehicle_id: "veh_2" }])
    // On board it has been picked up: only the way to the customer remains.
    await api.operate("POST", `/deliveries/${id}/status`, { body: { status: "LOADED" } })
    await line("veh_1", true)
    await api.advance(7 * MINUTE_MS)
    await api.operate("PUT", `/deliveries/${id}/vehicle`, { body: { vehicle_id: "veh_1" } })
    const after = await times()
    expect(after).toMatchObject({ pickup_eta: quoted["pickup_eta"], delivery_eta: quoted["delivery_eta"] })
    expect(after["estimated_pickup_at"]).toBeNull()
    const lastsMs = (2_000 / 25_000) * 60 * MINUTE_MS
    expect(after["estimated_delivery_at"]).toBe(iso(Math.ceil((api.now() + lastsMs) / MINUTE_MS) * MINUTE_MS))
    const unknown = await api.operate("PUT", `/deliveries/${id}/vehicle`, { body: { vehicle_id: "veh_x" } })
    expect(codeOf(unknown)).toBe("404 NOT_FOUND")
    expect(codeOf(await api.operate("GET", "/sites/none/deliveries"))).toBe("404 NOT_FOUND")
  })
})

test("operations read what a delivery waits for, since when, its next timer, its moves, and what happened to it", async () => {
  const { api, id } = await withRun()
  const read = async () => (await api.operate("GET", `/deliveries/${id}`)).data["delivery"]
  const say = (status: string) => api.operate("POST", `/deliveries/${id}/status`, { body: { status } })
  const expected = [
    ["ASSIGNED", "vehicle_at_store"],
    ["EN_ROUTE_TO_STORE", "vehicle_at_store"],
    ["ARRIVED_AT_STORE", "load"],
    ["WAITING_FOR_LOAD", "load"],
    ["LOADED", "departure"],
    ["EN_ROUTE_TO_CUSTOMER", "vehicle_at_customer"],
    ["ARRIVED_AT_CUSTOMER", "customer"],
  ] as const
  const names = [...expected.map(([status]) => status), "COMPLETED"]
  await api.advance(0)
  for (const [at, [status, waitsFor]] of expected.entries()) {
    if (status !== "ASSIGNED") await say(status)
    const since = api.now()
    await api.advance(SECOND_MS)
    expect(await read()).toMatchObject({
      status,
      waits_for: waitsFor,
      ...(status === "ASSIGNED" ? {} : { since: iso(since) }),
      moves: ["vehicle", "cancel"],
      reportable_statuses: names.slice(at + 1),
    })
  }
  await writeSite(api, { hasSupervisor: false })
  expect(await read()).toMatchObject({ reportable_statuses: [] })
  await writeSite(api)
  await say("COMPLETED")
  expect(await read()).toMatchObject({
    status: "COMPLETED",
    waits_for: null,
    next_timer: null,
    moves: [],
    reportable_statuses: [],
  })
  expect(codeOf(await api.operate("POST", `/deliveries/${id}/cancel`))).toBe("409 INVALID_STATE")
  const { timeline } = (await api.operate("GET", `/deliveries/${id}/timeline`)).data as {
    readonly timeline: readonly { readonly event: string; readonly after: string }[]
  }
  expect(timeline[0]).toMatchObject({ actor: "delivery", event: "started" })
  expect(timeline.at(-1)).toMatchObject({ event: "cancel.requested", refused: "INVALID_STATE" })
  expect(timeline).toContainEqual(expect.objectContaining({ event: "order.loaded", after: "Loaded" }))
  expect(JSON.stringify(timeline)).not.toContain("5550123")
  expect(codeOf(await api.operate("GET", "/deliveries/dlv_x/timeline"))).toBe("404 DELIVERY_NOT_FOUND")
})

test("the next timer of a delivery is the one of the vehicle that carries it out", async () => {
  const { api, id } = await withRun()
  const read = async () => (await api.operate("GET", `/deliveries/${id}`)).data["delivery"]
  await api.advance(0)
  expect(await read()).toMatchObject({ next_timer: null })
  const dueAt = api.now() + 30 * SECOND_MS
  const fix = { ...north(0), recorded_at: iso(api.now()) }
  await api.operate("POST", "/vehicles/veh_1/telemetry", { body: fix })
  await api.advance(0)
  expect(await read()).toMatchObject({ status: "ARRIVED_AT_STORE", next_timer: { at: iso(dueAt) } })
  await api.advance(30 * SECOND_MS)
  expect(await read()).toMatchObject({ status: "WAITING_FOR_LOAD", next_timer: null })
})

test("after three loads the live estimate loads as long as they took, and the quote keeps the plan", async () => {
  const { api, id } = await withRun()
  const plannedMs = (made: Record<string, unknown>): number =>
    Date.parse(String(made["delivery_eta"])) - Date.parse(String(made["estimated_delivery_at"]))
  const carry = async (deliveryId: string): Promise<void> => {
    const say = (status: string) =>
      api.operate("POST", `/deliveries/${deliveryId}/status`, { body: { status } })
    await say("ARRIVED_AT_STORE")
    // Ready after ten minutes, loaded one minute later.
    await api.advance(11 * MINUTE_MS)
    await say("LOADED")
    expect((await say("COMPLETED")).status).toBe(200)
    await api.advance(0)
  }
  await carry(id)
  for (const name of ["order-2", "order-3"]) {
    const made = await order(api, name)
    expect(plannedMs(made)).toBe(0)
    const runs = (await api.operate("GET", `/sites/${SITE}/deliveries`)).data["deliveries"] as readonly {
      readonly delivery_id: string
      readonly external_delivery_id: string
    }[]
    await carry(runs.find((run) => run.external_delivery_id === name)?.delivery_id ?? "")
  }
  const made = await order(api, "order-4")
  expect(plannedMs(made)).toBe(4 * MINUTE_MS)
  const headers = { "x-retailer-id": SITE }
  expect((await api.call("GET", "/dd/v1/deliveries/order-4", { headers })).data).toMatchObject({
    delivery_eta: made["delivery_eta"],
    estimated_delivery_at: made["estimated_delivery_at"],
  })
})

test("a vehicle is added to a fleet of its environment, once, and may report then", async () => {
  const api = await makeApi()
  const vehicle = { vehicle_id: "veh_new", fleet_id: "fleet_new", label: "Vehicle 9" }
  const add = (body: object): Promise<Answered> => api.operate("POST", "/vehicles", { body })
  expect((await add(vehicle)).data).toEqual({ vehicle: { ...vehicle, is_synthetic: false } })
  expect((await add({ ...vehicle, fleet_id: "fleet_other" })).status).toBe(200)
  const [row] = await api.run(Effect.flatMap(VehicleRows, (rows) => rows.ofFleet("fleet_new")))
  expect(row).toMatchObject({ vehicleId: "veh_new", isOnline: true, isSynthetic: false })
  expect(await api.run(Effect.flatMap(VehicleRows, (rows) => rows.ofFleet("fleet_other")))).toEqual([])
  const fix = { latitude: 30.4, longitude: -97.7, recorded_at: iso(api.now()) }
  expect((await api.operate("POST", "/vehicles/veh_new/telemetry", { body: fix })).status).toBe(200)
  expect(codeOf(await add({ ...vehicle, vehicle_id: "a/b" }))).toBe("400 VALIDATION_ERROR")
})

test("CO11: operations set how a fleet opens, its secret is in one answer alone, and the board shows what did not open", async () => {
  const { api, id } = await withRun()
  const fleet = `/fleets/${FLEET}`
  const none = { fleet_id: FLEET, open_url: null, open_secret: null, instruction: null, updated_at: null }
  expect((await api.operate("GET", fleet)).data).toEqual({ fleet: none })
  const change = (body: object) => api.operate("PATCH", fleet, { body })
  const open_url = "https://fleet.example/open"
  const made = (await change({ open_url, instruction: "Turn the knob." })).data["fleet"] as Record<
    string,
    string
  >
  const secret = String(made["open_secret"])
  expect(secret).toMatch(/^whsec_[0-9a-f]{48}$/)
  const shown = { ...none, open_url, instruction: "Turn the knob.", open_secret: `…${secret.slice(-4)}` }
  expect((await api.operate("GET", fleet)).data["fleet"]).toEqual({ ...shown, updated_at: iso(api.now()) })
  expect(await contentOf(api)).not.toContain(secret.slice("whsec_".length))
  const rotated = (await api.operate("POST", `${fleet}/open-secret`)).data["fleet"] as Record<string, string>
  expect(rotated["open_secret"]).not.toBe(secret)
  for (const body of [{ open_url: "https://10.0.0.1/" }, { open_url: "" }, { instruction: "x".repeat(301) }])
    expect(codeOf(await change(body))).toBe("400 VALIDATION_ERROR")
  expect(codeOf(await api.operate("GET", "/fleets/fleet_x"))).toBe("404 NOT_FOUND")

  api.service.script(open_url, [{ type: "status", status: 500, afterMs: 10 }])
  const grant = () => api.operate("POST", `/deliveries/${id}/compartment`)
  const isOffered = async () => {
    const { moves } = (await api.operate("GET", `/deliveries/${id}`)).data["delivery"] as {
      readonly moves: readonly string[]
    }
    return moves.includes("compartment")
  }
  expect(await isOffered()).toBe(false)
  expect(codeOf(await grant())).toBe("409 INVALID_STATE")
  await api.operate("POST", `/deliveries/${id}/status`, { body: { status: "ARRIVED_AT_CUSTOMER" } })
  expect(await isOffered()).toBe(true)
  const compartmentOnBoard = async (): Promise<unknown> => {
    const { board } = (await api.operate("GET", `/sites/${SITE}/board`)).data as {
      readonly board: {
        readonly vehicles: readonly { readonly run: { readonly compartment: unknown } | null }[]
      }
    }
    return board.vehicles.find(({ run }) => run !== null)?.run?.compartment
  }
  expect(await compartmentOnBoard()).toBe("closed")
  const row = await api.run(Effect.flatMap(DeliveryRows, (rows) => rows.byId(id)))
  if (row === null) throw new Error("there is no delivery")
  await api.run(Effect.flatMap(Compartments, (compartments) => compartments.open(row, "0123")))
  await api.advance(MINUTE_MS)
  expect(await compartmentOnBoard()).toBe("failed")
  expect(await isOffered()).toBe(true)
  expect(api.service.received(open_url)).toHaveLength(3)
  expect((await grant()).data["compartment"]).toEqual({
    delivery_id: id,
    state: "opening",
    wrong_tries: 0,
    tries_left: 5,
  })
  expect(await isOffered()).toBe(false)
  expect(codeOf(await api.operate("POST", "/deliveries/dlv_x/compartment"))).toBe("404 DELIVERY_NOT_FOUND")
})
