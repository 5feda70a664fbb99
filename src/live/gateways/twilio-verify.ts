/**
 * Verification codes through Twilio Verify, and whether a number can be texted through Twilio Lookup.
 * Source: Twilio, Verify v2 (Verifications, VerificationCheck), Lookup v2 (line type intelligence), error codes.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Layer, Option, Schema } from "effect"
import { VERIFICATION_TIMEOUT_MS } from "../../model/values/limits.ts"
import { asking, jsonOf } from "./api-client.ts"
import type { ApiAnswer, NoAnswer } from "./api-client.ts"
import { SmsVerification, VerificationDown } from "../../areas/linking/sms-verification.ts"
import type { CheckOutcome, SendOutcome } from "../../areas/linking/sms-verification.ts"

export interface TwilioVerifyOptions {
  readonly accountSid: string
  readonly authToken: string
  /** `VA…`: its codes have six digits and are valid for ten minutes, Twilio's defaults. */
  readonly serviceSid: string
  /** Base URLs of the two APIs; tests use a stand-in on the loopback. */
  readonly verifyUrl?: string
  readonly lookupUrl?: string
}

export function layerTwilioVerify(
  options: TwilioVerifyOptions,
): Layer.Layer<SmsVerification, never, HttpClient.HttpClient> {
  const { verifyUrl = "https://verify.twilio.com", lookupUrl = "https://lookups.twilio.com" } = options
  const service = `${verifyUrl}/v2/Services/${encodeURIComponent(options.serviceSid)}`
  return Layer.effect(
    SmsVerification,
    Effect.map(askerOf(options), (ask) => ({
      canText: (phone) =>
        Effect.flatMap(
          ask(`${lookupUrl}/v2/PhoneNumbers/${encodeURIComponent(phone)}?Fields=line_type_intelligence`),
          lineOf,
        ),
      send: (phone) =>
        Effect.flatMap(ask(`${service}/Verifications`, { To: phone, Channel: "sms" }), sendOutcomeOf),
      check: (phone, code) =>
        Effect.flatMap(ask(`${service}/VerificationCheck`, { To: phone, Code: code }), checkOutcomeOf),
    })),
  )
}

/** The fields of these APIs that are read. */
const Body = Schema.Struct({
  code: Schema.optional(Schema.Unknown),
  status: Schema.optional(Schema.Unknown),
  valid: Schema.optional(Schema.Unknown),
  line_type_intelligence: Schema.optional(Schema.Unknown),
})

interface Answer {
  readonly status: number
  readonly body: typeof Body.Type
}

function askerOf({ accountSid, authToken }: TwilioVerifyOptions) {
  return Effect.map(HttpClient.HttpClient, (client) => {
    return (
      url: string,
      form?: Readonly<Record<string, string>>,
    ): Effect.Effect<Answer, VerificationDown> => {
      const request = HttpClientRequest.make(form === undefined ? "GET" : "POST")(url).pipe(
        HttpClientRequest.basicAuth(accountSid, authToken),
        HttpClientRequest.acceptJson,
        form === undefined ? (one) => one : HttpClientRequest.bodyUrlParams(form),
      )
      return Effect.mapError(
        asking(client, request, { timeoutMs: VERIFICATION_TIMEOUT_MS, read: answerIn }),
        ({ reason }) => new VerificationDown({ reason: `twilio_${reason}` }),
      )
    }
  })
}

const decodeBody = Schema.decodeUnknownOption(Body)

/** JSON that is not an object is treated as an empty object. */
function answerIn(answer: ApiAnswer): Effect.Effect<Answer, NoAnswer> {
  return Effect.map(jsonOf(answer), (found) => ({
    status: answer.status,
    body: Option.getOrElse(decodeBody(found), () => ({})),
  }))
}

/** Only types that are known not to receive texts are refused: a line of unknown type may be mobile. */
const UNTEXTABLE: ReadonlySet<unknown> = new Set(["landline", "pager", "voicemail"])

function lineOf(answer: Answer): Effect.Effect<boolean, VerificationDown> {
  const { status, body } = answer
  if (status === 404) return Effect.succeed(false)
  if (status !== 200) return down(answer)
  const line = body.line_type_intelligence as { readonly type?: unknown } | null | undefined
  return Effect.succeed(body.valid === true && !UNTEXTABLE.has(line?.type))
}

/** Invalid parameter, landline, blocked prefix or country, not a mobile number, unsubscribed, and similar. */
const REFUSED: ReadonlySet<unknown> = new Set([
  21211, 21408, 21610, 21612, 21614, 60200, 60205, 60220, 60410, 60605,
])

/** Five codes were sent within ten minutes. */
const SENDS_REACHED = 60203

function sendOutcomeOf(answer: Answer): Effect.Effect<SendOutcome, VerificationDown> {
  const { status, body } = answer
  if (status === 201 && body.status === "pending") return Effect.succeed("sent")
  if (body.code === SENDS_REACHED) return Effect.succeed("too-many")
  if (REFUSED.has(body.code)) return Effect.succeed("not-textable")
  return down(answer)
}

/** Five checks of one code: the code is invalid now, and a new one must be requested. */
const CHECKS_REACHED = 60202

/** A verification that ended, by its code or by time, is deleted: 404. */
function checkOutcomeOf(answer: Answer): Effect.Effect<CheckOutcome, VerificationDown> {
  const { status, body } = answer
  if (status === 404 || body.code === CHECKS_REACHED) return Effect.succeed("over")
  if (status !== 200) return down(answer)
  return Effect.succeed(body.status === "approved" ? "right" : "wrong")
}

function down({ status, body }: Answer): Effect.Effect<never, VerificationDown> {
  const { code } = body
  const reason = typeof code === "number" && Number.isInteger(code) ? code : status
  return Effect.fail(new VerificationDown({ reason: `twilio_${reason}` }))
}
