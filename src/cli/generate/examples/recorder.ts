/** Sends requests to a sandbox and records the answers, for one API. */

import { REQUESTS_PER_MINUTE } from "../../../model/values/limits.ts"
import { TurnedAway } from "../../../model/values/errors.ts"
import type { ErrorCode, Refused } from "../../../model/values/errors.ts"
import type { RecordedExamples, RecordedExchange } from "../../../http/recorded-examples.ts"
import type { Ask, Answered, Sandbox } from "./sandbox.ts"

export interface Recorder {
  readonly recorded: RecordedExamples
  /** Records a request that must be accepted, and returns its answer. */
  readonly exchange: (operationId: string, name: string, ask: Ask) => Promise<Answered["body"]>
  /** Records the answer to a request that must be refused with this code. */
  readonly refusal: (sandbox: Sandbox, code: ErrorCode, ask: Ask) => Promise<void>
  /** The same for errors that a request alone cannot cause. */
  readonly failure: (
    sandbox: Sandbox,
    code: ErrorCode,
    asked: { readonly ask: Ask; readonly error: Error | Refused | TurnedAway },
  ) => Promise<void>
  /** Records one body of each event type that the endpoint received. */
  readonly events: (url: string, typeOf: (body: Readonly<Record<string, unknown>>) => string) => void
}

/** Exchanges and events come from `usual`; errors from any sandbox. */
export function makeRecorder(usual: Sandbox): Recorder {
  const exchanges: Record<string, RecordedExchange[]> = {}
  const errors: Partial<Record<ErrorCode, object>> = {}
  const events: Record<string, object> = {}
  const keepError = (code: ErrorCode, { status, body }: Answered): void => {
    if (body["code"] !== code) throw new Error(`not ${code}: ${status} ${JSON.stringify(body)}`)
    errors[code] = body
  }
  return {
    recorded: { exchanges, errors, events },
    exchange: async (operationId, name, ask) => {
      const { status, body: answer } = await usual.ask(ask)
      if (status >= 300) throw new Error(`${operationId} ${name}: ${status} ${JSON.stringify(answer)}`)
      const request = ask.body === undefined ? {} : { request: ask.body }
      ;(exchanges[operationId] ??= []).push({ name, ...request, status, answer })
      return answer
    },
    refusal: async (sandbox, code, ask) => keepError(code, await sandbox.ask(ask)),
    failure: async (sandbox, code, { ask, error }) => keepError(code, await sandbox.askBroken(ask, error)),
    events: (url, typeOf) => {
      for (const { body } of usual.world.receivedAt(url)) {
        const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
        events[typeOf(sent)] ??= sent
      }
    },
  }
}

/**
 * The errors that every operation with a key may answer, recorded for one of them. `big` is an operation with a body.
 */
export async function recordCommonErrors(
  { refusal, failure }: Recorder,
  sandbox: Sandbox,
  { ask, big }: { readonly ask: Ask; readonly big: Ask },
): Promise<void> {
  const { makeKey, makeOrganization } = sandbox
  await refusal(sandbox, "INVALID_API_KEY", { ...ask, key: null })
  await refusal(sandbox, "WRONG_ENV_KEY", { ...ask, key: makeKey({ environment: "production" }) })
  const inactive = makeOrganization({ isActive: false })
  await refusal(sandbox, "ORG_INACTIVE", { ...ask, key: makeKey({ organizationId: inactive }) })
  await refusal(sandbox, "PERMISSION_DENIED", { ...ask, key: makeKey({ permissions: ["webhooks:manage"] }) })
  await refusal(sandbox, "PAYLOAD_TOO_LARGE", big)
  await failure(sandbox, "MISDIRECTED_REQUEST", {
    ask,
    error: new TurnedAway({ code: "MISDIRECTED_REQUEST" }),
  })
  await failure(sandbox, "OVERLOADED", { ask, error: new TurnedAway({ code: "OVERLOADED" }) })
  await failure(sandbox, "UNAVAILABLE", { ask, error: new TurnedAway({ code: "UNAVAILABLE" }) })
  await failure(sandbox, "INTERNAL_ERROR", { ask, error: new Error("an example") })
  const greedy = makeKey({ organizationId: makeOrganization() })
  for (let count = 0; count < REQUESTS_PER_MINUTE; count += 1) await sandbox.ask({ ...ask, key: greedy })
  await refusal(sandbox, "RATE_LIMITED", { ...ask, key: greedy })
}

/** Formats an instant as in requests. */
export function iso(instantMs: number): string {
  return new Date(instantMs).toISOString()
}
