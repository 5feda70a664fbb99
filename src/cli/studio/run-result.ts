/** A finished run as the page shows it: lanes of actors, commands, expectations with their allowance, and what was sent. */

import { expectsNothing } from "../../simulation/scenario/language/expects-nothing.ts"
import { placeIn } from "../../simulation/scenario/language/language.ts"
import { groupOf } from "../../model/address.ts"
import { recordOf } from "../../simulation/scenario/run.ts"
import type { RecordContext } from "../../simulation/run-record.ts"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import type { Place } from "../../simulation/scenario/language/language.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import type { Mark } from "../../simulation/run-record.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import type { FileRun, NotRun, RunLane, RunMessage, StepOutcome } from "../../pages/web/studio/contract.ts"
import { titleOf } from "../scenarios/report.ts"
import type { FaultyRun } from "../scenarios/report.ts"
import { actorsOf } from "../run-report/course.ts"
import { shownRun } from "../run-report/shown-run.ts"
import type { ShownRun } from "../run-report/shown-run.ts"
import { faultMessage } from "../kit/terminal.ts"
import { takenSteps } from "./taken-steps.ts"

export interface Finished {
  readonly run: ScenarioRun
  readonly context: RunContext
  readonly wallMs: number
  readonly notRun: NotRun | null
  readonly record: RecordContext
}

export function resultOf({ run, context, wallMs, notRun, record }: Finished): FileRun {
  const groups = new Set(run.entries.map(({ entry }) => groupOf(entry.group)))
  const shown = shownRun(run, context)
  return {
    ...shownResult(run, shown, wallMs),
    names: Object.fromEntries([...groups].map((group) => [group, shown.nameOf(group)])),
    record: recordOf(run, record),
    notRun,
  }
}

/** What the page shows of a run, wherever it ran. */
export function shownResult(run: ScenarioRun, shown: ShownRun, wallMs: number): FileRun {
  const { startMs } = run
  const here = (place: Place | null) => (place === null ? null : placeIn(run.scenario.file, place))
  return {
    title: titleOf(run),
    variant: run.scenario.variant,
    seed: run.seed,
    verdict: run.verdict,
    expectsNothing: expectsNothing(run.scenario),
    wallMs,
    startMs,
    virtualMs: run.virtualMs,
    timeZone: run.scenario.clock.timeZone,
    failures: run.failures.map(({ message, expected, actual, why, place }) => ({
      message,
      expected,
      actual,
      why,
      line: here(place)?.line ?? null,
    })),
    steps: outcomesOf(run),
    lanes: lanesOf(run, shown),
    ...takenSteps(run, shown),
    messages: messagesOf(run, shown),
    names: {},
    record: "",
    notRun: null,
    service: null,
  }
}

/** A run that ended with a fault of the engine. */
export function faultOf({ cause, ...faulty }: FaultyRun): FileRun {
  const message = `engine fault: ${faultMessage(cause)}`
  const failure = { message, expected: "no fault of the engine", actual: message, why: [], line: null }
  return { ...emptyResult(faulty), failures: [failure] }
}

/** A run of which nothing is known but why it did not come to its end. */
export function emptyResult({ scenario, seed, wallMs }: Omit<FaultyRun, "cause">): FileRun {
  return {
    title: titleOf({ scenario }),
    variant: scenario.variant,
    seed,
    verdict: "fault",
    expectsNothing: expectsNothing(scenario),
    wallMs,
    startMs: 0,
    virtualMs: 0,
    timeZone: scenario.clock.timeZone,
    failures: [],
    steps: [],
    lanes: [],
    commands: [],
    expectations: [],
    messages: [],
    names: {},
    record: "",
    notRun: null,
    service: null,
  }
}

/** One for each line: a repeated step has several marks, and failed when one of them did. */
function outcomesOf(run: ScenarioRun): readonly StepOutcome[] {
  const lineOf = (place: Place): number => (placeIn(run.scenario.file, place) ?? place).line
  const marks = Map.groupBy(run.marks, ({ place }) => (place === null ? null : lineOf(place)))
  const steps = [...Map.groupBy(run.scenario.steps, ({ place }) => lineOf(place))].map(([line, [step]]) => ({
    line,
    words: step === undefined ? "" : stepWords(step),
    outcome: outcomeOf(marks.get(line) ?? []),
  }))
  const lines = new Set(steps.map(({ line }) => line))
  const others = run.failures.flatMap(({ place, message }) =>
    place === null || lines.has(lineOf(place))
      ? []
      : [{ line: lineOf(place), words: message, outcome: "failed" as const }],
  )
  return [...steps, ...others]
}

function outcomeOf(marks: readonly Mark[]): StepOutcome["outcome"] {
  if (marks.length === 0) return "left"
  if (marks.some(({ level }) => level === "fail")) return "failed"
  return marks.some(({ level }) => level === "pass") ? "held" : "done"
}

function messagesOf({ startMs, entries }: ScenarioRun, { messages }: ShownRun): readonly RunMessage[] {
  const placeOf = new Map(entries.map(({ entry }, place) => [entry, place]))
  return messages.map(({ atMs, writtenBy, ...message }) => ({
    t: atMs - startMs,
    ...message,
    entry: writtenBy === null ? null : (placeOf.get(writtenBy) ?? null),
  }))
}

function lanesOf(run: ScenarioRun, shown: ShownRun): readonly RunLane[] {
  return actorsOf(shown).map(({ changes, ...actor }) => ({
    ...actor,
    stays: changes.map(({ atMs, states, isEnd }, at) => ({
      from: atMs - run.startMs,
      to: (changes[at + 1]?.atMs ?? run.endMs) - run.startMs,
      states,
      isEnd,
    })),
  }))
}
