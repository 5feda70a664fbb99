/** When orders of one demand come: a Poisson process by the hour, a renewal process, or instants of a file. */

import { HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Chance } from "../chance.ts"
import { atTimeOfDay } from "../language/spread.ts"
import { WEEKDAYS } from "../language/model.ts"
import type { FleetDemand, Weekday } from "../language/model.ts"
import type { LocalClock } from "./local-clock.ts"

/** The next instant, milliseconds from the start of the run; null when no more come. */
export type Arrivals = () => number | null

export interface ArrivalProcess {
  readonly demand: FleetDemand
  /** The instants of the file, if the demand is replayed. */
  readonly instants: readonly number[] | undefined
  readonly chance: Chance
  /** Name of the demand's streams. */
  readonly source: string
  readonly clock: LocalClock
  readonly startMs: EpochMs
  readonly horizonMs: number
}

export function arrivalsOf(process: ArrivalProcess): Arrivals {
  const { demand, instants, horizonMs } = process
  const bounded =
    (next: Arrivals): Arrivals =>
    () => {
      for (;;) {
        const atMs = next()
        if (atMs === null || atMs >= horizonMs) return null
        if (comesOn(process, atMs)) return atMs
      }
    }
  if (instants !== undefined) return bounded(replayed(instants, demand.pace))
  return bounded(demand.per_hour === null ? renewal(process) : poisson(process))
}

/** Whether a demand has orders on the weekday of an instant. */
function comesOn({ demand: { on }, clock, startMs }: ArrivalProcess, atMs: number): boolean {
  if (on === null) return true
  // The days are counted from a Thursday.
  const weekday = (clock.dayNumber(startMs + atMs) + WEEKDAYS.indexOf("Thu")) % WEEKDAYS.length
  return on.includes(WEEKDAYS[weekday] as Weekday)
}

function replayed(instants: readonly number[], pace: number): Arrivals {
  const coming = instants.filter((instant) => instant >= 0)
  let at = 0
  return () => {
    const instant = coming[at]
    at += 1
    return instant === undefined ? null : Math.round(instant / pace)
  }
}

function renewal({ demand, chance, source }: ArrivalProcess): Arrivals {
  let nowMs = 0
  const { every, pace } = demand
  return () => {
    if (every === null) return null
    nowMs += chance.duration(every, `${source}/every`) / pace
    return Math.round(nowMs)
  }
}

/**
 * A Poisson process by thinning: candidates come at the highest rate of the day, and each is kept with the ratio of its
 * hour's rate to that rate.
 */
function poisson({ demand, chance, source, clock, startMs, horizonMs }: ArrivalProcess): Arrivals {
  const perHour = demand.per_hour ?? { steps: [] }
  const highest = Math.max(0, ...perHour.steps.map(({ value }) => value))
  let nowMs = 0
  return () => {
    if (highest === 0) return null
    for (;;) {
      nowMs -= (Math.log1p(-chance.fraction(`${source}/candidates`)) * HOUR_MS) / highest
      if (nowMs >= horizonMs) return null
      const rate = atTimeOfDay(perHour, clock.msOfDay(startMs + nowMs))
      if (chance.fraction(`${source}/kept`) * highest < rate) return Math.round(nowMs)
    }
  }
}
