/** A day of a fleet model as the turns of its journal, as `curbline why-late` reads them from a record. */

import { program } from "../../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../../src/simulation/replay.ts"
import type { ReplayedTurn } from "../../../../src/simulation/replay.ts"
import { recordOfRun } from "../../../../src/simulation/run-record.ts"
import { recordedReplication } from "../../../../src/simulation/fleet/world/replication.ts"
import type { Replication } from "../../../../src/simulation/fleet/world/replication.ts"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import { CaseWatch } from "../../../../src/simulation/fleet/moment/case-watch.ts"
import type { Case, Verdict } from "../../../../src/simulation/fleet/moment/case-watch.ts"
import { recordContext } from "../../../../src/live/configuration/build.ts"
import { fleetModel } from "../models.ts"

export interface RecordedDay {
  readonly turns: readonly ReplayedTurn[]
  readonly replication: Replication
}

export function recordedDay(model: FleetModel, seed: number): RecordedDay {
  const { run, replication } = recordedReplication(model, { seed, name: "day", variant: null })
  const turns: ReplayedTurn[] = []
  replayRecord(recordOfRun(run, recordContext()), program, null, (turn) => turns.push(turn))
  return { turns, replication }
}

export function idsOf({ turns }: RecordedDay, kind: "delivery" | "reservation"): readonly string[] {
  const groups = new Set(turns.map(({ result }) => result.group.address))
  return [...groups]
    .filter((group) => group.startsWith(`${kind}/`))
    .map((group) => group.slice(kind.length + 1))
}

/** At the end of the day. */
export function verdictOf({ turns }: RecordedDay, of: Case): Verdict {
  const watch = new CaseWatch(of)
  for (const { result } of turns) watch.take(result)
  return watch.verdictAt(Number.POSITIVE_INFINITY)
}

/** A site with this beside it; nothing goes wrong by itself. */
export function curb(more: string, { runners = 3, perHour = 8, stalls = 6 } = {}): FleetModel {
  return fleetModel(`
fleet: A curb
because: The cause is known.
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: ${stalls}, runners: ${runners}, stores: [{ as: grill, preparation: { gamma: { mean: 8m, sd: 2m } }, cooks: 6 }] }]
runner: { walk: { uniform: [40s, 90s] }, load: 40s }
bot: { punctuality: { normal: { mean: 2m, sd: 2m } }, patience: 40m }
demand: [{ product: reservation, site: curb, per_hour: ${perHour} }]
${more}
`)
}
