/** Keeps masked bodies for the inspector: of outbound calls here, of requests as the HTTP layer passes them. */

import { Effect, Layer } from "effect"
import type { AnsweredRequest } from "../../http/access/call-log.ts"
import type { WaitingBodies } from "../../apps/inspector/kept-bodies.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { maskedExchange } from "../../engine/services/outbound/masked-exchange.ts"
import { Routine } from "../../engine/services/routine.ts"
import { OutboundHttp } from "../../engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../engine/services/outbound/outbound-http.ts"

/** Outbound HTTP whose bodies are kept, for calls that name their actor. */
export function layerKeepingHttp(waiting: WaitingBodies): Layer.Layer<OutboundHttp, never, OutboundHttp> {
  return Layer.effect(
    OutboundHttp,
    Effect.map(OutboundHttp, (http): OutboundHttp["Type"] => ({
      post: (request) =>
        Routine.flatMap(realNowMs, (atMs) =>
          Routine.tap(http.post(request), (answer) =>
            Routine.sync(() => keepExchange(waiting, request, { answer, atMs })),
          ),
        ),
    })),
  )
}

function keepExchange(
  waiting: WaitingBodies,
  request: OutboundRequest,
  { answer, atMs }: { readonly answer: OutboundAnswer; readonly atMs: EpochMs },
): void {
  if (request.of === undefined) return
  const sent = maskedExchange(request.body)
  const { status, body } = answer.type === "answered" ? answer : { status: null, body: undefined }
  const answered = body === undefined ? null : maskedExchange(body.text, body.isWhole)
  waiting.addExchange({
    ...request.of,
    atMs,
    status,
    sent: sent?.text ?? null,
    answered: answered?.text ?? null,
    isCut: sent?.isCut === true || answered?.isCut === true,
  })
}

/** What the HTTP layer knows of a call beside its line in the organization's log. */
interface RequestIds {
  /** Our own id. */
  readonly requestId: string
  /** The caller's; null if it sent none. */
  readonly sentId: string | null
}

const WITHOUT_KEY = { organizationId: null, keyId: null, lastFour: null } as const

/** Reads give no command, so they are not kept. */
export function keepRequest(
  waiting: WaitingBodies,
  call: AnsweredRequest,
  { requestId, sentId, atMs }: RequestIds & { readonly atMs: EpochMs },
): void {
  if (call.method === "GET" || call.method === "HEAD") return
  const { environment, method, route, status, code, sent, answered, isCut } = call
  const { organizationId, keyId, lastFour } = call.of ?? WITHOUT_KEY
  waiting.addRequest({
    requestId,
    environment,
    organizationId,
    atMs,
    method,
    route,
    status,
    code,
    keyId,
    lastFour,
    sentId,
    sent,
    answered,
    isCut,
  })
}
