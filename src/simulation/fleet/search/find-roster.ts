/**
 * The cheapest roster of a site's runners, vehicles or cooks that keeps the promises, without trying every one. The work of each quarter of an hour
 * is measured with enough people; the least spare by the square-root rule that keeps the promises gives the first roster. Then
 * people are taken away for a while, wherever it saves most for the least risk, and linear programming finds the cheapest shifts
 * for the rest. All rosters meet the same seeds. More people are taken never to hurt, so what has no one more on duty
 * at any time than a refused roster is refused with it. Further seeds confirm the answer and its cheaper neighbours.
 *
 * Source of the rule: W. Whitt, "What you should know about queueing models to set staffing requirements in service systems" (2007).
 */

import { FIND_CASES_MAX } from "../../../model/values/limits.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { FleetCase } from "../language/cases.ts"
import { countNamed } from "../language/counts.ts"
import type { Count } from "../language/counts.ts"
import type { FleetModel } from "../language/model.ts"
import type { FindRoster } from "../language/questions.ts"
import { breaksIn, rosterName, rosterText } from "../language/roster.ts"
import { meanSeries } from "../results/summary.ts"
import type { SearchStep, WhyNot } from "../results/questions.ts"
import { gapOf } from "../results/recommend.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { Confirmation, isEnough, keptOf } from "./confirm.ts"
import type { Settled } from "./confirm.ts"
import { Coverer, SLOTS, SLOT_MS } from "./cover.ts"
import type { Coverage, PossibleShift, Roster } from "./cover.ts"
import { Cases } from "./evaluate.ts"
import type { Evaluator } from "./evaluate.ts"
import { MOVES_MAX, helps, mostOf, written } from "./find-least.ts"
import type { Found } from "./find-least.ts"
import { Losses } from "./losses.ts"
import { NeighbourRosters } from "./neighbour-rosters.ts"

/** Spare people over the work of a quarter of an hour, in square roots of it. */
const SPARES = [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6]

/** With so few replications a roster is refused whose promise is beyond its limit by this part of it. */
const PROBES = 3
const HOPELESS = 0.25

/** Neighbours that are tried before a roster counts as the cheapest. */
const NEIGHBOURS_TRIED_MAX = 24
/** Neighbours of the answer that are made on further seeds: cheaper ones, and such with an hour more. */
const CHEAPER_SHOWN = 2
const DEARER_SHOWN = 3

export function findRoster(model: FleetModel, find: FindRoster, evaluator: Evaluator): Promise<Found> {
  return new RosterSearch(model, find, evaluator).run()
}

class RosterSearch {
  readonly #model: FleetModel
  readonly #find: FindRoster
  readonly #tried: Cases
  readonly #confirmed: Confirmation
  readonly #coverer: Coverer
  readonly #steps: SearchStep[] = []
  readonly #refused: Coverage[] = []
  readonly #losses = new Losses()

  constructor(model: FleetModel, find: FindRoster, evaluator: Evaluator) {
    this.#model = model
    this.#find = find
    this.#coverer = new Coverer(possibleShifts(model, find))
    this.#tried = new Cases(model, { evaluator, firstSeed: model.seed, hasCourse: false })
    this.#confirmed = new Confirmation(model, find, evaluator)
  }

