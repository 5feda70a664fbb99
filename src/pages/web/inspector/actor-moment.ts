/**
 * One actor at the playhead: its last step, its active states, the transitions just fired and all that it took so far, and its time
 * in each state.
 */

import type { ChartDocument } from "../../chart/chart-document.ts"
import { firedIn } from "../../inspection/fired.ts"
import type { Fired } from "../../inspection/fired.ts"
import { dwellAt } from "../../inspection/position.ts"
import type { Dwell } from "../../inspection/position.ts"
import { DEEDS, NONE, at } from "../../inspection/run-index.ts"
import type { RunIndex } from "../../inspection/run-index.ts"
import { activePaths } from "../../inspection/state-value.ts"
import type { OpenRun } from "./sources/record-source.ts"

export interface ActorMoment {
  /** The last step up to the playhead; NONE before the actor's start. */
  readonly step: number
  readonly active: readonly string[]
  readonly dwell: ReadonlyMap<string, Dwell>
  /** From the steps that the actor took in the playhead's own row. */
  readonly fired: Fired
  /** Ids of the transitions that the actor took up to the playhead; where the record does not show which, all that may be. */
  readonly taken: ReadonlySet<string>
}

const NOTHING: Fired = { edges: [], isCertain: true }
const NONE_TAKEN: ReadonlySet<string> = new Set()

export function actorMomentOf(
  run: OpenRun,
  { actor, row, now }: { readonly actor: number; readonly row: number; readonly now: number },
  chart: ChartDocument | null,
): ActorMoment {
  const { index, positions } = run
  const step = actor === NONE ? NONE : positions.stepAt(actor, row)
  if (step === NONE) return { step, active: [], dwell: new Map(), fired: NOTHING, taken: NONE_TAKEN }
  const active = pathsAfter(run, step)
  const dwell = dwellAt(positions, { actor, row, now })
  const steps: number[] = []
  for (let own = step; own !== NONE && at(index.stepRow, own) === row; own = positions.stepBefore(own))
    steps.unshift(own)
  if (chart === null) return { step, active, dwell, fired: NOTHING, taken: NONE_TAKEN }
  const all = steps.map((own) => firedBy(run, chart, { step: own, before: positions.stepBefore(own) }))
  return {
    step,
    active,
    dwell,
    fired: { edges: all.flatMap(({ edges }) => edges), isCertain: all.every(({ isCertain }) => isCertain) },
    taken: takenUpTo(run, chart, { actor, step }),
  }
}

interface TakenSoFar {
  /** The step in which each transition was first taken. */
  readonly first: Map<string, number>
  /** How many of the actor's steps are counted. */
  count: number
}

const takenByActor = new WeakMap<RunIndex, Map<string, TakenSoFar>>()

/** Cost: one pass over the actor's steps, once for each index. */
function takenUpTo(
  run: OpenRun,
  chart: ChartDocument,
  { actor, step }: { readonly actor: number; readonly step: number },
): ReadonlySet<string> {
  const byActor = takenByActor.get(run.index) ?? new Map<string, TakenSoFar>()
  takenByActor.set(run.index, byActor)
  const key = `${actor} ${chart.id}`
  const known = byActor.get(key) ?? { first: new Map<string, number>(), count: 0 }
  byActor.set(key, known)
  const steps = run.positions.stepsOf(actor)
  for (; known.count < steps.length && (steps[known.count] ?? NONE) <= step; known.count += 1) {
    const own = steps[known.count] ?? NONE
    const before = steps[known.count - 1] ?? NONE
    for (const edge of firedBy(run, chart, { step: own, before }).edges)
      if (!known.first.has(edge)) known.first.set(edge, own)
  }
  return new Set([...known.first].filter(([, first]) => first <= step).map(([edge]) => edge))
}

const firedByChart = new WeakMap<ChartDocument, Map<string, Fired>>()

/** Actors repeat themselves: each pair of states and event is looked up in the chart once. */
function firedBy(
  run: OpenRun,
  chart: ChartDocument,
  { step, before }: { readonly step: number; readonly before: number },
): Fired {
  const { index } = run
  const seen = firedByChart.get(chart) ?? new Map<string, Fired>()
  firedByChart.set(chart, seen)
  const event = index.words[at(index.stepEvent, step)] ?? ""
  const did = DEEDS[at(index.stepDid, step)] ?? "unknown"
  const [from, to] = [before, step].map((one) => (one === NONE ? "" : valueAfter(run, one)))
  const key = JSON.stringify([event, did, from, to])
  const known = seen.get(key)
  if (known !== undefined) return known
  const fired = firedIn(chart, {
    event,
    before: before === NONE ? [] : pathsAfter(run, before),
    after: pathsAfter(run, step),
    did,
  })
  seen.set(key, fired)
  return fired
}

function valueAfter({ index }: OpenRun, step: number): string {
  return index.values[at(index.stepValue, step)] ?? "null"
}

function pathsAfter(run: OpenRun, step: number): readonly string[] {
  return activePaths(valueAfter(run, step))
}
