/** The portal's gate: the header of its pages' commands, and cookies of sessions, which scripts cannot read. */

import { Schema } from "effect"
import type { FastifyRequest } from "fastify"
import type { Visitor } from "../people/sessions.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { sessionCookie, sessionIn } from "../../../http/pages/session-cookie.ts"
import type { SessionCookie } from "../../../http/pages/session-cookie.ts"

export const PORTAL_HEADER: Parameter = {
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

export function visitorOf(request: FastifyRequest, baseUrl: string): Visitor {
  const { cookie } = request.headers
  return {
    address: request.ip,
    userAgent: request.headers["user-agent"] ?? "",
    token: sessionIn(cookie, cookieOf(baseUrl).name),
    device: sessionIn(cookie, deviceCookieOf(baseUrl).name),
  }
}
