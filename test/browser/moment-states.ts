/** Answers to "When was it lost?" as the service gives them, for pages that show each state. */

import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import type { MomentAnswer, MomentRecord } from "../../src/pages/web/ops/board/records.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

const odds = (value: number) => ({
  value,
  low: Math.max(0, value - 0.09),
  high: Math.min(1, value + 0.09),
  futures: 96,
})

const CURVE: readonly (readonly [minutes: number, what: string, value: number])[] = [
  [0, "its reservation was booked", 0.05],
  [21, "its task was given to a runner", 0.08],
  [26, "its runner reached the store", 0.11],
  [27.5, "its order was not ready when the runner came", 0.38],
  [31, "its robot arrived", 0.44],
  [35.4, "the task was given to a runner (…OBrs)", 0.93],
  [38, "its order was ready", 0.97],
]

function answerAt(nowMs: number): MomentAnswer {
  const bookedMs = nowMs - 50 * MINUTE_MS
  const curve = CURVE.map(([minutes, what, value], at) => ({
    entry: 1200 + at * 7,
    at: iso(bookedMs + minutes * MINUTE_MS),
    group: "reservation/res_1187",
    machine: "runner-task",
    what,
    odds: odds(value),
  }))
  const factMs = bookedMs + 39 * MINUTE_MS
  return {
    asked: {
      kind: "reservation",
      id: "res_1187",
      limit_ms: 8 * MINUTE_MS,
      due_at: null,
      metric: null,
      bound: null,
    },
    is: "bad",
    at: iso(factMs),
    time_zone: "America/Chicago",
    outcome: "The order of reservation …1187 was late: at 12:39:00 its robot had waited for 8m.",
    headline: "From 12:35:24 the promise could no longer be kept: the task was given to a runner (…OBrs).",
    best: "Best: the next free runner takes this order, by 12:35:02: 12 % (6 to 21 %) instead of 44 %.",
    figures: {
      how: "late",
      curve,
      step: {
        from_entry: 1228,
        entry: 1235,
        points: 0.49,
        is_one: true,
        is_the_moment: true,
        cause: "the task was given to a runner (…OBrs)",
        waited_ms: null,
      },
      waiting: { machine: "runner-task", state: "at_store", since: iso(factMs - 11 * MINUTE_MS) },
      decisions: [],
      futures: 1844,
      seed: 1,
      turns: 214_000,
      is_cut: false,
      drawn_from: "1114 reservations and 812 deliveries of the site before it",
      calibration: null,
      left_out: [],
      not_known: ["Where vehicles and customers are is not in a journal, so it is drawn."],
    },
  }
}

export function momentsAt(nowMs: number) {
  const base = {
    id: "res_1187",
    reason: null,
    progress: null,
    ask_again_at: iso(nowMs + 2 * SECOND_MS),
    history: null,
    answer: null,
  } as const
  return {
    reading: { ...base, state: "being_made", progress: { step: "reading", futures: 0 } },
    making: { ...base, state: "being_made", progress: { step: "simulating", futures: 325 } },
    ready: { ...base, state: "ready", answer: answerAt(nowMs) },
    young: {
      ...base,
      state: "too_little_history",
      history: { reservations: 4, reservations_wanted: 20, from: iso(nowMs), hours_wanted: 24 },
    },
    good: {
      ...base,
      state: "not_lost",
      answer: {
        ...answerAt(nowMs),
        is: "good",
        outcome: "Reservation …1187 ended well, at 12:31:07: nothing was late.",
        headline: null,
        best: null,
        figures: null,
      },
    },
    busy: { ...base, state: "unavailable", reason: "busy" },
    failed: { ...base, state: "unavailable", reason: "too_much" },
  } as const satisfies Readonly<Record<string, MomentRecord>>
}
