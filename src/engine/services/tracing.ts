/**
 * Spans of a trace: the duration of a request, a command, a statement and an outbound call. Names and attributes are
 * words of the program, ids of organizations and host names; never queries, bodies, keys or values.
 */

import { Exit, FiberRef, FiberRefs, GlobalValue } from "effect"
import type { Effect } from "effect"
import { answerTo } from "./answering.ts"
import { Routine, withRef } from "./routine.ts"

export type SpanAttributes = Readonly<Record<string, string | number>>

export interface TraceSpan {
  /** 32 hex digits. */
  readonly traceId: string
  /** The header with which another part of the program continues the trace (W3C Trace Context §3.2). */
  readonly traceparent: string
  /** `isOutgoing`: a request to another host. */
  readonly child: (name: string, attributes: SpanAttributes, isOutgoing?: boolean) => TraceSpan
  /**
   * A span of the trace that a message of this request names by its `traceparent`, with a link to this one. A child of this one if the
   * `traceparent` is malformed.
   */
  readonly ofMessage: (name: string, traceparent: string) => TraceSpan
  readonly set: (attributes: SpanAttributes) => void
  readonly rename: (name: string) => void
  readonly end: (hasFailed: boolean) => void
}

/** Begins traces, and sends their spans to a collector. */
export interface Tracing {
  /** `traceparent` as the caller sent it (W3C Trace Context §3.2); a malformed one is ignored. */
  readonly begin: (traceparent: string | undefined) => TraceSpan
  /**
   * A span that another part of the program identified by its `traceparent`; it ends there, and may have children here.
   */
  readonly resume: (traceparent: string) => TraceSpan
  /** Sends the remaining spans, up to a time limit. */
  readonly stop: () => Promise<void>
}

/** The span of this fiber's work; null when it is not traced. Forked fibers inherit it. */
export const CurrentSpan: FiberRef.FiberRef<TraceSpan | null> = GlobalValue.globalValue(
  "curbline/CurrentSpan",
  () => FiberRef.unsafeMake<TraceSpan | null>(null),
)

export interface SpanParts {
  readonly name: string
  /** Called only when the work is traced. */
  readonly attributes: () => SpanAttributes
  readonly isOutgoing?: boolean
}

/** The effect as a span of the current trace; the effect itself without a trace. */
export function traced<A, E, R>(
  { name, attributes, isOutgoing }: SpanParts,
  effect: Effect.Effect<A, E, R>,
): Routine<A, E, R> {
  return Routine.answeredBy((at) => {
    const parent = FiberRefs.getOrDefault(at.refs, CurrentSpan)
    if (parent === null) return answerTo(effect, at)
    const span = parent.child(name, attributes(), isOutgoing)
    const running = Routine.flatMap(Routine.exit(effect), (exit) => {
      span.end(Exit.isFailure(exit))
      return exit
    })
    return answerTo(running, withRef(at, CurrentSpan, span))
  })
}

/** Adds to the current span; `attributes` is called only if there is one. */
export function noteOnSpan(attributes: () => SpanAttributes): Routine<void> {
  return Routine.map(Routine.ref(CurrentSpan), (span) => span?.set(attributes()))
}
