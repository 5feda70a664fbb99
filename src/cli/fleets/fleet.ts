/**
 * `curbline fleet`: a fleet model on many seeds, its metrics with their intervals, and whether its promises are kept.
 */

import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs"
import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import { casesOf, inCase } from "../../simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../simulation/fleet/language/model.ts"
import { runFleet } from "./parallel/run-fleet.ts"
import type { Replicate } from "../../simulation/fleet/search/evaluate.ts"
import { withCosts } from "../../simulation/fleet/results/costs.ts"
import { resultCsv, resultJson } from "../../simulation/fleet/results/outputs.ts"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import { recordContext } from "../../live/configuration/build.ts"
import { recordedReplication, replicate } from "../../simulation/fleet/world/replication.ts"
import type { Replication } from "../../simulation/fleet/world/replication.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { nameOfFile, recordOfRun } from "../../simulation/run-record.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { readFleetFile } from "./fleet-files.ts"
import { resultText } from "./fleet-text.ts"
import { startProgress } from "../kit/progress.ts"
import { assertOutputs } from "../kit/outputs.ts"
import type { Progress } from "../kit/progress.ts"
import { seedsOf } from "../runs/run-scenarios.ts"
import { shellWord } from "../../model/values/shell-word.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, faultMessage, hasColor, out, styled } from "../kit/terminal.ts"
import { threadsOf } from "../kit/threads.ts"

export interface FleetFlags {
  readonly seeds?: string
  readonly workers?: string
  readonly full?: boolean
  readonly json?: boolean
  readonly csv?: string
  readonly report?: string
  readonly record?: string
  readonly checkDeterminism?: boolean
  readonly database?: string
}

export async function fleetCommand(file: string, flags: FleetFlags): Promise<ExitStatus> {
  const seeds = seedsOf(flags.seeds, "--seeds")
  const workers = threadsOf("--workers", flags.workers ?? "1")
  if (flags.database !== undefined && flags.workers !== undefined) {
    throw new UsageError(
      "--workers is for this machine; with --database the workers have threads of their own",
    )
  }
  const { model, problems } = await readFleetFile(file)
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (model === null) {
    err(`${counted(problems.length, "problem")}; nothing was run`)
    return EXIT.usage
  }
  if (flags.record !== undefined) assertOne(model, seeds)
  if (seeds !== null && model.find !== null) {
    throw new UsageError("--seeds does not go with a search, which confirms its answer on further seeds")
  }
  const outputs = { "--csv": flags.csv, "--report": flags.report, "--record": flags.record }
  assertOutputs(outputs, { what: "model", inputs: [file] })
  for (const path of [flags.csv, flags.report, flags.record]) if (path !== undefined) tryWriting(path)
  const startedMs = performance.now()
  const { result, differing } = await timedRun({ model, seeds, workers, flags })
  const wallMs = performance.now() - startedMs
  if (flags.csv !== undefined) writeFileSync(flags.csv, resultCsv(result))
  if (flags.report !== undefined) {
    const { writeReport } = await import("./fleet-report.ts")
    const seedsFlag = flags.seeds === undefined ? "" : ` --seeds ${flags.seeds}`
    const command = `npx curbline fleet ${shellWord(file)}${seedsFlag} --report report.html`
    await writeReport(flags.report, result, command)
  }
  if (flags.record !== undefined) differing.push(...recorded(file, result, flags.record))
  out(
    flags.json === true
      ? JSON.stringify(resultJson(result), null, 2)
      : resultText(result, { isFull: flags.full === true }),
  )
  if (flags.json !== true) err(styled("dim", speedText(result, wallMs), process.stderr))
  for (const line of differing) err(line)
  if (differing.length > 0) return EXIT.fault
  return result.verdict === "passed" ? EXIT.passed : EXIT.failed
}

/** A record is read entry by entry, so it has one replication. */
function assertOne(model: FleetModel, seeds: readonly number[] | null): void {
  const replications = (seeds?.length ?? model.replications) * casesOf(model).length
  if (replications === 1 && model.find === null) return
  if (model.find !== null) throw new UsageError("--record takes one replication, and a search makes many")
  throw new UsageError(
    `--record takes one replication, and these are ${replications}: name one with --seeds, of a model without sweep`,
  )
}

