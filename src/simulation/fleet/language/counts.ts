/**
 * Counts of people and things by their names: `runners` is the count at every site at once, `runners at north` that at one
 * site, and `runners at each site` one for each site by itself.
 */

import { RESOURCES, figureNamed } from "./metrics.ts"
import type { Resource } from "./metrics.ts"
import { totalOf } from "./shifts.ts"
import type { Shift } from "./shifts.ts"
import { isTimePart } from "./time-parts.ts"

/** `runners`, `runners at north`. */
export type CountName = Resource | `${Resource} at ${string}`

export interface Count {
  readonly resource: Resource
  /** Null for every site at once. */
  readonly site: string | null
}

/** What a site of a model has of people and things. */
export interface CountedSite {
  readonly as: string
  readonly stalls: number
  readonly vehicles: number
  readonly vehicleShifts: readonly Shift[]
  readonly runners: readonly { readonly count: number }[]
  readonly stores: readonly { readonly cooks: number | null; readonly cookShifts: readonly Shift[] }[]
}

/** Stands where the name of a site would, in a search that looks at each site by itself. */
export const EACH_SITE = "each site"

/** Texts that name a count at a site, as a pattern. */
export const COUNT_AT_SITE = `^(${RESOURCES.join("|")}) at \\S`

/** Null for a text that names no count. */
export function countNamed(text: string): Count | null {
  const { base, part } = figureNamed(text)
  const resource = RESOURCES.find((one) => one === base)
  if (resource === undefined || (part !== null && part.kind !== "site")) return null
  return { resource, site: part?.name ?? null }
}

const COUNT_PATH = new RegExp(String.raw`^sites\..+\.(${RESOURCES.join("|")})(\.[^.]+\.count)?$`)

/** Whether a path leads to a count of a site, or of one of its shifts: `sites.north.runners`, `sites.north.runners.1.count`. */
export function isCountPath(path: string): boolean {
  return COUNT_PATH.test(path)
}

/** The names before the same site or demand: of `runner at north`, `runners at north` and others. */
export function namesLike(
  text: string,
  known: { readonly at: readonly string[]; readonly of: readonly string[] },
): readonly string[] {
  const { base, part } = figureNamed(text)
  if (part === null || isTimePart(part)) return []
  const word = part.kind === "site" ? "at" : "of"
  return known[word].filter((one) => one !== base).map((one) => `${one} ${word} ${part.name}`)
}

export function countName(resource: Resource, site: string | null): CountName {
  return site === null ? resource : `${resource} at ${site}`
}

/** The site with each of its counts of a resource changed, in every shift and kitchen; null is a kitchen without a limit of cooks. */
export function siteWithCounts<S extends CountedSite>(
  site: S,
  resource: Resource,
  change: (count: number | null) => number | null,
): S {
  switch (resource) {
    case "vehicles": {
      const { total, shifts } = staffedWith({ total: site.vehicles, shifts: site.vehicleShifts }, change)
      return { ...site, vehicles: total ?? 0, vehicleShifts: shifts }
    }
    case "stalls":
      return { ...site, stalls: change(site.stalls) ?? 0 }
    case "runners":
      return {
        ...site,
        runners: site.runners.map((shift) => ({ ...shift, count: change(shift.count) ?? 0 })),
      }
    case "cooks":
      return {
        ...site,
        stores: site.stores.map((store) => {
          const { total, shifts } = staffedWith({ total: store.cooks, shifts: store.cookShifts }, change)
          return { ...store, cooks: total, cookShifts: shifts }
        }),
      }
  }
}

interface Staffed {
  readonly total: number | null
  readonly shifts: readonly Shift[]
}

function staffedWith({ total, shifts }: Staffed, change: (count: number | null) => number | null): Staffed {
  if (shifts.length === 0) return { total: change(total), shifts }
  const changed = shifts.map((shift) => ({ ...shift, count: change(shift.count) ?? 0 }))
  return { total: totalOf(changed), shifts: changed }
}

/** Each count of a resource at a site: one for each shift, and for each kitchen with a limit of cooks. */
export function countsAt(site: CountedSite, resource: Resource): readonly number[] {
  switch (resource) {
    case "runners":
      return site.runners.map(({ count }) => count)
    case "cooks":
      return site.stores.flatMap(({ cooks, cookShifts }) =>
        cooks === null ? [] : cookShifts.length === 0 ? [cooks] : cookShifts.map(({ count }) => count),
      )
    case "stalls":
      return [site.stalls]
    case "vehicles":
      return site.vehicleShifts.length === 0 ? [site.vehicles] : site.vehicleShifts.map(({ count }) => count)
  }
}

/** The sites that a count is about. */
export function sitesOf<S extends CountedSite>(
  { sites }: { readonly sites: readonly S[] },
  { site }: Count,
): readonly S[] {
  return site === null ? sites : sites.filter(({ as }) => as === site)
}
