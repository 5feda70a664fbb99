/** `curbline run --against`: the chosen scenarios against a sandbox, with the output, reports and exit statuses of runs in memory. */

import { writeFileSync } from "node:fs"
import { counted } from "../../simulation/scenario/language/counted.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import { placeIn } from "../../simulation/scenario/language/language.ts"
import type { ChosenRun } from "../scenarios/chosen-runs.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { junitXml } from "../scenarios/junit.ts"
import type { JunitCase } from "../scenarios/junit.ts"
import { keepFailed } from "../scenarios/last-run.ts"
import { startProgress } from "../kit/progress.ts"
import { failureText, junitCase, runJson, runLine, titleOf } from "../scenarios/report.ts"
import type { RunReport } from "../run-report/collect.ts"
import { HostAway } from "../partners/partner-host.ts"
import { err, faultMessage, out, styled } from "../kit/terminal.ts"
import type { AgainstFlags } from "./service.ts"
import { openService } from "./service.ts"
import { runAgainst } from "./run-against.ts"
import type { AgainstResult, Service } from "./run-against.ts"
import { CallRefused } from "./sandbox-host.ts"
import type { NotSent } from "./sendable.ts"
import { shownRemote, uncheckedLines } from "./shown-remote.ts"

interface Outlets {
  readonly flags: AgainstFlags & { readonly json?: boolean; readonly junit?: string }
  readonly report: RunReport | null
}

/** A run that could not be made: a call of the run itself was refused. */
interface Broken {
  readonly is: "broken"
  readonly scenario: Scenario
  readonly message: string
}

type Result = (AgainstResult | Broken) & { readonly wallMs: number }

/** Ends early when the service no longer answers, because no other run can be made either. */
export async function runChosenAgainst(
  chosen: readonly ChosenRun[],
  { flags, report }: Outlets,
): Promise<ExitStatus> {
  const service = await openService(flags)
  const progress = startProgress(chosen.length)
  const isJson = flags.json === true
  const results: Result[] = []
  try {
    for (const { scenario } of chosen) {
      const result = await madeRun(service, scenario)
      results.push(result)
      if (!isJson) {
        progress.clear()
        tell(service, result)
      }
      note(report, result)
      progress.done(result.is === "run" ? result.run : { virtualMs: 0, events: 0 })
    }
  } finally {
    progress.clear()
    await service.receiver.close()
  }
  const cases = results.map((result) => caseOf(service, result))
  keepFailed(cases)
  if (flags.junit !== undefined) writeFileSync(flags.junit, junitXml(cases))
  const tally = tallyOf(results)
  out(isJson ? JSON.stringify({ runs: results.map(jsonOf), ...tally }, null, 2) : summaryOf(tally))
  return statusOf(tally)
}

async function madeRun(service: Service, scenario: Scenario): Promise<Result> {
  const startedAt = performance.now()
  const wallMs = (): number => performance.now() - startedAt
  try {
    return { ...(await runAgainst(service, scenario)), wallMs: wallMs() }
  } catch (cause) {
    if (!(cause instanceof CallRefused || cause instanceof HostAway)) throw cause
    return { is: "broken", scenario, message: faultMessage(cause), wallMs: wallMs() }
  }
}

function tell(service: Service, result: Result): void {
  switch (result.is) {
    case "run": {
      out(runLine(result).replace(/, seed \d+/, ""))
      for (const failure of result.run.failures)
        out(failureText(result.run, failure, againOf(service, result.run.scenario)))
      for (const line of uncheckedLines(result.unchecked, result.run.scenario.file))
        out(styled("dim", `  ${line}`))
      return
    }
    case "not run":
      out(`- ${titleOf(result)}  ${styled("dim", "not run")}`)
      out(styled("dim", `  ${reasonText(result.scenario, result.reason)}`))
      return
    case "broken":
      out(`${styled("red", "✗")} ${titleOf(result)}`)
      out(`${styled("red", "the run could not be made")}: ${result.message}`)
  }
}

