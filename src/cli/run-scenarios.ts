/** `curbline run`: scripted scenarios, on one seed or many, twice when determinism is to be checked. */

import { statSync, watch, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { SEEDS_PER_RUN_MAX } from "../model/limits.ts"
import { recordOf } from "../simulation/record.ts"
import type { Recording } from "../simulation/record.ts"
import { runScenario } from "../simulation/scenario/run.ts"
import type { ScenarioRun } from "../simulation/scenario/run.ts"
import type { Scenario } from "../simulation/scenario/language.ts"
import { formatProblem } from "../simulation/scenario/problems.ts"
import { recordContext } from "./build.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { failureText, runJson, runLine, summary, titleOf } from "./report.ts"
import type { TimedRun } from "./report.ts"
import { UsageError, readPaths } from "./scenario-files.ts"
import { err, hasColor, out } from "./terminal.ts"

export interface RunFlags {
  readonly seed?: string
  readonly json?: boolean
  readonly record?: string
  readonly recording?: Recording
  readonly watch?: boolean
  readonly checkDeterminism?: boolean
}

const WATCH_SETTLES_MS = 100

/** Runs the paths once, or again at every change of a file below them until Ctrl-C. */
export async function runCommand(paths: readonly string[], flags: RunFlags): Promise<ExitStatus> {
  const status = await runOnce(paths, flags)
  if (flags.watch !== true) return status
  let pending: NodeJS.Timeout | undefined
  const again = (): void => {
    clearTimeout(pending)
    pending = setTimeout(() => {
      runOnce(paths, flags).catch((cause: unknown) =>
        err(cause instanceof Error ? cause.message : String(cause)),
      )
    }, WATCH_SETTLES_MS)
  }
  for (const path of paths) {
    const isFolder = statSync(path).isDirectory()
    watch(isFolder ? path : dirname(path), { recursive: isFolder }, again)
  }
  err(`watching ${paths.join(", ")}; Ctrl-C ends it`)
  return new Promise<never>(() => {})
}

async function runOnce(paths: readonly string[], flags: RunFlags): Promise<ExitStatus> {
  const { scenarios, problems } = await readPaths(paths)
  if (problems.length > 0) {
    for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
    err(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}; nothing was run`)
    return EXIT.usage
  }
  const seeds = seedsOf(flags.seed)
  const runs: TimedRun[] = []
  let differing = 0
  for (const scenario of scenarios) {
    for (const seed of seeds ?? [scenario.seed]) {
      const timed = timedRun(scenario, seed)
      runs.push(timed)
      if (flags.json !== true) tell(timed)
      if (flags.checkDeterminism === true && !repeats(timed.run)) differing += 1
    }
  }
  if (flags.record !== undefined) {
    const context = recordContext(flags.recording)
    writeFileSync(flags.record, runs.map(({ run }) => recordOf(run, context)).join(""))
    err(`recorded ${runs.length} runs in ${flags.record}`)
  }
  const failed = runs.filter(({ run }) => run.verdict === "failed").length
  if (flags.json === true) {
    out(JSON.stringify({ runs: runs.map(runJson), passed: runs.length - failed, failed }, null, 2))
  } else {
    out(summary(runs))
  }
  if (differing > 0) return EXIT.fault
  return failed === 0 ? EXIT.passed : EXIT.failed
}

function timedRun(scenario: Scenario, seed: number): TimedRun {
  const startedAt = performance.now()
  try {
    const run = runScenario(scenario, { seed })
    return { run, wallMs: performance.now() - startedAt }
  } catch (cause) {
    err(`engine fault in ${scenario.title}, seed ${seed}`)
    err(`  again: npx curbline run ${scenario.file} --seed ${seed}`)
    throw cause
  }
}

function tell(timed: TimedRun): void {
  out(runLine(timed))
  for (const failure of timed.run.failures) out(failureText(timed.run, failure))
}

/** Runs the scenario again and says where the two journals part. */
function repeats(run: ScenarioRun): boolean {
  const again = runScenario(run.scenario, { seed: run.seed })
  const count = Math.max(run.entries.length, again.entries.length)
  for (let at = 0; at < count; at += 1) {
    const one = run.entries[at]?.entry
    const other = again.entries[at]?.entry
    if (one?.group === other?.group && one?.text === other?.text) continue
    err(`${titleOf(run)}: not deterministic at entry ${at + 1}`)
    err(`  first:  ${one === undefined ? "nothing" : `${one.group} r${one.revision} ${one.text}`}`)
    err(`  second: ${other === undefined ? "nothing" : `${other.group} r${other.revision} ${other.text}`}`)
    return false
  }
  if (run.hash === again.hash) return true
  err(`${titleOf(run)}: not deterministic: hashes ${run.hash} and ${again.hash}`)
  return false
}

/** `7`, or `1..20`; null when none was given. */
function seedsOf(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null
  const found = /^(\d+)(?:\.\.(\d+))?$/.exec(text)
  const from = Number(found?.[1])
  const to = found?.[2] === undefined ? from : Number(found[2])
  if (found === null || to < from || to - from >= SEEDS_PER_RUN_MAX || to > Number.MAX_SAFE_INTEGER) {
    throw new UsageError(`--seed takes a number or a range such as 1..20, not "${text}"`)
  }
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
