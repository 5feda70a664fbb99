/**
 * The cheapest shifts that put so many people on duty in each quarter of an hour, by linear programming. The columns of the
 * matrix are shifts, whose ones are in a row, so its solutions are whole numbers already.
 */

import { solve } from "yalps"
import { DAY_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { RosterShift } from "../language/roster.ts"
import type { Shift } from "../language/shifts.ts"

/** Coverage is counted by quarters of an hour of the day. */
export const SLOT_MS = 15 * MINUTE_MS
export const SLOTS = DAY_MS / SLOT_MS

/** People on duty in each quarter of an hour, from midnight on. */
export type Coverage = readonly number[]

/** A shift that a roster may have, with its cost for one person. */
export interface PossibleShift {
  readonly from: number
  readonly to: number
  readonly cost: number
  /** Of each person in turn. */
  readonly breaks: readonly { readonly from: number; readonly to: number; readonly lasts: number }[]
}

export interface Roster {
  readonly shifts: readonly RosterShift[]
  /** With those on a break. */
  readonly coverage: Coverage
  /** Without them, on average over the time in which they take their breaks. */
  readonly working: Coverage
  readonly cost: number
}

/** Covers needs with shifts of these kinds. */
export class Coverer {
  readonly #possible: readonly PossibleShift[]
  readonly #variables: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly #reached: ReadonlySet<number>
  readonly #known = new Map<string, Roster>()

  constructor(possible: readonly PossibleShift[]) {
    this.#possible = possible
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot)
    const slotsOf = (shift: PossibleShift): readonly number[] => slots.filter((slot) => isOn(shift, slot))
    this.#reached = new Set(possible.flatMap(slotsOf))
    this.#variables = new Map(
      possible.map((shift) => {
        const ones = slotsOf(shift).map((slot) => [String(slot), 1] as const)
        return [nameOf(shift), new Map<string, number>([["cost", shift.cost], ...ones])]
      }),
    )
  }

  /** True when some shift is on duty in this quarter of an hour. */
  reaches(slot: number): boolean {
    return this.#reached.has(slot)
  }

  /** The cheapest roster that covers the need, but where no shift can be. */
  cover(need: Coverage): Roster {
    const name = need.join()
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const roster = this.#rosterOf(this.#solved(need))
    this.#known.set(name, roster)
    return roster
  }

  #solved(need: Coverage): readonly RosterShift[] {
    const rows = need.flatMap((count, slot) =>
      count > 0 && this.reaches(slot) ? [[String(slot), { min: count }] as const] : [],
    )
    const { status, variables } = solve({
      direction: "minimize",
      objective: "cost",
      constraints: new Map(rows),
      variables: this.#variables,
      integers: true,
    })
    if (status !== "optimal") throw new Error(`the roster that covers ${need.join()} is ${status}`)
    const counts = new Map(variables)
    return this.#possible.flatMap((shift) => {
      const count = Math.round(counts.get(nameOf(shift)) ?? 0)
      const breakMs = shift.breaks.reduce((sum, { lasts }) => sum + lasts, 0)
      return count > 0 ? [{ count, from: shift.from, to: shift.to, breakMs }] : []
    })
  }

  #rosterOf(shifts: readonly RosterShift[]): Roster {
    const coverage = Array.from({ length: SLOTS }, (_, slot) =>
      shifts.reduce((sum, shift) => sum + (isOn(shift, slot) ? shift.count : 0), 0),
    )
    const kindOf = ({ from, to }: Shift): PossibleShift | undefined =>
      this.#possible.find((one) => one.from === from && one.to === to)
    const working = coverage.map((count, slot) =>
      shifts.reduce((left, shift) => left - shift.count * awayIn(kindOf(shift), slot), count),
    )
    const cost = shifts.reduce((sum, shift) => sum + shift.count * (kindOf(shift)?.cost ?? 0), 0)
    return { shifts, coverage, working, cost }
  }
}

function isOn({ from, to }: Pick<PossibleShift, "from" | "to">, slot: number): boolean {
  return from <= slot * SLOT_MS && (slot + 1) * SLOT_MS <= to
}

/** The share of a person's quarter of an hour that a break takes. */
function awayIn(shift: PossibleShift | undefined, slot: number): number {
  const begins = slot * SLOT_MS
  return (shift?.breaks ?? []).reduce((sum, { from, to, lasts }) => {
    const together = Math.max(0, Math.min(to, begins + SLOT_MS) - Math.max(from, begins))
    return sum + (together / SLOT_MS) * (lasts / (to - from))
  }, 0)
}

function nameOf({ from, to }: PossibleShift): string {
  return `${from} ${to}`
}
