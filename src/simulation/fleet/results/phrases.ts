/** Words for cases and sentences. */

import { listed } from "../../../model/values/listed.ts"
import { counted } from "../../scenario/language/counted.ts"
import { caseName, settingText } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import { countName, countNamed } from "../language/counts.ts"
import type { Count } from "../language/counts.ts"
import { isValuePath } from "../language/paths/value-paths.ts"
import { hoursOf, rosterNamed, rosterOf, rosterText } from "../language/roster.ts"
import type { Resource } from "../language/metrics.ts"

/** `5 runners`, `1 runner and 4 stalls`, `3 runners at north and 2 at south`, `dispatch first_booked`. */
export function casePhrase(settings: FleetCase): string {
  if (settings.length === 0) return "the model as written"
  return (
    countsBySite(settings) ??
    countsAtOne(settings) ??
    settings.map(([setting, value]) => settingPhrase(setting, value)).join(" and ")
  )
}

function settingPhrase(setting: string, value: number | string): string {
  const staffed = rosterNamed(setting)
  if (staffed !== null) return rosterPhrase(staffed, String(value))
  const count = countNamed(setting)
  if (count !== null) {
    const what = counted(Number(value), count.resource.slice(0, -1))
    return count.site === null ? what : `${what} at ${count.site}`
  }
  if (isValuePath(setting)) return `${value} as ${setting}`
  if (setting === "out") return value === "none" ? "nothing out" : "everything out"
  if (setting === "vehicle_dispatch") return `policy ${value}`
  return setting === "demand" ? `${value} times the demand` : `${setting} ${value}`
}

/** `26 hours of runners (2 from 11:00 to 15:00, 1 from 12:00 to 20:00)`. */
function rosterPhrase(count: Count, written: string): string {
  return `${rosterHours(count, written)} (${written})`
}

/** `26 hours of runners at north`, of shifts with breaks `24.5 worked hours`; `8 hours of cooks in each kitchen`. */
function rosterHours({ resource, site }: Count, written: string): string {
  const each = resource === "cooks" ? " in each kitchen" : ""
  return `${counted(hoursIn(written), hourWord(written))} of ${countName(resource, site)}${each}`
}

function hoursIn(roster: string): number {
  return Math.round(hoursOf(rosterOf(roster)) * 100) / 100
}

/** Without breaks every hour is worked. */
function hourWord(roster: string): string {
  return rosterOf(roster).some(({ breakMs }) => breakMs > 0) ? "worked hour" : "hour"
}

/** As `casePhrase`, and of a roster its hours alone, where its shifts were said before. */
export function briefPhrase(settings: FleetCase): string {
  const [only] = settings
  const staffed = only === undefined ? null : rosterNamed(only[0])
  return only === undefined || staffed === null ? casePhrase(settings) : rosterHours(staffed, String(only[1]))
}

/** As `casePhrase`, and of a roster the shifts that another one does not have: `25 hours of runners (1 fewer from 11:00 to 15:00)`. */
export function besidePhrase(settings: FleetCase, other: FleetCase): string {
  return changedRoster(settings, other) ?? casePhrase(settings)
}

/** As `caseLabel`, with a roster as in `besidePhrase`. */
export function besideLabel(settings: FleetCase, other: FleetCase): string {
  return changedRoster(settings, other) ?? caseLabel(settings)
}

function changedRoster([only]: FleetCase, [before]: FleetCase): string | null {
  const staffed = only === undefined ? null : rosterNamed(only[0])
  if (only === undefined || staffed === null || before === undefined) return null
  return `${rosterHours(staffed, String(only[1]))} (${shiftChanges(String(before[1]), String(only[1]))})`
}

/** `1 fewer from 11:00 to 15:00 and 1 more from 12:00 to 16:00`. */
function shiftChanges(from: string, to: string): string {
  const moved = new Map<string, number>()
  for (const [roster, sign] of [
    [from, -1],
    [to, 1],
  ] as const)
    for (const shift of rosterOf(roster)) {
      const when = rosterText([{ ...shift, count: 1 }]).replace(/^1 /, "")
      moved.set(when, (moved.get(when) ?? 0) + sign * shift.count)
    }
  return listed(
    [...moved].flatMap(([when, by]) =>
      by === 0 ? [] : [`${Math.abs(by)} ${by < 0 ? "fewer" : "more"} ${when}`],
    ),
  )
}

/** `3 runners and 4 stalls at north`; null when the settings are not several counts of one site. */
function countsAtOne(settings: FleetCase): string | null {
  const site = siteOfAll(settings)
  if (site === null) return null
  const phrases = settings.map(([setting, value]) =>
    counted(Number(value), (countNamed(setting)?.resource ?? setting).slice(0, -1)),
  )
  return `${listed(phrases)} at ${site}`
}

