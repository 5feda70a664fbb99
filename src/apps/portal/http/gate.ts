/**
 * The portal's gate: a command must come from the portal's own pages, and a session is a cookie that scripts cannot
 * read. Commands need a custom header, which a page of another site can only send after a preflight request, and this
 * host answers none. Origin and Sec-Fetch-Site are also compared, if a browser sends them.
 */

import { Schema } from "effect"
import type { FastifyRequest } from "fastify"
import { TurnedAway } from "../../../model/values/errors.ts"
import type { Visitor } from "../people/sessions.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { sessionCookie, sessionIn } from "../../../http/pages/session-cookie.ts"
import type { SessionCookie } from "../../../http/pages/session-cookie.ts"

const HEADER = "x-curbline-portal"

export const CSRF_HEADER: Parameter = {
  in: "header",
  name: "X-Curbline-Portal",
  description: "`1` on every request but GET.",
  schema: Schema.Literal("1"),
}

export function cookieOf(baseUrl: string): SessionCookie {
  return sessionCookie("curbline_session", baseUrl, "Lax")
}

/** Marks a browser in which the user has signed in before. It grants no access. */
export function deviceCookieOf(baseUrl: string): SessionCookie {
  return sessionCookie("curbline_device", baseUrl, "Strict")
}

/** Checked before the body is read. */
export function requireOwnPages(request: FastifyRequest, baseUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD") return
  const { origin, "sec-fetch-site": site } = request.headers
  const isOwn =
    request.headers[HEADER] === "1" &&
    (origin === undefined || origin === new URL(baseUrl).origin) &&
    (site === undefined || site === "same-origin" || site === "none")
  if (!isOwn) throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}

/** For a read that a page of another site must not begin: a stream occupies a connection. */
export function requireSameOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin, "sec-fetch-site": site } = headers
  const isOwn =
    (origin === undefined || origin === new URL(baseUrl).origin) &&
    (site === undefined || site === "same-origin" || site === "none")
  if (!isOwn) throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}

export function visitorOf(request: FastifyRequest, baseUrl: string): Visitor {
  const { cookie } = request.headers
  return {
    address: request.ip,
    userAgent: request.headers["user-agent"] ?? "",
    token: sessionIn(cookie, cookieOf(baseUrl).name),
    device: sessionIn(cookie, deviceCookieOf(baseUrl).name),
  }
}
