/** `/portal/api/requests`: the request log of the organization's API keys. */

import { Schema } from "effect"
import { CallList, OneCall, callFilters, listCalls, readCall } from "../../request-log/logged-calls.ts"
import { ENVIRONMENT_PARAMETER, READS, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/requests",
  operationId: "listRequests",
  summary: "The last 1,000 calls with keys in one environment, of the last 7 days, newest first",
  parameters: [ENVIRONMENT_PARAMETER, ...callFilters],
  answers: { 200: Schema.Struct(CallList) },
  *handle(ask) {
    const { data } = yield* listCalls(yield* partnerIn(ask), ask.query)
    return data
  },
})

const read = memberEndpoint({
  ...READS,
  path: "/portal/api/requests/{id}",
  operationId: "readRequest",
  summary: "The newest call with this request id, with its masked bodies",
  answers: { 200: OneCall },
  *handle(ask) {
    return yield* readCall(yield* partnerIn(ask), ask.id)
  },
})

export const requests = [list, read]
