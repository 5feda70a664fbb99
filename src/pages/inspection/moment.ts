/**
 * A moment of a record, as it is copied from the page to the command line and back: `417`, or `2:417` in the second
 * run.
 */

export interface Moment {
  /** 1-based number of the run in its file. */
  readonly run: number
  /** The line's number in that run. */
  readonly s: number
}

/** Null for a text that is not a moment. */
export function momentOf(text: string): Moment | null {
  const found = /^(?:(\d{1,9}):)?(\d{1,9})$/.exec(text.trim())
  if (found === null) return null
  const moment = { run: Number(found[1] ?? 1), s: Number(found[2]) }
  return moment.run < 1 ? null : moment
}

export function momentText({ run, s }: Moment): string {
  return run === 1 ? String(s) : `${run}:${s}`
}
