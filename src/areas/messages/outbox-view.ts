/** The outbox as operations read it: messages, recipients and results. */

import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { MESSAGES_SHOWN } from "../../model/values/limits.ts"
import type { ListMessagesRequest } from "../../model/requests/operations-requests.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { MessageRows } from "./rows.ts"
import type { Message } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface MessagePage {
  readonly messages: readonly Message[]
  readonly nextCursor: string | null
}

export class OutboxView extends service<OutboxView>()("OutboxView", () => ({
  newest,
  sendNow,
  /** The text of the newest mail to an address that waits to be sent; null without one. May contain a code: for demos alone. */
  waitingMail: (address: string) =>
    Routine.gen(function* () {
      const query = { channel: "mail", statuses: ["pending"], text: address, limit: 1 } as const
      const [mail] = yield* (yield* MessageRows).newest(query)
      return mail === undefined || mail.to !== address ? null : mail.text
    }),
})) {}

/**
 * Of the operator's environment, newest first. Messages without an environment belong to the portal and are shown
 * in production.
 */
const newest = Routine.fn(function* (
  { by, environment }: Operator,
  { channel, status, q, from, until, limit = MESSAGES_SHOWN, cursor }: ListMessagesRequest,
) {
  if (by !== "ops") return yield* new Refused({ code: "PERMISSION_DENIED", detail: "needs operations" })
  const { key } = yield* DigestKey
  const { cursorOf, placeOf } = sealedCursors({ key, list: "outbox", owner: environment })
  const found = yield* (yield* MessageRows).newest({
    channel,
    statuses: status,
    text: q?.trim(),
    fromMs: from,
    untilMs: until,
    beforeNumber: cursor === undefined ? undefined : yield* placeOf(cursor),
    limit: limit + 1,
    among: shownIn(environment),
  })
  const messages = found.slice(0, limit)
  const last = messages.at(-1)
  const nextCursor = found.length > limit && last !== undefined ? cursorOf(last.number) : null
  return { messages, nextCursor } satisfies MessagePage
})

/** Tries a message that waits now, with the attempts that it has left. The text of one that has ended is gone. */
const sendNow = Routine.fn(function* ({ environment }: Operator, messageId: string) {
  const rows = yield* MessageRows
  const host = yield* ActorHost
  const dueAtMs = yield* realNowMs
  return yield* host.run({
    name: "send a message now",
    locks: { key: `messages/${messageId}` },
    body: Routine.fn(function* () {
      const message = yield* rows.message(messageId)
      if (message === null || !shownIn(environment).includes(message.environment))
        return yield* new Refused({ code: "NOT_FOUND", detail: "message" })
      if (message.status !== "pending") {
        const why = message.status === "suppressed" ? "is never sent" : "its text is deleted"
        const detail = `it is ${message.status}: ${why}`
        return yield* new Refused({ code: "INVALID_STATE", detail })
      }
      yield* rows.hasten(messageId, dueAtMs)
      return { ...message, dueAtMs: Math.min(message.dueAtMs, dueAtMs) }
    }),
  })
})

function shownIn(environment: Environment): readonly Message["environment"][] {
  return environment === "production" ? [null, environment] : [environment]
}
