/**
 * Output about runs for people: a line for each scenario, and everything that helps to understand and reproduce a
 * failure.
 */

import { shellWord } from "../../model/values/shell-word.ts"
import type { Place } from "../../simulation/scenario/language/language.ts"
import { EngineFault } from "../../engine/kernel/faults.ts"
import { isoMs } from "../../model/values/time.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import { EXPECTS_NOTHING, expectsNothing } from "../../simulation/scenario/language/expects-nothing.ts"
import type { Failure } from "../../simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import type { JunitCase } from "./junit.ts"
import { faultMessage, styled } from "../kit/terminal.ts"

export interface TimedRun {
  readonly run: ScenarioRun
  readonly wallMs: number
}

/** A run that ended with a fault of the engine or of a machine. */
export interface FaultyRun {
  readonly scenario: Scenario
  readonly seed: number
  readonly wallMs: number
  readonly cause: unknown
}

/** `✓ The bot never shows up  45m of virtual time, 23 events, seed 42`; `!` for one that passed without expecting anything. */
export function runLine({ run, wallMs }: TimedRun): string {
  const isEmpty = run.verdict === "passed" && expectsNothing(run.scenario)
  const mark = isEmpty ? styled("yellow", "!") : styled("green", "✓")
  const sign = run.verdict === "passed" ? mark : styled("red", "✗")
  const events = counted(run.events, "event")
  const figures = `${showDuration(run.virtualMs)} in ${wallMs.toFixed(0)} ms, ${events}, seed ${run.seed}`
  const more = isEmpty ? [styled("yellow", `warning: ${emptyText(run.scenario)}`)] : []
  return [`${sign} ${titleOf(run)}  ${styled("dim", figures)}`, ...more].join("\n")
}

/** `my-first.yaml: "My first visit" expects nothing: …`. */
export function emptyText(scenario: Scenario): string {
  return `${scenario.file}: ${JSON.stringify(titleOf({ scenario }))} ${EXPECTS_NOTHING}`
}

export function titleOf({ scenario: { title, variant } }: { readonly scenario: Scenario }): string {
  return variant === null ? title : `${title} [${variant}]`
}

/** Expected and actual, the place, the chain of causes, and the command that reproduces it. */
export function failureText(run: ScenarioRun, failure: Failure, command = again(run)): string {
  const message = `${styled("red", "failed")}: ${failure.message}`
  return [message, ...failureDetails(failure, command)].join("\n")
}

/** What follows the message of a failure, without styles. */
function failureDetails(failure: Failure, command: string): readonly string[] {
  const { place } = failure
  return [
    ...(place === null ? [] : [`  --> ${shownPlace(place)}`]),
    ...(place?.usedAt === undefined ? [] : [`  used at:  ${shownPlace(place.usedAt)}`]),
    `  expected: ${failure.expected}`,
    `  actual:   ${failure.actual}`,
    ...failure.why.map((why) => `  ${why}`),
    `  again:    ${command}`,
  ]
}

/** A run as a case of the JUnit report. */
export function junitCase(
  ended: TimedRun | FaultyRun,
  command = again("cause" in ended ? ended : ended.run),
): JunitCase {
  const { scenario, seed } = "cause" in ended ? ended : ended.run
  const failures =
    "cause" in ended
      ? []
      : ended.run.failures.map((failure) => ({
          message: failure.message,
          text: failureDetails(failure, command).join("\n"),
        }))
  return {
    file: scenario.file,
    title: titleOf({ scenario }),
    seed,
    line: ("cause" in ended ? null : ended.run.failures[0]?.place?.line) ?? 1,
    wallMs: ended.wallMs,
    failures,
    fault:
      "cause" in ended
        ? { message: faultMessage(ended.cause), text: faultStack(ended.cause) ?? command }
        : null,
  }
}

/** The run's line, the fault, and the command that reproduces it. */
export function faultText(faulty: FaultyRun): string {
  return [
    `${styled("red", "✗")} ${titleOf(faulty)}  ${styled("dim", `seed ${faulty.seed}`)}`,
    `${styled("red", "engine fault")}: ${faultMessage(faulty.cause)}`,
    `  again:    ${again(faulty)}`,
  ].join("\n")
}

/** Where in the code a fault occurred; null when the fault itself says enough. */
export function faultStack(cause: unknown): string | null {
  const thrown = cause instanceof EngineFault ? cause.cause : cause
  return thrown instanceof Error ? (thrown.stack ?? null) : null
}

export function again({ scenario, seed }: { readonly scenario: Scenario; readonly seed: number }): string {
  return `npx curbline run ${shellWord(scenario.file)} --seed ${seed}`
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
    wall_ms: roundedMs(wallMs),
    events: run.events,
    hash: run.hash,
    warnings: expectsNothing(run.scenario) ? [emptyText(run.scenario)] : [],
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

/** A faulty run as `--json` prints it: without figures, with the command that reproduces it. */
export function faultJson(faulty: FaultyRun): object {
  return {
    scenario: titleOf(faulty),
    file: faulty.scenario.file,
    seed: faulty.seed,
    verdict: "fault",
    wall_ms: roundedMs(faulty.wallMs),
    message: faultMessage(faulty.cause),
    again: again(faulty),
    failures: [],
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** How many runs passed, failed or ended with a fault. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly faults: number
}

/** `31 passed, 0 failed`, the number of faults if there are any, and of scenarios that passed without expecting anything. */
export function summary({ passed, failed, faults }: Tally, empty = 0): string {
  const more = faults === 0 ? "" : `, ${counted(faults, "engine fault")}`
  const warned = empty === 0 ? "" : `; ${empty} ${empty === 1 ? "expects" : "expect"} nothing`
  const color = failed + faults > 0 ? "red" : empty > 0 ? "yellow" : "green"
  return styled(color, `${passed} passed, ${failed} failed${more}${warned}`)
}

function shownPlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`
}
