/** The present of a simulated site: the groups of a run at an instant, as a service keeps them. */

import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { startFleet } from "../../../src/simulation/fleet/world/replication.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"

export function groupsOf(
  model: FleetModel,
  { seed, atMs }: { readonly seed: number; readonly atMs: number },
) {
  const world = new FleetWorld(model, { seed, isTraced: false, recording: "full" })
  startFleet(world)
  world.service.host.time.run(atMs)
  return { groups: world.service.host.content().groups.groups, entries: world.service.host.entries, world }
}

/** No orders come after the present. */
export function withoutNew(model: FleetModel): FleetModel {
  const demand = model.demand.map((one) => ({ ...one, per_hour: { steps: [{ fromMsOfDay: 0, value: 0 }] } }))
  return { ...model, demand, horizon: 1_000 }
}
