/** Error answers: one body format for every error, without internal details. Source: reservations contract, errors. */

import type { FastifyReply, FastifyRequest } from "fastify"
import { Schema } from "effect"
import { ERRORS, Malformed, Refused, TurnedAway, isPassing, statusOf } from "../model/values/errors.ts"
import type { ErrorCode, FieldProblem } from "../model/values/errors.ts"
import { OUTAGE_RETRY_SECONDS, isOutage } from "../model/outage.ts"
import { isoMs } from "../model/values/time.ts"
import { CallerLeft } from "../engine/services/presence.ts"
import { warningsOf } from "./warnings.ts"

/** Sent with every error, and with every answer that requires a key or a token: proxies must not cache them. */
export const NOT_STORED = { "Cache-Control": "no-store" } as const

export const FieldProblems = Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))

/**
 * `details` comes with `VALIDATION_ERROR`, `earliest_at` with `NO_CAPACITY` of a new delivery, `fields` and `detail` with the codes that
 * they refine.
 */
export interface ErrorBody {
  readonly success: false
  readonly error: string
  readonly code: ErrorCode
  readonly request_id: string
  readonly details?: readonly FieldProblem[]
  readonly fields?: readonly string[]
  readonly detail?: string
  readonly earliest_at?: string | null
}

const ANALYTICS_PREFIX = "/avrh/"

/** A field of every error of analytics, under its whole prefix. Source: our choice G2. */
export const ANALYTICS_ERROR = { status: "error" } as const

/** Answers with the caller's error; an unexpected one is logged and becomes `INTERNAL_ERROR`. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isAway = isOutage(error)
  if (isAway) noteOutage(error, request, reply)
  const refusal = isAway ? new TurnedAway({ code: "UNAVAILABLE" }) : refusalOf(error, request)
  if (refusal === null) request.log.error({ err: error }, "a request failed")
  const body = bodyOf(refusal, request.id)
  if (isPassing(body.code) && !reply.hasHeader("Retry-After")) {
    reply.header("Retry-After", String(OUTAGE_RETRY_SECONDS))
  }
  const beside = request.url.startsWith(ANALYTICS_PREFIX) ? ANALYTICS_ERROR : {}
  return reply
    .code(statusOf(body.code))
    .headers(NOT_STORED)
    .type("application/json; charset=utf-8")
    .send({ ...beside, ...body, ...warningsOf(request) })
}

/** For every answer to an outage, in every API. */
export function noteOutage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  request.log.warn({ err: error }, "a request met an outage")
  reply.header("Retry-After", String(OUTAGE_RETRY_SECONDS))
}

/** The refusal that an error stands for, or null when the error is a fault of the service. */
function refusalOf(error: unknown, request: FastifyRequest): Refused | TurnedAway | null {
  if (error instanceof Refused || error instanceof TurnedAway) return error
  // The connection is closed, so this answer is never sent.
  if (error instanceof CallerLeft) return new TurnedAway({ code: "OVERLOADED" })
  if (error instanceof Malformed) return invalid(error.field, error.message)
  const code = codeOf(error)
  // The router could not parse the path, so no route has it.
  if (code === "FST_ERR_BAD_URL" || code === "FST_ERR_MAX_PARAM_LENGTH")
    return new Refused({ code: "NOT_FOUND" })
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new TurnedAway({ code: "PAYLOAD_TOO_LARGE" })
  if (isUnreadable(error)) return invalid("body", "could not be read as its headers describe it")
  if (request.raw.destroyed && !request.raw.complete) return invalid("body", "ended before it was complete")
  return null
}

/** True for a body that could not be read, or that exceeds its endpoint's limit. */
export function isUnreadable(error: unknown): boolean {
  return codeOf(error).startsWith("FST_ERR_CTP_")
}

/** True for a request that was refused because of too many requests; `Retry-After` is set. */
export function isOverload(error: unknown): boolean {
  return error instanceof TurnedAway && error.code === "OVERLOADED"
}

/** One field, one sentence. */
export function invalid(field: string, message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] })
}

/** For these codes `detail` is one of a few words that programs may use; for others it is prose. */
export const CODES_WITH_DETAIL: ReadonlySet<string> = new Set<ErrorCode>([
  "INVALID_OPEN_LINK",
  "INVALID_WEBHOOK_URL",
  "QUOTE_UNAVAILABLE",
])

/** The body of an error; null is a fault of the service. */
export function bodyOf(refusal: Refused | TurnedAway | null, request_id: string): ErrorBody {
  if (refusal === null) {
    return {
      success: false,
      error: ERRORS.INTERNAL_ERROR.message,
      code: "INTERNAL_ERROR",
      request_id,
    }
  }
  const { code, message } = refusal
  const problems = (refusal instanceof Refused ? refusal.problems : undefined) ?? []
  const known = { success: false, error: message, code, request_id } as const
  if (code === "VALIDATION_ERROR") return { ...known, details: problems }
  const earliestAtMs = refusal instanceof Refused ? refusal.earliestAtMs : undefined
  const detail = refusal instanceof Refused && CODES_WITH_DETAIL.has(code) ? refusal.detail : undefined
  return {
    ...known,
    ...(problems.length === 0 ? {} : { fields: problems.map(({ field }) => field) }),
    ...(detail === undefined ? {} : { detail }),
    ...(earliestAtMs === undefined ? {} : { earliest_at: isoMs(earliestAtMs) }),
  }
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
}
