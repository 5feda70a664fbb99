/**
 * Random agents: checks, holds, payments, orders, vehicles and faults in any order, for two users who share two vehicles
 * with a retailer. No invariant breaks, and at the end nothing is left to happen.
 */

import fc from "fast-check"
import { expect, test } from "vitest"
import { FAILURE_REASONS, ISSUE_CODES, PICKUP_REQUIREMENTS } from "../../../src/model/courier.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { SCENARIO_USERS } from "../../../src/simulation/scenario/language/courier-words.ts"
import type {
  CommandName,
  FaultName,
  FieldValues,
  Scenario,
  Step,
} from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { isLong } from "../../long-tests.ts"
import { PLACE, VEHICLES, randomScenarioAt } from "./random-frame.ts"

const RUNS = isLong ? 400 : 40
const MOVES_MAX = 40
/** Who checks what; another user's is tried as well. */
const USER_BY_ERRAND: Readonly<Record<string, (typeof SCENARIO_USERS)[number]>> = {
  one: "ada",
  two: "ada",
  three: "grace",
  four: "grace",
}

type Act =
  | {
      readonly verb: "do"
      readonly command: CommandName
      readonly as?: string
      readonly for?: string
      readonly with: FieldValues
    }
  | { readonly verb: "inject"; readonly fault: FaultName; readonly with: FieldValues }

interface Move {
  readonly afterMs: number
  readonly act: Act
}

const afterMs = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 20 * SECOND_MS }) },
  { weight: 2, arbitrary: fc.nat({ max: 10 * MINUTE_MS }) },
  { weight: 1, arbitrary: fc.constantFrom(15 * MINUTE_MS, 30 * MINUTE_MS, 90 * MINUTE_MS) },
)
const token = fc.constantFrom("spt_ok", "spt_ok", "spt_ok", "spt_declined", "spt_uncaptured")
const metres = fc.constantFrom(0, 10, 300, 600, 990, 1_000, 1_990, 2_000)
const errand = fc.constantFrom(...Object.keys(USER_BY_ERRAND))
const item = fc.constantFrom("Burrito", "Burrito", "Burrito", "Beer")

/** By the errand's own user, and now and then by the other. */
function about(command: CommandName, values: fc.Arbitrary<FieldValues> = fc.constant({})): fc.Arbitrary<Act> {
  return fc.tuple(errand, values, fc.nat({ max: 19 })).map(([name, more, luck]) => {
    const by = luck === 0 ? "grace" : (USER_BY_ERRAND[name] ?? "ada")
    return { verb: "do", command, for: name, with: { ...more, by } }
  })
}

const check: fc.Arbitrary<Act> = fc
  .record({ name: errand, store: fc.constantFrom("Lunchbox Kitchen", "Slot Street Bakery") })
  .map(({ name, store }) => ({
    verb: "do",
    command: "errand.check",
    as: name,
    with: { store, by: USER_BY_ERRAND[name] ?? "ada" },
  }))

