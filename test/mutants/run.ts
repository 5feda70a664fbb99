/**
 * Do the tests find random changes of the program? `node test/mutants/run.ts FOLDER [FILTER …]` makes a copy of this checkout in FOLDER with all
 * changes inside, each switched off, runs the tests once to learn which files reach which change, and then runs, for each change, the
 * files that reach it, cheapest first, until one fails. A file that fails counts when it passes with the change off and fails again with it
 * on. A run that was stopped goes on where it was.
 *
 *   FILTER      only test files whose path has it
 *   --each N      changes in each room (50)
 *   --seed N      which changes (1)
 *   --tests REF   the tests of another commit, over the same changes
 *   --survivors FOLDER  only changes that survived the run in FOLDER
 *   --budget S    seconds of processor time of tests for one change (300)
 */

import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join, relative, resolve } from "node:path"
import { parseArgs } from "node:util"
import { Streams } from "../../src/engine/kernel/random.ts"
import { ROOT } from "../cli/command-line.ts"
import { findersIn } from "./finders.ts"
import type { Failing } from "./finders.ts"
import { pointsIn } from "./points.ts"
import type { Point } from "./points.ts"
import { runInGroup } from "./process-group.ts"

interface Mutant extends Point {
  readonly number: number
  readonly path: string
  readonly line: number
  readonly was: string
}

interface Cost {
  readonly file: string
  readonly ms: number
}

interface Outcome {
  readonly number: number
  readonly result: "found" | "survived" | "unreached"
  /** The test files that found it. */
  readonly by: readonly string[]
}

const ROOMS: Readonly<Record<string, string>> = {
  machines: "machines/**/*.ts",
  kernel: "src/engine/kernel/**/*.ts",
  engine: "src/engine/{services,memory,store,threads,library-internals}/**/*.ts",
  areas: "src/areas/**/*.ts",
  http: "src/http/**/*.ts",
  apps: "src/apps/**/*.ts",
}

/** Processor time of the tests of the first runs, in ms; the last takes what is left of the budget. */
const RUNS_MS = [5000, 20_000, 60_000]

const RUN_TIME_MAX_MS = 20 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    each: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    tests: { type: "string" },
    survivors: { type: "string" },
    budget: { type: "string", default: "300" },
  },
})
const [given, ...filters] = positionals
if (given === undefined) throw new Error("usage: node test/mutants/run.ts FOLDER [FILTER …]")
const folder = resolve(given)
const kept = (name: string): string => join(folder, ".curbline", name)

if (!existsSync(kept("mutants.json"))) prepare()
const survivors =
  values.survivors === undefined
    ? undefined
    : new Set(
        outcomesIn(resolve(values.survivors)).flatMap(({ number, result }) =>
          result === "found" ? [] : [number],
        ),
      )
const isWanted = (number: number): boolean => survivors?.has(number) ?? true
const all = JSON.parse(readFileSync(kept("mutants.json"), "utf8")) as readonly Mutant[]
if (!existsSync(kept("reached.json"))) await learn()
await hunt()

