/** `verifyWebhook` of the client, and the Python recipe: both take what the service signs, and refuse all else. */

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { signBody, signWebhook } from "../../src/areas/webhooks/signature.ts"
import { curbline, verifyWebhook } from "../../src/client/index.ts"
import type { WebhookApi } from "../../src/client/index.ts"
import { ROOT } from "../cli/command-line.ts"

const SECRET = `whsec_${"a1".repeat(24)}`
const OTHER = `whsec_${"b2".repeat(24)}`
const NOW = Date.parse("2026-06-01T15:00:00Z")
const BODY = '{"event_type":"reservation.exception","text":"ö 😀"}'

interface Sent {
  readonly api: WebhookApi
  readonly body: string
  /** Null: without the header. */
  readonly signature: string | null
  readonly secrets: readonly string[]
}

const reservation = (body = BODY, atMs = NOW, secret = SECRET): string => signWebhook({ secret, body, atMs })
const delivery = (body = BODY, secret = SECRET): string => signBody({ secret, body })
const rs = { api: "reservations", body: BODY, signature: reservation(), secrets: [SECRET] } as const
const dd = { api: "direct_delivery", body: BODY, signature: delivery(), secrets: [SECRET] } as const
const MINUTES_MS = 60_000

/** What must become of it: `valid`, or the fault. */
const CASES: readonly (readonly [string, Sent, string])[] = [
  ["a webhook of a reservation", rs, "valid"],
  ["a webhook of a delivery", dd, "valid"],
  ["signed with the new secret of two", { ...rs, secrets: [OTHER, SECRET] }, "valid"],
  ["signed with the old secret of two", { ...dd, secrets: [SECRET, OTHER] }, "valid"],
  ["five minutes old", { ...rs, signature: reservation(BODY, NOW - 5 * MINUTES_MS) }, "valid"],
  ["five minutes ahead", { ...rs, signature: reservation(BODY, NOW + 5 * MINUTES_MS) }, "valid"],
  ["a second more than five minutes old", { ...rs, signature: reservation(BODY, NOW - 301_000) }, "too_old"],
  [
    "a second more than five minutes ahead",
    { ...rs, signature: reservation(BODY, NOW + 301_000) },
    "too_old",
  ],
  ["without a signature", { ...rs, signature: null }, "no_signature"],
  ["with an empty signature", { ...dd, signature: " " }, "no_signature"],
  ["with the other API's signature", { ...rs, signature: delivery() }, "malformed_signature"],
  [
    "with the other API's signature, the other way",
    { ...dd, signature: reservation() },
    "malformed_signature",
  ],
  ["with a signature in capitals", { ...dd, signature: delivery().toUpperCase() }, "malformed_signature"],
  [
    "with two signatures",
    { ...rs, signature: `${reservation()},v1=${"0".repeat(64)}` },
    "malformed_signature",
  ],
  ["of a changed body of a reservation", { ...rs, body: `${BODY} ` }, "no_match"],
  ["of a changed body of a delivery", { ...dd, body: BODY.replace("ö", "o") }, "no_match"],
  ["of another secret", { ...rs, secrets: [OTHER] }, "no_match"],
  [
    "with another time",
    { ...rs, signature: reservation().replace(/t=\d+/, `t=${NOW / 1000 - 1}`) },
    "no_match",
  ],
  ["whose body is no JSON", { ...dd, body: "hello", signature: delivery("hello") }, "not_json"],
  ["whose body is a list", { ...rs, body: "[]", signature: reservation("[]") }, "not_json"],
]

async function judged({ api, body, signature, secrets }: Sent): Promise<string> {
  const headers = signature === null ? {} : { "X-Service-Signature": signature }
  const verdict = await verifyWebhook({ api, body, headers, secret: secrets, nowMs: NOW })
  if (verdict.isValid) expect(verdict.event).toEqual(JSON.parse(body))
  return verdict.isValid ? "valid" : verdict.fault
}

