/** The attempts of one delivery of an event, read from the journal of its actor: they are stored nowhere else. */

import type { EpochMs } from "../../model/values/time.ts"
import type { Context, State } from "../../../machines/contracts.ts"
import { innermostState, stepsOf } from "../../engine/services/group-journals.ts"
import type { JournalTurn } from "../../engine/services/group-journals.ts"

export interface Attempt {
  /** From 1. */
  readonly attempt: number
  readonly sentAtMs: EpochMs
  /** Null while the attempt is in flight. */
  readonly endedAtMs: EpochMs | null
  /** HTTP status of the answer, if there was one. */
  readonly status: number | null
  /** Why it failed, as a word: `timeout`, `status_503`; `no_result` when its lease has ended without a result. */
  readonly error: string | null
}

/** A delivery's course so far. */
export interface Sending {
  readonly state: State<"webhook-delivery">
  readonly attempts: readonly Attempt[]
  readonly attemptsMax: number
  /** When the next attempt is due; null unless it waits for one. */
  readonly nextAttemptAtMs: EpochMs | null
}

/** Null without a turn. */
export function sendingOf(turns: readonly JournalTurn[], sendingId: string): Sending | null {
  const steps = stepsOf(turns, `webhook-delivery/${sendingId}`)
  const last = steps.at(-1)
  if (last === undefined) return null
  const byNumber = new Map<number, Attempt>()
  for (const { instantMs, step } of steps) {
    if (step.did === "ignored") continue
    note(byNumber, resultOf(step), instantMs)
    for (const { attempt } of step.asked.filter(isCall))
      byNumber.set(attempt, { attempt, sentAtMs: instantMs, endedAtMs: null, status: null, error: null })
  }
  const { attemptsMax } = last.step.context as unknown as Context<"webhook-delivery">
  const state = innermostState(last.step.value) as Sending["state"]
  return {
    state,
    attempts: [...byNumber.values()].toSorted((one, other) => one.attempt - other.attempt),
    attemptsMax,
    nextAttemptAtMs: state === "waiting" ? dueAtMs(steps) : null,
  }
}

interface Result {
  readonly type: string
  readonly attempt?: number
  readonly status?: number
  readonly reason?: string
}

/** The end of a lease is the end of the attempt that is counted then. */
function resultOf({ on, context }: Steps[number]["step"]): Result {
  const result = on as unknown as Result
  if (!result.type.startsWith("xstate.after.lease of the call.")) return result
  const { attempt } = context as unknown as Context<"webhook-delivery">
  return { type: "call.failed", attempt, reason: "no_result" }
}

/** Writes the result of an attempt. An attempt that could not be sent has none. */
function note(byNumber: Map<number, Attempt>, on: Result, atMs: EpochMs): void {
  const known = byNumber.get(on.attempt ?? 0)
  if (known === undefined) return
  if (on.type === "call.deferred") byNumber.delete(known.attempt)
  if (on.type === "call.succeeded")
    byNumber.set(known.attempt, { ...known, endedAtMs: atMs, status: on.status ?? null, error: null })
  if (on.type === "call.failed" || on.type === "call.discarded") {
    const error = on.reason ?? "failed"
    const status = /^status_(\d{3})$/.exec(error)?.[1]
    byNumber.set(known.attempt, {
      ...known,
      endedAtMs: atMs,
      status: status === undefined ? null : Number(status),
      error,
    })
  }
}

type Steps = ReturnType<typeof stepsOf>

/** The pause that began last. */
function dueAtMs(steps: Steps): EpochMs | null {
  for (const { step } of steps.toReversed()) {
    const pause = step.asked.findLast(isPause)
    const { atMs } = step.on as { readonly atMs?: EpochMs }
    if (pause !== undefined && atMs !== undefined) return atMs + Math.ceil(pause.delayMs)
  }
  return null
}

type Asked = Steps[number]["step"]["asked"][number]

function isCall(asked: Asked): asked is Extract<Asked, { readonly type: "kernel.call" }> {
  return asked.type === "kernel.call"
}

function isPause(asked: Asked): asked is Extract<Asked, { readonly type: "arm" }> {
  return asked.type === "arm" && asked.id.startsWith("xstate.after.pause before the next attempt.")
}
