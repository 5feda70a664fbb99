/** The course of a run for its report: which actors were in which state between its moments, and what the steps did. */

import { REPORT_ACTORS_MAX, REPORT_MOMENTS_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import type { Mark } from "../../simulation/run-record.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import type { OutgoingMessage } from "../../simulation/scenario/outgoing-messages.ts"
import type { Change, ShownRun } from "./shown-run.ts"

/** One actor; a stay covers the columns from its own to the next one's. */
export interface Lane {
  readonly address: string
  readonly name: string
  readonly kind: string
  readonly stays: readonly Stay[]
}

export interface Stay {
  /** The first column in which the actor is so. */
  readonly column: number
  readonly states: string
  readonly isEnd: boolean
}

/** A step or an expectation that was decided. */
export interface StepTaken {
  readonly number: number
  readonly column: number
  readonly atMs: EpochMs
  readonly outcome: "done" | "failed" | "held"
  readonly says: string
  readonly line: number | null
}

/** A step that the run did not reach. */
export interface StepNotRun {
  readonly says: string
  readonly line: number
}

export interface Course {
  /** The instant of each column. */
  readonly moments: readonly EpochMs[]
  readonly lanes: readonly Lane[]
  readonly steps: readonly StepTaken[]
  /** The steps after a failed command. */
  readonly notRun: readonly StepNotRun[]
  /** What was sent at each moment. */
  readonly sent: readonly (readonly OutgoingMessage[])[]
  /** Lanes and moments that did not fit. */
  readonly left: { readonly lanes: number; readonly moments: number }
}

/** Columns of one table: more would be too wide to read. */
const STRETCH_COLUMNS = 60

/** What happens within this time shares a column: a request takes milliseconds of virtual time. */
const COLUMN_MS = 1_000

export function courseOf(run: ScenarioRun, { changes, messages, nameOf }: ShownRun): Course {
  const instants = [...changes, ...run.marks, ...messages].map(({ atMs }) => atMs).toSorted((a, b) => a - b)
  const all: EpochMs[] = []
  for (const instant of instants) if (instant - (all.at(-1) ?? -Infinity) >= COLUMN_MS) all.push(instant)
  const moments = all.slice(0, REPORT_MOMENTS_MAX)
  const columnAt = (atMs: EpochMs): number => all.findLastIndex((instant) => instant <= atMs)
  const lanes = lanesOf(changes, { nameOf, columnAt })
  return {
    moments,
    lanes: lanes.slice(0, REPORT_ACTORS_MAX),
    sent: moments.map((_, column) => messages.filter(({ atMs }) => columnAt(atMs) === column)),
    steps: run.marks.map((mark, at) => stepOf(mark, { run, number: at + 1, column: columnAt(mark.atMs) })),
    notRun: notRunOf(run),
    left: { lanes: Math.max(0, lanes.length - REPORT_ACTORS_MAX), moments: all.length - moments.length },
  }
}

/** A part of the course that is one table: columns `from` until before `to`. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** Those of actors that begin or change here. */
  readonly lanes: readonly Lane[]
  /** Actors that stay as they were when the part begins. */
  readonly unchanged: readonly { readonly name: string; readonly states: string }[]
  readonly steps: readonly StepTaken[]
}

export function stretchesOf({ moments, lanes, steps }: Course): readonly Stretch[] {
  return Array.from({ length: Math.ceil(moments.length / STRETCH_COLUMNS) }, (_, at) => {
    const from = at * STRETCH_COLUMNS
    const to = Math.min(moments.length, from + STRETCH_COLUMNS)
    return {
      from,
      to,
      lanes: lanes.filter((lane) => changesIn(lane, from, to)),
      unchanged: lanes.flatMap((lane) => {
        const states = lane.stays.findLast(({ column }) => column < from)?.states
        return states === undefined || changesIn(lane, from, to) ? [] : [{ name: lane.name, states }]
      }),
      steps: steps.filter(({ column }) => column >= from && column < to),
    }
  })
}

function changesIn({ stays }: Lane, from: number, to: number): boolean {
  return stays.some(({ column }) => column >= from && column < to)
}

interface Naming extends Pick<ShownRun, "nameOf"> {
  readonly columnAt: (atMs: EpochMs) => number
}

function lanesOf(changes: readonly Change[], { nameOf, columnAt }: Naming): readonly Lane[] {
  return actorsOf({ changes, nameOf }).map(({ changes: own, ...actor }) => {
    const stays = own.map(({ atMs, states, isEnd }) => ({ column: columnAt(atMs), states, isEnd }))
    // Of several states in one column, only the last is shown.
    const lasting = stays.filter((stay, at) => stays[at + 1]?.column !== stay.column)
    return { ...actor, stays: lasting.filter((stay, at) => lasting[at - 1]?.states !== stay.states) }
  })
}

/** An actor with the changes of its state, in order. */
export interface ChangingActor extends Omit<Lane, "stays"> {
  readonly changes: readonly Change[]
}

/** In order of their first change. */
export function actorsOf({
  changes,
  nameOf,
}: Pick<ShownRun, "changes" | "nameOf">): readonly ChangingActor[] {
  return [...Map.groupBy(changes, ({ address }) => address)].map(([address, own]) => {
    const [kind = "", id = "", part] = address.split("/")
    return {
      address,
      name: `${nameOf(`${kind}/${id}`)} · ${(part ?? kind).replaceAll("-", " ")}`,
      kind: part?.replace(/-\d+$/, "") ?? kind,
      changes: own,
    }
  })
}

/** A failed command ends the run: the steps after it in the file that were not decided before it. */
function notRunOf({ marks, scenario: { steps } }: ScenarioRun): readonly StepNotRun[] {
  const decided = new Set(marks.map(({ place }) => place))
  const failed = new Set(marks.filter(({ level }) => level === "fail").map(({ place }) => place))
  const last = steps.findLastIndex(({ place }) => failed.has(place))
  if (last === -1) return []
  return steps
    .slice(last + 1)
    .filter(({ place }) => !decided.has(place))
    .map((step) => ({ says: stepWords(step), line: step.place.line }))
}

const OUTCOMES = { step: "done", pass: "held", fail: "failed" } as const

function stepOf(
  { atMs, level, text, place }: Mark,
  { run, number, column }: { readonly run: ScenarioRun; readonly number: number; readonly column: number },
): StepTaken {
  const step = run.scenario.steps.find((one) => one.place === place)
  return {
    number,
    column,
    atMs,
    outcome: OUTCOMES[level],
    says: step === undefined ? text : stepWords(step),
    line: place?.line ?? null,
  }
}
