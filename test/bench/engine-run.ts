/** The engine as a contestant: the memory host, commands from agenda entries, no observers. */

import { machines } from "../../machines/index.ts"
import { RANK } from "../../src/engine/kernel/agenda.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import { MemoryHost } from "../../src/engine/memory/memory-host.ts"
import { noteOutcome } from "./outcomes.ts"
import type { Outcomes } from "./outcomes.ts"
import { START_MS } from "./visits.ts"
import type { Stage, Visit } from "./visits.ts"

export interface EngineRun {
  readonly host: MemoryHost
  readonly stage: Stage
  readonly run: () => void
  /** How the visits ended; needs a host that keeps its groups. */
  readonly outcomes: () => Outcomes
}

export function engineRun(recording: "full" | "off"): EngineRun {
  // The stall is a fact here as for the opponent; choosing one is no part of the race.
  const program = { machines, decisions: { "told@1": (facts: JsonObject) => facts } }
  const host = new MemoryHost({ program, seed: 1, startMs: START_MS, recording })
  const visits: Visit[] = []
  const stage: Stage = {
    nowMs: () => host.time.nowMs,
    at: (dueMs, run) => void host.time.schedule(dueMs, RANK.command, run),
    book: (visit, input, stallId) => {
      if (recording === "full") visits.push(visit)
      const start = { machine: "reservation@1", input }
      host.command({ to: visit.address, start, facts: { stallId }, decision: "told@1" })
    },
    give: (visit, part, event) => {
      host.command({ to: part === "" ? visit.address : `${visit.address}/${part}`, event })
    },
  }
  return { host, stage, run: () => host.time.run(), outcomes: () => outcomesOf(host, visits) }
}

function outcomesOf(host: MemoryHost, visits: readonly Visit[]): Outcomes {
  const outcomes = new Map<string, number>()
  for (const { address, course } of visits) {
    const actors = [...(host.groups.get(address)?.actors ?? [])]
    noteOutcome(
      outcomes,
      course,
      actors.map(([at, { snapshot }]): [string, JsonObject | string] => [
        at === address ? "reservation" : at.slice(address.length + 1),
        snapshot.value as JsonObject | string,
      ]),
    )
  }
  return outcomes
}
