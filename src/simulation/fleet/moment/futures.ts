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
import type { Case } from "./case-watch.ts"
import type { Decision } from "./decisions.ts"
import type { StateAfter } from "./journal-moments.ts"

export interface FuturesOptions {
  readonly model: FleetModel
  readonly terms: TermsById
  readonly seed: number
}

/** How often a future is asked whether the case is decided. */
const SLICE_MS = MINUTE_MS

/** Orders that are requested so long after a case was due do not change it. */
const AFTER_DUE_MS = HOUR_MS

/** A case that is open so long after that counts as bad: nothing brings it to its end. */
const OPEN_MAX_MS = 12 * HOUR_MS

/** The model has no place for the case, so its futures would say nothing. */
export class CaseLeftOut extends Error {
  override readonly name = "CaseLeftOut"
  /** Everything that was left out, by the reason. */
  readonly reasons: Present["leftOut"]

  constructor(reasons: Present["leftOut"]) {
    super("the model has no place for the case")
    this.reasons = reasons
  }
}

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

  /** What makes futures from one state, with a decision or as it was; a case that is over stays as it is. Throws CaseLeftOut. */
  from(state: StateAfter, decision: Decision | null): (number: number) => boolean {
    const { model: whole } = this.#options
    const known = state.watch.verdictAt(state.atMs)
    if (known.is !== "open") return () => known.is === "bad"
    const untilMs = Math.max(state.atMs, state.watch.dueMs()) + AFTER_DUE_MS
    const aheadMs = untilMs - state.atMs
    const ahead = modelFrom(whole, { atMs: state.atMs, aheadMs })
    const present = presentOf(state.groups, ahead)
    if (!isIn(state.watch.of, present)) throw new CaseLeftOut(present.leftOut)
    const asItWas = modelWith(ahead, present)
    const model = decision?.model?.(asItWas) ?? asItWas
    return (number) => this.#isBad(state, { model, present, decision, untilMs, number })
  }

  #isBad(state: StateAfter, { model, present, decision, untilMs, number }: Future): boolean {
    const { seed, terms } = this.#options
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
    const calls = state.calls.filter(({ actor }) => host.groups.get(groupOf(actor)) !== null)
    host.time.schedule(atMs, RANK.command, () => host.resumeCalls(calls))
    let isBad = true
    for (const nowMs of slices(world, SLICE_MS)) {
      const verdict = watch.verdictAt(nowMs)
      if (verdict.is === "open" && nowMs < untilMs + OPEN_MAX_MS) continue
      isBad = verdict.is === "bad" || verdict.is === "open"
      break
    }
    this.turns += host.counts.turns
    this.made += 1
    return isBad
  }
}

/** A promise is about all orders, also without any. */
function isIn(of: Case, { reservations, fleet }: Present): boolean {
  switch (of.kind) {
    case "reservation":
      return reservations.some(({ visit }) => visit.id === of.id)
    case "delivery":
      return [...fleet.trips, ...fleet.errands].some(({ id }) => id === of.id)
    case "promise":
      return true
  }
}

interface Future {
  readonly model: FleetModel
  readonly present: Present
  readonly decision: Decision | null
  readonly untilMs: EpochMs
  /** From 0; futures of one number have the same seed everywhere. */
  readonly number: number
}
