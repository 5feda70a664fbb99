/** Events as receivers get them, caused through HTTP: the choices E that show only there, and the limits of delivery. */

import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import { bringTo, told, toldInShort } from "../conformance/harness.ts"
import type { EndpointAnswer, Received } from "../conformance/harness.ts"
import { HOOK, makeApi, reservationOf } from "./api.ts"
import type { Api, ApiOptions } from "./api.ts"

const LIST = "/rs/v1/reservations"
const HOOKS = "/rs/v1/webhooks"
const OTHER = "https://other.partner.example/"
const FAILS: EndpointAnswer = { type: "status", status: 500, afterMs: 100 }
const ANSWERS: EndpointAnswer = { type: "status", status: 200, afterMs: 100 }

interface Hook {
  readonly webhook_id: string
  readonly secret: string
  readonly updated_at: string
}

interface Listening extends Api {
  readonly hook: Hook
  readonly change: (body: object) => Promise<Hook>
}

async function listening(more: object = {}, options: ApiOptions = {}): Promise<Listening> {
  const api = await makeApi(options)
  const body = { url: HOOK, subscribed_events: EVENT_TYPES, ...more }
  const hook = (await api.call("POST", HOOKS, { body })).data["webhook"] as Hook
  const change = async (sent: object): Promise<Hook> => {
    const { status, data } = await api.call("PUT", `${HOOKS}/${hook.webhook_id}`, { body: sent })
    expect(status).toBe(200)
    return data["webhook"] as Hook
  }
  return { ...api, hook, change }
}

/** Checked with node:crypto only. */
function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["X-Service-Signature"] ?? "") ?? []
  return given === createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
}

describe("webhook endpoints", () => {
  test.each([
    ["GET", 405],
    ["DELETE", 405],
    ["POST", 405],
  ])("E7: %s of one endpoint is %i; there is no replay", async (method, status) => {
    const api = await listening()
    const path = `${HOOKS}/${api.hook.webhook_id}`
    expect((await api.call(method, path)).status).toBe(status)
    expect((await api.call("POST", `${path}/replay`)).status).toBe(404)
  })

  test("E8: a PUT that changes nothing leaves updated_at; one that changes something moves it", async () => {
    const api = await listening()
    await api.advance(MINUTE_MS)
    const same = { url: HOOK, subscribed_events: EVENT_TYPES, is_active: true, rotate_secret: false }
    expect((await api.change(same)).updated_at).toBe(api.hook.updated_at)
    expect((await api.change({ is_active: false })).updated_at).not.toBe(api.hook.updated_at)
  })

  test("E10: a URL is checked before anything is written", async () => {
    const api = await listening()
    const body = { url: "http://x.example/", is_active: false, rotate_secret: true }
    expect((await api.call("PUT", `${HOOKS}/${api.hook.webhook_id}`, { body })).code).toBe(
      "INVALID_WEBHOOK_URL",
    )
    await api.book()
    await api.advance(SECOND_MS)
    expect(api.service.received(HOOK).map((one) => isSignedWith(api.hook.secret, one))).toEqual([true])
  })

  test("E12: an inactive endpoint hears nothing new, and what waits is discarded", async () => {
    const api = await listening()
    api.service.script(HOOK, [FAILS])
    const id = await api.book()
    await api.advance(MINUTE_MS)
    await api.change({ is_active: false })
    await api.call("DELETE", `${LIST}/${id}`)
    await api.advance(10 * MINUTE_MS)
    expect(api.service.received(HOOK)).toHaveLength(1)
  })
})

