/** A normal duration is cut at 0, so with a large standard deviation its mean is not the written one. */

import { expect, test } from "vitest"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import { cutMeanMs, cutNormals } from "../../../src/simulation/fleet/language/cut-normals.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { adviceOf } from "../../../src/simulation/fleet/results/advice.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { madeUp } from "./made-up.ts"
import { CLOCK, fleetModel } from "./models.ts"

const MINUTE_MS = 60_000

const text = (preparation: string): string => `fleet: Cut
because: What is the mean?
clock: ${CLOCK}
horizon: 2h
sites:
  - as: curb
    at: [30.4, -97.7]
    stalls: 2
    runners: 1
    stores: [{ as: lunchbox, preparation: ${preparation} }]
runner: { load: { normal: { mean: 40s, sd: 8s } } }
bot: { punctuality: { normal: { mean: 1m, sd: 9m } } }
demand:
  - { product: reservation, site: curb, per_hour: 5, ahead: { normal: { mean: 10m, sd: 10m } } }
`

const normal = (mean: string, sd: string): string => `{ normal: { mean: ${mean}, sd: ${sd} } }`

test.each([
  [7, 7, 7.58],
  [7, 40, 19.7],
  [0, 1, 0.4],
])("the mean of a normal of %i ± %i minutes is %f minutes, as it is drawn", (mean, sd, known) => {
  const spread = { is: "normal", meanMs: mean * MINUTE_MS, sdMs: sd * MINUTE_MS } as const
  expect((cutMeanMs(spread, "preparation") ?? 0) / MINUTE_MS).toBeCloseTo(known, 1)
  const chance = new Chance(1)
  const draws = Array.from({ length: 40_000 }, () => chance.duration(spread, "preparation"))
  const drawn = draws.reduce((sum, ms) => sum + ms, 0) / draws.length
  expect(Math.abs(drawn / MINUTE_MS - known)).toBeLessThan(0.02 * known + 0.02)
})

test("is not spoken of where hardly a value is below 0, and of durations that may be", () => {
  expect(cutMeanMs({ is: "normal", meanMs: 40_000, sdMs: 8_000 }, "load")).toBeNull()
  expect(cutMeanMs({ is: "normal", meanMs: 60_000, sdMs: 540_000 }, "punctuality")).toBeNull()
  expect(cutMeanMs({ is: "lognormal", meanMs: 60_000, sdMs: 540_000 }, "load")).toBeNull()
})

test("a model is advised of at its place, also by the hour", () => {
  const read = readFleet({ file: "m.yaml", text: text(normal("7m", "7m")), beside: () => null })
  expect(read.problems).toEqual([])
  expect(read.advice.map(({ place, message }) => [`${place.line}:${place.column}`, message])).toEqual([
    [
      "10:43",
      "sites.curb.stores.lunchbox.preparation: of a normal with mean 7m and sd 7m the values below 0 count as 0, so the mean is 7m 35s. A lognormal or gamma keeps the mean.",
    ],
    ["14:61", expect.stringMatching(/^demand\.1\.ahead: .+ so the mean is 10m 50s\./)],
  ])
  const byHour = fleetModel(text(`{ by_hour: { "10:00": 5m, "11:00": ${normal("7m", "40m")} } }`))
  expect(cutNormals(byHour).map(({ name }) => name)).toContain("sites.curb.stores.lunchbox.preparation.11:00")
})

test("the report's inputs and the advice of a run have the mean that is drawn", () => {
  const model = fleetModel(text(normal("7m", "7m")))
  const rows = new Map(inputRows(model, []))
  expect(rows.get("Kitchen lunchbox")).toContain(
    "7m ± 7m (normal; 7m 35s on average, because values below 0 count as 0)",
  )
  expect(rows.get("Bots")).toContain("punctuality 1m ± 9m (normal)")
  expect(rows.get("Runners")).toContain("load 40s ± 8s (normal)")
  const made = caseResult(
    model,
    [],
    Array.from({ length: 10 }, (_, at) => madeUp(at + 1, [60])),
  )
  expect(adviceOf(fleetResult(model, [made])).join("\n")).toContain("so the mean is 7m 35s")
})
