/**
 * One replication: a model and a seed, and its results. The same model and seed give the same results, to the last
 * digit.
 */

import { FLEET_DRAIN_MS_MAX } from "../../../model/values/limits.ts"
import { writtenCourse } from "../../../model/replay/written-course.ts"
import type { WrittenCourse } from "../../../model/replay/written-course.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { RecordedRun } from "../../run-record.ts"
import { EngineFault } from "../../../engine/kernel/faults.ts"
import type { FleetModel } from "../language/model.ts"
import { measured } from "../results/measured.ts"
import type { Measured } from "../results/measured.ts"
import { startChanges } from "./changes.ts"
import { Deliveries } from "./deliveries.ts"
import { Errands } from "./errands.ts"
import { FleetWorld } from "./fleet-world.ts"
import { Kitchens } from "./kitchens.ts"
import { startDemand } from "./orders.ts"
import { startOuts, startShifts } from "./outs.ts"
import { Visits } from "./visits.ts"
import { subscribe } from "./subscriber.ts"

/** Plain JSON, so that a thread or another machine can return it. */
export interface Replication extends Measured {
  readonly seed: number
  /** Digest of every turn: covers everything that the service did, measured or not, and is the same when it is recorded. */
  readonly digest: string
  readonly virtualMs: number
  readonly turns: number
  /** Turns that were refused. */
  readonly refusals: number
  /** What everything did; null unless it was recorded. */
  readonly course: WrittenCourse | null
}

export interface ReplicationOptions {
  readonly seed: number
  /** Records what everything does, for pictures. */
  readonly hasCourse?: boolean
  /** Called every hour of virtual time. */
  readonly onProgress?: (progress: { readonly virtualMs: number; readonly turns: number }) => void
}

/** Runs until no new orders come and everything in flight has ended. Throws EngineFault when the engine fails. */
export function replicate(model: FleetModel, options: ReplicationOptions): Replication {
  const { seed, hasCourse = false, onProgress } = options
  return runToItsEnd(new FleetWorld(model, { seed, hasCourse }), { seed, onProgress })
}

/** The same with every journal entry, as a run to record under the name of its file. */
export function recordedReplication(
  model: FleetModel,
  { seed, name, variant }: Pick<RecordedRun, "name" | "seed" | "variant">,
): { readonly replication: Replication; readonly run: RecordedRun } {
  const world = new FleetWorld(model, { seed, recording: "full" })
  const replication = runToItsEnd(world, { seed, onProgress: undefined })
  const { virtualMs } = replication
  const { entries, groups } = world.service.host
  const { startMs } = world
  const { timeZone } = model.clock
  const told = { name, title: model.fleet, variant, seed, startMs, timeZone, hash: groups.hash(), virtualMs }
  return { replication, run: { ...told, entries, marks: [], verdict: null } }
}

interface Running {
  readonly seed: number
  readonly onProgress: ReplicationOptions["onProgress"]
  /** Called when people and things are in the world, before time begins. */
  readonly begin?: (started: StartedFleet) => void
}

/** Runs a world until no new orders come and everything in flight has ended. */
export function runToItsEnd(world: FleetWorld, { seed, onProgress, begin }: Running): Replication {
  const started = startFleet(world)
  begin?.(started)
  for (const untilMs of slices(world, HOUR_MS))
    onProgress?.({ virtualMs: untilMs - world.startMs, turns: world.service.host.counts.turns })
  return replicationOf(world, seed)
}

/**
 * Runs a started world in slices of virtual time of at most `sliceMs`, and gives the instant at the end of each. The run is the same for
 * every length of the slices: whether it is over is asked at the end of each hour alone. Throws EngineFault.
 */
export function* slices(world: FleetWorld, sliceMs: number): Generator<EpochMs, void> {
  const { time } = world.service.host
  const lastMs = world.horizonEndMs + FLEET_DRAIN_MS_MAX
  for (let hourMs = world.startMs; !isOverAt(world, hourMs); hourMs += HOUR_MS) {
    if (hourMs >= lastMs) {
      throw new EngineFault({
        reason: "time does not advance",
        at: null,
        found: `${world.openOrders} orders that do not end within ${FLEET_DRAIN_MS_MAX / HOUR_MS} hours`,
      })
    }
    for (let untilMs = hourMs; untilMs < hourMs + HOUR_MS;) {
      untilMs = Math.min(untilMs + sliceMs, hourMs + HOUR_MS)
      time.run(untilMs)
      yield untilMs
    }
  }
  world.tally.close(world.horizonEndMs)
}

function isOverAt({ startMs, horizonEndMs, openOrders }: FleetWorld, hourMs: EpochMs): boolean {
  return hourMs > startMs && hourMs >= horizonEndMs && openOrders === 0
}

/** The results of a world that has run to its end. */
function replicationOf({ service, startMs, tally, course }: FleetWorld, seed: number): Replication {
  const { host } = service
  return {
    seed,
    digest: host.digest(),
    virtualMs: host.time.nowMs - startMs,
    turns: host.counts.turns,
    refusals: host.counts.refusals,
    ...measured(tally),
    course: course === null ? null : writtenCourse(course.take()),
  }
}

/** The people and things of a world, by product. */
export interface StartedFleet {
  readonly visits: Visits
  /** Without vehicles there is neither. */
  readonly deliveries: Deliveries | undefined
  readonly errands: Errands | undefined
}

/** Puts people and things into the world and schedules the first orders; after that only time has to run. */
export function startFleet(world: FleetWorld): StartedFleet {
  const { model } = world
  const hasVehicles = model.sites.some(({ vehicles }) => vehicles > 0)
  const kitchens = new Kitchens(world)
  const delivery = hasVehicles ? new Deliveries(world, kitchens) : undefined
  const hasErrands = model.demand.some(({ product }) => product === "courier")
  const courier = delivery === undefined || !hasErrands ? undefined : new Errands(world, kitchens, delivery)
  const visits = new Visits(world, kitchens)
  startChanges(world, { kitchens, deliveries: delivery, visits })
  startShifts(world, { kitchens, deliveries: delivery })
  startOuts(world, { kitchens, deliveries: delivery, visits })
  startDemand(world, { reservation: visits, delivery, courier })
  if (model.webhooks) subscribe(world)
  return { visits, deliveries: delivery, errands: courier }
}
