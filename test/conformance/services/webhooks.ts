/**
 * Webhook endpoints, and the delivery of signed events to them. Longer than 400 lines, so that the effect of an
 * endpoint's changes on its deliveries is beside both.
 */

import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Partner } from "../../../src/model/caller.ts"
import type { ChangeWebhookRequest } from "../../../src/model/requests/requests.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../../src/model/webhook.ts"
import { DEFAULT_POLICY } from "../../../src/engine/services/policies.ts"
import {
  HOOK,
  PHOTO,
  app,
  booked,
  bringTo,
  codeOf,
  holding,
  iso,
  partner,
  refusalOf,
  report,
  reservations,
  runner,
  sandboxPartner,
  seen,
  stranger,
  subscribe,
  told,
  toldInShort,
  webhooks,
} from "../harness.ts"
import type { EndpointAnswer, MakeServicesHarness, Received, ServicesHarness } from "../harness.ts"

const OTHER = "https://other.partner.example/events"
const FAILS: EndpointAnswer = { type: "status", status: 500, afterMs: 100 }
const ANSWERS: EndpointAnswer = { type: "status", status: 200, afterMs: 100 }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** What a receiver computes, apart from the service's own code. */
function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const [, seconds = "", given = ""] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["X-Service-Signature"] ?? "") ?? []
  return (
    given === createHmac("sha256", Buffer.from(secret, "utf8")).update(`${seconds}.${body}`).digest("hex")
  )
}

function firstAt(h: ServicesHarness, url: string): Received {
  const [first] = h.received(url)
  if (first === undefined) throw new Error(`${url} received nothing`)
  return first
}

