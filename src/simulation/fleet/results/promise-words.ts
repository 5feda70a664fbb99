/** Promises in words: `95 of 100 reservations wait less than 8m`. */

import { PERCENTILES, figureNamed, metricOf, showFigure } from "../language/metrics.ts"
import type { Measure } from "../language/metrics.ts"
import type { FleetPromise } from "../language/promises.ts"
import { promiseText } from "./summary.ts"

/** What is measured and its verb, in the plural. */
const WORDS: Readonly<Record<Measure, readonly [who: string, what: string]>> = {
  wait: ["orders", "wait"],
  "reservations.wait": ["reservations", "wait"],
  "reservations.stay": ["bots", "stay at their stall"],
  "deliveries.wait": ["deliveries", "wait"],
  "deliveries.stay": ["vehicles of deliveries", "stay at the store"],
  "deliveries.total": ["deliveries", "take"],
  "errands.wait": ["courier orders", "wait"],
  "errands.stay": ["vehicles of courier orders", "stay at the store"],
  "errands.booking": ["courier orders", "take to be booked"],
  "errands.total": ["courier orders", "take"],
  "runners.wait": ["tasks", "wait for a runner"],
  "stalls.wait": ["bots and vehicles", "wait for a stall"],
  "cooks.wait": ["orders", "wait for a cook"],
  "vehicles.wait": ["orders", "wait for a vehicle"],
}

const BELOW = { "<": "less than", "<=": "at most" } as const

/** The name of the metric for a promise that has no shorter sentence. */
export function promiseWords(promise: FleetPromise): string {
  const { metric, sign, limit } = promise
  const from = metricOf(metric)?.from
  const { part } = figureNamed(metric)
  if (from?.is !== "durations" || (sign !== "<" && sign !== "<=")) return promiseText(promise)
  const [all, what] = WORDS[from.measure]
  const who = part === null ? all : `${all} ${part.kind === "site" ? "at" : "of"} ${part.name}`
  const bound = `${what} ${BELOW[sign]} ${showFigure(limit, "ms")}`
  if (from.statistic === "mean") return `${who} ${bound} on average`
  return `${Math.round(PERCENTILES[from.statistic] * 100)} of 100 ${who} ${bound}`
}
