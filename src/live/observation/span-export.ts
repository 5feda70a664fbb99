/**
 * Exports OpenTelemetry spans to a collector, as OTLP in JSON over HTTP. Loaded only when an endpoint is configured.
 * Nothing is registered globally: only the returned object makes spans.
 */

import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  isSpanContextValid,
  trace,
} from "@opentelemetry/api"
import type { Context, Span, Tracer } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import type { TraceSpan, Tracing } from "../../engine/services/tracing.ts"
import { configuredHosts } from "../gateways/configured-hosts.ts"
import { SPAN_EXPORT_MS_MAX } from "../configuration/bounds.ts"
import { withoutEnd } from "../../model/values/text-ends.ts"

/** `endpoint` is the collector's address without `/v1/traces`. */
export function exportSpans(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${withoutEnd(endpoint, "/")}/v1/traces`,
    timeoutMillis: SPAN_EXPORT_MS_MAX,
    httpAgentOptions: { keepAlive: true, lookup: configuredHosts() },
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "curbline" }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer("curbline")
  return {
    begin: (traceparent) => {
      const context = contextOf(traceparent) ?? ROOT_CONTEXT
      return spanOf(tracer, tracer.startSpan("request", { kind: SpanKind.SERVER }, context))
    },
    resume: (traceparent) => {
      const context = contextOf(traceparent) ?? ROOT_CONTEXT
      return spanOf(tracer, trace.getSpan(context) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT))
    },
    // A collector that does not answer must not delay the stop of the service.
    stop: () => provider.shutdown().catch(() => undefined),
  }
}

/** Version 00, or the same fields of a later version; null for a malformed one. Source: W3C Trace Context §3.2. */
function contextOf(traceparent: string | undefined): Context | null {
  const [, version = "ff", traceId = "", spanId = "", flags = "00"] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent ?? "") ?? []
  const caller = {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
  }
  if (version === "ff" || !isSpanContextValid(caller)) return null
  return trace.setSpanContext(ROOT_CONTEXT, caller)
}

function spanOf(tracer: Tracer, span: Span): TraceSpan {
  const context = trace.setSpan(ROOT_CONTEXT, span)
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`,
    child: (name, attributes, isOutgoing = false) => {
      const kind = isOutgoing ? SpanKind.CLIENT : SpanKind.INTERNAL
      return spanOf(tracer, tracer.startSpan(name, { kind, attributes: { ...attributes } }, context))
    },
    ofMessage: (name, traceparent) => {
      const caller = contextOf(traceparent)
      const links = caller === null ? [] : [{ context: span.spanContext() }]
      return spanOf(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER, links }, caller ?? context))
    },
    set: (attributes) => void span.setAttributes({ ...attributes }),
    rename: (name) => void span.updateName(name),
    end: (hasFailed) => {
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}
