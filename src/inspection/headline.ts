/** What a reader must know first about a group at a moment: its last exception, or the state of its root. */

import { EXCEPTION_MESSAGES } from "../model/handoff.ts"
import { partOf } from "../model/address.ts"
import type { JsonObject } from "../model/json.ts"
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
