/** `curbline run`: scenarios on one or many seeds; twice to check determinism. */

import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import { SEEDS_PER_RUN_MAX, SEED_MAX } from "../../model/values/limits.ts"
import { recordOf } from "../../simulation/scenario/run.ts"
import type { Recording } from "../../simulation/run-record.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { runAnyScenario } from "../../simulation/swarm/scenario-run.ts"
import type { RunOptions, ScenarioRun } from "../../simulation/scenario/run.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { recordContext } from "../../live/configuration/build.ts"
import type { AgainstFlags } from "../against/service.ts"
import { chosenRuns } from "../scenarios/chosen-runs.ts"
import type { ChoiceFlags, ChosenRun } from "../scenarios/chosen-runs.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { junitXml } from "../scenarios/junit.ts"
import type { JunitCase } from "../scenarios/junit.ts"
import { keepFailed } from "../scenarios/last-run.ts"
import { startProgress } from "../kit/progress.ts"
import type { Progress } from "../kit/progress.ts"
import {
  failureText,
  faultJson,
  faultStack,
  faultText,
  junitCase,
  runJson,
  runLine,
  summary,
  titleOf,
} from "../scenarios/report.ts"
import type { FaultyRun, Tally, TimedRun } from "../scenarios/report.ts"
import type { RunReport } from "../run-report/collect.ts"
import { assertOutputs } from "../kit/outputs.ts"
import { readPaths } from "../scenarios/scenario-files.ts"
import { expectsNothing } from "../../simulation/scenario/language/expects-nothing.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, faultMessage, hasColor, out } from "../kit/terminal.ts"

export interface RunFlags extends ChoiceFlags, Partial<AgainstFlags> {
  readonly seed?: string
  readonly json?: boolean
  readonly record?: string
  readonly recording?: Recording
  readonly junit?: string
  readonly report?: string
  readonly inspect?: boolean
  readonly watch?: boolean
  readonly checkDeterminism?: boolean
}

/** Runs the paths once, or again and again while they are watched. */
export async function runCommand(paths: readonly string[], flags: RunFlags): Promise<ExitStatus> {
  refuseInVain(flags)
  if (flags.inspect === true) return runAndInspect(paths, flags)
  const status = await runOnce(paths, flags)
  if (flags.watch !== true) return status
  const { watchRuns } = await import("./watch-runs.ts")
  const keys = process.stdin.isTTY && process.stderr.isTTY ? process.stdin : null
  return watchRuns({ paths, status, keys, run: (choice) => runOnce(paths, { ...flags, ...choice }) })
}

/** Flags that have no effect with `--against`, or none without it. */
function refuseInVain(flags: RunFlags): void {
  const isAgainst = flags.against !== undefined
  const given = (names: readonly (keyof RunFlags)[]): string | undefined =>
    names
      .find((name) => flags[name] !== undefined)
      ?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const inVain = isAgainst
    ? given(["seed", "record", "inspect", "checkDeterminism"])
    : given(["key", "receiverPort", "receiverUrl"])
  if (inVain === undefined) return
  throw new UsageError(
    isAgainst
      ? `--${inVain} is for runs in memory: what happens inside of a service cannot be seen or drawn by a seed`
      : `--${inVain} goes with --against`,
  )
}

/** Records into the given file, or into a temporary one, and serves it as a page. */
async function runAndInspect(paths: readonly string[], flags: RunFlags): Promise<ExitStatus> {
  if (flags.watch === true || flags.json === true)
    throw new UsageError("--inspect goes with neither --watch nor --json")
  const own = flags.record === undefined ? mkdtempSync(join(tmpdir(), "curbline-")) : null
  const record = flags.record ?? join(own ?? "", "run.ndjson")
  try {
    const status = await runOnce(paths, { ...flags, record })
    if (status === EXIT.usage) return status
    const { inspectCommand } = await import("../records/inspect.ts")
    await inspectCommand([record], {})
    return status
  } finally {
    if (own !== null) rmSync(own, { recursive: true })
  }
}

