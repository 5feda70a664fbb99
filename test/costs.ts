/**
 * What the tests cost in processor time. As a reporter of vitest it keeps the figures of a whole run in `.curbline/test-costs.json` and
 * prints the dearest files and each folder. As a command, `node test/costs.ts`, it prints the kept figures again; `--write` puts them
 * into `test/README.md`.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Of one test file; `ms` of processor time. */
interface Cost {
  readonly file: string
  readonly tests: number
  readonly ms: number
}

const ROOT = join(import.meta.dirname, "..")
const KEPT = join(ROOT, ".curbline", "test-costs.json")
const README = join(ROOT, "test", "README.md")
const DEAREST = 30
const TABLE = /(?<=<!-- costs -->\n)[^]*?(?=<!-- \/costs -->)/

export default class Costs implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules.map((module) => ({
      file: relative(join(ROOT, "test"), module.moduleId),
      tests: [...module.children.allTests()].length,
      ms: module.meta().processorMs ?? 0,
    }))
    mkdirSync(dirname(KEPT), { recursive: true })
    writeFileSync(KEPT, JSON.stringify(costs))
    process.stdout.write(`${dearest(costs)}\n${byFolder(costs)}`)
  }
}

if (import.meta.main) {
  // A cast, not a check: the file is this program's own.
  const costs = JSON.parse(readFileSync(KEPT, "utf8")) as readonly Cost[]
  process.stdout.write(`${dearest(costs)}\n${byFolder(costs)}`)
  if (process.argv.includes("--write")) {
    const text = readFileSync(README, "utf8")
    writeFileSync(README, text.replace(TABLE, `\n${byFolder(costs)}\n`))
  }
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
