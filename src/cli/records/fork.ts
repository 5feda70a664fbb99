/** `curbline fork`: from a moment of a record the run goes on with other steps, and both courses are shown side by side. */

import { readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { isatty } from "node:tty"
import { program } from "../../apps/composition/program.ts"
import { courseLabel, coursesOf } from "../../pages/inspection/courses.ts"
import type { Courses, Ending, Pair, Side } from "../../pages/inspection/courses.ts"
import { lineAfter } from "../../pages/inspection/forks.ts"
import { durationText } from "../../pages/inspection/durations.ts"
import { RecordReader } from "../../pages/inspection/run-reader.ts"
import type { ReadRun } from "../../pages/inspection/run-reader.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { recordContext } from "../../live/configuration/build.ts"
import { forkPoint, runFork } from "../../simulation/fork/fork.ts"
import type { Fork } from "../../simulation/fork/fork.ts"
import { INVENTED } from "../../simulation/fork/invented-rows.ts"
import { UnusableJournal, journalAt } from "../../simulation/fork/journal.ts"
import type { Journal } from "../../simulation/fork/journal.ts"
import { readWhatIf } from "../../simulation/fork/what-if.ts"
import type { ForkPoint, WhatIf } from "../../simulation/fork/what-if.ts"
import { recordOfRun } from "../../simulation/run-record.ts"
import { shellWord } from "../../model/values/shell-word.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { blockedRuns } from "../../pages/bundling/record-file.ts"
import { momentFrom, readRecord, showRecords } from "./inspect.ts"
import { languageNames } from "../scenarios/scenario-files.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, faultMessage, hasColor, out, styled } from "../kit/terminal.ts"
import { refuseKind } from "../kit/file-kinds.ts"
import { readText, readWritten, textOf } from "../kit/text-files.ts"

export interface ForkFlags {
  readonly at: string
  readonly with: string
  /** Where the new course is written, as a record. */
  readonly out?: string
  /** Also lines that both courses have. */
  readonly full?: boolean
  /** Serve the inspector with both courses. */
  readonly inspect?: boolean
  /** Write the inspector with both courses as one HTML file. */
  readonly report?: string
}

/** Runs the new course and prints the comparison. A step that fails is exit status 1. */
export async function forkCommand(file: string, flags: ForkFlags): Promise<ExitStatus> {
  const moment = momentFrom(flags.at)
  const text = readText(file)
  const journal = usable(file, () => journalAt(text, program, moment))
  const point = forkPoint(journal)
  const whatIf = whatIfIn(flags.with, point)
  if (whatIf === null) return EXIT.usage
  const fork = runFork(journal, whatIf, program)
  const record = recordOfRun(fork.run, recordContext())
  const recorded = readRun(text, moment.run)
  const forked = readRun(record, 1)
  const courses = coursesOf(
    { run: recorded, after: lineAfter(recorded.index, journal.kept) },
    { run: forked, after: lineAfter(forked.index, fork.kept), nameOf: fork.recordedGroupOf },
  )
  const shown = { file, journal, whatIf, fork, courses, flags }
  for (const line of comparison(shown)) out(line)
  if (flags.out !== undefined) written(flags.out, record)
  for (const line of afterwards(shown)) err(line)
  if (flags.inspect === true || flags.report !== undefined) await showBoth(file, record, flags)
  return fork.failures.length === 0 ? EXIT.passed : EXIT.failed
}

/** Both courses in the inspector: as a file, served until Ctrl-C, or both. The new course need not be a file for that. */
async function showBoth(
  file: string,
  record: string,
  { out: kept = "what-if.ndjson", inspect, report }: ForkFlags,
): Promise<void> {
  const records = [readRecord(file), blockedRuns(basename(kept), record.split("\n").filter(Boolean))]
  if (report !== undefined) await showRecords(records, { out: report })
  if (inspect === true) await showRecords(records, {})
}

/** The steps of a what-if file; `-` reads them from stdin, as a here-document gives them. */
function stepsIn(file: string): string | Problem {
  if (file !== STDIN) return readWritten(file)
  if (isatty(STDIN_FD)) err("type the steps of the what-if file; Ctrl-D ends them")
  try {
    return textOf("stdin", readFileSync(STDIN_FD))
  } catch (cause) {
    throw new UsageError(`the steps cannot be read from stdin: ${faultMessage(cause)}`)
  }
}

const STDIN = "-"
/** `process.stdin` would make a pipe non-blocking, and reading it at once fails then. */
const STDIN_FD = 0

function usable<A>(file: string, read: () => A): A {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof UnusableJournal) throw new UsageError(`${file}: ${cause.message}`)
    throw cause
  }
}

