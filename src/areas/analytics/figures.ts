/** Figures: tallies in the form that callers read. Source: direct delivery contract, analytics metrics. */

import type { Tally } from "./tally.ts"

export type ChangeType = "increase" | "decrease"

/** Compared with the preceding span of the same length. */
export type Change = {
  /** Not negative, one decimal. */
  readonly change_percentage: number
  readonly change_type: ChangeType
}

export type Metrics = {
  /** The contract's name for sessions. */
  readonly autolane_sessions: { readonly total: number } & Change
  readonly average_occupancy: { readonly percentage: number } & Change
  readonly average_dwell_time: {
    readonly minutes: number
    readonly seconds: number
    readonly total_seconds: number
  } & Change
}

/** Available stall time: active stalls times milliseconds. */
export interface Capacity {
  readonly stalls: number
  readonly elapsedMs: number
}

/** Both spans have the same length. */
export function metricsOf(now: Tally, before: Tally, capacity: Capacity): Metrics {
  const totalSeconds = Math.round(dwellMs(now) / 1000)
  return {
    autolane_sessions: { total: now.began, ...changeOf(now.began, before.began) },
    average_occupancy: {
      percentage: occupancyOf(now, capacity),
      ...changeOf(occupiedShare(now, capacity), occupiedShare(before, capacity)),
    },
    average_dwell_time: {
      minutes: Math.floor(totalSeconds / 60),
      seconds: totalSeconds % 60,
      total_seconds: totalSeconds,
      ...changeOf(dwellMs(now), dwellMs(before)),
    },
  }
}

/** Occupied share of the stall time in percent, 0 to 100, one decimal. */
export function occupancyOf(tally: Tally, capacity: Capacity): number {
  return oneDecimal(100 * occupiedShare(tally, capacity))
}

/** A change from zero is 100 percent; a change too small to show is an increase of 0. */
export function changeOf(now: number, before: number): Change {
  if (before === 0) return { change_percentage: now === 0 ? 0 : 100, change_type: "increase" }
  const percentage = oneDecimal((100 * Math.abs(now - before)) / before)
  const isLess = now < before && percentage > 0
  return { change_percentage: percentage, change_type: isLess ? "decrease" : "increase" }
}

/** Clamped: two vehicles at one stall, or one at a stall that was closed since, may exceed the available time. */
function occupiedShare({ occupiedMs }: Tally, { stalls, elapsedMs }: Capacity): number {
  const capacityMs = stalls * elapsedMs
  return capacityMs <= 0 ? 0 : Math.min(1, occupiedMs / capacityMs)
}

function dwellMs({ stayMs, began }: Tally): number {
  return began === 0 ? 0 : stayMs / began
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10
}
