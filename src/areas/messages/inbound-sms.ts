/** Inbound SMS: customers' replies from the provider's webhook. Only the effect of a reply is stored. */

import { Context, Effect, Layer } from "effect"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { SmsConsent, keywordIn } from "./consent.ts"
import type { ConsentScope, Keyword } from "./consent.ts"
import { writeSms } from "./outbox.ts"
import { MessageRows } from "./rows.ts"

/** A reply to a notice. */
export interface InboundReply extends ConsentScope {
  /** The provider's id; null for a simulated customer. */
  readonly inboundId: string | null
  readonly from: string
  readonly text: string
}

/** A request that claims to come from the provider. */
export interface ClaimedRequest {
  /** The URL configured at the provider, with the query as sent. */
  readonly url: string
  readonly parameters: readonly (readonly [string, string])[]
  readonly signature: string
}

/** Verifies the provider's signature, in constant time. */
export class InboundSignature extends Context.Tag("InboundSignature")<
  InboundSignature,
  { readonly isGenuine: (request: ClaimedRequest) => boolean }
>() {}

export class InboundSms extends Context.Tag("InboundSms")<
  InboundSms,
  {
    /** Processes a reply and returns its keyword. A repeat has no effect. */
    readonly receive: (reply: InboundReply) => Routine<Keyword | null>
  }
>() {}

export interface InboundSmsOptions {
  /**
   * True when this service answers keywords in production. False when the provider does, because the customer would get
   * two answers. Answers in the sandbox are only recorded.
   */
  readonly answersKeywords: boolean
}

type Needs = ActorHost | MessageRows | SmsConsent

export function layerInboundSms(options: InboundSmsOptions): Layer.Layer<InboundSms, never, Needs> {
  return Layer.effect(
    InboundSms,
    Effect.map(Effect.context<Needs>(), (context): InboundSms["Type"] => ({
      receive: (reply) => provided(receive(reply, options), context),
    })),
  )
}

/** One transaction: a reply has all its effects, or none. */
const receive = Routine.fn(function* (reply: InboundReply, { answersKeywords }: InboundSmsOptions) {
  const { environment, organizationId, inboundId, from, text } = reply
  const host = yield* ActorHost
  const rows = yield* MessageRows
  const consent = yield* SmsConsent
  const keyword = keywordIn(text)
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "receive an SMS",
    locks: { key: consent.lockOf(from) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const isNew = inboundId === null || (yield* rows.noteInbound(inboundId, nowMs))
      if (keyword === null) return null
      // A replayed START must not undo a later STOP; a STOP counts every time.
      if (keyword === "stop" || (keyword === "start" && isNew)) yield* consent.note(reply, from, keyword)
      if (isNew && (answersKeywords || environment === "sandbox")) {
        const purpose = "keyword-answer"
        yield* writeSms({ purpose, environment, organizationId, to: from, text: ANSWERS[keyword] }, nonce)
      }
      return keyword
    }),
  })
})

/** Carriers require that an answer says who sends it, what happens now, and how to undo it. */
const ANSWERS: Readonly<Record<Keyword, string>> = {
  stop: "Curbline: you are unsubscribed and get no more texts from us. Reply START to get them again.",
  start: "Curbline: you get texts about your deliveries again. Reply STOP to end them, HELP for help.",
  help: "Curbline brings orders by autonomous vehicle and texts you when yours moves. For help with an order, ask the store. Reply STOP to end texts. Message and data rates may apply.",
}
