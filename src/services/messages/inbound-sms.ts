/** Inbound SMS: what customers reply, from the provider's webhook. Nothing of a reply is kept but its effect. */

import { Context, Effect, Layer } from "effect"
import { ActorHost, Transaction } from "../host.ts"
import { SmsConsent, keywordIn } from "./consent.ts"
import type { ConsentScope, Keyword } from "./consent.ts"
import { writeSms } from "./outbox.ts"
import { MessageRows } from "./rows.ts"

/** A reply to a notice. */
export interface InboundReply extends ConsentScope {
  /** The provider's id of it; null where somebody plays the customer. */
  readonly inboundId: string | null
  readonly from: string
  readonly text: string
}

/** A request that claims to come from the provider. */
export interface ClaimedRequest {
  /** As the provider was told it, with whatever query was sent. */
  readonly url: string
  readonly parameters: readonly (readonly [string, string])[]
  readonly signature: string
}

/** Tells the provider's requests from others', in constant time. */
export class InboundSignature extends Context.Tag("InboundSignature")<
  InboundSignature,
  { readonly isGenuine: (request: ClaimedRequest) => boolean }
>() {}

export class InboundSms extends Context.Tag("InboundSms")<
  InboundSms,
  {
    /** Takes a reply and answers its keyword. The same one again has no effect. */
    readonly receive: (reply: InboundReply) => Effect.Effect<Keyword | null>
  }
>() {}

export interface InboundSmsOptions {
  /**
   * Whether keywords in production are answered from here. Off where the provider does so itself: the customer would have two
   * answers. The sandbox always writes its answers down; they leave for nobody.
   */
  readonly answersKeywords: boolean
}

type Needs = ActorHost | MessageRows | SmsConsent

export function layerInboundSms(options: InboundSmsOptions): Layer.Layer<InboundSms, never, Needs> {
  return Layer.effect(
    InboundSms,
    Effect.map(Effect.context<Needs>(), (context): InboundSms["Type"] => ({
      receive: (reply) => Effect.provide(receive(reply, options), context),
    })),
  )
}

/** One transaction: a reply counts with all that it does, or not at all. */
const receive = Effect.fnUntraced(function* (reply: InboundReply, { answersKeywords }: InboundSmsOptions) {
  const { environment, organizationId, inboundId, from, text } = reply
  const host = yield* ActorHost
  const rows = yield* MessageRows
  const consent = yield* SmsConsent
  const keyword = keywordIn(text)
  const nonce = yield* host.nonce
  return yield* host.transact(
    { key: consent.lockOf(from) },
    Effect.gen(function* () {
      const { nowMs } = yield* Transaction
      const isNew = inboundId === null || (yield* rows.noteInbound(inboundId, nowMs))
      if (keyword === null) return null
      // A captured START that is sent again must not undo a later STOP; a STOP counts every time.
      if (keyword === "stop" || (keyword === "start" && isNew)) yield* consent.note(reply, from, keyword)
      if (isNew && (answersKeywords || environment === "sandbox")) {
        const purpose = "keyword-answer"
        yield* writeSms({ purpose, environment, organizationId, to: from, text: ANSWERS[keyword] }, nonce)
      }
      return keyword
    }),
  )
})

/** What carriers ask an answer to say: who speaks, what happens now, and how to turn it round. */
const ANSWERS: Readonly<Record<Keyword, string>> = {
  stop: "Curbline: you are unsubscribed and get no more texts from us. Reply START to get them again.",
  start: "Curbline: you get texts about your deliveries again. Reply STOP to end them, HELP for help.",
  help: "Curbline brings orders by autonomous vehicle and texts you when yours moves. For help with an order, ask the store. Reply STOP to end texts. Message and data rates may apply.",
}
