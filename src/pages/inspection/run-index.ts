/**
 * A run as columns: the part of a record that lists, searches and jumps need, without the texts of its entries. Columns
 * are arrays of numbers, so that a run of 100,000 entries takes a few megabytes and is searched in microseconds. A row
 * is a line of the run after its header and charts: an entry or a mark.
 */

import type { Address, GroupAddress } from "../../model/address.ts"

/** The header of a run, from its first line. */
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
  /** The number of the run that a fork goes on from, in its file; null for other runs, and for forks of older programs. */
  readonly forkOf: number | null
}

export interface RunEnd {
  readonly t: number
  readonly verdict: string | null
  readonly hash: string
}

export interface IndexedActor {
  readonly address: Address
  /** `id@version`; null in a record of states. */
  readonly machine: string | null
}

export interface IndexedMark {
  readonly row: number
  readonly level: string
  readonly text: string
  /** `file:line:column` of the scenario's step, if it has one. */
  readonly src: string | null
}

/** From its first row to its last; `to` is one past the last row of the run if it did not end. */
export interface Span {
  readonly actor: number
  readonly from: number
  readonly to: number
  /** How it ended; null if it did not. */
  readonly end: "came" | "disarmed" | "replaced" | null
}

/** A timer, armed from `from` until `to`. */
export interface TimerSpan extends Span {
  readonly id: string
  /** When it is due. Unit: ms since `clock0`. */
  readonly due: number
}

/** An outbound call, pending from `from` until its result at `to`. */
export interface CallSpan extends Span {
  readonly call: string
  readonly attempt: number
  /** The detail of its result: a reason such as `status_503`, or the status of a success; null for neither. */
  readonly answer: string | null
}

/** The kinds of inputs; values of the `by` column are indexes into it. */
export const WAYS = ["command", "timer", "message", "result"] as const
export type Way = (typeof WAYS)[number]

/** What a step did; values of the `stepDid` column are indexes into it. `unknown` in a record of states. */
export const DEEDS = ["moved", "handled", "ignored", "unknown"] as const
export type Deed = (typeof DEEDS)[number]

/** Value of a column for none: no cause, no refusal, no sender. */
export const NONE = -1

/** Value of the column of causes for a cause in another group's journal, which the record does not have. */
export const ELSEWHERE = -2

/** Columns by row: */
export interface RowColumns {
  /** The line's own number in its run. */
  readonly s: number[]
  /** Unit: ms since `clock0`. */
  readonly t: number[]
  /** Index into `groups`; NONE for a mark. */
  readonly group: number[]
  readonly revision: number[]
  /** Index into `actors`: the addressee of the input; NONE for a mark, or if that actor never stepped. */
  readonly to: number[]
  /** Index into `WAYS`. */
  readonly by: number[]
  /** Index into `words`: type of the event, `@start` for a start. */
  readonly event: number[]
  /** Index into `words`: the code of a refusal. */
  readonly refused: number[]
  /**
   * The row that caused this one; NONE for input from outside, ELSEWHERE for a row of a journal that is not in the
   * record.
   */
  readonly cause: number[]
  /** Index into `calls`: the call whose result the row is; NONE for every other row. */
  readonly answered: number[]
  /** The first step of the row; the next row's is one past its last. This column has one more value than the others. */
  readonly firstStep: number[]
}

/** Columns by step, in order: */
export interface StepColumns {
  readonly stepRow: number[]
  readonly stepActor: number[]
  /** Index into `words`. */
  readonly stepEvent: number[]
  /** Index into `DEEDS`. */
  readonly stepDid: number[]
  /** Index into `values`. */
  readonly stepValue: number[]
  /** 1 when the actor has reached its end. */
  readonly stepDone: number[]
  /** Index into `actors`: the sender of the step's event; NONE for outside and for timers. */
  readonly stepFrom: number[]
}

export interface RunIndex extends RowColumns, StepColumns {
  readonly words: string[]
  /** State values as JSON texts. */
  readonly values: string[]
  readonly groups: GroupAddress[]
  /** By group, index into `words`: the type of the event that a webhook delivery sends; NONE for other groups, and if it is unknown. */
  readonly eventOfGroup: number[]
  /** By group, its first row. */
  readonly firstRowOfGroup: number[]
  /** By group, the name that the scenario gave; null for none. */
  readonly nameOfGroup: (string | null)[]
  /** In a record of some groups of a run: other groups that exchanged messages with these, or caused their entries. */
  readonly outside: GroupAddress[]
  readonly actors: IndexedActor[]
  readonly marks: IndexedMark[]
  readonly timers: TimerSpan[]
  readonly calls: CallSpan[]
  /** Published events: row, step, and index into `words`. */
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
    eventOfGroup: [],
    firstRowOfGroup: [],
    nameOfGroup: [],
    outside: [],
    actors: [],
    marks: [],
    timers: [],
    calls: [],
    published: [],
  }
}

/** The type of the event that a webhook delivery sends, by the number of its group; null for other groups, and if it is unknown. */
export function eventSentBy({ eventOfGroup, words }: RunIndex, group: number): string | null {
  return words[at(eventOfGroup, group)] ?? null
}

/** How many entries and marks the run has. */
export function rowCount(index: RunIndex): number {
  return index.s.length
}

/** A value of a column; the position must exist. */
export function at(column: readonly number[], position: number): number {
  return column[position] ?? NONE
}
