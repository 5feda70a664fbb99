/**
 * Random shops: quotes, deliveries, positions, supervisors, opt-outs and faults in any order. No invariant breaks, and at
 * the end nothing is left to happen.
 */

import fc from "fast-check"
import { expect, test } from "vitest"
import { DELIVERY_EVENT_BY_STATUS } from "../../../src/model/delivery.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"
import { PICKUP_EVENT_TYPES } from "../../../src/model/webhook.ts"
import type {
  AnswerRef,
  CommandName,
  FieldValues,
  Scenario,
  Step,
} from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { isLong } from "../../long-tests.ts"
import { PLACE, VEHICLES, randomScenarioAt } from "./random-frame.ts"

const RUNS = isLong ? 400 : 40
const MOVES_MAX = 40
const NAMES = ["one", "two", "three", "four", "five"]

interface Move {
  readonly afterMs: number
  readonly command: CommandName
  readonly for: string | null
  readonly with: FieldValues
}

const afterMs = fc.oneof(fc.constant(0), fc.nat({ max: 40 * SECOND_MS }), fc.nat({ max: 400 * SECOND_MS }))
const delivery = fc.constantFrom(...NAMES)
const vehicle = fc.constantFrom(...VEHICLES)
const metres = fc.constantFrom(-2_000, -1_960, -500, -110, -60, 0, 30, 49, 60, 110, 600, 1_000, 2_000, 9_000)

function about(
  names: fc.Arbitrary<string | null>,
  command: CommandName,
  values: fc.Arbitrary<FieldValues> = fc.constant({}),
): fc.Arbitrary<Move> {
  return fc.record({ afterMs, command: fc.constant(command), for: names, with: values })
}

const position = fc.record(
  { north_m: metres, load: fc.constantFrom("loaded", "unloaded") },
  { requiredKeys: ["north_m"] },
)
/** Mostly the right ones. */
const digits = fc.constantFrom("0123", "0123", "9999")
const status = fc.constantFrom(...Object.keys(DELIVERY_EVENT_BY_STATUS))
const reply = fc.record({
  from: fc.constant("+15125550123"),
  text: fc.constantFrom("STOP", "START", "START", "hello"),
})

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: about(delivery, "delivery.requote", fc.record({ north_m: metres })) },
  { weight: 10, arbitrary: about(delivery, "delivery.create") },
  { weight: 12, arbitrary: about(vehicle, "vehicle.report", position) },
  { weight: 6, arbitrary: about(delivery, "delivery.advance") },
  { weight: 4, arbitrary: about(delivery, "delivery.supervise", fc.record({ status })) },
  { weight: 3, arbitrary: about(delivery, "delivery.cancel") },
  { weight: 4, arbitrary: about(delivery, "compartment.open", fc.record({ digits }, { requiredKeys: [] })) },
  { weight: 1, arbitrary: about(delivery, "compartment.grant") },
  { weight: 3, arbitrary: about(delivery, "delivery.reassign", fc.record({ vehicle })) },
  { weight: 1, arbitrary: about(vehicle, "vehicle.go_offline") },
  { weight: 1, arbitrary: about(vehicle, "vehicle.go_online") },
  { weight: 1, arbitrary: about(fc.constant(null), "sms.reply", reply) },
)

/** A quote that holds, and its delivery soon after: so that runs get far. */
const order: fc.Arbitrary<readonly Move[]> = fc
  .record({ name: delivery, afterMs, north: fc.constantFrom(-2_000, 600, 2_000) })
  .map(({ name, afterMs: ms, north }) => [
    { afterMs: ms, command: "delivery.requote", for: name, with: { north_m: north } },
    { afterMs: 0, command: "delivery.create", for: name, with: {} },
  ])

/** Compartments can be opened from the beginning. */
const openable: Move = {
  afterMs: 0,
  command: "fleet.change",
  for: null,
  with: { open_url: "https://fleet.example/open" },
}

const moves = fc
  .tuple(
    order,
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: move.map((one): readonly Move[] => [one]) },
        { weight: 1, arbitrary: order },
      ),
      { minLength: 5, maxLength: MOVES_MAX, size: "max" },
    ),
  )
  .map(([first, rest]) => [openable, ...first, ...rest.flat()])

const answer: fc.Arbitrary<AnswerRef> = fc.oneof(
  fc.constant<AnswerRef>({ type: "timeout" }),
  fc.constantFrom(200, 200, 500).map((code): AnswerRef => ({ type: "status", status: code, afterMs: null })),
)

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    isSandbox: fc.boolean(),
    moves,
    answers: fc.array(answer, { minLength: 1, maxLength: 8 }),
    supervisors: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ isSandbox, moves: made, answers, supervisors, seed }) =>
    randomScenarioAt({
      title: "Random shops",
      seed,
      environment: isSandbox ? "sandbox" : "production",
      pickupWebhooks: [{ as: "shop", events: PICKUP_EVENT_TYPES, answers, place: PLACE }],
      store: { supervisors },
      steps: made.map(({ afterMs: ms, command, for: target, with: values }): Step => ({
        at: { type: "offset", ms },
        place: PLACE,
        verb: "do",
        command,
        as: null,
        for: target,
        with: values,
      })),
    }),
  )

test("random shops break no invariant and leave nothing to happen", () => {
  let created = 0
  let completed = 0
  fc.assert(
    fc.property(scenario, (one) => {
      const run = runScenario(one, { isTolerant: true })
      expect(run.violations).toEqual([])
      created += run.entries.filter(({ entry }) => entry.text.includes('"decision":"promote@')).length
      completed += run.entries.filter(({ entry }) => entry.text.includes('"value":"completed"')).length
    }),
    { numRuns: RUNS },
  )
  // The runs get somewhere: otherwise they prove nothing.
  expect(created).toBeGreaterThan(RUNS)
  expect(completed).toBeGreaterThan(RUNS / 10)
})
