/** `/portal/api/requests`: the request log of the organization's API keys. */

import { Effect, Schema } from "effect"
import { Refused } from "../../model/errors.ts"
import { PAGE_SIZE } from "../../model/limits.ts"
import { ListCallsRequest } from "../../model/portal.ts"
import { decodeRequest } from "../../model/schema.ts"
import { isoMs } from "../../model/time.ts"
import { CallLog } from "../../areas/access/call-log.ts"
import type { LoggedCall } from "../../areas/access/call-rows.ts"
import { filtersIn } from "../../http/endpoint.ts"
import type { Parameter } from "../../http/endpoint.ts"
import { DateTime } from "../../http/date-time.ts"
import { wrongCursor } from "../../services/wrong-cursor.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const CALL = {
  request_id: Schema.String,
  at: DateTime,
  method: Schema.String,
  path: Schema.String.annotations({ description: "As sent, without the query." }),
  route: Schema.String.annotations({ description: "The pattern of the path." }),
  status: Schema.Int,
  code: Schema.NullOr(Schema.String).annotations({ description: "The error code, or null." }),
  duration_ms: Schema.Int,
  key: Schema.Struct({ key_id: Schema.String, last_four: Schema.String }),
}

const JSON_TYPES = ["array", "boolean", "null", "number", "object", "string"]

/** Any JSON. */
function bodyNamed(description: string): Schema.Schema<unknown> {
  return Schema.Unknown.annotations({ jsonSchema: { type: JSON_TYPES, description } })
}

const Call = Schema.Struct(CALL).annotations({ identifier: "LoggedCall" })

const CallWithBodies = Schema.Struct({
  ...CALL,
  sent: bodyNamed("The masked body of the request; null without one."),
  answered: bodyNamed("The masked body of the answer; null without one."),
  is_cut: Schema.Boolean.annotations({ description: "True when parts of the bodies are left out." }),
}).annotations({
  identifier: "LoggedCallWithBodies",
  description: "Values of fields that may hold personal data, free text, URLs or secrets are `•••`.",
})

const Count = Schema.Int.pipe(Schema.nonNegative())

const { fields } = ListCallsRequest

const filters: readonly Parameter[] = [
  { in: "query", name: "method", description: "Only this method.", schema: fields.method.from },
  { in: "query", name: "path", description: "Part of the path or its pattern.", schema: fields.path.from },
  {
    in: "query",
    name: "status",
    description: "A status such as `422`, or a class such as `4xx`.",
    schema: fields.status.from,
  },
  {
    in: "query",
    name: "key",
    description: "A key's id, or the last four characters of its value.",
    schema: fields.key.from,
  },
  {
    in: "query",
    name: "q",
    description: "Part of the path, the request id or the error code.",
    schema: fields.q.from,
  },
  { in: "query", name: "from", description: "Not before this instant.", schema: fields.from.from },
  { in: "query", name: "to", description: "Before this instant.", schema: fields.to.from },
  { in: "query", name: "limit", description: "Rows of a page; 50 if absent.", schema: fields.limit.from },
  { in: "query", name: "cursor", description: "The last page's `next_cursor`.", schema: fields.cursor.from },
]

const list: MemberEndpoint<CallLog> = {
  method: "GET",
  path: "/portal/api/requests",
  operationId: "listRequests",
  summary: "The last 1,000 calls with keys in one environment, of the last 7 days, newest first",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER, ...filters],
  body: null,
  answers: {
    200: Schema.Struct({
      requests: Schema.Array(Call),
      counts: Schema.Struct({ "2xx": Count, "3xx": Count, "4xx": Count, "5xx": Count }).annotations({
        description: "Calls of the filter by class of status, whatever its `status`.",
      }),
      next_cursor: Schema.NullOr(Schema.String),
    }),
  },
  errors: ["VALIDATION_ERROR"],
  handle: (ask) =>
    Effect.gen(function* () {
      const scope = yield* partnerIn(ask)
      const sent = yield* decodeRequest(ListCallsRequest, yield* filtersIn(ask.query, filters))
      const { limit = PAGE_SIZE, cursor } = sent
      const before = cursor === undefined ? Number.POSITIVE_INFINITY : yield* numberOf(cursor)
      const { calls, counts } = yield* (yield* CallLog).list(scope, {
        method: sent.method ?? null,
        path: sent.path ?? null,
        status: sent.status === undefined ? null : Number.parseInt(sent.status, 10),
        key: sent.key ?? null,
        text: sent.q ?? null,
        fromMs: sent.from ?? null,
        toMs: sent.to ?? null,
      })
      const rest = calls.filter(({ number }) => number < before)
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      return {
        status: 200,
        data: {
          requests: page.map(callRecord),
          counts: { "2xx": counts["2"], "3xx": counts["3"], "4xx": counts["4"], "5xx": counts["5"] },
          next_cursor: last === undefined || rest.length <= limit ? null : cursorOf(last.number),
        },
      }
    }),
}

const read: MemberEndpoint<CallLog> = {
  method: "GET",
  path: "/portal/api/requests/{id}",
  operationId: "readRequest",
  summary: "The newest call with this request id, with its masked bodies",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  answers: { 200: Schema.Struct({ request: CallWithBodies }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: (ask) =>
    Effect.gen(function* () {
      const scope = yield* partnerIn(ask)
      const call = yield* (yield* CallLog).read(scope, ask.id)
      if (call === null) return yield* new Refused({ code: "NOT_FOUND" })
      const bodies = { sent: bodyIn(call.sent), answered: bodyIn(call.answered), is_cut: call.isCut }
      return { status: 200, data: { request: { ...callRecord(call), ...bodies } } }
    }),
}

function callRecord(call: LoggedCall): object {
  return {
    request_id: call.requestId,
    at: isoMs(call.atMs),
    method: call.method,
    path: call.path,
    route: call.route,
    status: call.status,
    code: call.code,
    duration_ms: call.ms,
    key: { key_id: call.keyId, last_four: call.lastFour },
  }
}

function bodyIn(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function cursorOf(number: number): string {
  return Buffer.from(`c${number}`).toString("base64url")
}

/** Refuses texts that no page returned. */
function numberOf(cursor: string): Effect.Effect<number, Refused> {
  const number = Number(/^c(\d+)$/.exec(Buffer.from(cursor, "base64url").toString())?.[1] ?? Number.NaN)
  return Number.isSafeInteger(number) && cursorOf(number) === cursor ? Effect.succeed(number) : wrongCursor
}

export const requests = [list, read]
