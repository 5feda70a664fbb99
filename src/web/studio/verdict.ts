/** The verdict of a run as a sentence. */

import { durationText } from "../../inspection/durations.ts"
import type { FileRun } from "./contract.ts"

export function verdictSentence({ failures, notRun, virtualMs, expectations }: FileRun): string {
  const [failure] = failures
  if (failure !== undefined) return `${largeFirst(failure.message)}.`
  if (notRun !== null) return `The steps before line ${notRun.line} passed; ${notRun.reason}.`
  const held =
    expectations.length === 1 ? "One expectation held" : `All ${expectations.length} expectations held`
  return `${expectations.length === 0 ? "It ran to its end" : held} in ${durationText(virtualMs)} of virtual time.`
}

export function largeFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
