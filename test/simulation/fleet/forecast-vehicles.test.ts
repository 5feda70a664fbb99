/** A forecast goes on with deliveries, their vehicles and errands: what is under way ends, and promises depend on vehicles. */

import { describe, expect, test } from "vitest"
import { forecast } from "../../../src/simulation/fleet/forecast/forecast.ts"
import type { Forecast, ForecastOptions } from "../../../src/simulation/fleet/forecast/forecast.ts"
import { forecastFromJournals } from "../../../src/simulation/fleet/forecast/from-journals.ts"
import { observe } from "../../../src/simulation/fleet/fit/observations.ts"
import type { ForecastOrder } from "../../../src/model/requests/forecast-order.ts"
import { modelWith, presentOf, worldFrom } from "../../../src/simulation/fleet/forecast/present.ts"
import type { TermsById } from "../../../src/simulation/fleet/forecast/drawn-fleet.ts"
import { stageOf } from "../../../src/simulation/fleet/forecast/present-fleet.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { deliveries } from "../../../src/areas/direct-delivery/rows.ts"
import { rankOf } from "../../../src/model/delivery.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { memoryRowsOf } from "../../../src/engine/memory/memory-tables.ts"
import { fleetModel } from "./models.ts"
import { groupsOf, instantsFrom, presentsOf, withoutNew } from "./present.ts"

/** Nothing goes wrong, so that every delivery and every errand must complete. */
function smooth({ vehicles = 6, perHour = 12, more = "" } = {}): FleetModel {
  return fleetModel(`
fleet: A smooth fleet
because: Every delivery completes.
clock: 2026-03-02T10:00 America/Chicago
horizon: 4h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: ${vehicles}, stores: [{ as: kitchen, preparation: { gamma: { mean: 12m, sd: 3m } } }] }]
vehicle: { load: { uniform: [30s, 90s] }, drop_off: { uniform: [1m, 3m] } }
demand:
  - { product: delivery, site: curb, per_hour: ${perHour}, ready_in: 15m }
  - { product: courier, site: curb, per_hour: ${perHour / 2}, ready_in: 15m, errand: { reserves_after: 4m, confirms_after: { uniform: [2m, 6m] } } }
${more}
`)
}

const startMs = Date.parse("2026-03-02T10:00:00-06:00")

describe("deliveries and errands that are under way", () => {
  test("all end, and as completed, from any moment; vehicles are in all stages, runs are queued, errands in all phases", () => {
    const model = smooth({ vehicles: 5 })
    const stages = new Set<string>()
    const phases = new Set<string>()
    let queued = 0
    const instants = instantsFrom(startMs + 40 * MINUTE_MS, startMs + 3 * HOUR_MS, 11.3 * MINUTE_MS)
    for (const { atMs, groups } of presentsOf(model, { seed: 6, instants })) {
      const still = withoutNew(model)
      const present = presentOf(groups, still)
      const { vehicles, trips, errands } = present.fleet
      for (const vehicle of vehicles) {
        const active = trips.find(({ id }) => id === vehicle.activeId)
        if (active !== undefined) stages.add(stageOf(vehicle, active.status))
        queued += vehicle.queuedIds.length
      }
      for (const { phase } of errands) phases.add(phase)
      const { world, begin } = worldFrom(modelWith(still, present), present, { seed: 77, atMs })
      const { counts } = runToItsEnd(world, { seed: 77, onProgress: undefined, begin })
      const direct = trips.filter(({ isErrand }) => !isErrand).length
      expect({
        atMs,
        deliveries: counts["deliveries.completed"] ?? 0,
        errands: counts["errands.completed"] ?? 0,
        open: world.openOrders,
      }).toEqual({ atMs, deliveries: direct, errands: errands.length, open: 0 })
      expect([vehicles.length, present.leftOut]).toEqual([5, {}])
    }
    expect([...stages].filter((one) => one !== "loaded").toSorted()).toEqual([
      "at_customer",
      "at_store",
      "to_customer",
      "to_store",
    ])
    expect(queued).toBeGreaterThan(0)
    expect([...phases].toSorted()).toEqual(["booked", "held", "quoted"])
  })

  test("each vehicle keeps its runs, and a vehicle that is not there leaves its deliveries out", () => {
    const model = smooth({ vehicles: 2 })
    const { groups } = groupsOf(model, { seed: 5, atMs: startMs + HOUR_MS })
    const { fleet } = presentOf(groups, model)
    const runs = fleet.vehicles.flatMap(({ activeId, queuedIds }) => [activeId ?? [], queuedIds].flat())
    expect(runs.toSorted()).toEqual(fleet.trips.map(({ id }) => id).toSorted())
    const without = presentOf(
      groups.filter(({ address }) => !address.startsWith("vehicle/veh_0_0001")),
      model,
    )
    const ofFirst = fleet.trips.filter(({ vehicleId }) => vehicleId === "veh_0_0001").length
    expect(ofFirst).toBeGreaterThan(0)
    expect(without.leftOut["delivery of a vehicle that is left out"]).toBe(ofFirst)
    // A run whose delivery is not known would never end.
    const unknown = presentOf(
      groups.filter(({ address }) => address !== `delivery/${fleet.trips[0]?.id ?? ""}`),
      model,
    )
    expect(unknown.leftOut["vehicle with a run that is not known"]).toBe(1)
    expect(unknown.fleet.vehicles).toHaveLength(1)
  })

  test("a model without errands goes on with those under way, and none is new", () => {
    const model = smooth()
    const { groups } = groupsOf(model, { seed: 5, atMs: startMs + 2 * HOUR_MS })
    const plain = { ...model, demand: model.demand.filter(({ product }) => product === "delivery") }
    const present = presentOf(groups, plain)
    expect(present.fleet.errands.length).toBeGreaterThan(0)
    const found = forecastOf(plain, groups, ["errands.asked < 99"])
    expect(found.errands).toBe(present.fleet.errands.length)
    expect(found.promises[0]?.median).toBe(present.fleet.errands.length)
  })
})

