/** The inputs of a model that a study of sensitivity changes one at a time, and the model with one of them changed. */

import type { FleetDemand, FleetModel, FleetSite } from "./model.ts"
import { multiplied } from "./cases.ts"
import { sitesUsing } from "./checks/check-counts.ts"
import { countName, countsAt, siteWithCounts } from "./counts.ts"
import type { Product, Resource } from "./metrics.ts"
import { scaled } from "./spread.ts"
import type { Hourly, Spread } from "./spread.ts"

/** One input, changed by a share in one direction. */
export interface Change {
  readonly model: FleetModel
  /** `5 to 4`, `20 % less`. */
  readonly says: string
}

export interface Input {
  readonly name: string
  /** Null when the input does not change, such as one runner that cannot be less. */
  readonly changed: (by: number) => Change | null
}

/** Every input that orders of the model depend on and that is not 0. */
export function inputsOf(model: FleetModel): readonly Input[] {
  const has = (...products: readonly Product[]): boolean =>
    model.demand.some(({ product }) => products.includes(product))
  const isDriven = has("delivery", "courier")
  return [
    demandInput(model),
    ...(has("reservation") ? countInputs(model, "runners") : []),
    ...(model.sites.some(({ stalls }) => stalls > 0) ? countInputs(model, "stalls") : []),
    ...(model.sites.some(({ stores }) => stores.some(({ cooks }) => cooks !== null))
      ? countInputs(model, "cooks")
      : []),
    ...(isDriven ? countInputs(model, "vehicles") : []),
    preparationInput(model),
    ...(has("reservation") ? partInputs(model, "runner", ["walk", "pick_up", "load"]) : []),
    ...(has("reservation")
      ? partInputs(model, "bot", ["punctuality", "settle", "leave", "no_show", "abort"])
      : []),
    ...(isDriven ? [travelInput(model), ...partInputs(model, "vehicle", ["load", "drop_off"])] : []),
    ...demandInputs(model),
    ...partInputs(model, "faults", ["open_link_fails", "payload_too_heavy"]),
  ].filter(({ changed }) => changed(0.5) !== null || changed(-0.5) !== null)
}

function demandInput(model: FleetModel): Input {
  return {
    name: "demand",
    changed: (by) => ({
      model: { ...model, demand: model.demand.map((one) => multiplied(one, 1 + by)) },
      says: percent(by),
    }),
  }
}

/** With more sites a study would take too long, and so their counts change together. */
const SITES_APART_MAX = 6

/** The count of each site for itself, because a planner adds at one; of a model with many sites that of all together. */
function countInputs(model: FleetModel, resource: Resource): readonly Input[] {
  const using = sitesUsing(resource, model)
  if (model.sites.length === 1 || using.length > SITES_APART_MAX) return [countInput(model, resource, null)]
  return using.map((site) => countInput(model, resource, site))
}

/** Counts are whole: they change by one at least, and stay above 0. Those that are 0 stay so. */
function countInput(model: FleetModel, resource: Resource, at: string | null): Input {
  const changedCount = (count: number, by: number): number =>
    count === 0 ? 0 : Math.max(1, count + Math.sign(by) * Math.max(1, Math.round(count * Math.abs(by))))
  const isIt = ({ as }: FleetSite): boolean => at === null || as === at
  const total = (sites: readonly FleetSite[]): number =>
    sites
      .filter(isIt)
      .flatMap((site) => countsAt(site, resource))
      .reduce((sum, count) => sum + count, 0)
  return {
    name: countName(resource, at),
    changed: (by) => {
      const sites = model.sites.map((site) =>
        isIt(site)
          ? siteWithCounts(site, resource, (count) => (count === null ? null : changedCount(count, by)))
          : site,
      )
      const [before, after] = [total(model.sites), total(sites)]
      return before === after ? null : { model: { ...model, sites }, says: `${before} to ${after}` }
    },
  }
}

function preparationInput(model: FleetModel): Input {
  return {
    name: "preparation",
    changed: (by) => {
      const isSome = model.sites.some(({ stores }) =>
        stores.some(({ preparation }) => !preparation.steps.every(({ value }) => isZero(value))),
      )
      const sites = model.sites.map((site) => ({
        ...site,
        stores: site.stores.map((store) => ({ ...store, preparation: eachHour(store.preparation, by) })),
      }))
      return isSome ? { model: { ...model, sites }, says: percent(by) } : null
    },
  }
}

function eachHour({ steps }: Hourly<Spread>, by: number): Hourly<Spread> {
  return { steps: steps.map((step) => ({ ...step, value: scaled(step.value, 1 + by) })) }
}

/** What moves travel times: the times of a matrix, or the speed. */
function travelInput(model: FleetModel): Input {
  const { travel } = model
  if (travel.is !== "matrix") return speedInput(model)
  const scaledTime = ({ steps }: Hourly<number>, by: number): Hourly<number> => ({
    steps: steps.map((step) => ({ ...step, value: step.value * (1 + by) })),
  })
  return {
    name: "travel.matrix",
    changed: (by) => {
      const changedTimes = travel.times.map((row) => row.map((time) => scaledTime(time, by)))
      return { model: { ...model, travel: { ...travel, times: changedTimes } }, says: percent(by) }
    },
  }
}

function speedInput(model: FleetModel): Input {
  return {
    name: "vehicle.speed_kmh",
    changed: (by) => {
      const steps = model.vehicle.speed_kmh.steps.map((step) => ({ ...step, value: step.value * (1 + by) }))
      return { model: { ...model, vehicle: { ...model.vehicle, speed_kmh: { steps } } }, says: percent(by) }
    },
  }
}

type Part = "bot" | "faults" | "runner" | "vehicle"

/** Durations and shares of one part of the model. */
function partInputs<P extends Part>(
  model: FleetModel,
  part: P,
  keys: readonly (keyof FleetModel[P] & string)[],
): readonly Input[] {
  return keys.map((key) => ({
    name: `${part}.${key}`,
    changed: (by) => {
      const value = times(model[part][key], by)
      return value === null
        ? null
        : { model: { ...model, [part]: { ...model[part], [key]: value } }, says: percent(by) }
    },
  }))
}

/** Durations and shares of every demand together. */
function demandInputs(model: FleetModel): readonly Input[] {
  const keys = ["ahead", "ready_in", "cancel"] as const
  const uses = { ahead: ["reservation"], ready_in: ["delivery", "courier"], cancel: null } as const
  return keys.map((key) => ({
    name: `demand.${key}`,
    changed: (by) => {
      const isOf = ({ product }: FleetDemand): boolean =>
        (uses[key] as readonly string[] | null)?.includes(product) ?? true
      const demand = model.demand.map((one) => {
        const value = isOf(one) ? times(one[key], by) : null
        return value === null ? one : { ...one, [key]: value }
      })
      const isChanged = demand.some((one, at) => one !== model.demand[at])
      return isChanged ? { model: { ...model, demand }, says: percent(by) } : null
    },
  }))
}

/** A duration or a share times a factor; null when it is 0 or something else. */
function times(value: unknown, by: number): Spread | number | null {
  if (typeof value === "number") return value === 0 ? null : Math.min(1, value * (1 + by))
  if (typeof value !== "object" || value === null || !("is" in value)) return null
  const spread = value as Spread
  return isZero(spread) ? null : scaled(spread, 1 + by)
}

function isZero(spread: Spread): boolean {
  return spread.is === "constant" && spread.ms === 0
}

function percent(by: number): string {
  return `${Math.round(Math.abs(by) * 1000) / 10}% ${by < 0 ? "less" : "more"}`
}
