/** Which records are inside of a run report when not all of them fit. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { RunReport } from "../../src/cli/run-report/collect.ts"
import { InsideRecords } from "../../src/cli/run-report/inside-records.ts"
import { readText } from "../../src/cli/studio/check.ts"
import { recordContext } from "../../src/live/configuration/build.ts"
import { recordOf } from "../../src/simulation/scenario/run.ts"
import type { RunContext } from "../../src/simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../../src/simulation/scenario/run.ts"
import { runAnyScenario } from "../../src/simulation/swarm/scenario-run.ts"
import { fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const PASSED = runOf("passed", "confirmed")
const FAILED = runOf("failed", "canceled")
const ALSO_PASSED = runOf("also-passed", "confirmed")

interface Ran {
  readonly run: ScenarioRun
  readonly context: RunContext
}

function runOf(name: string, status: string): Ran {
  const { scenarios } = readText(
    `${name}.yaml`,
    `scenario: It is ${name}
because: Its record has a size.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - expect: { reservation: lunch, status: ${status} }
`,
  )
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("the scenario cannot be read")
  const contexts: RunContext[] = []
  const run = runAnyScenario(scenario, { atEnd: (context) => void contexts.push(context) })
  const [context] = contexts
  if (context === undefined) throw new Error("the run did not end")
  return { run, context }
}

function kept(bytesMax: number, ...runs: readonly Ran[]): InsideRecords {
  const records = new InsideRecords(bytesMax)
  for (const [at, { run }] of runs.entries())
    records.add({
      number: at + 1,
      isFailed: run.verdict === "failed",
      recordedBy: "",
      record: recordOf(run, recordContext()),
    })
  return records
}

const numbers = (records: InsideRecords): readonly number[] => records.runs.map(({ number }) => number)

const [OF_PASSED = 0, OF_FAILED = 0] = kept(Infinity, PASSED, FAILED).runs.map(({ bytes }) => bytes)

test("a record is inside as long as all of them fit", () => {
  expect(OF_PASSED).toBeGreaterThan(1_000)
  expect(numbers(kept(OF_PASSED + OF_FAILED, PASSED, FAILED))).toEqual([1, 2])
  expect(numbers(kept(OF_PASSED, PASSED, ALSO_PASSED))).toEqual([1])
})

test("a failed run replaces the last passed ones, and a failed run that cannot fit replaces none", () => {
  const two = Math.max(2 * OF_PASSED, OF_PASSED + OF_FAILED) + 100
  expect(numbers(kept(two, PASSED, ALSO_PASSED))).toEqual([1, 2])
  expect(numbers(kept(two, PASSED, ALSO_PASSED, FAILED))).toEqual([1, 3])
  expect(numbers(kept(OF_FAILED - 1, PASSED, FAILED))).toEqual(OF_PASSED < OF_FAILED ? [1] : [])
})

test("the report says which records it does not have, and how each of them opens", async () => {
  const file = join(folder(), "report.html")
  const report = new RunReport(file, { runs: 2, command: "npx curbline run .", recordsBytesMax: OF_FAILED })
  for (const { run, context } of [PASSED, FAILED]) report.add(run, context)
  await report.write()
  const text = readFileSync(file, "utf8").replaceAll(/\s+/g, " ")
  expect(text).toContain("The record of 1 run did not fit; each of them names the command that opens it.")
  const [, failed = "", passed = ""] = text.split('<section id="run-')
  expect(failed).toMatch(/^2" .*href="#run=1&#38;at=\d+".*href="#run=1"/)
  expect(failed).not.toContain("did not fit")
  expect(passed).toContain("<code>npx curbline run passed.yaml --seed 1 --inspect</code> makes it again")
  expect(passed).not.toContain('href="#run=')
})

test("the steps behind a command that failed are listed as not run", async () => {
  const report = join(folder(), "report.html")
  const steps = [
    "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }",
    "{ do: runner.at_unit, for: lunch }",
    "expect: { reservation: lunch, handoff: AT_UNIT }",
    "{ do: reservation.cancel, for: lunch }",
  ]
  const head = "scenario: Too early\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n"
  const file = fileWith("early.yaml", head + steps.map((step) => `  - ${step}\n`).join(""))
  await curblineHere("run", file, "--report", report)
  const html = readFileSync(report, "utf8")
  const [list = ""] = /<ol class="steps">.*?<\/ol>/s.exec(html) ?? []
  const items = [...list.matchAll(/<li.*?<\/li>/gs)].map(([item]) =>
    item
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  )
  expect(items).toEqual([
    expect.stringContaining("• done the partner books lunch"),
    "11:30 ✗ failed the runner of lunch is at the bot line 6",
    "– not run lunch has the handoff status AT_UNIT line 7",
    "– not run the partner cancels lunch line 8",
  ])
})
