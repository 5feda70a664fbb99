/** The swarm for the studio's page: seeds on threads, as a stream of what they reached and broke; a failing seed made small. */

import { availableParallelism } from "node:os"
import { program } from "../../apps/composition/program.ts"
import { SEED_MAX } from "../../model/values/limits.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { Tally } from "../../simulation/swarm/explore.ts"
import type { Finding, SeedResult } from "../../simulation/swarm/explore.ts"
import { reachOf } from "../../simulation/swarm/reach.ts"
import type { Reach } from "../../simulation/swarm/reach.ts"
import { startThreads } from "../../simulation/swarm/threads.ts"
import type { Threads } from "../../simulation/swarm/threads.ts"
import type {
  SwarmFigures,
  SwarmFinding,
  SwarmPart,
  SwarmProgress,
  SwarmRequest,
} from "../../pages/web/studio/swarm/swarm-contract.ts"
import { jsonLines } from "./told-lines.ts"

/** One processor stays free for the server and the page. */
export const SWARM_WORKERS_MAX = Math.max(1, availableParallelism() - 1)

/** Between two lines of figures. */
const FIGURES_EVERY_MS = 500

/** Where seeds run; tests run programs with planted bugs. */
export type SwarmThreads = (workers: number) => Threads

/** The threads end with the stream. */
export async function* swarmRun(
  asked: SwarmRequest,
  {
    signal,
    threads: start = startThreads,
  }: { readonly signal: AbortSignal; readonly threads?: SwarmThreads },
): AsyncGenerator<string> {
  const threads = start(asked.workers)
  const work = (say: (line: SwarmProgress) => void): Promise<void> => tried(asked, { threads, say, signal })
  try {
    yield* jsonLines(work, signal)
  } finally {
    await threads.close()
  }
}

interface Trying {
  readonly threads: Threads
  readonly say: (line: SwarmProgress) => void
  readonly signal: AbortSignal
}

async function tried(asked: SwarmRequest, { threads, say, signal }: Trying): Promise<void> {
  const startedMs = performance.now()
  const isTimed = asked.unit === "minutes"
  const untilMs = isTimed ? startedMs + asked.count * MINUTE_MS : Number.POSITIVE_INFINITY
  const last = isTimed ? SEED_MAX : Math.min(SEED_MAX, asked.from + asked.count - 1)
  const tally = new Tally()
  let seed = asked.from
  let saidMs = startedMs
  const take = (result: SeedResult): void => {
    const [first] = result.broken
    const isNew = first !== undefined && !tally.seedsBySentence.has(first.sentence)
    tally.add(result)
    if (isNew) {
      const { sentence, found } = first
      say({ is: "broken", broken: { sentence, found, seed: result.seed } })
    }
    const nowMs = performance.now()
    if (nowMs - saidMs < FIGURES_EVERY_MS) return
    saidMs = nowMs
    say({ is: "figures", figures: figuresOf(tally, nowMs - startedMs) })
  }
  const oneAfterTheOther = async (): Promise<void> => {
    while (!signal.aborted && seed <= last && performance.now() < untilMs) {
      const next = seed
      seed += 1
      take(await threads.trySeed(next))
    }
  }
  await Promise.all(Array.from({ length: asked.workers }, oneAfterTheOther))
  say({ is: "end", figures: figuresOf(tally, performance.now() - startedMs) })
}

function figuresOf(tally: Tally, wallMs: number): SwarmFigures {
  const { states, transitions } = reachOf(tally.coverage, program.machines)
  return {
    seeds: tally.seeds,
    perSecond: Number(((tally.seeds * 1000) / Math.max(1, wallMs)).toFixed(1)),
    turns: tally.events,
    wallMs: Math.round(wallMs),
    states: partOf(states),
    transitions: partOf(transitions),
  }
}

function partOf({ all, missed }: Reach): SwarmPart {
  return { reached: all - missed.length, all }
}

/** A finding as the page shows it. */
export function shownFinding({ seed, sentence, moves, faults, written }: Finding): SwarmFinding {
  return { seed, sentence, moves, faults, words: written.words, text: written.file, why: written.why }
}
