/**
 * A run as columns: what every list, search and jump needs of a record, without the texts of its entries. Columns are
 * arrays of numbers, so that a run of 100,000 entries is a few megabytes and is sought in microseconds. A row is a line of
 * the run after its header and charts: an entry or a mark.
 */

import type { Address, GroupAddress } from "../model/address.ts"

/** The header of a run, as its first line says it. */
export interface RunHead {
  readonly version: number
  readonly scenario: string
  readonly title: string
  readonly variant: string | null
  readonly seed: number | null
  readonly build: string
  readonly recording: string
  readonly clock0Ms: number
  readonly zone: string
}

export interface RunEnd {
  readonly t: number
  readonly verdict: string | null
  readonly hash: string
}

export interface IndexedActor {
  readonly address: Address
  /** `id@version`; null in a record of states alone. */
  readonly machine: string | null
}

export interface IndexedMark {
  readonly row: number
  readonly level: string
  readonly text: string
  /** `file:line:column` of the scenario's step, if it has one. */
  readonly src: string | null
}

/** From the row that began it to the row that ended it; `to` is one past the last row while it lasted to the end. */
export interface Span {
  readonly actor: number
  readonly from: number
  readonly to: number
  /** What ended it; null while it lasts. */
  readonly end: "came" | "disarmed" | "replaced" | null
}

/** A timer, armed from `from` until `to`. */
export interface TimerSpan extends Span {
  readonly id: string
  /** When it is due. Unit: ms since `clock0`. */
  readonly due: number
}

/** A call to the outside, pending from `from` until its result at `to`. */
export interface CallSpan extends Span {
  readonly call: string
  readonly attempt: number
  /** What its result says beside its type: a reason such as `status_503`, or the status of a success; null for neither. */
  readonly answer: string | null
}

/** How an input came; an index into the `by` column. */
export const WAYS = ["command", "timer", "message", "result"] as const
export type Way = (typeof WAYS)[number]

/** What a step did; an index into the `stepDid` column. `unknown` in a record of states alone. */
export const DEEDS = ["moved", "handled", "ignored", "unknown"] as const
export type Deed = (typeof DEEDS)[number]

/** Stands in a column where there is nothing: no cause, no refusal, no sender. */
export const NONE = -1

/** Stands in the column of causes where a cause is named that the record does not hold: another group's journal does. */
export const ELSEWHERE = -2

/** By row: */
export interface RowColumns {
  /** The line's own number in its run. */
  readonly s: number[]
  /** Unit: ms since `clock0`. */
  readonly t: number[]
  /** Index into `groups`; NONE for a mark. */
  readonly group: number[]
  readonly revision: number[]
  /** Index into `actors`: whom the input was for; NONE for a mark, or if no such actor ever stepped. */
  readonly to: number[]
  /** Index into `WAYS`. */
  readonly by: number[]
  /** Index into `words`: type of the event, `@start` for a start. */
  readonly event: number[]
  /** Index into `words`: the code of a refusal. */
  readonly refused: number[]
  /** The row that caused this one; NONE for what came from outside, ELSEWHERE for a row of a journal that is not here. */
  readonly cause: number[]
  /** Index into `calls`: the call whose result the row is; NONE for every other row. */
  readonly answered: number[]
  /** The first step of the row; the next row's is one past its last. One longer than the others. */
  readonly firstStep: number[]
}

/** By step, in order: */
export interface StepColumns {
  readonly stepRow: number[]
  readonly stepActor: number[]
  /** Index into `words`. */
  readonly stepEvent: number[]
  /** Index into `DEEDS`. */
  readonly stepDid: number[]
  /** Index into `values`. */
  readonly stepValue: number[]
  /** 1 when the actor has come to its end. */
  readonly stepDone: number[]
  /** Index into `actors`: who sent what the step was given; NONE for the outside and for timers. */
  readonly stepFrom: number[]
}

export interface RunIndex extends RowColumns, StepColumns {
  readonly words: string[]
  /** State values as JSON texts. */
  readonly values: string[]
  readonly groups: GroupAddress[]
  readonly actors: IndexedActor[]
  readonly marks: IndexedMark[]
  readonly timers: TimerSpan[]
  readonly calls: CallSpan[]
  /** Events told to subscribers: row, step, and index into `words`. */
  readonly published: (readonly [row: number, step: number, word: number])[]
}

export function emptyIndex(): RunIndex {
  return {
    s: [],
    t: [],
    group: [],
    revision: [],
    to: [],
    by: [],
    event: [],
    refused: [],
    cause: [],
    answered: [],
    firstStep: [0],
    stepRow: [],
    stepActor: [],
    stepEvent: [],
    stepDid: [],
    stepValue: [],
    stepDone: [],
    stepFrom: [],
    words: [],
    values: [],
    groups: [],
    actors: [],
    marks: [],
    timers: [],
    calls: [],
    published: [],
  }
}

/** How many entries and marks the run has. */
export function rowCount(index: RunIndex): number {
  return index.s.length
}

/** A column's number, which is there for every row and step in range. */
export function at(column: readonly number[], position: number): number {
  return column[position] ?? NONE
}