/** A clone whose sources hold every change, each behind `mutant(N)`. */
function prepare(): void {
  execFileSync("git", ["clone", "--quiet", "--shared", ROOT, folder], { stdio: "inherit" })
  if (values.tests !== undefined)
    execFileSync("git", ["-C", folder, "checkout", "--quiet", values.tests, "--", "test"], {
      stdio: "inherit",
    })
  for (const name of ["mutants", "costs.ts", "processor-time.ts"])
    cpSync(join(ROOT, "test", name), join(folder, "test", name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  mkdirSync(kept("hits"), { recursive: true })
  const streams = new Streams(Number(values.seed))
  const chosen = Object.entries(ROOMS).flatMap(([room, pattern]) =>
    choose(pattern, () => streams.fraction(room)),
  )
  const numbered = chosen.map((one, number) => ({ ...one, number }))
  for (const [file, its] of Map.groupBy(numbered, ({ path }) => path)) change(file, its)
  const config = join(folder, "vitest.config.ts")
  const setup = 'setupFiles: ["test/mutants/setup.ts", '
  writeFileSync(config, readFileSync(config, "utf8").replace("setupFiles: [", setup))
  writeFileSync(kept("mutants.json"), JSON.stringify(numbered, null, 1))
  execFileSync(process.execPath, ["src/cli/curbline.js", "generate", "--types"], { cwd: folder })
}

/** Points of one room, drawn without two of which one lies inside the other. */
function choose(pattern: string, fraction: () => number): readonly Omit<Mutant, "number">[] {
  const files = globSync(pattern, { cwd: folder }).toSorted()
  const found = files.flatMap((path) => {
    const text = readFileSync(join(folder, path), "utf8")
    return pointsIn(path, text).map((point) => ({
      ...point,
      path,
      line: text.slice(0, point.from).split("\n").length,
      was: text.slice(point.from, point.to),
    }))
  })
  const chosen: Omit<Mutant, "number">[] = []
  while (chosen.length < Math.min(Number(values.each), found.length)) {
    const [one] = found.splice(Math.floor(fraction() * found.length), 1)
    if (one === undefined) break
    const touches = chosen.some(
      (other) => other.path === one.path && other.from < one.to && one.from < other.to,
    )
    if (!touches) chosen.push(one)
  }
  return chosen
}

function change(path: string, mutants: readonly Mutant[]): void {
  const file = join(folder, path)
  let text = readFileSync(file, "utf8")
  for (const point of mutants.toSorted((one, other) => other.from - one.from)) {
    const { from, to, changed, number } = point
    // A line that begins with a bracket would go on with the statement above.
    const begun = point.isFirst ? "0, " : ""
    const either = `${begun}(globalThis.mutant?.(${number}) ? (${changed}) : (${text.slice(from, to)}))`
    text = text.slice(0, from) + either + text.slice(to)
  }
  writeFileSync(file, text)
}

/** Runs all tests with every change off. Files that fail, such as those that read the sources, take no part. */
async function learn(): Promise<void> {
  await vitest(filters, { CURBLINE_MUTANT_HITS: kept("hits") }, reportTo("all.json"))
  const sound = new Set(filesIn("all.json", "passed"))
  const lines = readdirSync(kept("hits")).flatMap((name) =>
    readFileSync(join(kept("hits"), name), "utf8")
      .trim()
      .split("\n"),
  )
  const reached = new Map<number, Set<string>>()
  for (const line of lines) {
    const [number = "", file = ""] = line.split(" ")
    if (!sound.has(file)) continue
    const files = reached.get(Number(number)) ?? new Set()
    reached.set(Number(number), files.add(relative(join(folder, "test"), file)))
  }
  // What a module computes when it loads is noted for the first file of each process alone: any file may see it.
  const every = [...sound].map((name) => relative(join(folder, "test"), name))
  const files = all.map(({ number, isStatic }) => [
    number,
    isStatic && reached.has(number) ? every : [...(reached.get(number) ?? [])],
  ])
  writeFileSync(kept("reached.json"), JSON.stringify(Object.fromEntries(files)))
}

async function hunt(): Promise<void> {
  const reached = JSON.parse(readFileSync(kept("reached.json"), "utf8")) as Record<string, readonly string[]>
  const costs = new Map(
    (JSON.parse(readFileSync(kept("test-costs.json"), "utf8")) as readonly Cost[]).map(({ file, ms }) => [
      file,
      ms,
    ]),
  )
  const outcomes = outcomesIn(folder)
  const done = new Set(outcomes.map(({ number }) => number))
  const each = Number(values.each)
  // One of each room after the other, so that the rooms have equal parts in a run that is stopped.
  const inTurn = all.toSorted((one, other) => (one.number % each) - (other.number % each))
  for (const mutant of inTurn.filter(({ number }) => !done.has(number) && isWanted(number))) {
    const files = (reached[mutant.number] ?? [])
      .map((file) => ({ file, ms: costs.get(file) ?? 0 }))
      .toSorted(
        (one, other) =>
          nearness(other.file, mutant.path) - nearness(one.file, mutant.path) || one.ms - other.ms,
      )
    const outcome = { number: mutant.number, ...(await hunted(mutant, files)) }
    outcomes.push(outcome)
    appendFileSync(kept("outcomes.jsonl"), `${JSON.stringify(outcome)}\n`)
    const { path, line, was, changed } = mutant
    process.stdout.write(`${outcome.result} ${path}:${line} ${was.slice(0, 60)} -> ${changed.slice(0, 60)}\n`)
  }
  const count = (result: Outcome["result"]): number => outcomes.filter((one) => one.result === result).length
  process.stdout.write(
    `${count("found")} of ${outcomes.length} found, ${count("survived")} survived, ${count("unreached")} never reached\n`,
  )
}

function outcomesIn(run: string): Outcome[] {
  const file = join(run, ".curbline", "outcomes.jsonl")
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").trim().split("\n")
  return lines.map((line) => JSON.parse(line) as Outcome)
}

/** 1 for a test file whose name is that of the changed one: it is tried first. */
function nearness(file: string, path: string): number {
  return file.replace(".test.ts", "").split("/").at(-1) === path.replace(".ts", "").split("/").at(-1) ? 1 : 0
}

async function hunted({ number }: Mutant, files: readonly Cost[]): Promise<Omit<Outcome, "number">> {
  if (files.length === 0) return { result: "unreached", by: [] }
  const bounds = [...RUNS_MS, Number(values.budget) * 1000]
  let next = 0
  let spent = 0
  for (const bound of bounds) {
    const run: string[] = []
    while (next < files.length && (run.length === 0 || spent + (files[next]?.ms ?? 0) <= bound)) {
      run.push(files[next]?.file ?? "")
      spent += files[next]?.ms ?? 0
      next += 1
    }
    if (run.length === 0) break
    const by = await findersIn(run, failingWith(number))
    if (by.length > 0) return { result: "found", by }
    if (spent > Number(values.budget) * 1000) break
  }
  return { result: "survived", by: [] }
}

/** A run that hangs, or ends without a report, fails in all its files. */
function failingWith(mutant: number): Failing {
  return async (files, isOn) => {
    rmSync(kept("run.json"), { force: true })
    const isGreen = await vitest(
      files.map((file) => `test/${file}`),
      { CURBLINE_MUTANT: isOn ? String(mutant) : "" },
      [...(isOn ? ["--bail=1"] : []), ...reportTo("run.json")],
    )
    if (isGreen) return []
    const failed = filesIn("run.json", "failed").map((name) => relative(join(folder, "test"), name))
    return failed.length === 0 ? files : failed
  }
}

function reportTo(name: string): readonly string[] {
  return ["--reporter=json", `--outputFile.json=${kept(name)}`]
}

/** Files with a status in vitest's report; none without one. */
function filesIn(report: string, wanted: "failed" | "passed"): readonly string[] {
  if (!existsSync(kept(report))) return []
  // A cast, not a check: vitest's report.
  const { testResults } = JSON.parse(readFileSync(kept(report), "utf8")) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[]
  }
  return testResults.filter(({ status }) => status === wanted).map(({ name }) => name)
}

/** Whether all tests passed in time. */
async function vitest(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
  options: readonly string[],
): Promise<boolean> {
  const program = join(folder, "node_modules/vitest/vitest.mjs")
  const runtime = `--import=${join(folder, "test/mutants/runtime.mjs")}`
  const isLearning = "CURBLINE_MUTANT_HITS" in env
  const costs = isLearning ? ["--reporter=./test/costs.ts"] : []
  const status = await runInGroup(process.execPath, [program, "run", ...files, ...options, ...costs], {
    cwd: folder,
    env: { ...process.env, ...env, NODE_OPTIONS: runtime },
    ...(isLearning ? {} : { signal: AbortSignal.timeout(RUN_TIME_MAX_MS) }),
  })
  return status === 0
}
