/** What `/runner/api` offers, and its document. */

import { Schema } from "effect"
import { PHOTO_MEDIA_TYPES } from "../../../areas/reservations/http/photos.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { cookieDocumentOf } from "../../../http/cookie-document.ts"
import { LAST_EVENT_ID, STREAM_SUMMARY } from "../../../http/change-streams.ts"
import type { Part } from "../../../http/document-part.ts"
import type { Offer, Parameter } from "../../../http/endpoint.ts"
import { failures, tagOf } from "../../../http/openapi.ts"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import type { ErrorCode } from "../../../model/values/errors.ts"
import { HANDOFF_STATUSES } from "../../../model/handoff.ts"
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../../model/values/limits.ts"
import { FlagRequest, HoldRequest, PairPhoneRequest } from "../../../model/requests/operations-requests.ts"
import { CancelRequest, MeasureRequest } from "../../../model/requests/requests.ts"
import { MOVE_KEY_HEADER, PHONE_TIME_HEADER, RUNNER_HEADER } from "../../../model/requests/runner-app.ts"
import type { PhoneRecord } from "../../../model/requests/runner-app.ts"
import { HAPPY_MOVES, PHONE_OPERATIONS, RUNNER_MOVES } from "../../../model/requests/runner-moves.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"
import { text } from "../../../model/values/schema.ts"
import { RunnerCallShown } from "../../operations/http/runner-calls.ts"
import { BoardReservation } from "../../operations/http/schemas.ts"

const API = "/runner/api"

const Me: Schema.Schema<PhoneRecord> = Schema.Struct({
  phone_id: Schema.String,
  runner_id: Schema.String,
  runner_name: Schema.String,
  environment: Schema.Literal(...ENVIRONMENTS),
  site: Schema.Struct({
    site_id: Schema.String,
    name: Schema.String,
    timezone: Schema.NullOr(Schema.String),
  }),
  ends_at: DateTime.annotations({ description: "The end of the shift." }),
}).annotations({ identifier: "PairedPhone" })

const { moves, next_move, raisable_exceptions } = BoardReservation.fields

/** The page declares fewer fields of the bot and the handoff (`src/model/requests/runner-app.ts`). */
const Task = Schema.Struct({
  ...BoardReservation.pick(
    "reservation_id",
    "status",
    "stall_label",
    "order_number",
    "pickup_reference",
    "end_user_name",
    "retailer_name",
    "retailer_support_phone",
    "pickup_requirements",
    "arrival_window_start",
    "arrival_window_end",
    "payload_limit",
    "bot",
    "handoff",
    "open_exceptions",
    "is_order_returning",
    "next_move",
    "moves",
    "raisable_exceptions",
  ).fields,
  holder: Schema.Literal("free", "other", "you").annotations({
    description: "Who has the task: no one yet, another runner, or this phone's runner.",
  }),
  runner_name: Schema.NullOr(Schema.String),
  due_at: Schema.NullOr(DateTime).annotations({
    description:
      "When the first promise breaks: the runner's staging time until the runner is at the bot, or the bot's estimate, window or wait; null after the task's end.",
  }),
  ahead: Schema.Array(
    Schema.Struct({
      move: Schema.Literal(...HAPPY_MOVES),
      handoff_status: Schema.Literal(...HANDOFF_STATUSES),
      next_move,
      moves,
      raisable_exceptions,
    }).annotations({ identifier: "MoveAhead" }),
  ).annotations({ description: "States after the next moves, for a phone without network." }),
  now: DateTime.annotations({ description: "The instant as of which the task was read." }),
}).annotations({ identifier: "PhoneTask", description: "A task as the phone shows it." })

const Moved = Schema.Struct({
  task: Task,
  is_repeat: Schema.Boolean.annotations({ description: "True when the service had made this move before." }),
})

const OWN_PAGE: Parameter = {
  in: "header",
  name: RUNNER_HEADER,
  description: "`1` on every request but GET.",
  schema: Schema.Literal("1"),
  isRequired: true,
}

const MOVE_HEADERS: readonly Parameter[] = [
  OWN_PAGE,
  {
    in: "header",
    name: MOVE_KEY_HEADER,
    description: "Chosen by the phone, the same each time that it sends this move: the move is made once.",
    schema: text({ max: IDEMPOTENCY_KEY_LENGTH_MAX }),
    isRequired: true,
  },
  {
    in: "header",
    name: PHONE_TIME_HEADER,
    description: "When the runner pressed the button, by the phone's clock. It is kept, and rules nothing.",
    schema: DateTime,
  },
]

const SESSION: readonly ErrorCode[] = ["SIGN_IN_REQUIRED"]

