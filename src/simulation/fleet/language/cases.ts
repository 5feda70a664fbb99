/** Cases of a sweep: the model with each combination of its swept values. */

import { parseDuration } from "../../scenario/language/shapes.ts"
import { DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import { countNamed, siteWithCounts } from "./counts.ts"
import type { FleetModel, FleetSite, FleetStore, Swept } from "./model.ts"
import { isValuePath } from "./paths/value-paths.ts"
import { breaksIn, rosterNamed, rosterOf } from "./roster.ts"
import { DISPATCH } from "./rules.ts"
import { totalOf } from "./shifts.ts"
import type { Shift } from "./shifts.ts"
import { withValues } from "./paths/swept-values.ts"

/** One combination; empty without a sweep. */
export type FleetCase = readonly (readonly [setting: Swept, value: number | string])[]

/** Every combination, the last setting changing first. */
export function casesOf({ sweep }: FleetModel): readonly FleetCase[] {
  let cases: readonly FleetCase[] = [[]]
  for (const [setting, values] of sweep) {
    cases = cases.flatMap((before) => values.map((value) => [...before, [setting as Swept, value] as const]))
  }
  return cases
}

/** `vehicles 20, runners 3`, `runners 3 at north`; `as written` without a sweep. */
export function caseName(one: FleetCase): string {
  return one.length === 0
    ? "as written"
    : one.map(([setting, value]) => settingText(setting, value)).join(", ")
}

/** The value stands behind the word, before the name of a site. */
export function settingText(setting: string, value: number | string): string {
  const count = countNamed(setting)
  return count === null || count.site === null
    ? `${setting} ${value}`
    : `${count.resource} ${value} at ${count.site}`
}

/** The model of a case: counts are set at every site or at the one that they name, and `demand` multiplies every rate. Values at paths come first. */
export function inCase(model: FleetModel, one: FleetCase): FleetModel {
  let changed = withValues(
    model,
    one.flatMap(([setting, value]) => (isValuePath(setting) ? [[setting, value] as const] : [])),
  )
  for (const [setting, value] of one) changed = set(changed, setting, value)
  return changed
}

function set(model: FleetModel, setting: Swept, value: number | string): FleetModel {
  const staffed = rosterNamed(setting)
  if (staffed !== null) {
    const shifts = rosterOf(String(value)).map(({ count, from, to }): Shift => ({ count, from, to }))
    const rule = model.find?.is === "roster" ? model.find.shifts.breaks : null
    const rostered = (site: FleetSite): Partial<FleetSite> => {
      switch (staffed.resource) {
        case "runners":
          return { runners: shifts.map((shift) => ({ ...shift, breaks: breaksIn(shift, rule) })) }
        case "cooks":
          return {
            stores: site.stores.map((store) => (store.cooks === null ? store : withCooks(store, shifts))),
          }
        default:
          return { vehicles: totalOf(shifts), vehicleShifts: shifts }
      }
    }
    const isIts = ({ as }: FleetSite): boolean => staffed.site === null || as === staffed.site
    return {
      ...model,
      sites: model.sites.map((site) => (isIts(site) ? { ...site, ...rostered(site) } : site)),
    }
  }
  const count = countNamed(setting)
  if (count !== null) {
    const isIt = ({ as }: FleetSite): boolean => count.site === null || as === count.site
    const sites = model.sites.map((site) =>
      isIt(site) ? siteWithCounts(site, count.resource, () => Number(value)) : site,
    )
    return { ...model, sites }
  }
  switch (setting) {
    case "demand":
      return { ...model, demand: model.demand.map((one) => multiplied(one, Number(value))) }
    case "staging_lead":
    case "send_ahead":
      return withPolicy(model, { [setting]: parseDuration(String(value)) ?? 0 })
    case "dispatch":
      return withPolicy(model, {
        dispatch: DISPATCH.find((word) => word === value) ?? model.policy.dispatch,
      })
    case "vehicle_dispatch":
      return withPolicy(model, {
        vehicle_dispatch: DISPATCH_POLICIES.find((word) => word === value) ?? model.policy.vehicle_dispatch,
      })
    case "out":
      return value === "none" ? { ...model, out: [] } : model
    default:
      return model
  }
}

function withCooks(store: FleetStore, cookShifts: readonly Shift[]): FleetStore {
  return { ...store, cooks: totalOf(cookShifts), cookShifts }
}

function withPolicy(model: FleetModel, changes: Partial<FleetModel["policy"]>): FleetModel {
  return { ...model, policy: { ...model.policy, ...changes } }
}

/** Multiplies the rates, and how many orders a table gives; other times of renewal and replayed demand are divided, which keeps their shape. */
export function multiplied(
  demand: FleetModel["demand"][number],
  factor: number,
): FleetModel["demand"][number] {
  const { replay } = demand
  if (replay !== null && typeof replay !== "string")
    return { ...demand, replay: { ...replay, scale: replay.scale * factor } }
  if (demand.per_hour === null) return { ...demand, pace: demand.pace * factor }
  const steps = demand.per_hour.steps.map((step) => ({ ...step, value: step.value * factor }))
  return { ...demand, per_hour: { steps } }
}
