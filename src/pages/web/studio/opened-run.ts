/** A run that the page shows: its record, opened as the inspector opens one, beside what the record does not have. */

import { coursesOf } from "../../inspection/courses.ts"
import type { Courses } from "../../inspection/courses.ts"
import type { ChartPicture } from "../../inspection/packed.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import { groupOf, kindOf } from "../../../model/address.ts"
import type { Address } from "../../../model/address.ts"
import { wholeRecord } from "../inspector/sources/whole-record.ts"
import type { WholeRecord } from "../inspector/sources/whole-record.ts"
import type { FileRun, RunMessage } from "./contract.ts"
import { sentRowsOf } from "./sent-at.ts"
import type { SentRows } from "./sent-at.ts"

export interface OpenedRun {
  readonly shown: FileRun
  /** Null after a fault of the engine, and for a run against a service: they leave no record. */
  readonly record: WholeRecord | null
  /** The rows of entries; marks are between them. */
  readonly rows: readonly number[]
  /** When the playhead stops, in ms since the start: at each row; without a record, whenever something was seen. */
  readonly moments: readonly number[]
  readonly sent: ReadonlyMap<RunMessage, SentRows>
}

/** What is pressed on the line of time; without an entry of its own it leads to the last one up to its time. */
export interface CourseMark {
  /** Ms since the run's start. */
  readonly t: number
  /** The row of its entry. */
  readonly row?: number | undefined
  /** The actor whose entry it is. */
  readonly address?: Address | undefined
}

/** Index in the moments of the run. */
export function placeOf({ rows, moments, record }: OpenedRun, { t, row, address }: CourseMark): number {
  const own = row === undefined ? -1 : rows.indexOf(row)
  if (own !== -1) return own
  const last = moments.findLastIndex((moment) => moment <= t)
  if (record === null || address === undefined) return Math.max(0, last)
  const { index } = record.open
  const group = index.groups.indexOf(groupOf(address))
  const acted = rows.findLastIndex((one, place) => moments[place] === t && index.group[one] === group)
  return Math.max(0, acted === -1 ? last : acted)
}

export function openedRunOf(shown: FileRun, charts: readonly ChartPicture[]): OpenedRun {
  const unopened = { shown, record: null, rows: [], moments: seenMoments(shown), sent: new Map() }
  if (shown.record === "") return unopened
  const record = wholeRecord(shown.record, shown.title, charts)
  const { index } = record.open
  const rows = [...index.s.keys()].filter((row) => at(index.group, row) !== NONE)
  const moments = rows.map((row) => at(index.t, row))
  return { shown, record, rows, moments, sent: sentRowsOf(shown, index, rows) }
}

/** When a step was taken, a state changed, a request came or an expectation was decided. */
function seenMoments({ commands, lanes, messages, expectations }: FileRun): readonly number[] {
  const all = [
    ...commands.map(({ t }) => t),
    ...lanes.flatMap(({ stays }) => stays.map(({ from }) => from)),
    ...messages.map(({ t }) => t),
    ...expectations.map(({ t }) => t),
  ]
  return [...new Set(all)].toSorted((one, other) => one - other)
}

/** The entries in which two runs differ; null when one of them has no record. */
export function differenceOf(before: OpenedRun, now: OpenedRun): Courses | null {
  if (before.record === null || now.record === null) return null
  const known = new Set(before.record.read.index.groups)
  const formerBy = new Map(Object.entries(namesOf(before)).map(([group, name]) => [name, group]))
  const names = namesOf(now)
  // An id may change with a step before it: the scenario's own name says which group is meant.
  const nameOf = (group: string): string =>
    known.has(group) ? group : (formerBy.get(names[group] ?? "") ?? group)
  return coursesOf({ run: before.record.read, after: NONE }, { run: now.record.read, after: NONE, nameOf })
}

/** Names of the scenario; other groups are counted by their kind, in order of their first entry. */
function namesOf({ shown, record }: OpenedRun): Readonly<Record<string, string>> {
  const count = new Map<string, number>()
  return Object.fromEntries(
    (record?.read.index.groups ?? []).map((group) => {
      const kind = kindOf(group)
      const number = (count.get(kind) ?? 0) + 1
      count.set(kind, number)
      const name = shown.names[groupOf(group)] ?? ""
      return [group, name === "" || name.includes("…") ? `${kind} ${number}` : `${kind} ${name}`]
    }),
  )
}
