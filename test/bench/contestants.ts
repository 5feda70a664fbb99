/** One play of the workload by one contestant, timed and weighed. */

import { runInNewContext } from "node:vm"
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { engineRun } from "./engine-run.ts"
import { actorsOnHeap, actorsOnSimulatedClock } from "./live-actors.ts"
import type { LiveActors } from "./live-actors.ts"
import type { Outcomes } from "./outcomes.ts"
import { play } from "./visits.ts"

export const CONTESTANTS = {
  "engine, recording off": playEngineOff,
  "engine, recording full": playEngineFull,
  "live actors, heap clock": () => (workload: Rate) => playActors(actorsOnHeap(), workload),
  "live actors, SimulatedClock": () => (workload: Rate) => playActors(actorsOnSimulatedClock(), workload),
} as const satisfies Record<string, () => Player>

export type ContestantName = keyof typeof CONTESTANTS

export interface Rate {
  readonly visits: number
  readonly intervalMs: number
}

export type Player = (workload: Rate) => Played

/** What one play showed. Bytes and seconds. */
export interface Played {
  readonly visits: number
  /** Events from outside and timers that fired: each one input to one actor. */
  readonly inputs: number
  readonly timers: number
  readonly seconds: number
  readonly heapPeak: number
  readonly rssPeak: number
  /** Heap after garbage collection, before the play and after it, with all that the contestant keeps. */
  readonly heapBefore: number
  readonly heapAfter: number
  readonly groupsPeak: number
  readonly groupsKept: number
  readonly outcomes: Outcomes | null
  /** The engine's digest of the whole run. */
  readonly digest: string | null
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

interface Weighing {
  heapPeak: number
  rssPeak: number
}

function weigh(weighing: Weighing): void {
  weighing.heapPeak = Math.max(weighing.heapPeak, getHeapStatistics().used_heap_size)
  weighing.rssPeak = Math.max(weighing.rssPeak, process.memoryUsage.rss())
}

function heapAfterCollection(): number {
  collect()
  return getHeapStatistics().used_heap_size
}

/** Seconds of processor time of this thread: what else runs on the machine does not count. */
function timed(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000_000
}

function playEngineOff(): Player {
  return (workload) => playEngine("off", workload)
}

function playEngineFull(): Player {
  return (workload) => playEngine("full", workload)
}

function playEngine(recording: "full" | "off", workload: Rate): Played {
  const heapBefore = heapAfterCollection()
  const weighing = { heapPeak: 0, rssPeak: 0 }
  const { host, stage, run, outcomes } = engineRun(recording)
  let groupsPeak = 0
  const watch = (): void => {
    weigh(weighing)
    groupsPeak = Math.max(groupsPeak, host.groups.size)
  }
  const given = play(stage, { ...workload, watch })
  const seconds = timed(run)
  watch()
  const { turns, refusals, lateMessages } = host.counts
  if (refusals > 0 || lateMessages > 0) throw new Error(`${refusals} refusals, ${lateMessages} late messages`)
  const digest = host.digest()
  return {
    visits: workload.visits,
    inputs: turns,
    timers: turns - given(),
    seconds,
    ...weighing,
    heapBefore,
    heapAfter: heapAfterCollection(),
    groupsPeak,
    groupsKept: host.groups.size,
    outcomes: recording === "full" ? outcomes() : null,
    digest,
  }
}

function playActors({ stage, run, outcomes, counts }: LiveActors, workload: Rate): Played {
  const heapBefore = heapAfterCollection()
  const weighing = { heapPeak: 0, rssPeak: 0 }
  const given = play(stage, { ...workload, watch: () => weigh(weighing) })
  const seconds = timed(run)
  weigh(weighing)
  return {
    visits: workload.visits,
    inputs: given() + counts.timers,
    timers: counts.timers,
    seconds,
    ...weighing,
    heapBefore,
    heapAfter: heapAfterCollection(),
    groupsPeak: counts.peakGroups,
    groupsKept: 0,
    outcomes,
    digest: null,
  }
}
