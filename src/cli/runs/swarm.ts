/** `curbline swarm`: random worlds with faults, seed after seed; what broke is made small and written down. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import { SEED_MAX, SWARM_MINUTES_MAX } from "../../model/values/limits.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { CATALOGUE } from "../../simulation/swarm/catalogue.ts"
import { program } from "../../apps/composition/program.ts"
import { COVERED } from "../../simulation/swarm/coverage.ts"
import { Tally, findingOf, tryingSeed } from "../../simulation/swarm/explore.ts"
import type { Finding, SeedResult } from "../../simulation/swarm/explore.ts"
import { reachOf } from "../../simulation/swarm/reach.ts"
import type { Reach } from "../../simulation/swarm/reach.ts"
import { startThreads } from "../../simulation/swarm/threads.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { seedsOf } from "./run-scenarios.ts"
import { corpusOf } from "./swarm-corpus.ts"
import { err, hasColor, out, styled } from "../kit/terminal.ts"
import { threadsOf } from "../kit/threads.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface SwarmFlags {
  readonly minutes?: string
  readonly seeds?: string
  readonly seed?: string
  readonly workers?: string
  readonly host?: string
  readonly json?: boolean
  readonly keep?: string
  readonly corpus?: string
  readonly extend?: boolean
}

/** Without `--minutes` and `--seeds`. */
const SEEDS_USUAL = 500

/** Sentences of which a failing seed is made small; further seeds of one sentence are listed. */
const FINDINGS_MAX = 10

const SHOWN_EVERY_MS = 1_000
const LINE_EVERY_MS = 30_000

export async function swarmCommand(flags: SwarmFlags): Promise<ExitStatus> {
  const workers = threadsOf("--workers", flags.workers ?? "1")
  const isSql = hostOf(flags.host ?? "memory") === "sql"
  const corpus = corpusOf(flags, isSql)
  const { seeds, untilMs } = wanted(flags, corpus?.seeds ?? [])
  if (isSql && workers > 1) throw new UsageError("--host sql runs on one thread: leave out --workers")
  const startedMs = performance.now()
  const tally = new Tally()
  const progress = startLine(tally, startedMs)
  await tryAll({ seeds, untilMs, workers, isSql }, (result) => {
    tally.add(result)
    corpus?.add(result)
    progress.show()
    if (result.broken.length === 0) return
    progress.clear()
    err(failureLine(result, isSql))
  })
  progress.clear()
  const findings = withFiles(await findingsOf(tally, isSql, progress), flags.keep ?? ".curbline/swarm")
  const wallMs = performance.now() - startedMs
  const kept = corpus?.end() ?? null
  const lines = [asText(tally, { findings, wallMs, isSql }), ...(kept?.lines ?? [])]
  const json = { ...asJson(tally, findings, wallMs), ...(kept === null ? {} : { corpus: kept.json }) }
  out(flags.json === true ? JSON.stringify(json, null, 2) : lines.join("\n"))
  return tally.seedsBySentence.size === 0 && kept?.isReached !== false ? EXIT.passed : EXIT.failed
}

/** One finding for each broken sentence, made small. */
async function findingsOf(tally: Tally, isSql: boolean, { clear }: Progress): Promise<readonly Finding[]> {
  const firsts = [...tally.seedsBySentence].slice(0, FINDINGS_MAX).flatMap(([sentence, [seed]]) => {
    return seed === undefined ? [] : [{ sentence, seed }]
  })
  clear()
  if (!isSql) return firsts.flatMap(({ seed }) => findingOf(seed) ?? [])
  if (firsts.length === 0) return []
  const seeds = (await import("../../live/swarm-sql/explore.ts")).startSqlSeeds()
  const findings: Finding[] = []
  try {
    for (const { sentence, seed } of firsts) {
      const finding = await seeds.findingOf(seed, sentence)
      if (finding === null)
        err(`seed ${seed} did not fail again: over a database the order of events may differ`)
      else findings.push(finding)
    }
  } finally {
    await seeds.close()
  }
  return findings
}

