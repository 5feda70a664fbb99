/** What twenty seeds say of a change, in plain words: nothing is claimed that chance alone may have done. */

import { isSure, seedDifference } from "../../../../model/replay/seed-difference.ts"
import type { DayFigures, FiguresBySeed, SeedDifference } from "../../../../model/replay/seed-difference.ts"

/** Promises that were not kept: late, declined or canceled. */
const brokenOf = ({ late, lost }: DayFigures): number => late + lost

/** Null before both models have run on two seeds. */
export function seedSentence(written: FiguresBySeed, changed: FiguresBySeed): string | null {
  const found = seedDifference(written, changed, brokenOf)
  if (found === null || found.low === null || found.high === null) return null
  const { seeds, mean, low, high, less, same, more } = found
  if (same === seeds) return `On ${seeds} seeds as many promises break in both, on each seed.`
  const counts = `better on ${countOf(less)}, same on ${countOf(same)}, worse on ${countOf(more)}`
  if (!isSure(found))
    return `On ${seeds} seeds no difference is sure: from ${apart(low)} to ${apart(high)} broken promises a day (95 %); ${counts}.`
  const does = mean < 0 ? "keeps" : "breaks"
  const bounds = mean < 0 ? [-high, -low] : [low, high]
  return `On ${seeds} seeds the change ${does} ${tenths(Math.abs(mean))} promises a day more (95 %: ${bounds.map(tenths).join(" to ")}): ${counts}.`
}

export interface SeedRow {
  readonly name: string
  readonly written: string
  readonly changed: string
  readonly difference: string
  /** `−3.7 to −1.1`; empty where the seeds are too few. */
  readonly interval: string
  /** Whether the change is for the better; null where it is not sure. */
  readonly isBetter: boolean | null
}

/** Figures that one of the models has, without rows of zeros; orders where both do not meet the same. */
export function seedRows(written: FiguresBySeed, changed: FiguresBySeed): readonly SeedRow[] {
  const currency = [...changed.values()][0]?.cost?.currency ?? ""
  const ofMoney = (amount: number): string => moneyText(amount, currency)
  const asked = seedDifference(written, changed, (figures) => figures.asked)
  return [
    asked === null || asked.same === asked.seeds ? null : rowOf("Orders", asked, tenths, 0),
    rowOf("Broken promises", seedDifference(written, changed, brokenOf), tenths, -1),
    rowOf(
      "of them late",
      seedDifference(written, changed, ({ late }) => late),
      tenths,
      -1,
    ),
    rowOf(
      "of them lost",
      seedDifference(written, changed, ({ lost }) => lost),
      tenths,
      -1,
    ),
    rowOf(
      "Completed",
      seedDifference(written, changed, ({ completed }) => completed),
      tenths,
      1,
    ),
    rowOf(
      "Cost",
      seedDifference(written, changed, ({ cost }) => cost?.total ?? null),
      ofMoney,
      -1,
    ),
  ].filter((row) => row !== null)
}

/** `good`: the side on which it is better; 0 when neither is. */
function rowOf(
  name: string,
  found: SeedDifference | null,
  textOf: (value: number) => string,
  good: -1 | 0 | 1,
): SeedRow | null {
  if (found === null || (found.first === 0 && found.second === 0)) return null
  const { first, second, mean, low, high } = found
  const signed = (value: number): string =>
    `${value > 0 ? "+" : value < 0 ? "−" : ""}${textOf(Math.abs(value))}`
  return {
    name,
    written: textOf(first),
    changed: textOf(second),
    difference: signed(mean),
    interval: low === null || high === null ? "" : `${signed(low)} to ${signed(high)}`,
    isBetter: isSure(found) && good !== 0 ? mean * good > 0 : null,
  }
}

/** `1.3 fewer`, `0.4 more`. */
function apart(value: number): string {
  return `${tenths(Math.abs(value))} ${value <= 0 ? "fewer" : "more"}`
}

function tenths(value: number): string {
  return value.toFixed(1)
}

function countOf(count: number): string {
  return count === 0 ? "none" : String(count)
}

function moneyText(amount: number, currency: string): string {
  const isCode = /^[A-Z]{3}$/.test(currency)
  return amount.toLocaleString("en-US", {
    ...(isCode ? { style: "currency", currency } : {}),
    maximumFractionDigits: 0,
  })
}
