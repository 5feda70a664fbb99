/** What of a model may be changed from an instant on, and what holds in it at each time, for the controls of a page. */

import type { ChangeOffer } from "../../../model/replay/change-text.ts"
import { listed } from "../../../model/values/listed.ts"
import { DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import { meanBatch } from "../language/batch.ts"
import { COUNT_MAX, FACTOR_MAX, canChange, factorAt, factorsOf } from "../language/changes.ts"
import type { ChangeEffect, ChangedCount, DemandFactor } from "../language/changes.ts"
import { vehicleName } from "../language/checks/check-changes.ts"
import { sitesUsing } from "../language/checks/check-counts.ts"
import { isUsed } from "../language/checks/check-questions.ts"
import { countsAt } from "../language/counts.ts"
import type { FleetSite } from "../language/model.ts"
import type { Shift } from "../language/shifts.ts"
import { demandNames } from "../language/paths/demand-names.ts"
import { DISPATCH } from "../language/rules.ts"
import { atTimeOfDay } from "../language/spread.ts"
import type { Hourly } from "../language/spread.ts"
import type { FleetWorld } from "../world/fleet-world.ts"

type Held = ChangeOffer["today"][number]

/** A world of the model, of which only its times are read. */
type Timed = Pick<FleetWorld, "changes" | "clock" | "model" | "startMs">

export function changeOffers(world: Timed): readonly ChangeOffer[] {
  const { model } = world
  const held = heldBy(world)
  const [visits, drives] = [isUsed("runners", model), isUsed("vehicles", model)]
  return [
    ...countOffers(world, "runners", held),
    ...countOffers(world, "cooks", held),
    ...countOffers(world, "vehicles", held),
    ...(drives ? [breakdownOffer(world)] : []),
    ...demandOffers(world, held),
    ...(visits ? [wordOffer(world, "dispatch", { words: DISPATCH, held })] : []),
    ...(drives ? [wordOffer(world, "vehicle_dispatch", { words: DISPATCH_POLICIES, held })] : []),
    ...(visits
      ? (["open_link_fails", "payload_too_heavy"] as const).map((name) => shareOffer(world, name, held))
      : []),
    ...(model.vehicle.breakdown === null || !drives ? [] : [breakdownsOffer(world, held)]),
  ]
}

type HeldBy = (of: (afterMs: number) => Omit<Held, "fromMs">) => readonly Held[]

/** Values at every instant at which something changes, without those that are as before. */
function heldBy({ model, clock, changes, startMs }: Timed): HeldBy {
  const { sites, demand, horizon } = model
  const ofDay = [
    0,
    ...sites.flatMap(shiftsOf).flatMap(({ from, to }) => [from, to % DAY_MS]),
    ...demand.flatMap(({ per_hour: perHour }) => perHour?.steps.map(({ fromMsOfDay }) => fromMsOfDay) ?? []),
  ]
  const timesOfDay = [...new Set(ofDay)].toSorted((one, other) => one - other)
  const instants = new Set([0, ...changes.map(({ atMs }) => atMs - startMs)])
  for (let ms = 0; ms < horizon; ms = clock.nextOf(timesOfDay, startMs + ms) - startMs) instants.add(ms)
  const marks = [...instants].filter((ms) => ms >= 0 && ms < horizon).toSorted((one, other) => one - other)
  return (of) =>
    marks
      .map((fromMs) => ({ fromMs, ...of(fromMs) }))
      .filter(
        ({ value, says }, at, all) => at === 0 || all[at - 1]?.value !== value || all[at - 1]?.says !== says,
      )
}

/** The model's changes so far, earliest first. */
function effectsUntil({ changes, startMs }: Timed, afterMs: number): readonly ChangeEffect[] {
  return changes
    .filter(({ atMs }) => atMs >= startMs && atMs - startMs <= afterMs)
    .flatMap(({ effects }) => effects)
}

function countOffers(world: Timed, resource: ChangedCount, held: HeldBy): readonly ChangeOffer[] {
  const { model } = world
  const using = sitesUsing(resource, model)
  const noun = `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
  return model.sites
    .filter((site) => using.includes(site.as) && canChange(site, resource))
    .map((site): ChangeOffer => {
      const kitchens = countsAt(site, "cooks").length
      const says = resource === "cooks" && kitchens > 1 ? `in the smallest of ${kitchens} kitchens` : ""
      return {
        group: resource === "vehicles" ? "Vehicles" : "People",
        name: `${resource} at ${site.as}`,
        label: model.sites.length === 1 ? noun : `${noun} at ${site.as}`,
        form: { is: "count", least: resource === "cooks" ? 1 : 0, most: COUNT_MAX[resource] },
        today: held((afterMs) => ({ value: String(countAt(world, { site, resource, afterMs })), says })),
      }
    })
}

function countAt(
  world: Timed,
  {
    site,
    resource,
    afterMs,
  }: { readonly site: FleetSite; readonly resource: ChangedCount; readonly afterMs: number },
): number {
  const by = effectsUntil(world, afterMs).reduce(
    (sum, one) =>
      one.is === "count" && one.resource === resource && (one.site ?? site.as) === site.as
        ? sum + one.by
        : sum,
    0,
  )
  return Math.max(0, plannedAt(world, { site, resource, afterMs }) + by)
}

/** Of cooks: in the kitchen with the fewest. */
function plannedAt(
  { clock, startMs }: Timed,
  {
    site,
    resource,
    afterMs,
  }: { readonly site: FleetSite; readonly resource: ChangedCount; readonly afterMs: number },
): number {
  const msOfDay = clock.msOfDay(startMs + afterMs)
  const onDuty = (shifts: readonly Shift[]): number =>
    shifts.reduce((sum, { count, from, to }) => (msOfDay >= from && msOfDay < to ? sum + count : sum), 0)
  switch (resource) {
    case "vehicles":
      return site.vehicleShifts.length === 0 ? site.vehicles : onDuty(site.vehicleShifts)
    case "cooks":
      return Math.min(
        ...site.stores.flatMap(({ cooks, cookShifts }) =>
          cooks === null ? [] : [cookShifts.length === 0 ? cooks : onDuty(cookShifts)],
        ),
      )
    case "runners":
      return onDuty(site.runners)
  }
}

function shiftsOf({ runners, stores, vehicleShifts }: FleetSite): readonly Shift[] {
  return [...runners, ...vehicleShifts, ...stores.flatMap(({ cookShifts }) => cookShifts)]
}

function breakdownOffer({ model, changes }: Timed): ChangeOffer {
  const joined = (as: string): number =>
    changes
      .flatMap(({ effects }) => effects)
      .reduce(
        (sum, one) =>
          one.is === "count" && one.resource === "vehicles" && (one.site ?? as) === as
            ? sum + Math.max(0, one.by)
            : sum,
        0,
      )
  const vehicles = model.sites.flatMap(({ as, vehicles: count }, site) =>
    Array.from({ length: count === 0 ? 0 : count + joined(as) }, (_, at) => vehicleName(site, at + 1)),
  )
  return {
    group: "Vehicles",
    name: "breakdown of",
    label: "A breakdown",
    form: { is: "breakdown", vehicles },
    today: [],
  }
}

/** One demand, as its offer reads it. */
interface OfferedDemand {
  /** Null for one that does not come by a rate. */
  readonly perHour: Hourly<number> | null
  /** Orders at once, on average. */
  readonly batch: number
  readonly factors: readonly DemandFactor[]
}

function demandOffers(world: Timed, held: HeldBy): readonly ChangeOffer[] {
  const { model, changes, startMs } = world
  const names = demandNames(model.demand)
  const all = model.demand.map(({ per_hour: perHour, batch }, at): OfferedDemand => ({
    perHour,
    batch: meanBatch(batch),
    factors: factorsOf(names[at] ?? "", changes, startMs),
  }))
  const offer = (name: string, label: string, own: readonly OfferedDemand[]): ChangeOffer => ({
    group: "Demand",
    name,
    label,
    form: { is: "factor", most: FACTOR_MAX },
    today: held((afterMs) => demandAt(world, own, afterMs)),
  })
  const each = all.map((one, at) => offer(`demand of ${names[at]}`, names[at] ?? "", [one]))
  return [offer("demand", "Every demand", all), ...(each.length === 1 ? [] : each)]
}

/** The factor of the first of these demands, and the orders an hour of all, if they come by rates. */
function demandAt(
  { clock, startMs }: Timed,
  demands: readonly OfferedDemand[],
  afterMs: number,
): Omit<Held, "fromMs"> {
  const msOfDay = clock.msOfDay(startMs + afterMs)
  const rate = demands.reduce(
    (sum, { perHour, batch, factors }) =>
      perHour === null
        ? Number.NaN
        : sum + atTimeOfDay(perHour, msOfDay) * batch * factorAt(factors, afterMs),
    0,
  )
  const says = Number.isNaN(rate) ? "" : `${Math.round(rate * 10) / 10} orders an hour`
  return { value: String(factorAt(demands[0]?.factors ?? [], afterMs)), says }
}

function wordOffer(
  world: Timed,
  name: "dispatch" | "vehicle_dispatch",
  { words, held }: { readonly words: readonly string[]; readonly held: HeldBy },
): ChangeOffer {
  const at = (afterMs: number): string =>
    effectsUntil(world, afterMs).reduce<string>(
      (policy, one) => (one.is === name ? one.policy : policy),
      world.model.policy[name],
    )
  return {
    group: "Policy",
    name,
    label: name === "dispatch" ? "Runners take first" : "Runs go to the vehicle",
    form: { is: "word", words },
    today: held((afterMs) => ({ value: at(afterMs), says: alsoTried(world, name, at(afterMs)) })),
  }
}

/** Other values of a setting that no number in the text stands for: a run has one of them. */
function alsoTried({ model }: Timed, setting: string, value: string): string {
  const others = (model.sweep.get(setting) ?? []).filter((one) => String(one) !== value)
  const words = others.map((one) => String(one).replaceAll("_", " "))
  return words.length === 0 ? "" : `the sweep also tries ${listed(words)}`
}

const SHARES = { open_link_fails: "Open links that fail", payload_too_heavy: "Orders too heavy" } as const

function shareOffer(world: Timed, name: keyof typeof SHARES, held: HeldBy): ChangeOffer {
  const at = (afterMs: number): number =>
    effectsUntil(world, afterMs).reduce(
      (share, one) => (one.is === name ? one.share : share),
      world.model.faults[name],
    )
  return {
    group: "Faults",
    name,
    label: SHARES[name],
    form: { is: "share" },
    today: held((afterMs) => ({ value: `${Math.round(at(afterMs) * 1000) / 10}%`, says: "" })),
  }
}

function breakdownsOffer(world: Timed, held: HeldBy): ChangeOffer {
  const at = (afterMs: number): number =>
    effectsUntil(world, afterMs).reduce((sum, one) => (one.is === "breakdowns" ? one.factor : sum), 1)
  return {
    group: "Faults",
    name: "breakdowns",
    label: "Breakdowns",
    form: { is: "factor", most: FACTOR_MAX },
    today: held((afterMs) => ({ value: String(at(afterMs)), says: "" })),
  }
}
