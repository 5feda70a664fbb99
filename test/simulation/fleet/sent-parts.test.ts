/** Threads of one process read a model once, and its cases share the travel. */

import { expect, test } from "vitest"
import { ReceivedParts, SentParts } from "../../../src/cli/fleets/parallel/sent-parts.ts"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

const MODEL = fleetModel(`
fleet: A lunch
because: Threads need the model.
clock: ${CLOCK}
horizon: 1h
sites: [{ as: store, at: [60, 25], reach_km: 0.4, vehicles: 3 }]
travel: { matrix: { places: [{ as: a, at: [60, 25] }, { as: b, at: [60.001, 25] }], times: { a: { a: 1m, b: 3m }, b: { a: 4m, b: 1m } } } }
demand: [{ product: delivery, site: store, ready_in: 10m, per_hour: 10 }]
sweep: { vehicles: [1, 2, 3, 4, 5, 6] }
`)

test("a model arrives as it is, is read once, and shares its travel with other cases", () => {
  const [sent, received] = [new SentParts(), new ReceivedParts()]
  const cases = casesOf(MODEL).map((one) => inCase(MODEL, one))
  const [first, second] = cases.map((one) => received.modelOf(structuredClone(sent.of(one))))
  expect([first, second]).toEqual(cases.slice(0, 2))
  expect(second?.travel).toBe(first?.travel)
  const again = (at: number): unknown => received.modelOf(sent.of(cases[at] ?? MODEL))
  const last = again(5)
  expect(again(5)).toBe(last)
  // The first is no longer kept.
  expect(again(0)).not.toBe(first)
  expect(again(0)).toEqual(first)
})

test("a replication of it is the same", () => {
  const arrived = new ReceivedParts().modelOf(new SentParts().of(MODEL))
  expect(replicate(arrived, { seed: 1 }).digest).toBe(replicate(MODEL, { seed: 1 }).digest)
})
