/** Shifts: how many people or vehicles are on duty, from one time of the day to another. */

import { SHIFTS_MAX } from "../../../model/values/limits.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import { either, listOf, mapped, optional, record, required } from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"
import { clockTime, endTime } from "./clock-times.ts"

/** So many on duty from one time of the day to another; milliseconds since midnight. */
export interface Shift {
  readonly count: number
  readonly from: number
  readonly to: number
}

/** The times of a shift, beside its count. */
export const SHIFT_TIMES = {
  from: optional("from this time of day", clockTime, 0),
  to: optional("to this time of day; 24:00 is midnight, and what it is unless said", endTime, DAY_MS),
}

/** All of a site or of a kitchen; without shifts they are on duty all day long. */
export interface Staffing {
  readonly total: number
  readonly shifts: readonly Shift[]
}

/** A count, or shifts of `what`. */
export function staffing(what: string, count: Shape<number>): Shape<Staffing> {
  const shift = record("keys of a shift", { count: required(`how many ${what}`, count), ...SHIFT_TIMES })
  return either(
    mapped(count, (total): Staffing => ({ total, shifts: [] })),
    mapped(listOf("shifts", shift, { min: 1, max: SHIFTS_MAX }), (shifts): Staffing => ({
      total: totalOf(shifts),
      shifts,
    })),
    "list",
  )
}

export function totalOf(shifts: readonly Shift[]): number {
  return shifts.reduce((sum, { count }) => sum + count, 0)
}
