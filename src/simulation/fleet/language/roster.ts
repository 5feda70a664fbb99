/** The shifts of which a roster is made, and a roster as a text: `2 from 11:00 to 15:00, 1 from 12:00 to 20:00`. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import { ROSTER_LENGTHS_MAX } from "../../../model/values/limits.ts"
import {
  duration,
  listOf,
  mapped,
  number,
  optional,
  record,
  required,
  saying,
  text,
} from "../../scenario/language/shapes.ts"
import type { Values } from "../../scenario/language/shapes.ts"
import { parseDuration } from "../../scenario/language/shapes.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { clockTime, endTime } from "./clock-times.ts"
import { countNamed } from "./counts.ts"
import type { Count, CountName } from "./counts.ts"
import type { Shift } from "./shifts.ts"
import { timeOfDay, timeOfDayText } from "./spread.ts"

/** Shifts begin on a grid of this at least: as long as a figure by time is of. */
const STEP_MS = 15 * MINUTE_MS

const shiftLength = saying(
  mapped(duration(), (ms, refuse) =>
    ms >= HOUR_MS && ms <= DAY_MS && ms % STEP_MS === 0
      ? ms
      : refuse("no length of a shift", "whole quarters of an hour, from 1h to 24h"),
  ),
  {},
)

/** `each 30m`. */
const starts = saying(
  mapped(text, (written, refuse) => {
    const ms = parseDuration(/^each\s+(\S+)$/.exec(written.trim())?.[1] ?? "")
    return ms !== null && ms > 0 && ms % STEP_MS === 0 && DAY_MS % ms === 0
      ? ms
      : refuse(
          `${JSON.stringify(written)} does not say how far starts are apart`,
          "each 15m, each 30m, each 1h, or whole quarters of an hour that divide a day",
        )
  }),
  { pattern: String.raw`^\s*each\s+\d\S*\s*$` },
)

/** The keys of `shifts` of a search for a roster. */
export const ROSTER_SHIFTS = {
  lengths: required(
    "how long a shift may be",
    listOf("lengths", shiftLength, { min: 1, max: ROSTER_LENGTHS_MAX }),
  ),
  starts: required("how far apart two starts are, such as each 30m, counted from midnight", starts),
  from: optional("no shift begins before; the start of the run unless said", clockTime, null),
  to: optional("no shift ends after; an hour after the last order comes unless said", endTime, null),
  breaks: optional(
    "a break of each runner in every shift that is long enough, from so long after its start until so long after it",
    record("keys of the break of a shift", {
      from: required("the first runner of a shift goes so long after its start", duration()),
      to: required("the last one is back so long after it", duration()),
      lasts: required("how long each is away; it costs nothing", duration()),
    }),
    null,
  ),
  price: optional("what each shift costs beside its hours", number("a price", { min: 0, max: 1_000_000 }), 0),
}

export type RosterShifts = Values<typeof ROSTER_SHIFTS>

/** The break of a shift; none of one that ends before the break may end. */
export function breaksIn(
  { from, to }: Pick<Shift, "from" | "to">,
  rule: RosterShifts["breaks"],
): readonly NonNullable<RosterShifts["breaks"]>[] {
  if (rule === null || from + rule.to > to) return []
  return [{ from: from + rule.from, to: from + rule.to, lasts: rule.lasts }]
}

/** A shift of a roster; each of its people is away for the break, which is no work and costs nothing. */
export interface RosterShift extends Shift {
  readonly breakMs: number
}

const BREAK = " with a break of "

/** `2 from 11:00 to 15:00, 1 from 12:00 to 20:00 with a break of 30m`, in the order of their starts; equal shifts are one. */
export function rosterText(shifts: readonly RosterShift[]): string {
  const merged = new Map<string, RosterShift>()
  for (const shift of shifts) {
    const name = `${shift.from} ${shift.to} ${shift.breakMs}`
    const count = (merged.get(name)?.count ?? 0) + shift.count
    merged.set(name, { ...shift, count })
  }
  const sorted = [...merged.values()].toSorted((a, b) => a.from - b.from || a.to - b.to)
  return sorted
    .map(({ count, from, to, breakMs }) => {
      const away = breakMs === 0 ? "" : `${BREAK}${showDuration(breakMs)}`
      return `${count} from ${timeOfDayText(from)} to ${timeOfDayText(to)}${away}`
    })
    .join(", ")
}

const SHIFT = new RegExp(String.raw`^(\d+) from (\S+) to (\S+?)(?:${BREAK}(.+))?$`)

/** Throws for a text that `rosterText` does not write. */
export function rosterOf(written: string): readonly RosterShift[] {
  return written.split(", ").map((part) => {
    const [, count, from = "", to = "", away = "0s"] = SHIFT.exec(part) ?? []
    const [begins, ends] = [timeOfDay(from), to === "24:00" ? DAY_MS : timeOfDay(to)]
    const breakMs = parseDuration(away.replaceAll(" ", ""))
    if (count === undefined || begins === null || ends === null || breakMs === null)
      throw new Error(`no shift: ${part}`)
    return { count: Number(count), from: begins, to: ends, breakMs }
  })
}

/** The setting of a case whose value is a roster: `roster of runners at north`. */
export type RosterName = `roster of ${CountName}`

export function rosterName(count: CountName): RosterName {
  return `roster of ${count}`
}

/** Whose roster a setting is; null for any other setting. */
export function rosterNamed(setting: string): Count | null {
  return setting.startsWith("roster of ") ? countNamed(setting.slice("roster of ".length)) : null
}

/** Worked hours of all together, a day, as costs count them: without breaks. */
export function hoursOf(shifts: readonly RosterShift[]): number {
  const ms = shifts.reduce((sum, { count, from, to, breakMs }) => sum + count * (to - from - breakMs), 0)
  return ms / HOUR_MS
}
