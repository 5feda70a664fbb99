/** The request log in answers, the same for members in the portal and for keys. */

import { Effect, Schema } from "effect"
import { Refused } from "../../model/values/errors.ts"
import { PAGE_SIZE } from "../../model/values/limits.ts"
import { ListCallsRequest } from "../../model/requests/portal.ts"
import { isoMs } from "../../model/values/time.ts"
import { decodeQuery } from "../../http/endpoint.ts"
import type { Answer, Query } from "../../http/endpoint.ts"
import { listParameters } from "../../http/pages.ts"
import { DateTime } from "../../http/records/date-time.ts"
import { CallLog } from "../../http/access/call-log.ts"
import type { CallScope, LoggedCall } from "../../http/access/call-rows.ts"

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

export const callFilters = listParameters(ListCallsRequest.fields, {
  method: "Only this method.",
  path: "Part of the path or its pattern.",
  status: "A status such as `422`, or a class such as `4xx`.",
  key: "A key's id, or the last four characters of its value.",
  q: "Part of the path, the request id or the error code.",
  from: "Not before this instant.",
  to: "Before this instant.",
})

export const CallList = {
  requests: Schema.Array(Call),
  counts: Schema.Struct({ "2xx": Count, "3xx": Count, "4xx": Count, "5xx": Count }).annotations({
    description:
      "Calls of the filter by class of status, whatever its `status`; with `after`, the newer ones alone.",
  }),
  next_cursor: Schema.NullOr(Schema.String),
}

export const OneCall = Schema.Struct({ request: CallWithBodies })

/** What a list says beside the cursor of older calls. */
interface CallPage {
  readonly data: Readonly<Record<keyof typeof CallList, unknown>>
  /** Leads to the calls that come behind these. */
  readonly after: string
}

const NO_CALLS = {
  requests: [],
  counts: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
  next_cursor: null,
}

/** One page; with `after`, of newer calls alone, oldest first. */
export const listCalls = Effect.fnUntraced(function* (
  scope: CallScope,
  query: Query,
  after: string | null = null,
) {
  const sent = yield* decodeQuery(ListCallsRequest, query, callFilters)
  const { limit = PAGE_SIZE, cursor } = sent
  const log = yield* CallLog
  const { cursorOf, placeOf } = log.cursorsOf(scope)
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : yield* placeOf(cursor)
  const behind = after === null ? 0 : yield* placeOf(after, "after")
  // A request that waits asks again and again: without a new call it reads one row.
  if (after !== null && (yield* log.last(scope)) <= behind) return { data: NO_CALLS, after }
  const { calls, counts, newest } = yield* log.list(scope, {
    method: sent.method ?? null,
    path: sent.path ?? null,
    status: sent.status === undefined ? null : Number.parseInt(sent.status, 10),
    key: sent.key ?? null,
    text: sent.q ?? null,
    fromMs: sent.from ?? null,
    toMs: sent.to ?? null,
    behind,
  })
  const fitting = calls.filter(({ number }) => number < before)
  const rest = after === null ? fitting : fitting.toReversed()
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const isWhole = rest.length <= limit
  return {
    data: {
      requests: page.map(callRecord),
      counts: { "2xx": counts["2"], "3xx": counts["3"], "4xx": counts["4"], "5xx": counts["5"] },
      next_cursor: after !== null || last === undefined || isWhole ? null : cursorOf(last.number),
    },
    // Behind calls that do not fit as well, so that no later look reads them again.
    after: cursorOf(after === null || isWhole || last === undefined ? newest : last.number),
  } satisfies CallPage
})

/** The newest call with this request id, with its masked bodies. */
export const readCall = Effect.fnUntraced(function* (scope: CallScope, requestId: string) {
  const call = yield* (yield* CallLog).read(scope, requestId)
  if (call === null) return yield* new Refused({ code: "NOT_FOUND" })
  const bodies = { sent: bodyIn(call.sent), answered: bodyIn(call.answered), is_cut: call.isCut }
  return { status: 200, data: { request: { ...callRecord(call), ...bodies } } } satisfies Answer
})

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
