/**
 * The inspector's gate: operators sign in with an operator token of this host's environment, and stay signed in by a
 * cookie that scripts cannot read and that requests from other sites do not carry. Changes must come from the host's
 * own pages and contain the session's form key.
 */

import { Effect } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../../model/caller.ts"
import { TurnedAway } from "../../model/errors.ts"
import { OPERATOR_SESSION_MS } from "../../model/limits.ts"
import { SECOND_MS } from "../../model/time.ts"
import { OperatorSessions, isFormKey } from "../operator-sessions.ts"
import type { SignedIn } from "../operator-sessions.ts"
import type { Run } from "../../http/bridge.ts"
import { sessionCookie, sessionIn, setSessionCookie } from "../../http/session-cookie.ts"
import type { SessionCookie } from "../../http/session-cookie.ts"

export interface Host {
  readonly environment: Environment
  /** Scheme and host of the pages. */
  readonly baseUrl: string
}

/** Both environments may run on one host with different ports, which browsers do not distinguish for cookies. */
function cookieOf({ environment, baseUrl }: Host): SessionCookie {
  return sessionCookie(`curbline_operator_${environment}`, baseUrl, "Strict")
}

/** The session's value; null when no well-formed one was sent. */
export function operatorSessionIn(request: FastifyRequest, host: Host): string | null {
  return sessionIn(request.headers.cookie, cookieOf(host).name)
}

/** Null ends the session. */
export function setOperatorSession(reply: FastifyReply, token: string | null, host: Host): void {
  const session = token === null ? null : { token, maxAgeSeconds: OPERATOR_SESSION_MS / SECOND_MS }
  setSessionCookie(reply, session, cookieOf(host))
}

/** Rejects with `SIGN_IN_REQUIRED`. */
export function signedIn(run: Run<OperatorSessions>, host: Host, request: FastifyRequest): Promise<SignedIn> {
  const value = operatorSessionIn(request, host)
  return run(Effect.flatMap(OperatorSessions, (sessions) => sessions.holder(host.environment, value)))
}

/**
 * Checked before every change. Browsers send where a request comes from; a request without that is not from a browser.
 */
export function requireOwnPages(request: FastifyRequest, { baseUrl }: Host): void {
  const { host, origin, "sec-fetch-site": site } = request.headers
  // The host's gate has checked `Host`: it is one of this host's names.
  const own = [new URL(baseUrl).origin, `http://${host}`, `https://${host}`]
  const isOwn = (origin === undefined || own.includes(origin)) && (site === undefined || OWN.includes(site))
  if (!isOwn) throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}

const OWN = ["same-origin", "none"]

export function requireFormKey(operator: SignedIn, sent: string | readonly string[] | undefined): void {
  if (typeof sent !== "string" || !isFormKey(operator, sent))
    throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}
