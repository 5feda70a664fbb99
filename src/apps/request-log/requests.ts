/** `/logs/v1/requests`: the request log of the organization in the host's environment, for its keys. */

import { Effect, Schema } from "effect"
import { FollowCallsRequest } from "../../model/requests/follow.ts"
import { FOLLOW_SECONDS_MAX } from "../../model/values/limits.ts"
import { decodeQuery } from "../../http/endpoint.ts"
import type { Endpoint, Parameter } from "../../http/endpoint.ts"
import { invalid } from "../../http/errors.ts"
import type { CallLog } from "../../http/access/call-log.ts"
import { CallList, OneCall, callFilters, listCalls, readCall } from "./logged-calls.ts"

const { fields } = FollowCallsRequest

const following: readonly Parameter[] = [
  {
    in: "query",
    name: "after",
    description: "An answer's `after`: only newer calls, oldest first. Not with `cursor`.",
    schema: fields.after.from,
  },
  {
    in: "query",
    name: "wait",
    description: `With \`after\`: if there is no newer call yet, wait up to so many seconds for one: 0 to ${FOLLOW_SECONDS_MAX}.`,
    schema: fields.wait.from,
  },
]

const list: Endpoint<CallLog> = {
  method: "GET",
  path: "/logs/v1/requests",
  operationId: "listRequests",
  summary:
    "The last 1,000 calls with the organization's keys on this host, of the last 7 days, newest first; reading the log and following " +
    "events are not in it",
  permissions: ["requests:read"],
  budget: "requests",
  parameters: [...callFilters, ...following],
  body: null,
  answers: {
    200: Schema.Struct({
      ...CallList,
      after: Schema.String.annotations({ description: "For `after` of a later request." }),
    }),
  },
  errors: ["VALIDATION_ERROR"],
  isUnlogged: true,
  // Calls that do not fit the filter are behind the answer's `after`, so the next look reads none of them again.
  waitsWith: ({ data }, query) =>
    query["after"] !== undefined &&
    "requests" in data &&
    Array.isArray(data.requests) &&
    data.requests.length === 0 &&
    "after" in data
      ? { ...query, after: String(data.after) }
      : null,
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const { after = null } = yield* decodeQuery(FollowCallsRequest, query, following)
      if (after !== null && query["cursor"] !== undefined)
        return yield* invalid("after", "leads to newer calls, and `cursor` to older ones; send one of them")
      const page = yield* listCalls(caller, query, after)
      return { status: 200, data: { ...page.data, after: page.after } }
    }),
}

const read: Endpoint<CallLog> = {
  method: "GET",
  path: "/logs/v1/requests/{id}",
  operationId: "readRequest",
  summary: "The newest call with this request id, with its masked bodies",
  permissions: ["requests:read"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: OneCall },
  errors: ["NOT_FOUND"],
  isUnlogged: true,
  handle: ({ caller, id }) => readCall(caller, id),
}

export const requests = [list, read]