interface Wanted {
  readonly seeds: Iterable<number>
  readonly untilMs: number
}

function wanted({ minutes, seeds, seed }: SwarmFlags, first: readonly number[]): Wanted {
  if (seeds !== undefined && seed !== undefined)
    throw new UsageError("--seed is one of --seeds: give one of the two")
  const given = seedsOf(seeds ?? seed, seeds === undefined ? "--seed" : "--seeds")
  if (minutes === undefined)
    return { seeds: firstly(first, given ?? counting(1, SEEDS_USUAL)), untilMs: Number.POSITIVE_INFINITY }
  const count = Number(minutes)
  if (!(count > 0 && count <= SWARM_MINUTES_MAX))
    throw new UsageError(`--minutes takes a number above 0 and up to ${SWARM_MINUTES_MAX}, not "${minutes}"`)
  return {
    seeds: firstly(first, given ?? counting(1, SEED_MAX)),
    untilMs: performance.now() + count * 60_000,
  }
}

/** These first, and each seed once. */
function* firstly(first: readonly number[], others: Iterable<number>): Iterable<number> {
  yield* first
  const known = new Set(first)
  for (const seed of others) if (!known.has(seed)) yield seed
}

function* counting(from: number, to: number): Iterable<number> {
  for (let seed = from; seed <= to; seed += 1) yield seed
}

function hostOf(given: string): "memory" | "sql" {
  if (given === "memory" || given === "sql") return given
  throw new UsageError(`--host takes memory or sql, not "${given}"`)
}

async function tryAll(
  { seeds, untilMs, workers, isSql }: Wanted & { readonly workers: number; readonly isSql: boolean },
  onResult: (result: SeedResult) => void,
): Promise<void> {
  const rest = seeds[Symbol.iterator]()
  const threads = isSql
    ? (await import("../../live/swarm-sql/explore.ts")).startSqlSeeds()
    : workers > 1
      ? startThreads(workers)
      : null
  const trySeed = async (seed: number): Promise<SeedResult> => {
    if (threads !== null) return threads.trySeed(seed)
    // Ctrl-C and a closed reader are noticed between two seeds.
    await nextTurnOfTheLoop()
    return tryingSeed(seed)
  }
  const oneAfterTheOther = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const next = rest.next()
      if (next.done === true) return
      onResult(await trySeed(next.value))
    }
  }
  try {
    await Promise.all(Array.from({ length: workers }, oneAfterTheOther))
  } finally {
    await threads?.close()
  }
}

/** Writes the scenario file of each finding that has one. */
function withFiles(findings: readonly Finding[], folder: string): readonly Kept[] {
  return findings.map((finding) => {
    const { seed, written } = finding
    if (written.file === null) return { ...finding, file: null }
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `seed-${seed}.yaml`)
    writeFileSync(path, written.file)
    return { ...finding, file: path }
  })
}

function failureLine({ seed, broken }: SeedResult, isSql: boolean): string {
  const [first] = broken
  return `seed ${seed} broke "${first?.sentence}": ${first?.found}; again: npx curbline swarm --seed ${seed}${isSql ? " --host sql" : ""}`
}

type Kept = Finding & { readonly file: string | null }

function findingText(finding: Kept, seeds: readonly number[], isSql: boolean): string {
  const { seed, sentence, found, moves, faults, runs, file, written } = finding
  const others =
    seeds.length > 1 ? [`  seeds: ${seeds.slice(0, 20).join(", ")}${seeds.length > 20 ? ", …" : ""}`] : []
  return [
    styled("red", `broken: ${sentence}`),
    `  found: ${found}`,
    `  again: npx curbline swarm --seed ${seed}${isSql ? " --host sql" : ""}`,
    ...others,
    `  made small: ${counted(moves.after, "move")} of ${moves.before}, ${counted(faults.length, "fault")}, in ${counted(runs, "run")}`,
    file === null ? `  no scenario file: ${written.why}` : `  scenario: npx curbline run ${file}`,
    ...written.words.split("\n").map((line) => `  | ${line}`),
  ].join("\n")
}

