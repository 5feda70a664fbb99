/** Senders of messages. A channel without a sender keeps its messages in the outbox, where they can be read. */

import { Context, Effect } from "effect"
import { SmsConsent } from "./consent.ts"
import type { Message } from "./rows.ts"

/**
 * `refused` is permanent; `unavailable` may be retried. Reasons are words such as `smtp_550`, without personal data.
 */
export type SendResult =
  | { readonly type: "sent" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "unavailable"; readonly reason: string }
  | { readonly type: "suppressed"; readonly reason: string }

/** Sends one message, with a time limit. A retry after an ambiguous attempt has the same id. */
export type Sender = (message: Message) => Effect.Effect<SendResult>

export class Senders extends Context.Tag("Senders")<
  Senders,
  { readonly mail: Sender | null; readonly sms: Sender | null }
>() {}

/** An SMS sender that checks, at the moment of sending, whether the number has opted out. */
export const consenting = Effect.fnUntraced(function* (send: Sender) {
  const consent = yield* SmsConsent
  return Effect.fnUntraced(function* (message: Message) {
    const { environment, organizationId, purpose, to } = message
    if (environment === null) return { type: "refused", reason: "no_scope" } satisfies SendResult
    // Answers to STOP and HELP are required, even after a STOP.
    const isAnswer = purpose === "keyword-answer"
    if (!isAnswer && (yield* consent.hasStopped({ environment, organizationId }, to))) {
      return { type: "suppressed", reason: "opted_out" } satisfies SendResult
    }
    return yield* send(message)
  }) satisfies Sender
})
