/**
 * The inspector's gate: operators sign in with the operator token of this host's environment, and a cookie that no script and
 * no other site's request carries keeps them in. What changes anything comes from the host's own pages and knows the
 * session's form key.
 */

import { Effect } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../../model/caller.ts"
import { TurnedAway } from "../../model/errors.ts"
import { OPERATOR_SESSION_MS } from "../../model/limits.ts"
import { SECOND_MS } from "../../model/time.ts"
import { OperatorSessions, isFormKey } from "../../services/inspection/operator-sessions.ts"
import type { SignedIn } from "../../services/inspection/operator-sessions.ts"
import type { Run } from "../bridge.ts"
import { sessionCookie, sessionIn, tellSession } from "../session-cookie.ts"
import type { SessionCookie } from "../session-cookie.ts"

export interface Host {
  readonly environment: Environment
  /** Scheme and host of the pages. */
  readonly baseUrl: string
}

/** Both environments may run on one host, by their ports, which browsers do not tell apart. */
function cookieOf({ environment, baseUrl }: Host): SessionCookie {
  return sessionCookie(`curbline_operator_${environment}`, baseUrl, "Strict")
}

/** The session's value; null when none was sent that could be one. */
export function operatorSessionIn(request: FastifyRequest, host: Host): string | null {
  return sessionIn(request.headers.cookie, cookieOf(host).name)
}

/** Null ends the session. */
export function tellOperatorSession(reply: FastifyReply, token: string | null, host: Host): void {
  const session = token === null ? null : { token, maxAgeSeconds: OPERATOR_SESSION_MS / SECOND_MS }
  tellSession(reply, session, cookieOf(host))
}

/** Rejects with `SIGN_IN_REQUIRED`. */
export function signedIn(run: Run<OperatorSessions>, host: Host, request: FastifyRequest): Promise<SignedIn> {
  const value = operatorSessionIn(request, host)
  return run(Effect.flatMap(OperatorSessions, (sessions) => sessions.holder(host.environment, value)))
}

/** Before anything is changed. A browser says where a request comes from; what says nothing is no browser. */
export function requireOwnPages(request: FastifyRequest, { baseUrl }: Host): void {
  const { host, origin, "sec-fetch-site": site } = request.headers
  // The gate of the host has looked at `Host`: it is one of this host's names.
  const own = [new URL(baseUrl).origin, `http://${host}`, `https://${host}`]
  const isOwn = (origin === undefined || own.includes(origin)) && (site === undefined || OWN.includes(site))
  if (!isOwn) throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}

const OWN = ["same-origin", "none"]

export function requireFormKey(operator: SignedIn, sent: string | readonly string[] | undefined): void {
  if (typeof sent !== "string" || !isFormKey(operator, sent))
    throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}