const vehicle = fc.constantFrom(...VEHICLES)
const report: fc.Arbitrary<Act> = fc
  .record({ vehicle, north: metres, load: fc.constantFrom("loaded", "unloaded", undefined) })
  .map(({ vehicle: name, north, load }) => ({
    verb: "do",
    command: "vehicle.report",
    for: name,
    with: { north_m: north, ...(load === undefined ? {} : { load }) },
  }))

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: check },
  { weight: 8, arbitrary: about("errand.reserve", fc.record({ token }, { requiredKeys: [] })) },
  { weight: 6, arbitrary: about("errand.pay", fc.record({ token })) },
  { weight: 3, arbitrary: about("errand.pay_at_checkout", fc.record({ token })) },
  { weight: 8, arbitrary: about("errand.confirm", fc.record({ item })) },
  { weight: 2, arbitrary: about("errand.cancel") },
  {
    weight: 1,
    arbitrary: fc
      .record({ name: errand, reason: fc.constantFrom(...FAILURE_REASONS), refund: fc.boolean() })
      .map(({ name, ...more }): Act => ({ verb: "do", command: "errand.fail", for: name, with: more })),
  },
  {
    weight: 1,
    arbitrary: errand.map((name): Act => ({ verb: "do", command: "errand.refund", for: name, with: {} })),
  },
  { weight: 2, arbitrary: about("errand.change_order", fc.record({ item })) },
  {
    weight: 1,
    arbitrary: about("errand.report_issue", fc.record({ issue: fc.constantFrom(...ISSUE_CODES) })),
  },
  {
    weight: 1,
    arbitrary: about(
      "errand.tell_requirements",
      fc.record({ requirements: fc.subarray([...PICKUP_REQUIREMENTS], { minLength: 1 }) }),
    ),
  },
  { weight: 10, arbitrary: report },
  {
    weight: 2,
    arbitrary: fc
      .record({ vehicle, command: fc.constantFrom("vehicle.go_online", "vehicle.go_offline") })
      .map(({ vehicle: name, command }): Act => ({ verb: "do", command, for: name, with: {} })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("payments.fail", "payments.lose_answers", "payments.work", "payments.work", "calls.lost")
      .map((fault): Act => ({ verb: "inject", fault, with: {} })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(0, 0, 1, 12, 30).map((seconds): Act => ({
      verb: "inject",
      fault: "payments.take",
      with: { time: { ms: seconds * SECOND_MS } },
    })),
  },
)

const move = fc.record({ afterMs, act })

/** An errand up to its booking, if nothing prevents it. */
const booking: fc.Arbitrary<readonly Move[]> = fc
  .record({ name: errand, afterMs })
  .map(({ name, afterMs: ms }) => {
    const by = USER_BY_ERRAND[name] ?? "ada"
    return [
      { afterMs: ms, act: { verb: "do", command: "errand.check", as: name, with: { by } } },
      {
        afterMs: SECOND_MS,
        act: { verb: "do", command: "errand.reserve", for: name, with: { by, token: "spt_ok" } },
      },
      { afterMs: SECOND_MS, act: { verb: "do", command: "errand.confirm", for: name, with: { by } } },
    ]
  })

/** One vehicle's whole way. */
const way: fc.Arbitrary<readonly Move[]> = vehicle.map((name) =>
  (
    [
      [990, undefined],
      [600, undefined],
      [10, undefined],
      [10, "loaded"],
      [600, "loaded"],
      [1_990, "loaded"],
      [1_990, "unloaded"],
    ] as const
  ).map(([north, load]) => ({
    afterMs: MINUTE_MS,
    act: {
      verb: "do",
      command: "vehicle.report",
      for: name,
      with: { north_m: north, ...(load === undefined ? {} : { load }) },
    },
  })),
)

const moves = fc
  .tuple(
    booking,
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: move.map((one): readonly Move[] => [one]) },
        { weight: 2, arbitrary: booking },
        { weight: 1, arbitrary: way },
      ),
      { minLength: 5, maxLength: MOVES_MAX, size: "max" },
    ),
  )
  .map(([first, rest]) => [...first, ...rest.flat()])

/** A processor that never answers again keeps what it has. */
const mended: readonly Move[] = [
  { afterMs: 0, act: { verb: "inject", fault: "payments.work", with: {} } },
  { afterMs: 0, act: { verb: "inject", fault: "payments.take", with: { time: { ms: 0 } } } },
]

const scenario: fc.Arbitrary<Scenario> = fc.record({ moves, seed: fc.nat() }).map(({ moves: made, seed }) =>
  randomScenarioAt({
    title: "Random agents",
    seed,
    environment: "production",
    pickupWebhooks: [],
    store: {},
    steps: [...made, ...mended].map(({ afterMs: ms, act: one }): Step => {
      const step = { at: { type: "offset", ms }, place: PLACE } as const
      return one.verb === "inject"
        ? { ...step, verb: "inject", fault: one.fault, for: null, with: one.with }
        : {
            ...step,
            verb: "do",
            command: one.command,
            as: one.as ?? null,
            for: one.for ?? null,
            with: one.with,
          }
    }),
  }),
)

test("random agents break no invariant and leave nothing to happen", () => {
  let booked = 0
  let completed = 0
  let declined = 0
  fc.assert(
    fc.property(scenario, (one) => {
      const run = runScenario(one, { isTolerant: true })
      expect(run.violations).toEqual([])
      const texts = run.entries.map(({ entry }) => entry.text)
      booked += texts.filter((text) => text.includes('"value":"booked"')).length
      completed += texts.filter((text) => text.includes('"value":"completed"')).length
      declined += texts.filter((text) => text.includes('"value":"declined"')).length
    }),
    { numRuns: RUNS },
  )
  // The runs get somewhere: otherwise they prove nothing.
  expect(booked).toBeGreaterThan(RUNS)
  expect(completed).toBeGreaterThan(RUNS / 10)
  expect(declined).toBeGreaterThan(RUNS / 30)
})
