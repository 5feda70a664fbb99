/**
 * Verification codes through Twilio Verify, and whether a number can be texted through Twilio Lookup.
 * Source: Twilio, Verify v2 (Verifications, VerificationCheck), Lookup v2 (line type intelligence), error codes.
 */

import { Effect, Layer } from "effect"
import { VERIFICATION_TIMEOUT_MS } from "../model/limits.ts"
import { failureOf, jsonOf } from "./bounded-answer.ts"
import { SmsVerification, VerificationDown } from "../services/linking/sms-verification.ts"
import type { CheckOutcome, SendOutcome } from "../services/linking/sms-verification.ts"

export interface TwilioVerifyOptions {
  readonly accountSid: string
  readonly authToken: string
  /** `VA…`: its codes have six digits and live for ten minutes, as Twilio sets up a service. */
  readonly serviceSid: string
  /** Where the two APIs are; tests put a stand-in on the loopback here. */
  readonly verifyUrl?: string
  readonly lookupUrl?: string
}

export function layerTwilioVerify(options: TwilioVerifyOptions): Layer.Layer<SmsVerification> {
  const { verifyUrl = "https://verify.twilio.com", lookupUrl = "https://lookups.twilio.com" } = options
  const service = `${verifyUrl}/v2/Services/${encodeURIComponent(options.serviceSid)}`
  const ask = askerOf(options)
  return Layer.succeed(SmsVerification, {
    canText: (phone) =>
      Effect.flatMap(
        ask(`${lookupUrl}/v2/PhoneNumbers/${encodeURIComponent(phone)}?Fields=line_type_intelligence`),
        lineOf,
      ),
    send: (phone) =>
      Effect.flatMap(ask(`${service}/Verifications`, { To: phone, Channel: "sms" }), sendOutcomeOf),
    check: (phone, code) =>
      Effect.flatMap(ask(`${service}/VerificationCheck`, { To: phone, Code: code }), checkOutcomeOf),
  })
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

function askerOf({ accountSid, authToken }: TwilioVerifyOptions) {
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`
  return (url: string, form?: Readonly<Record<string, string>>): Effect.Effect<Answer, VerificationDown> =>
    Effect.tryPromise({
      try: async () => {
        const answer = await fetch(url, {
          method: form === undefined ? "GET" : "POST",
          headers: { Authorization: authorization, Accept: "application/json" },
          ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
          redirect: "error",
          signal: AbortSignal.timeout(VERIFICATION_TIMEOUT_MS),
        })
        const body = await jsonOf(answer)
        return { status: answer.status, body: isRecord(body) ? body : {} }
      },
      catch: (cause) => new VerificationDown({ reason: `twilio_${failureOf(cause)}` }),
    })
}

function isRecord(body: unknown): body is Answer["body"] {
  return typeof body === "object" && body !== null
}

/** A line that Twilio does not know the type of may well be a mobile one: only what is known to be none is refused. */
const UNTEXTABLE: ReadonlySet<unknown> = new Set(["landline", "pager", "voicemail"])

function lineOf(answer: Answer): Effect.Effect<boolean, VerificationDown> {
  const { status, body } = answer
  if (status === 404) return Effect.succeed(false)
  if (status !== 200) return down(answer)
  const line = body["line_type_intelligence"] as { readonly type?: unknown } | null | undefined
  return Effect.succeed(body["valid"] === true && !UNTEXTABLE.has(line?.type))
}

/** Invalid parameter, landline, blocked prefix or country, no mobile number, unsubscribed, and their like. */
const REFUSED: ReadonlySet<unknown> = new Set([
  21211, 21408, 21610, 21612, 21614, 60200, 60205, 60220, 60410, 60605,
])

/** Five codes were sent within ten minutes. */
const SENDS_REACHED = 60203

function sendOutcomeOf(answer: Answer): Effect.Effect<SendOutcome, VerificationDown> {
  const { status, body } = answer
  if (status === 201 && body["status"] === "pending") return Effect.succeed("sent")
  if (body["code"] === SENDS_REACHED) return Effect.succeed("too-many")
  if (REFUSED.has(body["code"])) return Effect.succeed("not-textable")
  return down(answer)
}

/** Five checks of one code. It is good no longer, so another one must be asked for. */
const CHECKS_REACHED = 60202

/** A verification that ended, by its code or by time, is deleted: 404. */
function checkOutcomeOf(answer: Answer): Effect.Effect<CheckOutcome, VerificationDown> {
  const { status, body } = answer
  if (status === 404 || body["code"] === CHECKS_REACHED) return Effect.succeed("over")
  if (status !== 200) return down(answer)
  return Effect.succeed(body["status"] === "approved" ? "right" : "wrong")
}

function down({ status, body }: Answer): Effect.Effect<never, VerificationDown> {
  const { code } = body
  const reason = typeof code === "number" && Number.isInteger(code) ? code : status
  return Effect.fail(new VerificationDown({ reason: `twilio_${reason}` }))
}
