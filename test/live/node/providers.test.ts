/**
 * The providers of payments and codes, by configuration: test payments and visible codes exist only where nothing is at
 * stake.
 */

import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import { readConfiguration } from "../../../src/live/configuration/configuration.ts"
import type { Configuration } from "../../../src/live/configuration/configuration.ts"
import { paymentsOf } from "../../../src/live/services/payments.ts"
import { shownCodes } from "../../../src/live/services/shown-codes.ts"
import { verificationOf } from "../../../src/live/services/verification.ts"
import { layerBuiltInPayments, layerNoPayments } from "../../../src/areas/courier/built-in-payments.ts"
import { layerNoVerification } from "../../../src/areas/linking/built-in-verification.ts"

const SECRET = { CURBLINE_SECRET: "0123456789abcdef0123456789abcdef" }
const DATABASE = { ...SECRET, DATABASE_URL: "postgres://curbline:hunter2@db.example/curbline" }
const PRODUCTION = { ...SECRET, NODE_ENV: "production" }
const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_hunter4hunter4",
  STRIPE_WEBHOOK_SECRET: "whsec_hunter5hunter5",
  STRIPE_PROFILE_ID: "profile_1",
}
const TWILIO = {
  TWILIO_ACCOUNT_SID: `AC${"0a".repeat(16)}`,
  TWILIO_AUTH_TOKEN: "0".repeat(32),
  TWILIO_VERIFY_SERVICE_SID: `VA${"0a".repeat(16)}`,
}

function configured(environment: Readonly<Record<string, string>>): Configuration {
  return Either.getOrThrow(Effect.runSync(Effect.either(readConfiguration({ flags: {}, environment }))))
}

describe("payments", () => {
  test("the built-in processor and its test cards are for the embedded database outside of production", () => {
    expect(paymentsOf(configured({}))).toMatchObject({ payments: layerBuiltInPayments, hasTestCards: true })
  })

  test.each([
    ["production", PRODUCTION],
    ["a database of one's own", DATABASE],
    ["both", { ...DATABASE, ...PRODUCTION }],
  ])("%s without a processor takes no money", (_, environment) => {
    expect(paymentsOf(configured(environment))).toMatchObject({
      payments: layerNoPayments,
      hasTestCards: false,
    })
  })

  test.each([{}, PRODUCTION, DATABASE])("Stripe takes it wherever it is set up: %j", (environment) => {
    const { payments, hasTestCards } = paymentsOf(configured({ ...environment, ...STRIPE }))
    expect([layerBuiltInPayments, layerNoPayments]).not.toContain(payments)
    expect(hasTestCards).toBe(false)
  })
})

describe("codes", () => {
  test("can be read on this machine for the embedded database outside of production", () => {
    expect(verificationOf(configured({}))).toBe("built-in")
  })

  test.each([PRODUCTION, DATABASE, { ...DATABASE, ...PRODUCTION }])(
    "no code is sent or shown without a provider: %j",
    (environment) => expect(verificationOf(configured(environment))).toBe(layerNoVerification),
  )

  const DEMO = { hasDemo: true, isLocal: true }

  test("of mails and texts are on the pages of a demo that only this machine reaches", () => {
    expect(shownCodes(configured({}), DEMO)).toEqual({ mails: true, texts: true })
  })

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ["in production", PRODUCTION, {}],
    ["over an external database", DATABASE, {}],
    ["in production over one", { ...DATABASE, ...PRODUCTION }, {}],
    ["where a proxy or another address leads to the host", {}, { isLocal: false }],
    ["without demo data", {}, { hasDemo: false }],
  ])("are on no page %s", (_, environment, more) => {
    expect(shownCodes(configured(environment), { ...DEMO, ...more })).toEqual({ mails: false, texts: false })
  })

  test("are not on pages where a provider sends them", () => {
    const mailServer = { SMTP_URL: "smtp://mail.example", MAIL_FROM: "curbline@example.com" }
    expect(shownCodes(configured(mailServer), DEMO)).toEqual({ mails: false, texts: true })
    expect(shownCodes(configured(TWILIO), DEMO)).toEqual({ mails: true, texts: false })
  })

  test.each([{}, PRODUCTION, DATABASE])("Twilio sends them wherever it is set up: %j", (environment) => {
    const found = verificationOf(configured({ ...environment, ...TWILIO }))
    expect(["built-in", layerNoVerification]).not.toContain(found)
  })
})
