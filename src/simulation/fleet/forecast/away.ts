/**
 * Who is away without the groups saying so. A task that is due and that no runner takes shows that every runner without a task is away:
 * walks back, or does something that the model does not know.
 */

import type { EpochMs } from "../../../model/values/time.ts"
import type { Chance } from "../chance.ts"
import type { FleetModel } from "../language/model.ts"
import type { FleetWorld } from "../world/fleet-world.ts"
import { presentChance } from "../world/orders.ts"
import type { PresentVisit, Visits } from "../world/visits.ts"

/** The runners of a site, as its tasks show them. */
export interface RunnersNow {
  /** Of the model. */
  readonly count: number
  readonly busy: number
  /** Since when a task is due that no runner has taken; null without one. It may be later than now. */
  readonly dueMs: EpochMs | null
  /** When those were last seen at a task who have none now, the latest first. */
  readonly seenMs: readonly EpochMs[]
}

/** A visit, and the runner of its task. */
export interface Tasked {
  readonly visit: PresentVisit
  readonly siteNumber: number
  readonly runnerId: string | null
  /** When something last happened to it. */
  readonly instantMs: EpochMs
}

/** By site, in the order of the model. */
export function runnersNow(tasks: readonly Tasked[], { sites, policy }: FleetModel): readonly RunnersNow[] {
  return sites.map(({ runners }, number) => {
    const here = tasks.filter(({ siteNumber }) => siteNumber === number)
    const atTask = here.filter(({ visit }) => !WITHOUT_RUNNER.has(visit.stage))
    const busyIds = new Set(atTask.map(({ runnerId }) => runnerId))
    const due = here.flatMap(({ visit: { stage, bookedMs, stagingAtMs } }) =>
      stage === "queued" ? [Math.max(bookedMs, stagingAtMs - policy.send_ahead)] : [],
    )
    const seen = new Map<string, EpochMs>()
    for (const { visit, runnerId, instantMs } of here)
      if (visit.stage === "loaded" && runnerId !== null && !busyIds.has(runnerId))
        seen.set(runnerId, Math.max(seen.get(runnerId) ?? 0, instantMs))
    return {
      count: runners.reduce((sum, { count }) => sum + count, 0),
      busy: atTask.length,
      dueMs: due.length === 0 ? null : Math.min(...due),
      seenMs: [...seen.values()].toSorted((a, b) => b - a),
    }
  })
}

const WITHOUT_RUNNER: ReadonlySet<PresentVisit["stage"]> = new Set(["queued", "loaded", "missed"])

/** Before tasks are given to runners. Those whom a decision brings are not away. */
export function keepAway(world: FleetWorld, visits: Visits, runners: readonly RunnersNow[]): void {
  for (const [siteNumber, { count, busy, dueMs, seenMs }] of runners.entries()) {
    const site = world.model.sites[siteNumber]
    if (site === undefined || dueMs === null || dueMs >= world.nowMs) continue
    const more = site.runners.reduce((sum, shift) => sum + shift.count, 0) - count
    const away = visits.idleRunners(siteNumber) - busy - more
    for (let at = 0; at < away; at += 1) {
      const chance = presentChance(world, `runner ${siteNumber}/${at}`)
      const passedMs = world.nowMs - Math.max(dueMs, seenMs[at] ?? dueMs)
      const walkMs = chance.duration(world.model.runner.walk, "walk")
      const restMs = walkMs > passedMs ? walkMs - passedMs : asLongAgain(passedMs, chance)
      for (const back of visits.takeOutRunners(siteNumber, 1)) world.after(restMs, back)
    }
  }
}

/** Nothing says how long it still lasts: half of what has lasted so long lasts as long again. */
export function asLongAgain(passedMs: number, chance: Chance): number {
  return Math.round(passedMs * (1 / (1 - chance.fraction("away")) - 1))
}
