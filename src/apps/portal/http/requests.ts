/** `/portal/api/requests`: the request log of the organization's API keys. */

import { Effect, Schema } from "effect"
import type { CallLog } from "../../../http/access/call-log.ts"
import { CallList, OneCall, callFilters, listCalls, readCall } from "../../request-log/logged-calls.ts"
import { ENVIRONMENT_PARAMETER, READS, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const list: MemberEndpoint<CallLog> = {
  method: "GET",
  path: "/portal/api/requests",
  operationId: "listRequests",
  summary: "The last 1,000 calls with keys in one environment, of the last 7 days, newest first",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER, ...callFilters],
  body: null,
  answers: { 200: Schema.Struct(CallList) },
  errors: ["VALIDATION_ERROR"],
  handle: (ask) =>
    Effect.gen(function* () {
      const { data } = yield* listCalls(yield* partnerIn(ask), ask.query)
      return { status: 200, data }
    }),
}

const read: MemberEndpoint<CallLog> = {
  ...READS,
  path: "/portal/api/requests/{id}",
  operationId: "readRequest",
  summary: "The newest call with this request id, with its masked bodies",
  answers: { 200: OneCall },
  handle: (ask) => Effect.flatMap(partnerIn(ask), (scope) => readCall(scope, ask.id)),
}

export const requests = [list, read]
