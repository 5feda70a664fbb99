/** Errors of the OAuth endpoints: only `error` and `error_description`. Source: RFC 6749 §5.2. */

import type { FastifyReply } from "fastify"
import { OAUTH_ERRORS } from "../../../model/linking.ts"
import type { OAuthErrorCode } from "../../../model/linking.ts"
import { LimitReached } from "../attempt-limits.ts"
import { RegistrationRefused } from "../registration.ts"
import { GrantRefused } from "../tokens.ts"

export interface OAuthError {
  readonly error: OAuthErrorCode
  readonly description: string
  /** If it is not the default. */
  readonly status?: number
}

export function sendOAuthError(
  reply: FastifyReply,
  { error, description, status }: OAuthError,
): FastifyReply {
  return reply
    .code(status ?? OAUTH_ERRORS[error])
    .headers({ "Cache-Control": "no-store", Pragma: "no-cache" })
    .type("application/json; charset=utf-8")
    .send({ error, error_description: description })
}

/** The caller's error for a failure; null for an unexpected one. */
export function refusalOf(failure: unknown, reply: FastifyReply): OAuthError | null {
  if (failure instanceof LimitReached) {
    reply.header("Retry-After", String(failure.retryAfterSeconds))
    return { error: "invalid_request", status: 429, description: failure.message }
  }
  if (failure instanceof GrantRefused || failure instanceof RegistrationRefused) {
    return { error: failure.error, description: failure.description }
  }
  return null
}

/** Pages of any origin may read these answers: no cookie is used. Our choice A34. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const

/** The answer to a browser's preflight request. */
export function sendPreflight(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  return reply
    .code(204)
    .headers({
      ...ANY_ORIGIN,
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": "Authorization, Content-Type, MCP-Protocol-Version",
      "Access-Control-Max-Age": "86400",
    })
    .send()
}

/** The path exists, the method does not. */
export function sendNotAllowed(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  reply.header("Allow", methods.join(", "))
  const description = `this endpoint takes ${methods.join(" and ")}`
  return sendOAuthError(reply, { error: "invalid_request", status: 405, description })
}
