/**
 * SMS through Twilio Messaging, and the signature of its reports. Source: Twilio, Messages resource; Webhooks security.
 */

import { createHmac } from "node:crypto"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Option, Schema } from "effect"
import { MESSAGE_TIMEOUT_MS } from "../../model/values/limits.ts"
import { isSameBytes } from "#digest"
import type { ClaimedRequest } from "../../areas/messages/inbound-sms.ts"
import type { Message } from "../../areas/messages/rows.ts"
import type { SendResult, Sender } from "../../areas/messages/senders.ts"
import { asking } from "./api-client.ts"
import type { ApiAnswer } from "./api-client.ts"

export interface TwilioOptions {
  readonly accountSid: string
  /** Also the key of inbound signatures. */
  readonly authToken: string
  /** A number in E.164, or the SID of a Messaging Service (`MG…`). */
  readonly from: string
  /** Base URL of the API; tests use a stand-in on the loopback. */
  readonly apiUrl?: string
}

const API_URL = "https://api.twilio.com"

/** Twilio has no idempotency keys: an attempt whose answer was lost may be sent twice. */
export function twilioSender(options: TwilioOptions): Effect.Effect<Sender, never, HttpClient.HttpClient> {
  const { accountSid, authToken, from, apiUrl = API_URL } = options
  const url = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
  const sender = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from }
  const posting = HttpClientRequest.post(url).pipe(
    HttpClientRequest.basicAuth(accountSid, authToken),
    HttpClientRequest.acceptJson,
  )
  return Effect.map(HttpClient.HttpClient, (client) => ({ to, text }: Message) => {
    const request = HttpClientRequest.bodyUrlParams(posting, { To: to, ...sender, Body: text })
    const read = (answer: ApiAnswer) => Effect.map(answer.text, (body) => resultOf(answer.status, body))
    return Effect.catchAll(asking(client, request, { timeoutMs: MESSAGE_TIMEOUT_MS, read }), ({ reason }) =>
      Effect.succeed<SendResult>({ type: "unavailable", reason: `twilio_${reason}` }),
    )
  })
}

/** The recipient has opted out at Twilio. Source: Twilio, error 21610. */
const UNSUBSCRIBED = 21610

/** Too many requests and Twilio's failures may be temporary; so are wrong credentials, which operators can fix. */
function resultOf(status: number, body: string): SendResult {
  if (status >= 200 && status < 300) return { type: "sent" }
  const code = codeIn(body)
  if (code === UNSUBSCRIBED) return { type: "suppressed", reason: "opted_out" }
  const reason = `twilio_${code ?? status}`
  const mayPass = status === 401 || status === 403 || status === 408 || status === 429 || status >= 500
  return { type: mayPass ? "unavailable" : "refused", reason }
}

const decodeProblem = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ code: Schema.Int })))

function codeIn(body: string): number | null {
  return Option.getOrNull(decodeProblem(body))?.code ?? null
}

/** HMAC-SHA1 under the auth token over the URL and the parameters, sorted by name; compared in constant time. */
export function twilioSignature({ authToken }: Pick<TwilioOptions, "authToken">) {
  return {
    isGenuine: ({ url, parameters, signature }: ClaimedRequest): boolean => {
      const sorted = parameters.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
      const text = sorted.reduce((all, [name, value]) => all + name + value, url)
      const wanted = createHmac("sha1", authToken).update(text, "utf8").digest()
      return isSameBytes(Buffer.from(signature, "base64"), wanted)
    },
  }
}
