/**
 * The waiting times of the engine, with its machines and services, are those of a plain queue with the same arrivals and times, and these
 * match queueing theory. Source: Erlang; Pollaczek and Khinchine.
 */

import { describe, expect, test } from "vitest"
import { Estimates } from "../../../src/simulation/fleet/results/estimates.ts"
import { halfWidthOf } from "../../../src/simulation/fleet/results/statistics.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { sampleOf } from "./bare-queue.ts"
import { machineRepair } from "./machine-repair.ts"
import { CLOCK, fleetModel, queue } from "./models.ts"
import { LINK_MS, plainQueue, serviceQueue } from "./plain-queue.ts"
import type { QueueRun } from "./plain-queue.ts"

const HOUR_MS = 3_600_000
const SPAN_MS = 8 * HOUR_MS

/** Ten runs of the plain queue; the service has the very waits of the first one. */
function runsOf(model: FleetModel, firstSeed = 101): readonly QueueRun[] {
  const made = Array.from({ length: 10 }, (_, at) => plainQueue(model, at + firstSeed))
  const [first] = made
  expect(first?.waitsMs.length).toBeGreaterThan(100)
  expect(serviceQueue(model, firstSeed).run).toEqual(first)
  return made
}

/**
 * By how many half-widths of the interval the mean wait misses the known one; NaN, which no expectation accepts, for an
 * interval that is too wide.
 */
function missOf(made: readonly QueueRun[], knownMs: number): number {
  const samples = made.map(({ waitsMs }) => sampleOf(waitsMs.map((wait) => wait / 1000)))
  const estimate = new Estimates(samples).of("wait_mean")
  const halfWidth = halfWidthOf(estimate)
  if (estimate.value === null || halfWidth === null || halfWidth > knownMs / 2) return Number.NaN
  return Math.abs(estimate.value - knownMs) / halfWidth
}

/** By how many half-widths of the interval the share of bots that lose patience misses the known one. */
function missOfLost(made: readonly QueueRun[], known: number): number {
  const shares = made.map(({ lost, served }) => lost / (lost + served))
  const average = shares.reduce((total, share) => total + share, 0) / shares.length
  const variance = shares.reduce((total, share) => total + (share - average) ** 2, 0) / (shares.length - 1)
  // 95 % of Student's t with nine degrees of freedom.
  return Math.abs(average - known) / (2.262 * Math.sqrt(variance / shares.length))
}

/** The share that an offered load loses at so many servers without a queue. Source: Erlang's B formula. */
function erlangB(servers: number, load: number): number {
  let share = 1
  for (let k = 1; k <= servers; k += 1) share = (load * share) / (k + load * share)
  return share
}

/** Probability that all of `servers` are busy, at an offered load. */
function erlangC(servers: number, load: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; k < servers; k += 1) {
    term *= load / k
    sum += term
  }
  const last = ((term * load) / servers) * (servers / (servers - load))
  return last / (sum + last)
}

