/**
 * `/internal/v1/reservations/{id}`: a reservation for runners, and every step of its task. Each step answers with the
 * reservation after it.
 */

import { Effect } from "effect"
import type { Operator } from "../../../model/caller.ts"
import type { Refused } from "../../../model/values/errors.ts"
import { PHOTO_BYTES_MAX } from "../../../model/values/limits.ts"
import {
  CancelByOperatorRequest,
  ClearFlagRequest,
  FlagRequest,
  HoldRequest,
  PageRequest,
} from "../../../model/requests/operations-requests.ts"
import { AssignRunnerRequest, MeasureRequest } from "../../../model/requests/requests.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { RunnerBoard } from "../runner-board.ts"
import { Reservations } from "../../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../../areas/reservations/runner-tasks.ts"
import { decodeBody, decodeOptionalBody, decodeQuery, once } from "../../../http/endpoint.ts"
import { PHOTO_MEDIA_TYPES } from "../../../areas/reservations/http/photos.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorAsk, OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageSchema } from "../../../http/pages.ts"
import { BoardReservation, OneBoardReservation } from "./schemas.ts"

export type RunnerTasksSurface = Reservations | RunnerBoard | RunnerTasks

const RESERVATION = "/internal/v1/reservations/{id}"

const listTasks = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/tasks",
  operationId: "listOpenTasks",
  summary: "A site's open runner tasks, the most urgent first",
  parameters: PAGING,
  answers: { 200: pageSchema("tasks", BoardReservation) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id, query }) {
    const request = yield* decodeQuery(PageRequest, query, PAGING)
    const board = yield* RunnerBoard
    return yield* board.openTasks(caller, id, request)
  },
})

const read = operatorEndpoint({
  method: "GET",
  path: RESERVATION,
  operationId: "readBoardReservation",
  summary: "What a runner must see of a reservation; the link to its load photo is signed afresh",
  answers: { 200: OneBoardReservation },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    return yield* standing(ask)
  },
})

const assign = move<RunnerTasks>({
  path: "runner",
  operationId: "assignRunner",
  summary: "A runner takes the task",
  body: AssignRunnerRequest,
  act: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { runner_id } = yield* decodeBody(AssignRunnerRequest, body)
      const tasks = yield* RunnerTasks
      yield* tasks.assign(caller, id, runner_id)
    }),
})

const atStore = move(plain("at-store", "runnerAtStore", "The runner is at the counter", "atStore"))

const hold = move<RunnerTasks>({
  path: "hold",
  operationId: "holdTask",
  summary: "The order is not ready; the counter may say when it will be",
  body: HoldRequest,
  isBodyOptional: true,
  act: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { ready_estimate } = yield* decodeOptionalBody(HoldRequest, body)
      const tasks = yield* RunnerTasks
      yield* tasks.hold(caller, id, ready_estimate ?? null)
    }),
})

const ready = move(plain("ready", "orderReady", "The held order is ready", "ready"))

const giveUp = move(plain("give-up", "giveUp", "The runner gives up at the counter; ends the task", "giveUp"))

const orderInHand = move(
  plain("order-in-hand", "orderInHand", "The runner has the order in hand", "orderInHand"),
)

const payload = move<RunnerTasks>({
  path: "payload",
  operationId: "measurePayload",
  summary: "The order was measured; one that does not fit the payload limit ends the task",
  body: MeasureRequest,
  act: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const measure = yield* decodeBody(MeasureRequest, body)
      const tasks = yield* RunnerTasks
      yield* tasks.measurePayload(caller, id, measure)
    }),
})

const atUnit = move(plain("at-unit", "runnerAtUnit", "The runner is at the bot", "atUnit"))