  async run(): Promise<Found> {
    const enough = await this.#enough()
    if (enough.why !== null) return this.#notMet(enough.roster, enough.why)
    const { load } = enough
    const first = (await this.#leastSpare(load)) ?? enough.roster
    const neighbours = new NeighbourRosters(this.#coverer, { load, stepMs: this.#find.shifts.starts })
    const candidate = await this.#cheaper(first, neighbours)
    return this.#confirm(candidate, neighbours)
  }

  /** As many all day long as keep the promises, and the work of each quarter of an hour with them. */
  async #enough(): Promise<{
    readonly roster: Roster
    readonly load: Coverage
    readonly why: WhyNot | null
  }> {
    let count = written(this.#model, this.#find.count)
    let before: SearchStep | null = null
    for (;;) {
      const reached = Array.from({ length: SLOTS }, (_, slot) => (this.#coverer.reaches(slot) ? count : 0))
      const roster = this.#coverer.cover(reached)
      const step = await this.#try(roster)
      const load = await this.#loadWith(roster)
      this.#losses.begin(await this.#tried.of(this.#settings(roster), this.#model.replications))
      if (step.isKept) return { roster, load, why: null }
      if (before !== null && !helps(before, step)) return { roster, load, why: "no help" }
      if (count * 2 > mostOf(this.#find.count)) return { roster, load, why: "at most" }
      before = step
      count *= 2
    }
  }

  /** Busy ones by the quarter of an hour, on average; of a run of several days the most of its days. */
  async #loadWith(roster: Roster): Promise<Coverage> {
    const { replications } = await this.#tried.of(this.#settings(roster), this.#model.replications)
    const { resource, site } = countOf(this.#find)
    const siteAt = this.#model.sites.findIndex(({ as }) => as === site)
    const shares =
      site === null || this.#model.sites.length === 1
        ? (meanSeries(replications).get(`${resource}.utilisation`) ?? [])
        : meanOf(replications.map(({ parts }) => parts?.use[siteAt]?.[resource] ?? []))
    const load = Array.from({ length: SLOTS }, () => 0)
    const begins = startOfDay(this.#model) + this.#model.warm_up
    for (const [at, share] of shares.entries()) {
      const slot = Math.floor(((begins + at * STRETCH_MS) % DAY_MS) / SLOT_MS)
      load[slot] = Math.max(load[slot] ?? 0, share * (roster.working[slot] ?? 0))
    }
    const measured = [Math.floor(begins / SLOT_MS), Math.floor(begins / SLOT_MS) + shares.length - 1] as const
    return load.map((work, slot) => {
      const nearest = Math.min(Math.max(slot, measured[0]), measured[1])
      // The warm-up, and the orders that are open when the last one has come, are not measured.
      const isNear =
        slot >= measured[0] - this.#model.warm_up / SLOT_MS && slot < measured[1] + HOUR_MS / SLOT_MS
      return slot !== nearest && isNear ? (load[nearest] ?? 0) : work
    })
  }

  /** The least spare of all with which the promises hold; null when the most is not enough. */
  async #leastSpare(load: Coverage): Promise<Roster | null> {
    let [low, high] = [-1, SPARES.length]
    let found: Roster | null = null
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      const spare = SPARES[middle] ?? 0
      const need = load.map((work) => (work === 0 ? 0 : Math.ceil(work + spare * Math.sqrt(work))))
      const roster = this.#coverer.cover(need)
      const { isKept } = await this.#try(roster)
      if (isKept) [high, found] = [middle, roster]
      else low = middle
    }
    return found
  }

  /** Moves to a cheaper neighbour that keeps the promises as long as there is one. */
  async #cheaper(first: Roster, neighbours: NeighbourRosters): Promise<Roster> {
    let best = first
    for (;;) {
      const next = await this.#nextCheaper(best, neighbours)
      if (next === null) return best
      best = next
    }
  }

  async #nextCheaper(best: Roster, neighbours: NeighbourRosters): Promise<Roster | null> {
    let tried = 0
    for (const roster of neighbours.cheaperThan(best)) {
      if (tried >= NEIGHBOURS_TRIED_MAX || this.#steps.length >= FIND_CASES_MAX) return null
      if (this.#isRefused(roster)) continue
      tried += 1
      const { isKept } = await this.#try(roster)
      if (isKept) return roster
    }
    return null
  }

  #isRefused({ working }: Roster): boolean {
    return this.#refused.some((refused) => working.every((count, slot) => count <= (refused[slot] ?? 0)))
  }

  async #try(roster: Roster): Promise<SearchStep> {
    const settings = this.#settings(roster)
    const few = Math.min(PROBES, this.#model.replications)
    const isHopeless = this.#kept(await this.#tried.of(settings, few)).some((one) => gapOf(one) > HOPELESS)
    const replications = isHopeless ? few : this.#model.replications
    const result = await this.#tried.of(settings, replications)
    const { promises } = result
    const isKept = this.#kept(result).every(isEnough) && !this.#losses.isMore(result)
    const step = { settings, replications, isKept, promises, brokenAt: [] }
    this.#steps.push(step)
    if (!isKept) this.#refused.push(roster.working)
    return step
  }

  async #settled(roster: Roster): Promise<Settled> {
    const { result, isKept } = await this.#confirmed.settled(this.#settings(roster))
    return { result, isKept: isKept === true && this.#losses.isMore(result) ? false : isKept }
  }

  #kept(result: Pick<CaseResult, "promises">): readonly KeptPromise[] {
    return keptOf(result, this.#find.keeps)
  }

  async #confirm(candidate: Roster, neighbours: NeighbourRosters): Promise<Found> {
    let roster = candidate
    const known = new Set<string>()
    for (let moves = 0; moves <= MOVES_MAX * 2; moves += 1) {
      const { result, isKept } = await this.#settled(roster)
      if (isKept !== true) {
        known.add(rosterText(roster.shifts))
        roster = await this.#dearer(roster, neighbours)
        continue
      }
      const cheaper = [
        ...neighbours
          .cheaperThan(roster)
          .filter((one) => !known.has(rosterText(one.shifts)))
          .take(CHEAPER_SHOWN),
      ]
      const below = await Promise.all(cheaper.map((one) => this.#settled(one)))
      const better = cheaper.find((_, at) => below[at]?.isKept === true)
      if (better === undefined)
        return this.#found(result, { roster, neighbours, below: below.map((one) => one.result) })
      roster = better
    }
    return this.#notMet(roster, "not sure")
  }

  /** The neighbour with a little more where it matters most for its cost. */
  async #dearer(roster: Roster, neighbours: NeighbourRosters): Promise<Roster> {
    const all = neighbours.dearerThan(roster).slice(0, DEARER_SHOWN)
    for (const one of all) {
      const { isKept } = await this.#settled(one)
      if (isKept === true) return one
    }
    return all[0] ?? roster
  }

  async #found(
    best: CaseResult,
    {
      roster,
      neighbours,
      below,
    }: {
      readonly roster: Roster
      readonly neighbours: NeighbourRosters
      readonly below: readonly CaseResult[]
    },
  ): Promise<Found> {
    const dearer = neighbours.dearerThan(roster).slice(0, DEARER_SHOWN)
    const above = await Promise.all(
      dearer.map((one) => this.#confirmed.atLeast(this.#settings(one), best.replications.length)),
    )
    return {
      search: { find: this.#find, steps: this.#steps, outcome: { is: "found", best, below }, bySite: [] },
      cases: [...below, best, ...above],
    }
  }

  async #notMet(roster: Roster, why: WhyNot): Promise<Found> {
    const nearest = await this.#confirmed.atLeast(this.#settings(roster), this.#confirmed.first)
    return {
      search: { find: this.#find, steps: this.#steps, outcome: { is: "not met", nearest, why }, bySite: [] },
      cases: [nearest],
    }
  }

  #settings({ shifts }: Roster): FleetCase {
    return [[rosterName(this.#find.count), rosterText(shifts)]]
  }
}

/** Every shift that the model allows, with its cost for one person: by its hours, and its own price. */
function possibleShifts(model: FleetModel, find: FindRoster): readonly PossibleShift[] {
  const { shifts } = find
  const hourly = hourlyPrice(model, countOf(find))
  const { from, to } = timeOfRoster(model, shifts)
  const starts = Array.from({ length: DAY_MS / shifts.starts }, (_, at) => at * shifts.starts)
  return starts.flatMap((start) =>
    shifts.lengths
      .filter((length) => start >= from && start + length <= to)
      .map((length) => {
        const shift = { from: start, to: start + length }
        const breaks = breaksIn(shift, shifts.breaks)
        const worked = breaks.reduce((left, { lasts }) => left - lasts, length)
        return { ...shift, breaks, cost: (worked / HOUR_MS) * (hourly === 0 ? 1 : hourly) + shifts.price }
      }),
  )
}

/** Of one on duty, or of one cook in each of the kitchens, which have the same roster. */
function hourlyPrice({ costs, sites }: FleetModel, { resource, site }: Count): number {
  switch (resource) {
    case "cooks": {
      const stores = sites.flatMap(({ as, stores: of }) => (site === null || as === site ? of : []))
      return (costs?.cook_hour ?? 0) * stores.filter(({ cooks }) => cooks !== null).length
    }
    case "vehicles":
      return costs?.vehicle_hour ?? 0
    default:
      return costs?.runner_hour ?? 0
  }
}

/** From the first start to the last end of a shift: unless the model says, the run and an hour after its last order. */
function timeOfRoster(
  model: FleetModel,
  { from, to, starts }: FindRoster["shifts"],
): { readonly from: number; readonly to: number } {
  const begins = startOfDay(model)
  const isWholeDay = model.horizon + HOUR_MS >= DAY_MS
  const ends = begins + model.horizon + HOUR_MS
  return {
    from: from ?? (isWholeDay ? 0 : Math.floor(begins / starts) * starts),
    to: to ?? (isWholeDay ? DAY_MS : Math.min(DAY_MS, Math.ceil(ends / SLOT_MS) * SLOT_MS)),
  }
}

function countOf({ count }: FindRoster): Count {
  return countNamed(count) ?? { resource: "runners", site: null }
}

function startOfDay({ clock }: FleetModel): number {
  const wall = wallClockAt(new SiteClock(clock).startMs, clock.timeZone)
  return wall - midnightOf(wall)
}

function meanOf(all: readonly (readonly number[])[]): readonly number[] {
  const length = all[0]?.length ?? 0
  return Array.from({ length }, (_, at) => all.reduce((sum, one) => sum + (one[at] ?? 0), 0) / all.length)
}
