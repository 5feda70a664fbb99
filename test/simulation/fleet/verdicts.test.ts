/** Verdicts of a run: equal samples have equal verdicts, and the headline says of each case what its row of the table says. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { casesOf } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import type { FleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import {
  recommendedOf,
  standingOf,
  standingOfResult,
  standingOfPromise,
} from "../../../src/simulation/fleet/results/recommend.ts"
import type { Standing } from "../../../src/simulation/fleet/results/recommend.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { madeUp, site, siteText } from "./made-up.ts"
import { fleetModel } from "./models.ts"

/** Means of the replications of a case, in seconds. */
type Sample = readonly number[]

function caseOf(model: FleetModel, runners: number | null, sample: Sample): CaseResult {
  return caseResult(
    model,
    runners === null ? [] : [["runners", runners]],
    sample.map((waitS, at) => madeUp(at + 1, [waitS, waitS + 20])),
  )
}

function swept(
  samples: ReadonlyMap<number, Sample>,
  promises = 'reservations.wait_mean: "< 5m"',
): FleetResult {
  const model = site(`promises: { ${promises} }\nsweep: { runners: [${[...samples.keys()].join(", ")}] }`)
  return fleetResult(
    model,
    [...samples].map(([runners, sample]) => caseOf(model, runners, sample)),
  )
}

/** What a headline says of a case other than the recommended one; null where it does not name it. */
function saidOf(headline: string, count: number): "alike" | "not" | "not sure" | null {
  const clauses = headline.replace(/\.$/, "").split(/[;,] /).slice(1)
  const words = clauses.find((clause) => clause.startsWith(`${count} `))?.slice(`${count} `.length)
  if (words === undefined) return null
  if (/^(do|does) not$/.test(words)) return "not"
  if (/^(do|does) as well$/.test(words)) return "alike"
  expect(words).toMatch(/^may not$|^(is|are) not clearly worse$/)
  return "not sure"
}

const RANK: readonly Standing[] = ["broken", "broken, not sure", "kept, not sure", "kept"]
const rankOf = ({ promises }: CaseResult): number => RANK.indexOf(standingOf(promises))

/** Waits around the limit of five minutes, the same on all days or not, of one replication or of several. */
const sampleOf = fc.oneof(
  fc.array(fc.integer({ min: 250, max: 330 }), { minLength: 1, maxLength: 12 }),
  fc
    .tuple(fc.integer({ min: 280, max: 300 }), fc.nat({ max: 11 }))
    .map(([wait, more]) => Array<number>(more + 1).fill(wait)),
)

/** Sweeps whose cases have few different samples, so that many of them are equal. */
const sweeps = fc
  .record({
    samples: fc.array(sampleOf, { minLength: 1, maxLength: 3 }),
    counts: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 5 }),
    picks: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
  })
  .map(({ samples, counts, picks }) => {
    return new Map(counts.map((count, at) => [count, samples[(picks[at] ?? 0) % samples.length] ?? []]))
  })

