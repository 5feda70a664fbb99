/** Bounds of a release gate: `lost > 0`, or `late > +0` for a figure beside that of the record. */

import type { RelivedAnswer } from "../../model/requests/relive.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface FailOn {
  readonly text: string
  readonly holds: (answer: RelivedAnswer) => boolean
}

const COUNTS = ["differ", "saved", "lost", "sooner", "later", "drawn", "old_facts"] as const

/** Figures that both courses have. */
const FIGURES = ["met", "late"] as const

const COMPARISONS: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
}

const BOUND = /^\s*(?<name>[a-z_]+)\s*(?<comparison><=|>=|<|>)\s*(?<sign>[+-]?)(?<number>\d{1,9})\s*$/

/** Throws `UsageError`. */
export function failOn(text: string): FailOn {
  const { name = "", comparison = "", sign = "", number = "" } = BOUND.exec(text)?.groups ?? {}
  const compare = COMPARISONS[comparison]
  const count = COUNTS.find((one) => one === name)
  const figure = FIGURES.find((one) => one === name)
  if (compare === undefined || (count === undefined && figure === undefined))
    throw new UsageError(
      `--fail-on takes a bound such as "lost > 0" or "late > +0", not "${text}"; it knows ${[...COUNTS, ...FIGURES].join(", ")}`,
    )
  if (figure !== undefined) {
    const limit = Number(`${sign}${number}`)
    // With a sign it bounds the change from the record.
    const isChange = sign !== ""
    return {
      text,
      holds: ({ [figure]: { before, after } }) => compare(isChange ? after - before : after, limit),
    }
  }
  if (sign !== "")
    throw new UsageError(`--fail-on "${text}": ${name} already is a change, so its bound has no sign`)
  return { text, holds: (answer) => count !== undefined && compare(answer[count], Number(number)) }
}
