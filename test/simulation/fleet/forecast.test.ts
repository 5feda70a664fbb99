/** A forecast goes on from the present of a site: visits that are under way end, and promises break as often as the load says. */

import { describe, expect, test } from "vitest"
import { program } from "../../../src/apps/composition/program.ts"
import { forecast } from "../../../src/simulation/fleet/forecast/forecast.ts"
import type { Forecast, ForecastOptions } from "../../../src/simulation/fleet/forecast/forecast.ts"
import { presentOf, worldFrom } from "../../../src/simulation/fleet/forecast/present.ts"
import { ReplayedGroups } from "../../../src/simulation/fleet/forecast/replayed-groups.ts"
import { siteOfMore } from "../../../src/simulation/fleet/forecast/one-more.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { groupsOf, instantsFrom, presentsOf, withoutNew } from "./present.ts"

/** Nothing goes wrong, so that every visit must end as completed. */
function smooth({ runners = 4, more = "" } = {}): FleetModel {
  return fleetModel(`
fleet: A smooth site
because: Every visit completes.
clock: 2026-03-02T10:00 America/Chicago
horizon: 4h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, runners: ${runners}, stores: [{ as: store, preparation: { gamma: { mean: 12m, sd: 3m } } }] }]
runner: { walk: { gamma: { mean: 70s, sd: 20s } }, load: 45s }
bot: { punctuality: { normal: { mean: 3m, sd: 2m } }, settle: 40s, leave: 60s, tells_eta: 5m }
demand: [{ product: reservation, site: curb, per_hour: 20 }]
${more}
`)
}

const startMs = Date.parse("2026-03-02T10:00:00-06:00")

test("a forecast tells of each replication, also of those with one more runner", () => {
  const model = smooth({ more: 'promises: { reservations.wait_p95: "< 8m" }' })
  const told: (readonly [virtualMs: number, events: number, wanted: number])[] = []
  const made = forecast({
    groups: [],
    model,
    atMs: startMs,
    aheadMs: HOUR_MS,
    replications: 2,
    seed: 1,
    turnsMax: 1e9,
    onDone: ({ virtualMs, turns }, wanted) => told.push([virtualMs, turns, wanted]),
  })
  expect(made.replications).toBe(2)
  expect(told.map(([, , wanted]) => wanted)).toEqual([4, 4, 4, 4])
  expect(told.reduce((sum, [, events]) => sum + events, 0)).toBe(made.turns)
  expect(told.every(([virtualMs]) => virtualMs >= HOUR_MS)).toBe(true)
})

test("a forecast of a promise of one site is of its orders alone", () => {
  const model = fleetModel(`
fleet: Two sites
because: Only one of them is busy.
clock: 2026-03-02T10:00 America/Chicago
horizon: 4h
sites:
  - { as: east, at: [30.4, -97.7], stalls: 6, runners: 2 }
  - { as: west, at: [30.4, -97.9], stalls: 6, runners: 2 }
demand:
  - { product: reservation, site: east, per_hour: 4 }
  - { product: reservation, site: west, per_hour: 24 }
promises: { orders.asked at west: "< 12", orders.asked at east: "< 12", orders.asked: "< 12" }
`)
  const { promises } = forecast({
    groups: [],
    model,
    atMs: startMs,
    aheadMs: HOUR_MS,
    replications: 3,
    seed: 1,
    turnsMax: 1e9,
  })
  const byMetric = new Map(promises.map((one) => [one.promise.metric, one]))
  const medianOf = (metric: string): number => byMetric.get(metric)?.median ?? 0
  expect(byMetric.get("orders.asked at east")?.breaks.count).toBe(0)
  expect(byMetric.get("orders.asked at west")?.breaks.count).toBe(3)
  expect(medianOf("orders.asked at east")).toBeLessThan(medianOf("orders.asked at west"))
  expect(medianOf("orders.asked at west")).toBeLessThan(medianOf("orders.asked"))
})

