/**
 * The engine's benchmark: the same visits on the engine, on live XState actors over a binary heap, and on live actors
 * over XState's SimulatedClock, in one process and turn about. `npm run bench`, or `npm run bench -- --quick` for a
 * tenth. Absolute numbers belong to the machine; the ratios are the claim. It fails when the contestants disagree about
 * how a single course of events ended, never for being slow.
 */

import { CONTESTANTS } from "./contestants.ts"
import type { ContestantName, Played } from "./contestants.ts"
import { countEnded, outcomeLines } from "./outcomes.ts"
import { printMachine } from "./machine-line.ts"

const ROUNDS = 3
/** A visit a second in the race: about 4,000 reservations are open at once, as in a large city. */
const RACE_INTERVAL_MS = 1_000
/** 20,000 visits a day for memory: the shortest run already outlasts a reservation's life and its hour before folding. */
const MEMORY_INTERVAL_MS = 4_320
const MEGABYTE = 1_000_000

const scale = process.argv.includes("--quick") ? 0.1 : 1
const startedMs = performance.now()

printMachine()
console.log("an input is an event from outside or a timer that fires; rates are medians, [slowest, fastest],")
console.log("per second of the thread's processor time, so that other work on the machine hardly counts\n")

const warm = { visits: 1_000 * scale, intervalMs: RACE_INTERVAL_MS }
for (const name of ["engine, recording off", "live actors, heap clock"] as const) CONTESTANTS[name]()(warm)

const engine: Played[] = []
const actors: Played[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  // Who goes first changes, so that neither always finds the warmer machine.
  const race = [
    () => engine.push(run("engine, recording off", 20_000)),
    () => actors.push(run("live actors, heap clock", 20_000)),
  ]
  for (const go of round % 2 === 0 ? race : race.toReversed()) go()
}
const simulated = run("live actors, SimulatedClock", 2_000)
const steady = [5_000, 20_000, 40_000].map((visits) =>
  run("engine, recording off", visits, MEMORY_INTERVAL_MS),
)
const recorded = run("engine, recording full", 20_000)

assertSameEnds()
showSpeed()
showMemory()
console.log(`\ntook ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)

function run(name: ContestantName, visits: number, intervalMs = RACE_INTERVAL_MS): Played {
  return CONTESTANTS[name]()({ visits: visits * scale, intervalMs })
}

function rate({ inputs, seconds }: Played): number {
  return inputs / seconds
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function showSpeed(): void {
  const [first] = engine as [Played]
  console.log(
    `${first.visits} visits, ${first.inputs} inputs, of them ${first.timers} timers; at most ${first.groupsPeak} groups`,
  )
  showRate("(a) engine, recording off", engine)
  showRate("(a) engine, recording full", [recorded])
  showRate("(b) live actors, heap clock", actors)
  showRate(`(c) live actors, SimulatedClock, ${simulated.visits} visits`, [simulated])
  const byRound = engine.map((played, round) => rate(played) / rate(actors[round] as Played))
  const overSimulated = median(engine.map(rate)) / rate(simulated)
  console.log(
    `a/b ${median(byRound).toFixed(2)} (rounds: ${byRound.map((ratio) => ratio.toFixed(2)).join(", ")})`,
  )
  console.log(`a/c ${overSimulated.toFixed(0)} per input`)
  // Text and hash of every entry are made in "full" alone, which keeps every entry in memory to the end.
  const keptOverActors = rate(recorded) / median(actors.map(rate))
  const keptOverSimulated = rate(recorded) / rate(simulated)
  console.log(`with every entry kept: a/b ${keptOverActors.toFixed(2)}, a/c ${keptOverSimulated.toFixed(0)}`)
}

function showRate(name: string, plays: readonly Played[]): void {
  const rates = plays.map(rate)
  const range =
    plays.length === 1 ? "" : `[${thousands(Math.min(...rates))}, ${thousands(Math.max(...rates))}]`
  const heap = megabytes(Math.max(...plays.map(({ heapPeak }) => heapPeak)))
  // The process keeps what earlier plays took: an rss is an upper bound, exact for the first play.
  const rss = megabytes(Math.max(...plays.map(({ rssPeak }) => rssPeak)))
  console.log(
    `  ${name.padEnd(46)}${thousands(median(rates)).padStart(6)}/s ${range.padEnd(12)} peak heap ${heap}, rss ≤ ${rss}`,
  )
}

function showMemory(): void {
  console.log(
    "\n(a) recording off, the same rate for longer: heap after garbage collection, above that before the run",
  )
  for (const played of steady) {
    const { visits, heapAfter, heapBefore, groupsKept, groupsPeak } = played
    const heap = megabytes(heapAfter - heapBefore)
    console.log(
      `  ${String(visits).padStart(6)} visits: ${heap}, ${groupsKept} groups kept (peak ${groupsPeak})`,
    )
  }
  const [, middle, long] = steady as [Played, Played, Played]
  const grown = long.heapAfter - long.heapBefore - (middle.heapAfter - middle.heapBefore)
  console.log(
    `  ${(grown / (long.visits - middle.visits)).toFixed(0)} bytes per further finished reservation`,
  )
}

/** Every contestant ends every course alike, fires as many timers, and the engine's digest does not see the recording. */
function assertSameEnds(): void {
  const [first] = engine as [Played]
  for (const { digest } of engine) assertEqual("run digests", digest, recorded.digest)
  for (const { timers, outcomes } of actors) {
    assertEqual("timers fired", timers, first.timers)
    assertEqual("ends of visits", linesOf(outcomes), linesOf(recorded.outcomes))
  }
  const small = run("engine, recording full", 2_000)
  assertEqual("ends of visits on SimulatedClock", linesOf(simulated.outcomes), linesOf(small.outcomes))
  const outcomes = recorded.outcomes ?? new Map<string, number>()
  const completed = countEnded(outcomes, "completed")
  const canceled = countEnded(outcomes, "canceled")
  assertEqual("visits ended", completed + canceled, recorded.visits)
  console.log(
    `(a), (b) and (c) end alike, by course and actor: ${completed} completed, ${canceled} canceled\n`,
  )
}

function linesOf(outcomes: Played["outcomes"]): string {
  return outcomeLines(outcomes ?? new Map()).join("\n")
}

function assertEqual(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what} differ:\n${String(found)}\n${String(expected)}`)
}

function thousands(perSecond: number): string {
  return `${(perSecond / 1000).toFixed(1)}k`
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}
