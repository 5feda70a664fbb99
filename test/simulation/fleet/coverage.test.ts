/**
 * A 95 % interval holds the true value in 95 of 100 experiments. Here the true value is known: waits of M/M/c and M/G/1.
 * The long form (`npm run test:long`) makes 2,000 experiments of each kind; the short one fewer, and
 * bounds them from below alone.
 */

import { describe, expect, test } from "vitest"
import { Estimates } from "../../../src/simulation/fleet/results/estimates.ts"
import { boundsOf } from "../../../src/simulation/fleet/results/statistics.ts"
import { addedReplications } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { isLong } from "../../long-tests.ts"
import { mg1, mmc, sampleOf, waitsOf } from "./bare-queue.ts"
import type { BareQueue } from "./bare-queue.ts"

const EXPERIMENTS = isLong ? 2_000 : 150
/** The short form allows three standard errors of its own more. */
const [LEAST, MOST] = isLong ? [0.93, 0.97] : [0.89, 1]
const REPLICATIONS = 20
const CUSTOMERS = isLong ? 400 : 200

// The long form takes minutes.
const LONG = { timeout: 1_800_000 }

/** The share of experiments whose interval holds the known value. */
function coverage(
  { metric, knownS, experiments }: { metric: string; knownS: number; experiments: number },
  experiment: (streams: Streams) => Estimates,
): number {
  const streams = new Streams(1)
  let hits = 0
  for (let at = 0; at < experiments; at += 1) {
    const { low, high } = experiment(streams).of(metric)
    if (low !== null && low <= knownS * 1000 && (high === null || knownS * 1000 <= high)) hits += 1
  }
  return hits / experiments
}

/** Source: G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates" (1958). */
function normal(streams: Streams): number {
  const radius = Math.sqrt(-2 * Math.log1p(-streams.fraction("radius")))
  return radius * Math.cos(2 * Math.PI * streams.fraction("angle"))
}

function replicationsOf(queue: BareQueue, streams: Streams, count = REPLICATIONS) {
  return Array.from({ length: count }, () => sampleOf(waitsOf(queue, CUSTOMERS, streams)))
}

describe("95 % intervals hold the known value as often as they say", () => {
  const three = mmc(3, 0.7)
  const general = mg1(0.7)

  test.each([
    ["the mean wait of M/M/3", "wait_mean", three, three.known.meanS],
    ["the mean wait of M/G/1", "wait_mean", general, general.known.meanS],
    ["p95 of the waits of M/M/3", "wait_p95", three, three.known.p95S ?? 0],
  ])("%s", LONG, (_, metric, queue, knownS) => {
    const found = coverage(
      { metric, knownS, experiments: EXPERIMENTS },
      (streams) => new Estimates(replicationsOf(queue, streams)),
    )
    expect(found).toBeGreaterThanOrEqual(LEAST)
    expect(found).toBeLessThanOrEqual(MOST)
  })

  // Student's t of symmetric values holds at any number; Willink's correction of three held the known mean in 93.5.
  test.each([3, 4])("the mean of %i values that are not skewed", LONG, (count) => {
    const streams = new Streams(1)
    const experiments = isLong ? 20_000 : 4_000
    let hits = 0
    for (let at = 0; at < experiments; at += 1) {
      const [low, high] = boundsOf(Array.from({ length: count }, () => normal(streams)))
      if (low !== null && high !== null && low <= 0 && high >= 0) hits += 1
    }
    expect(hits / experiments).toBeGreaterThan(isLong ? 0.945 : 0.94)
    expect(hits / experiments).toBeLessThan(isLong ? 0.955 : 0.96)
  })

  test("p95 of M/M/3 when a stop rule says how many replications are made", LONG, () => {
    const rule = { metric: "wait_p95", halfWidth: 0.3, isShare: true }
    const found = coverage(
      { metric: "wait_p95", knownS: three.known.p95S ?? 0, experiments: isLong ? 2_000 : 50 },
      (streams) => {
        const made = replicationsOf(three, streams, 10)
        const looks = { narrow: 0 }
        for (let more = -1; more !== 0;) {
          const time = {
            clock: { local: "2026-03-02T10:00", timeZone: "America/Chicago" },
            horizon: 3_600_000,
            warm_up: 0,
          }
          const rules = { ...time, until: [rule], replications: 10, costs: null, sites: [], demand: [] }
          more = addedReplications(rules, made, looks)
          made.push(...replicationsOf(three, streams, more))
        }
        return new Estimates(made)
      },
    )
    expect(found).toBeGreaterThanOrEqual(isLong ? LEAST : 0.84)
    expect(found).toBeLessThanOrEqual(MOST)
  })
})

test("a percentile of few waits in each replication is pooled, so it is not too low", () => {
  const queue = mmc(1, 0.5)
  const streams = new Streams(3)
  const waits = Array.from({ length: 200 }, () => waitsOf(queue, 25, streams))
  const own = waits.map((each) => sampleOf(each).figures["wait_p95"] ?? 0)
  const ofReplications = own.reduce((sum, one) => sum + one, 0) / own.length
  const pooled = new Estimates(waits.map((each) => sampleOf(each))).of("wait_p95").value ?? 0
  const known = (queue.known.p95S ?? 0) * 1000
  expect(ofReplications).toBeLessThan(0.9 * known)
  expect(Math.abs(pooled - known)).toBeLessThan(0.05 * known)
})
