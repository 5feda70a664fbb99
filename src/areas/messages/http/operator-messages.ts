/** `/internal/v1/messages`: the outbox of mail and SMS. */

import { Schema } from "effect"
import { ListMessagesRequest, MessageRecord } from "../../../model/requests/operations-requests.ts"
import { OutboxView } from "../outbox-view.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { ANY_OF, listParameters, pageSchema } from "../../../http/pages.ts"

const messageOf = Schema.encodeSync(MessageRecord)

const { channel, ...fields } = ListMessagesRequest.fields

const filters: readonly Parameter[] = [
  { in: "query", name: "channel", description: "Mail or SMS.", schema: channel, isRequired: true },
  ...listParameters(fields, {
    status: ANY_OF,
    q: "A whole recipient, or a whole id of the message or of the delivery that it is about.",
    from: "Written at or after this instant.",
    until: "Written before this instant.",
    limit: "How many; 20 if absent.",
  }),
]

const listMessages = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/messages",
  operationId: "listMessages",
  summary: "The newest messages of a channel; one that is waiting, or is never to be sent, with its text",
  parameters: filters,
  answers: { 200: pageSchema("messages", MessageRecord) },
  *handle({ caller, query }) {
    const request = yield* decodeQuery(ListMessagesRequest, query, filters)
    const { messages: found, nextCursor } = yield* (yield* OutboxView).newest(caller, request)
    const messages = found.map((message) => messageOf(message))
    return { messages, next_cursor: nextCursor }
  },
})

const sendNow = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/messages/{id}/send",
  operationId: "sendMessageNow",
  summary: "Try a message that waits now; one that has ended has no text any more and is not sent again",
  answers: { 200: Schema.Struct({ message: MessageRecord }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }) {
    const message = yield* (yield* OutboxView).sendNow(caller, id)
    return { message: messageOf(message) }
  },
})

export const messages = [listMessages, sendNow]
