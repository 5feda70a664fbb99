/** Webhooks of both APIs in the portal: endpoints, log, sending again, and the check of signatures. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { signBody, signWebhook } from "../../../src/areas/webhooks/signature.ts"
import { WebhookStore } from "../../../src/areas/webhooks/store.ts"
import { PickupWebhooks, Webhooks } from "../../../src/areas/webhooks/webhooks.ts"
import type { Partner } from "../../../src/model/caller.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"
import { API, codeOf, started } from "./sandbox.ts"

const HOOK = "https://hooks.partner.example/pickups"
const DOWN = { type: "status", status: 503, afterMs: 5 } as const
const UP = { type: "status", status: 200, afterMs: 5 } as const

interface Event {
  readonly sending_id: string
  readonly delivery_id: string
  readonly event: string
  readonly status: string | null
  readonly outcome: string
  readonly is_redelivery: boolean
  readonly body: string
}

function registered(portal: Portal, partner: Partner, url = HOOK): string {
  const events = ["pickup_status.changed"] as const
  return portal.run(Effect.flatMap(PickupWebhooks, (hooks) => hooks.register(partner, { url, events })))
    .webhook_id
}

function registeredForReservations(portal: Portal, partner: Partner): string {
  const request = { url: `${HOOK}/rs`, subscribed_events: ["reservation.status_changed"] } as const
  return portal.run(Effect.flatMap(Webhooks, (hooks) => hooks.register(partner, request))).webhook_id
}

/** A delivery that was advanced; returns its id. */
async function advanced(browser: Browser, steps: number): Promise<string> {
  const { data } = await browser.call("POST", `${API}/sandbox/deliveries`)
  const { id } = data["delivery"] as { id: string }
  for (let step = 0; step < steps; step += 1) await browser.call("POST", `${API}/deliveries/${id}/advance`)
  return id
}

async function eventsOf(browser: Browser, query = ""): Promise<readonly Event[]> {
  const { status, data } = await browser.call("GET", `${API}/webhook-events?${query}`)
  expect(status).toBe(200)
  return data["events"] as readonly Event[]
}

describe("endpoints", () => {
  test("of both APIs are listed with their failures in a row, and never with a secret", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const [pickups, reservations] = [registered(portal, partner), registeredForReservations(portal, partner)]
    portal.service.world.script(HOOK, [DOWN, DOWN])
    await advanced(browser, 1)
    portal.advance(MINUTE_MS)
    const { data } = await browser.call("GET", `${API}/webhook-endpoints`)
    expect(data["endpoints"]).toMatchObject([
      {
        webhook_id: reservations,
        api: "reservations",
        events: ["reservation.status_changed"],
        consecutive_failures: null,
        failures_max: null,
        is_active: true,
      },
      {
        webhook_id: pickups,
        api: "direct_delivery",
        url: HOOK,
        consecutive_failures: 2,
        failures_max: 50,
        disabled_at: null,
      },
    ])
    expect(JSON.stringify(data)).not.toContain("whsec_")
    const stranger = await portal.signedUp("eve@else.example")
    expect((await stranger.call("GET", `${API}/webhook-endpoints`)).data["endpoints"]).toEqual([])
  })
})