describe("visits that are under way", () => {
  // Moments over two hours have visits in all stages: runners walking, waiting, carrying, bots on their way, ready, leaving.
  test("all end, and as completed, from any moment", () => {
    const model = smooth()
    const stages = new Set<string>()
    const bots = new Set<string>()
    const instants = instantsFrom(startMs + 40 * MINUTE_MS, startMs + 2 * HOUR_MS, 5.5 * MINUTE_MS)
    for (const { atMs, groups } of presentsOf(model, { seed: 5, instants })) {
      const still = withoutNew(model)
      const present = presentOf(groups, still)
      for (const { visit } of present.reservations) {
        stages.add(visit.stage)
        bots.add(visit.bot)
      }
      const { world, begin } = worldFrom(still, present, { seed: 77, atMs })
      const { counts } = runToItsEnd(world, { seed: 77, onProgress: undefined, begin })
      const ended = {
        completed: counts["reservations.completed"] ?? 0,
        canceled: counts["reservations.canceled"] ?? 0,
      }
      expect({ atMs, ...ended }).toEqual({ atMs, completed: present.reservations.length, canceled: 0 })
      expect(present.leftOut).toEqual({})
    }
    expect([...stages].filter((one) => one !== "at_store").toSorted()).toEqual([
      "assigned",
      "at_unit",
      "held",
      "loaded",
      "queued",
      "retrieved",
    ])
    expect([...bots].toSorted()).toEqual(["arrived", "coming", "ready"])
  })

  test("a bot whose runner has left gets another one when it is ready, from any moment", () => {
    const model = fleetModel(`
fleet: Bots that come late
because: Their runners leave before.
clock: ${CLOCK}
horizon: 4h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, runners: 5, stores: [{ as: store, preparation: 2m }] }]
runner: { walk: 2m, load: 45s }
bot: { punctuality: { uniform: [10m, 20m] }, settle: 2m, leave: 60s, patience: 4h }
policy: { bot_wait: 1m }
demand: [{ product: reservation, site: curb, per_hour: 12, width: 1h }]
`)
    const seen = new Set<string>()
    const instants = instantsFrom(startMs + HOUR_MS, startMs + 2 * HOUR_MS, 4.5 * MINUTE_MS)
    for (const { atMs, groups } of presentsOf(model, { seed: 5, instants })) {
      const still = withoutNew(model)
      const present = presentOf(groups, still)
      for (const { visit } of present.reservations) seen.add(`${visit.stage}, ${visit.bot}`)
      const { world, begin } = worldFrom(still, present, { seed: 77, atMs })
      const { counts } = runToItsEnd(world, { seed: 77, onProgress: undefined, begin })
      const completed = counts["reservations.completed"] ?? 0
      expect({ atMs, completed }).toEqual({ atMs, completed: present.reservations.length })
    }
    for (const bot of ["coming", "arrived", "ready"]) expect([...seen]).toContain(`missed, ${bot}`)
  })

  test("a runner who is not at the stall is where the task says, also when the bot is reported as missing", () => {
    const model = smooth()
    const { groups } = groupsOf(model, { seed: 5, atMs: startMs + HOUR_MS })
    const flagged = groups.map((group) => ({
      ...group,
      actors: group.actors.map((actor) =>
        actor.machine.startsWith("runner-task")
          ? { ...actor, context: { ...(actor.context as object), flags: ["bot_no_show"] } }
          : actor,
      ),
    })) as typeof groups
    const stagesOf = (of: typeof groups) => presentOf(of, model).reservations.map(({ visit }) => visit.stage)
    const [before, after] = [stagesOf(groups), stagesOf(flagged)]
    expect(new Set(before).size).toBeGreaterThan(3)
    expect(after).toEqual(before.map((stage) => (stage === "at_unit" ? "missed" : stage)))
  })

  test("groups that are replayed from the journal are those of the host", () => {
    const model = smooth()
    const { groups, entries } = groupsOf(model, { seed: 2, atMs: startMs + HOUR_MS })
    const replayed = new ReplayedGroups(program)
    for (const { entry } of entries) replayed.take(entry.text)
    const plain = groups.map(({ sequences: _, ...group }) => group)
    expect(replayed.groups()).toEqual(plain)
  })

  test("a bot that is late has not come, and one that reported an estimate comes then", () => {
    const model = smooth()
    const instants = [60, 64, 68, 72].map((minute) => startMs + minute * MINUTE_MS)
    const leads = [...presentsOf(model, { seed: 5, instants })].flatMap(({ atMs, groups }) =>
      presentOf(groups, model).reservations.flatMap(({ visit }) =>
        visit.etaMs !== null && visit.bot === "coming" ? [visit.etaMs - atMs] : [],
      ),
    )
    expect(leads.length).toBeGreaterThan(0)
    expect(leads.every((ms) => ms > 0 && ms <= 5 * MINUTE_MS)).toBe(true)
  })

  test("a zone or a stall that the model does not have is left out and counted", () => {
    const model = smooth()
    const { groups } = groupsOf(model, { seed: 5, atMs: startMs + HOUR_MS })
    const [site] = model.sites
    if (site === undefined) throw new Error("no site")
    const elsewhere = {
      ...model,
      sites: [
        { ...site, as: "north" },
        { ...site, as: "south" },
      ],
    }
    const others = JSON.parse(
      JSON.stringify(groups).replaceAll("zone_fleet_0", "zone_of_others"),
    ) as typeof groups
    expect(presentOf(others, elsewhere).leftOut).toEqual({
      "reservation in a zone that the model does not have": presentOf(groups, model).reservations.length,
    })
    const small = { ...model, sites: [{ ...site, stalls: 2 }] }
    const { reservations, leftOut } = presentOf(groups, small)
    expect(reservations.length).toBeGreaterThan(0)
    expect(leftOut["reservation at a stall that the model does not have"]).toBeGreaterThan(0)
  })
})

