/** Webhook endpoints over HTTP: the secret is shown once, and permissions of changes. */

import { describe, expect, test } from "vitest"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { HOOK, makeApi } from "./api.ts"
import type { Api } from "./api.ts"

/** No name server can know such a name. */
const TOO_LONG = `https://${"a".repeat(64)}.example/`

const HOOKS = "/rs/v1/webhooks"

interface Webhook {
  readonly webhook_id: string
  readonly url: string
  readonly is_active: boolean
  readonly secret: string
}

function webhookOf(data: Record<string, unknown>): Webhook {
  return data["webhook"] as Webhook
}

async function registered(api: Api, more: object = {}): Promise<Webhook> {
  const body = { url: HOOK, subscribed_events: EVENT_TYPES, ...more }
  return webhookOf((await api.call("POST", HOOKS, { body })).data)
}

describe("POST and GET /rs/v1/webhooks", () => {
  test("E1, E2, E6: 201 with the secret in full, masked ever after; oldest first", async () => {
    const api = await makeApi()
    expect((await api.call("GET", HOOKS)).data).toEqual({ webhooks: [] })
    const body = { url: HOOK, subscribed_events: ["reservation.exception"], is_active: false }
    const { status, data } = await api.call("POST", HOOKS, { body })
    const first = webhookOf(data)
    expect([status, first.secret]).toEqual([201, expect.stringMatching(/^whsec_[0-9a-f]{48}$/) as string])
    const second = await registered(api)
    const masked = (one: Webhook): Webhook => ({ ...one, secret: `…${one.secret.slice(-4)}` })
    expect((await api.call("GET", HOOKS)).data).toEqual({ webhooks: [masked(first), masked(second)] })
  })

  test("the Idempotency-Key is ignored: a retry registers another", async () => {
    const api = await makeApi()
    const sent = { headers: { "idempotency-key": "" }, body: { url: HOOK, subscribed_events: EVENT_TYPES } }
    const one = await api.call("POST", HOOKS, sent)
    const other = await api.call("POST", HOOKS, sent)
    expect(webhookOf(one.data).webhook_id).not.toBe(webhookOf(other.data).webhook_id)
  })

  test("E5: 422 WEBHOOK_LIMIT_REACHED at the 11th, deactivated ones counted", async () => {
    const api = await makeApi()
    for (let count = 0; count < 10; count += 1) await registered(api, { is_active: count % 2 === 0 })
    const body = { url: HOOK, subscribed_events: EVENT_TYPES }
    const { status, code } = await api.call("POST", HOOKS, { body })
    expect([status, code]).toEqual([422, "WEBHOOK_LIMIT_REACHED"])
  })

  test.each<[string, object]>([
    ["url", { url: undefined }],
    ["subscribed_events", { subscribed_events: [] }],
    ["subscribed_events", { subscribed_events: ["reservation.exception", "reservation.exception"] }],
    ["subscribed_events.0", { subscribed_events: ["reservation.created"] }],
    ["is_active", { is_active: "yes" }],
  ])("E3: 400 VALIDATION_ERROR names %s", async (field, more) => {
    const api = await makeApi()
    const body = { url: HOOK, subscribed_events: EVENT_TYPES, ...more }
    const answered = await api.call("POST", HOOKS, { body })
    expect([answered.status, answered.body["details"]]).toEqual([
      400,
      [{ field, message: expect.any(String) as string }],
    ])
  })

  test.each([
    ["POST", "http://hooks.partner.example/", 400, "INVALID_WEBHOOK_URL"],
    ["POST", "https://private.partner.example/", 400, "INVALID_WEBHOOK_URL"],
    ["POST", "https://down.partner.example/", 503, "URL_VALIDATION_UNAVAILABLE"],
    ["POST", TOO_LONG, 400, "INVALID_WEBHOOK_URL"],
    ["PUT", TOO_LONG, 400, "INVALID_WEBHOOK_URL"],
    ["PUT", "https://93.184.215.14/", 400, "INVALID_WEBHOOK_URL"],
    ["PUT", "https://unknown.partner.example/", 400, "INVALID_WEBHOOK_URL"],
    ["PUT", "https://down.partner.example/", 503, "URL_VALIDATION_UNAVAILABLE"],
  ])("E4: %s with %s is %i %s", async (method, url, status, code) => {
    const api = await makeApi()
    const { webhook_id: id } = await registered(api)
    api.service.breakHost("private.partner.example", "private")
    api.service.breakHost("unknown.partner.example", "unknown")
    api.service.breakHost("down.partner.example", "unavailable")
    const path = method === "PUT" ? `${HOOKS}/${id}` : HOOKS
    const answered = await api.call(method, path, { body: { url, subscribed_events: EVENT_TYPES } })
    expect([answered.status, answered.code]).toEqual([status, code])
    expect((await api.call("GET", HOOKS)).data["webhooks"]).toMatchObject([{ url: HOOK }])
  })
})