async function runOnce(paths: readonly string[], flags: RunFlags): Promise<ExitStatus> {
  const seeds = seedsOf(flags.seed)
  const { files, scenarios, problems } = await readPaths(paths)
  if (problems.length > 0) {
    for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
    err(`${counted(problems.length, "problem")}; nothing was run`)
    return EXIT.usage
  }
  const chosen = chosenRuns(scenarios, seeds, flags)
  const outputs = { "--record": flags.record, "--report": flags.report, "--junit": flags.junit }
  assertOutputs(outputs, { what: "scenario", inputs: files })
  const record = flags.record === undefined ? null : openRecord(flags.record, flags.recording)
  const report =
    flags.report === undefined ? null : await openReport(flags.report, { paths, flags, runs: chosen.length })
  try {
    if (flags.against === undefined) return await runAll(chosen, { flags, record, report })
    const { runChosenAgainst } = await import("../against/against-command.ts")
    const status = await runChosenAgainst(chosen, { flags: { ...flags, against: flags.against }, report })
    if (report !== null) await writeReport(report, flags.report ?? "")
    return status
  } finally {
    record?.close()
  }
}

interface Outlets {
  readonly flags: RunFlags
  readonly record: RecordFile | null
  readonly report: RunReport | null
}

/** Every scenario on every seed. Of a finished run only the data for the final output is kept. */
async function runAll(runs: readonly ChosenRun[], { flags, record, report }: Outlets): Promise<ExitStatus> {
  const isJson = flags.json === true
  const progress = startProgress(runs.length)
  const tally = { passed: 0, failed: 0, faults: 0 }
  const json: object[] = []
  const cases: JunitCase[] = []
  let [differing, empty] = [0, 0]
  for (const { scenario, seed } of runs) {
    const ends: RunContext[] = []
    const ended = timedRun(scenario, seed, {
      ...telling(progress),
      atEnd: (context) => void ends.push(context),
    })
    const isFaulty = "cause" in ended
    tally[isFaulty ? "faults" : ended.run.verdict] += 1
    if (!isFaulty && ended.run.verdict === "passed" && expectsNothing(scenario)) empty += 1
    cases.push(junitCase(ended))
    if (isJson) json.push(isFaulty ? faultJson(ended) : runJson(ended))
    if (!isJson || isFaulty) progress.clear()
    if (isFaulty) tellFault(ended, isJson)
    else if (!isJson) tell(ended)
    if (isFaulty) report?.addFault(ended)
    else {
      const [context] = ends
      if (context !== undefined) report?.add(ended.run, context)
      record?.add(ended.run)
      if (flags.checkDeterminism === true) differing += whereItParts(ended.run, () => progress.clear())
      progress.done(ended.run)
    }
    // Ctrl-C and a closed reader are noticed between two runs.
    await nextTurnOfTheLoop()
  }
  progress.clear()
  keepFailed(cases)
  if (flags.junit !== undefined) {
    const file = flags.junit
    writing(`the JUnit report ${file}`, () => writeFileSync(file, junitXml(cases)))
  }
  if (report !== null) await writeReport(report, flags.report ?? "")
  if (runs.length === 0) err(nothingToRun(flags))
  if (record !== null) err(`recorded ${counted(record.runs, "run")} in ${flags.record}`)
  out(isJson ? JSON.stringify({ runs: json, ...tally }, null, 2) : summary(tally, empty))
  return statusOf(tally, differing)
}

/** Only these flags may leave nothing to run: a tag or a text without a scenario is a mistake. */
function nothingToRun({ failed, shard }: RunFlags): string {
  return failed === true
    ? "none of these scenarios has failed here, or it has passed since"
    : `nothing is in part ${shard}: there are fewer runs than parts`
}

function statusOf({ failed, faults }: Tally, differing: number): ExitStatus {
  if (faults + differing > 0) return EXIT.fault
  return failed === 0 ? EXIT.passed : EXIT.failed
}

/** Loaded on demand: a report needs the code of pages. */
async function openReport(
  file: string,
  {
    paths,
    flags,
    runs,
  }: { readonly paths: readonly string[]; readonly flags: RunFlags; readonly runs: number },
): Promise<RunReport> {
  writing(`the report ${file}`, () => writeFileSync(file, ""))
  const { RunReport: Report } = await import("../run-report/collect.ts")
  const seed = flags.seed === undefined ? "" : ` --seed ${flags.seed}`
  const against = flags.against === undefined ? "" : ` --against ${flags.against}`
  return new Report(file, {
    runs,
    command: `npx curbline run ${paths.join(" ")}${seed}${against} --report ${file}`,
  })
}

async function writeReport(report: RunReport, file: string): Promise<void> {
  try {
    await report.write()
  } catch (cause) {
    throw new UsageError(`the report ${file} cannot be written: ${faultMessage(cause)}`)
  }
  err(`wrote ${file}`)
}

interface RecordFile {
  /** Runs written so far. */
  readonly runs: number
  readonly add: (run: ScenarioRun) => void
  readonly close: () => void
}