function againOf({ url }: Service, { file }: Scenario): string {
  return `npx curbline run ${file} --against ${url}`
}

/** `not run: FILE:LINE do errand.check (why)`. */
function reasonText(scenario: Scenario, { what, why, place }: NotSent): string {
  const at = place === null ? null : (placeIn(scenario.file, place) ?? place)
  return `not run: ${at === null ? scenario.file : `${at.file}:${at.line}`} ${what} (${why})`
}

function note(report: RunReport | null, result: Result): void {
  switch (result.is) {
    case "run": {
      const { run, state, unchecked } = result
      return report?.addRemote(run, shownRemote(state), uncheckedLines(unchecked, run.scenario.file))
    }
    case "not run":
      return report?.addNotRun(result.scenario, reasonText(result.scenario, result.reason))
    case "broken":
      return report?.addFault(faultyOf(result))
  }
}

function faultyOf({ scenario, message, wallMs }: Broken & { readonly wallMs: number }) {
  return { scenario, seed: scenario.seed, wallMs, cause: new Error(message) }
}

function caseOf(service: Service, result: Result): JunitCase {
  switch (result.is) {
    case "run":
      return {
        ...junitCase(result, againOf(service, result.run.scenario)),
        unchecked: uncheckedLines(result.unchecked, result.run.scenario.file),
      }
    case "not run": {
      const { scenario, reason, wallMs } = result
      const run = { file: scenario.file, title: titleOf(result), seed: scenario.seed, wallMs }
      const skipped = reasonText(scenario, reason)
      return { ...run, line: reason.place?.line ?? 1, failures: [], fault: null, skipped }
    }
    case "broken":
      return junitCase(faultyOf(result), againOf(service, result.scenario))
  }
}

function jsonOf(result: Result): object {
  switch (result.is) {
    case "run": {
      // The hash of journals is inside of the service.
      return {
        ...runJson(result),
        hash: null,
        not_checked: uncheckedLines(result.unchecked, result.run.scenario.file),
      }
    }
    case "not run":
      return {
        scenario: titleOf(result),
        file: result.scenario.file,
        verdict: "not run",
        reason: reasonText(result.scenario, result.reason),
        failures: [],
      }
    case "broken":
      return {
        scenario: titleOf(result),
        file: result.scenario.file,
        verdict: "fault",
        message: result.message,
        failures: [],
      }
  }
}

interface Tally {
  readonly passed: number
  readonly failed: number
  readonly faults: number
  readonly not_run: number
  readonly not_checked: number
}

function tallyOf(results: readonly Result[]): Tally {
  const runs = results.filter((one) => one.is === "run")
  return {
    passed: runs.filter(({ run }) => run.verdict === "passed").length,
    failed: runs.filter(({ run }) => run.verdict === "failed").length,
    faults: results.filter((one) => one.is === "broken").length,
    not_run: results.filter((one) => one.is === "not run").length,
    not_checked: runs.reduce((sum, { unchecked }) => sum + unchecked.length, 0),
  }
}

function summaryOf({ passed, failed, faults, not_run, not_checked }: Tally): string {
  const more = [
    ...(faults === 0 ? [] : [`${faults} could not be made`]),
    ...(not_run === 0 ? [] : [`${not_run} not run`]),
    ...(not_checked === 0 ? [] : [`${counted(not_checked, "check")} left out`]),
  ].map((text) => `, ${text}`)
  const text = `${passed} passed, ${failed} failed${more.join("")}`
  if (passed + failed + faults === 0) err("nothing was run: a service cannot be asked any of these scenarios")
  return styled(failed + faults === 0 && passed > 0 ? "green" : "red", text)
}

/** When nothing could run, nothing was proved. */
function statusOf({ passed, failed, faults }: Tally): ExitStatus {
  if (faults > 0) return EXIT.fault
  return failed > 0 || passed === 0 ? EXIT.failed : EXIT.passed
}