function forecastOf(
  model: FleetModel,
  groups: ForecastOptions["groups"],
  promises: readonly string[],
  more: Partial<ForecastOptions> = {},
): Forecast {
  const promised = smooth({
    more: `promises: { ${promises.map((one) => one.replace(/ (.*)/, ': "$1"')).join(", ")} }`,
  })
  return forecast({
    groups,
    model: { ...model, promises: promised.promises },
    atMs: startMs + 2 * HOUR_MS,
    aheadMs: HOUR_MS,
    replications: 6,
    seed: 100,
    turnsMax: 1_000_000,
    ...more,
  })
}

describe("promises about deliveries and errands", () => {
  test("too few vehicles break one, one more saves some, and enough keep it", () => {
    const of = (vehicles: number): Forecast => {
      const model = smooth({ vehicles })
      const { groups } = groupsOf(model, { seed: 5, atMs: startMs + 2 * HOUR_MS })
      return forecastOf(model, groups, ["deliveries.declined < 1", "vehicles.utilisation < 90%"])
    }
    const declinedOf = ({ promises }: Forecast) =>
      promises.find(({ promise }) => promise.metric === "deliveries.declined")
    const [few, enough] = [of(3), of(12)]
    const [fewDeclined, enoughDeclined] = [few, enough].map(declinedOf)
    expect(fewDeclined?.breaks.value).toBeGreaterThan(0.5)
    expect(fewDeclined?.oneMoreVehicle?.saved ?? 0).toBeGreaterThan(fewDeclined?.oneMoreVehicle?.costs ?? 9)
    expect(enoughDeclined?.breaks.value).toBe(0)
    // A site without runners has nothing to say about one more.
    expect(fewDeclined?.breaksWithOneMore).toBeNull()
    expect([few.vehicles, enough.vehicles]).toEqual([3, 12])
  })

  test("the present decides: the same hours after a calm and after a busy morning", () => {
    const model = smooth({ vehicles: 3, perHour: 4 })
    const [calm, busy] = [4, 16].map((perHour) => {
      const { groups } = groupsOf(smooth({ vehicles: 3, perHour }), { seed: 9, atMs: startMs + 2 * HOUR_MS })
      return forecastOf(model, groups, ["vehicles.utilisation < 60%"])
    })
    expect(busy?.deliveries).toBeGreaterThan(calm?.deliveries ?? Infinity)
    expect(busy?.promises[0]?.median ?? 0).toBeGreaterThan(1.2 * (calm?.promises[0]?.median ?? Infinity))
  })

  test("what was promised comes from the rows; without them it is said and no delivery under way is late", () => {
    const model = smooth({ vehicles: 3, perHour: 10 })
    const atMs = startMs + 2 * HOUR_MS
    const { groups, world } = groupsOf(model, { seed: 6, atMs })
    const still = withoutNew(model)
    const terms: TermsById = new Map(
      [...memoryRowsOf(world.service.host.store, deliveries).all()].map((row) => [
        row.deliveryId,
        { readyByMs: row.readyByMs, promisedAtMs: row.deliveryEtaMs },
      ]),
    )
    const blind = forecastOf(still, groups, ["deliveries.late < 1"])
    const told = forecastOf(still, groups, ["deliveries.late < 1"], { terms })
    expect(blind.promises[0]?.median).toBe(0)
    expect(blind.drawn.join("\n")).toMatch(/\d+ deliveries under way the quoted times are not known/)
    expect(told.promises[0]?.median).toBeGreaterThan(0)
    expect(blind.door.deliveries).toMatchObject({ late: 0, lateBetween: null })
    const { late, all } = told.door.deliveries
    expect(late).toBeGreaterThan(0)
    expect(late).toBeLessThanOrEqual(all)
    expect(told.drawn.join("\n")).not.toContain("quoted times")
    expect(told.drawn.join("\n")).toContain("where customers live is drawn")
  })

  test("late ones are counted at the time for which they were quoted, and a promise breaks at the first one too many", () => {
    const model = smooth({ vehicles: 6, perHour: 30 })
    const atMs = startMs + 2 * HOUR_MS
    const { groups } = groupsOf(model, { seed: 5, atMs })
    const trips = presentOf(groups, model).fleet.trips.filter(({ isErrand }) => !isErrand)
    // What is on board was quoted for the past. What is not will be ready after the time for which it was quoted.
    const isOnBoard = ({ status }: (typeof trips)[number]): boolean => rankOf(status) >= rankOf("LOADED")
    const minutes = (count: number): number => atMs + count * MINUTE_MS
    const terms: TermsById = new Map(
      trips.map((trip) => [
        trip.id,
        isOnBoard(trip)
          ? { readyByMs: minutes(-20), promisedAtMs: minutes(-1) }
          : { readyByMs: minutes(40), promisedAtMs: minutes(16) },
      ]),
    )
    const past = trips.filter(isOnBoard).length
    expect([past > 0, trips.length > past]).toEqual([true, true])
    const promised = (text: string) => forecastOf(withoutNew(model), groups, [text], { terms })
    const first = promised("deliveries.late < 1")
    expect(first.door.deliveries).toEqual({
      all: trips.length,
      late: trips.length,
      lateWithOneMoreVehicle: trips.length,
      withPolicy: null,
      lateBetween: [0, 1],
    })
    expect(first.promises[0]?.whenMs).toBe(atMs)
    const oneMore = promised(`deliveries.late <= ${past}`).promises[0]
    expect([oneMore?.breaks.value, oneMore?.whenMs]).toEqual([1, minutes(15)])
    expect(promised(`deliveries.late < ${past + 1}`).promises[0]?.whenMs).toBe(minutes(15))
    expect(promised(`deliveries.late <= ${trips.length}`).promises[0]).toMatchObject({ whenMs: null })
  })

  test("the forecast of a simulated site is near its truth", () => {
    // Waits of the next hour, of orders that were requested before it and in it: the truth is what the same run did.
    const model = smooth({ vehicles: 5, perHour: 10 })
    const truths: number[] = []
    const middles: number[] = []
    for (const seed of [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]) {
      const atMs = startMs + 2 * HOUR_MS
      const { groups, world } = groupsOf(model, { seed, atMs })
      const before = world.tally.durations.get("deliveries.wait")?.length ?? 0
      world.service.host.time.run(atMs + HOUR_MS)
      const waits = (world.tally.durations.get("deliveries.wait") ?? []).slice(before)
      truths.push(waits.reduce((sum, ms) => sum + ms, 0) / waits.length)
      const found = forecastOf(model, groups, ["deliveries.wait_mean < 15m"], { replications: 5 })
      middles.push(found.promises[0]?.median ?? 0)
    }
    const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length
    // Ten hours of some ten waits each.
    expect(Math.abs(mean(middles) - mean(truths))).toBeLessThan(0.35 * mean(truths))
  })
})

