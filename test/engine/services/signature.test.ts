/** The webhook signature, held to a known vector and to a receiver's own computation. */

import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { signWebhook, verifyWebhook } from "../../../src/areas/webhooks/signature.ts"

const AT_MS = Date.parse("2026-06-01T15:00:00.900Z")
const SECONDS = Math.floor(AT_MS / 1000)
const secret = `whsec_${"0123456789abcdef".repeat(3)}`
const body = '{"event_id":"evt_1","name":"Zoë 😀"}'
const FIVE_MINUTES_MS = 300_000

function verify(header: string, more: Partial<Parameters<typeof verifyWebhook>[0]> = {}): boolean {
  return verifyWebhook({
    header,
    body,
    secrets: [secret],
    nowMs: AT_MS,
    toleranceMs: FIVE_MINUTES_MS,
    ...more,
  })
}

describe("webhook signature", () => {
  test("it is t in whole seconds, and hex HMAC-SHA256 of t, a dot and the body", () => {
    const expected = createHmac("sha256", Buffer.from(secret, "utf8"))
      .update(`${SECONDS}.${body}`, "utf8")
      .digest("hex")
    expect(signWebhook({ secret, body, atMs: AT_MS })).toBe(`t=${SECONDS},v1=${expected}`)
  })

  test("the key is the whole secret with its prefix, not its decoded digits", () => {
    const decoded = createHmac("sha256", Buffer.from(secret.slice(6), "hex"))
      .update(`${SECONDS}.${body}`)
      .digest("hex")
    expect(signWebhook({ secret, body, atMs: AT_MS })).not.toContain(decoded)
  })

  test("RFC 4231, test case 2, by the same construction", () => {
    const digest = createHmac("sha256", "Jefe").update("what do ya want for nothing?").digest("hex")
    expect(digest).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  })

  test("what is signed is verified, with any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), (text, key) =>
        verify(signWebhook({ secret: key, body: text, atMs: AT_MS }), { body: text, secrets: [key] }),
      ),
    )
  })

  test("another body, secret or time is not", () => {
    const header = signWebhook({ secret, body, atMs: AT_MS })
    expect(verify(header, { body: `${body} ` })).toBe(false)
    expect(verify(header, { secrets: [`${secret}0`] })).toBe(false)
    expect(verify(header, { secrets: [] })).toBe(false)
    expect(verify(header.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`))).toBe(false)
  })

  test("one of several secrets is enough while a rotation is under way", () => {
    const header = signWebhook({ secret, body, atMs: AT_MS })
    expect(verify(header, { secrets: ["whsec_new", secret] })).toBe(true)
  })

  test("five minutes either way are tolerated, a second more is not", () => {
    const header = signWebhook({ secret, body, atMs: AT_MS })
    const signedMs = SECONDS * 1000
    for (const sign of [-1, 1]) {
      expect(verify(header, { nowMs: signedMs + sign * FIVE_MINUTES_MS })).toBe(true)
      expect(verify(header, { nowMs: signedMs + sign * (FIVE_MINUTES_MS + 1_000) })).toBe(false)
    }
  })

  test.each([
    "",
    "t=1",
    "v1=ab",
    `v1=${"a".repeat(64)},t=1`,
    `t=x,v1=${"a".repeat(64)}`,
    `t=1,v1=${"A".repeat(64)}`,
  ])("the header %j is no signature", (header) => {
    expect(verify(header)).toBe(false)
  })
})
