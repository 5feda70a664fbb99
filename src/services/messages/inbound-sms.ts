/** Inbound SMS: what customers reply, from the provider's webhook. Nothing of a reply is kept but its effect. */

import { Clock, Context, Effect, Layer } from "effect"
import { ActorHost } from "../host.ts"
import { SmsConsent, keywordIn } from "./consent.ts"
import type { Keyword } from "./consent.ts"
import { MessageRows } from "./rows.ts"

/** A reply as the provider reports it. */
export interface InboundReply {
  /** The provider's id of it. */
  readonly inboundId: string
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
    /** Takes a reply to a production notice. The same one again has no effect. */
    readonly take: (reply: InboundReply) => Effect.Effect<Keyword | null>
  }
>() {}

type Needs = ActorHost | MessageRows | SmsConsent

export const layerInboundSms: Layer.Layer<InboundSms, never, Needs> = Layer.effect(
  InboundSms,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return { take: (reply) => Effect.provide(take(reply), context) }
  }),
)

/** The id is noted first: a captured START that is sent again must not undo a later STOP. */
const take = Effect.fnUntraced(function* ({ inboundId, from, text }: InboundReply) {
  const host = yield* ActorHost
  const rows = yield* MessageRows
  const consent = yield* SmsConsent
  const keyword = keywordIn(text)
  const nowMs = yield* Clock.currentTimeMillis
  const isNew = yield* host.transact({}, rows.noteInbound(inboundId, nowMs))
  // A stop is carried out however often it comes: a crash after the note must not lose it.
  const everyone = { environment: "production", organizationId: null } as const
  if (keyword === "stop") yield* consent.stop(everyone, from)
  if (keyword === "start" && isNew) yield* consent.resume(everyone, from)
  return keyword
})