describe("the log", () => {
  test("has the events of every endpoint newest first, by pages", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    registered(portal, partner)
    registered(portal, partner, `${HOOK}/2`)
    await advanced(browser, 3)
    portal.advance(SECOND_MS)
    const all = await eventsOf(browser)
    expect(all.map(({ status }) => status)).toEqual(
      ["ARRIVED_AT_STORE", "EN_ROUTE_TO_STORE", "ASSIGNED"].flatMap((status) => [status, status]),
    )
    const first = await browser.call("GET", `${API}/webhook-events?limit=4`)
    const rest = await eventsOf(browser, `cursor=${String(first.data["next_cursor"])}`)
    expect([...(first.data["events"] as Event[]), ...rest]).toEqual(all)
  })

  test("narrows by endpoint, event, subject and outcome", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const one = registered(portal, partner)
    const two = registered(portal, partner, `${HOOK}/2`)
    portal.service.world.script(HOOK, [DOWN, UP])
    const id = await advanced(browser, 1)
    const other = await advanced(browser, 1)
    portal.advance(SECOND_MS)
    await browser.call("POST", `${API}/delivery-webhooks/${two}/test`)
    portal.advance(SECOND_MS)
    expect(await eventsOf(browser)).toHaveLength(5)
    expect(await eventsOf(browser, `webhook_id=${one}`)).toHaveLength(2)
    expect(await eventsOf(browser, "event=webhook.test")).toMatchObject([
      { webhook_id: two, subject_id: two },
    ])
    expect(await eventsOf(browser, `subject_id=${id}&webhook_id=${one}`)).toMatchObject([
      { outcome: "waiting" },
    ])
    expect(await eventsOf(browser, `subject_id=${other}`)).toHaveLength(2)
    expect(await eventsOf(browser, "outcome=waiting")).toMatchObject([{ webhook_id: one, subject_id: id }])
    expect(await eventsOf(browser, "outcome=waiting&outcome=delivered&limit=3")).toHaveLength(3)
    const page = await browser.call("GET", `${API}/webhook-events?outcome=delivered&limit=3`)
    expect(
      await eventsOf(browser, `outcome=delivered&cursor=${String(page.data["next_cursor"])}`),
    ).toHaveLength(1)
    for (const query of ["outcome=lost", "event=x", "limit=0", "cursor=abc", "webhook_id="])
      expect(await codeOf(browser, "GET", `/webhook-events?${query}`)).toBe("400 VALIDATION_ERROR")
    expect(await codeOf(browser, "GET", "/webhook-events?webhook_id=whk_none")).toBe("404 NOT_FOUND")
  })

  test("shows one event with the body that was sent", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    registered(portal, partner)
    await advanced(browser, 1)
    portal.advance(SECOND_MS)
    const [sent] = portal.service.world.receivedAt(HOOK)
    const [line] = await eventsOf(browser)
    const { data } = await browser.call("GET", `${API}/webhook-events/${line?.sending_id}`)
    expect(data["event"]).toEqual({ ...line, body: sent?.body })
  })

  test("is the organization's own", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const webhookId = registered(portal, partner)
    const id = await advanced(browser, 1)
    portal.advance(SECOND_MS)
    const [line] = await eventsOf(browser)
    const { browser: stranger } = await started(portal, "eve@else.example")
    expect(await eventsOf(stranger)).toEqual([])
    expect(await eventsOf(stranger, `subject_id=${id}`)).toEqual([])
    expect(await codeOf(stranger, "GET", `/webhook-events?webhook_id=${webhookId}`)).toBe("404 NOT_FOUND")
    for (const [method, path, body] of [
      ["GET", `/webhook-events/${line?.sending_id}`],
      ["POST", `/webhook-events/${line?.sending_id}/resend`],
      ["POST", `/delivery-webhooks/${webhookId}/resend-since`, { since: isoMs(portal.now()) }],
      ["POST", `/webhooks/${webhookId}/check-signature`, { headers: {}, body: "" }],
    ] as const) {
      expect(await codeOf(stranger, method, path, body)).toBe("404 NOT_FOUND")
      expect(await codeOf(portal.browser(), method, path, body)).toBe("401 SIGN_IN_REQUIRED")
      const there = `${path}?environment=production`
      expect(await codeOf(browser, method, there, body)).toBe("403 ORG_INACTIVE")
    }
    expect(await codeOf(browser, "GET", "/webhook-events/none")).toBe("404 NOT_FOUND")
  })
})

describe("sending again", () => {
  test("sends an event that has ended, and not one in flight or of reservations", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    registered(portal, partner)
    portal.service.world.script(HOOK, [DOWN, UP])
    await advanced(browser, 1)
    portal.advance(SECOND_MS)
    const [waiting] = await eventsOf(browser)
    const path = `/webhook-events/${waiting?.sending_id}/resend`
    expect(await codeOf(browser, "POST", path)).toBe("409 INVALID_STATE")
    portal.advance(MINUTE_MS)
    const { status, data } = await browser.call("POST", `${API}${path}`)
    expect(status).toBe(202)
    expect(data["event"]).toMatchObject({
      is_redelivery: true,
      delivery_id: waiting?.delivery_id,
      outcome: "sending",
    })
    portal.advance(SECOND_MS)
    expect(portal.service.world.receivedAt(HOOK)).toHaveLength(3)
  })

  test("since an instant sends what was dropped, oldest first, and not what was delivered", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const webhookId = registered(portal, partner)
    await advanced(browser, 1)
    portal.advance(MINUTE_MS)
    portal.service.world.script(
      HOOK,
      Array.from({ length: 15 }, () => DOWN),
    )
    const since = isoMs(portal.now())
    await advanced(browser, 3)
    portal.advance(HOUR_MS)
    expect(await eventsOf(browser, "outcome=dropped")).toHaveLength(3)
    const path = `${API}/delivery-webhooks/${webhookId}/resend-since`
    portal.service.world.script(HOOK, [UP])
    const before = portal.service.world.receivedAt(HOOK).length
    const answer = await browser.call("POST", path, { body: { since } })
    expect(answer).toMatchObject({ status: 202, data: { resent: 3, has_more: false } })
    portal.advance(SECOND_MS)
    const again = portal.service.world.receivedAt(HOOK).slice(before)
    expect(again.map(({ body }) => (JSON.parse(body) as { data: { status: string } }).data.status)).toEqual([
      "ASSIGNED",
      "EN_ROUTE_TO_STORE",
      "ARRIVED_AT_STORE",
    ])
    expect((await browser.call("POST", path, { body: { since } })).data).toEqual({
      resent: 0,
      has_more: false,
    })
    const short = `/delivery-webhooks/${webhookId}/resend-since`
    expect(await codeOf(browser, "POST", short, { since: "today" })).toBe("400 VALIDATION_ERROR")
    portal.run(
      Effect.flatMap(PickupWebhooks, (hooks) => hooks.change(partner, webhookId, { is_active: false })),
    )
    expect(await codeOf(browser, "POST", short, { since })).toBe("409 INVALID_STATE")
    const reservations = registeredForReservations(portal, partner)
    expect(await codeOf(browser, "POST", `/delivery-webhooks/${reservations}/resend-since`, { since })).toBe(
      "409 INVALID_STATE",
    )
  })
})

