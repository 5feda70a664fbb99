/** The search for the least count, on queues whose percentiles are known. */

import { describe, expect, test } from "vitest"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import type { FleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import type { Replicate } from "../../../src/simulation/fleet/search/evaluate.ts"
import { FIND_CONFIRMATIONS_MAX } from "../../../src/model/values/limits.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { mmc, waitsOf } from "./bare-queue.ts"
import { countOf, madeUp, site } from "./made-up.ts"

/** Six servers' work: with c runners a queue M/M/c. Fewer than seven would never catch up. */
const OFFERED = 6.3

const queue: Replicate = ({ model, seed }) => {
  const runners = countOf(model, "runners")
  const waits =
    runners <= OFFERED
      ? Array.from({ length: 300 }, (_, at) => 600 + at)
      : waitsOf(mmc(runners, OFFERED / runners, 60), 300, new Streams(seed))
  return Promise.resolve(madeUp(seed, waits, { "runners.hours": runners * 4, "orders.completed": 300 }))
}

function search(model: FleetModel, replicate: Replicate = queue): Promise<FleetResult> {
  return runFleet(model, { seeds: null, replicate })
}

const PROMISE = 'promises: { reservations.wait_p95: "< 60s" }'

/** The least number of servers whose known p95 is below a minute. */
const KNOWN = [7, 8, 9, 10, 11, 12].find((c) => (mmc(c, OFFERED / c, 60).known.p95S ?? 0) < 60)

test("the least number of runners is the one that queueing theory knows", async () => {
  const result = await search(
    site(`${PROMISE}\nfind: { least: runners }\ncosts: { currency: USD, runner_hour: 20 }`),
  )
  const { outcome, steps } = result.search ?? { outcome: null, steps: [] }
  expect(outcome?.is).toBe("found")
  if (outcome?.is !== "found") return
  expect(outcome.best.settings).toEqual([["runners", KNOWN]])
  expect(outcome.below[0]?.settings).toEqual([["runners", (KNOWN ?? 0) - 1]])
  expect(outcome.below[0]?.promises[0]).toMatchObject({ isKept: false, isCertain: true })
  // Halving: 4, 8, 16, then between.
  expect(steps.length).toBeLessThan(7)
  // Confirmed on seeds that the search has not seen.
  expect(outcome.best.replications[0]?.seed).toBe(11)
  expect(result.cases.map(({ settings }) => settings[0]?.[1])).toEqual([8, 9, 10])
  expect(result.cases.at(-1)?.replications.length).toBe(outcome.best.replications.length)
  expect(result.verdict).toBe("passed")
  const { headline, reasons } = answerOf(result)
  expect(headline).toMatch(/^9 runners keep the promise; 8 break it by [\dsm ]+ \([\dsm ]+ to [\dsm ]+\)\.$/)
  expect(reasons.join(" ")).toContain(
    "The measured time costs 720.00 USD, 2.40 USD for each order that completes",
  )
})

test("a count that new seeds do not settle is not the answer, and the answer says so", async () => {
  /** With 5 runners every second day is far beyond the limit, and the median just below it. */
  const unsettled: Replicate = ({ model, seed }) => {
    const runners = countOf(model, "runners")
    const isBad = seed % 2 === 1
    const seconds = runners <= 4 ? 300 : runners === 5 ? (isBad ? 90 : 20) : 15
    return Promise.resolve(
      madeUp(
        seed,
        Array.from({ length: 100 }, (_, at) => seconds + at / 100),
      ),
    )
  }
  const promise = 'promises: { reservations.wait_mean: "< 56s" }'
  const result = await search(site(`${promise}\nfind: { least: runners }`), unsettled)
  const outcome = result.search?.outcome
  expect(outcome?.is === "found" ? outcome.best.settings : outcome).toEqual([["runners", 6]])
  expect(answerOf(result).headline).toMatch(
    /^6 runners keep the promise; 5 may be enough: the mean wait of reservations is 55s \(.+\)\.$/,
  )
  // It is judged by all of its replications.
  const [below] = outcome?.is === "found" ? outcome.below : []
  expect(below?.replications.length).toBe(FIND_CONFIRMATIONS_MAX)
})

describe("a search that cannot be met", () => {
  test("ends when more of the count does not help, and says what is full instead", async () => {
    const full: Replicate = ({ seed }) =>
      Promise.resolve(
        madeUp(
          seed,
          Array.from({ length: 300 }, () => 90),
        ),
      )
    const result = await search(site(`${PROMISE}\nfind: { least: runners }`), full)
    expect(result.search?.outcome).toMatchObject({ is: "not met", why: "no help" })
    expect(result.verdict).toBe("failed")
    const { headline, reasons } = answerOf(result)
    expect(headline).toBe("No number of runners was found that keeps the promise.")
    expect(reasons[0]).toBe("8 runners help no more than half as many.")
    expect(reasons[1]).toBe(
      "With 8 runners the wait of 95 of 100 reservations is 1m 30s, 30s over its limit of 1m.",
    )
    expect(reasons.at(-1)).toBe("The search is at test.yaml:11:16.")
  })

  test("looks only at the promises that it names, and at all of them where it names none", async () => {
    const promised = 'promises: { reservations.wait_p95: "< 60s", orders.completed: "> 1000" }'
    const named = await search(
      site(`${promised}\nfind: { least: runners, that_keeps: [reservations.wait_p95] }`),
    )
    expect(named.search?.outcome).toMatchObject({ is: "found", best: { settings: [["runners", KNOWN]] } })
    const all = await search(site(`${promised}\nfind: { least: runners, at_most: 16 }`))
    expect(all.search?.outcome.is).toBe("not met")
  })

  test("ends at the most that the model allows", async () => {
    const result = await search(site(`${PROMISE}\nfind: { least: runners, at_most: 8 }`))
    expect(result.search?.outcome).toMatchObject({ is: "not met", why: "at most" })
    expect(answerOf(result).reasons[0]).toBe("8 runners are the most that the search may try.")
  })
})

describe("two counts at once", () => {
  /** Kept when runners and stalls together are enough for each other; a minute more for each that is missing. */
  const together: Replicate = ({ model, seed }) => {
    const [runners, stalls] = [countOf(model, "runners"), countOf(model, "stalls")]
    const missing = Math.max(0, 12 - Math.min(runners, 8) - Math.min(stalls, 9))
    const random = new Streams(seed)
    const waits = Array.from({ length: 200 }, () => missing * 60 + 20 + 10 * random.fraction("wait"))
    const figures = { "runners.hours": runners * 4, "stalls.hours": stalls * 4, "orders.completed": 200 }
    return Promise.resolve(madeUp(seed, waits, figures))
  }

  test.each([
    ["runners are dear", "costs: { runner_hour: 30, stall_hour: 5 }", [3, 9]],
    ["stalls are dear", "costs: { runner_hour: 5, stall_hour: 30 }", [8, 4]],
  ] as const)("take the cheapest pair when %s", async (_, costs, [runners, stalls]) => {
    const model = site(`${PROMISE}\nfind: { least: [runners, stalls] }\n${costs}`, { runners: 2, stalls: 3 })
    const result = await search(model, together)
    const outcome = result.search?.outcome
    expect(outcome?.is === "found" ? Object.fromEntries(outcome.best.settings) : outcome).toEqual({
      runners,
      stalls,
    })
    const sentence = `${runners} runners and ${stalls} stalls keep the promise; ${runners - 1} runners break it by BY; ${stalls - 1} stalls break it by BY.`
    expect(answerOf(result).headline.replaceAll(/by \d+s[^;.]*/g, "by BY")).toBe(sentence)
  })
})

test("a search makes the same result, whichever replication ends first", async () => {
  const model = site(`${PROMISE}\nfind: { least: runners }`)
  const later: Replicate = async (task) => {
    for (let turns = task.seed % 3; turns > 0; turns -= 1) await Promise.resolve()
    return queue(task)
  }
  expect(await search(model, later)).toEqual(await search(model))
})
