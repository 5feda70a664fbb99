/**
 * Plays the steps of one sequence against a receiver, and judges it by what can be seen from outside: the status of each answer, its time,
 * and, if the partner shows it, the state that the receiver has come to.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { faultOf } from "./catalogue.ts"
import type { Course } from "./course.ts"
import type { Step } from "./draw.ts"
import { requestsOf } from "./requests.ts"
import type { AppliedEvent, PartnerRequest, Secrets } from "./requests.ts"
import { brokenState } from "./state.ts"
import type { Failure } from "./state.ts"

export type PartnerAnswer =
  | { readonly type: "answered"; readonly status: number; readonly afterMs: number }
  | { readonly type: "unanswered"; readonly reason: "timeout" | "connection_failed" }
  /** The connection was closed on purpose. */
  | { readonly type: "unread" }

/** A partner's receiver. */
export interface Receiver {
  readonly send: (request: PartnerRequest) => Promise<PartnerAnswer>
  /** What it shows of its state, read from JSON; null if it shows none. */
  readonly readState: (() => Promise<unknown>) | null
  readonly nowMs: () => EpochMs
  readonly pause: (ms: number) => Promise<void>
}

/** Requests that may still be sent, calls for the state among them. */
export interface Allowance {
  left: number
}

/** The allowance does not cover the next request. */
export class RequestsUsedUp extends Error {}

/** A request that a step sent, and what came back. */
export interface Sent {
  readonly request: PartnerRequest
  readonly answer: PartnerAnswer
}

export interface PlayedStep {
  readonly step: Step
  readonly sent: readonly Sent[]
}

export interface Played {
  /** Up to the step that failed. */
  readonly steps: readonly PlayedStep[]
  readonly failure: Failure | null
}

export interface Playing {
  readonly receiver: Receiver
  readonly course: Course
  readonly secrets: Secrets
  readonly allowance: Allowance
}

/** Between steps, so that a certification is no load. */
export const STEP_PAUSE_MS = 50
/** A receiver may work behind its answer; its state is read again after these pauses before it counts as wrong. */
const STATE_PAUSES_MS = [200, 500, 1000] as const

/** Stops at the first failure. Rejects with RequestsUsedUp. */
export async function play(steps: readonly Step[], playing: Playing): Promise<Played> {
  const played: PlayedStep[] = []
  const applied: AppliedEvent[] = []
  for (const step of steps) {
    await playing.receiver.pause(STEP_PAUSE_MS)
    const sent = await sendStep(step, playing)
    played.push({ step, sent })
    for (const { request } of sent) if (request.event !== null) applied.push(request.event)
    const failure = failureOf(step, sent) ?? (await stateFailure(applied, playing))
    if (failure !== null) return { steps: played, failure }
  }
  return { steps: played, failure: null }
}

async function sendStep(
  step: Step,
  { receiver, course, secrets, allowance }: Playing,
): Promise<readonly Sent[]> {
  const requests = requestsOf(step, { course, secrets, nowMs: receiver.nowMs() })
  take(allowance, requests.length)
  const send = async (request: PartnerRequest): Promise<Sent> => ({
    request,
    answer: await receiver.send(request),
  })
  if (step.fault === "burst") return Promise.all(requests.map(send))
  const sent: Sent[] = []
  for (const request of requests) sent.push(await send(request))
  return sent
}

function take(allowance: Allowance, count: number): void {
  if (allowance.left < count) throw new RequestsUsedUp()
  allowance.left -= count
}

function failureOf({ fault }: Step, sent: readonly Sent[]): Failure | null {
  const { gets, wants } = faultOf(fault)
  for (const { answer } of sent) {
    if (answer.type === "unread" || isWanted(answer, wants)) continue
    const wanted = wants === "accepted" ? "a status of 200 to 299 in time" : "a status of 400 to 499"
    return { kind: `answer to ${fault}`, wanted: `${wanted} to ${gets}`, found: asText(answer) }
  }
  return null
}

function isWanted(answer: PartnerAnswer, wants: "accepted" | "refused"): boolean {
  if (answer.type !== "answered") return false
  return Math.floor(answer.status / 100) === (wants === "accepted" ? 2 : 4)
}

/** What came back, for people. */
export function asText(answer: PartnerAnswer): string {
  switch (answer.type) {
    case "answered":
      return answer.status >= 300 && answer.status < 400
        ? `${answer.status}, a redirect, which is not followed`
        : String(answer.status)
    case "unread":
      return "the answer was not read"
    case "unanswered":
      return answer.reason === "timeout" ? "no answer in time" : "no connection"
  }
}

async function stateFailure(
  applied: readonly AppliedEvent[],
  { receiver: { pause, readState }, course, allowance }: Playing,
): Promise<Failure | null> {
  if (readState === null) return null
  const subjects = new Set(course.events.map(({ subject }) => subject))
  for (let tries = 0; ; tries += 1) {
    take(allowance, 1)
    const failure = brokenState(await readState(), applied, subjects)
    const pauseMs = STATE_PAUSES_MS[tries]
    if (failure === null || pauseMs === undefined) return failure
    await pause(pauseMs)
  }
}