function siteOfAll(settings: FleetCase): string | null {
  const [first, ...others] = settings.map(([setting]) => countNamed(setting)?.site ?? null)
  return others.length > 0 && others.every((site) => site === first) ? (first ?? null) : null
}

/** With more sites, the phrase has the sum of their counts and the number of sites. */
const SITES_NAMED_MAX = 6

/** `3 runners at north, 2 at south and 1 at east`; null when the settings are not one count at several sites. */
function countsBySite(settings: FleetCase): string | null {
  const resource = resourceBySite(settings)
  if (resource === null) return null
  if (settings.length > SITES_NAMED_MAX)
    return `${counted(sumOf(settings), resource.slice(0, -1))} at ${settings.length} sites`
  const phrases = settings.map(([setting, value], at) =>
    at === 0 ? settingPhrase(setting, value) : `${value} at ${countNamed(setting)?.site}`,
  )
  return listed(phrases)
}

function resourceBySite(settings: FleetCase): Resource | null {
  const [first, ...others] = settings.map(([setting]) => countNamed(setting))
  if (first === undefined || first === null || others.length === 0) return null
  const isSame = (other: typeof first | null): boolean =>
    other !== null && other.site !== null && other.resource === first.resource
  return [first, ...others].every(isSame) ? first.resource : null
}

function sumOf(settings: FleetCase): number {
  return settings.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** The name of a case in a table: `runners 3 at north, 2 at south`; counts at many sites by their sum. */
export function caseLabel(settings: FleetCase): string {
  const [only] = settings
  if (only !== undefined && rosterNamed(only[0]) !== null) return settingPhrase(...only)
  const site = siteOfAll(settings)
  if (site !== null) {
    const counts = settings.map(([setting, value]) => `${countNamed(setting)?.resource} ${value}`)
    return `${counts.join(", ")} at ${site}`
  }
  const resource = resourceBySite(settings)
  if (resource === null) return caseName(settings)
  if (settings.length > SITES_NAMED_MAX) return `${resource} ${sumOf(settings)} at ${settings.length} sites`
  const counts = settings.map(([setting, value]) => `${value} at ${countNamed(setting)?.site}`)
  return `${resource} ${counts.join(", ")}`
}

/** The same in a picture, where a long name has no place: the sum of the counts of sites instead. */
export function shortLabel(settings: FleetCase): string {
  const [only] = settings
  const staffed = only === undefined ? null : rosterNamed(only[0])
  if (only !== undefined && staffed !== null) return rosterHours(staffed, String(only[1]))
  const label = caseLabel(settings)
  const resource = resourceBySite(settings)
  if (resource === null || label.length <= LABEL_MAX) return label
  return `${resource} ${sumOf(settings)} at ${settings.length} sites`
}

/** Letters that fit beside a figure on a phone. */
const LABEL_MAX = 36

/**
 * From one case to the next, a line for each setting: `3 to 4` where one setting is swept, and with more `cooks 3 to 4`
 * and `stalls 2`, because another pair may change the same setting in the same way. Where the counts of several sites
 * change, their sums.
 */
export function stepLines(from: FleetCase, to: FleetCase): readonly string[] {
  const resource = resourceBySite(to)
  const changed = to.filter(([, value], at) => value !== from[at]?.[1]).length
  if (resource !== null && changed > 1 && to.length > 2)
    return [`${resource} ${sumOf(from)} to ${sumOf(to)}`, `at ${to.length} sites`]
  return to.map(([setting, value], at) => {
    const before = from[at]?.[1]
    if (rosterNamed(setting) !== null && before !== undefined)
      return `${hoursIn(String(before))} to ${counted(hoursIn(String(value)), hourWord(String(value)))}`
    const change = before === value ? String(value) : `${before} to ${value}`
    const isNamed = to.length > 1 && !POLICIES.has(setting)
    return isNamed ? settingText(setting, change) : change
  })
}

/** Settings whose values are words that say what they are. */
const POLICIES: ReadonlySet<string> = new Set(["dispatch", "vehicle_dispatch"])

/** A verb whose subject is a case: `keep` for 5 runners, `keeps` for one. */
export function verb(settings: FleetCase, word: string): string {
  const [first] = settings
  const isMany =
    settings.length > 1 ||
    (first !== undefined &&
      (rosterNamed(first[0]) !== null || (countNamed(first[0]) !== null && first[1] !== 1)))
  return isMany ? word : `${word}s`
}

export function sentence(text: string): string {
  return `${capital(text)}.`
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
