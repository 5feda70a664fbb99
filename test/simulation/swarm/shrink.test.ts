/** A failing seed is made small, and what is left is a scenario file that shows the failure, or a course in plain words. */

import { describe, expect, test } from "vitest"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { webhookDelivery } from "../../../machines/webhook-delivery.ts"
import { DAY_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { scenarioText, withoutPlaces } from "../../../src/simulation/scenario/language/scenario-text.ts"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { findingOf } from "../../../src/simulation/swarm/explore.ts"
import type { Finding } from "../../../src/simulation/swarm/explore.ts"
import type { Faults } from "../../../src/simulation/scenario/machine-faults.ts"
import type { Plan } from "../../../src/simulation/swarm/plan.ts"
import { movesKept } from "../../../src/simulation/swarm/known-names.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT } from "../../../src/simulation/swarm/run.ts"
import type { PlanOptions } from "../../../src/simulation/swarm/run.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import { shrink } from "../../../src/simulation/swarm/shrink.ts"
import { cancelerIsNotNoted, planted, rewritten, theFirstStallIsTaken } from "../scenarios/planted-bugs.ts"
import { SWARM_BUGS } from "./planted.ts"

const SEEDS_MAX = 200

/** The first seed that breaks the sentence, made small. */
function firstFinding(
  sentence: string,
  options: Pick<PlanOptions, "plant" | "program">,
  isWanted: (faults: Faults) => boolean = () => true,
  isPlain = false,
): Finding {
  const invariants = CATALOGUE.filter((one) => one.sentence === sentence)
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    if (!isWanted(drawPlan(seed).faults)) continue
    const finding = findingOf(seed, { ...options, invariants })
    if (finding?.sentence !== sentence) continue
    const { file } = finding.written
    // Actors that move at once make a file with machine_faults, though none of them is left.
    if (!isPlain || (file !== null && !file.includes("machine_faults"))) return finding
  }
  throw new Error(`no seed up to ${SEEDS_MAX} breaks ${sentence}`)
}

function scenarioIn(text: string | null): Scenario {
  const { scenarios, problems } = readScenarios("kept.yaml", text ?? "", languageNames())
  expect(problems).toEqual([])
  const [kept] = scenarios
  if (kept === undefined) throw new Error("the file holds no scenario")
  return kept
}

describe("a failure that the scenario language can say becomes a file that shows it again", () => {
  test.each([
    ["canceled_by is set exactly when canceled, and cancel_reason only then", cancelerIsNotNoted],
    ["no stall is shared without need", theFirstStallIsTaken],
  ] as const)("%s", (sentence, program) => {
    const { written, moves, faults } = firstFinding(sentence, { program })
    expect(faults).toEqual([])
    expect(moves.after).toBeLessThanOrEqual(4)
    expect(moves.after).toBeLessThan(moves.before)
    const kept = scenarioIn(written.file)
    expect(runScenario(kept, { program }).violations.map((one) => one.sentence)).toContain(sentence)
    expect(runScenario(kept).violations).toEqual([])
  })
})

test("a failure that needs a fault of the machine becomes a file with the fault, which shows it again", () => {
  const program = planted(
    "webhook-delivery@2",
    webhookDelivery.provide({ delays: { "lease of the call": 100 * DAY_MS } }),
  )
  const { written, faults, moves } = firstFinding(
    EVERYTHING_ENDS,
    { program },
    ({ lostResults, crashes, nodesLost }) => lostResults > 0 && crashes + nodesLost === 0,
  )
  expect(faults).toEqual([expect.stringMatching(/^\d+ of a thousand results of calls are lost$/)])
  expect(moves.after).toBeLessThanOrEqual(8)
  expect(written.file).toMatch(/machine_faults:\n {2}last: \w+\n {2}lost_results: \d+/)
  expect(written.words).toContain(`And ${faults[0]}.`)
  const kept = scenarioIn(written.file)
  expect(runAnyScenario(kept, { program }).violations.map((one) => one.sentence)).toContain(EVERYTHING_ENDS)
  expect(runAnyScenario(kept).violations).toEqual([])
})

test("a failure that needs a crash becomes a file with the crash as a step", () => {
  // Without its lease a delivery waits for the call that the crash lost, for ever.
  const program = rewritten("webhook-delivery@2", webhookDelivery, ["states", "sending", "after"], {})
  const { written, faults } = firstFinding(NO_ENGINE_FAULT, { program }, ({ crashes }) => crashes > 0, true)
  expect(faults).toEqual([])
  expect(written.file).toContain("inject: service.crashes")
  const kept = scenarioIn(written.file)
  expect(() => runScenario(kept, { program })).toThrow("the agenda is empty and an actor waits")
  expect(runScenario(kept).violations).toEqual([])
})

