/** Runs that are stopped between two agenda entries, and go on from what was kept. */

import { expect } from "vitest"
import type { Entry, EntryBody } from "../../../src/engine/kernel/journal.ts"
import type { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { kindOf } from "../../../src/model/address.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"
import { isLong } from "../../long-tests.ts"
import { momentsOf, runOf } from "./live-scenarios.ts"

/** Runs the scenario and stops before the agenda entries chosen by their count. */
export function stopping(
  scenario: Scenario,
  { at, stop }: { readonly at: (count: number) => boolean; readonly stop: (host: MemoryHost) => void },
): ScenarioRun {
  let count = 0
  return runScenario(scenario, {
    // After a crash a command may be refused that was not before; the steps after it are worth running all the same.
    isTolerant: true,
    watch: ({ host }) => ({
      beforeEntry: () => {
        if (at(count)) stop(host)
        count += 1
      },
    }),
  })
}

/** A position of a scenario's run, and the kind of the journal entry that comes next; null where none does. */
interface Position {
  readonly at: number
  readonly kind: string | null
  readonly calls: number
}

function positionsIn(scenario: Scenario): readonly Position[] {
  const { entries } = runOf(scenario)
  const moments = momentsOf(scenario)
  return moments.map(({ entries: before, calls }, at) => {
    const entry = (moments[at + 1]?.entries ?? before) > before ? entries[before]?.entry : undefined
    return { at, kind: entry === undefined ? null : kindOfEntry(entry), calls }
  })
}

function kindOfEntry({ text, group }: Entry): string {
  const { by, event, start } = JSON.parse(text) as EntryBody
  return `${kindOf(group)} ${by} ${event?.type ?? start?.machine ?? ""}`
}

interface Chosen {
  /** Of the positions of a scenario, every so many are tried, or as many as a long one may have. */
  readonly every: number
  readonly most: number
  /** False for positions at which a stop would show nothing. */
  readonly isMeant?: (position: Position) => boolean
}

/**
 * The positions at which each scenario is stopped, one in each run: those before the first entry of each kind, and a fixed part of the
 * others. All that are meant with `npm run test:long`.
 */
export function positionsTried(
  scenarios: readonly Scenario[],
  { every, most, isMeant = () => true }: Chosen,
): ReadonlyMap<Scenario, readonly number[]> {
  const seen = new Set<string | null>([null])
  const isFirst = (kind: string | null): boolean => {
    const before = seen.size
    return seen.add(kind).size > before
  }
  return new Map(
    scenarios.map((scenario, number) => {
      const meant = positionsIn(scenario).filter(isMeant)
      const step = Math.max(every, Math.ceil(meant.length / most))
      // Each scenario begins at another position, so that the first and last ones are among them.
      const tried = meant.filter(({ kind }, at) => isFirst(kind) || isLong || (at + number) % step === 0)
      return [scenario, tried.map(({ at }) => at)]
    }),
  )
}

/** Positions of a run that is stopped at many of them, one after the other. */
const STOPS_OF_ONE_RUN = 60

/** Every position of a scenario, or of a long one every third, fifth, or as many as leave so many stops. */
export function manyPositions(scenario: Scenario): (position: number) => boolean {
  // An odd number, because entries often come in pairs.
  const every = isLong ? 1 : Math.ceil(momentsOf(scenario).length / STOPS_OF_ONE_RUN) | 1
  return (position) => position % every === 0
}

/** Rebuilds the host from its own content as JSON. */
export function restore(host: MemoryHost): void {
  const text = JSON.stringify(host.content())
  host.restore(JSON.parse(text) as ReturnType<MemoryHost["content"]>)
  expect(JSON.stringify(host.content())).toBe(text)
}
