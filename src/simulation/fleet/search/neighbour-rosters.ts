/** Rosters near another one: with one person less for a while, or one more, and the cheapest shifts for that. */

import { DAY_MS } from "../../../model/values/time.ts"
import { rosterText } from "../language/roster.ts"
import { SLOTS, SLOT_MS } from "./cover.ts"
import type { Coverage, Coverer, Roster } from "./cover.ts"

/** The longest time for which one person is taken away at once. */
const LONGEST_MS = DAY_MS / 2

/** Windows that are looked at, of all: each is a linear program. */
const WINDOWS_MAX = 400

/** Quarters of an hour of most risk at which a second person comes when one is taken away elsewhere. */
const EXCHANGED = 2

export class NeighbourRosters {
  readonly #coverer: Coverer
  readonly #load: Coverage
  /** Quarters of an hour between two starts of shifts. */
  readonly #step: number

  constructor(coverer: Coverer, { load, stepMs }: { readonly load: Coverage; readonly stepMs: number }) {
    this.#coverer = coverer
    this.#load = load
    this.#step = stepMs / SLOT_MS
  }

  /** Cheaper rosters: those of the least risk for the time that they save first, and exchanges after them. */
  *cheaperThan(roster: Roster): Generator<Roster> {
    const seen = new Set<string>()
    const windows = this.#windowsBelow(roster)
    for (const { need } of windows) yield* this.#cheaper(roster, need, seen)
    for (const { need } of windows)
      for (const slot of this.#pressed(need))
        yield* this.#cheaper(roster, changed(need, { from: slot, to: slot + this.#step }, 1), seen)
  }

  /** One person less for a while: the least risk for each quarter of an hour first. */
  #windowsBelow(roster: Roster): readonly { readonly need: Coverage; readonly price: number }[] {
    const risk = riskOf(roster.coverage, this.#load)
    return this.#windows()
      .map((window) => {
        const need = changed(roster.coverage, window, -1)
        const saved = need.reduce((sum, count, slot) => sum + (roster.coverage[slot] ?? 0) - count, 0)
        return {
          need,
          price: saved === 0 ? Number.POSITIVE_INFINITY : (riskOf(need, this.#load) - risk) / saved,
        }
      })
      .filter(({ price }) => Number.isFinite(price))
      .toSorted((one, other) => one.price - other.price)
      .slice(0, WINDOWS_MAX)
  }

  *#cheaper(roster: Roster, need: Coverage, seen: Set<string>): Generator<Roster> {
    const found = this.#coverer.cover(need)
    const name = rosterText(found.shifts)
    if (found.cost >= roster.cost || seen.has(name)) return
    seen.add(name)
    yield found
  }

  /** With one more person for one step: those that take away the most risk for their cost first. */
  dearerThan(roster: Roster): readonly Roster[] {
    const risk = riskOf(roster.coverage, this.#load)
    const worth = (one: Roster): number =>
      (risk - riskOf(one.coverage, this.#load)) / (one.cost - roster.cost)
    const needs = this.#starts().map((from) => changed(roster.coverage, { from, to: from + this.#step }, 1))
    return this.#covering(needs)
      .filter(({ cost }) => cost > roster.cost)
      .toSorted((a, b) => worth(b) - worth(a))
  }

  #covering(needs: readonly Coverage[]): readonly Roster[] {
    const rosters = new Map<string, Roster>()
    for (const need of needs) {
      const roster = this.#coverer.cover(need)
      rosters.set(rosterText(roster.shifts), roster)
    }
    return [...rosters.values()]
  }

  #starts(): readonly number[] {
    const all = Array.from({ length: Math.ceil(SLOTS / this.#step) }, (_, at) => at * this.#step)
    return all.filter((slot) => this.#coverer.reaches(slot))
  }

  #windows(): readonly Window[] {
    const longest = LONGEST_MS / SLOT_MS
    const starts = this.#starts()
    return starts.flatMap((from) =>
      starts
        .map((last) => last + this.#step)
        .filter((to) => to > from && to - from <= longest)
        .map((to) => ({ from, to })),
    )
  }

  /** The starts of the steps with the most risk. */
  #pressed(need: Coverage): readonly number[] {
    const risk = (from: number): number => riskOf(need, this.#load, { from, to: from + this.#step })
    return this.#starts()
      .toSorted((a, b) => risk(b) - risk(a))
      .slice(0, EXCHANGED)
  }
}

/** Quarters of an hour of the day, the last one excluded. */
interface Window {
  readonly from: number
  readonly to: number
}

function changed(coverage: Coverage, { from, to }: Window, by: number): Coverage {
  return coverage.map((count, slot) => (slot >= from && slot < to ? Math.max(0, count + by) : count))
}

/**
 * How likely people have too little time, to compare rosters before one is simulated: the work of each quarter of an hour, less the
 * more spare people there are in square roots of it.
 */
function riskOf(coverage: Coverage, load: Coverage, { from, to }: Window = { from: 0, to: SLOTS }): number {
  let risk = 0
  for (let slot = from; slot < Math.min(to, SLOTS); slot += 1) {
    const work = load[slot] ?? 0
    if (work > 0) risk += work * Math.exp((work - (coverage[slot] ?? 0)) / Math.sqrt(Math.max(work, 0.25)))
  }
  return risk
}