interface Ended {
  readonly findings: readonly Kept[]
  readonly wallMs: number
  readonly isSql: boolean
}

function asText(tally: Tally, { findings, wallMs, isSql }: Ended): string {
  const failing = [...tally.seedsBySentence.values()].reduce((sum, { length }) => sum + length, 0)
  return [
    ...findings.map((one) => `${findingText(one, tally.seedsBySentence.get(one.sentence) ?? [], isSql)}\n`),
    `${counted(tally.seeds, "seed")}, ${perSecond(tally, wallMs)} a second, ${counted(tally.events, "turn")}, ${counted(CATALOGUE.length, "invariant")}`,
    coverageText(tally),
    failing === 0
      ? styled("green", "nothing broke")
      : styled("red", `${counted(failing, "seed")} broke something`),
  ].join("\n")
}

function coverageText({ coverage }: Tally): string {
  const { states, transitions } = reachOf(coverage, program.machines)
  const of = ({ all, missed }: Reach): string => `${all - missed.length} of ${all}`
  const others = COVERED.filter((kind) => kind !== "transition")
  const parts = [
    `${of(states)} states`,
    `${of(transitions)} transitions`,
    ...others.map((kind) => counted(coverage.counts.get(kind)?.size ?? 0, kind)),
  ]
  const faults = [...(coverage.counts.get("fault") ?? [])].map(([name, times]) => `${name} ${times}`)
  return `reached: ${parts.join(", ")}${faults.length === 0 ? "" : ` (${faults.toSorted().join(", ")})`}`
}

function asJson(tally: Tally, findings: readonly Kept[], wallMs: number): object {
  const { states, transitions } = reachOf(tally.coverage, program.machines)
  return {
    seeds: tally.seeds,
    seeds_per_second: Number(perSecond(tally, wallMs)),
    turns: tally.events,
    virtual_ms: tally.virtualMs,
    wall_ms: Math.round(wallMs),
    invariants: CATALOGUE.map(({ sentence }) => sentence),
    failing: Object.fromEntries(tally.seedsBySentence),
    findings: findings.map(({ written, ...finding }) => ({
      ...finding,
      course: written.words,
      why_no_file: written.why,
    })),
    coverage: Object.fromEntries(
      [...tally.coverage.counts].map(([kind, names]) => [
        kind,
        Object.fromEntries([...names].toSorted(([one], [other]) => (one < other ? -1 : 1))),
      ]),
    ),
    not_reached: { states: states.missed, transitions: transitions.missed },
  }
}

function perSecond({ seeds }: Tally, wallMs: number): string {
  return ((seeds * 1000) / Math.max(1, wallMs)).toFixed(1)
}

interface Progress {
  readonly show: () => void
  readonly clear: () => void
}

/** One line on stderr: overwritten on a terminal, and a new line now and then without one. */
function startLine(tally: Tally, startedMs: number): Progress {
  const isTerminal = hasColor(process.stderr)
  let shownMs = startedMs
  let isShown = false
  const clear = (): void => {
    if (isShown) process.stderr.write("\r\u001B[2K")
    isShown = false
  }
  return {
    clear,
    show: () => {
      const nowMs = performance.now()
      if (nowMs - shownMs < (isTerminal ? SHOWN_EVERY_MS : LINE_EVERY_MS)) return
      shownMs = nowMs
      const reached = tally.coverage.counts.get("transition")?.size ?? 0
      const line = `${counted(tally.seeds, "seed")}, ${perSecond(tally, nowMs - startedMs)} a second, ${counted(reached, "transition")} reached`
      if (!isTerminal) {
        err(line)
        return
      }
      clear()
      process.stderr.write(line.slice(0, process.stderr.columns - 1))
      isShown = true
    },
  }
}
