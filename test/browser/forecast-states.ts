/** Forecasts of a site as the service tells them, for pages that show each state. */

import { MINUTE_MS } from "../../src/model/values/time.ts"
import type { ForecastFigures, ForecastRecord } from "../../src/pages/web/ops/board/records.ts"

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
    deliveries: null,
    errands: null,
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

type Doors = Pick<
  ForecastFigures,
  "deliveries" | "errands" | "history_runs" | "open_deliveries" | "open_errands" | "promises" | "vehicles"
>

/** Deliveries and errands of the same hours; with one more vehicle most of them are on time. */
function doorsOf(nowMs: number, isBusy: boolean): Doors {
  const at = (minutes: number): string => iso(nowMs - 40_000 + minutes * MINUTE_MS)
  const door = (all: number, [late, lateWithMore]: readonly [number, number], from: number) => ({
    all,
    late,
    late_with_one_more_vehicle: lateWithMore,
    with_policy: null,
    late_from: late < 0.5 ? null : at(from),
    late_until: late < 0.5 ? null : at(from + 30),
  })
  const promise = (metric: string, breaks: number, first: number | null) => ({
    metric,
    bound: "< 1",
    breaks: share(breaks),
    breaks_with_one_more: share(breaks),
    breaks_with_one_more_vehicle: share(breaks / 3),
    at: first === null ? null : at(first),
    value: breaks < 0.5 ? 0 : 2,
  })
  return {
    vehicles: 4,
    open_deliveries: 5,
    open_errands: 1,
    history_runs: 812,
    deliveries: door(24.3, isBusy ? [3.2, 0.8] : [0.1, 0.1], 60),
    errands: door(6.1, isBusy ? [0.9, 0.8] : [0, 0], 75),
    promises: [
      promise("deliveries.late", isBusy ? 0.74 : 0.06, isBusy ? 60 : null),
      promise("errands.late", isBusy ? 0.52 : 0.02, isBusy ? 75 : null),
    ],
  }
}

/** No vehicle carries anything, and no reservation begins. */
const QUIET: Pick<ForecastFigures, "pickups" | "pickups_with_one_more" | "waits"> = {
  pickups: { all: 0, late: 0 },
  pickups_with_one_more: { all: 0, late: 0 },
  waits: [],
}

/** Hours with deliveries, beside pickups or without any. */
function deliveringAt(nowMs: number, isBusy: boolean, hasPickups: boolean): ForecastFigures {
  const doors = doorsOf(nowMs, isBusy)
  const pickups = {
    ...figuresOf(nowMs, isBusy),
    not_known: ["Places are not read: where vehicles are and where customers live is drawn from the model."],
  }
  if (hasPickups) return { ...pickups, ...doors, promises: [...pickups.promises, ...doors.promises] }
  const none = { open_reservations: 0, history_reservations: 0, runners: 0, runners_from: "history" } as const
  return { ...pickups, ...QUIET, ...none, ...doors, left_out: [], late_from: null, late_until: null }
}

/** The same hours by another policy of dispatch. */
function comparedAt(nowMs: number): ForecastFigures {
  const figures = deliveringAt(nowMs, true, true)
  const { deliveries, errands } = figures
  return {
    ...figures,
    deliveries: deliveries === null ? null : { ...deliveries, with_policy: { all: 24.3, late: 1.1 } },
    errands: errands === null ? null : { ...errands, with_policy: { all: 6.1, late: 0.4 } },
  }
}

type ForecastState =
  | "both"
  | "busy"
  | "calm"
  | "calmBoth"
  | "compared"
  | "deliveries"
  | "failed"
  | "making"
  | "nothing"
  | "old"
  | "young"

/** By the name of a state. */
export function forecastsAt(nowMs: number): Readonly<Record<ForecastState, ForecastRecord>> {
  const usual = { ...NONE, ask_again_at: iso(nowMs + 5 * MINUTE_MS) }
  const nothing = deliveringAt(nowMs, false, true)
  const noDelivery = {
    all: 0.2,
    late: 0,
    late_with_one_more_vehicle: 0,
    with_policy: null,
    late_from: null,
    late_until: null,
  }
  return {
    both: { ...usual, state: "ready", figures: deliveringAt(nowMs, true, true) },
    busy: { ...usual, state: "ready", figures: figuresOf(nowMs, true) },
    calm: { ...usual, state: "ready", figures: figuresOf(nowMs, false) },
    calmBoth: { ...usual, state: "ready", figures: deliveringAt(nowMs, false, true) },
    compared: { ...usual, state: "ready", figures: comparedAt(nowMs) },
    deliveries: { ...usual, state: "ready", figures: deliveringAt(nowMs, true, false) },
    nothing: {
      ...usual,
      state: "ready",
      figures: { ...nothing, ...QUIET, deliveries: noDelivery, errands: null },
    },
    old: { ...usual, state: "ready", figures: deliveringAt(nowMs - 7 * MINUTE_MS, true, true) },
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
