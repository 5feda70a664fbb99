/** The result of looking up a fact. */

import { listed } from "../../model/values/listed.ts"
import { showDuration } from "./language/shown-duration.ts"

/** Whether the fact holds now. `isLost`: waiting longer cannot change the result. */
export interface Finding {
  readonly holds: boolean
  /** The rest of a sentence that begins with "expected that". */
  readonly expected: string
  /** The rest of a sentence that begins with "found that". */
  readonly actual: string
  /** The group to explain when the fact does not hold. */
  readonly group: string | null
  readonly isLost?: boolean
}

/** A field whose value is not the expected one; both as texts. */
export interface Difference {
  readonly field: string
  readonly expected: string
  readonly found: string
}

/** How fields without a value are shown. */
const NO_VALUE: ReadonlySet<string> = new Set(["nothing", "null", "undefined"])

/** `lunch has status confirmed and no stall`, on either side: those fields that differ. */
export function comparedFields(
  name: string,
  different: readonly Difference[],
): Pick<Finding, "actual" | "expected" | "holds"> {
  const side = (of: "expected" | "found"): string => {
    const fields = different.map((one) =>
      NO_VALUE.has(one[of]) ? `no ${one.field}` : `${one.field} ${one[of]}`,
    )
    return fields.length === 0 ? `${name} is as expected` : `${name} has ${listed(fields)}`
  }
  return { holds: different.length === 0, expected: side("expected"), actual: side("found") }
}

/** A fact about what does not exist: waiting does not help. */
export function missing(
  name: string,
  what: string,
  { group = null, expected = "exists" }: { readonly group?: string | null; readonly expected?: string } = {},
): Finding {
  return { holds: false, expected: `${name} ${expected}`, actual: `${name} ${what}`, group, isLost: true }
}

/** What a failed expectation says in one sentence. */
export function failedText({ expected, actual }: Pick<Finding, "actual" | "expected">, when = ""): string {
  return `expected that ${expected}${when}, found that ${actual}`
}

/** `3 are listed: 2 confirmed, 1 canceled`. */
export function listedText(statuses: readonly string[]): string {
  const { length } = statuses
  return length === 0
    ? "none is listed"
    : `${length} ${length === 1 ? "is" : "are"} listed: ${tally(statuses)}`
}

/** `2 delivered, 1 waiting`. */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ")
}

/** A refusal that asks for another wait than the step says. */
export function waitTexts(
  code: string,
  { wantedMs, foundMs }: { readonly wantedMs: number; readonly foundMs: number | null },
): Pick<Finding, "actual" | "expected"> {
  return {
    expected: `${code} asks to wait ${showDuration(wantedMs)} before the next call`,
    actual: foundMs === null ? "it names no time to wait" : `it asks to wait ${showDuration(foundMs)}`,
  }
}
