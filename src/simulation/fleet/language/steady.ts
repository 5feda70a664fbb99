/** Whether a model is the same at every hour, so that its figures settle after a warm-up. */

import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { FleetModel } from "./model.ts"
import type { Hourly } from "./spread.ts"

/**
 * True when rates, durations and shifts do not change during the run, there are no changes, nothing is out, and no runner has a break. The beginning of any other day is part of what
 * the model asks about, and not a transient.
 */
export function isSteady(model: FleetModel): boolean {
  const { changes, demand, out, sites, travel, vehicle } = model
  return (
    changes.length === 0 &&
    out.length === 0 &&
    demand.every(
      ({ per_hour: perHour, replay, on }) =>
        replay === null && on === null && (perHour === null || isSame(perHour)),
    ) &&
    isSame(vehicle.speed_kmh) &&
    (travel.is !== "matrix" || travel.times.flat().every(isSame)) &&
    (travel.is !== "streets" || [travel.speeds, ...Object.values(travel.net.speeds)].every(isSame)) &&
    sites.every(
      ({ runners, stores, vehicleShifts }) =>
        stores.every(
          ({ preparation, cookShifts }) =>
            isSame(preparation) && cookShifts.every((shift) => coversRun(shift, model)),
        ) &&
        vehicleShifts.every((shift) => coversRun(shift, model)) &&
        runners.every((shift) => shift.breaks.length === 0 && coversRun(shift, model)),
    )
  )
}

function isSame({ steps }: Hourly<unknown>): boolean {
  return new Set(steps.map(({ value }) => JSON.stringify(value))).size <= 1
}

function coversRun({ from, to }: { readonly from: number; readonly to: number }, model: FleetModel): boolean {
  if (from === 0 && to === DAY_MS) return true
  const { startMs } = new SiteClock(model.clock)
  const wall = wallClockAt(startMs, model.clock.timeZone)
  const begins = wall - midnightOf(wall)
  return from <= begins && begins + model.horizon <= to
}