describe("a request is judged", () => {
  test.each(CASES)("%s", async (_, sent, expected) => {
    expect(await judged(sent)).toBe(expected)
  })

  test("the same by the Python recipe", () => {
    const { status, stdout, stderr, error } = spawnSync("python3", ["-c", JUDGE, String(NOW / 1000)], {
      cwd: join(ROOT, "src/client/recipes"),
      encoding: "utf8",
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
      input: JSON.stringify(CASES.map(([, sent]) => sent)),
    })
    if (status !== 0)
      throw new Error(`this test needs a python3 (3.9 or later) on the PATH: ${String(error)} ${stderr}`)
    expect(JSON.parse(stdout)).toEqual(CASES.map(([, , expected]) => expected))
  })
})

const JUDGE = `
import json, sys
import curbline

def judged(sent):
    try:
        event = curbline.verify_webhook(
            sent["api"], sent["body"].encode(), sent["signature"], sent["secrets"], now=float(sys.argv[1]))
    except curbline.WebhookRefused as refused:
        return refused.fault
    assert event == json.loads(sent["body"])
    return "valid"

print(json.dumps([judged(sent) for sent in json.load(sys.stdin)]))
`

test("the Python recipe names the APIs that there are", () => {
  const wrong = 'import curbline; curbline.verify_webhook("dd", b"{}", "x", [])'
  const { status, stderr } = spawnSync("python3", ["-c", wrong], {
    cwd: join(ROOT, "src/client/recipes"),
    encoding: "utf8",
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  })
  expect(status).toBe(1)
  expect(stderr).toContain("ValueError: api must be one of direct_delivery, reservations, is 'dd'")
})

test.each([
  ["127.0.0.1:4011", "ck", "baseUrl"],
  ["", "ck", "baseUrl"],
  ["ftp://sandbox.curbline.example", "ck", "baseUrl"],
  ["https://sandbox.curbline.example", " ", "key"],
  ["https://sandbox.curbline.example", "ck\nx: y", "key"],
])("a client for %j with the key %j is refused at once", (baseUrl, key, named) => {
  expect(() => curbline({ baseUrl, key })).toThrow(new RegExp(`^${named} must be`))
})

describe("what a program passes", () => {
  const signed = { "x-service-signature": [reservation()], "x-service-delivery-id": "d-1" }

  test.each([
    ["headers of Node, as they come", signed],
    [
      "headers of fetch",
      new Headers({ "X-Service-Signature": reservation(), "X-Service-Delivery-Id": "d-1" }),
    ],
  ])("%s", async (_, headers) => {
    const body = new TextEncoder().encode(BODY)
    const verdict = await verifyWebhook({ api: "reservations", body, headers, secret: SECRET, nowMs: NOW })
    expect(verdict).toEqual({ isValid: true, deliveryId: "d-1", event: JSON.parse(BODY) })
  })

  test("a body that was parsed, and an empty secret, are mistakes of the program", async () => {
    const parsed = {
      api: "reservations",
      headers: {},
      secret: SECRET,
      body: JSON.parse(BODY) as string,
    } as const
    await expect(verifyWebhook(parsed)).rejects.toThrow("raw body")
    for (const secret of ["", [], [SECRET, ""]])
      await expect(verifyWebhook({ ...parsed, body: BODY, secret })).rejects.toThrow("secret")
    await expect(verifyWebhook({ ...parsed, body: BODY, toleranceSeconds: -1 })).rejects.toThrow(
      "toleranceSeconds",
    )
  })

  test("a tolerance of the program's own, with the clock of the machine", async () => {
    const headers = { "x-service-signature": reservation(BODY, Date.now() - 60_000) }
    const sent = { api: "reservations", body: BODY, headers, secret: SECRET } as const
    expect(await verifyWebhook(sent)).toMatchObject({ isValid: true })
    expect(await verifyWebhook({ ...sent, toleranceSeconds: 30 })).toMatchObject({ fault: "too_old" })
  })
})
