/** The commands check, explain, replay, chart and generate, over files of this checkout. */

import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chartOf } from "../pages/chart/chart-document.ts"
import type { ChartDocument } from "../pages/chart/chart-document.ts"
import { mermaidOf } from "../pages/chart/mermaid.ts"
import { outlineOf } from "../pages/chart/outline.ts"
import { machineNamed, registeredMachines } from "../pages/chart/registered-machine.ts"
import { worldMachines } from "../simulation/fleet/world/machines/index.ts"
import { tablesOf } from "../pages/chart/markdown-table.ts"
import { fleetSchemaText } from "../simulation/fleet/language/json-schema.ts"
import { durationText } from "../pages/inspection/durations.ts"
import { eventName } from "../pages/inspection/event-name.ts"
import { statesText } from "../pages/inspection/state-value.ts"
import { persistGroup } from "../engine/kernel/group.ts"
import { program } from "../apps/composition/program.ts"
import { readWhatIf } from "../simulation/fork/what-if.ts"
import { replayRecord } from "../simulation/replay.ts"
import type { Stopped } from "../simulation/replay.ts"
import { counted } from "../simulation/scenario/language/counted.ts"
import { expectsNothing } from "../simulation/scenario/language/expects-nothing.ts"
import { explain } from "../simulation/scenario/words/explain.ts"
import { scenarioSchemaText } from "../simulation/scenario/words/json-schema.ts"
import { formatProblem } from "../simulation/scenario/language/problems.ts"
import type { Problem } from "../simulation/scenario/language/problems.ts"
import { wordsPage } from "../simulation/scenario/words/words-page.ts"
import { runAnyScenario } from "../simulation/swarm/scenario-run.ts"
import { EXIT } from "./kit/exit-codes.ts"
import type { ExitStatus } from "./kit/exit-codes.ts"
import { goldenTexts, staleGolden, writeGolden } from "./scenarios/golden.ts"
import { emptyText } from "./scenarios/report.ts"
import { readFleetFile } from "./fleets/fleet-files.ts"
import { languageNames, readFiles, readPaths, sortedPaths } from "./scenarios/scenario-files.ts"
import { UsageError } from "./kit/usage-error.ts"
import type { ReadFiles } from "./scenarios/scenario-files.ts"
import { err, hasColor, out } from "./kit/terminal.ts"
import { readText, readWritten, textAt } from "./kit/text-files.ts"
import { upTo } from "../model/values/text-ends.ts"

const SHOWN_MAX = 400

/** Checks schema, names and reachability of scenarios, fleet models and what-if files, without running them. */
export async function checkCommand(paths: readonly string[]): Promise<ExitStatus> {
  const sorted = sortedPaths(paths)
  const others = sorted.fleets.length + sorted.whatIfs.length
  const hasNoScenario = sorted.scenarios.length === 0 && others > 0
  const read = hasNoScenario ? NONE : await readFiles(sorted.scenarios, paths)
  const fleets = await Promise.all(sorted.fleets.map((file) => readFleetFile(file)))
  const whatIfs = sorted.whatIfs.map((file) => readWhatIfFile(file))
  const problems = [...read.problems, ...[...fleets, ...whatIfs].flatMap((one) => one.problems)]
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  for (const { place, message } of fleets.flatMap(({ advice }) => advice)) {
    err(`! ${place.file}:${place.line}:${place.column}: ${message}`)
  }
  const empty = read.scenarios.filter(expectsNothing)
  for (const scenario of empty) err(`warning: ${emptyText(scenario)}`)
  const files = counted(read.files.length + others, "file")
  if (problems.length > 0) {
    err(`${counted(problems.length, "problem")} in ${files}`)
    return EXIT.usage
  }
  const models = fleets.length === 0 ? "" : ` and ${counted(fleets.length, "fleet model")}`
  const forks = whatIfs.length === 0 ? "" : ` and ${counted(whatIfs.length, "what-if file")}`
  out(
    `${counted(read.scenarios.length, "scenario")}${models}${forks} in ${files}, no problem${empty.length === 0 ? "" : `, ${counted(empty.length, "warning")}`}`,
  )
  return EXIT.passed
}

const NONE: ReadFiles = { files: [], scenarios: [], problems: [] }

function readWhatIfFile(file: string): { readonly problems: readonly Problem[] } {
  const text = readWritten(file)
  return typeof text === "string"
    ? readWhatIf({ file, text }, { names: languageNames(), point: null })
    : { problems: [text] }
}

/** Plain sentences: Given, When, Then. */
export async function explainCommand(paths: readonly string[]): Promise<ExitStatus> {
  const { scenarios, problems } = await readPaths(paths)
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (problems.length > 0) return EXIT.usage
  out(scenarios.map((scenario) => explain(scenario)).join("\n"))
  return EXIT.passed
}

export interface ReplayFlags {
  /** A moment in the format that the inspector copies. */
  readonly until?: string
}

/** Replays a record and compares every entry, up to a moment if one is given. */
export async function replayCommand(file: string, { until }: ReplayFlags): Promise<ExitStatus> {
  const moment = until === undefined ? null : (await import("./records/inspect.ts")).momentFrom(until)
  const text = readText(file)
  const replayed = replayRecord(text, program, moment)
  const { difference } = replayed
  if (difference !== null && !isRecord(text))
    throw new UsageError(`${file} is no run record: line ${difference.line}: ${difference.message}`)
  if (moment !== null && difference === null && replayed.stopped === null)
    throw new UsageError(`${file} has no moment ${until}`)
  if (replayed.stopped !== null) {
    const { entries, stopped } = replayed
    out(`${counted(entries, "entry", "entries")} up to ${until}: the same to the byte`)
    for (const line of groupLines(stopped)) out(line)
    return EXIT.passed
  }
  if (difference === null) {
    const { runs, entries } = replayed
    out(`${counted(runs, "run")}, ${counted(entries, "entry", "entries")}: the same to the byte`)
    for (const hash of replayed.hashes) out(hash)
    return EXIT.passed
  }
  out(`${file}:${difference.line}: ${difference.message}`)
  if (difference.expected !== null) out(firstDifference(difference.expected, difference.found ?? ""))
  return EXIT.failed
}

