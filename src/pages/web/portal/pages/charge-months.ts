/** Months of charges, in the reader's time zone, and sums in words. */

import type { Schemas } from "../api.ts"
import { money } from "../words.tsx"
import type { Days } from "./filters.tsx"

/** Months that the page offers. */
const MONTHS_SHOWN = 13

/** `2026-11` and those before it. */
export function lastMonths(nowMs: number): readonly string[] {
  const now = new Date(nowMs)
  return Array.from({ length: MONTHS_SHOWN }, (_, before) =>
    monthOf(new Date(now.getFullYear(), now.getMonth() - before, 1)),
  )
}

function monthOf(day: Date): string {
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}`
}

/** From the first day of a month to its last. */
export function daysOf(month: string): Days {
  const [year = 0, number = 1] = month.split("-").map(Number)
  const last = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return { from: `${month}-01`, to: `${month}-${last}` }
}

export function sameDays(one: Days, other: Days): boolean {
  return one.from === other.from && one.to === other.to
}

/** `November 2026`. */
export function monthName(month: string): string {
  return new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(`${month}-01T00:00:00Z`),
  )
}

/** `12 deliveries, $95.88`; with a sum for each currency. */
export function totalText(sums: readonly Schemas["ChargeSum"][]): string {
  const centsByCurrency = new Map<string, number>()
  for (const { currency, fee_cents: cents } of sums)
    centsByCurrency.set(currency, (centsByCurrency.get(currency) ?? 0) + cents)
  const count = sums.reduce((all, one) => all + one.count, 0)
  const fees = [...centsByCurrency].map(([currency, cents]) => money(cents, currency))
  return [`${count} ${count === 1 ? "delivery" : "deliveries"}`, ...fees].join(", ")
}
