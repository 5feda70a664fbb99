/** The search for the most demand, on queues whose percentiles are known. */

import { describe, expect, test } from "vitest"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import type { FleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import type { Replicate } from "../../../src/simulation/fleet/search/evaluate.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { mmc, waitsOf } from "./bare-queue.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { madeUp, site, siteText } from "./made-up.ts"

/** The model's 20 orders an hour keep four servers busy for a third. */
const SERVERS = 4
const LOAD = 1 / 3

function factorOf({ demand }: FleetModel): number {
  return (demand[0]?.per_hour?.steps[0]?.value ?? 0) / 20
}

const queue: Replicate = ({ model, seed }) => {
  const load = LOAD * factorOf(model)
  const waits =
    load >= 1
      ? Array.from({ length: 400 }, (_, at) => 600 + at)
      : waitsOf(mmc(SERVERS, load, 60), 400, new Streams(seed))
  return Promise.resolve(madeUp(seed, waits))
}

function search(model: FleetModel, replicate: Replicate = queue): Promise<FleetResult> {
  return runFleet(model, { seeds: null, replicate })
}

const PROMISE = 'promises: { reservations.wait_p95: "< 60s" }'

/** The factor at which the known percentile is a minute. */
function known(): number {
  let [low, high] = [1, 3]
  while (high - low > 0.0001) {
    const middle = (low + high) / 2
    if ((mmc(SERVERS, LOAD * middle, 60).known.p95S ?? 0) < 60) low = middle
    else high = middle
  }
  return low
}

test("the most demand is that which queueing theory knows, between one that keeps and one that breaks", async () => {
  const result = await search(site(`${PROMISE}\nfind: { most: demand }`))
  const { outcome, steps } = result.search ?? { outcome: null, steps: [] }
  expect(outcome?.is).toBe("found")
  if (outcome?.is !== "found") return
  const [kept, broken] = [outcome.best, outcome.below[0]].map((one) => Number(one?.settings[0]?.[1]))
  expect(kept).toBeLessThan(known())
  expect(broken).toBeGreaterThan(known())
  expect(kept).toBeGreaterThan(known() * 0.9)
  expect(broken).toBeLessThan(known() * 1.1)
  expect(steps.length).toBeLessThan(10)
  expect(outcome.best.replications[0]?.seed).toBe(11)
  expect(outcome.below[0]?.promises[0]).toMatchObject({ isKept: false, isCertain: true })
  expect(result.verdict).toBe("passed")
  expect(answerOf(result).headline).toMatch(
    /^Up to \d\.\d+ times the demand the promise holds; \d\.\d+ times breaks it by [\dsm ]+ \([\dsm ]+ to [\dsm ]+\)\.$/,
  )
})

test("a model that breaks its promise as it is gets the factor below one", async () => {
  const half: Replicate = (task) =>
    queue({
      ...task,
      model: {
        ...task.model,
        demand: task.model.demand.map((one) => ({
          ...one,
          per_hour: { steps: one.per_hour?.steps.map((step) => ({ ...step, value: step.value * 4 })) ?? [] },
        })),
      },
    })
  const result = await search(site(`${PROMISE}\nfind: { most: demand }`), half)
  const outcome = result.search?.outcome
  const kept = outcome?.is === "found" ? Number(outcome.best.settings[0]?.[1]) : Number.NaN
  expect(kept).toBeLessThan(known() / 4)
  expect(kept).toBeGreaterThan((known() / 4) * 0.9)
})

test("a factor that keeps the promise because most orders are lost is refused, and the answer says why", async () => {
  /** Above 1.5 times the demand orders are declined, and the others wait as before. */
  const declining: Replicate = ({ model, seed }) => {
    const completed = factorOf(model) <= 1.5 ? 99 : 60
    const waits = Array.from({ length: 300 }, (_, at) => 20 + (at % 10))
    return Promise.resolve(madeUp(seed, waits, { "orders.asked": 100, "orders.completed": completed }))
  }
  const result = await search(site(`${PROMISE}\nfind: { most: demand }`), declining)
  const outcome = result.search?.outcome
  const kept = outcome?.is === "found" ? Number(outcome.best.settings[0]?.[1]) : Number.NaN
  expect(kept).toBeLessThanOrEqual(1.5)
  expect(kept).toBeGreaterThan(1.4)
  expect(answerOf(result).headline).toMatch(/times loses 40\.0% of the orders, and not 1\.0%\.$/)
})

describe("a search without a limit", () => {
  test("says that no demand keeps a promise that demand does not move", async () => {
    const slow: Replicate = ({ seed }) =>
      Promise.resolve(
        madeUp(
          seed,
          Array.from({ length: 300 }, () => 90),
        ),
      )
    const result = await search(site(`${PROMISE}\nfind: { most: demand }`), slow)
    expect(result.search?.outcome).toMatchObject({ is: "not met", why: "no help" })
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe("No demand was found that keeps the promise.")
    expect(reasons[0]).toBe("0.5 times the demand helps no more than twice as much.")
  })

  test("ends at the most that it may try, and says so", async () => {
    const result = await search(site(`${PROMISE}\nfind: { most: demand, at_most: 1.5 }`))
    const outcome = result.search?.outcome
    expect(outcome?.is === "found" ? outcome.best.settings : outcome).toEqual([["demand", 1.5]])
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe("Up to 1.5 times the demand the promise holds.")
    expect(reasons[0]).toBe("More was not tried: at_most is 1.5.")
  })
})

test.each([
  ["find: { most: demand, least: runners }", "a search looks for exactly one thing"],
  ["find: { most: runners }", "one of demand"],
  ["find: { that_keeps: [reservations.wait_p95] }", "a search looks for exactly one thing"],
  ["find: { least: runners, at_most: 2.5 }", "2.5 of a count"],
])("%s is a mistake", (find, says) => {
  const text = siteText(`${PROMISE}\n${find}`)
  const { problems } = readFleet({ file: "m.yaml", text, beside: () => null })
  expect(problems.map(({ message, expected }) => `${message}; ${expected}`).join("\n")).toContain(says)
})
