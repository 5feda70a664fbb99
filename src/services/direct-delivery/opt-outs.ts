/**
 * Opt-outs: customers who answered a text message with STOP. Kept as keyed hashes without limit: a number that cannot be
 * read can still be recognised. Source: direct delivery contract, sandbox triggers; scope and words are ours.
 */

import { createHmac } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { InboundSms } from "../../model/delivery-requests.ts"
import { ActorHost } from "../host.ts"
import { DigestKey } from "../reservations/reservations.ts"
import { OptOutRows } from "./rows.ts"
import type { OptOutScope } from "./rows.ts"

const STOP_WORDS: ReadonlySet<string> = new Set(["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"])
const START_WORDS: ReadonlySet<string> = new Set(["START", "UNSTOP", "YES"])
const HELP_WORDS: ReadonlySet<string> = new Set(["HELP", "INFO"])

/** What a message was taken for. */
export type SmsMeaning = "start" | "stop" | "help" | "other"

/** Who sent it to whom: a sandbox organization has numbers of its own, production has one service. */
export interface SmsArrival {
  readonly environment: Environment
  readonly organizationId: string | null
  readonly message: InboundSms
}

export class OptOuts extends Context.Tag("OptOuts")<
  OptOuts,
  {
    readonly receive: (arrival: SmsArrival) => Effect.Effect<SmsMeaning>
    readonly isOptedOut: (phone: string, scope: Omit<SmsArrival, "message">) => Effect.Effect<boolean>
  }
>() {}

export const layerOptOuts: Layer.Layer<OptOuts, never, ActorHost | DigestKey | OptOutRows> = Layer.effect(
  OptOuts,
  Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* OptOutRows
    const { key } = yield* DigestKey
    const digestOf = (phone: string): string =>
      createHmac("sha256", key).update(`opt-out ${phone}`).digest("hex")
    return {
      isOptedOut: (phone, scope) => rows.has(scopeOf(scope), digestOf(phone)),
      receive: ({ message, ...arrival }) => {
        const meaning = meaningOf(message.text)
        const scope = scopeOf(arrival)
        const digest = digestOf(message.from)
        const change =
          meaning === "stop"
            ? rows.put(scope, digest)
            : meaning === "start"
              ? rows.remove(scope, digest)
              : null
        const done = change === null ? Effect.void : host.transact({ key: `opt-out/${digest}` }, change)
        return Effect.as(done, meaning)
      },
    }
  }),
)

/** The whole message is the word, whatever its case and the space around it. */
function meaningOf(text: string): SmsMeaning {
  const word = text.trim().toUpperCase()
  if (STOP_WORDS.has(word)) return "stop"
  if (START_WORDS.has(word)) return "start"
  return HELP_WORDS.has(word) ? "help" : "other"
}

function scopeOf({ environment, organizationId }: Omit<SmsArrival, "message">): OptOutScope {
  return { environment, organizationId: environment === "production" ? null : organizationId }
}