describe("the forecast of promises", () => {
  const PROMISES = 'promises: { reservations.wait_p90: "< 4m", runners.utilisation: "< 95%" }'

  function ahead(model: FleetModel, more: Partial<ForecastOptions> = {}): Forecast {
    const atMs = startMs + HOUR_MS
    const { groups } = groupsOf(model, { seed: 6, atMs })
    const usual = { groups, model, atMs, aheadMs: HOUR_MS, replications: 6, seed: 100, turnsMax: 1_000_000 }
    return forecast({ ...usual, ...more })
  }

  const waitOf = ({ promises }: Forecast) => {
    const found = promises.find(({ promise }) => promise.metric === "reservations.wait_p90")
    if (found === undefined) throw new Error("the promise is not there")
    return found
  }

  test("too few runners break it, one more saves some, and enough keep it", () => {
    const [few, enough] = [1, 8].map((runners) => waitOf(ahead(smooth({ runners, more: PROMISES }))))
    expect(few?.breaks.value).toBe(1)
    expect(few?.whenMs).toBeGreaterThanOrEqual(startMs + HOUR_MS)
    expect(few?.whenMs).toBeLessThan(startMs + 2 * HOUR_MS)
    expect(enough?.breaks.value).toBeLessThan(0.3)
    const tight = ahead(smooth({ runners: 2, more: PROMISES }))
    const used = tight.promises.find(({ promise }) => promise.metric === "runners.utilisation")
    expect(used?.breaksWithOneMore?.value ?? 1).toBeLessThanOrEqual(used?.breaks.value ?? 0)
    expect((waitOf(tight).breaksWithOneMore?.value ?? 1) - waitOf(tight).breaks.value).toBeLessThanOrEqual(0)
    expect(waitOf(tight).saved).toBeGreaterThanOrEqual(waitOf(tight).costs)
  })

  test("the same present gives the same forecast, and another seed another", () => {
    const model = smooth({ runners: 2, more: PROMISES })
    const one = ahead(model)
    expect(ahead(model)).toEqual(one)
    expect(waitOf(ahead(model, { seed: 500 })).median).not.toBe(waitOf(one).median)
  })

  test("what is under way matters: without it runners have nothing to do at first", () => {
    const model = smooth({ runners: 2, more: PROMISES })
    // What is booked now has its window in half an hour, so runners of the next minutes work for what is under way.
    const soon = { aheadMs: 20 * MINUTE_MS, replications: 2 }
    const [busy, empty] = [ahead(model, soon), ahead(model, { ...soon, groups: [] })]
    expect([busy.adopted > 5, empty.adopted]).toEqual([true, 0])
    const usedOf = ({ promises }: Forecast): number | null | undefined =>
      promises.find(({ promise }) => promise.metric === "runners.utilisation")?.median
    expect(usedOf(empty)).toBe(0)
    expect(usedOf(busy)).toBeGreaterThan(0.2)
  })

  test("it is bounded by turns, and says how many replications it made", () => {
    const found = ahead(smooth({ more: PROMISES }), { turnsMax: 1 })
    expect(found.replications).toBe(1)
    expect(waitOf(found).breaks.of).toBe(1)
    let asked = 0
    const inTime = ahead(smooth({ more: PROMISES }), { isOver: () => (asked += 1) > 2 })
    expect([inTime.replications, waitOf(inTime).breaks.of]).toEqual([3, 3])
  })

  test("pickups are counted, with those that wait too long and when; one more runner makes fewer late", () => {
    const model = smooth({ runners: 1, more: PROMISES })
    const { pickups, atMs, untilMs } = ahead(model)
    const { counts, countsWithOneMore, lateBetween, waits, lateAfterMs } = pickups
    expect([untilMs - atMs, lateAfterMs, waits.length]).toEqual([HOUR_MS, 8 * MINUTE_MS, 4])
    expect(counts.all).toBeGreaterThan(10)
    expect(counts.late).toBeGreaterThan(0)
    expect(counts.late).toBeLessThanOrEqual(counts.all)
    expect(countsWithOneMore?.late).toBeLessThan(counts.late)
    const [first = -1, last = -1] = lateBetween ?? []
    // Of orders that were requested within the hour some wait after it, with times of their own.
    expect([first >= 0, first < 4, first <= last, last < 24]).toEqual([true, true, true, true])
    for (const { median, p95, p95WithOneMore } of waits) {
      expect(median ?? 0).toBeLessThanOrEqual(p95 ?? 0)
      expect(p95WithOneMore).not.toBeNull()
    }
    const calm = ahead(smooth({ runners: 12, more: PROMISES }), {
      groups: [],
      aheadMs: 20 * MINUTE_MS,
    }).pickups
    expect(calm.counts.late).toBe(0)
    expect(calm.lateBetween).toBeNull()
  })
})

