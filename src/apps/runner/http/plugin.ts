/**
 * `/runner/api`: what a paired phone reads and does. The session is a cookie; the runner and the site come from the
 * pairing. A refused move answers with the task as it is now.
 */

import { Effect, Either, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Reservations } from "../../../areas/reservations/reservations.ts"
import type { RunnerTasks } from "../../../areas/reservations/runner-tasks.ts"
import { phoneScope } from "../../../areas/runner-phones/http/operator-phones.ts"
import { RunnerCalls } from "../../../areas/runner-phones/runner-calls.ts"
import { RunnerPhones } from "../../../areas/runner-phones/runner-phones.ts"
import type { PairedPhone } from "../../../areas/runner-phones/runner-phones.ts"
import { attended } from "../../../http/admission.ts"
import { addApiDocument } from "../../../http/bodies/api-document.ts"
import type { Run } from "../../../http/bridge.ts"
import { ChangeStreams, endWith } from "../../../http/change-streams.ts"
import { loggedConfig } from "../../../http/call-log.ts"
import { decodeBody, sentBody } from "../../../http/endpoint.ts"
import type { Offer } from "../../../http/endpoint.ts"
import { NOT_STORED, bodyOf, invalid } from "../../../http/errors.ts"
import { setSender } from "../../../http/request-requester.ts"
import { setSessionCookie } from "../../../http/pages/session-cookie.ts"
import { bodyConfig } from "../../../http/warnings.ts"
import type { Environment } from "../../../model/caller.ts"
import { Refused, statusOf } from "../../../model/values/errors.ts"
import { IDEMPOTENCY_KEY_LENGTH_MAX, PHOTO_BYTES_MAX } from "../../../model/values/limits.ts"
import { PairPhoneRequest } from "../../../model/requests/operations-requests.ts"
import { MOVE_KEY_HEADER, PHONE_TIME_HEADER, RUNNER_HEADER } from "../../../model/requests/runner-app.ts"
import { PHONE_OPERATIONS } from "../../../model/requests/runner-moves.ts"
import { decodeRequest, Instant, text } from "../../../model/values/schema.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import { runnerCallRecord } from "../../operations/http/runner-calls.ts"
import type { SiteTopics } from "../../operations/site-topics.ts"
import { OperatorActions } from "../../operators/actions.ts"
import type { ChangedGroups } from "../../../engine/services/changed-groups.ts"
import type { DigestKey } from "../../../engine/services/digest-key.ts"
import { PhoneTasks } from "../phone-tasks.ts"
import type { PhoneMove } from "../phone-tasks.ts"
import { ownPagesOnly } from "../../../http/pages/own-pages.ts"
import { cookieOf, tokenIn } from "./gate.ts"
import { COMMANDS, moveNamed } from "./moves.ts"
import { ANY_MOVE, MOVE_PATH, OFFERS, STREAM_PATH, routeOf, runnerDocument } from "./openapi.ts"
import { addPhoneStream } from "./stream.ts"

export type RunnerSurface =
  | ChangedGroups
  | DigestKey
  | OperatorActions
  | PhoneTasks
  | Reservations
  | RunnerCalls
  | RunnerPhones
  | RunnerTasks
  | SiteTopics

export interface RunnerOptions {
  readonly run: Run<RunnerSurface>
  readonly environment: Environment
  /** Scheme and host of the pages: for the cookie, and for the origin of changes. */
  readonly baseUrl: string
  /** The streams of the node; absent: the plugin has its own. */
  readonly streams?: ChangeStreams
}

type Answering = (
  phone: PairedPhone,
  request: FastifyRequest,
) => Effect.Effect<object, Refused, RunnerSurface>

function pairedPhone(environment: Environment, token: ReturnType<typeof tokenIn>) {
  return Effect.flatMap(RunnerPhones, (phones) => phones.phoneOf(environment, token))
}

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function runnerPlugin(app: FastifyInstance, options: RunnerOptions): Promise<void> {
  const { run, environment, baseUrl, streams = new ChangeStreams(run) } = options
  const cookie = cookieOf(baseUrl, environment)
  const phoneOf = async (request: FastifyRequest): Promise<PairedPhone> => {
    const found = await run(pairedPhone(environment, tokenIn(request, cookie)))
    setSender(request, { type: "phone", id: found.phoneId })
    return found
  }
  endWith(app, streams)
  addPhoneStream(app, STREAM_PATH, { streams, run, baseUrl, phoneOf })
  addApiDocument(app, "runner", () => runnerDocument(baseUrl, cookie.name))
  const read = ({ path }: Pick<Offer, "path">, answer: Answering): void => {
    app.get(routeOf(path), async (request, reply) => {
      const phone = await phoneOf(request)
      return sent(reply, await run(attended(request, answer(phone, request))))
    })
  }
  const onRequest = ownPagesOnly({ baseUrl, header: RUNNER_HEADER })
  app.post(OFFERS.pair.path, { onRequest, config: bodyConfig(OFFERS.pair) }, async (request, reply) => {
    const { token, phone, endedIds, me } = await run(attended(request, pairWith(environment, request)))
    for (const phoneId of endedIds) streams.recheck(phoneScope(phoneId))
    setSessionCookie(reply, { token, maxAgeSeconds: (phone.endsAtMs - phone.pairedAtMs) / SECOND_MS }, cookie)
    return sent(reply, { me })
  })
  app.post(OFFERS.signOut.path, { onRequest }, async (request, reply) => {
    const phone = await phoneOf(request)
    const leaving = Effect.flatMap(RunnerPhones, (phones) => phones.signOut(phone))
    const { operationId: action } = OFFERS.signOut
    await run(noted(leaving, { environment, action, phoneId: phone.phoneId }))
    streams.recheck(phoneScope(phone.phoneId))
    setSessionCookie(reply, null, cookie)
    return sent(reply, {})
  })
  read(OFFERS.me, (phone) =>
    Effect.map(
      Effect.flatMap(PhoneTasks, (tasks) => tasks.me(phone)),
      (me) => ({ me }),
    ),
  )
  read(OFFERS.tasks, (phone) =>
    Effect.map(
      Effect.flatMap(PhoneTasks, (tasks) => tasks.list(phone)),
      (tasks) => ({ tasks }),
    ),
  )
  read(OFFERS.task, (phone, request) =>
    Effect.map(
      Effect.flatMap(PhoneTasks, (tasks) => tasks.read(phone, idOf(request))),
      (task) => ({ task }),
    ),
  )
  read(OFFERS.calls, (phone) =>
    Effect.map(
      Effect.flatMap(RunnerCalls, (calls) => calls.ofPhone(phone)),
      (calls) => ({ calls: calls.map(runnerCallRecord) }),
    ),
  )
  const answering = { onRequest, config: loggedConfig(OFFERS.answer) }
  app.post(routeOf(OFFERS.answer.path), answering, async (request, reply) => {
    const phone = await phoneOf(request)
    const taking = Effect.flatMap(RunnerCalls, (calls) => calls.answer(phone, idOf(request)))
    const doing = { action: OFFERS.answer.operationId, phoneId: phone.phoneId, subjectId: idOf(request) }
    const answer = noted(taking, { environment, ...doing })
    return sent(reply, { call: runnerCallRecord(await run(attended(request, answer))) })
  })
  const moving = { onRequest, bodyLimit: PHOTO_BYTES_MAX, config: loggedConfig(ANY_MOVE) }
  app.post(routeOf(MOVE_PATH), moving, async (request, reply) =>
    answerMove(request, reply, { run, phone: await phoneOf(request) }),
  )
}

