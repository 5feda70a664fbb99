/** A thread of the studio: reads and runs scenarios, so that the server answers meanwhile. */

import { recordContext } from "../../live/configuration/build.ts"
import { programPictures } from "../../pages/bundling/chart-pictures.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import { findingOf } from "../../simulation/swarm/explore.ts"
import type { Finding } from "../../simulation/swarm/explore.ts"
import { runAnyScenario } from "../../simulation/swarm/scenario-run.ts"
import type {
  Charts,
  FileResult,
  FileRun,
  ListedFile,
  NotRun,
  RunAnswer,
  SeedResult,
} from "../../pages/web/studio/contract.ts"
import { readPaths } from "../scenarios/scenario-files.ts"
import { faultMessage } from "../kit/terminal.ts"
import { topText } from "../../simulation/scenario/language/file-kind.ts"
import { problemOf, readText } from "./check.ts"
import { runnablePart } from "./runnable-part.ts"
import { faultOf, resultOf } from "./run-result.ts"

/** A file with its text; the text of a TypeScript file is not needed. */
export interface GivenFile {
  readonly path: string
  /** The name in messages and records. */
  readonly shown: string
  readonly place: string
  readonly text: string
}

export type Task =
  | { readonly do: "charts" }
  | { readonly do: "finding"; readonly seed: number }
  | { readonly do: "list"; readonly files: readonly GivenFile[] }
  | { readonly do: "read"; readonly file: GivenFile }
  | { readonly do: "run"; readonly file: GivenFile; readonly seed: number | null }
  | { readonly do: "seed"; readonly file: GivenFile; readonly seed: number }
  | { readonly do: "verdict"; readonly file: GivenFile }

/** Its records have charts. */
export type Ran = Pick<RunAnswer, "problems" | "runs">

/** The record's own charts are the same for every run. */
const record = recordContext()

// The pool calls the default export of its file.
// oxlint-disable-next-line import/no-default-export
export default async function work(
  task: Task,
): Promise<Charts | FileResult | Finding | Ran | ReadFile | SeedResult | readonly ListedFile[] | null> {
  switch (task.do) {
    case "charts":
      return programPictures()
    case "finding":
      return findingOf(task.seed)
    case "list":
      return task.files.map(listed)
    case "read":
      return scenariosOf(task.file)
    case "run":
      return ran(task.file, task.seed)
    case "seed":
      return withSeed(task.file, task.seed)
    case "verdict":
      return verdictOf(task.file)
  }
}

function listed({ path, shown, text }: GivenFile): ListedFile {
  const isTypeScript = path.endsWith(".ts")
  const reading = isTypeScript ? { scenarios: [], problems: [] } : readText(shown, text)
  const [scenario] = reading.scenarios
  return {
    path,
    title: scenario?.title ?? titleIn(text) ?? path.replace(/^.*\//, ""),
    tags: scenario?.tags ?? [],
    isTypeScript,
    problems: reading.problems.length,
  }
}

/** Of a file with a problem elsewhere; null when what stands there are signs alone, such as `[`. */
function titleIn(text: string): string | null {
  const title = topText(text, "scenario") ?? ""
  return /\p{L}/u.test(title) ? title : null
}

async function ran(file: GivenFile, seed: number | null): Promise<Ran> {
  const read = await scenariosOf(file)
  const runs = read.scenarios.map((scenario) => runOf(scenario, { seed, notRun: read.notRun }))
  return { runs, problems: read.problems.map((problem) => problemOf(problem, file.shown)) }
}

function unreadable(problem: Problem, file: string): string {
  const { line, message } = problemOf(problem, file)
  return `line ${line}: ${message}`
}

/** Of all rows of a file; without their courses. */
function verdictOf({ path, shown, text }: GivenFile): FileResult {
  const { scenarios, problems } = readText(shown, text)
  const startedAt = performance.now()
  const [problem] = problems
  if (problem !== undefined)
    return {
      path,
      verdict: "unreadable",
      wallMs: 0,
      message: unreadable(problem, shown),
    }
  try {
    const failures = scenarios.flatMap((scenario) => runAnyScenario(scenario).failures)
    const wallMs = performance.now() - startedAt
    const [failure] = failures
    return {
      path,
      verdict: failure === undefined ? "passed" : "failed",
      wallMs,
      message: failure?.message ?? null,
    }
  } catch (cause) {
    return { path, verdict: "fault", wallMs: performance.now() - startedAt, message: faultMessage(cause) }
  }
}

async function withSeed(file: GivenFile, seed: number): Promise<SeedResult> {
  try {
    const { scenarios, problems } = await scenariosOf(file)
    const [problem] = problems
    if (problem !== undefined)
      return { seed, verdict: "unreadable", message: unreadable(problem, file.shown) }
    const [failure] = scenarios.flatMap((scenario) => runAnyScenario(scenario, { seed }).failures)
    return { seed, verdict: failure === undefined ? "passed" : "failed", message: failure?.message ?? null }
  } catch (cause) {
    return { seed, verdict: "fault", message: faultMessage(cause) }
  }
}

/** The scenarios of a file; those of its runnable part when a later step has a problem. */
export interface ReadFile {
  readonly scenarios: readonly Scenario[]
  readonly problems: readonly Problem[]
  readonly notRun: NotRun | null
}

async function scenariosOf(file: GivenFile): Promise<ReadFile> {
  if (file.path.endsWith(".ts")) {
    const { scenarios, problems } = await readPaths([file.place])
    return { scenarios, problems, notRun: null }
  }
  const { scenarios, problems } = readText(file.shown, file.text)
  if (problems.length === 0) return { scenarios, problems, notRun: null }
  const part = runnablePart({ file: file.shown, text: file.text }, problems)
  if (part === null) return { scenarios, problems, notRun: null }
  return { scenarios: readText(file.shown, part.text).scenarios, problems, notRun: part.notRun }
}

function runOf(
  scenario: Scenario,
  { seed, notRun }: { readonly seed: number | null; readonly notRun: NotRun | null },
): FileRun {
  const startedAt = performance.now()
  const ends: RunContext[] = []
  const atEnd = (context: RunContext): void => void ends.push(context)
  try {
    const run = runAnyScenario(scenario, { seed: seed ?? scenario.seed, atEnd })
    const [context] = ends
    if (context === undefined) throw new Error("the run ended without its context")
    return resultOf({ run, context, wallMs: performance.now() - startedAt, notRun, record })
  } catch (cause) {
    return faultOf({ scenario, seed: seed ?? scenario.seed, wallMs: performance.now() - startedAt, cause })
  }
}