describe("a sweep", () => {
  test("with equal samples has equal verdicts, and recommends the least count of them", () => {
    fc.assert(
      fc.property(sweeps, (samples) => {
        const { model, cases, ...rest } = swept(samples)
        const { shown } = recommendedOf({ model, cases, search: rest.search })
        const chosen = Number(shown?.settings[0]?.[1])
        const alike = [...samples].filter(([, sample]) => sample === samples.get(chosen))
        const standings = alike.map(([count]) => {
          const one = cases.find(({ settings }) => settings[0]?.[1] === count)
          return one === undefined ? "missing" : standingOf(one.promises)
        })
        expect(new Set(standings).size).toBe(1)
        expect(chosen).toBe(Math.min(...alike.map(([count]) => count)))
      }),
      { numRuns: 150 },
    )
  })

  test.each(["runners", "sites.curb.runners", "sites.curb.runners.1.count"])(
    "of %s recommends the least that keeps the promise, not that with most to spare",
    (setting) => {
      const runners = setting.endsWith("count") ? "[{ count: 4 }]" : "4"
      const model = fleetModel(
        siteText(`promises: { reservations.wait_mean: "< 5m" }\nsweep: { ${setting}: [2, 3, 4] }`).replace(
          "runners: 4",
          `runners: ${runners}`,
        ),
      )
      const cases = casesOf(model).map((one, at) =>
        caseResult(
          model,
          one,
          [1, 2, 3].map((seed) => madeUp(seed, [200 - 50 * at + seed])),
        ),
      )
      expect(recommendedOf({ model, cases, search: null }).best?.settings).toEqual([[setting, 2]])
    },
  )

  test("of the rate of a demand recommends the most that keeps the promise", () => {
    const setting = "demand.reservations at curb.per_hour"
    const model = site(`promises: { reservations.wait_mean: "< 5m" }\nsweep: { ${setting}: [20, 30, 40] }`)
    const cases = casesOf(model).map((one, at) =>
      caseResult(
        model,
        one,
        [1, 2, 3].map((seed) => madeUp(seed, [150 + 100 * at + seed])),
      ),
    )
    expect(recommendedOf({ model, cases, search: null }).best?.settings).toEqual([[setting, 30]])
  })

  test("has a headline that says of each case what the table says", () => {
    fc.assert(
      fc.property(sweeps, (samples) => {
        const result = swept(samples)
        const { headline } = answerOf(result)
        const { best } = recommendedOf(result)
        if (best === null) {
          expect(headline).toMatch(/^No case keeps the promise; /)
          expect(result.cases.every(({ promises }) => promises.some(({ isKept }) => !isKept))).toBe(true)
          return
        }
        expect(rankOf(best)).toBe(Math.max(...result.cases.map(rankOf)))
        for (const one of result.cases) {
          if (one === best) continue
          const said = saidOf(headline, Number(one.settings[0]?.[1]))
          const standing = standingOf(one.promises)
          if (said === "not") expect(standing).toBe("broken")
          if (said === "not sure") expect(standing).toMatch(/, not sure$/)
          // Who is named worse has a worse row; who has the same row is named alike, or kept like the recommended one.
          if (said === "not" || said === "not sure") expect(rankOf(one)).toBeLessThan(rankOf(best))
          else if (said === "alike") expect(rankOf(one)).toBe(rankOf(best))
          else expect([standing, standingOf(best.promises)]).toEqual(["kept", "kept"])
        }
      }),
      { numRuns: 250 },
    )
  })

  test("does not call more of a count worse when the figures are equal", () => {
    const sample = [240, 330, 270, 300]
    expect(
      answerOf(
        swept(
          new Map([
            [6, sample],
            [9, sample],
          ]),
        ),
      ).headline,
    ).toBe("6 runners keep the promise on average, though an interval holds its limit; 9 do as well.")
    expect(
      answerOf(
        swept(
          new Map([
            [6, [270]],
            [9, [265]],
          ]),
          'wait_max: "< 5m"',
        ),
      ).headline,
    ).toBe("6 runners keep the promise, but one replication has no interval; 9 do as well.")
    expect(
      answerOf(
        swept(
          new Map([
            [9, [400]],
            [6, [400]],
            [1, [500]],
          ]),
        ),
      ).headline,
    ).toBe("No case keeps the promise; 6 runners come nearest, 9 as near.")
  })

  test("says of more of a count that is unsure by chance alone that it is not clearly worse", () => {
    const sure = [280, 284, 288, 282, 286, 279, 283, 287]
    const unsure = [230, 330, 240, 329, 235, 325, 245, 331]
    const { headline } = answerOf(
      swept(
        new Map([
          [6, sure],
          [9, unsure],
          [5, unsure],
        ]),
      ),
    )
    expect(headline).toBe("6 runners keep the promise; 9 are not clearly worse, 5 may not.")
  })
})

describe("the verdict of the whole run", () => {
  test("is that of the row that the headline is about", () => {
    fc.assert(
      fc.property(sweeps, (samples) => {
        const result = swept(samples)
        const best = Math.max(...result.cases.map(rankOf))
        expect(standingOfResult(result)).toBe(RANK[best])
        expect(result.verdict === "passed").toBe(standingOfResult(result).startsWith("kept"))
      }),
      { numRuns: 100 },
    )
  })

  test("of one case: every promise that is unsure is in the headline, and a sure break comes before an unsure one", () => {
    const limit = fc.integer({ min: 270, max: 320 })
    fc.assert(
      fc.property(sampleOf, limit, limit, (sample, mean, most) => {
        const model = site(
          `promises: { reservations.wait_mean: "< ${mean}s", reservations.wait_max: "< ${most}s" }`,
        )
        const one = caseOf(model, null, sample)
        const { headline } = answerOf(fleetResult(model, [one]))
        const standings = one.promises.map((kept) => standingOfPromise(kept))
        const isSure = !/interval|surely/.test(headline)
        expect(headline.startsWith("Every promise is kept")).toBe(one.promises.every(({ isKept }) => isKept))
        if (standings.includes("broken")) expect(isSure).toBe(true)
        else expect(isSure).toBe(!standings.some((standing) => standing.endsWith("not sure")))
      }),
      { numRuns: 250 },
    )
  })

  test("names a figure that is exactly its limit", () => {
    const at = (sign: string): string => {
      const model = site(`promises: { reservations.wait_mean: "${sign} 5m" }`)
      return answerOf(fleetResult(model, [caseOf(model, null, [290, 290])])).headline
    }
    expect(at("<")).toBe(
      "The mean wait of reservations is exactly its limit of 5m, and is promised to be less.",
    )
    expect(at("<=")).toBe("The mean wait of reservations is exactly its limit of 5m.")
  })
})
