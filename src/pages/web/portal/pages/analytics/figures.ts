/** Figures of the analytics page, in words and as a file. */

import type { Schemas } from "../../api.ts"
import { money } from "../../words.tsx"

export interface Figure {
  readonly name: string
  readonly figure: string
  readonly about: string
}

type Change = Pick<Schemas["ComparedMetrics"]["average_occupancy"], "change_percentage" | "change_type">

/** Visits, occupancy and stay. A change from nothing is no percentage. */
export function visitFigures(metrics: Schemas["ComparedMetrics"], span: string): readonly Figure[] {
  const {
    autolane_sessions: visits,
    average_occupancy: occupancy,
    average_dwell_time: dwell,
    before,
  } = metrics
  const stay = `${dwell.minutes}:${String(dwell.seconds).padStart(2, "0")} min`
  const wasQuiet = before.visits === 0
  const hasStayed = visits.total > 0
  const isEmpty = occupancy.percentage === 0
  return [
    {
      name: "Visits",
      figure: String(visits.total),
      about: wasQuiet ? noneBefore(visits.total, span) : changeText(visits, span),
    },
    {
      name: "Occupancy",
      figure: isEmpty && !hasStayed ? "–" : `${occupancy.percentage} %`,
      about:
        before.occupancy_percentage > 0
          ? changeText(occupancy, span)
          : `Empty in ${span}${isEmpty ? " too" : ""}`,
    },
    {
      name: "Average stay",
      figure: hasStayed ? stay : "–",
      about: before.total_seconds === 0 ? `No stay in ${span}` : hasStayed ? changeText(dwell, span) : "",
    },
  ]
}

function changeText({ change_percentage: percentage, change_type: type }: Change, span: string): string {
  if (percentage === 0) return `As in ${span}`
  return `${percentage} % ${type === "increase" ? "more" : "less"} than in ${span}`
}

function noneBefore(now: number, span: string): string {
  return `None in ${span}${now === 0 ? " either" : ""}`
}

type Deliveries = Schemas["DeliveryFigures"]

/** Deliveries are charged in US dollars. */
const CURRENCY = "USD"

/** Deliveries, how many came in time, and what they cost. */
export function deliveryFigures(
  {
    completed,
    kept,
    fee_cents: cents,
    before,
  }: Pick<Deliveries, "before" | "completed" | "fee_cents" | "kept">,
  { span, isFree }: { readonly span: string; readonly isFree: boolean },
): readonly Figure[] {
  const wasQuiet = before.completed === 0
  return [
    {
      name: "Deliveries completed",
      figure: String(completed),
      about: wasQuiet ? noneBefore(completed, span) : `${before.completed} in ${span}`,
    },
    {
      name: "Promise kept",
      figure: share(kept, completed),
      about:
        completed === 0
          ? "By the promised delivery time"
          : `${kept} of ${completed} in time${wasQuiet ? "" : `; ${share(before.kept, before.completed)} in ${span}`}`,
    },
    {
      name: isFree ? "Fees, not charged" : "Fees",
      figure: money(cents, CURRENCY),
      about: wasQuiet ? noneBefore(completed, span) : `${money(before.fee_cents, CURRENCY)} in ${span}`,
    },
  ]
}

/** In percent with one decimal; a dash of none. */
function share(part: number, all: number): string {
  return all === 0 ? "–" : `${Math.round((1000 * part) / all) / 10} %`
}

/** One line for each hour, day or week (RFC 4180). */
export function figuresCsv(trends: Schemas["Trends"], deliveries: Deliveries): string {
  const head = [
    "start",
    "end",
    "visits",
    "occupancy_percentage",
    "deliveries_completed",
    "deliveries_in_time",
    "fee_cents",
    "currency",
  ]
  const lines = trends.points.map((point) => {
    const { completed = 0, kept = 0, fee_cents = 0 } = pointOf(deliveries, point) ?? {}
    const { bucket_start, bucket_end, session_count, occupancy_percentage } = point
    return [
      bucket_start,
      bucket_end,
      session_count,
      occupancy_percentage,
      completed,
      kept,
      fee_cents,
      CURRENCY,
    ]
  })
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("")
}

/** The deliveries of the same hour, day or week. */
export function pointOf(
  { points }: Deliveries,
  { bucket_start: start }: Schemas["TrendPoint"],
): Deliveries["points"][number] | undefined {
  return points.find((point) => point.bucket_start === start)
}
