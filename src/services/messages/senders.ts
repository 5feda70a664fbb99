/** The ways out for messages. A channel without a sender keeps its messages readable in the outbox. */

import { Context, Effect } from "effect"
import { SmsConsent } from "./consent.ts"
import type { Message } from "./rows.ts"

/** `refused` is for good; `unavailable` asks to try again. Reasons are words such as `smtp_550`: they hold no personal data. */
export type SendResult =
  | { readonly type: "sent" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "unavailable"; readonly reason: string }
  | { readonly type: "suppressed"; readonly reason: string }

/** Sends one message; gives up by itself after a while. Again with the same id when an earlier attempt may have been lost. */
export type Sender = (message: Message) => Effect.Effect<SendResult>

export class Senders extends Context.Tag("Senders")<
  Senders,
  { readonly mail: Sender | null; readonly sms: Sender | null }
>() {}

/** A sender of SMS that asks, at the moment of sending, whether the number still wants any. */
export const consenting = Effect.fnUntraced(function* (send: Sender) {
  const consent = yield* SmsConsent
  return Effect.fnUntraced(function* (message: Message) {
    const { environment, organizationId, purpose, to } = message
    if (environment === null) return { type: "refused", reason: "no_scope" } satisfies SendResult
    // STOP and HELP must be answered, also after a STOP.
    const isAskedFor = purpose === "keyword-answer"
    if (!isAskedFor && (yield* consent.hasStopped({ environment, organizationId }, to))) {
      return { type: "suppressed", reason: "opted_out" } satisfies SendResult
    }
    return yield* send(message)
  }) satisfies Sender
})
