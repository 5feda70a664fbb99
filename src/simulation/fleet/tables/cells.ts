/** Numbers and durations of cells. */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { parseDuration } from "../../scenario/language/shapes.ts"

interface Numbers {
  readonly hasDecimalCommas: boolean
}

/** Null for what is no number. A comma is a decimal comma, or stands before thousands, as it does in the whole table. */
export function numberIn(cell: string, { hasDecimalCommas }: Numbers): number | null {
  const plain = hasDecimalCommas ? cell.replaceAll(".", "").replace(",", ".") : thousandsJoined(cell)
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null
}

function thousandsJoined(cell: string): string {
  return /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(cell) ? cell.replaceAll(",", "") : cell
}

export const UNIT_MS = { ms: 1, s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS } as const

/** Milliseconds; null for what is no duration. `unitMs` is that of a bare number; null when the cell has its own. */
export function durationIn(cell: string, unitMs: number | null, numbers: Numbers): number | null {
  if (unitMs !== null) {
    const value = numberIn(cell, numbers)
    return value === null ? null : Math.round(value * unitMs)
  }
  const clock = /^(\d+):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,3}))?)?$/.exec(cell)
  if (clock === null) return parseDuration(cell.replaceAll(" ", ""))
  const [, hours, minutes, seconds = "0", part = "0"] = clock
  return (
    Number(hours) * HOUR_MS +
    Number(minutes) * MINUTE_MS +
    Number(seconds) * SECOND_MS +
    Number(part.padEnd(3, "0"))
  )
}