const pairWith = Effect.fnUntraced(function* (environment: Environment, request: FastifyRequest) {
  const { code } = yield* decodeBody(PairPhoneRequest, bodyIn(request))
  const effect = (yield* RunnerPhones).pair(environment, code)
  const paired = yield* noted(effect, { environment, action: OFFERS.pair.operationId, phoneId: null })
  return { ...paired, me: yield* (yield* PhoneTasks).me(paired.phone) }
})

interface Noted {
  readonly environment: Environment
  readonly action: string
  /** Null: the result names it. */
  readonly phoneId: string | null
  /** Default: the result may name it. */
  readonly subjectId?: string | null
}

/** What a phone does beside its moves, which note themselves. */
function noted<A, E, R>(effect: Effect.Effect<A, E, R>, { phoneId, subjectId = null, ...doing }: Noted) {
  const action = { ...doing, actorType: "phone", actorId: phoneId, subjectId } as const
  return Effect.flatMap(OperatorActions, (actions) => actions.noting(action, effect))
}

interface Moving {
  readonly run: Run<RunnerSurface>
  readonly phone: PairedPhone
}

async function answerMove(
  request: FastifyRequest,
  reply: FastifyReply,
  { run, phone }: Moving,
): Promise<FastifyReply> {
  const answered = await run(attended(request, Effect.either(moved(phone, request))))
  if (Either.isRight(answered)) return sent(reply, answered.right)
  const refused = answered.left
  if (refused.code !== "INVALID_STATE") throw refused
  const task = await run(Effect.flatMap(PhoneTasks, (tasks) => tasks.read(phone, idOf(request))))
  return reply
    .code(statusOf(refused.code))
    .headers(NOT_STORED)
    .send({ ...bodyOf(refused, request.id), task })
}

const moved = Effect.fnUntraced(function* (phone: PairedPhone, request: FastifyRequest) {
  const asked = yield* moveIn(request)
  const command = COMMANDS[asked.move]
  const { reservationId } = asked
  const { runnerId } = phone
  const body = bodyIn(request)
  return yield* (yield* PhoneTasks).move(phone, asked, (caller) =>
    command({ caller, reservationId, runnerId, body }),
  )
})

const KEY = Schema.Struct({
  [MOVE_KEY_HEADER]: text({ max: IDEMPOTENCY_KEY_LENGTH_MAX }),
  [PHONE_TIME_HEADER]: Schema.optional(Instant),
})

function moveIn(request: FastifyRequest): Effect.Effect<PhoneMove, Refused> {
  return Effect.gen(function* () {
    const move = moveNamed((request.params as { readonly move: string }).move)
    if (move === null) return yield* new Refused({ code: "NOT_FOUND", detail: "move" })
    const key = headerOf(request, MOVE_KEY_HEADER)
    if (key === undefined) return yield* invalid(MOVE_KEY_HEADER, "must be sent")
    const at = headerOf(request, PHONE_TIME_HEADER)
    const headers = { [MOVE_KEY_HEADER]: key, ...(at === undefined ? {} : { [PHONE_TIME_HEADER]: at }) }
    const read = yield* decodeRequest(KEY, headers)
    return {
      reservationId: idOf(request),
      move,
      operationId: PHONE_OPERATIONS[move],
      key: read[MOVE_KEY_HEADER],
      phoneAtMs: read[PHONE_TIME_HEADER] ?? null,
    }
  })
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  return [headers[name.toLowerCase()]].flat()[0]
}

function bodyIn(request: FastifyRequest) {
  return sentBody(request.body as Buffer | undefined, request.headers["content-type"])
}

function idOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id
}

/** Answers have names of people. */
function sent(reply: FastifyReply, data: object): FastifyReply {
  return reply.code(200).headers(NOT_STORED).send({ success: true, data })
}
