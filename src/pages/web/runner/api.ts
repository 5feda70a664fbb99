/** Calls of `/runner/api`. The cookie goes with them by itself. */

import { MOVE_KEY_HEADER, PHONE_TIME_HEADER, RUNNER_HEADER } from "../../../model/requests/runner-app.ts"
import type { MovedTask, PhoneCall, PhoneRecord, PhoneTask } from "../../../model/requests/runner-app.ts"
import { withNextStep } from "../next-steps.ts"
import type { WaitingMove } from "./store.ts"

/**
 * Why nothing was heard: the phone has no network, the service is overloaded or fails, or no answer came in time, which may be
 * either.
 */
export type Away = "no answer" | "no network" | "timed out"

/** What a call came to. `away`: no answer, or none that stays; the same call may be sent again. */
export type Answer<Data> =
  | { readonly type: "away"; readonly why: Away }
  | { readonly type: "done"; readonly data: Data }
  | {
      readonly type: "refused"
      readonly status: number
      readonly message: string
      /** How the task stands, after a move that its state did not take. */
      readonly task: PhoneTask | null
    }

/** ms; a phone between two networks would wait for minutes. */
const CALL_MS_MAX = 20_000

async function call<Data>(path: string, init: RequestInit = {}): Promise<Answer<Data>> {
  let response: Response
  let body: { data?: Data; error?: string; code?: string; task?: PhoneTask }
  try {
    response = await fetch(`/runner/api${path}`, { ...init, signal: AbortSignal.timeout(CALL_MS_MAX) })
    body = (await response.json()) as typeof body
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === "TimeoutError" && navigator.onLine
    return { type: "away", why: isLate ? "timed out" : "no network" }
  }
  if (response.ok && body.data !== undefined) return { type: "done", data: body.data }
  if (response.status >= 500 || response.status === 429) return { type: "away", why: "no answer" }
  const message = withNextStep(body.error ?? "The service refused.", body.code ?? null)
  return { type: "refused", status: response.status, message, task: body.task ?? null }
}

export const readMe = (): Promise<Answer<{ me: PhoneRecord }>> => call("/me")
export const readTasks = (): Promise<Answer<{ tasks: readonly PhoneTask[] }>> => call("/tasks")
export const readTask = (id: string): Promise<Answer<{ task: PhoneTask }>> => call(`/tasks/${id}`)

export const readCalls = (): Promise<Answer<{ calls: readonly PhoneCall[] }>> => call("/calls")

export function answerCall(id: string): Promise<Answer<{ call: PhoneCall }>> {
  return call(`/calls/${id}/answer`, { method: "POST", headers: { [RUNNER_HEADER]: "1" } })
}

export function pairPhone(code: string): Promise<Answer<{ me: PhoneRecord }>> {
  const headers = { [RUNNER_HEADER]: "1", "Content-Type": "application/json" }
  return call("/pair", { method: "POST", headers, body: JSON.stringify({ code }) })
}

export function signOut(): Promise<Answer<object>> {
  return call("/sign-out", { method: "POST", headers: { [RUNNER_HEADER]: "1" } })
}

export function sendMove(waiting: WaitingMove): Promise<Answer<MovedTask>> {
  const { reservation_id, move, key, at, body, photo } = waiting
  const headers = { [RUNNER_HEADER]: "1", [MOVE_KEY_HEADER]: key, [PHONE_TIME_HEADER]: at }
  const path = `/tasks/${reservation_id}/${move}`
  if (photo !== null) {
    return call(path, { method: "POST", headers: { ...headers, "Content-Type": "image/jpeg" }, body: photo })
  }
  if (body === null) return call(path, { method: "POST", headers })
  const json = { ...headers, "Content-Type": "application/json" }
  return call(path, { method: "POST", headers: json, body: JSON.stringify(body) })
}
