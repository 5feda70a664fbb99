/** Forecasts of a site as the service tells them, for pages that show each state. */

import { MINUTE_MS } from "../../src/model/time.ts"
import type { ForecastFigures, ForecastRecord } from "../../src/web/ops/board/records.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

const NONE = {
  site_id: "site",
  ahead: "2h",
  reason: null,
  is_being_made: false,
  history: null,
  figures: null,
} as const

const share = (value: number): { value: number; low: number; high: number } => ({
  value,
  low: Math.max(0, value - 0.08),
  high: Math.min(1, value + 0.08),
})

function figuresOf(nowMs: number, isBusy: boolean): ForecastFigures {
  const madeMs = nowMs - 40_000
  const at = (minutes: number): string => iso(madeMs + minutes * MINUTE_MS)
  return {
    made_at: at(0),
    until: at(120),
    runs: 100,
    open_reservations: 9,
    open_deliveries: 0,
    open_errands: 0,
    vehicles: 0,
    runners: 3,
    runners_from: "phones",
    late_after_ms: 8 * MINUTE_MS,
    pickups: { all: 41.2, late: isBusy ? 3.1 : 0.2 },
    pickups_with_one_more: { all: 41.2, late: isBusy ? 0.9 : 0.1 },
    late_from: isBusy ? at(40) : null,
    late_until: isBusy ? at(70) : null,
    promises: [
      {
        metric: "reservations.wait_max",
        bound: "< 8m",
        breaks: share(isBusy ? 0.8 : 0.12),
        breaks_with_one_more: share(isBusy ? 0.3 : 0.08),
        breaks_with_one_more_vehicle: null,
        at: isBusy ? at(39) : null,
        value: (isBusy ? 9.4 : 5.2) * MINUTE_MS,
      },
      {
        metric: "reservations.late",
        bound: "< 1",
        breaks: share(0.1),
        breaks_with_one_more: share(0.05),
        breaks_with_one_more_vehicle: null,
        at: null,
        value: 0,
      },
    ],
    waits: [3.2, 3.4, 4.1, 5.2, 6.4, 7.0, 6.1, 5.0].map((minutes, quarter) => ({
      at: at(15 * quarter),
      wait_ms: minutes * (isBusy ? 1 : 0.6) * MINUTE_MS,
      wait_p95_ms: minutes * (isBusy ? 1.5 : 0.8) * MINUTE_MS,
      wait_p95_ms_with_one_more: minutes * (isBusy ? 1.1 : 0.75) * MINUTE_MS,
    })),
    history_from: iso(madeMs - 28 * 24 * 60 * MINUTE_MS),
    history_reservations: 1114,
    history_runs: 0,
    left_out: [{ what: "reservation in a zone that the model does not have", count: 2 }],
    not_known: [
      "Runners are those who had a task; idle ones and shifts are not in a journal.",
      "Deliveries, vehicles and errands are not part of the forecast.",
    ],
  }
}

/** By the name of a state. */
export function forecastsAt(
  nowMs: number,
): Readonly<Record<"busy" | "calm" | "failed" | "making" | "young", ForecastRecord>> {
  const usual = { ...NONE, ask_again_at: iso(nowMs + 5 * MINUTE_MS) }
  return {
    busy: { ...usual, state: "ready", figures: figuresOf(nowMs, true) },
    calm: { ...usual, state: "ready", figures: figuresOf(nowMs, false) },
    failed: { ...usual, state: "unavailable", reason: "took_too_long" },
    making: { ...usual, state: "being_made", is_being_made: true },
    young: {
      ...usual,
      state: "too_little_history",
      history: {
        reservations: 4,
        reservations_wanted: 20,
        from: iso(nowMs - 60 * MINUTE_MS),
        hours_wanted: 24,
      },
    },
  }
}