export function webhookTests(make: MakeServicesHarness): void {
  const change = (h: ServicesHarness, id: string, request: ChangeWebhookRequest, caller: Partner = partner) =>
    h.run(webhooks.change(caller, id, request))

  describe("webhook endpoints", () => {
    test("E1: a registration answers the endpoint with its secret in full", async () => {
      const h = make()
      const endpoint = await subscribe(h, { events: ["reservation.exception"] })
      expect(endpoint).toEqual({
        webhook_id: expect.stringMatching(/^whk_[0-9A-Za-z]{22}$/) as string,
        url: HOOK,
        subscribed_events: ["reservation.exception"],
        is_active: true,
        secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/) as string,
        created_at: iso(h.now()),
        updated_at: iso(h.now()),
      })
    })

    test("E2: ever after only an ellipsis and its last four characters", async () => {
      const h = make()
      const { secret, webhook_id: id } = await subscribe(h)
      const masked = `…${secret.slice(-4)}`
      expect((await h.run(webhooks.list(partner))).map((one) => one.secret)).toEqual([masked])
      expect((await change(h, id, { is_active: false })).secret).toBe(masked)
    })

    test("E3: one may be registered inactive; every secret is its own", async () => {
      const h = make()
      const request = { url: HOOK, subscribed_events: EVENT_TYPES, is_active: false }
      const one = await h.run(webhooks.register(partner, request))
      const other = await h.run(webhooks.register(partner, request))
      expect(one.is_active).toBe(false)
      expect(other.webhook_id).not.toBe(one.webhook_id)
      expect(other.secret).not.toBe(one.secret)
    })

    test.each([
      ["webhooks:manage", holding("reservations:read", "reservations:write", "retailers:read")],
      ["reservations:read", holding("webhooks:manage", "reservations:write", "retailers:read")],
    ])("a registration needs %s", async (permission, caller) => {
      const h = make()
      const refusal = await refusalOf(
        h,
        webhooks.register(caller, { url: HOOK, subscribed_events: EVENT_TYPES }),
      )
      expect(refusal.code).toBe("PERMISSION_DENIED")
      expect(refusal.message).toContain(permission)
    })

    test.each([
      ["not a url", "INVALID_URL"],
      ["https://user:pass@hooks.partner.example/", "INVALID_URL"],
      ["http://hooks.partner.example/", "NOT_HTTPS"],
      ["https://93.184.215.14/", "BARE_IP_REJECTED"],
      ["https://unknown.partner.example/", "DNS_RESOLUTION_FAILED"],
      ["https://private.partner.example/", "BLOCKED_TARGET"],
    ])("E4: %s is INVALID_WEBHOOK_URL, %s, on registration and on change", async (url, detail) => {
      const h = make()
      h.breakHost("unknown.partner.example", "unknown")
      h.breakHost("private.partner.example", "private")
      const { webhook_id: id } = await subscribe(h)
      for (const command of [
        webhooks.register(partner, { url, subscribed_events: EVENT_TYPES }),
        webhooks.change(partner, id, { url, is_active: false }),
      ]) {
        const refusal = await refusalOf(h, command)
        expect([refusal.code, refusal.detail]).toEqual(["INVALID_WEBHOOK_URL", detail])
      }
      expect(await h.run(webhooks.list(partner))).toMatchObject([{ url: HOOK, is_active: true }])
    })

    test("G19: a URL that cannot be looked up now is URL_VALIDATION_UNAVAILABLE, on registration and on change", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      h.breakHost("down.partner.example", "unavailable")
      const url = "https://down.partner.example/"
      const registering = webhooks.register(partner, { url, subscribed_events: EVENT_TYPES })
      expect(await codeOf(h, registering)).toBe("URL_VALIDATION_UNAVAILABLE")
      expect(await codeOf(h, webhooks.change(partner, id, { url }))).toBe("URL_VALIDATION_UNAVAILABLE")
      expect(await h.run(webhooks.list(partner))).toMatchObject([{ url: HOOK }])
    })

    test.each(["unavailable", "unknown"] as const)(
      "E10 and G19: a URL that is sent back unchanged is not looked up: with its host %s the endpoint is switched off and gets a new secret",
      async (fault) => {
        const h = make()
        const { webhook_id: id } = await subscribe(h)
        h.breakHost(new URL(HOOK).hostname, fault)
        const changed = await change(h, id, { url: HOOK, is_active: false, rotate_secret: true })
        expect(changed).toMatchObject({ url: HOOK, is_active: false })
        expect(changed.secret).toMatch(/^whsec_[0-9a-f]{48}$/)
        const refused = { unavailable: "URL_VALIDATION_UNAVAILABLE", unknown: "INVALID_WEBHOOK_URL" }[fault]
        expect(await codeOf(h, webhooks.change(partner, id, { url: `${HOOK}/other` }))).toBe(refused)
      },
    )

    test("E5: an 11th endpoint is WEBHOOK_LIMIT_REACHED; inactive ones count, other scopes do not", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      await change(h, id, { is_active: false })
      for (let count = 0; count < 9; count += 1) await subscribe(h)
      await subscribe(h, { caller: stranger })
      await subscribe(h, { caller: sandboxPartner })
      const eleventh = webhooks.register(partner, { url: HOOK, subscribed_events: EVENT_TYPES })
      expect(await codeOf(h, eleventh)).toBe("WEBHOOK_LIMIT_REACHED")
      expect(await h.run(webhooks.list(partner))).toHaveLength(10)
    })

    test("E6: the list is oldest first, and one's own", async () => {
      const h = make()
      const first = await subscribe(h)
      await subscribe(h, { caller: stranger })
      await h.advance(1)
      const second = await subscribe(h, { url: OTHER })
      await change(h, first.webhook_id, { is_active: false })
      const list = await h.run(webhooks.list(partner))
      expect(list.map((one) => one.webhook_id)).toEqual([first.webhook_id, second.webhook_id])
    })

    test("E6: endpoints of the same instant are listed in the order of their registration", async () => {
      const h = make()
      const requests = [1, 2, 3, 4, 5].map((count) => ({
        url: `${HOOK}/${count}`,
        subscribed_events: EVENT_TYPES,
      }))
      const registered = await h.run(
        Effect.forEach(requests, (request) => webhooks.register(partner, request)),
      )
      await change(h, registered[1]?.webhook_id ?? "", { is_active: false })
      const list = await h.run(webhooks.list(partner))
      expect(list.map((one) => one.url)).toEqual(requests.map((request) => request.url))
    })

    test("a change writes what was sent and nothing else", async () => {
      const h = make()
      const { webhook_id: id, created_at } = await subscribe(h)
      await h.advance(MINUTE_MS)
      const changed = await change(h, id, { url: OTHER, subscribed_events: ["reservation.exception"] })
      expect(changed).toMatchObject({
        url: OTHER,
        subscribed_events: ["reservation.exception"],
        is_active: true,
        created_at,
        updated_at: iso(h.now()),
      })
      expect(await h.run(webhooks.list(partner))).toEqual([changed])
    })

    test("V2: an unknown endpoint, another organization's or the other environment's is NOT_FOUND", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      for (const [caller, target] of [
        [partner, "whk_none"],
        [stranger, id],
        [sandboxPartner, id],
      ] as const) {
        expect(await codeOf(h, webhooks.change(caller, target, { rotate_secret: true }))).toBe("NOT_FOUND")
      }
    })

    test("E8: rotate_secret false alone changes nothing", async () => {
      const h = make()
      const { webhook_id: id, secret } = await subscribe(h)
      expect((await change(h, id, { rotate_secret: false })).secret).toBe(`…${secret.slice(-4)}`)
      const receiving = await booked(h)
      await told(h)
      expect(receiving).not.toBe("")
      expect(h.received(HOOK).map((request) => isSignedWith(secret, request))).toEqual([true])
    })

    test("E11: rotation answers the new secret in full, and is not idempotent", async () => {
      const h = make()
      const { webhook_id: id, secret } = await subscribe(h)
      const once = await change(h, id, { rotate_secret: true })
      const twice = await change(h, id, { rotate_secret: true })
      expect(once.secret).toMatch(/^whsec_[0-9a-f]{48}$/)
      expect(new Set([secret, once.secret, twice.secret]).size).toBe(3)
    })

    const manager = holding("webhooks:manage")
    test.each<[string, ChangeWebhookRequest]>([
      ["switching off", { is_active: false }],
      ["rotating", { rotate_secret: true }],
      ["sending the same URL back", { url: HOOK }],
      ["sending the same events back in another order", { subscribed_events: EVENT_TYPES.toReversed() }],
      ["sending is_active true back", { is_active: true }],
      ["all of it", { url: HOOK, subscribed_events: EVENT_TYPES, is_active: true, rotate_secret: true }],
    ])("E9: with webhooks:manage alone %s is fine", async (_, request) => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      expect((await change(h, id, request, manager)).webhook_id).toBe(id)
    })

    test.each<[string[], ChangeWebhookRequest, boolean]>([
      [["url"], { url: OTHER }, true],
      [["subscribed_events"], { subscribed_events: ["reservation.exception"] }, true],
      [["is_active"], { is_active: true }, false],
      [
        ["url", "subscribed_events", "is_active"],
        { url: OTHER, subscribed_events: ["reservation.exception"], is_active: true, rotate_secret: true },
        false,
      ],
      [["url"], { url: OTHER, subscribed_events: EVENT_TYPES, is_active: false, rotate_secret: true }, true],
    ])(
      "E9: changing %j needs reservations:read, and the refusal names it",
      async (fields, request, isActive) => {
        const h = make()
        const { webhook_id: id } = await h.run(
          webhooks.register(partner, { url: HOOK, subscribed_events: EVENT_TYPES, is_active: isActive }),
        )
        const before = await h.run(webhooks.list(partner))
        const refusal = await refusalOf(h, webhooks.change(manager, id, request))
        expect(refusal.code).toBe("PERMISSION_DENIED")
        expect(refusal.problems?.map((problem) => problem.field)).toEqual(fields)
        for (const field of fields) expect(refusal.message).toContain(field)
        expect(await h.run(webhooks.list(partner))).toEqual(before)
      },
    )

    test("E9: without webhooks:manage nothing may be changed", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      const caller = holding("reservations:read", "reservations:write", "retailers:read")
      expect(await codeOf(h, webhooks.change(caller, id, { is_active: false }))).toBe("PERMISSION_DENIED")
    })

    test("E10: the permission comes before the URL's check", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      expect(await codeOf(h, webhooks.change(manager, id, { url: "http://x.example/" }))).toBe(
        "PERMISSION_DENIED",
      )
    })
  })

  describe("events", () => {
    test("E19: the envelope has four fields in their order; the extras stand flat beside the reservation", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const [event] = await told(h)
      expect(Object.keys(event ?? {})).toEqual(["event_id", "event_type", "occurred_at", "data"])
      expect(Object.keys(event?.data ?? {})).toEqual(["reservation", "previous_status"])
      expect(event?.event_id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(event?.occurred_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      expect(event?.data.reservation).toEqual(await seen(h, id))
    })

    test("E18: handoff_updated carries its milestone alone", async () => {
      const h = make()
      await subscribe(h, { events: ["reservation.handoff_updated"] })
      const id = await booked(h)
      await bringTo(h, id, "AT_STORE")
      expect(Object.keys((await told(h))[0]?.data ?? {})).toEqual(["reservation", "milestone"])
    })

    test("E17: previous_status is null on create, and the status before on every change", async () => {
      const h = make()
      await subscribe(h, { events: ["reservation.status_changed"] })
      const id = await booked(h)
      await bringTo(h, id, "LOADED")
      await report(h, id, "DEPARTED")
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > arrived", "arrived > completed"])
    })

    test("G10: along one reservation event ids and times increase strictly together", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await report(h, id, "DEPARTED")
      await h.run(runner.load(app, id, PHOTO))
      const events = await told(h)
      expect(events.length).toBeGreaterThan(7)
      const ids = events.map((event) => event.event_id)
      expect(ids).toEqual([...new Set(ids)].toSorted())
      const times = events.map((event) => event.occurred_at)
      expect(times).toEqual([...new Set(times)].toSorted())
    })

    test.each(EVENT_TYPES)("an endpoint is told what it subscribed to: %s", async (type) => {
      const h = make()
      await subscribe(h, { events: [type] })
      const id = await booked(h)
      await bringTo(h, id, "AT_STORE")
      await h.run(runner.hold(app, id, null))
      expect((await told(h)).map((event) => event.event_type)).toEqual([type])
    })

    test("E13: the headers of a delivery", async () => {
      const h = make()
      await subscribe(h)
      await booked(h)
      const [event] = await told(h)
      const headers = new Headers(h.received(HOOK)[0]?.headers)
      expect(headers.get("content-type")).toBe("application/json")
      expect(headers.get("user-agent")).not.toBeNull()
      expect(headers.get("x-service-delivery-id")).toMatch(UUID)
      expect(headers.get("x-service-event-id")).toBe(event?.event_id)
      expect(headers.get("x-service-event-type")).toBe("reservation.status_changed")
    })

    test("E14: the signature is HMAC-SHA256 over t and the raw body, keyed by the whole secret; t is the send time", async () => {
      const h = make()
      const { secret } = await subscribe(h)
      await booked(h, { end_user_name: "Zoë 😀" })
      const atMs = h.now()
      await told(h)
      const request = firstAt(h, HOOK)
      expect(isSignedWith(secret, request)).toBe(true)
      expect(isSignedWith(secret.slice("whsec_".length), request)).toBe(false)
      expect(request.headers["X-Service-Signature"]).toContain(`t=${Math.floor(atMs / 1000)},`)
    })

    test("E20: one event through two endpoints has one id, two delivery ids and two signatures", async () => {
      const h = make()
      const one = await subscribe(h)
      const two = await subscribe(h, { url: OTHER })
      await booked(h)
      await told(h)
      const [first, second] = [firstAt(h, HOOK), firstAt(h, OTHER)]
      expect(first.body).toBe(second.body)
      expect(first.headers["X-Service-Event-Id"]).toBe(second.headers["X-Service-Event-Id"])
      expect(first.headers["X-Service-Delivery-Id"]).not.toBe(second.headers["X-Service-Delivery-Id"])
      expect([isSignedWith(one.secret, first), isSignedWith(two.secret, second)]).toEqual([true, true])
    })

    test("E20: two endpoints of the same URL are two endpoints", async () => {
      const h = make()
      await subscribe(h)
      await subscribe(h)
      await booked(h)
      await told(h)
      expect(new Set(h.received(HOOK).map((request) => request.headers["X-Service-Delivery-Id"])).size).toBe(
        2,
      )
    })

    test("another organization's endpoints are told nothing", async () => {
      const h = make()
      await subscribe(h, { caller: stranger })
      await booked(h)
      expect(await told(h)).toEqual([])
    })

    test("E16: eight attempts with the same bytes and delivery id, then the delivery is dropped", async () => {
      const h = make()
      h.script(HOOK, [{ type: "refused" }])
      const { secret } = await subscribe(h, { events: ["reservation.status_changed"] })
      const id = await booked(h)
      await h.run(reservations.cancel(partner, id))
      await h.advance(2 * DAY_MS)
      const deliveries = Map.groupBy(h.received(HOOK), (request) => request.headers["X-Service-Delivery-Id"])
      expect(deliveries.size).toBe(2)
      for (const attempts of deliveries.values()) {
        const minutes = attempts.map(
          (attempt, at) => (attempt.atMs - (attempts[at - 1]?.atMs ?? attempt.atMs)) / MINUTE_MS,
        )
        expect(minutes).toEqual([0, 2, 4, 8, 16, 32, 60, 60])
        expect(new Set(attempts.map((attempt) => attempt.body)).size).toBe(1)
        expect(new Set(attempts.map((attempt) => attempt.headers["X-Service-Signature"])).size).toBe(8)
        for (const attempt of attempts) {
          expect(isSignedWith(secret, attempt)).toBe(true)
          expect(attempt.headers["X-Service-Signature"]).toContain(`t=${Math.floor(attempt.atMs / 1000)},`)
        }
      }
    })

    test.each<[string, EndpointAnswer]>([
      ["a redirect", { type: "status", status: 301, afterMs: 100 }],
      ["410", { type: "status", status: 410, afterMs: 100 }],
      ["503", { type: "status", status: 503, afterMs: 100 }],
      ["no connection", { type: "refused" }],
      ["no answer within 10 seconds", { type: "timeout" }],
      ["2xx after more than 10 seconds", { type: "status", status: 200, afterMs: 10_001 }],
    ])("a delivery answered by %s is tried again", async (_, answer) => {
      const h = make()
      h.script(HOOK, [answer, ANSWERS])
      await subscribe(h)
      await booked(h)
      await h.advance(10 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(2)
    })

    test("2xx within 10 seconds ends it", async () => {
      const h = make()
      h.script(HOOK, [{ type: "status", status: 299, afterMs: 10_000 - 1 }, FAILS])
      await subscribe(h)
      await booked(h)
      await h.advance(10 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(1)
    })

    test("a retry carries the snapshot of its moment, not of now", async () => {
      const h = make()
      h.script(HOOK, [FAILS, ANSWERS])
      await subscribe(h)
      const id = await booked(h)
      await h.advance(MINUTE_MS)
      await h.run(reservations.cancel(partner, id))
      await h.advance(10 * MINUTE_MS)
      const statuses = h
        .received(HOOK)
        .map((request) => JSON.parse(request.body) as { data: { reservation: { status: string } } })
      expect(statuses.map((body) => body.data.reservation.status)).toEqual([
        "confirmed",
        "canceled",
        "confirmed",
      ])
    })

    test("E12: an inactive endpoint is told nothing new; switched on again it hears what happens then", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h, { events: ["reservation.status_changed"] })
      await change(h, id, { is_active: false })
      const reservation = await booked(h)
      await h.advance(MINUTE_MS)
      await change(h, id, { is_active: true })
      await h.run(reservations.cancel(partner, reservation))
      await h.advance(DAY_MS)
      expect(await toldInShort(h)).toEqual(["confirmed > canceled"])
    })

    test("E12: what was queued before is discarded at its next attempt", async () => {
      const h = make()
      h.script(HOOK, [FAILS])
      const { webhook_id: id } = await subscribe(h)
      await booked(h)
      await h.advance(MINUTE_MS)
      await change(h, id, { is_active: false })
      await h.advance(5 * MINUTE_MS)
      await change(h, id, { is_active: true })
      await h.advance(30 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(1)
    })

    test("E24: what waits goes to the repointed URL, the same bytes", async () => {
      const h = make()
      h.script(HOOK, [FAILS])
      const { webhook_id: id, secret } = await subscribe(h)
      await booked(h)
      await h.advance(MINUTE_MS)
      await change(h, id, { url: OTHER })
      await h.advance(5 * MINUTE_MS)
      expect([h.received(HOOK).length, h.received(OTHER).length]).toEqual([1, 1])
      const [first, second] = [firstAt(h, HOOK), firstAt(h, OTHER)]
      expect(second.body).toBe(first.body)
      expect(second.headers["X-Service-Delivery-Id"]).toBe(first.headers["X-Service-Delivery-Id"])
      expect(isSignedWith(secret, second)).toBe(true)
    })

    test.each(["private", "unknown", "unavailable"] as const)(
      "G18: the host is looked up at every attempt: one that is %s by then gets no request",
      async (fault) => {
        const h = make()
        await subscribe(h)
        h.breakHost("hooks.partner.example", fault)
        await booked(h)
        await h.advance(MINUTE_MS)
        expect(h.received(HOOK)).toEqual([])
        h.breakHost("hooks.partner.example", null)
        await h.advance(2 * MINUTE_MS)
        expect(h.received(HOOK)).toHaveLength(1)
      },
    )

    test("E15: a rotated secret signs from the next attempt on, retries of older events included", async () => {
      const h = make()
      h.script(HOOK, [FAILS, ANSWERS])
      const { webhook_id: id, secret } = await subscribe(h)
      await booked(h)
      await h.advance(MINUTE_MS)
      const { secret: rotated } = await change(h, id, { rotate_secret: true })
      await h.advance(5 * MINUTE_MS)
      const signedBy = h
        .received(HOOK)
        .map((request) => [isSignedWith(secret, request), isSignedWith(rotated, request)])
      expect(signedBy).toEqual([
        [true, false],
        [false, true],
      ])
    })

    test("E22: with the switch off, handoffs and exceptions are not queued; subscribing is allowed", async () => {
      const h = make({ policy: { ...DEFAULT_POLICY, announcesHandoffs: false } })
      await subscribe(h)
      const id = await booked(h)
      await bringTo(h, id, "AT_STORE")
      await h.run(runner.hold(app, id, null))
      await h.run(reservations.cancel(partner, id))
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > canceled"])
    })

    test("an endpoint registered later hears nothing of before", async () => {
      const h = make()
      await booked(h)
      await h.advance(10 * SECOND_MS)
      await subscribe(h)
      await h.advance(DAY_MS)
      expect((await toldInShort(h)).slice(0, 1)).toEqual(["confirmed > canceled"])
    })
  })
}
