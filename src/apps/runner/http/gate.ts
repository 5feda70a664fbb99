/**
 * The gate of the runner's phone: a change must come from the runner's own pages, and the session is a cookie that
 * scripts cannot read and that no request of another site carries.
 */

import type { FastifyRequest } from "fastify"
import { requireSameOrigin } from "../../portal/http/gate.ts"
import { sessionCookie, sessionIn } from "../../../http/pages/session-cookie.ts"
import type { SessionCookie } from "../../../http/pages/session-cookie.ts"
import type { Environment } from "../../../model/caller.ts"
import { TurnedAway } from "../../../model/values/errors.ts"
import { RUNNER_HEADER } from "../../../model/requests/runner-app.ts"

/** Browsers keep cookies by host name without its port: two hosts of one machine need two names. */
export function cookieOf(baseUrl: string, environment: Environment): SessionCookie {
  return sessionCookie(`curbline_runner_${environment}`, baseUrl, "Strict")
}

/** Checked before the body is read. */
export function requireOwnPage(request: FastifyRequest, baseUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD") return
  if (request.headers[RUNNER_HEADER.toLowerCase()] !== "1") {
    throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
  }
  requireSameOrigin(request, baseUrl)
}

export function tokenIn({ headers }: FastifyRequest, { name }: SessionCookie): string | null {
  return sessionIn(headers.cookie, name)
}
