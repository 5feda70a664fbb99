/** A day of late robots, and the visits of such a day that another grace touches, known from the record alone. */

import { idOf } from "../../../src/model/address.ts"
import type { EpochMs } from "../../../src/model/values/time.ts"
import { rootOf } from "../../../src/engine/services/actors.ts"
import type { ReplayedTurn } from "../../../src/simulation/replay.ts"
import { fleetModel } from "../fleet/models.ts"

/** Robots come late, some after their window; a runner waits for them at the stall. */
export const LATE_ROBOTS = fleetModel(`
fleet: Late robots
because: Windows end before some of them come.
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, runners: 3, stores: [{ as: grill, preparation: { gamma: { mean: 8m, sd: 2m } }, cooks: 6 }] }]
runner: { walk: { uniform: [40s, 90s] }, load: 40s }
bot: { punctuality: { normal: { mean: 12m, sd: 15m } }, patience: 40m }
demand: [{ product: reservation, site: curb, per_hour: 20 }]
`)

interface Ended {
  endsAtMs: EpochMs
  /** Null: it was open when the record ended. */
  overMs: EpochMs | null
  byTimer: boolean
}

/** Ids of the visits that ended by their grace, or outlasted the new one. */
export function touchedByGrace(day: readonly ReplayedTurn[], graceMs: number): readonly string[] {
  const visits = new Map<string, Ended>()
  const lastMs = day.at(-1)?.result.instantMs ?? 0
  for (const { input, result } of day) {
    const { group, hasGroup, instantMs } = result
    if (!hasGroup || !group.address.startsWith("reservation/")) continue
    const { context, state } = rootOf("reservation", group)
    const known = visits.get(idOf(group.address))
    if (known?.overMs !== null && known !== undefined) continue
    const isOver = state === "completed" || state === "canceled"
    visits.set(idOf(group.address), {
      endsAtMs: context.endsAtMs,
      overMs: isOver ? instantMs : null,
      byTimer: isOver && input.timer?.includes("window and grace") === true,
    })
  }
  return [...visits]
    .filter(([, { endsAtMs, overMs, byTimer }]) => byTimer || (overMs ?? lastMs) >= endsAtMs + graceMs)
    .map(([id]) => id)
    .toSorted()
}
