/** A search of each site by itself: on queues whose percentiles are known, and on a model whose sites are independent. */

import { describe, expect, test } from "vitest"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { inCase } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { partsOf } from "../../../src/simulation/fleet/language/parts.ts"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import type { FleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { observed } from "../../../src/simulation/fleet/results/observed.ts"
import { resultJson } from "../../../src/simulation/fleet/results/outputs.ts"
import { partSample } from "../../../src/simulation/fleet/results/part-sample.ts"
import type { Replicate } from "../../../src/simulation/fleet/search/evaluate.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { mmc, waitsOf } from "./bare-queue.ts"
import { madeUp } from "./made-up.ts"
import { CLOCK, fleetModel } from "./models.ts"

/** The work that each site has, in runners: with c of them its queue is M/M/c. */
const OFFERED: Readonly<Record<string, number>> = { north: 6.3, south: 1.6, east: 3.4 }

function threeSites(more: string): FleetModel {
  const names = Object.keys(OFFERED)
  return fleetModel(`
fleet: Three queues
because: Their waits are known.
clock: ${CLOCK}
horizon: 4h
sites:
${names.map((name, at) => `  - { as: ${name}, at: [${30 + at / 10}, -97.7], stalls: 8, runners: 2 }`).join("\n")}
demand:
${names.map((name) => `  - { product: reservation, site: ${name}, per_hour: 20 }`).join("\n")}
${more}
`)
}

function runnersAt(model: FleetModel, at: number): number {
  return model.sites[at]?.runners[0]?.count ?? 0
}

/** Each site has a stream of its own, so that its waits depend on its own runners alone. */
const queues: Replicate = ({ model, seed }) => {
  const waits = model.sites.map(({ as }, at) => {
    const [runners, offered] = [runnersAt(model, at), OFFERED[as] ?? 0]
    return runners <= offered
      ? Array.from({ length: 300 }, (_, number) => 600 * (offered - runners + 1) + number)
      : waitsOf(mmc(runners, offered / runners, 60), 300, new Streams(seed * 10 + at))
  })
  return Promise.resolve(withParts(seed, waits))
}

/** A replication with these waits of reservations of each site, in seconds. */
function withParts(seed: number, waitsS: readonly (readonly number[])[]): Replication {
  const demands = waitsS.map((waits) => {
    const ms = waits.map((wait) => Math.round(wait * 1000))
    return {
      counts: { "reservations.asked": ms.length, "reservations.completed": ms.length },
      observed: { "reservations.wait": observed(ms, (at) => Math.floor((at * 16) / ms.length)) },
      extremes: {
        "reservations.wait": { sumMs: ms.reduce((sum, one) => sum + one, 0), mostMs: Math.max(...ms) },
      },
      late: [],
    }
  })
  return {
    ...madeUp(seed, waitsS.flat()),
    parts: { demands, sites: waitsS.map(() => ({})), use: waitsS.map(() => ({})) },
  }
}

function search(model: FleetModel, make: Replicate = queues): Promise<FleetResult> {
  return runFleet(model, { seeds: null, replicate: make })
}

/** The least number of servers whose known p95 is below a minute. */
function known(site: string): number {
  const offered = OFFERED[site] ?? 0
  for (let c = Math.floor(offered) + 1; ; c += 1) if ((mmc(c, offered / c, 60).known.p95S ?? 0) < 60) return c
}

const PROMISE = 'promises: { reservations.wait_p95: "< 60s" }'
const COUNTS = { north: known("north"), south: known("south"), east: known("east") }

describe("runners at each site", () => {
  test("are the numbers that queueing theory knows, in as many cases as one site alone would take", async () => {
    const result = await search(threeSites(`${PROMISE}\nfind: { least: runners at each site }`))
    const { outcome, steps, bySite } = result.search ?? { outcome: null, steps: [], bySite: [] }
    expect(outcome?.is).toBe("found")
    expect(Object.fromEntries(bySite.map(({ site, count }) => [site, count]))).toEqual(COUNTS)
    for (const { site, below } of bySite)
      expect(below?.[0], site).toMatchObject({ isKept: false, isCertain: true })
    // 2, 4, 8, 16 for the largest, and then between; never the sum of what the sites take.
    expect(steps.length).toBeLessThan(8)
    const [less, least, more] = result.cases.map(({ settings }) => Object.fromEntries(settings))
    expect(least).toEqual(
      Object.fromEntries(Object.entries(COUNTS).map(([site, count]) => [`runners at ${site}`, count])),
    )
    for (const [site, count] of Object.entries(COUNTS)) {
      expect(less?.[`runners at ${site}`]).toBe(count - 1)
      expect(more?.[`runners at ${site}`]).toBe(count + 1)
    }
    // Confirmed on seeds that the search has not seen.
    expect(result.cases[1]?.replications[0]?.seed).toBe(11)
    expect(result.verdict).toBe("passed")
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe(
      `${COUNTS.north} runners at north, ${COUNTS.south} at south and ${COUNTS.east} at east keep the promise at each site.`,
    )
    expect(reasons[0]).toMatch(
      /^\d+ runners at north: the wait of 95 of 100 reservations is .+, its limit 1m; \d+ break it by .+\.$/,
    )
    const json = JSON.parse(JSON.stringify(resultJson(result))) as {
      readonly search: { readonly by_site: readonly { readonly site: string; readonly count: number }[] }
    }
    expect(json.search.by_site.map(({ site, count }) => [site, count])).toEqual(Object.entries(COUNTS))
  })

  test("take a site's own promise instead of that of all, and a promise of its demand", async () => {
    const text = `promises: { reservations.wait_p95: "< 60s", reservations.wait_p95 at north: "< 5m", reservations.wait_p95 of reservations at south: "< 1s" }
find: { least: runners at each site, that_keeps: [reservations.wait_p95 at north, reservations.wait_p95 of reservations at south, reservations.wait_p95] }`
    const result = await search(threeSites(text))
    const counts = Object.fromEntries((result.search?.bySite ?? []).map(({ site, count }) => [site, count]))
    expect(counts["north"]).toBeLessThan(COUNTS.north)
    expect(counts["south"]).toBeGreaterThan(COUNTS.south)
    expect(counts["east"]).toBe(COUNTS.east)
  })

  test("may keep what is promised of each and break what all together must keep; the answer says so", async () => {
    const text = `promises: { reservations.wait_p90: "< 1s", reservations.wait_mean at north: "< 10m", reservations.wait_mean at south: "< 10m", reservations.wait_mean at east: "< 10m" }
find: { least: runners at each site }`
    const result = await search(threeSites(text))
    expect(result.search?.outcome).toMatchObject({ is: "not met", why: "together" })
    expect(answerOf(result).headline).toMatch(
      /each site keeps what is promised of it, and all of the 3 together break the limit of the wait of 90 of 100 reservations by /,
    )
  })

  test("are found where a search has too few waits for a percentile, which further seeds have", async () => {
    /** One replication of east has eight waits: p95 needs twenty. */
    const rare: Replicate = async (task) => {
      const made = await queues(task)
      const waits = task.model.sites.map(({ as }, at) =>
        Array.from({ length: as === "east" ? 8 : 100 }, () => (runnersAt(task.model, at) > 2 ? 20 : 70)),
      )
      return { ...made, ...withParts(task.seed, waits) }
    }
    const model = { ...threeSites(`${PROMISE}\nfind: { least: runners at each site }`), replications: 2 }
    const result = await search(model, rare)
    expect(result.search?.bySite.map(({ site, count, why }) => [site, count, why])).toEqual([
      ["north", 3, null],
      ["south", 3, null],
      ["east", 3, null],
    ])
  })

  test("that are not found at one site are named with the reason, and the others are found", async () => {
    const stuck: Replicate = async (task) => {
      const made = await queues(task)
      const waits = task.model.sites.map(({ as }, at) =>
        as === "east" ? 90 : runnersAt(task.model, at) > 2 ? 20 : 70,
      )
      return {
        ...made,
        ...withParts(
          task.seed,
          waits.map((wait) => Array.from({ length: 100 }, () => wait)),
        ),
      }
    }
    const result = await search(threeSites(`${PROMISE}\nfind: { least: runners at each site }`), stuck)
    expect(result.verdict).toBe("failed")
    expect(result.search?.bySite.map(({ site, why }) => [site, why])).toEqual([
      ["north", null],
      ["south", null],
      ["east", "no help"],
    ])
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe(
      "No number of runners was found that keeps the promise at east; 3 runners at north and 3 at south do.",
    )
    expect(reasons[0]).toBe(
      "4 runners at east help no more than half as many: the wait of 95 of 100 reservations is 1m 30s (1m 30s to 1m 30s), its limit 1m.",
    )
  })
})

test("the count of one site is searched with the other sites as they are", async () => {
  const result = await search(
    threeSites(
      `promises: { reservations.wait_p95 at south: "< 60s", reservations.wait_p95 at north: "< 1s" }\nfind: { least: runners at south }`,
    ),
  )
  expect(result.search?.find.keeps).toEqual(["reservations.wait_p95 at south"])
  const outcome = result.search?.outcome
  expect(outcome?.is === "found" ? outcome.best.settings : outcome).toEqual([
    ["runners at south", COUNTS.south],
  ])
  expect(answerOf(result).headline).toMatch(
    new RegExp(`^${COUNTS.south} runners at south keep the promise of the search; \\d break it by `),
  )
})

test("a sweep over one site's count changes that site alone, and its cases say so", async () => {
  const model = threeSites(`${PROMISE}\nsweep: { runners at south: [2, 3], runners at east: [4] }`)
  expect(inCase(model, [["runners at south", 3]]).sites.map(({ runners }) => runners[0]?.count)).toEqual([
    2, 3, 2,
  ])
  const result = await search(model)
  expect(result.cases.map(({ settings }) => settings)).toEqual([
    [
      ["runners at south", 2],
      ["runners at east", 4],
    ],
    [
      ["runners at south", 3],
      ["runners at east", 4],
    ],
  ])
  expect(answerOf(result).headline).toMatch(/\d runners at south and 4 at east/)
})

test("what a site has changes nothing at another one, so that sites can be searched at once", () => {
  const model = fleetModel(`
fleet: Independent
because: What one site has is its own.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: north, at: [30.4, -97.7], stalls: 3, runners: 1, vehicles: 2, stores: [{ as: kitchen, preparation: { exponential: { mean: 6m } }, cooks: 3 }] }
  - { as: south, at: [30.2, -97.7], stalls: 3, runners: 2, vehicles: 2, stores: [{ as: kitchen, preparation: { exponential: { mean: 6m } }, cooks: 3 }] }
bot: { punctuality: { normal: { mean: 1m, sd: 3m } }, no_show: 5% }
demand:
  - { product: reservation, site: north, per_hour: 14, cancel: 5% }
  - { product: delivery, site: north, per_hour: 6, cancel: 5% }
  - { product: reservation, site: south, per_hour: 14, cancel: 5% }
  - { product: courier, site: south, per_hour: 8 }
`)
  const south = partsOf(model).find(({ kind, name }) => kind === "site" && name === "south")
  if (south === undefined) throw new Error("the model has the site")
  const changed = inCase(model, [
    ["runners at north", 4],
    ["stalls at north", 9],
    ["cooks at north", 9],
    ["vehicles at north", 5],
  ])
  const [one, other] = [model, changed].map((of) => replicate(of, { seed: 5 }))
  if (one === undefined || other === undefined) throw new Error("two replications were made")
  expect(partSample(other, south)).toEqual(partSample(one, south))
  expect(other.figures).not.toEqual(one.figures)
})
