/**
 * Runs every replication of every case, or those of a search, on one or several threads. The result does not depend on
 * the assignment of seeds to threads: replications are ordered by case and seed.
 */

import { FLEET_REPLICATIONS_MAX, UNTIL_REPLICATIONS_MIN } from "../../../model/values/limits.ts"
import { casesOf, inCase } from "../../../simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../simulation/fleet/language/model.ts"
import type { Find } from "../../../simulation/fleet/language/questions.ts"
import type { Sample } from "../../../simulation/fleet/results/estimates.ts"
import { fleetResult } from "../../../simulation/fleet/results/fleet-result.ts"
import { caseResult, wideRules } from "../../../simulation/fleet/results/summary.ts"
import type { FleetResult } from "../../../simulation/fleet/results/fleet-result.ts"
import type { CaseResult } from "../../../simulation/fleet/results/summary.ts"
import { Evaluator, seedsFrom } from "../../../simulation/fleet/search/evaluate.ts"
import type { EvaluatorOptions } from "../../../simulation/fleet/search/evaluate.ts"
import { findAtEachSite } from "../../../simulation/fleet/search/find-each.ts"
import { findLeast } from "../../../simulation/fleet/search/find-least.ts"
import type { Found } from "../../../simulation/fleet/search/find-least.ts"
import { findMost } from "../../../simulation/fleet/search/find-most.ts"
import { findRoster } from "../../../simulation/fleet/search/find-roster.ts"
import { effectsOf } from "../../../simulation/fleet/search/sensitivity.ts"

export interface FleetRunOptions extends EvaluatorOptions {
  /** Exactly these seeds; null: the model's own, and more when a stop rule asks for them. */
  readonly seeds: readonly number[] | null
}

export async function runFleet(model: FleetModel, options: FleetRunOptions): Promise<FleetResult> {
  const evaluator = new Evaluator(options)
  const { search, cases } =
    model.find === null
      ? { search: null, cases: await everyCase(model, { seeds: options.seeds, evaluator }) }
      : await searched(model, model.find, evaluator)
  const result = fleetResult(model, cases, { search })
  const effects = await effectsOf(result, evaluator)
  return { ...result, effects }
}

function searched(model: FleetModel, find: Find, evaluator: Evaluator): Promise<Found> {
  switch (find.is) {
    case "least":
      return (find.isEachSite ? findAtEachSite : findLeast)(model, find, evaluator)
    case "most":
      return findMost(model, find, evaluator)
    case "roster":
      return findRoster(model, find, evaluator)
  }
}

function everyCase(
  model: FleetModel,
  { seeds, evaluator }: { readonly seeds: readonly number[] | null; readonly evaluator: Evaluator },
): Promise<readonly CaseResult[]> {
  return Promise.all(
    casesOf(model).map(async (settings) => {
      const ofCase = inCase(model, settings)
      const first = seeds ?? firstSeeds(model)
      const found = [...(await evaluator.replications(ofCase, { seeds: first, hasCourse: true }))]
      const looks = { narrow: 0 }
      // The number of added replications does not depend on the number of threads, so the result does not either.
      for (;;) {
        const rules = { ...model, until: seeds === null ? model.until : [] }
        const more = addedReplications(rules, found, looks)
        if (more === 0) break
        const added = seedsFrom(model.seed + found.length, more)
        found.push(...(await evaluator.replications(ofCase, { seeds: added, hasCourse: false })))
      }
      return caseResult(model, settings, found)
    }),
  )
}

/** A stop rule that looks at a few replications ends too early, because their intervals are often narrow by chance. */
function firstSeeds({ seed, replications, until }: FleetModel): readonly number[] {
  const length = until.length === 0 ? replications : Math.max(replications, UNTIL_REPLICATIONS_MIN)
  return seedsFrom(seed, length)
}

/**
 * How many replications the stop rules add to those found. Every rule must be met at two looks in a row: looking often
 * finds an interval that is narrow by chance (src/DECISIONS.md §359).
 */
export function addedReplications(
  model: Parameters<typeof wideRules>[0] & Pick<FleetModel, "replications">,
  found: readonly Sample[],
  looks: { narrow: number },
): number {
  if (model.until.length === 0) return 0
  looks.narrow = wideRules(model, found).length === 0 ? looks.narrow + 1 : 0
  if (looks.narrow >= 2) return 0
  const more = Math.ceil(Math.max(model.replications, UNTIL_REPLICATIONS_MIN) / 2)
  return Math.max(0, Math.min(more, FLEET_REPLICATIONS_MAX - found.length))
}
