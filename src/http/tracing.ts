/** Makes a trace for each request. The `X-Trace-Id` header and every log line of the request carry its id. */

import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import type { TraceSpan, Tracing } from "../engine/services/tracing.ts"
import { organizationOf } from "./gate.ts"
import { PROBE_PATHS } from "./probes.ts"
import { methodOf, routeOf } from "./request-log.ts"
import { requestSpans } from "./request-span.ts"

const SPAN = "traceSpan"

/** Before any other hook, so that the span covers them, and refusals have an id too. */
export function traceRequests(app: FastifyInstance, environment: Environment, tracing: Tracing): void {
  app.decorateRequest(SPAN, null)
  app.addHook("onRequest", (request, reply, done) => {
    if (PROBE_PATHS.includes(routeOf(request))) return done()
    const span = tracing.begin([request.headers["traceparent"]].flat()[0])
    request.setDecorator(SPAN, span)
    request.log = request.log.child({ trace_id: span.traceId })
    reply.header("X-Trace-Id", span.traceId)
    requestSpans.run(span, done)
  })
  // A body is read in callbacks of the connection, which have lost the request's async context.
  app.addHook("preValidation", (request, _, done) => {
    const span = spanOf(request)
    if (span === null) done()
    else requestSpans.run(span, done)
  })
  app.addHook("onResponse", (request, reply, done) => {
    const span = spanOf(request)
    const [method, route] = [methodOf(request), routeOf(request)]
    const organizationId = organizationOf(request)
    span?.rename(`${method} ${route}`)
    span?.set({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": reply.statusCode,
      "curbline.environment": environment,
      ...(organizationId === null ? {} : { "curbline.organization_id": organizationId }),
    })
    span?.end(reply.statusCode >= 500)
    done()
  })
}

function spanOf(request: FastifyRequest): TraceSpan | null {
  return request.getDecorator<TraceSpan | null>(SPAN)
}