describe("PUT /rs/v1/webhooks/{id}", () => {
  test("200 with every sent field written; the secret stays masked", async () => {
    const api = await makeApi()
    const { webhook_id: id, secret } = await registered(api)
    const body = { url: "https://other.partner.example/", subscribed_events: ["reservation.exception"] }
    const { status, data } = await api.call("PUT", `${HOOKS}/${id}`, { body })
    expect([status, data["webhook"]]).toEqual([
      200,
      expect.objectContaining({ ...body, secret: `…${secret.slice(-4)}` }),
    ])
  })

  test("E11: a rotation tells the new secret once, and new deliveries are signed with it", async () => {
    const api = await makeApi()
    const { webhook_id: id, secret } = await registered(api)
    const { data } = await api.call("PUT", `${HOOKS}/${id}`, { body: { rotate_secret: true } })
    const rotated = webhookOf(data).secret
    expect(rotated).toMatch(/^whsec_[0-9a-f]{48}$/)
    expect(rotated).not.toBe(secret)
    await api.book()
    await api.advance(SECOND_MS)
    const [received] = api.service.received(HOOK)
    const header = received?.headers["X-Service-Signature"] ?? ""
    const check = { header, body: received?.body ?? "", nowMs: api.now(), toleranceMs: 300_000 }
    expect(verifyWebhook({ ...check, secrets: [rotated] })).toBe(true)
    expect(verifyWebhook({ ...check, secrets: [secret] })).toBe(false)
  })

  test.each<[number, object]>([
    [400, {}],
    [400, { unknown: 1 }],
    [400, { url: null }],
    [200, { url: null, subscribed_events: null, is_active: null, rotate_secret: false }],
    [200, { rotate_secret: false }],
  ])("E8: %i to %j", async (status, body) => {
    const api = await makeApi()
    const { webhook_id: id } = await registered(api)
    expect((await api.call("PUT", `${HOOKS}/${id}`, { body })).status).toBe(status)
  })

  test("V2: 404 NOT_FOUND to an unknown endpoint and to another organization's", async () => {
    const api = await makeApi()
    const { webhook_id: id } = await registered(api)
    const key = await api.makeKey({ organizationId: await api.makeOrganization() })
    for (const [path, by] of [
      [`${HOOKS}/${id}`, key],
      [`${HOOKS}/whk_unknown`, api.key],
    ] as const) {
      const answered = await api.call("PUT", path, { key: by, body: { is_active: false } })
      expect([answered.status, answered.code]).toEqual([404, "NOT_FOUND"])
    }
  })

  test("E9: 403 PERMISSION_DENIED names the fields that need reservations:read", async () => {
    const api = await makeApi()
    const { webhook_id: id } = await registered(api, { is_active: false })
    const key = await api.holding("webhooks:manage")
    const body = {
      url: "https://other.partner.example/",
      subscribed_events: ["reservation.exception"],
      is_active: true,
      rotate_secret: true,
    }
    const answered = await api.call("PUT", `${HOOKS}/${id}`, { key, body })
    expect([answered.status, answered.code, answered.body["fields"]]).toEqual([
      403,
      "PERMISSION_DENIED",
      ["url", "subscribed_events", "is_active"],
    ])
    expect(answered.body["details"]).toBeUndefined()
    for (const field of ["url", "subscribed_events", "is_active"]) {
      expect(answered.body["error"]).toContain(field)
    }
  })

  test("E10: values sent back unchanged, switching off and rotating need webhooks:manage alone", async () => {
    const api = await makeApi()
    const { webhook_id: id } = await registered(api)
    const key = await api.holding("webhooks:manage")
    const body = {
      url: HOOK,
      subscribed_events: EVENT_TYPES.toReversed(),
      is_active: false,
      rotate_secret: true,
    }
    const { status, data } = await api.call("PUT", `${HOOKS}/${id}`, { key, body })
    expect([status, webhookOf(data).is_active]).toEqual([200, false])
    expect(webhookOf(data).secret).toMatch(/^whsec_/)
  })
})
