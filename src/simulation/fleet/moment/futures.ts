/**
 * Futures of a case from a moment: the groups of the journal go on with people and things that are drawn from a model. All moments and all
 * decisions have the same seeds, so that a difference between two of them comes from what differs, and not from chance.
 */

import { RANK } from "../../../engine/kernel/agenda.ts"
import { digest } from "../../../engine/kernel/hash.ts"
import { SEED_MAX } from "../../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { modelFrom } from "../forecast/forecast.ts"
import type { TermsById } from "../forecast/drawn-fleet.ts"
import { modelWith, presentOf, worldFrom } from "../forecast/present.ts"
import type { Present } from "../forecast/present.ts"
import { groupOf } from "../../../model/address.ts"
import type { FleetModel } from "../language/model.ts"
import { slices, startFleet } from "../world/replication.ts"
import type { Decision } from "./decisions.ts"
import type { StateAfter } from "./journal-moments.ts"

export interface FuturesOptions {
  readonly model: FleetModel
  readonly terms: TermsById
  /** No order that is requested later can change the case. */
  readonly untilMs: EpochMs
  readonly seed: number
}

/** How often a future is asked whether the case is decided. */
const SLICE_MS = 5 * MINUTE_MS

/** A case that is open so long after `untilMs` counts as bad: nothing brings it to its end. */
const OPEN_MAX_MS = 12 * HOUR_MS

/** Orders of a demand begin at an hour's beginning, so that futures from any minute of it have the same later orders. */
function hourOf(atMs: EpochMs): EpochMs {
  return Math.floor(atMs / HOUR_MS) * HOUR_MS
}

export class Futures {
  readonly #options: FuturesOptions
  turns = 0
  made = 0

  constructor(options: FuturesOptions) {
    this.#options = options
  }

  /** What makes futures from one state, with a decision or as it was. */
  from(state: StateAfter, decision: Decision | null): (number: number) => boolean {
    const { model: whole, untilMs } = this.#options
    const aheadMs = Math.max(HOUR_MS, untilMs - state.atMs)
    const ahead = modelFrom(whole, { atMs: state.atMs, aheadMs })
    const present = presentOf(state.groups, ahead)
    const asItWas = modelWith(ahead, present)
    const model = decision?.model?.(asItWas) ?? asItWas
    return (number) => this.#isBad(state, { model, present, decision, number })
  }

  #isBad(state: StateAfter, { model, present, decision, number }: Future): boolean {
    const { seed, terms, untilMs } = this.#options
    const own = Number.parseInt(digest(`future ${seed + number}`).slice(0, 12), 16) % SEED_MAX
    const { atMs } = state
    const { world, begin } = worldFrom(model, present, {
      seed: own,
      atMs,
      terms,
      demandFromMs: hourOf(atMs),
      ...decision?.present,
    })
    const watch = state.watch.copy()
    const { host } = world.service
    host.onTurn((result) => watch.take(result))
    begin(startFleet(world))
    const known = new Set(host.content().groups.groups.map(({ address }) => address))
    const calls = state.calls.filter(({ actor }) => known.has(groupOf(actor)))
    host.time.schedule(atMs, RANK.command, () => host.resumeCalls(calls))
    let isBad = true
    for (const nowMs of slices(world, SLICE_MS)) {
      const verdict = watch.verdictAt(nowMs)
      if (verdict.is === "open" && nowMs < untilMs + OPEN_MAX_MS) continue
      isBad = verdict.is !== "good"
      break
    }
    this.turns += host.counts.turns
    this.made += 1
    return isBad
  }
}

interface Future {
  readonly model: FleetModel
  readonly present: Present
  readonly decision: Decision | null
  /** From 0; futures of one number have the same seed everywhere. */
  readonly number: number
}
