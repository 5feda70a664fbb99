/**
 * Reads the report of a test run, repeats what failed, and prints its closing line. Fails when a test failed, and also when one was skipped,
 * left to do, or never ran. Usage: `node test/no-skips.ts <report.json>`, the report being vitest's JSON.
 */

import { readFileSync } from "node:fs"

interface Report {
  readonly success: boolean
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly FileReport[]
}

interface FileReport {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {
    readonly fullName: string
    readonly status: string
    readonly failureMessages: readonly string[]
  }[]
}

const LINES_SHOWN_MAX = 60

const path = process.argv[2]
if (path === undefined) throw new Error("usage: node test/no-skips.ts <report.json>")

// A cast, not a check: the next line fails if the report is of another shape.
const report = JSON.parse(readFileSync(path, "utf8")) as Report
const unrun = report.testResults.flatMap((file) =>
  file.assertionResults
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ fullName, status }) => `${status}: ${fullName} (${file.name})`),
)
// A file that does not load has no tests to count; it is one failure.
const unloaded = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((one) => one.status === "failed"),
)
const passed = report.numPassedTests
const failed = report.numFailedTests + unloaded.length
const skipped = report.numTotalTests - passed - report.numFailedTests

const failures = report.testResults.flatMap((file) =>
  file.assertionResults
    .filter(({ status }) => status === "failed")
    .map(({ fullName, failureMessages }) => `${fullName} (${file.name})\n${firstLines(failureMessages)}`),
)

for (const line of failures) process.stdout.write(`failed: ${line}\n`)
for (const line of unrun) process.stdout.write(`not run: ${line}\n`)
for (const { name, message } of unloaded) process.stdout.write(`not loaded: ${name}\n${message}\n`)
process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`)
process.exitCode = report.success && passed > 0 && failed === 0 && skipped === 0 ? 0 : 1

/** The beginning of each message: the whole text is further up in the output. */
function firstLines(messages: readonly string[]): string {
  return messages.map((message) => message.split("\n").slice(0, LINES_SHOWN_MAX).join("\n")).join("\n")
}