/** True for a file that begins with the header of a run, also when the rest of it is damaged. */
function isRecord(text: string): boolean {
  try {
    const header: unknown = JSON.parse(text.split("\n", 1)[0] ?? "")
    return typeof header === "object" && header !== null && "k" in header && header.k === "run"
  } catch {
    return false
  }
}

/** The state at the moment: each actor with its state and context, then the armed timers. */
function groupLines({ group, t }: Stopped): readonly string[] {
  if (group === null) return ["before the first entry"]
  const { actors, timers } = persistGroup(group)
  return [
    ...actors.map(
      ({ address, value, context }) =>
        `${address} ${statesText(JSON.stringify(value))} ${JSON.stringify(context)}`,
    ),
    ...timers.map(({ to, id, dueMs }) => {
      const machine = group.actors.get(to)?.machine ?? null
      return `armed: ${eventName(id, machine)} of ${to}, in ${durationText(dueMs - t)}`
    }),
  ]
}

export interface ChartFlags {
  readonly mermaid?: boolean
  readonly table?: boolean
  readonly outline?: boolean
  readonly svg?: boolean
}

/** One machine, of the service or of the world around it in fleets, as a picture, a diagram, tables or an outline. */
export async function chartCommand(name: string, flags: ChartFlags): Promise<ExitStatus> {
  const ofWorld = worldMachines[name]
  const found = machineNamed(name) ?? (ofWorld === undefined ? null : { id: name, ...ofWorld })
  if (found === null) {
    const names = [...registeredMachines().map(({ id }) => upTo(id, "@")), ...Object.keys(worldMachines)]
    throw new UsageError(`there is no machine "${name}"; there are ${[...new Set(names)].join(", ")}`)
  }
  const chart = chartOf(found.id, found.machine)
  if (flags.mermaid === true) out(mermaidOf(chart))
  else if (flags.table === true) out(tablesOf(chart, found.ignores))
  else if (flags.svg === true) out(await pictureOf(chart))
  else out(outlineOf(chart))
  return EXIT.passed
}

/** Loaded on demand: the layout engine is larger than the rest of the command. */
async function pictureOf(chart: ChartDocument): Promise<string> {
  const { layoutOf } = await import("../pages/chart/layout.ts")
  const { svgOf } = await import("../pages/chart/svg.ts")
  return svgOf(chart, await layoutOf(chart))
}

export interface GenerateFlags {
  readonly check?: boolean
  readonly expected?: boolean
  readonly types?: boolean
}

/**
 * Writes the generated files, or reports stale ones of those in git. Results of scenarios are checked too, but written only with a
 * flag: a change there is a change of behaviour.
 */
export async function generateCommand(
  { check, expected }: GenerateFlags,
  read: typeof readPaths = readPaths,
): Promise<ExitStatus> {
  const { scenarios, problems } = await read(["scenarios"])
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  const isAsked = check === true || expected === true
  // A file that cannot be read has no result, which is no reason to remove the golden one.
  if (problems.length > 0 && isAsked) {
    err("nothing was compared or written, because a scenario has a mistake")
    return EXIT.usage
  }
  const golden = goldenTexts(isAsked ? scenarios.map((one) => runAnyScenario(one)) : [])
  if (expected === true) err(`${counted(writeGolden(golden), "golden file")} changed`)
  // Loaded on demand: the HTTP app is larger than the rest of the command.
  const { recordedExamplesText } = await import("./generate/examples/recorded.ts")
  const { machinesReadme } = await import("../pages/chart/readme.ts")
  const { operationsText } = await import("./generate/operations.ts")
  const { machineLinesText } = await import("./generate/machine-lines.ts")
  const wanted = {
    "machines/README.md": machinesReadme(),
    "src/pages/chart/machine-lines.json": await machineLinesText(),
    "src/http/examples.json": await recordedExamplesText(),
    "src/http/operations.txt": await operationsText(),
    "scenarios/scenario.schema.json": scenarioSchemaText(languageNames()),
    "scenarios/WORDS.md": wordsPage((await import("./scenarios/words.ts")).allWords()),
    "scenarios/fleets/fleet.schema.json": fleetSchemaText(),
  }
  let stale = 0
  for (const [file, text] of Object.entries(wanted)) {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url))
    if (textAt(path) === text) continue
    stale += 1
    if (check === true) err(`${file} is not what the code generates; run "npm run generate"`)
    else {
      writeFileSync(path, text)
      err(`wrote ${file}`)
    }
  }
  if (check !== true) return (await import("./generate/fresh-types.ts")).typesCommand()
  for (const file of staleGolden(golden)) {
    stale += 1
    err(`${file} is not the result of its scenario; find out why, then run "npm run generate -- --expected"`)
  }
  return stale > 0 ? EXIT.failed : EXIT.passed
}

/** The text around the first byte that differs. */
function firstDifference(expected: string, found: string): string {
  let at = 0
  while (at < expected.length && expected[at] === found[at]) at += 1
  const from = Math.max(0, at - 60)
  const part = (text: string): string => `${from > 0 ? "…" : ""}${text.slice(from, from + SHOWN_MAX)}`
  return `  at character ${at + 1}\n  expected: ${part(expected)}\n  found:    ${part(found)}`
}
