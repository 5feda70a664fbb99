/**
 * What the tests cost in processor time. As a reporter of vitest it keeps the figures of a whole run in `.curbline/test-costs.json` and
 * prints the dearest files and each folder. As a command, `node test/costs.ts`, it prints the kept figures again; `--write` puts them
 * into `test/README.md`, and `--check` fails when a test of the run cost more than it may.
 *
 * Machines differ, so the bound is a number of units: the processor time that a fixed piece of work takes in the same run.
 */

import { hash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Of one test file; `ms` of processor time. */
interface Cost {
  readonly file: string
  readonly tests: number
  readonly ms: number
}

/** All tests of a run. */
interface Costs {
  readonly files: readonly Cost[]
  /** Milliseconds of a unit on this machine. */
  readonly unitMs: number
}

/** Units that a test may cost on average over a whole run. */
const UNITS_PER_TEST_MAX = 12

const ROOT = join(import.meta.dirname, "..")
const KEPT = join(ROOT, ".curbline", "test-costs.json")
const README = join(ROOT, "test", "README.md")
const DEAREST = 30
const TABLE = /(?<=<!-- costs -->\n)[^]*?(?=<!-- \/costs -->)/

export default class CostsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      file: relative(join(ROOT, "test"), module.moduleId),
      tests: [...module.children.allTests()].length,
      ms: module.meta().processorMs ?? 0,
    }))
    mkdirSync(dirname(KEPT), { recursive: true })
    writeFileSync(KEPT, JSON.stringify({ files, unitMs: unitMs() } satisfies Costs))
    process.stdout.write(`${dearest(files)}\n${byFolder(files)}`)
  }
}

if (import.meta.main) {
  // A cast, not a check: the file is this program's own.
  const { files, unitMs: unit } = JSON.parse(readFileSync(KEPT, "utf8")) as Costs
  process.stdout.write(`${dearest(files)}\n${byFolder(files)}`)
  if (process.argv.includes("--write")) {
    const text = readFileSync(README, "utf8")
    writeFileSync(README, text.replace(TABLE, `\n${byFolder(files)}\n`))
  }
  if (process.argv.includes("--check")) {
    const { tests, ms } = sum("all", files)
    const units = ms / Math.max(tests, 1) / unit
    process.stdout.write(
      `A test costs ${units.toFixed(2)} units of ${unit.toFixed(0)} ms; at most ${UNITS_PER_TEST_MAX}.\n`,
    )
    if (units > UNITS_PER_TEST_MAX) process.exitCode = 1
  }
}

/** The processor time of a fixed piece of work: hashes and JSON, as the tests' own. The least of five. */
function unitMs(): number {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, at) => ({ at, name: `name ${at}` })))
  const took = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    for (let times = 0; times < 40; times += 1) hash("sha256", JSON.stringify(JSON.parse(text)), "hex")
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...took)
}

function dearest(costs: readonly Cost[]): string {
  return table("File", costs.toSorted((one, other) => other.ms - one.ms).slice(0, DEAREST))
}

function byFolder(costs: readonly Cost[]): string {
  const folders = Map.groupBy(costs, ({ file }) => dirname(file))
  const sums = [...folders].map(([file, its]) => sum(file, its)).toSorted((one, other) => other.ms - one.ms)
  return table("Folder", [...sums, sum("all", costs)])
}

function sum(file: string, costs: readonly Cost[]): Cost {
  return {
    file,
    tests: costs.reduce((total, { tests }) => total + tests, 0),
    ms: costs.reduce((total, { ms }) => total + ms, 0),
  }
}

function table(heading: string, costs: readonly Cost[]): string {
  const rows = costs.map(
    ({ file, tests, ms }) =>
      `| \`${file}\` | ${tests} | ${(ms / 1000).toFixed(1)} | ${(ms / Math.max(tests, 1)).toFixed(0)} |`,
  )
  return [
    `| ${heading} | Tests | Processor time (s) | A test (ms) |`,
    "| --- | ---: | ---: | ---: |",
    ...rows,
    "",
  ].join("\n")
}
