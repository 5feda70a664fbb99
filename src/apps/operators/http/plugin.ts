/** `/ops/api`: signing in and out at `/ops`, choosing a password by a link, and the operator's own second factor. */

import { Effect } from "effect"
import type { Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { attended } from "../../../http/admission.ts"
import type { Run } from "../../../http/bridge.ts"
import type { ChangeStreams } from "../../../http/change-streams.ts"
import { decodeBody, sentBody } from "../../../http/endpoint.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { ownPagesOnly } from "../../../http/pages/own-pages.ts"
import { sessionIn, setSessionCookie } from "../../../http/pages/session-cookie.ts"
import { tellingWhen } from "../../../http/pages/too-many-attempts.ts"
import { Refused } from "../../../model/values/errors.ts"
import type { TurnedAway } from "../../../model/values/errors.ts"
import { FORM_KEY_HEADER } from "../../../model/live-group.ts"
import { DEVICE_MS, PAGE_FORM_BYTES_MAX } from "../../../model/values/limits.ts"
import {
  ChoosePasswordRequest,
  OperatorCodeRequest,
  OperatorConfirmRequest,
  OperatorEnrolRequest,
  OperatorSignInRequest,
} from "../../../model/requests/operators.ts"
import { SECOND_MS, isoMs } from "../../../model/values/time.ts"
import type { TooManyAttempts } from "../../../engine/services/rate-limits/attempts.ts"
import { OperatorActions, actorOf } from "../actions.ts"
import type { NewAction } from "../actions.ts"
import { OperatorSessions } from "../operator-sessions.ts"
import type { SignedIn, TokenSession } from "../operator-sessions.ts"
import { OperatorSignIn } from "../sign-in.ts"
import type { OperatorSignedIn, OperatorVisitor, OwnSession } from "../sign-in.ts"
import {
  operatorDeviceCookie,
  operatorSessionIn,
  operatorsOf,
  requireFormKey,
  setOperatorSession,
  signedIn,
} from "./gate.ts"
import type { Host } from "./gate.ts"

export type OperatorSurface = OperatorActions | OperatorSessions | OperatorSignIn

export interface OperatorOptions extends Host {
  readonly run: Run<OperatorSurface>
  /** The streams of the node, which end with the session that they belong to. */
  readonly streams?: ChangeStreams
}

const API = "/ops/api"

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function operatorPlugin(app: FastifyInstance, options: OperatorOptions): Promise<void> {
  addSignIn(app, options)
  addAccount(app, options)
}

function addSignIn(app: FastifyInstance, { run, streams, ...host }: OperatorOptions): void {
  const { environment } = host
  const onRequest = ownPagesOnly(host)
  const open = { bodyLimit: PAGE_FORM_BYTES_MAX, onRequest }
  const command = commandsOf(run)
  /** A session becomes the cookie; a challenge is the answer, with 202. */
  const begun = (reply: FastifyReply, answer: OperatorSignedIn | TokenSession): FastifyReply => {
    if ("challenge" in answer) return sent(reply.code(202), { challenge: answer.challenge })
    setOperatorSession(reply, answer.session, host)
    // A token needs no known browser.
    if ("device" in answer) setDevice(reply, answer.device, host)
    return sent(reply, {})
  }
  app.post(`${API}/session`, open, async (request, reply) => {
    const note = { environment, action: "signIn" }
    const answer = await command(request, reply, OperatorSignInRequest, (wanted) =>
      Effect.gen(function* () {
        if ("email" in wanted) return yield* logged(note, operators.signIn(wanted, visitorIn(request, host)))
        const asked = { environment, value: wanted.token.trim(), address: request.ip }
        return yield* logged({ ...note, actorType: "token" }, sessions.signIn(asked))
      }),
    )
    return begun(reply, answer)
  })
  app.post(`${API}/session/second-factor`, open, async (request, reply) => {
    const note = { environment, action: "completeSignIn" }
    const answer = await command(request, reply, OperatorCodeRequest, (wanted) =>
      logged(note, operators.complete(wanted, visitorIn(request, host))),
    )
    return begun(reply, answer)
  })
  app.post(`${API}/password`, open, async (request, reply) => {
    const note = { environment, action: "choosePassword" }
    const { device } = await command(request, reply, ChoosePasswordRequest, (wanted) =>
      logged(note, operators.choosePassword(wanted, visitorIn(request, host))),
    )
    setDevice(reply, device, host)
    return sent(reply, {})
  })
  app.delete(`${API}/session`, { onRequest }, async (request, reply) => {
    const operator = await signedIn(run, host, request)
    requireFormKey(operator, request.headers[FORM_KEY_HEADER])
    await run(signOut(operator, operatorSessionIn(request, host) ?? ""))
    setOperatorSession(reply, null, host)
    streams?.recheck(operatorsOf(environment))
    return sent(reply, {})
  })
}

function visitorIn({ ip, headers }: FastifyRequest, host: Host): OperatorVisitor {
  const device = sessionIn(headers.cookie, operatorDeviceCookie(host).name)
  return { environment: host.environment, address: ip, device }
}

function setDevice(reply: FastifyReply, token: string, host: Host): void {
  setSessionCookie(reply, { token, maxAgeSeconds: DEVICE_MS / SECOND_MS }, operatorDeviceCookie(host))
}

function addAccount(app: FastifyInstance, { run, ...host }: OperatorOptions): void {
  const { environment } = host
  const FACTOR = `${API}/account/second-factor`
  const ownIn = async (request: FastifyRequest): Promise<OwnSession> => {
    const { operator, ...operatorOwn } = await signedIn(run, host, request)
    if (request.method !== "GET")
      requireFormKey({ operator, ...operatorOwn }, request.headers[FORM_KEY_HEADER])
    const { accountId } = operator
    if (accountId === undefined)
      throw new Refused({ code: "NOT_FOUND", detail: "an operator token has no second factor" })
    return { accountId, session: operatorSessionIn(request, host) ?? "" }
  }
  const onRequest = ownPagesOnly(host)
  const own = { bodyLimit: PAGE_FORM_BYTES_MAX, onRequest }
  const command = commandsOf(run)
  app.get(FACTOR, async (request, reply) => {
    const { accountId } = await ownIn(request)
    const { sinceMs, recoveryCodesLeft } = await run(operators.factor(accountId))
    return sent(reply, { since: isoMs(sinceMs), recovery_codes_left: recoveryCodesLeft })
  })
  app.post(FACTOR, own, async (request, reply) => {
    const session = await ownIn(request)
    const note = { environment, action: "enrolSecondFactor", actorId: session.accountId }
    const enrolment = await command(request, reply, OperatorEnrolRequest, (wanted) =>
      logged(note, operators.enrol(session, wanted.current_password)),
    )
    return sent(reply, enrolment)
  })
  app.post(`${FACTOR}/confirm`, own, async (request, reply) => {
    const session = await ownIn(request)
    const note = { environment, action: "confirmSecondFactor", actorId: session.accountId }
    const codes = await command(request, reply, OperatorConfirmRequest, ({ code }) =>
      logged(note, operators.confirm(session, code)),
    )
    return sent(reply, { recovery_codes: codes })
  })
}

const operators = Effect.serviceFunctions(OperatorSignIn)
const sessions = Effect.serviceFunctions(OperatorSessions)

/** Runs a command with the body of its request. */
function commandsOf(run: Run<OperatorSurface>) {
  return <Wanted, Sent, A>(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: Schema.Schema<Wanted, Sent>,
    handle: (wanted: Wanted) => Effect.Effect<A, Refused | TooManyAttempts | TurnedAway, OperatorSurface>,
  ): Promise<A> => {
    const body = sentBody(request.body as Buffer | undefined, request.headers["content-type"])
    return run(attended(request, tellingWhen(reply, Effect.flatMap(decodeBody(schema, body), handle))))
  }
}

/** Without an actor it is in the result: the account or the token that signed in. */
export function logged<A, E, R>(
  {
    environment,
    action,
    actorType = "account",
    actorId = null,
  }: Pick<NewAction, "action" | "environment"> & Partial<NewAction>,
  effect: Effect.Effect<A, E, R>,
) {
  return Effect.flatMap(OperatorActions, (actions) =>
    actions.noting({ environment, action, actorType, actorId, subjectId: null }, effect),
  )
}

/** Ends a session; who left is in the audit log. */
export function signOut({ environment, operator }: SignedIn, session: string) {
  return logged({ environment, action: "signOut", ...actorOf(operator) }, sessions.signOut(session))
}

function sent(reply: FastifyReply, data: object): FastifyReply {
  return reply.headers(NOT_STORED).send({ success: true, data })
}