describe("the check of a signature", () => {
  /** An endpoint with an event that it got. */
  async function received() {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const webhookId = registered(portal, partner)
    await advanced(browser, 1)
    portal.advance(SECOND_MS)
    const [sent] = portal.service.world.receivedAt(HOOK)
    if (sent === undefined) throw new Error("nothing was received")
    const check = async (headers: object, body: string, id = webhookId) => {
      const { status, data } = await browser.call("POST", `${API}/webhooks/${id}/check-signature`, {
        body: { headers, body },
      })
      expect(status).toBe(200)
      expect(data["is_valid"]).toBe(data["verdict"] === "valid")
      return data["verdict"]
    }
    return { portal, browser, partner, webhookId, sent, check }
  }

  test("says what is wrong with a request of a direct delivery", async () => {
    const { portal, partner, webhookId, sent, check } = await received()
    const { headers, body } = sent
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    expect(await check(headers, body)).toBe("valid")
    expect(await check(lower, body)).toBe("valid")
    const { "X-Service-Signature": signature = "", ...bare } = headers
    expect(await check(bare, body)).toBe("no_signature")
    expect(await check({ ...headers, "X-Service-Signature": "sha256=1" }, body)).toBe("malformed_signature")
    expect(await check(headers, `${body} `)).toBe("altered_body")
    expect(await check({ "X-Service-Signature": signature }, `${body} `)).toBe("no_match")
    const forged = signBody({ secret: "whsec_other", body })
    expect(await check({ ...headers, "X-Service-Signature": forged }, body)).toBe("wrong_secret")
    portal.run(
      Effect.flatMap(PickupWebhooks, (hooks) => hooks.change(partner, webhookId, { rotate_secret: true })),
    )
    expect(await check(headers, body)).toBe("wrong_secret")
  })

  test("of a reservation looks at its time too", async () => {
    const { portal, partner, check } = await received()
    const webhookId = registeredForReservations(portal, partner)
    const endpoint = portal.run(Effect.flatMap(WebhookStore, (store) => store.endpoint(webhookId)))
    const { secret = "" } = endpoint ?? {}
    const signed = (atMs: number) => ({ "X-Service-Signature": signWebhook({ secret, body: "{}", atMs }) })
    expect(await check(signed(portal.now()), "{}", webhookId)).toBe("valid")
    expect(await check(signed(portal.now() - 5 * MINUTE_MS - SECOND_MS), "{}", webhookId)).toBe("too_old")
    expect(await check(signed(portal.now()), "{ }", webhookId)).toBe("no_match")
    expect(await check({ "x-service-signature": "0".repeat(64) }, "{}", webhookId)).toBe(
      "malformed_signature",
    )
  })

  test("needs headers and a body as texts, of a bounded length", async () => {
    const { browser, webhookId } = await received()
    const path = `/webhooks/${webhookId}/check-signature`
    for (const body of [
      {},
      { headers: {} },
      { headers: { a: 1 }, body: "" },
      { headers: {}, body: "x".repeat(262_145) },
    ])
      expect(await codeOf(browser, "POST", path, body)).toBe("400 VALIDATION_ERROR")
    expect(
      await codeOf(browser, "POST", "/webhooks/whk_none/check-signature", { headers: {}, body: "" }),
    ).toBe("404 NOT_FOUND")
  })
})