function whatIfIn(file: string, point: ForkPoint): WhatIf | null {
  const text = stepsIn(file)
  if (typeof text === "string") refuseKind(file, text, "what-if file")
  const { whatIf, problems } =
    typeof text === "string"
      ? readWhatIf({ file: file === STDIN ? "stdin" : file, text }, { names: languageNames(), point })
      : { whatIf: null, problems: [text] }
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (problems.length > 0) err(`${counted(problems.length, "problem")}; nothing was run`)
  return whatIf
}

function readRun(text: string, number: number): ReadRun {
  const reader = new RecordReader()
  for (const line of text.split("\n")) reader.take(line)
  const run = reader.runs()[number - 1]
  if (run === undefined) throw new TypeError(`the record has no run ${number}`)
  return run
}

function written(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw new UsageError(`the record ${path} cannot be written: ${faultMessage(cause)}`)
  }
}

interface Shown {
  readonly file: string
  readonly journal: Journal
  readonly whatIf: WhatIf
  readonly fork: Fork
  readonly courses: Courses
  readonly flags: ForkFlags
}

/** Pairs and endings beyond these are counted instead; `--full` shows all. */
const PAIRS_SHOWN_MAX = 60
const ENDINGS_SHOWN_MAX = 30

const TEXT_WIDTH = 58

const SIGNS: Readonly<Record<Pair["is"], string>> = {
  same: " ",
  moved: "~",
  changed: "≠",
  first: "<",
  second: ">",
}

function comparison(shown: Shown): readonly string[] {
  const { journal, whatIf, courses, flags } = shown
  const clock = clockOf(journal)
  const { pairs, difference } = courses
  const count = (is: Pair["is"]): number => pairs.filter((pair) => pair.is === is).length
  const head = [
    `what if ${whatIf.title}`,
    `both courses are the same up to ${clock(journal.atMs)} (${counted(journal.kept, "entry", "entries")})`,
  ]
  if (difference === null) {
    const same = `after it they are the same too: ${counted(pairs.length, "entry", "entries")}`
    return [...head, same, ...failureLines(shown)]
  }
  const parts = [
    `${count("same")} equal`,
    `${count("moved")} equal at another time`,
    `${count("changed")} with another outcome`,
    `${count("first")} only recorded`,
    `${count("second")} only in the what-if`,
  ]
  const first = pairs[difference] as Pair
  return [
    ...head,
    `after it ${parts.join(", ")}`,
    `first difference: ${courseLabel(first.to)} at ${clock(journal.clock0Ms + timeOf(first))}`,
    "",
    ...columns(pairs, { clock, journal, isFull: flags.full === true }),
    "",
    "how they end",
    ...endings(courses.endings, flags.full === true),
    "",
    ...endLines(shown, clock),
  ]
}

interface Columns {
  readonly clock: (atMs: EpochMs) => string
  readonly journal: Journal
  readonly isFull: boolean
}

function columns(pairs: readonly Pair[], { clock, journal, isFull }: Columns): readonly string[] {
  const lines: string[] = [styled("bold", row(" ", "time", "recorded", "what if"))]
  let folded = 0
  let left = isFull ? Infinity : PAIRS_SHOWN_MAX
  let hidden = 0
  for (const pair of pairs) {
    if (pair.is === "same" && !isFull) {
      folded += 1
      continue
    }
    if (folded > 0 && left > 0) lines.push(styled("dim", `    … ${folded} equal`))
    folded = 0
    if (left <= 0) {
      hidden += 1
      continue
    }
    left -= 1
    const label = courseLabel(pair.to)
    const said = (side: Side | null): string => {
      if (side === null) return "–"
      const elsewhere = side.t === timeOf(pair) ? "" : `${clock(journal.clock0Ms + side.t)} `
      return `${elsewhere}${label} ${side.text}`
    }
    const line = row(
      SIGNS[pair.is],
      clock(journal.clock0Ms + timeOf(pair)),
      said(pair.first),
      said(pair.second),
    )
    lines.push(styled(SHADES[pair.is], line))
  }
  if (folded > 0) lines.push(styled("dim", `    … ${folded} equal`))
  if (hidden > 0) lines.push(`    … ${hidden} more that differ; --full shows all`)
  return lines
}

