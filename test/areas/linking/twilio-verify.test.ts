/** Twilio Verify and Lookup against a stand-in on the loopback that answers in their recorded shapes. */

import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { layerApiClient } from "../../../src/live/gateways/api-client.ts"
import { layerTwilioVerify } from "../../../src/live/gateways/twilio-verify.ts"
import { SmsVerification } from "../../../src/areas/linking/sms-verification.ts"
import type { VerificationDown } from "../../../src/areas/linking/sms-verification.ts"

const PHONE = "+15125550100"
const ACCOUNT = { accountSid: `AC${"1".repeat(32)}`, authToken: "token:1", serviceSid: `VA${"2".repeat(32)}` }

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly form: Readonly<Record<string, string>>
}

const asked: Asked[] = []
let answer: { status: number; body: unknown } = { status: 200, body: {} }
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
    asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, form })
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body))
  })
})
let url = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => void asked.splice(0))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = <A>(
  question: (one: SmsVerification["Type"]) => Effect.Effect<A, VerificationDown>,
): Promise<A | string> =>
  Effect.runPromise(
    Effect.flatMap(SmsVerification, question).pipe(
      Effect.catchAll(({ reason }) => Effect.succeed(reason)),
      Effect.provide(layerTwilioVerify({ ...ACCOUNT, verifyUrl: url, lookupUrl: url })),
      Effect.provide(layerApiClient),
    ),
  )

const verification = (status: string) => ({
  sid: `VE${"3".repeat(32)}`,
  service_sid: ACCOUNT.serviceSid,
  account_sid: ACCOUNT.accountSid,
  to: PHONE,
  channel: "sms",
  status,
  valid: status === "approved",
  lookup: { carrier: null },
  amount: null,
  payee: null,
  send_code_attempts: [
    { time: "2026-06-01T15:00:00.000Z", channel: "sms", attempt_sid: `VL${"4".repeat(32)}` },
  ],
  date_created: "2026-06-01T15:00:00Z",
  date_updated: "2026-06-01T15:00:00Z",
})
const refusal = (status: number, code: number) => ({
  status,
  body: { code, message: "refused", more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})
const line = (type: string | null, valid = true) => ({
  status: 200,
  body: {
    calling_country_code: "1",
    country_code: "US",
    phone_number: PHONE,
    national_format: "(512) 555-0100",
    valid,
    validation_errors: valid ? [] : ["TOO_SHORT"],
    line_type_intelligence:
      type === null ? null : { type, carrier_name: "Example", mobile_country_code: "310", error_code: null },
  },
})

describe("whether a number can be texted", () => {
  test("Lookup is asked for the type of the line, under the account", async () => {
    answer = line("mobile")
    expect(await ask((one) => one.canText(PHONE))).toBe(true)
    expect(asked).toMatchObject([
      { method: "GET", path: "/v2/PhoneNumbers/%2B15125550100?Fields=line_type_intelligence" },
    ])
    const credentials = Buffer.from(`${ACCOUNT.accountSid}:${ACCOUNT.authToken}`).toString("base64")
    expect(asked[0]?.headers.authorization).toBe(`Basic ${credentials}`)
  })

  test.each([
    ["A13: a landline", line("landline"), false],
    ["A13: an invalid number", line(null, false), false],
    ["A13: a number that does not exist", refusal(404, 20404), false],
    ["a line of unknown type", line(null), true],
    ["a voice-over-IP line", line("nonFixedVoip"), true],
    ["too many requests", refusal(429, 20429), "twilio_20429"],
    ["wrong credentials", refusal(401, 20003), "twilio_20003"],
    ["an answer that is none", { status: 502, body: "<html>" }, "twilio_not_json"],
  ])("%s", async (_, given, wanted) => {
    answer = given
    expect(await ask((one) => one.canText(PHONE))).toBe(wanted)
  })
})

describe("sending a code", () => {
  test("Verify sends it by SMS", async () => {
    answer = { status: 201, body: verification("pending") }
    expect(await ask((one) => one.send(PHONE))).toBe("sent")
    expect(asked).toMatchObject([
      {
        method: "POST",
        path: `/v2/Services/${ACCOUNT.serviceSid}/Verifications`,
        form: { To: PHONE, Channel: "sms" },
      },
    ])
  })

  test.each([
    ["an invalid parameter", refusal(400, 60200), "not-textable"],
    ["A13: a landline", refusal(400, 60205), "not-textable"],
    ["A13: a blocked prefix", refusal(403, 60410), "not-textable"],
    ["A13: a blocked country", refusal(403, 60605), "not-textable"],
    ["five codes already", refusal(429, 60203), "too-many"],
    ["a service that is not there", refusal(404, 20404), "twilio_20404"],
    ["a fault of theirs", { status: 500, body: {} }, "twilio_500"],
  ])("%s", async (_, given, wanted) => {
    answer = given
    expect(await ask((one) => one.send(PHONE))).toBe(wanted)
  })
})

describe("checking a code", () => {
  test("Verify is asked, and says approved", async () => {
    answer = { status: 200, body: verification("approved") }
    expect(await ask((one) => one.check(PHONE, "123456"))).toBe("right")
    expect(asked).toMatchObject([
      {
        method: "POST",
        path: `/v2/Services/${ACCOUNT.serviceSid}/VerificationCheck`,
        form: { To: PHONE, Code: "123456" },
      },
    ])
  })

  test.each([
    ["a wrong code", { status: 200, body: verification("pending") }, "wrong"],
    ["A10: an expired or used one", refusal(404, 20404), "over"],
    ["five checks already", refusal(429, 60202), "over"],
    ["too many requests", refusal(429, 20429), "twilio_20429"],
  ])("%s", async (_, given, wanted) => {
    answer = given
    expect(await ask((one) => one.check(PHONE, "123456"))).toBe(wanted)
  })
})

test("a provider that is not there is down", async () => {
  const gone = layerTwilioVerify({
    ...ACCOUNT,
    verifyUrl: "http://127.0.0.1:1",
    lookupUrl: "http://127.0.0.1:1",
  }).pipe(Layer.provide(layerApiClient))
  const asking = Effect.flatMap(SmsVerification, (one) => one.send(PHONE))
  expect(await Effect.runPromise(Effect.flip(Effect.provide(asking, gone)))).toMatchObject({
    reason: "twilio_unreachable",
  })
})