describe("deliveries", () => {
  test("E13: the headers of a delivery", async () => {
    const api = await listening()
    await api.book()
    const [event] = await told(api.service)
    const [received] = api.service.received(HOOK)
    expect(received?.headers).toEqual({
      "Content-Type": "application/json",
      "User-Agent": expect.stringMatching(/^\S+$/) as string,
      "X-Service-Signature": expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/) as string,
      "X-Service-Delivery-Id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      "X-Service-Event-Id": event?.event_id,
      "X-Service-Event-Type": "reservation.status_changed",
    })
  })

  test("E14 and E16: eight attempts, each signed for its own time over the same bytes, then none", async () => {
    const api = await listening()
    api.service.script(HOOK, [FAILS])
    await api.book({}, {})
    const untilGrace = 70 * MINUTE_MS
    await api.advance(untilGrace)
    await api.advance(24 * 60 * MINUTE_MS)
    const [first] = api.service.received(HOOK)
    const id = first?.headers["X-Service-Delivery-Id"]
    const attempts = api.service
      .received(HOOK)
      .filter(({ headers }) => headers["X-Service-Delivery-Id"] === id)
    const pauses = attempts.map(({ atMs }, at) =>
      Math.round((atMs - (attempts[at - 1]?.atMs ?? atMs)) / MINUTE_MS),
    )
    expect(pauses).toEqual([0, 2, 4, 8, 16, 32, 60, 60])
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1)
    for (const attempt of attempts) {
      expect(isSignedWith(api.hook.secret, attempt)).toBe(true)
      expect(attempt.headers["X-Service-Signature"]).toContain(`t=${Math.floor(attempt.atMs / 1000)},`)
    }
  })

  test.each<[string, EndpointAnswer, number]>([
    ["299 within 10 seconds", { type: "status", status: 299, afterMs: 9_999 }, 1],
    ["200 after 10 seconds", { type: "status", status: 200, afterMs: 10_001 }, 2],
    ["301", { type: "status", status: 301, afterMs: 10 }, 2],
    ["410", { type: "status", status: 410, afterMs: 10 }, 2],
    ["silence", { type: "timeout" }, 2],
  ])("limit: a delivery answered by %s is attempted %i times", async (_, answer, times) => {
    const api = await listening()
    api.service.script(HOOK, [answer, ANSWERS])
    await api.book()
    await api.advance(10 * MINUTE_MS)
    expect(api.service.received(HOOK)).toHaveLength(times)
  })

  test("E15: a rotated secret signs from the next attempt on", async () => {
    const api = await listening()
    api.service.script(HOOK, [FAILS, ANSWERS])
    await api.book()
    await api.advance(MINUTE_MS)
    const { secret } = await api.change({ rotate_secret: true })
    await api.advance(5 * MINUTE_MS)
    const signers = api.service
      .received(HOOK)
      .map((one) => [isSignedWith(api.hook.secret, one), isSignedWith(secret, one)])
    expect(signers).toEqual([
      [true, false],
      [false, true],
    ])
  })

  test("E20: one event through two endpoints has one id, one body and two deliveries", async () => {
    const api = await listening()
    await api.call("POST", HOOKS, { body: { url: OTHER, subscribed_events: EVENT_TYPES } })
    await api.book()
    await api.advance(SECOND_MS)
    const [one, other] = [api.service.received(HOOK)[0], api.service.received(OTHER)[0]]
    expect(one?.body).toBe(other?.body)
    expect(one?.headers["X-Service-Event-Id"]).toBe(other?.headers["X-Service-Event-Id"])
    expect(one?.headers["X-Service-Delivery-Id"]).not.toBe(other?.headers["X-Service-Delivery-Id"])
  })

  test("E24: what waits goes to the repointed URL, the same bytes", async () => {
    const api = await listening()
    api.service.script(HOOK, [FAILS])
    await api.book()
    await api.advance(MINUTE_MS)
    await api.change({ url: OTHER })
    await api.advance(5 * MINUTE_MS)
    expect(api.service.received(OTHER).map(({ body }) => body)).toEqual([api.service.received(HOOK)[0]?.body])
  })
})

describe("events", () => {
  test("E17: a status change tells the status before, null on create", async () => {
    const api = await listening()
    const id = await api.book()
    await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "ARRIVED" } })
    await api.call("DELETE", `${LIST}/${id}`)
    await api.call("DELETE", `${LIST}/${id}`)
    expect(await toldInShort(api.service)).toEqual([
      "null > confirmed",
      "confirmed > arrived",
      "arrived > canceled",
    ])
  })

  test("E18 and E19: the envelope has four fields; a handoff adds its milestone and nothing else", async () => {
    const api = await listening({ subscribed_events: ["reservation.handoff_updated"] })
    await bringTo(api.service, await api.book(), "AT_STORE")
    const [event] = await told(api.service)
    expect(Object.keys(event ?? {})).toEqual(["event_id", "event_type", "occurred_at", "data"])
    expect(Object.keys(event?.data ?? {})).toEqual(["reservation", "milestone"])
  })

  test("E19: the reservation in an event is what a read showed at that moment", async () => {
    const api = await listening()
    const id = await api.book()
    const [event] = await told(api.service)
    const { data } = await api.call("GET", `${LIST}/${id}`)
    expect(event?.data.reservation).toEqual(reservationOf(data))
  })

  test("E22: switched off, handoffs and exceptions are not queued, and may be subscribed to", async () => {
    const api = await listening({}, { policy: { ...DEFAULT_POLICY, announcesHandoffs: false } })
    const id = await api.book()
    await bringTo(api.service, id, "AT_STORE")
    await api.call("DELETE", `${LIST}/${id}`)
    expect(await toldInShort(api.service)).toEqual(["null > confirmed", "confirmed > canceled"])
  })

  test("E23: a photo that cannot be signed is left out of its event; a read signs again", async () => {
    const api = await listening({}, { environment: "sandbox" })
    const path = `${LIST}/${await api.book()}`
    api.service.breakPhotoSigning(true)
    for (let step = 0; step < 7; step += 1) await api.call("POST", `${path}/advance`)
    const handoffs = (await told(api.service)).filter(({ data }) => data["milestone"] === "handoff_complete")
    expect(handoffs.map(({ data }) => data.reservation.handoff)).toMatchObject([
      { load_photo_url: null, load_photo_skipped: false },
    ])
    api.service.breakPhotoSigning(false)
    expect(reservationOf((await api.call("GET", path)).data).handoff?.load_photo_url).toMatch(/^https:/)
  })

  test("V12: a moved window and a repeated cancel publish no event", async () => {
    const api = await listening()
    const id = await api.book()
    const body = { arrival_window_end: new Date(api.now() + 70 * MINUTE_MS).toISOString() }
    expect((await api.call("PATCH", `${LIST}/${id}`, { body })).status).toBe(200)
    expect(await toldInShort(api.service)).toEqual(["null > confirmed"])
  })
})
