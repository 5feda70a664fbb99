/** The session of the runner's phone: a cookie that scripts cannot read and that no request of another site carries. */

import type { FastifyRequest } from "fastify"
import { sessionCookie, sessionIn } from "../../../http/pages/session-cookie.ts"
import type { SessionCookie } from "../../../http/pages/session-cookie.ts"
import type { Environment } from "../../../model/caller.ts"

/** Browsers keep cookies by host name without its port: two hosts of one machine need two names. */
export function cookieOf(baseUrl: string, environment: Environment): SessionCookie {
  return sessionCookie(`curbline_runner_${environment}`, baseUrl, "Strict")
}

export function tokenIn({ headers }: FastifyRequest, { name }: SessionCookie): string | null {
  return sessionIn(headers.cookie, name)
}
