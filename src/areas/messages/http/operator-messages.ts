/** `GET /internal/v1/messages`: the outbox of mail and SMS. */

import { Effect, Schema } from "effect"
import { ListMessagesRequest, MessageRecord } from "../../../model/operations-requests.ts"
import { decodeRequest } from "../../../model/schema.ts"
import { OutboxView } from "../outbox-view.ts"
import { filtersIn } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"

const messageOf = Schema.encodeSync(MessageRecord)

const filters: readonly Parameter[] = [
  {
    in: "query",
    name: "channel",
    description: "Mail or SMS.",
    schema: ListMessagesRequest.fields.channel,
    isRequired: true,
  },
  {
    in: "query",
    name: "limit",
    description: "How many; 20 if absent.",
    schema: ListMessagesRequest.fields.limit.from,
  },
]

const listMessages: OperatorEndpoint<OutboxView> = {
  method: "GET",
  path: "/internal/v1/messages",
  operationId: "listMessages",
  summary: "The newest messages of a channel; one that is waiting, or is never to be sent, with its text",
  parameters: filters,
  body: null,
  answers: { 200: Schema.Struct({ messages: Schema.Array(MessageRecord) }) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const request = yield* decodeRequest(ListMessagesRequest, yield* filtersIn(query, filters))
      const outbox = yield* OutboxView
      const found = yield* outbox.newest(caller, request)
      return { status: 200, data: { messages: found.map((message) => messageOf(message)) } }
    }),
}

export const messages = [listMessages]