describe("promises of one site of several", () => {
  const text = `
fleet: Two curbs
because: One is busy, and the other is not.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: calm, at: [30.4, -97.7], stalls: 12, runners: 6, vehicles: 6 }
  - { as: busy, at: [30.2, -97.7], stalls: 40, runners: 1, vehicles: 1 }
policy: { window_grace: 3h }
bot: { patience: 3h }
demand:
  - { product: reservation, site: calm, per_hour: 12 }
  - { product: delivery, site: calm, per_hour: 4 }
  - { product: reservation, site: busy, per_hour: 22, ahead: 15m, width: 10m }
  - { as: home, product: delivery, site: busy, per_hour: 10 }
promises:
  reservations.late at busy: "< 1"
  reservations.late at calm: "< 1"
  reservations.late_share: "< 2%"
  orders.late: "< 1"
  orders.late at busy: "< 1"
  reservations.late_share at busy: "< 2%"
  deliveries.late of home: "< 1"
  reservations.wait_mean at busy: "< 4m"
  runners.utilisation at busy: "< 50%"
  orders.completed: "> 5000"
`
  const found = forecast({
    groups: [],
    model: fleetModel(text),
    atMs: startMs + HOUR_MS,
    aheadMs: 2 * HOUR_MS,
    replications: 3,
    seed: 100,
    turnsMax: 1_000_000,
  })
  const ofMetric = (metric: string) => {
    const one = found.promises.find(({ promise }) => promise.metric === metric)
    if (one === undefined) throw new Error(`${metric} is promised`)
    return one
  }

  test("of late orders say when they break", () => {
    const first = ofMetric("reservations.late at busy").whenMs ?? 0
    for (const metric of [
      "reservations.late at busy",
      "reservations.late_share at busy",
      "orders.late at busy",
      "orders.late",
      "reservations.late_share",
      "deliveries.late of home",
      "reservations.wait_mean at busy",
    ]) {
      const { breaks, whenMs, noTime } = ofMetric(metric)
      expect([breaks.value > 0, noTime], metric).toEqual([true, null])
      expect(whenMs, metric).toBeGreaterThanOrEqual(startMs + HOUR_MS)
    }
    // One late order comes before the others, and one of any product not after one of reservations.
    expect(ofMetric("reservations.late_share").whenMs).toBeGreaterThan(first)
    expect(ofMetric("orders.late at busy").whenMs).toBeLessThanOrEqual(first)
    expect(ofMetric("reservations.late at calm").breaks.value).toBe(0)
    expect(ofMetric("reservations.late at calm")).toMatchObject({ whenMs: null, noTime: null })
  })

  test("say why they have no time, where nothing shows it", () => {
    expect(ofMetric("runners.utilisation at busy")).toMatchObject({
      whenMs: null,
      noTime: "it is known of the whole time alone, so it has no time",
    })
    expect(ofMetric("orders.completed").noTime).toBe("what is missing has no time")
  })

  test("have one more runner at that site, and those of the whole where a runner has most orders", () => {
    expect(ofMetric("reservations.late at calm").runnerAt).toBe("calm")
    expect(ofMetric("reservations.late at busy").runnerAt).toBe("busy")
    expect(ofMetric("reservations.late_share").runnerAt).toBe("busy")
    expect(ofMetric("deliveries.late of home").oneMoreVehicle?.site).toBe("busy")
    const { median, breaksWithOneMore } = ofMetric("runners.utilisation at busy")
    expect(median).toBeGreaterThan(0.5)
    expect(breaksWithOneMore?.of).toBe(3)
  })
})

