/** The model of a forecast with one more runner or one more vehicle from now on, at the site where that is asked for. */

import { DAY_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { FleetModel, FleetSite } from "../language/model.ts"
import { siteOfFigure } from "../language/part-limits.ts"
import { ordersPerHourOf } from "./order-demand.ts"

export type More = "runner" | "vehicle"

export interface Variant {
  readonly more: More
  readonly siteNumber: number
  readonly model: FleetModel
}

/** For the whole model one of each, and one at each site that a promise is about; none where the model has no runners or no vehicles. */
export function variantsOf(model: FleetModel, atMs: EpochMs): readonly Variant[] {
  return (["runner", "vehicle"] as const).flatMap((more) => {
    const figures = [null, ...model.promises.map(({ metric }) => metric)]
    const numbers = figures.flatMap((figure) => siteOfMore(model, { more, figure, atMs }) ?? [])
    return [...new Set(numbers)].map((siteNumber) => ({
      more,
      siteNumber,
      model: withOne(model, more, siteNumber),
    }))
  })
}

/**
 * Where one more would be: at the site of the figure, or for a figure of the whole model where most orders an hour are asked
 * for by each runner or vehicle. Null when no site has any.
 */
export function siteOfMore(
  model: FleetModel,
  { more, figure, atMs }: { readonly more: More; readonly figure: string | null; readonly atMs: EpochMs },
): number | null {
  const own = figure === null ? null : siteOfFigure(figure, model)
  const known = model.sites.findIndex((site) => site.as === own && countOf(site, more) > 0)
  if (known !== -1) return known
  const loads = model.sites.map((site) => {
    const count = countOf(site, more)
    return count === 0 ? -1 : ordersPerHour(model, { site: site.as, more, atMs }) / count
  })
  const most = Math.max(-1, ...loads)
  return most === -1 ? null : loads.indexOf(most)
}

function countOf({ runners, vehicles }: FleetSite, more: More): number {
  return more === "vehicle" ? vehicles : runners.reduce((sum, { count }) => sum + count, 0)
}

/** At the present hour. */
function ordersPerHour(
  model: FleetModel,
  { site, more, atMs }: { readonly site: string; readonly more: More; readonly atMs: EpochMs },
): number {
  return model.demand
    .filter((one) => one.site === site && (one.product === "reservation") === (more === "runner"))
    .reduce((sum, one) => sum + ordersPerHourOf(model, one, atMs), 0)
}

/** A runner for the whole time, or a vehicle that stands at the site. */
export function withOne(model: FleetModel, more: More, siteNumber: number): FleetModel {
  const shift = { count: 1, from: 0, to: DAY_MS, breaks: [] }
  const sites = model.sites.map((site, at) => {
    if (at !== siteNumber) return site
    return more === "runner"
      ? { ...site, runners: [...site.runners, shift] }
      : { ...site, vehicles: site.vehicles + 1 }
  })
  return { ...model, sites }
}