describe("a queue before runners", () => {
  test("one runner, exponential times: M/M/1", () => {
    const perMs = 30 / HOUR_MS
    const serviceMs = 50_000 + LINK_MS
    const load = perMs * serviceMs
    const model = queue({ runners: 1, perHour: 30, service: "{ exponential: { mean: 50s } }" })
    expect(missOf(runsOf(model), (load * serviceMs) / (1 - load))).toBeLessThanOrEqual(1)
    // Little: the mean queue is the rate times the mean wait, but for what the ends of the run cut off.
    const { figures, durations } = serviceQueue(model, 102).replication
    const rate = (durations["runners.wait"]?.n ?? 0) / SPAN_MS
    const mean = figures["runners.queue_mean"] ?? 0
    expect(Math.abs(mean - rate * (figures["runners.wait_mean"] ?? 0))).toBeLessThan(0.02 * mean)
  })

  test("three runners, exponential times: M/M/c", () => {
    const perMs = 60 / HOUR_MS
    const serviceMs = 100_000 + LINK_MS
    const load = perMs * serviceMs
    const known = (erlangC(3, load) * serviceMs) / (3 - load)
    const made = runsOf(queue({ runners: 3, perHour: 60, service: "{ exponential: { mean: 100s } }" }), 201)
    expect(missOf(made, known)).toBeLessThanOrEqual(1)
  })

  test("one runner, times of any spread: M/G/1", () => {
    const perMs = 30 / HOUR_MS
    const [from, to] = [20_000 + LINK_MS, 100_000 + LINK_MS]
    const meanMs = (from + to) / 2
    const squareMs = meanMs ** 2 + (to - from) ** 2 / 12
    const made = runsOf(queue({ runners: 1, perHour: 30, service: "{ uniform: [20s, 100s] }" }))
    expect(missOf(made, (perMs * squareMs) / (2 * (1 - perMs * meanMs)))).toBeLessThanOrEqual(1)
  })

  // The order that comes first of a group waits for the work that it finds, and the others for those before them too.
  test.each([
    ["a geometric number at once", "{ geometric: { mean: 2 } }", 4, 421],
    ["one or three at once", "{ drawn_from: [1, 3] }", 3, 401],
  ])("%s, exponential times: M^[X]/M/1", (_, batch, pairs, seed) => {
    const perMs = 40 / HOUR_MS
    const [meanMs, squareMs] = [40_000 + LINK_MS, 2 * 40_000 ** 2]
    const known = (perMs * squareMs + (pairs / 2) * meanMs) / (2 * (1 - perMs * meanMs))
    const comes = `per_hour: 20, batch: ${batch}`
    const made = runsOf(queue({ runners: 1, comes, service: "{ exponential: { mean: 40s } }" }), seed)
    expect(missOf(made, known)).toBeLessThanOrEqual(1)
  })

  test.each([1, 2])("six customers who think between orders, %i of runners: M/M/c//N", (runners) => {
    const [thinkMs, serviceMs] = [600_000, 180_000 + LINK_MS]
    const { out, waiting } = machineRepair({ units: 6, crew: runners, ratio: serviceMs / thinkMs })
    const comes = "population: { size: 6, thinks: { exponential: { mean: 10m } } }"
    const made = runsOf(queue({ runners, comes, service: "{ exponential: { mean: 3m } }" }), 501)
    // Little: the mean wait is the mean number that waits over the rate of orders.
    expect(missOf(made, (waiting / (6 - out)) * thinkMs)).toBeLessThanOrEqual(1)
  })

  test("bots that lose patience: M/M/c+M, where patience runs until the load", () => {
    const [perMs, serviceMs, patienceMs, servers] = [60 / HOUR_MS, 100_000 + LINK_MS, 240_000, 2] as const
    // In state n so many are served and all n may lose patience.
    let [term, sum, mean] = [1, 1, 0]
    for (let n = 1; n < 200; n += 1) {
      term *= perMs / (Math.min(n, servers) / serviceMs + n / patienceMs)
      sum += term
      mean += n * term
    }
    const known = mean / sum / patienceMs / perMs
    const made = runsOf(
      queue({
        runners: servers,
        perHour: 60,
        service: "{ exponential: { mean: 100s } }",
        patience: "{ exponential: { mean: 4m } }",
      }),
      301,
    )
    expect(known).toBeGreaterThan(0.2)
    expect(missOfLost(made, known)).toBeLessThanOrEqual(1)
  })

  test("bots that leave at once when no runner is free: M/M/c/c", () => {
    const [perMs, serviceMs, servers] = [60 / HOUR_MS, 100_000 + LINK_MS, 2] as const
    const made = runsOf(
      queue({
        runners: servers,
        perHour: 60,
        service: "{ exponential: { mean: 100s } }",
        patience: "0s",
        patienceUntil: "runner",
      }),
      601,
    )
    expect(missOfLost(made, erlangB(servers, perMs * serviceMs))).toBeLessThanOrEqual(1)
  })
})

describe("patience until a runner", () => {
  const lost = (runners: number, bot: string): number =>
    [101, 102, 103]
      .map((seed) =>
        replicate(
          fleetModel(`
fleet: A curb
because: Do bots leave?
clock: ${CLOCK}
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 6, runners: ${runners}, stores: [{ as: store, preparation: 6m }] }]
runner: { walk: { uniform: [60s, 150s] }, load: 45s }
bot: { ${bot}, patience_until: runner }
demand: [{ product: reservation, site: curb, per_hour: 8 }]
`),
          { seed },
        ),
      )
      .reduce((sum, { counts }) => sum + (counts["bots.aborted: it waited too long"] ?? 0), 0)

  test("begins at the offer of the task where the bot comes before it", () => {
    expect(lost(12, "patience: 0s, punctuality: { uniform: [-10m, -5m] }")).toBe(0)
  })

  test("begins anew when the runner has left", () => {
    // The runner leaves after 10 minutes, long before the bot is ready.
    expect(lost(1, "patience: 5m, settle: 25m")).toBeGreaterThan(0)
  })
})