test("a failure that only the swarm checks becomes a file that checks it", () => {
  const [bug] = SWARM_BUGS.filter(({ breaks }) => breaks.startsWith("a hold ends fifteen minutes"))
  if (bug === undefined) throw new Error("the bug is not planted")
  const { written, faults } = firstFinding(bug.breaks, bug.options)
  expect(faults).toEqual([])
  expect(written.words).toContain("holds a vehicle")
  const kept = scenarioIn(written.file)
  expect(runAnyScenario(kept, bug.options).violations.map((one) => one.sentence)).toContain(bug.breaks)
  expect(runAnyScenario(kept).violations).toEqual([])
})

test("shrinking stops at its bound, and keeps only plans that fail", () => {
  const plan = drawPlan(3)
  const tried: Plan[] = []
  const { runs, plan: smaller } = shrink(
    plan,
    (one) => {
      tried.push(one)
      return one.moves.length >= 5
    },
    { runsMax: 40 },
  )
  expect(runs).toBe(tried.length)
  expect(runs).toBeLessThanOrEqual(40)
  expect(smaller.moves.length).toBeGreaterThanOrEqual(5)
  expect(smaller.moves.length).toBeLessThan(plan.moves.length)
})

test("a move about a name goes with the move that gives the name", () => {
  const isCreate = ({ act }: Plan["moves"][number]): boolean =>
    act.verb === "do" && act.command === "delivery.create"
  const drawn = Array.from({ length: SEEDS_MAX }, (_, at) => drawPlan(at + 1))
  const ordering = drawn.find(({ moves }) => moves.some(isCreate))
  if (ordering === undefined) throw new Error("no seed orders a delivery")
  const named = { ...ordering, moves: movesKept(ordering) }
  const { plan } = shrink(named, ({ moves }) => moves.some(isCreate))
  expect(movesKept(plan)).toEqual(plan.moves)
  expect(plan.moves.map(({ act }) => act.verb === "do" && act.command)).toEqual([
    "delivery.quote",
    "delivery.create",
  ])
})

test("partners and keys with which nothing is called are taken away, and so is a store without deliveries", () => {
  const drawn = Array.from({ length: SEEDS_MAX }, (_, at) => drawPlan(at + 1))
  const crowded = drawn.find(
    ({ world: { delivery, keys = [], partners = [] } }) =>
      delivery !== null && keys.length > 0 && partners.length > 0,
  )
  if (crowded === undefined) throw new Error("no seed has partners and keys")
  const { plan } = shrink(crowded, ({ moves }) =>
    moves.some(({ act }) => act.verb === "do" && act.command === "reservation.create"),
  )
  expect(plan.moves).toHaveLength(1)
  expect(plan.world).toMatchObject({ delivery: null, webhooks: [], pickupWebhooks: [], policy: {} })
  expect([plan.world.keys, plan.world.partners]).toEqual([undefined, undefined])
  expect(plan.faultsEndMs).toBeLessThanOrEqual(SECOND_MS)
})

test("further sites are taken away, unless the failure needs them; then the file has them", () => {
  const drawn = Array.from({ length: SEEDS_MAX }, (_, at) => drawPlan(at + 1))
  const spread = drawn.find(({ world, moves }) => world.sites?.length === 2 && moves.length > 20)
  if (spread === undefined) throw new Error("no seed has further sites")
  const { plan } = shrink(spread, ({ moves }) => moves.length > 20)
  expect(plan.world.sites).toBeUndefined()
  expect(JSON.stringify(plan)).not.toContain('"site":"south"')

  const [bug] = SWARM_BUGS.filter(({ says }) => says === "stays at a further site are written to another")
  if (bug === undefined) throw new Error("the bug is not planted")
  const { written } = firstFinding(bug.breaks, bug.options)
  expect(written.file).toMatch(/ {2}sites:\n {4}- as: south\n {6}stalls: \d/)
  const kept = scenarioIn(written.file)
  expect(kept.sites?.map(({ as }) => as)).toEqual(["south"])
  expect(withoutPlaces(scenarioIn(scenarioText(kept)))).toEqual(withoutPlaces(kept))
  expect(runAnyScenario(kept, bug.options).violations.map((one) => one.sentence)).toContain(bug.breaks)
  expect(runAnyScenario(kept).violations).toEqual([])
})

test("what people do is done without their shifts, if the failure needs none", () => {
  const drawn = Array.from({ length: SEEDS_MAX }, (_, at) => drawPlan(at + 1))
  const peopled = drawn.find(({ world, moves }) => world.runners !== undefined && moves.length > 20)
  if (peopled === undefined) throw new Error("no seed has people")
  const names = (peopled.world.runners ?? []).map(({ as }) => as)
  const byPeople = ({ moves }: Plan) =>
    moves.filter(({ act }) => act.verb === "do" && names.includes(act.by ?? "")).length
  expect(byPeople(peopled)).toBeGreaterThan(0)
  const { plan } = shrink(peopled, ({ moves }) => moves.length > 20)
  expect(plan.world.runners).toBeUndefined()
  expect(byPeople(plan)).toBe(0)
})
