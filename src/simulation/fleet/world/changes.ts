/** Makes the changes of the model at their instants. Those of demand are in the arrivals of each. */

import { canChange } from "../language/changes.ts"
import type { ChangeEffect } from "../language/changes.ts"
import type { Deliveries } from "./deliveries.ts"
import type { FleetWorld } from "./fleet-world.ts"
import type { Kitchens } from "./kitchens.ts"
import type { Visits } from "./visits.ts"

interface Changed {
  readonly kitchens: Kitchens
  /** Without vehicles there are none. */
  readonly deliveries: Deliveries | undefined
  readonly visits: Visits
}

/** A change before the start of the run is left out: a forecast begins with what is there. */
export function startChanges(world: FleetWorld, changed: Changed): void {
  for (const { atMs, effects } of world.changes)
    if (atMs >= world.startMs)
      world.at(atMs, () => {
        for (const effect of effects) make(effect, world, changed)
      })
}

function make(effect: ChangeEffect, world: FleetWorld, changed: Changed): void {
  const { rules } = world
  switch (effect.is) {
    case "count":
      for (const [number, site] of world.model.sites.entries())
        if ((effect.site === null || effect.site === site.as) && canChange(site, effect.resource))
          changeCount(effect, number, changed)
      return
    case "demand":
      return
    case "dispatch":
      rules.dispatch = effect.policy
      return
    case "vehicle_dispatch":
      changed.deliveries?.dispatchBy(effect.policy)
      return
    case "open_link_fails":
    case "payload_too_heavy":
      rules[effect.is] = effect.share
      return
    case "breakdowns":
      rules.breakdowns = effect.factor
      return
    case "breakdown":
      changed.deliveries?.breakDown(effect.vehicle, effect.ms)
  }
}

function changeCount(
  { resource, by }: Extract<ChangeEffect, { readonly is: "count" }>,
  siteNumber: number,
  { kitchens, deliveries, visits }: Changed,
): void {
  if (resource === "cooks") kitchens.changeCooks(siteNumber, by)
  else if (resource === "runners") visits.changeRunners(siteNumber, by)
  else deliveries?.changeVehicles(siteNumber, by)
}
