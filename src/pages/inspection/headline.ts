/** What a reader must know first about a group at a moment: its last exception, or the state of its root and a call that failed. */

import { EXCEPTION_MESSAGES } from "../../model/handoff.ts"
import { partOf } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import { attemptsUpTo } from "./attempts.ts"
import type { RecordedEntry } from "./recorded-entry.ts"
import { NONE, at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

/** The last row up to `row` in which one of these actors published an exception; NONE for none. */
export function exceptionRow(index: RunIndex, row: number, actors: readonly number[]): number {
  const last = index.published.findLast(([its, step, word]) => {
    if (its > row || !actors.includes(at(index.stepActor, step))) return false
    return (index.words[word] ?? "").endsWith(".exception")
  })
  return last?.[0] ?? NONE
}

/** The sentence of the exception that an entry published: `The compartment could not be opened.`; null for an entry without one. */
export function exceptionSentence(entry: RecordedEntry): string | null {
  for (const step of entry.steps) {
    for (const asked of step.asked) {
      if (asked.type !== "kernel.publish" || !asked.event.endsWith(".exception")) continue
      const { extras } = asked as { readonly extras?: JsonObject }
      const code = extras?.["reason_code"]
      if (typeof code !== "string") continue
      return Object.hasOwn(EXCEPTION_MESSAGES, code)
        ? EXCEPTION_MESSAGES[code as keyof typeof EXCEPTION_MESSAGES]
        : `${code.replaceAll("_", " ")}.`
    }
  }
  return null
}

/** `The reservation is confirmed.`: innermost states alone; the whole paths are beside it. */
export function stateSentence(address: string, states: string): string {
  const innermost = states.split(" ").map((path) => path.split(".").at(-1) ?? path)
  return `The ${partOf(address).replaceAll("-", " ")} is ${innermost.join(" and ").replaceAll("_", " ")}.`
}

/**
 * `open link, attempt 2 failed (500)`: the last call of these actors that had its answer by `row`; null when that one did not
 * fail, or none was made.
 */
export function failureWords(index: RunIndex, row: number, actors: readonly number[]): string | null {
  const answered = attemptsUpTo(index, row, actors).filter(({ to }) => to !== null)
  const last = answered.toSorted((one, other) => (one.to ?? 0) - (other.to ?? 0)).at(-1)
  if (last === undefined || !last.hasFailed) return null
  return `${last.call.replaceAll("_", " ")}, attempt ${last.attempt} failed (${last.answer})`
}