/** The type of the photo is detected from its bytes, whatever the content type. */
const load = move<RunnerTasks>({
  path: "load",
  operationId: "recordLoad",
  summary: "The order is loaded: with its photo, or without one, which may then land by another call",
  body: null,
  mediaTypes: PHOTO_MEDIA_TYPES,
  isBodyOptional: true,
  bodyBytesMax: PHOTO_BYTES_MAX,
  act: ({ caller, id, body, header }) =>
    Effect.gen(function* () {
      const isAnnounced = header("content-type")?.startsWith("image/") === true
      const hasPhoto = body !== null && (body.bytes.length > 0 || isAnnounced)
      const tasks = yield* RunnerTasks
      yield* tasks.load(caller, id, hasPhoto ? body.bytes : null)
    }),
})

const retryOpenLink = move(
  plain("open-link", "retryOpenLink", "Call the open link anew after it failed", "retryOpenLink"),
)

const flag = move<RunnerTasks>({
  path: "exceptions",
  operationId: "raiseException",
  summary: "Raise an exception; two of them end the task, the others are flags until the next step",
  body: FlagRequest,
  act: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { reason_code, message } = yield* decodeBody(FlagRequest, body)
      const tasks = yield* RunnerTasks
      yield* tasks.raise(caller, id, reason_code, message)
    }),
})

const clearFlag = operatorEndpoint({
  method: "DELETE",
  path: `${RESERVATION}/exceptions`,
  operationId: "clearException",
  summary: "Clear a flag; one that is not set is fine",
  parameters: [
    {
      in: "query",
      name: "reason_code",
      description: "The flag.",
      schema: ClearFlagRequest.fields.reason_code,
    },
  ],
  answers: { 200: OneBoardReservation },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle(ask) {
    const written = { reason_code: yield* once(ask.query, "reason_code") }
    const { reason_code } = yield* decodeRequest(ClearFlagRequest, written)
    const tasks = yield* RunnerTasks
    yield* tasks.clear(ask.caller, ask.id, reason_code)
    return yield* standing(ask)
  },
})

const cancel = move<Reservations>({
  path: "cancel",
  operationId: "cancelForRunnerOrOperations",
  summary: "Cancel in the runner's or operations' name; a repeat changes nothing",
  body: CancelByOperatorRequest,
  act: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { by, reason } = yield* decodeBody(CancelByOperatorRequest, body)
      const reservations = yield* Reservations
      yield* reservations.cancel({ ...caller, by }, id, reason)
    }),
})

interface Move<R>
  extends
    Pick<OperatorEndpoint<R>, "operationId" | "summary" | "body">,
    Partial<Pick<OperatorEndpoint<R>, "mediaTypes" | "isBodyOptional" | "bodyBytesMax">> {
  /** After the reservation's own path. */
  readonly path: string
  readonly act: (ask: OperatorAsk) => Effect.Effect<void, Refused, R>
}

function move<R>({ path, act, ...offer }: Move<R>): OperatorEndpoint<R | RunnerBoard> {
  return {
    ...offer,
    method: "POST",
    path: `${RESERVATION}/${path}`,
    parameters: [],
    answers: { 200: OneBoardReservation },
    errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
    handle: (ask) => Effect.zipRight(act(ask), standing(ask)),
  }
}

type PlainMove = "atStore" | "atUnit" | "giveUp" | "orderInHand" | "ready" | "retryOpenLink"

/** A step without fields. */
function plain(path: string, operationId: string, summary: string, name: PlainMove): Move<RunnerTasks> {
  const act = ({ caller, id }: { readonly caller: Operator; readonly id: string }) =>
    Effect.flatMap(RunnerTasks, (tasks) => Effect.asVoid(tasks[name](caller, id)))
  return { path, operationId, summary, body: null, act }
}

const standing = Effect.fnUntraced(function* ({ caller, id }: OperatorAsk) {
  const board = yield* RunnerBoard
  return { status: 200, data: { reservation: yield* board.reservation(caller, id) } }
})

export const runnerTasks: readonly OperatorEndpoint<RunnerTasksSurface>[] = [
  listTasks,
  read,
  assign,
  atStore,
  hold,
  ready,
  giveUp,
  orderInHand,
  payload,
  atUnit,
  load,
  retryOpenLink,
  flag,
  clearFlag,
  cancel,
]
