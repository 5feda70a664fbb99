/** The verdict of a run as a sentence. */

import { durationText } from "../../inspection/durations.ts"
import type { FileRun } from "./contract.ts"
import { clockOf } from "./time-scale.ts"

export function verdictSentence(run: FileRun): string {
  const { failures, notRun, virtualMs, expectations, verdict, service, expectsNothing } = run
  if (verdict === "not run") return `Not run against ${service?.host ?? "the service"}.`
  const [failure] = failures
  const late = failure === undefined ? null : lateWords(run, failure.line)
  if (failure !== undefined)
    return late === null ? `${largeFirst(failure.message)}.` : `${late} Expected: ${failure.expected}.`
  if (notRun !== null) return `The steps before line ${notRun.line} passed; ${notRun.reason}.`
  const held =
    expectations.length === 1 ? "One expectation held" : `All ${expectations.length} expectations held`
  const time = `${durationText(virtualMs)} of ${service === null ? "virtual time" : "the sandbox's time"}`
  const empty = expectsNothing ? ", and expects nothing: add a step with expect" : ""
  return `${expectations.length === 0 ? "It ran to its end" : held} in ${time}${empty}.`
}

/** `Came 5s 50ms too late, at 11:58:25.050.`; null for an expectation that never came true. */
export function lateWords({ expectations, startMs, timeZone }: FileRun, line: number | null): string | null {
  const found = expectations.find((one) => one.line === line && one.cameAt !== null)
  if (found === undefined || found.cameAt === null) return null
  return `Came ${durationText(found.cameAt - found.until)} too late, at ${clockOf(startMs, timeZone)(found.cameAt)}.`
}

/** A word of the language or a file at the beginning, such as `runner.measure`, stays as it is written. */
export function largeFirst(text: string): string {
  if (/^[\w/-]+\.\w/.test(text)) return text
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
