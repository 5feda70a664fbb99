/** Which resource is full first, and at how much demand. */

import { SiteClock } from "../../simulation/scenario/site-clock.ts"
import { DAY_MS } from "../../model/time.ts"
import { midnightOf, wallClockAt } from "../../model/local-time.ts"
import { RESOURCES } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import { WEEKDAYS } from "../language/model.ts"
import type { FleetModel, Weekday } from "../language/model.ts"
import { atTimeOfDay } from "../language/spread.ts"
import { weekdayAt } from "../language/weekday.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { shownTime } from "./shown-time.ts"
import { meanSeries } from "./summary.ts"
import type { CaseResult } from "./summary.ts"

/** A resource at this utilisation for a quarter of an hour has no slack: waiting begins here. */
export const FULL = 0.95

export interface Use {
  readonly resource: Resource
  /** Local time of the beginning of the quarter of an hour, such as `13:45`, or `Mon 13:45` in a run of several days. */
  readonly at: string
  /** The utilisation in it, on average over the replications. */
  readonly share: number
  /** Orders an hour at that time over those at the beginning; null when the demand does not say. */
  readonly timesDemand: number | null
}

/** The resources that are full at some time, first one first. */
export function fullFirst(model: FleetModel, one: CaseResult): readonly Use[] {
  return usesOf(model, one, (shares) => shares.findIndex((share) => share >= FULL))
    .toSorted((a, b) => a.stretch - b.stretch)
    .map(({ use }) => use)
}

/** The resource with the highest use in a quarter of an hour; null when no resource is used. */
export function mostUsed(model: FleetModel, one: CaseResult): Use | null {
  const [found] = usesOf(model, one, (shares) => shares.indexOf(Math.max(...shares))).toSorted(
    (a, b) => b.use.share - a.use.share,
  )
  return found === undefined || found.use.share === 0 ? null : found.use
}

export interface Peak {
  /** The quarter of an hour in which the resource is used most. */
  readonly most: Use
  /** The first one in which it is full; null when there is none. */
  readonly full: Use | null
}

/** Every resource that is used: the full ones in the order in which they fill, then the others by their use. */
export function peaksOf(model: FleetModel, one: CaseResult): readonly Peak[] {
  const full = fullFirst(model, one)
  const orderOf = ({ resource }: Use): number => {
    const at = full.findIndex((use) => use.resource === resource)
    return at === -1 ? full.length : at
  }
  return usesOf(model, one, (shares) => shares.indexOf(Math.max(...shares)))
    .map(({ use }) => use)
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => orderOf(a) - orderOf(b) || b.share - a.share)
    .map((most) => ({ most, full: full.find(({ resource }) => resource === most.resource) ?? null }))
}

function usesOf(
  model: FleetModel,
  { replications }: CaseResult,
  choose: (shares: readonly number[]) => number,
): readonly { readonly stretch: number; readonly use: Use }[] {
  const series = meanSeries(replications)
  const { startMs } = new SiteClock(model.clock)
  return RESOURCES.flatMap((resource) => {
    const shares = series.get(`${resource}.utilisation`) ?? []
    const stretch = shares.length === 0 ? -1 : choose(shares)
    const share = shares[stretch]
    if (share === undefined) return []
    const atMs = startMs + model.warm_up + stretch * STRETCH_MS
    const at = shownTime(model, atMs)
    return [{ stretch, use: { resource, at, share, timesDemand: timesDemand(model, atMs) } }]
  })
}

function timesDemand(model: FleetModel, atMs: number): number | null {
  const { startMs } = new SiteClock(model.clock)
  const at = ratePerHour(model, atMs)
  const start = ratePerHour(model, startMs)
  return at === null || start === null || start === 0 ? null : at / start
}

/** Orders an hour of all demands; null when one of them does not come by rates. */
function ratePerHour({ demand, clock }: FleetModel, atMs: number): number | null {
  const wall = wallClockAt(atMs, clock.timeZone)
  const msOfDay = (wall - midnightOf(wall)) % DAY_MS
  const weekday = WEEKDAYS[weekdayAt(wall)] as Weekday
  return demand
    .filter(({ on }) => on === null || on.includes(weekday))
    .reduce<number | null>(
      (sum, { per_hour: perHour }) =>
        sum === null || perHour === null ? null : sum + atTimeOfDay(perHour, msOfDay),
      0,
    )
}
