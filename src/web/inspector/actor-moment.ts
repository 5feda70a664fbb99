/**
 * One actor at the playhead: its last step, its active states, the transitions just fired, and its time in each state.
 */

import type { ChartDocument } from "../../chart/chart-document.ts"
import { firedIn } from "../../inspection/fired.ts"
import type { Fired } from "../../inspection/fired.ts"
import { dwellAt } from "../../inspection/position.ts"
import type { Dwell } from "../../inspection/position.ts"
import { DEEDS, NONE, at } from "../../inspection/run-index.ts"
import { activePaths } from "../../inspection/state-value.ts"
import type { OpenRun } from "./record-source.ts"

export interface ActorMoment {
  /** The last step up to the playhead; NONE before the actor's start. */
  readonly step: number
  readonly active: readonly string[]
  readonly dwell: ReadonlyMap<string, Dwell>
  /** From the steps that the actor took in the playhead's own row. */
  readonly fired: Fired
}

const NOTHING: Fired = { edges: [], isCertain: true }

export function actorMomentOf(
  run: OpenRun,
  { actor, row, now }: { readonly actor: number; readonly row: number; readonly now: number },
  chart: ChartDocument | null,
): ActorMoment {
  const { index, positions } = run
  const step = actor === NONE ? NONE : positions.stepAt(actor, row)
  if (step === NONE) return { step, active: [], dwell: new Map(), fired: NOTHING }
  const active = pathsAfter(run, step)
  const dwell = dwellAt(positions, { actor, row, now })
  const steps: number[] = []
  for (let own = step; own !== NONE && at(index.stepRow, own) === row; own = positions.stepBefore(own))
    steps.unshift(own)
  if (chart === null) return { step, active, dwell, fired: NOTHING }
  const all = steps.map((own) => firedBy(run, own, chart))
  return {
    step,
    active,
    dwell,
    fired: { edges: all.flatMap(({ edges }) => edges), isCertain: all.every(({ isCertain }) => isCertain) },
  }
}

function firedBy(run: OpenRun, step: number, chart: ChartDocument): Fired {
  const { index, positions } = run
  const before = positions.stepBefore(step)
  return firedIn(chart, {
    event: index.words[at(index.stepEvent, step)] ?? "",
    before: before === NONE ? [] : pathsAfter(run, before),
    after: pathsAfter(run, step),
    did: DEEDS[at(index.stepDid, step)] ?? "unknown",
  })
}

function pathsAfter({ index }: OpenRun, step: number): readonly string[] {
  return activePaths(index.values[at(index.stepValue, step)] ?? "null")
}