/** Opens the record before anything runs, so that no run is lost because a path cannot be written. */
function openRecord(path: string, recording?: Recording): RecordFile {
  const file = writing(`the record ${path}`, () => openSync(path, "w"))
  const context = recordContext(recording)
  let runs = 0
  return {
    get runs() {
      return runs
    },
    add: (run) => {
      const text = recordOf(run, context)
      writing(`the record ${path}`, () => appendFileSync(file, text))
      runs += 1
    },
    close: () => closeSync(file),
  }
}

function writing<Result>(what: string, write: () => Result): Result {
  try {
    return write()
  } catch (cause) {
    throw new UsageError(`${what} cannot be written: ${faultMessage(cause)}`)
  }
}

/** A fault ends only its own run: it is a result like any other. */
function timedRun(
  scenario: Scenario,
  seed: number,
  options: Pick<RunOptions, "atEnd" | "watch">,
): TimedRun | FaultyRun {
  const startedAt = performance.now()
  try {
    const run = runAnyScenario(scenario, { seed, ...options })
    return { run, wallMs: performance.now() - startedAt }
  } catch (cause) {
    return { scenario, seed, wallMs: performance.now() - startedAt, cause }
  }
}

/** Agenda entries between two reads of the host clock: reading it takes about as long as an entry. */
const ENTRIES_A_LOOK = 500

function telling({ during }: Progress): Pick<RunOptions, "watch"> {
  return {
    watch: ({ host }) => {
      const startMs = host.time.nowMs
      let entries = 0
      return {
        afterEntry: () => {
          entries += 1
          if (entries % ENTRIES_A_LOOK !== 0) return
          during({ virtualMs: host.time.nowMs - startMs, events: host.counts.turns })
        },
      }
    },
  }
}

function tell(timed: TimedRun): void {
  out(runLine(timed))
  for (const failure of timed.run.failures) out(failureText(timed.run, failure))
}

function tellFault(faulty: FaultyRun, isJson: boolean): void {
  if (!isJson) out(faultText(faulty))
  const stack = faultStack(faulty.cause)
  if (!isJson && stack === null) return
  err(`engine fault in ${titleOf(faulty)}, seed ${faulty.seed}: ${faultMessage(faulty.cause)}`)
  if (stack !== null) err(stack)
}

/** Runs the scenario again: 0 when both journals are equal, else 1 after printing where they differ. */
function whereItParts(run: ScenarioRun, beforeSaying: () => void): 0 | 1 {
  const difference = differenceOf(run, timedRun(run.scenario, run.seed, {}))
  if (difference.length === 0) return 0
  beforeSaying()
  for (const line of difference) err(line)
  return 1
}

function differenceOf(run: ScenarioRun, second: TimedRun | FaultyRun): readonly string[] {
  const opening = `${titleOf(run)}: not deterministic`
  if ("cause" in second) return [`${opening}: the second run broke: ${faultMessage(second.cause)}`]
  const again = second.run
  const count = Math.max(run.entries.length, again.entries.length)
  for (let at = 0; at < count; at += 1) {
    const one = run.entries[at]?.entry
    const other = again.entries[at]?.entry
    if (one?.group === other?.group && one?.text === other?.text) continue
    return [
      `${opening} at entry ${at + 1}`,
      `  first:  ${one === undefined ? "nothing" : `${one.group} r${one.revision} ${one.text}`}`,
      `  second: ${other === undefined ? "nothing" : `${other.group} r${other.revision} ${other.text}`}`,
    ]
  }
  return run.hash === again.hash ? [] : [`${opening}: hashes ${run.hash} and ${again.hash}`]
}

/** The seeds of a flag, `7` or `1..20`; null without a flag. */
export function seedsOf(text: string | undefined, flag = "--seed"): readonly number[] | null {
  if (text === undefined) return null
  const found = /^(\d+)(?:\.\.(\d+))?$/.exec(text)
  const from = Number(found?.[1])
  const to = found?.[2] === undefined ? from : Number(found[2])
  if (found === null || to < from)
    throw new UsageError(`${flag} takes a number or a range such as 1..20, not "${text}"`)
  if (to > SEED_MAX) throw new UsageError(`${flag} takes seeds from 0 to ${SEED_MAX}, not "${text}"`)
  const count = to - from + 1
  if (count > SEEDS_PER_RUN_MAX) {
    throw new UsageError(`${flag} takes at most ${SEEDS_PER_RUN_MAX} seeds, "${text}" is ${count}`)
  }
  return Array.from({ length: count }, (_, at) => from + at)
}
