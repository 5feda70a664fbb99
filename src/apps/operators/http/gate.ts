/**
 * The gate of operators: `/ops`, the inspector and the operations API. A caller has an operator token of this host's
 * environment, or a session of a browser: a cookie that scripts cannot read and that requests from other sites do not
 * carry. Changes of a session must come from the host's own pages and contain the session's form key.
 */

import { Effect } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { hashOf } from "../../../http/access/bearer.ts"
import type { OperatorTokens } from "../../../http/access/operator-tokens.ts"
import { rememberShare } from "../../../http/admission.ts"
import { requireOwnPages } from "../../../http/pages/own-pages.ts"
import { requirePersonOfPage } from "../../../http/pages/page-person.ts"
import { setOperator } from "../../../http/gate.ts"
import { operatorSender, setSender } from "../../../http/request-requester.ts"
import type { Environment, Operator } from "../../../model/caller.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import { FORM_KEY_HEADER } from "../../../model/live-group.ts"
import { OPERATOR_SESSION_MS, SESSION_END_KNOWN_MS } from "../../../model/values/limits.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import { operatorWith, requireOperator } from "../credentials.ts"
import type { Credentials } from "../credentials.ts"
import { OperatorSessions, isFormKey } from "../operator-sessions.ts"
import type { SignedIn } from "../operator-sessions.ts"
import type { Run } from "../../../http/bridge.ts"
import { operatorEndText } from "./ended-session-text.ts"
import { sessionCookie, sessionIn, setSessionCookie } from "../../../http/pages/session-cookie.ts"
import type { SessionCookie } from "../../../http/pages/session-cookie.ts"

export interface Host {
  readonly environment: Environment
  /** Scheme and host of the pages. */
  readonly baseUrl: string
}

/** Both environments may run on one host with different ports, which browsers do not distinguish for cookies. */
function cookieOf({ environment, baseUrl }: Host): SessionCookie {
  return sessionCookie(`curbline_operator_${environment}`, baseUrl, "Strict")
}

/** Accounts exist once for both environments, so a browser that one host knows is known to the other. */
export function operatorDeviceCookie({ baseUrl }: Host): SessionCookie {
  return sessionCookie("curbline_operator_device", baseUrl, "Strict")
}

/** The session's value; null when no well-formed one was sent. */
export function operatorSessionIn(request: FastifyRequest, host: Host): string | null {
  return sessionIn(request.headers.cookie, cookieOf(host).name)
}

/** Null ends the session. The cookie outlives it, so that the sign-in page can say why it ended. */
export function setOperatorSession(reply: FastifyReply, token: string | null, host: Host): void {
  const maxAgeSeconds = (OPERATOR_SESSION_MS + SESSION_END_KNOWN_MS) / SECOND_MS
  const session = token === null ? null : { token, maxAgeSeconds }
  setSessionCookie(reply, session, cookieOf(host))
}

/** Names the streams of operators for `ChangeStreams.recheck`. */
export function operatorsOf(environment: Environment): string {
  return `operators of ${environment}`
}

/** Names the session of a browser without its value, or the token of a program. */
export function sessionNameOf(request: FastifyRequest, host: Host, { tokenId }: Operator): string {
  const session = request.headers.authorization === undefined ? operatorSessionIn(request, host) : null
  return session === null ? `operator-token/${tokenId}` : `operator-session/${hashOf(session)}`
}

/** The services that the gate asks. */
export type OperatorGate = OperatorSessions | OperatorTokens

/**
 * The hook of a route of the operations API. A header `Authorization` decides alone; without one, a session of a
 * browser does, and its changes need the form key.
 */
export function admitOperator(run: Run<OperatorGate>, host: Host) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const operator = await admittedIn(run, host, request).catch((failure: unknown) => {
      if (failure instanceof TurnedAway && failure.code !== "CROSS_SITE_REQUEST")
        reply.header("WWW-Authenticate", "Bearer")
      throw failure
    })
    rememberShare(request, "operators")
    setOperator(request, operator)
  }
}

async function admittedIn(run: Run<OperatorGate>, host: Host, request: FastifyRequest): Promise<Operator> {
  if (request.method !== "GET" && request.method !== "HEAD" && isOfBrowser(request, host)) {
    requireOwnPages(request, host)
    const found = await signedIn(run, host, request)
    requirePersonOfPage(request, found.operatorId)
    requireFormKey(found, request.headers[FORM_KEY_HEADER])
  }
  const operator = await run(requireOperator(credentialsIn(request, host)))
  requirePersonOfPage(request, operator.accountId ?? operator.tokenId ?? "")
  return operator
}

/** The caller of a request; null without one. Rejects with `SIGN_IN_REQUIRED` when a session has ended. */
export async function operatorIn(
  run: Run<OperatorGate>,
  host: Host,
  request: FastifyRequest,
): Promise<Operator | null> {
  return run(operatorWith(credentialsIn(request, host)))
}

function credentialsIn(request: FastifyRequest, host: Host): Credentials {
  const { environment } = host
  const { authorization } = request.headers
  return { environment, authorization, session: operatorSessionIn(request, host) }
}

function isOfBrowser(request: FastifyRequest, host: Host): boolean {
  return request.headers.authorization === undefined && operatorSessionIn(request, host) !== null
}

/** Why the session of the request's cookie ended, as a sentence; null when there is nothing to say. */
export async function sessionEndText(
  run: Run<OperatorSessions>,
  host: Host,
  request: FastifyRequest,
): Promise<string | null> {
  const value = operatorSessionIn(request, host)
  if (value === null) return null
  return operatorEndText(
    await run(Effect.flatMap(OperatorSessions, (sessions) => sessions.endOf(host.environment, value))),
  )
}

/** Rejects with `SIGN_IN_REQUIRED`. */
export function signedIn(run: Run<OperatorSessions>, host: Host, request: FastifyRequest): Promise<SignedIn> {
  const value = operatorSessionIn(request, host)
  return run(Effect.flatMap(OperatorSessions, (sessions) => sessions.holder(host.environment, value)))
}

/** The inspector shows whole journals, of every site, so it is for administrators of all sites. */
export async function signedInAdmin(
  run: Run<OperatorSessions>,
  host: Host,
  request: FastifyRequest,
): Promise<SignedIn> {
  const found = await signedIn(run, host, request)
  setSender(request, operatorSender(found.operator))
  const { role = "admin", siteIds = null } = found.operator
  if (role === "admin" && siteIds === null && !found.needsFactor) return found
  throw new Refused({ code: "PERMISSION_DENIED", detail: "the inspector is for administrators of all sites" })
}

export function requireFormKey(operator: SignedIn, sent: string | readonly string[] | undefined): void {
  if (typeof sent !== "string" || !isFormKey(operator, sent))
    throw new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}
