/**
 * The trace in which an agent calls the connector: a message names it in its `_meta`, because its way through hosts and gateways keeps
 * no headers. Source: MCP 2026-07-28, Basic Protocol, `_meta`; W3C Trace Context §3.2.
 */

import { Effect, Exit, FiberRef } from "effect"
import { CurrentSpan } from "../../engine/services/tracing.ts"
import type { Asked } from "./connector.ts"
import { isObject } from "./replied.ts"

/** The answer as a span of the trace that the message names; as it is where there is none, or where nothing is traced. */
export function inTraceOfCaller<A, E, R>(
  { method, params }: Asked,
  answer: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> {
  const { _meta: meta } = params
  const traceparent = isObject(meta) ? meta["traceparent"] : undefined
  if (typeof traceparent !== "string") return answer
  return Effect.flatMap(FiberRef.get(CurrentSpan), (request) => {
    if (request === null) return answer
    const span = request.ofMessage(method, traceparent)
    const ended = (exit: Exit.Exit<A, E>) => Effect.sync(() => span.end(Exit.isFailure(exit)))
    return Effect.onExit(Effect.locally(answer, CurrentSpan, span), ended)
  })
}
