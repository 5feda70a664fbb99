/**
 * The part of a file that can run although a later step has a problem: the same text without the steps from that one on. Lines
 * keep their numbers, because lines are emptied and not removed.
 */

import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { parseSource, reporter } from "../../simulation/scenario/language/source.ts"
import type { NotRun } from "../../pages/web/studio/contract.ts"

export interface RunnablePart {
  readonly text: string
  readonly notRun: NotRun
}

/** Null when a problem is outside of the steps, or in the first step. */
export function runnablePart(
  { file, text }: { readonly file: string; readonly text: string },
  problems: readonly Problem[],
): RunnablePart | null {
  if (problems.some(({ place }) => place.file !== file)) return null
  const first = problems[0]?.place.line
  const root = parseSource({ file, text }, reporter([]))
  const at = root?.entries.findIndex(({ key }) => key === "steps") ?? -1
  const entry = root?.entries[at]
  if (first === undefined || root === null || entry?.value.type !== "list") return null
  const lines = entry.value.items.map(({ span }) => span.place.line)
  const end = root.entries[at + 1]?.keySpan.place.line ?? text.split("\n").length + 1
  const wrong = lines.findLastIndex((line) => line <= first)
  const from = lines[wrong] ?? 0
  if (wrong < 1 || lines[wrong - 1] === from || problems.some(({ place }) => place.line >= end)) return null
  const kept = text.split("\n").map((line, index) => (index + 1 >= from && index + 1 < end ? "" : line))
  return { text: kept.join("\n"), notRun: { line: from, reason: `line ${first} is wrong` } }
}