describe("customers of a population", () => {
  const few = (size: number): FleetModel => {
    const model = smooth()
    const [demand] = smooth().demand
    const population = { size, thinks: { is: "constant", ms: 30_000 } } as const
    return { ...model, demand: [{ ...(demand as FleetModel["demand"][number]), per_hour: null, population }] }
  }

  test("have one order each, also those with an order under way, and order again after it", () => {
    const model = few(4)
    const { atMs, groups } = groupsOf(model, { seed: 3, atMs: startMs + HOUR_MS })
    const present = presentOf(groups, model)
    expect(present.reservations.length).toBeGreaterThan(2)
    const { world, begin } = worldFrom({ ...model, horizon: 2 * HOUR_MS }, present, { seed: 9, atMs })
    let most = 0
    world.service.host.onTurn(() => {
      most = Math.max(most, world.openOrders)
    })
    const { figures } = runToItsEnd(world, { seed: 9, onProgress: undefined, begin })
    expect(most).toBe(4)
    expect(figures["reservations.asked"]).toBeGreaterThan(4)
  })

  test("are a load for runners", () => {
    const text = `
fleet: Two sites
because: Customers of one order again and again.
clock: ${CLOCK}
horizon: 4h
sites:
  - { as: east, at: [30.4, -97.7], stalls: 6, runners: 2 }
  - { as: west, at: [30.4, -97.9], stalls: 6, runners: 2 }
demand:
  - { product: reservation, site: east, per_hour: 4 }
  - { product: reservation, site: west, population: { size: 5, thinks: 30m } }
`
    const at = (written: string) =>
      siteOfMore(fleetModel(written), { more: "runner", figure: null, atMs: startMs })
    expect(at(text)).toBe(1)
    expect(at(text.replace("thinks: 30m", "thinks: 90m"))).toBe(0)
    expect(at(text.replace("population: { size: 5, thinks: 30m }", "every: 10m"))).toBe(1)
  })
})