const SHADES = { same: "dim", moved: "cyan", changed: "yellow", first: "red", second: "green" } as const

/** One row of the table; a long text goes on in its own column. */
function row(sign: string, time: string, first: string, second: string): string {
  const [ones, others] = [wrapped(first), wrapped(second)]
  return Array.from({ length: Math.max(ones.length, others.length) }, (_, line) => {
    const head = line === 0 ? `${sign} ${time.padEnd(12)}` : " ".repeat(14)
    return `${head} ${(ones[line] ?? "").padEnd(TEXT_WIDTH)} ${others[line] ?? ""}`.trimEnd()
  }).join("\n")
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of text.replace(/\p{Cc}/gu, " ").split(" ")) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (last.length + 1 + word.length > TEXT_WIDTH) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function endings(all: readonly Ending[], isFull: boolean): readonly string[] {
  const differing = all.filter(({ first, second }) => first !== second)
  const shown = isFull ? all : differing.slice(0, ENDINGS_SHOWN_MAX)
  const lines = shown.map(({ actor, first, second }) =>
    row(first === second ? " " : "~", "", `${courseLabel(actor)} ${first ?? "–"}`, second ?? "–"),
  )
  if (isFull) return lines
  const hidden = differing.length - shown.length
  const same = all.length - differing.length
  return [
    ...lines,
    ...(hidden > 0 ? [`    … ${hidden} more that end differently`] : []),
    ...(same > 0 ? [`    … ${same} that end in the same state`] : []),
  ]
}

function endLines(shown: Shown, clock: (atMs: EpochMs) => string): readonly string[] {
  const { journal, courses } = shown
  const last = (side: "first" | "second"): number =>
    Math.max(0, ...courses.pairs.flatMap((pair) => pair[side]?.t ?? []))
  const [one, other] = [last("first"), last("second")]
  const apart =
    other === one ? "" : `, ${durationText(Math.abs(other - one))} ${other > one ? "later" : "earlier"}`
  return [
    `the last entry: ${clock(journal.clock0Ms + one)} recorded, ${clock(journal.clock0Ms + other)} in the what-if${apart}`,
    ...failureLines(shown),
  ]
}

function failureLines({ fork }: Shown): readonly string[] {
  return fork.failures.map(
    ({ message, place }) =>
      `failed: ${message}${place === null ? "" : ` (${place.file}:${place.line}:${place.column})`}`,
  )
}

/** What the reader has to know about the new course, and how to look at both. */
function afterwards({ file, fork, whatIf, flags }: Shown): readonly string[] {
  return [
    INVENTED,
    `${counted(fork.answeredAsRecorded, "call")} to the outside answered as recorded; others by the world of the scenarios`,
    ...(whatIf.commands === "none" ? ["commands that the journal has later did not come again"] : []),
    ...fork.leftOut.map((command) => `left out: ${command}`),
    ...(flags.inspect === true || flags.report !== undefined
      ? []
      : ["--inspect opens both courses side by side, --report FILE writes them as one file"]),
    ...(flags.out === undefined
      ? []
      : [
          `wrote ${flags.out}; npx curbline inspect ${shellWord(file)} ${shellWord(flags.out)} shows both courses from the moment on`,
        ]),
  ]
}

function timeOf({ first, second }: Pair): number {
  return Math.min(first?.t ?? Infinity, second?.t ?? Infinity)
}

/** `11:58:10`, with milliseconds only if there are some; `+1d` on a later day than that of the moment. */
function clockOf({ atMs, timeZone }: Journal): (instantMs: EpochMs) => string {
  const dayOf = (instantMs: EpochMs): string =>
    new Date(wallClockAt(instantMs, timeZone)).toISOString().slice(0, 10)
  return (instantMs) => {
    const iso = new Date(wallClockAt(instantMs, timeZone)).toISOString()
    const days = (Date.parse(iso.slice(0, 10)) - Date.parse(dayOf(atMs))) / 86_400_000
    const time = iso.slice(11, 23).replace(/\.000$/, "")
    return days === 0 ? time : `${days > 0 ? "+" : ""}${days}d ${time}`
  }
}
