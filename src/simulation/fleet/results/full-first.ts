/** Which resource is full first, at which site, and at how much demand. */

import { SiteClock } from "../../scenario/language/site-clock.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import { inCase } from "../language/cases.ts"
import { meanBatch } from "../language/batch.ts"
import { countName } from "../language/counts.ts"
import { RESOURCES } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import { factorAt, factorsOf, timedChanges } from "../language/changes.ts"
import type { FleetModel } from "../language/model.ts"
import { demandNames } from "../language/paths/demand-names.ts"
import { atTimeOfDay } from "../language/spread.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import type { Weekday } from "../language/weekday.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { shownTime } from "./shown-time.ts"
import { meanSeries } from "./summary.ts"
import type { CaseResult } from "./summary.ts"

/** A resource at this utilisation for a quarter of an hour has no slack: waiting begins here. */
export const FULL = 0.95

export interface Use {
  readonly resource: Resource
  /** Null for the only site. */
  readonly site: string | null
  /** Local time of the beginning of the quarter of an hour, such as `13:45`, or `Mon 13:45` in a run of several days. */
  readonly at: string
  /** The utilisation in it, on average over the replications. */
  readonly share: number
  /** Orders an hour of the site at that time over those at the beginning; null when the demand does not say. */
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

/** The hour in which a resource is used most. */
export interface BusyHour extends Pick<Use, "resource" | "share" | "site"> {
  /** Local times. */
  readonly from: string
  readonly to: string
}

/** Of every resource of every site that is used, the busiest first. An hour is four quarters, or all that a shorter run has. */
export function busiestHours(model: FleetModel, one: CaseResult): readonly BusyHour[] {
  const { startMs } = new SiteClock(model.clock)
  const timeAt = (stretch: number): string => shownTime(model, startMs + model.warm_up + stretch * STRETCH_MS)
  return sharesOf(model, one)
    .flatMap(({ resource, site, shares }) => {
      const length = Math.min(QUARTERS_OF_HOUR, shares.length)
      const means = Array.from({ length: length === 0 ? 0 : shares.length - length + 1 }, (_, from) =>
        meanOf(shares.slice(from, from + length)),
      )
      const share = Math.max(0, ...means)
      if (share === 0) return []
      const at = means.indexOf(share)
      return [{ resource, site, share, from: timeAt(at), to: timeAt(at + length) }]
    })
    .toSorted((a, b) => b.share - a.share)
}

const QUARTERS_OF_HOUR = 4

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export interface Peak {
  /** The quarter of an hour in which the resource is used most. */
  readonly most: Use
  /** The first one in which it is full; null when there is none. */
  readonly full: Use | null
}

/** `runners`, or `runners at north` in a model of several sites. */
export function useName({ resource, site }: Pick<Use, "resource" | "site">): string {
  return countName(resource, site)
}

/** `stalls at 14:15`, `stalls at north, at 14:15`. */
export function thenPhrase(use: Use): string {
  return `${useName(use)}${use.site === null ? "" : ","} at ${use.at}`
}

/** Every resource of every site that is used: the full ones in the order in which they fill, then the others by their use. */
export function peaksOf(model: FleetModel, one: CaseResult): readonly Peak[] {
  const full = fullFirst(model, one)
  const isSame = (use: Use, other: Use): boolean => useName(use) === useName(other)
  const orderOf = (use: Use): number => {
    const at = full.findIndex((other) => isSame(use, other))
    return at === -1 ? full.length : at
  }
  return usesOf(model, one, (shares) => shares.indexOf(Math.max(...shares)))
    .map(({ use }) => use)
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => orderOf(a) - orderOf(b) || b.share - a.share)
    .map((most) => ({ most, full: full.find((use) => isSame(use, most)) ?? null }))
}

function usesOf(
  written: FleetModel,
  one: CaseResult,
  choose: (shares: readonly number[]) => number,
): readonly { readonly stretch: number; readonly use: Use }[] {
  const model = inCase(written, one.settings)
  const { startMs } = new SiteClock(model.clock)
  return sharesOf(model, one).flatMap(({ resource, site, shares }) => {
    const stretch = shares.length === 0 ? -1 : choose(shares)
    const share = shares[stretch]
    if (share === undefined) return []
    const atMs = startMs + model.warm_up + stretch * STRETCH_MS
    const at = shownTime(model, atMs)
    return [{ stretch, use: { resource, site, at, share, timesDemand: timesDemand(model, site, atMs) } }]
  })
}

interface Shares extends Pick<Use, "resource" | "site"> {
  /** On average over the replications, by quarter of an hour. */
  readonly shares: readonly number[]
}

/** Of each site by itself, because a site may be full while the others are idle. */
function sharesOf(model: FleetModel, { replications }: CaseResult): readonly Shares[] {
  if (model.sites.length === 1) {
    const series = meanSeries(replications)
    return RESOURCES.map((resource) => ({
      resource,
      site: null,
      shares: series.get(`${resource}.utilisation`) ?? [],
    }))
  }
  return model.sites.flatMap(({ as }, at) =>
    RESOURCES.map((resource) => {
      const all = replications.map(({ parts }) => parts?.use[at]?.[resource] ?? [])
      const length = all[0]?.length ?? 0
      const shares = Array.from(
        { length },
        (_, stretch) => all.reduce((sum, one) => sum + (one[stretch] ?? 0), 0) / all.length,
      )
      return { resource, site: as, shares }
    }),
  )
}

function timesDemand(model: FleetModel, site: string | null, atMs: number): number | null {
  const { startMs } = new SiteClock(model.clock)
  const at = ratePerHour(model, site, atMs)
  const start = ratePerHour(model, site, startMs)
  return at === null || start === null || start === 0 ? null : at / start
}

/** Orders an hour of all demands of the site; null when one of them does not come by rates. */
function ratePerHour(
  { demand, clock, changes }: FleetModel,
  site: string | null,
  atMs: number,
): number | null {
  const wall = wallClockAt(atMs, clock.timeZone)
  const msOfDay = (wall - midnightOf(wall)) % DAY_MS
  const weekday = WEEKDAYS[weekdayAt(wall)] as Weekday
  const { startMs } = new SiteClock(clock)
  const timed = timedChanges(changes, { startMs, timeZone: clock.timeZone })
  const factors = demandNames(demand).map((name) => factorAt(factorsOf(name, timed, startMs), atMs - startMs))
  return demand
    .map((one, at) => ({ ...one, factor: factors[at] ?? 1 }))
    .filter((one) => (site === null || one.site === site) && (one.on === null || one.on.includes(weekday)))
    .reduce<number | null>(
      (sum, { per_hour: perHour, batch, factor }) =>
        sum === null || perHour === null
          ? null
          : sum + atTimeOfDay(perHour, msOfDay) * meanBatch(batch) * factor,
      0,
    )
}
