/**
 * Runs every replication of every case, on one or several threads. The result does not depend on the assignment of
 * seeds to threads: replications are ordered by case and seed.
 */

import { FLEET_REPLICATIONS_MAX } from "../../model/limits.ts"
import { casesOf, inCase } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetModel } from "../language/model.ts"
import { caseResult, fleetResult, wideRules } from "../results/summary.ts"
import type { FleetResult } from "../results/summary.ts"
import type { Replication } from "../world/replication.ts"

/** One replication to make. */
export interface ReplicationTask {
  /** The case's model. */
  readonly model: FleetModel
  readonly seed: number
  readonly isTraced: boolean
  /** True for a second run that is compared with the first, so a cached result must not be used. */
  readonly isRepeat?: boolean
}

/** Makes replications, as many at once as it can. */
export type Replicate = (task: ReplicationTask) => Promise<Replication>

export interface FleetRunOptions {
  /** Exactly these seeds; null: the model's own, and more when a stop rule asks for them. */
  readonly seeds: readonly number[] | null
  readonly replicate: Replicate
  /** Called when a replication is done, with the number of replications known so far to be needed. */
  readonly onDone?: (done: Replication, wanted: number) => void
}

export async function runFleet(model: FleetModel, options: FleetRunOptions): Promise<FleetResult> {
  const cases = casesOf(model)
  const { seed, replications } = model
  const first = options.seeds ?? Array.from({ length: replications }, (_, at) => seed + at)
  let wanted = cases.length * first.length
  const make = (
    settings: FleetCase,
    seeds: readonly number[],
    isFirst: boolean,
  ): Promise<readonly Replication[]> => {
    const ofCase = inCase(model, settings)
    return Promise.all(
      seeds.map(async (one, at) => {
        const made = await options.replicate({ model: ofCase, seed: one, isTraced: isFirst && at === 0 })
        options.onDone?.(made, wanted)
        return made
      }),
    )
  }
  const made = await Promise.all(
    cases.map(async (settings) => {
      const found = [...(await make(settings, first, true))]
      // The number of added replications does not depend on the number of threads, so the result does not either.
      while (options.seeds === null && wideRules(model.until, found).length > 0) {
        const room = Math.min(moreOf(first.length), FLEET_REPLICATIONS_MAX - found.length)
        if (room <= 0) break
        wanted += room
        const seeds = Array.from({ length: room }, (_, at) => seed + found.length + at)
        found.push(...(await make(settings, seeds, false)))
      }
      return caseResult(model, settings, found)
    }),
  )
  return fleetResult(model, made)
}

/** A stop rule adds half as many again. */
function moreOf(replications: number): number {
  return Math.max(2, Math.ceil(replications / 2))
}
