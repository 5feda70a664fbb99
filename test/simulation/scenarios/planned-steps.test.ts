/** Every step of every scenario, taken again by XState's own code and by the planned step: both give what was recorded. */

import { describe, expect, test } from "vitest"
import { machines } from "../../../machines/index.ts"
import type { StepRecord } from "../../../src/engine/kernel/journal.ts"
import { plannedStart, plannedStep } from "../../../src/engine/kernel/planned-step.ts"
import type { Machine, Snapshot } from "../../../src/engine/kernel/step.ts"
import type { JsonObject } from "../../../src/model/values/json.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"
import { titleOf } from "../../../src/cli/scenarios/report.ts"
import { shown, sink } from "../../engine/kernel/step-sink.ts"
import { cleanRuns } from "./live-scenarios.ts"

interface Seen {
  readonly machine: Machine
  readonly snapshot: Snapshot
}

/** A step as the journal has it. */
type Taken = StepRecord & { readonly on: JsonObject & { readonly type: string } }

interface Both {
  readonly whole: Snapshot
  /** Null for a step that is left to XState. */
  readonly planned: Snapshot | null
}

let steps = 0
let planned = 0

describe("a step is the same, planned or taken by XState", () => {
  test.each(cleanRuns().map((run) => [titleOf(run), run] as const))("%s", (_, run) => {
    expect(firstOtherStep(run)).toBe(null)
  })

  test("most of them are planned", () => {
    expect(planned / steps).toBeGreaterThan(0.5)
    expect(steps).toBeGreaterThan(2_000)
  })
})

/** The first step that one of the two takes otherwise than the journal; null when there is none. */
function firstOtherStep(run: ScenarioRun): string | null {
  const actors = new Map<string, Seen>()
  for (const { entry } of run.entries) {
    const { steps: records } = JSON.parse(entry.text) as { readonly steps: readonly Taken[] }
    for (const record of records) {
      const machine = machineOf(record, actors)
      const { whole, planned: ours } = stepAgain(record, machine, actors.get(record.a)?.snapshot)
      steps += 1
      if (ours !== null) planned += 1
      const { value, context, status } = record
      const wanted = JSON.stringify({ value, context, status })
      for (const [by, found] of [
        ["XState", whole],
        ["the plan", ours],
      ] as const)
        if (found !== null && recorded(found) !== wanted)
          return `${entry.group} r${entry.revision} ${record.a} on ${record.on.type}: by ${by} ${shown(found)}, recorded ${wanted}`
      actors.set(record.a, { machine, snapshot: whole })
    }
  }
  return null
}

function machineOf({ a, on }: Taken, actors: ReadonlyMap<string, Seen>): Machine {
  const known =
    on.type === "@start" ? machines[on["machine"] as keyof typeof machines] : actors.get(a)?.machine
  if (known === undefined) throw new Error(`${a} takes ${on.type} and has not been started`)
  return known
}

function stepAgain({ on }: Taken, machine: Machine, before: Snapshot | undefined): Both {
  if (before === undefined || on.type === "@start") {
    const input = on["input"] as JsonObject
    return {
      whole: machine.getInitialSnapshot(sink().scope, input) as Snapshot,
      planned: plannedStart(machine, input, sink()),
    }
  }
  return {
    whole: machine.transition(before, on, sink().scope) as Snapshot,
    planned: plannedStep(machine, before, on, sink()),
  }
}

function recorded({ value, context, status }: Snapshot): string {
  return JSON.stringify({ value: value as unknown, context: context as unknown, status })
}