/** What the routes without a move offer. */
export const OFFERS = {
  pair: {
    method: "POST",
    path: `${API}/pair`,
    operationId: "pairPhone",
    summary: "Use up the code of a pairing link: the answer sets the session's cookie",
    parameters: [OWN_PAGE],
    body: PairPhoneRequest,
    answers: { 200: Schema.Struct({ me: Me }) },
    errors: ["VALIDATION_ERROR", "INVALID_CODE", "CROSS_SITE_REQUEST", "NOT_FOUND"],
  },
  signOut: {
    method: "POST",
    path: `${API}/sign-out`,
    operationId: "endShift",
    summary: "End the pairing",
    parameters: [OWN_PAGE],
    body: null,
    answers: { 200: Schema.Struct({}) },
    errors: [...SESSION, "CROSS_SITE_REQUEST"],
  },
  me: {
    method: "GET",
    path: `${API}/me`,
    operationId: "readPairing",
    summary: "The runner, the site and the end of the shift",
    parameters: [],
    body: null,
    answers: { 200: Schema.Struct({ me: Me }) },
    errors: [...SESSION, "NOT_FOUND"],
  },
  tasks: {
    method: "GET",
    path: `${API}/tasks`,
    operationId: "listPhoneTasks",
    summary: "The site's open tasks, the one that is due first before the others",
    parameters: [],
    body: null,
    answers: { 200: Schema.Struct({ tasks: Schema.Array(Task) }) },
    errors: [...SESSION, "NOT_FOUND"],
  },
  task: {
    method: "GET",
    path: `${API}/tasks/{id}`,
    operationId: "readPhoneTask",
    summary: "One task of the site, also after its end",
    parameters: [],
    body: null,
    answers: { 200: Schema.Struct({ task: Task }) },
    errors: [...SESSION, "NOT_FOUND"],
  },
  calls: {
    method: "GET",
    path: `${API}/calls`,
    operationId: "listPhoneCalls",
    summary:
      "Calls of operations that ring at the site, or rang in the last quarter of an hour, newest first",
    parameters: [],
    body: null,
    answers: { 200: Schema.Struct({ calls: Schema.Array(RunnerCallShown) }) },
    errors: SESSION,
  },
  answer: {
    method: "POST",
    path: `${API}/calls/{id}/answer`,
    operationId: "answerCall",
    summary: "The phone's runner answers a call; the first who does has it",
    parameters: [OWN_PAGE],
    body: null,
    answers: { 200: Schema.Struct({ call: RunnerCallShown }) },
    errors: [...SESSION, "CROSS_SITE_REQUEST", "NOT_FOUND", "INVALID_STATE"],
  },
} as const satisfies Readonly<Record<string, Offer>>

type OfferedMove = Pick<Offer, "summary"> & Partial<Pick<Offer, "body" | "isBodyOptional" | "mediaTypes">>

const MOVES: Readonly<Record<RunnerMove, OfferedMove>> = {
  runner: { summary: "The phone's runner takes a free task" },
  "at-store": { summary: "The runner is at the counter" },
  "order-in-hand": { summary: "The runner has the order in hand" },
  "at-unit": { summary: "The runner is at the bot" },
  load: {
    summary: "The order is loaded: with its photo, or without one",
    mediaTypes: PHOTO_MEDIA_TYPES,
    isBodyOptional: true,
  },
  ready: { summary: "The held order is ready" },
  hold: {
    summary: "The order is not ready; the counter may say when it will be",
    body: HoldRequest,
    isBodyOptional: true,
  },
  payload: {
    summary: "The order was measured; one that does not fit the payload limit ends the task",
    body: MeasureRequest,
  },
  "open-link": { summary: "Call the open link again" },
  exceptions: { summary: "Say what is wrong", body: FlagRequest },
  "give-up": { summary: "Give up at the counter; ends the task" },
  cancel: {
    summary: "Cancel the reservation in the name of the runner",
    body: CancelRequest,
    isBodyOptional: true,
  },
}

const MOVE_ERRORS: readonly ErrorCode[] = [
  ...SESSION,
  "CROSS_SITE_REQUEST",
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "INVALID_STATE",
  "PAYLOAD_TOO_LARGE",
]

const MOVE_OFFERS = RUNNER_MOVES.map((move): Offer => ({
  method: "POST",
  path: `${API}/tasks/{id}/${move}`,
  parameters: MOVE_HEADERS,
  body: null,
  operationId: PHONE_OPERATIONS[move],
  ...MOVES[move],
  answers: { 200: Moved },
  errors: MOVE_ERRORS,
}))

/** What the route that takes every move is sent, and answers. */
export const ANY_MOVE = {
  body: Schema.Union(HoldRequest, MeasureRequest, FlagRequest, CancelRequest),
  answers: { 200: Moved },
  parameters: MOVE_HEADERS,
} as const

/** Of the route that takes every move. */
export const MOVE_PATH = `${API}/tasks/{id}/{move}`

export const STREAM_PATH = `${API}/stream`

const streamPath: Readonly<Record<string, Part>> = {
  [STREAM_PATH]: {
    get: {
      operationId: "followTasks",
      tags: [tagOf(STREAM_PATH)],
      summary: STREAM_SUMMARY,
      parameters: [LAST_EVENT_ID],
      responses: {
        200: { description: "Done.", content: { "text/event-stream": {} } },
        ...failures(
          [
            ...SESSION,
            "CROSS_SITE_REQUEST",
            "NOT_FOUND",
            "RATE_LIMITED",
            "INTERNAL_ERROR",
            "OVERLOADED",
            "UNAVAILABLE",
          ],
          ["X-Request-Id"],
        ),
      },
    },
  },
}

/** The path as Fastify writes it. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1")
}

export function runnerDocument(baseUrl: string, cookie: string): Part {
  const document = cookieDocumentOf({
    title: "Runner's phone API",
    endpoints: [...Object.values(OFFERS), ...MOVE_OFFERS],
    baseUrl,
    cookie,
    open: new Set([OFFERS.pair.operationId]),
    morePaths: streamPath,
    errors: ["INTERNAL_ERROR", "OVERLOADED", "UNAVAILABLE"],
    headers: ["X-Request-Id"],
  }) as { readonly components: { readonly schemas: Readonly<Record<string, Part>> } }
  return { ...document, components: withTask(document.components) }
}

interface Components {
  readonly schemas: Readonly<Record<string, Part>>
}

/** A refused move says how the task stands. */
function withTask(components: Components): Components {
  const error = components.schemas["Error"] ?? {}
  const task = {
    $ref: "#/components/schemas/PhoneTask",
    description: "Comes with `INVALID_STATE` of a move: the task as it is now.",
  }
  const properties = { ...(error["properties"] as Part), task }
  return { ...components, schemas: { ...components.schemas, Error: { ...error, properties } } }
}
