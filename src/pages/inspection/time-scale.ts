/**
 * Scales of the strip. `log`: times around a centre, on both sides by the logarithm of their distance, so that milliseconds beside the
 * playhead and hours away from it are visible at once. `rank`: every entry has the same width. Places are fractions from 0 to 1.
 */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import { durationText } from "./durations.ts"
import { at, rowCount } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

export interface TimeScale {
  /** The place of a row; ascends with the rows. */
  readonly placeOf: (row: number) => number
  readonly labels: readonly { readonly place: number; readonly text: string }[]
}

/** Distances below this one are drawn to scale. Unit: ms. */
const LINEAR_MS = 100

/** Distances with a label: many a visit of the sandbox takes milliseconds. Unit: ms. */
const MS_LABELLED = [10, 50, 200]
const LABELLED = MS_LABELLED.concat(
  [SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS],
  [HOUR_MS, 12 * HOUR_MS, 168 * HOUR_MS],
)

/** Labels closer than this fraction of the width would touch. */
const LABEL_DISTANCE = 0.055

/** `centre` is a time of the run. Unit: ms since `clock0`. */
export function logScale({ t }: RunIndex, centre: number): TimeScale {
  const before = logOf(Math.max(0, centre - (t[0] ?? 0)))
  const after = logOf(Math.max(0, (t.at(-1) ?? 0) - centre))
  const whole = before + after
  const placeAt = (ms: number): number =>
    whole === 0 ? 0.5 : (before + Math.sign(ms - centre) * logOf(Math.abs(ms - centre))) / whole
  const found = LABELLED.flatMap((distance) => [
    { place: placeAt(centre - distance), text: `−${durationText(distance)}` },
    { place: placeAt(centre + distance), text: `+${durationText(distance)}` },
  ])
  const shown = found.filter(({ place }) => place > LABEL_DISTANCE / 2 && place < 1 - LABEL_DISTANCE / 2)
  return { placeOf: (row) => placeAt(at(t, row)), labels: apart(shown, placeAt(centre)) }
}

/** `nameOf`: the label of a row. */
export function rankScale(index: RunIndex, nameOf: (row: number) => string): TimeScale {
  const last = Math.max(1, rowCount(index) - 1)
  const rows = [0.1, 0.3, 0.5, 0.7, 0.9].map((place) => Math.round(place * last))
  return {
    placeOf: (row) => row / last,
    labels: [...new Set(rows)].map((row) => ({ place: row / last, text: nameOf(row) })),
  }
}

/** The row whose place is nearest. Cost: one binary search. */
export function rowNear(index: RunIndex, { placeOf }: TimeScale, place: number): number {
  let low = 0
  let high = Math.max(0, rowCount(index) - 1)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (placeOf(middle) < place) low = middle + 1
    else high = middle
  }
  const isBeforeNearer = low > 0 && place - placeOf(low - 1) < placeOf(low) - place
  return isBeforeNearer ? low - 1 : low
}

function logOf(distance: number): number {
  return Math.log1p(distance / LINEAR_MS)
}

interface Label {
  readonly place: number
  readonly text: string
}

/** Without labels that would touch another one or the playhead's own. Those far from the playhead are kept first. */
function apart(labels: readonly Label[], playhead: number): readonly Label[] {
  const kept: Label[] = []
  for (const label of labels.toSorted(
    (a, b) => Math.abs(b.place - playhead) - Math.abs(a.place - playhead),
  )) {
    const isFree = [...kept.map(({ place }) => place), playhead].every(
      (place) => Math.abs(place - label.place) >= LABEL_DISTANCE,
    )
    if (isFree) kept.push(label)
  }
  return kept.toSorted((a, b) => a.place - b.place)
}
