/** The swarm: seeds repeat exactly, many of them break nothing, and they reach what the service can do. */

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { COMMANDS, FAULTS } from "../../../src/simulation/scenario/language/language.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { CorpusSearch, lostFrom, readCorpus } from "../../../src/simulation/swarm/corpus.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { Tally, tryingSeed } from "../../../src/simulation/swarm/explore.ts"
import type { SeedResult } from "../../../src/simulation/swarm/explore.ts"
import { reachOf } from "../../../src/simulation/swarm/reach.ts"
import { isLong } from "../../long-tests.ts"

/** Beside those of the corpus. A seed takes about 0.1 s on one core, and `npm run test:long` tries them all. */
const SEEDS = isLong ? 500 : 40
const TIMEOUT_MS = 1_800_000

const CORPUS = readCorpus(readFileSync(new URL("corpus.json", import.meta.url), "utf8"))

const results = new Map<number, SeedResult>()

/** The result of a seed, which is tried once. */
function resultOf(seed: number): SeedResult {
  const result = results.get(seed) ?? tryingSeed(seed)
  results.set(seed, result)
  return result
}

/** Few seeds of the corpus in which every fault of the machines happens. */
function seedsWithEveryFault(): readonly number[] {
  const seen = new Set<string>()
  return CORPUS.seeds.filter((seed) => {
    const faults = new Map(resultOf(seed).covered).get("fault") ?? []
    const isFurther = faults.some(([name]) => !seen.has(name))
    for (const [name] of faults) seen.add(name)
    return isFurther
  })
}

/** Transitions that these seeds do not reach, by the reason. Tests of the machines walk through all of them. */
const NOT_REACHED: Readonly<Record<string, readonly string[]>> = {
  "a few of a thousand seeds reach it: two faults have to meet within seconds": [
    "compartment: failed call.succeeded opened",
    "compartment: opening.calling call.lost opening.calling",
    "compartment: opening.waiting call.succeeded opened",
    "courier-payment: authorizing.calling call.failed voided",
    "courier-payment: authorizing.calling call.succeeded voiding",
    "open-link: trying.waiting call.succeeded opened",
  ],
  "it needs the lease of the last of many attempts within a day": [
    "courier-payment: voiding.calling xstate.after.lease of a return.courier-payment.voiding.calling unvoided",
  ],
  "a call is discarded when what it needs is gone, and nothing in a plan removes it while the call is made": [
    "courier-payment: authorizing.calling call.discarded voided",
    "courier-payment: capturing.calling call.discarded failed",
    "courier-payment: refunding.calling call.discarded unrefunded",
    "courier-payment: voiding.calling call.discarded unvoided",
    "open-link: trying.calling call.discarded dropped",
    "webhook-delivery: queued call.discarded discarded",
  ],
  "a result meets a call that waits only when two nodes hold the call, and a plan has one": [
    "webhook-delivery: queued call.failed dropped",
    "webhook-delivery: queued call.failed waiting",
    "webhook-delivery: queued call.succeeded delivered",
  ],
  "a vehicle reports each part of its way to its delivery, in order: these skip one": [
    "delivery: open.arrived_at_store order.unloaded open.waiting_for_load",
    "delivery: open.arrived_at_store store.left open.waiting_for_load",
    "delivery: open.en_route_to_store customer.reached open.arrived_at_store",
    "delivery: open.en_route_to_store load.awaited open.arrived_at_store",
    "delivery: open.en_route_to_store order.unloaded open.arrived_at_store",
    "delivery: open.en_route_to_store store.left open.arrived_at_store",
    "delivery: open.loaded order.unloaded open.en_route_to_customer",
  ],
  "the geofence says that the store was left before it says that the customer is reached": [
    "vehicle: underway.at_store customer.reached underway.at_customer",
    "vehicle: underway.waiting customer.reached underway.at_customer",
  ],
  "no customer of a plan lives beside the store": [
    "vehicle: underway.loaded customer.reached underway.at_customer",
  ],
  "the wait at the store is over by its timer first": [
    "vehicle: underway.at_store store.left underway.leaving",
  ],
}

test(
  "no seed breaks an invariant, the corpus reaches what its file names, and all together every state and fault",
  () => {
    const tally = new Tally()
    const search = new CorpusSearch(program.machines)
    for (const seed of CORPUS.seeds) {
      const result = resultOf(seed)
      tally.add(result)
      search.add(result)
    }
    // A name here is no longer reached by any seed of the corpus: `curbline swarm --corpus test/simulation/swarm/corpus.json --extend` looks for others.
    expect(lostFrom(CORPUS, search.corpus())).toEqual([])
    for (let seed = 1; seed <= SEEDS; seed += 1) if (!CORPUS.seeds.includes(seed)) tally.add(resultOf(seed))
    expect(Object.fromEntries(tally.seedsBySentence)).toEqual({})
    expect([...(tally.coverage.counts.get("fault")?.keys() ?? [])].toSorted()).toEqual([
      "a partial restore",
      "an upgrade",
      "crashes",
      "deferred calls",
      "doubled results",
      "full mailboxes",
      "late results",
      "late timers",
      "lost answers",
      "lost commits",
      "lost nodes",
      "lost results",
    ])
    const { states, transitions } = reachOf(tally.coverage, program.machines)
    expect(states.missed).toEqual([])
    expect(transitions.missed.toSorted()).toEqual(Object.values(NOT_REACHED).flat().toSorted())
  },
  TIMEOUT_MS,
)

test("the seeds draw every command and every fault of the scenario language", () => {
  const drawn = new Set<string>()
  const further = Array.from({ length: SEEDS }, (_, at) => at + 1)
  for (const seed of new Set([...CORPUS.seeds, ...further]))
    for (const { act } of drawPlan(seed).moves) drawn.add(act.verb === "do" ? act.command : act.fault)
  // The crash and the lost node of a scenario are faults of the machine here, which come at any moment. Its calls need no key.
  const words = [...Object.keys(COMMANDS), ...Object.keys(FAULTS)].filter(
    (word) => !["calls.lost", "node.lost", "service.crashes"].includes(word) && !word.startsWith("key."),
  )
  expect(words.filter((word) => !drawn.has(word))).toEqual([])
})

/**
 * Each broke a check that was wrong: replays after lost answers, an errand larger than its fleet, a fee captured when it was authorized,
 * a doubled result that outlived the process of before a restore, an attempt at a receiver lost twice in a row.
 */
const FORMER_FINDINGS = [257, 765, 20_477, 20_952, 22_053, 302_763, 2_000_386]

test.each(FORMER_FINDINGS)("seed %i, which a wrong check once reported, breaks nothing", (seed) => {
  expect(tryingSeed(seed).broken).toEqual([])
})

test("a seed repeats exactly: the same turns, the same hash, the same coverage", () => {
  const seeds = isLong ? CORPUS.seeds : seedsWithEveryFault()
  expect(seeds.length).toBeGreaterThan(2)
  for (const seed of seeds) expect(tryingSeed(seed)).toEqual(resultOf(seed))
})
