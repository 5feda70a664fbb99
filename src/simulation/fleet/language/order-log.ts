/** The orders of a replayed table, as the world takes them: plain JSON, so that a thread or a page can take them too. */

import type { Place } from "../../../model/place.ts"

/** What a row says of its order. What it does not say is drawn. Durations are in milliseconds. */
export interface OrderFacts {
  /** One of the demand's site. */
  readonly store?: string
  /** In the site's service area. */
  readonly door?: Place
  readonly preparationMs?: number
  /** How long the bot waits for its order. */
  readonly patienceMs?: number
  /** How long a bot waited that was served: for a fit, a lower bound of its patience. */
  readonly servedAfterMs?: number
  readonly aheadMs?: number
  readonly widthMs?: number
  readonly readyInMs?: number
  readonly priority?: number
  readonly isCanceled?: boolean
  readonly cancelAfterMs?: number
}

export interface LoggedOrder {
  /** From the start of the run; of a log by days from midnight of its day by the clock of the sites. */
  readonly atMs: number
  readonly facts: OrderFacts
}

/** A local day of the log; one without rows is a day without orders. */
export interface LoggedDay {
  /** `2015-02-06`. */
  readonly date: string
  /** 0 is Monday. */
  readonly weekday: number
  readonly orders: readonly LoggedOrder[]
}

/** Rows that became no order. */
export interface LeftOutRows {
  /** The rest of a sentence that begins with "rows": `whose door is outside of the service area`. */
  readonly reason: string
  readonly count: number
  /** Of the first one; lines and rows count from 1. */
  readonly firstLine: number
  /** More of the first one, behind its line: `: "12 Mian St", nearest is "12 Main Street"`. */
  readonly first?: string
}

export interface OrderLog {
  /** The index of its demand. */
  readonly demand: number
  readonly file: string
  /** Earliest first; empty when the log is played by days. */
  readonly orders: readonly LoggedOrder[]
  /** Each day from the first to the last of the log, for `repeat` and `resample`; null when the log is played once. */
  readonly days: readonly LoggedDay[] | null
  /** By weekday of the run, indexes of the days that may stand for it; empty without days. */
  readonly pools: readonly (readonly number[])[]
  /** From its time on an order comes within so long. */
  readonly withinMs: number
  /** Sentences about how the table was read, how many of its rows are orders, and why the others are not. */
  readonly notes: readonly string[]
  readonly rows: {
    /** Of demands that are made from one by a column, each row of the table counts at one of them. */
    readonly read: number
    readonly used: number
    readonly leftOut: readonly LeftOutRows[]
    /** What a row is called: a text has lines. */
    readonly unit: "line" | "row"
  }
}

/** The mistake of a table without any order of a demand. */
export function noOrderText(file: string, leftOut: readonly LeftOutRows[]): string {
  const reasons = leftOut.map(({ count, reason }) => `${count} ${reason}`).join(", ")
  return `no row of ${file} is an order of the run: ${reasons}`
}

/** What is wrong with a table, or with how the model binds it. */
export interface LogFault {
  /** Below `replay` in the model's text. */
  readonly at: readonly string[]
  readonly message: string
  /** When only this is wrong, that no row is an order of the demand: the log without orders. */
  readonly empty?: OrderLog
  readonly expected?: string
  readonly help?: string
}
