/**
 * The portal's gate: a command must come from the portal's own pages, and a session is a cookie that scripts cannot read.
 * A page of another site cannot set the header without being asked for by name first, which this host never answers; Origin and
 * Sec-Fetch-Site, where a browser sends them, are compared as well.
 */

import { Schema } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { TurnedAway } from "../../model/errors.ts"
import type { Visitor } from "../../services/portal/sessions.ts"
import type { Parameter } from "../endpoint.ts"
import type { PortalAnswer } from "./endpoint.ts"

const HEADER = "x-curbline-portal"

export const CSRF_HEADER: Parameter = {
  in: "header",
  name: "X-Curbline-Portal",
  description: "`1` on every request but GET.",
  schema: Schema.Literal("1"),
}

/** A plain `http` base URL is for development: browsers would drop a Secure cookie there. */
export function cookieNameOf(baseUrl: string): string {
  return isSecure(baseUrl) ? "__Host-curbline_session" : "curbline_session"
}

/** Before a byte of the body is read. */
export function requireOwnPages(request: FastifyRequest, baseUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD") return
  const { origin, "sec-fetch-site": site } = request.headers
  const isOwn =
    request.headers[HEADER] === "1" &&
    (origin === undefined || origin === new URL(baseUrl).origin) &&
    (site === undefined || site === "same-origin" || site === "none")
  if (!isOwn) throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}

export function visitorOf(request: FastifyRequest, cookieName: string): Visitor {
  return {
    address: request.ip,
    userAgent: request.headers["user-agent"] ?? "",
    token: cookieIn(request.headers.cookie, cookieName),
  }
}

/** The first cookie of that name. A value longer than any token of ours is none. */
function cookieIn(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=")
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    return /^[0-9A-Za-z_-]{43}$/.test(value) ? value : null
  }
  return null
}

/** The cookie goes to this host alone, over TLS where there is any, and not with another site's commands. */
export function tellCookie(reply: FastifyReply, cookie: PortalAnswer["cookie"], baseUrl: string): void {
  if (cookie === undefined) return
  const value = cookie === null ? "=; Max-Age=0" : `=${cookie.token}; Max-Age=${cookie.maxAgeSeconds}`
  const secure = isSecure(baseUrl) ? "; Secure" : ""
  reply.header("Set-Cookie", `${cookieNameOf(baseUrl)}${value}; Path=/; HttpOnly; SameSite=Lax${secure}`)
}

function isSecure(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === "https:"
}
