/** What a run says to people: a line a scenario, and everything about a failure that helps to understand and repeat it. */

import { isoMs } from "../model/time.ts"
import type { Failure } from "../simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../simulation/scenario/run.ts"
import { showDuration } from "../simulation/scenario/site-clock.ts"
import { styled } from "./terminal.ts"

export interface TimedRun {
  readonly run: ScenarioRun
  readonly wallMs: number
}

/** `✓ The bot never shows up  45m of virtual time, 23 events, seed 42`. */
export function runLine({ run, wallMs }: TimedRun): string {
  const sign = run.verdict === "passed" ? styled("green", "✓") : styled("red", "✗")
  const figures = `${showDuration(run.virtualMs)} in ${wallMs.toFixed(0)} ms, ${run.events} events, seed ${run.seed}`
  return `${sign} ${titleOf(run)}  ${styled("dim", figures)}`
}

export function titleOf(run: ScenarioRun): string {
  const { title, variant } = run.scenario
  return variant === null ? title : `${title} [${variant}]`
}

/** Expected and actual, the place, the chain of causes, and the command that reproduces it. */
export function failureText(run: ScenarioRun, failure: Failure): string {
  const { place } = failure
  const lines = [
    `${styled("red", "failed")}: ${failure.message}`,
    ...(place === null ? [] : [`  --> ${place.file}:${place.line}:${place.column}`]),
    `  expected: ${failure.expected}`,
    `  actual:   ${failure.actual}`,
    ...failure.why.map((why) => `  ${why}`),
    `  again:    npx curbline run ${run.scenario.file} --seed ${run.seed}`,
  ]
  return lines.join("\n")
}

/** One run as `--json` prints it. */
export function runJson({ run, wallMs }: TimedRun): object {
  return {
    scenario: titleOf(run),
    file: run.scenario.file,
    seed: run.seed,
    verdict: run.verdict,
    started_at: isoMs(run.startMs),
    virtual_ms: run.virtualMs,
    wall_ms: Math.round(wallMs * 1000) / 1000,
    events: run.events,
    hash: run.hash,
    failures: run.failures.map((failure) => ({
      message: failure.message,
      expected: failure.expected,
      actual: failure.actual,
      why: failure.why,
      file: failure.place?.file ?? run.scenario.file,
      line: failure.place?.line ?? 1,
      column: failure.place?.column ?? 1,
    })),
  }
}

/** `31 passed, 0 failed`. */
export function summary(runs: readonly TimedRun[]): string {
  const failed = runs.filter(({ run }) => run.verdict === "failed").length
  const passed = runs.length - failed
  return styled(failed === 0 ? "green" : "red", `${passed} passed, ${failed} failed`)
}
