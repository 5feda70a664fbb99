/** What operators could have done at a moment, as a change of a future. */

import { DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import type { DispatchPolicy } from "../../../model/vehicle-pool.ts"
import { withOne } from "../forecast/one-more.ts"
import type { PresentOptions } from "../forecast/present.ts"
import type { FleetModel } from "../language/model.ts"
import { DISPATCH } from "../language/rules.ts"
import type { Case } from "./case-watch.ts"

export interface Decision {
  /** Stays the same from version to version. */
  readonly id: string
  /** What people do, such as "one more runner at north". */
  readonly words: string
  readonly model?: (model: FleetModel) => FleetModel
  readonly present?: Pick<PresentOptions, "goFirst" | "wait">
}

/** `siteNumber`: of the case in the model. Only what can change a case of its kind. */
export function decisionsFor(of: Case, model: FleetModel, siteNumber: number): readonly Decision[] {
  const site = model.sites.length > 1 ? ` at ${model.sites[siteNumber]?.as ?? ""}` : ""
  const more = of.kind === "delivery" ? "vehicle" : "runner"
  const oneMore: Decision = {
    id: more,
    words: `one more ${more}${site}`,
    model: (one) => withOne(one, more, siteNumber),
  }
  if (of.kind === "delivery") return [oneMore, ...otherVehicles(model)]
  return [oneMore, ...(of.kind === "reservation" ? ofVisit(of.id) : []), ...otherTasks(model)]
}

function ofVisit(id: string): readonly Decision[] {
  const only = new Set([id])
  return [
    { id: "first", words: "the next free runner takes this order", present: { goFirst: only } },
    { id: "hold", words: "the robot stays however long it waits", present: { wait: only } },
  ]
}

const WORDS_OF_DISPATCH: Readonly<Record<(typeof DISPATCH)[number], string>> = {
  earliest_staging: "free runners take the task that is due first",
  first_booked: "free runners take the task that was booked first",
  shortest_walk: "free runners take the task with the shortest walk",
}

function otherTasks(model: FleetModel): readonly Decision[] {
  return DISPATCH.filter((one) => one !== model.policy.dispatch).map((dispatch) => ({
    id: `dispatch ${dispatch}`,
    words: WORDS_OF_DISPATCH[dispatch],
    model: (one) => ({ ...one, policy: { ...one.policy, dispatch } }),
  }))
}

const WORDS_OF_VEHICLES: Readonly<Record<DispatchPolicy, string>> = {
  nearest: "later orders go to the nearest vehicle",
  least_loaded: "later orders go to the vehicle with the fewest runs",
  earliest_free: "later orders go to the vehicle that can be at the store first",
  batching: "later orders share the trip of a near one",
}

function otherVehicles(model: FleetModel): readonly Decision[] {
  return DISPATCH_POLICIES.filter((one) => one !== model.policy.vehicle_dispatch).map((policy) => ({
    id: `vehicle_dispatch ${policy}`,
    words: WORDS_OF_VEHICLES[policy],
    model: (one) => ({ ...one, policy: { ...one.policy, vehicle_dispatch: policy } }),
  }))
}