describe("the forecast that a service makes from journals", () => {
  const model = smooth({ vehicles: 4, perHour: 10 })
  const atMs = startMs + 3 * HOUR_MS
  const { groups, entries } = groupsOf(model, { seed: 6, atMs })
  const past = observe(entries.map(({ entry }) => entry.text))
  const order: ForecastOrder = {
    name: "Hub",
    timeZone: "America/Chicago",
    place: { latitude: 30.4, longitude: -97.7 },
    learned: null,
    fromMs: startMs,
    atMs,
    aheadMs: HOUR_MS,
    pairedRunners: 0,
    dispatchPolicy: "earliest_free",
    comparedPolicy: null,
    isPresentComplete: true,
    fleet: "known",
    replications: 3,
    turnsMax: 1_000_000,
    runsMsMax: 60_000,
  }
  const made = (fleet: ForecastOrder["fleet"], of: Partial<ForecastOrder> = {}) =>
    forecastFromJournals(
      { ...order, fleet, ...of },
      {
        past: () => past,
        present: fleet === "known" ? groups : [],
        terms: new Map(),
        beginRuns: () => () => false,
      },
    )

  test("another policy is compared on the same chance: the present one with itself changes nothing", () => {
    const figuresBy = (of: Partial<ForecastOrder>) => {
      const answer = made("known", of)
      if (answer.type !== "made") throw new Error(answer.type)
      return answer.figures
    }
    const same = figuresBy({ comparedPolicy: "earliest_free" })
    for (const door of [same.deliveries, same.errands])
      expect(door?.withPolicy).toEqual({ all: door?.all, late: door?.late })
    // One by another policy is what the forecast by that policy says.
    const other = figuresBy({ comparedPolicy: "nearest" })
    const alone = figuresBy({ dispatchPolicy: "nearest" })
    expect(other.deliveries?.withPolicy).toEqual({ all: alone.deliveries?.all, late: alone.deliveries?.late })
    expect(alone.deliveries?.withPolicy).toBeNull()
  })

  test("a site that only delivers learns from its runs, and promises about deliveries and errands are answered", () => {
    const answer = made("known")
    if (answer.type !== "made") throw new Error(answer.type)
    const { figures, learned } = answer
    const open = presentOf(groups, model).fleet
    expect(figures).toMatchObject({
      vehicles: 4,
      openDeliveries: open.trips.length,
      openErrands: open.errands.length,
      openReservations: 0,
      historyRuns: past.deliveries.length + past.errands.length,
      leftOut: [],
    })
    expect(learned.runs).toBeGreaterThan(30)
    expect(figures.promises.map(({ metric, bound }) => `${metric} ${bound}`).toSorted()).toEqual([
      "deliveries.late < 1",
      "errands.late < 1",
    ])
    expect(figures.promises.every((one) => one.breaksWithOneMoreVehicle !== null)).toBe(true)
    const { deliveries: direct, errands } = figures
    expect(direct?.all).toBeGreaterThan(2)
    expect(errands?.all).toBeGreaterThan(1)
    expect(direct?.late).toBeLessThanOrEqual(direct?.all ?? 0)
    expect(direct?.lateWithOneMoreVehicle).not.toBeNull()
    const promise = figures.promises.find(({ metric }) => metric === "deliveries.late")
    expect([promise?.atMs === null, direct?.lateFromMs === null]).toEqual([
      promise?.breaks.value === 0,
      direct?.late === 0,
    ])
    expect(figures.notKnown.join("\n")).toContain("where customers live is drawn from the model")
  })

  test("a fleet that is too large is left out, and it is said", () => {
    const answer = made("too large")
    if (answer.type !== "made") throw new Error(answer.type)
    expect(answer.figures).toMatchObject({
      vehicles: 0,
      openDeliveries: 0,
      promises: [],
      deliveries: null,
      errands: null,
    })
    expect(answer.figures.notKnown.join("\n")).toContain(
      "Deliveries and errands are not part of the forecast: more than",
    )
  })
})
