/** How two courses differ, in sentences. */

import { BREAK_KINDS } from "../../../../model/replay/course.ts"
import type { BreakKind } from "../../../../model/replay/course.ts"
import type { CourseDifference } from "../../../../model/replay/course-difference.ts"
import { placeOf, writtenNumber } from "../../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { listed } from "../../../../model/values/listed.ts"

const MANY: Readonly<Record<BreakKind, readonly [one: string, many: string]>> = {
  "broken promise": ["broken promise", "broken promises"],
  declined: ["declined order", "declined orders"],
  "no-show": ["no-show", "no-shows"],
  fault: ["fault", "faults"],
}

/** `With 3 runners at north instead of 2, 4 fewer promises break…`: what it keeps of what is broken. */
export function differenceHeadline(difference: CourseDifference): string {
  const { saved, lost, breaks } = difference
  if (difference.partsAtMs === null) return "Nothing changes on this day."
  const [before, after] = breaks["broken promise"]
  const promises =
    (before === after
      ? `as many promises break: ${before}`
      : `${after} promises break, ${before} as written`) + declinedWords(difference)
  if (saved.length === 0 && lost.length === 0) return `The day goes otherwise, and ${promises}.`
  const parts = [
    ...(saved.length === 0 ? [] : [`${ordersOf(saved.length)} saved`]),
    ...(lost.length === 0 ? [] : [`${ordersOf(lost.length)} lost`]),
  ]
  return `${capital(parts.join(", "))}: ${promises}.`
}

/** Orders that are declined are in none of the two counts before it; empty when both days decline as many. */
function declinedWords({ breaks }: CourseDifference): string {
  const [before, after] = breaks.declined
  if (before === after) return ""
  return `; ${after === 1 ? "1 order is" : `${after} orders are`} declined, ${before} as written`
}

/** One line for each kind of break that one of the courses has. */
export function breakLines({ breaks }: CourseDifference): readonly string[] {
  return BREAK_KINDS.flatMap((kind) => {
    const [before, after] = breaks[kind]
    if (before === 0 && after === 0) return []
    const [one, many] = MANY[kind]
    return [`${before} ${before === 1 ? one : many} as written, ${after} changed`]
  })
}

/** Orders that cannot be compared, because one day alone has them; empty when both have the same. */
export function unmatchedLine({ onlyFirst, onlySecond }: CourseDifference): string {
  const parts = [
    ...(onlyFirst === 0 ? [] : [`${ordersOf(onlyFirst)} of the day as written`]),
    ...(onlySecond === 0 ? [] : [`${ordersOf(onlySecond)} of the changed day`]),
  ]
  return parts.length === 0 ? "" : `Not compared: ${listed(parts)}, which the other day does not have.`
}

/** `Runners at north: 3, not 2`. */
export function changedWords(
  numbers: readonly FleetNumber[],
  changed: ReadonlyMap<string, number>,
): readonly string[] {
  return numbers.flatMap((number) => {
    const value = changed.get(placeOf(number))
    if (value === undefined) return []
    return [`${number.label}: ${writtenNumber(value, number)}, not ${writtenNumber(number.value, number)}`]
  })
}

function ordersOf(count: number): string {
  return count === 1 ? "1 order" : `${count} orders`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