/** Makes the replication again with every entry kept, and reports if it differs. */
function recorded(file: string, { model, cases }: FleetResult, path: string): readonly string[] {
  const [one] = cases
  const first = one?.replications[0]
  if (one === undefined || first === undefined) return []
  const named = { seed: first.seed, name: nameOfFile(file), variant: null }
  const { replication, run } = recordedReplication(inCase(model, one.settings), named)
  writeFileSync(path, recordOfRun(run, recordContext()))
  err(`recorded ${counted(run.entries.length, "entry", "entries")} in ${path}`)
  return differences(first, withCosts(replication, model.costs))
}

/**
 * Checked before anything runs, so that no run is lost because a path cannot be written. An existing file stays until
 * then.
 */
function tryWriting(path: string): void {
  const isThere = existsSync(path)
  try {
    closeSync(openSync(path, "a"))
    // A run that is stopped leaves no empty file.
    if (!isThere) rmSync(path)
  } catch (cause) {
    throw new UsageError(`the file ${path} cannot be written: ${faultMessage(cause)}`)
  }
}

interface Wanted {
  readonly model: FleetModel
  readonly seeds: readonly number[] | null
  readonly workers: number
  readonly flags: FleetFlags
}

async function timedRun({ model, seeds, workers, flags }: Wanted) {
  const cases = casesOf(model).length
  const progress = startProgress((seeds?.length ?? model.replications) * cases, { showsRemaining: true })
  const maker = await makerOf({ workers, flags, progress })
  const differing: string[] = []
  const once: Replicate = (task) =>
    maker.replicate(task).catch((cause: unknown) => {
      progress.clear()
      err(`seed ${task.seed} broke`)
      throw cause
    })
  const make: Replicate = async (task) => {
    const made = await once(task)
    if (flags.checkDeterminism === true)
      differing.push(...differences(made, await once({ ...task, isRepeat: true })))
    return made
  }
  try {
    const result = await runFleet(model, {
      seeds,
      replicate: make,
      onDone: ({ virtualMs, turns }, wanted) => progress.done({ virtualMs, events: turns }, wanted),
    })
    return { result, differing }
  } finally {
    progress.clear()
    await maker.close()
  }
}

interface Maker {
  readonly replicate: Replicate
  readonly close: () => Promise<void>
}

/** On this thread, on threads of this machine, or on the machines that share a database. */
async function makerOf(options: {
  readonly workers: number
  readonly flags: FleetFlags
  readonly progress: Progress
}): Promise<Maker> {
  const { workers, flags, progress } = options
  if (flags.database !== undefined) {
    const { gatherFrom } = await import("./fleet-database.ts")
    return gatherFrom(flags.database, (line) => {
      progress.clear()
      err(line)
    })
  }
  if (workers > 1) return (await import("./parallel/threads.ts")).startThreads(workers)
  return { replicate: onThisThread(progress), close: () => Promise.resolve() }
}

/** One after the other; Ctrl-C and a closed reader are noticed between two replications. */
function onThisThread(progress: Progress): Replicate {
  let last: Promise<unknown> = Promise.resolve()
  return ({ model, seed, hasCourse }) => {
    const next = last.then(async () => {
      await nextTurnOfTheLoop()
      return replicate(model, {
        seed,
        hasCourse,
        onProgress: ({ virtualMs, turns }) => progress.during({ virtualMs, events: turns }),
      })
    })
    last = next.catch(() => {})
    return next
  }
}

/** What differs between two runs of one seed, which is a fault of the engine. */
function differences(one: Replication, other: Replication): readonly string[] {
  const lines: string[] = []
  if (one.digest !== other.digest)
    lines.push(`seed ${one.seed}: the digest ${one.digest}, then ${other.digest}`)
  for (const [name, value] of Object.entries(one.figures)) {
    if (other.figures[name] !== value)
      lines.push(`seed ${one.seed}: ${name} ${value}, then ${other.figures[name]}`)
  }
  if (JSON.stringify(one.parts) !== JSON.stringify(other.parts))
    lines.push(`seed ${one.seed}: other figures of its sites or demands`)
  return lines
}

function speedText({ cases }: FleetResult, wallMs: number): string {
  const all = cases.flatMap(({ replications }) => replications)
  const virtualMs = all.reduce((sum, one) => sum + one.virtualMs, 0)
  const turns = all.reduce((sum, one) => sum + one.turns, 0)
  const ratio = Math.round(virtualMs / Math.max(1, wallMs)).toLocaleString("en-US")
  return `${counted(all.length, "replication")}, ${turns.toLocaleString("en-US")} turns in ${(wallMs / 1000).toFixed(1)} s, ${ratio} × real time`
}
