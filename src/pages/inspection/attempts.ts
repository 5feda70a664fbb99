/** The outbound calls of a group up to a row: each attempt, its answer, and when the next one is due. */

import { NONE, at, rowCount } from "./run-index.ts"
import type { CallSpan, RunIndex } from "./run-index.ts"

export interface Attempt {
  /** Index into the run's actors. */
  readonly actor: number
  readonly call: string
  readonly attempt: number
  /** The row that asked for it. */
  readonly from: number
  /** The row of its answer; null while it is pending at the playhead. */
  readonly to: number | null
  /** `200`, `500`, `timeout`, `connection failed`; null while it is pending. */
  readonly answer: string | null
  readonly hasFailed: boolean
  /** From the request to the answer; null while it is pending. Unit: ms. */
  readonly tookMs: number | null
  /** From the answer to the next attempt, by the timer that the answer armed; null for none. Unit: ms. */
  readonly nextInMs: number | null
}

/** In the order in which they were requested. `actors`: those of one group. Cost: all calls of the run up to the row. */
export function attemptsUpTo(index: RunIndex, row: number, actors: readonly number[]): readonly Attempt[] {
  const attempts: Attempt[] = []
  for (const call of index.calls) {
    if (call.from > row) break
    if (actors.includes(call.actor)) attempts.push(attemptOf(index, row, call))
  }
  return attempts
}

function attemptOf(index: RunIndex, row: number, span: CallSpan): Attempt {
  const { actor, call, attempt, from } = span
  const isPending = span.to > row || span.to >= rowCount(index)
  const asked = { actor, call, attempt, from }
  if (isPending) return { ...asked, to: null, answer: null, hasFailed: false, tookMs: null, nextInMs: null }
  const answeredAt = at(index.t, span.to)
  const next = index.timers.find((timer) => timer.actor === actor && timer.from === span.to)
  return {
    ...asked,
    to: span.to,
    answer: answerWords(span.answer),
    hasFailed: isFailedResult(index, span.to),
    tookMs: answeredAt - at(index.t, from),
    nextInMs: next === undefined || !next.id.includes("attempt") ? null : next.due - answeredAt,
  }
}

/** True for a row with the result of a call that failed. */
function isFailedResult(index: RunIndex, row: number): boolean {
  return at(index.answered, row) !== NONE && index.words[at(index.event, row)] === "call.failed"
}

/** Refused, or the result of a call that failed. */
export function hasFailed(index: RunIndex, row: number): boolean {
  return at(index.refused, row) !== NONE || isFailedResult(index, row)
}

/** `500` for `status_500`, `connection failed` for `connection_failed`. */
export function answerWords(answer: string | null): string {
  return answer === null ? "answered" : answer.replace(/^status_/, "").replaceAll("_", " ")
}
