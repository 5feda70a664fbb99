/** The sandbox host of a service over HTTP: calls under a key or an operator's token, whose refusals are answers. */

import { setTimeout as after } from "node:timers/promises"
import { FOLLOW_SECONDS_MAX } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { HostAway, reasonOf } from "../partners/partner-host.ts"
import type { PartnerData } from "../partners/partner-host.ts"

export interface HostCall {
  readonly method?: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: string
  /** JSON, or the bytes of a picture. */
  readonly body?: object | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface HostAnswer {
  readonly isAccepted: boolean
  readonly status: number
  /** The code of a refusal; null when the answer has none. */
  readonly code: string | null
  readonly message: string
  /** s; null when the answer names no time. */
  readonly retryAfterSeconds: number | null
  /** The `data` of the answer; `{}` where it has none. */
  readonly data: PartnerData
}

export type Ask = (call: HostCall) => Promise<HostAnswer>

const ANSWER_MS_MAX = (FOLLOW_SECONDS_MAX + 15) * SECOND_MS

/** Calls under this bearer. Rejects with a HostAway when there is no answer. */
export function askUnder(url: string, bearer: string): Ask {
  return async ({ path, body, headers = {}, ...call }) => {
    const { method = body === undefined ? "GET" : "POST" } = call
    const isPicture = body instanceof Uint8Array
    const type = isPicture ? "image/png" : "application/json"
    const { response, text } = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { "Content-Type": type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isPicture ? body : JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
      .then(async (answered) => ({ response: answered, text: await answered.text() }))
      .catch((cause: unknown) => {
        throw new HostAway(`${url} does not answer: ${reasonOf(cause)}`)
      })
    return answerOf(response, parsed(text))
  }
}

/** A call of the run itself, such as one about the clock, was refused. */
export class CallRefused extends Error {
  override readonly name = "CallRefused"
  readonly status: number

  constructor({ method, path }: HostCall, { status, code, message }: HostAnswer) {
    super(`${method ?? "GET"} ${path} was refused with ${code ?? status}: ${message}${helpFor(status, code)}`)
    this.status = status
  }
}

function helpFor(status: number, code: string | null): string {
  if (status === 401)
    return ". The key or the token no longer works: put one that does into the environment, and start again"
  if (code === "INVALID_WEBHOOK_URL" || code === "INVALID_OPEN_LINK")
    return ". A service on this machine must run with --allow-local-targets; another one needs a public address of the receiver, with --receiver-url"
  return ""
}

/** The data of an answer that must not be a refusal. Waits once when the scenario has used up the organization's requests. */
export async function accepted(ask: Ask, call: HostCall): Promise<PartnerData> {
  let answer = await ask(call)
  if (answer.code === "RATE_LIMITED" && answer.retryAfterSeconds !== null) {
    await after(answer.retryAfterSeconds * SECOND_MS)
    answer = await ask(call)
  }
  if (!answer.isAccepted) throw new CallRefused(call, answer)
  return answer.data
}

function answerOf(response: Response, body: PartnerData): HostAnswer {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN)
  return {
    isAccepted: response.ok,
    status: response.status,
    code: typeof body?.code === "string" ? body.code : null,
    message: typeof body?.error === "string" ? body.error : `the host answered ${response.status}`,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
    data: body?.data ?? {},
  }
}

function parsed(text: string): PartnerData {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
