/** The present of a simulated site: the groups of a run at an instant, as a service keeps them. */

import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { startFleet } from "../../../src/simulation/fleet/world/replication.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"

export function groupsOf(
  model: FleetModel,
  { seed, atMs }: { readonly seed: number; readonly atMs: number },
) {
  const [present] = presentsOf(model, { seed, instants: [atMs] })
  if (present === undefined) throw new Error("there is one instant")
  return present
}

/** The same at several instants of one run, the earliest first; each is read before the next is made. */
export function* presentsOf(
  model: FleetModel,
  { seed, instants }: { readonly seed: number; readonly instants: readonly number[] },
) {
  const world = new FleetWorld(model, { seed, recording: "full" })
  const { host } = world.service
  startFleet(world)
  for (const atMs of instants) {
    host.time.run(atMs)
    yield { atMs, groups: host.content().groups.groups, entries: host.entries, world }
  }
}

/** Instants from one to another, each as long after the one before. */
export function instantsFrom(fromMs: number, toMs: number, everyMs: number): readonly number[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / everyMs) }, (_, at) => fromMs + at * everyMs)
}

/** No orders come after the present. */
export function withoutNew(model: FleetModel): FleetModel {
  const demand = model.demand.map((one) => ({ ...one, per_hour: { steps: [{ fromMsOfDay: 0, value: 0 }] } }))
  return { ...model, demand, horizon: 1_000 }
}
