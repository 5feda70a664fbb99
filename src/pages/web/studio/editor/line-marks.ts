/** What stands at the lines of the open file: its mistakes, and what the last run made of its steps. */

import type { FileProblem, RunFailure, StepOutcome } from "../contract.ts"
import type { LineMarks, LineNote } from "./editor-marks.ts"
import type { OpenedRun } from "../opened-run.ts"
import { largeFirst, lateWords } from "../verdict.ts"

const isMac = /mac/i.test(navigator.userAgent)

/** The key that goes with letters, as the keyboard names it. */
export const MOD = isMac ? "⌘" : "Ctrl+"

interface Marking {
  readonly problems: readonly FileProblem[]
  readonly run: OpenedRun | null
  readonly onGoTo: (t: number) => void
  readonly mend: (problem: FileProblem) => void
}

export function marksOf({ problems, run, onGoTo, mend }: Marking): LineMarks {
  const wrong = problems.map(({ line, message }) => ({ line, sign: "wrong" as const, words: message }))
  const lines = new Set(wrong.map(({ line }) => line))
  const steps = run?.shown.steps ?? []
  const leftOut = leftOutNotes(run)
  const signs = steps
    .filter(({ line }) => !lines.has(line))
    .map(({ line, outcome, words }: StepOutcome) => ({ line, sign: outcome, words }))
  const failures = (run?.shown.failures ?? []).flatMap((failure) => failureNote(failure, run, onGoTo) ?? [])
  return {
    signs: [...wrong, ...signs],
    notes: [...problems.map((problem) => problemNote(problem, mend)), ...failures, ...leftOut],
  }
}

/** What a service could not be asked about. */
function leftOutNotes(run: OpenedRun | null): readonly LineNote[] {
  const { verdict, service } = run?.shown ?? {}
  const title = verdict === "not run" ? "Not run against the service." : "Not checked against the service."
  return (service?.leftOut ?? []).flatMap(({ line, why }) =>
    line === null ? [] : [{ line, title, text: `${largeFirst(why)}.`, action: null, isQuiet: true }],
  )
}

/** What to do about a mistake: the word that was probably meant, or what could stand there. */
export function adviceText({ suggestion, expected, help }: FileProblem): string {
  if (suggestion !== null) return `Did you mean ${suggestion}?`
  const parts = [
    expected === null ? [] : [`Expected: ${expected}.`],
    help === null ? [] : [`${largeFirst(help)}.`],
  ]
  return parts.flat().join(" ")
}

function problemNote(problem: FileProblem, mend: (problem: FileProblem) => void): LineNote {
  const { line, column, message, suggestion } = problem
  return {
    line,
    title: `${line}:${column} ${largeFirst(message)}.`,
    text: adviceText(problem),
    action: suggestion === null ? null : { name: "Change it", key: `${MOD}.`, does: () => mend(problem) },
  }
}

/** `lunch has status confirmed` begins with a name of the file, which stays as it is written. */
function sentenceOf(actual: string): string {
  return /^[\w-]+ (?:accepted|believes|has|was) /.test(actual) && !actual.startsWith("it ")
    ? actual
    : largeFirst(actual)
}

/** Null for a failure that is about no line of the file. */
function failureNote(
  { line, expected, actual }: RunFailure,
  run: OpenedRun | null,
  onGoTo: (t: number) => void,
): LineNote | null {
  if (line === null) return null
  const { expectations = [], commands = [] } = run?.shown ?? {}
  const t =
    expectations.find((one) => one.line === line && !one.isHeld)?.t ??
    commands.find((one) => one.line === line && one.isFailed)?.t
  return {
    line,
    title: (run === null ? null : lateWords(run.shown, line)) ?? `${sentenceOf(actual)}.`,
    text: `Expected: ${expected}.`,
    action: t === undefined ? null : { name: "Go there", does: () => onGoTo(t) },
  }
}
