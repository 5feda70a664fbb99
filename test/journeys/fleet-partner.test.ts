/** A fleet partner: from an API key to a completed reservation, with a runner, a bot, an open link and signed webhooks. */

import { afterAll, beforeAll, expect, test } from "vitest"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { startNameServer } from "../serve/name-server.ts"
import { startReceiver } from "../serve/service-process.ts"
import type { Receiver } from "../serve/service-process.ts"
import { inMinutes, onDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"

const EVENTS = ["reservation.status_changed", "reservation.handoff_updated", "reservation.exception"]

/** The events of the visit at the endpoint, in order. */
const TOLD = [
  ["reservation.status_changed", "confirmed"],
  ["reservation.handoff_updated", "task_started"],
  ["reservation.handoff_updated", "order_in_hand"],
  ["reservation.handoff_updated", "runner_at_unit"],
  ["reservation.status_changed", "arrived"],
  ["reservation.handoff_updated", "handoff_complete"],
  ["reservation.status_changed", "completed"],
]

/** A host that the name server cannot look up now. */
const AWAY = "https://away.partner.example/hook"
const SITE = "d0a1b2c3-0000-4000-8000-00000000d001"

const nameServer = await startNameServer()
afterAll(() => nameServer.stop())

const env = (): NodeJS.ProcessEnv => ({ CURBLINE_NAME_SERVERS: nameServer.address })

onDatabases("a fleet partner", { hasDemo: true, env }, ({ database, process, ask }) => {
  let receiver: Receiver
  let secret = ""
  let place: Json
  let reservation = ""

  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())

  const partner = (method: string, path: string, body?: object, more: object = {}): Promise<Answered> =>
    ask({
      method,
      path,
      bearer: process().access.production.api_key,
      ...(body === undefined ? {} : { body }),
      ...more,
    })
  const operations = (step: string, body?: object | string, more: object = {}): Promise<Answered> =>
    ask({
      method: "POST",
      path: `/internal/v1/reservations/${reservation}/${step}`,
      bearer: process().access.production.operator_token,
      ...(body === undefined ? {} : { body }),
      ...more,
    })
  const report = (status: string, more: object = {}): Promise<Answered> =>
    partner("POST", `/rs/v1/reservations/${reservation}/bot`, { status, ...more })

  test("the key shows where the partner may book", async () => {
    const { status, data } = await partner("GET", "/rs/v1/retailers")
    expect(status).toBe(200)
    place = data.sites[0].zones[0]
    expect(place).toMatchObject({ zone_id: "zone_domain_north" })
  })

  test("an endpoint for all three events is registered, and its secret is told once", async () => {
    const made = await partner("POST", "/rs/v1/webhooks", {
      url: `${receiver.url}/hook`,
      subscribed_events: EVENTS,
    })
    expect(made.status).toBe(201)
    secret = made.data.webhook.secret
    expect(secret).toMatch(/^whsec_[0-9a-f]{48}$/)
    const { data } = await partner("GET", "/rs/v1/webhooks")
    expect(data.webhooks[0].secret).toBe(`…${secret.slice(-4)}`)
  })

  test("a visit is booked once, however often the request is sent", async () => {
    const body = {
      zone_id: place.zone_id,
      retailer_id: place.retailers[0].retailer_id,
      order_number: "1001",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      open_link_url: `${receiver.url}/open`,
      arrival_window_start: inMinutes(10),
      arrival_window_end: inMinutes(40),
    }
    const headers = { "idempotency-key": "visit-1001" }
    const first = await partner("POST", "/rs/v1/reservations", body, { headers })
    expect([first.status, first.data.reservation.status]).toEqual([201, "confirmed"])
    reservation = first.data.reservation.reservation_id
    const again = await partner("POST", "/rs/v1/reservations", body, { headers })
    expect([again.status, again.data.reservation.reservation_id]).toEqual([200, reservation])
  })

  test("the runner fetches the order while the bot drives", async () => {
    expect((await operations("runner", { runner_id: "runner_7" })).status).toBe(200)
    expect((await report("INBOUND", { label: "Bot 12", eta: inMinutes(8) })).status).toBe(200)
    for (const step of ["at-store", "order-in-hand", "at-unit"]) {
      expect([step, (await operations(step)).status]).toEqual([step, 200])
    }
    const { data } = await partner("GET", `/rs/v1/reservations/${reservation}`)
    expect(data.reservation).toMatchObject({
      status: "confirmed",
      bot: { status: "INBOUND", label: "Bot 12" },
      handoff: { status: "AT_UNIT" },
    })
  })

  test("the ready bot is asked to open, the load is photographed, and the visit completes", async () => {
    expect((await report("ARRIVED")).data.reservation.status).toBe("arrived")
    const ready = await report("READY_FOR_HANDOFF")
    expect(ready.data.reservation.handoff.status).toBe("HANDOFF_READY")
    await expect.poll(() => receiver.received.some(({ path }) => path === "/open")).toBe(true)
    const loaded = await operations("load", undefined, {
      body: PHOTO,
      headers: { "content-type": "image/png" },
    })
    expect([loaded.status, loaded.data.reservation?.handoff?.status]).toEqual([200, "LOADED"])
    expect((await report("SECURED")).status).toBe(200)
    expect((await report("DEPARTED")).data.reservation.status).toBe("completed")
    const { data } = await partner("GET", `/rs/v1/reservations/${reservation}`)
    const photo = await fetch(data.reservation.handoff.load_photo_url)
    expect([photo.status, photo.headers.get("content-type")]).toEqual([200, "image/jpeg"])
  })

  test("each event arrived once, in order of its instants, under a signature that fits", async () => {
    const hooks = (): Receiver["received"] => receiver.received.filter(({ path }) => path === "/hook")
    await expect.poll(() => hooks().length).toBe(TOLD.length)
    for (const { headers, body } of hooks()) {
      const header = String(headers["x-service-signature"])
      const nowMs = Date.now()
      expect(verifyWebhook({ header, body, secrets: [secret], nowMs, toleranceMs: 300_000 })).toBe(true)
    }
    const told = hooks()
      .map(({ body }) => JSON.parse(body))
      .toSorted((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))
      .map(({ event_type, data }) => [event_type, data.milestone ?? data.reservation.status])
    expect(told).toEqual(TOLD)
  })

  test("an ended visit refuses what comes late, and says why", async () => {
    const late = await partner("DELETE", `/rs/v1/reservations/${reservation}`)
    expect([late.status, late.body.code]).toEqual([409, "INVALID_STATE"])
    expect((await report("DEPARTED")).status).toBe(200)
    expect((await report("ARRIVED")).body.code).toBe("INVALID_STATE")
  })

  /** Bookings of the partner at once, whose open link has a name that is looked up. */
  const bookings = async (count: number, first: number): Promise<readonly number[]> => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        partner("POST", "/rs/v1/reservations", {
          zone_id: place.zone_id,
          retailer_id: place.retailers[0].retailer_id,
          order_number: String(first + at),
          end_user_name: "Ada Example",
          end_user_phone: "+15125550100",
          open_link_url: "https://open.partner.example/open",
          arrival_window_start: inMinutes(10),
          arrival_window_end: inMinutes(40),
        }),
      ),
    )
    return answers.map(({ status }) => status)
  }
  const BOOKED = Array.from({ length: 5 }, () => 201)

  test("G19: a stranger in the sandbox whose name servers are silent delays no booking of production", async () => {
    let count = 0
    const attack = new AbortController()
    const codes = new Set<string>()
    const stranger = async (): Promise<void> => {
      while (!attack.signal.aborted) {
        count += 1
        const { body } = await ask({
          host: "sandbox",
          path: "/rs/v1/webhooks",
          bearer: process().access.sandbox.api_key,
          body: { url: `https://silent${count}.stranger.example/`, subscribed_events: EVENTS },
        })
        codes.add(body.code)
      }
    }
    const strangers = Array.from({ length: 10 }, stranger)
    const wasAsked = (): boolean => nameServer.asked.some((name) => name.endsWith("stranger.example"))
    await expect.poll(wasAsked).toBe(true)
    expect(await bookings(5, 2001)).toEqual(BOOKED)
    attack.abort()
    await Promise.all(strangers)
    expect(codes).toEqual(new Set(["URL_VALIDATION_UNAVAILABLE"]))
  })

  test("G19: ten endpoints without a name server of one organization delay no booking of another", async () => {
    const { production } = process().access
    const operate = (path: string, body: object): Promise<Answered> =>
      ask({ path: `/internal/v1${path}`, bearer: production.operator_token, body })
    const made = await operate("/organizations", {
      name: "Silent",
      is_fleet_partner: true,
      environments: ["production"],
    })
    const id = made.data.organization.organization_id
    const granted = await ask({
      method: "PUT",
      path: `/internal/v1/organizations/${id}/grants/${place.zone_id}/${place.retailers[0].retailer_id}`,
      bearer: production.operator_token,
    })
    expect(granted.status).toBeLessThan(300)
    const permissions = ["reservations:read", "reservations:write", "webhooks:manage"]
    const bearer = (await operate(`/organizations/${id}/api-keys`, { permissions })).data.value
    const other = (path: string, body: object): Promise<Answered> => ask({ path, bearer, body })
    const end = `${database === "PostgreSQL" ? "sql" : "embedded"}.endpoints.example`
    for (let at = 0; at < 10; at += 1) {
      const url = `https://h${at}.${end}/`
      expect((await other("/rs/v1/webhooks", { url, subscribed_events: EVENTS })).status).toBe(201)
    }
    nameServer.silence(end)
    const asked = nameServer.asked.length
    const { status } = await other("/rs/v1/reservations", {
      zone_id: place.zone_id,
      retailer_id: place.retailers[0].retailer_id,
      order_number: "3001",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      open_link_url: `${receiver.url}/open`,
      arrival_window_start: inMinutes(10),
      arrival_window_end: inMinutes(40),
    })
    expect(status).toBe(201)
    await expect
      .poll(() => new Set(nameServer.asked.slice(asked).filter((name) => name.endsWith(end))).size)
      .toBe(10)
    expect(await bookings(5, 4001)).toEqual(BOOKED)
  })

  test("while the host of an address cannot be looked up, 503 says when to try again, and the same key then books", async () => {
    const { zone_id } = place
    const booking = (open_link_url: string): Promise<Answered> =>
      partner(
        "POST",
        "/rs/v1/reservations",
        {
          zone_id,
          retailer_id: place.retailers[0].retailer_id,
          order_number: "1002",
          end_user_name: "Ada Example",
          end_user_phone: "+15125550100",
          open_link_url,
          arrival_window_start: inMinutes(10),
          arrival_window_end: inMinutes(40),
        },
        { headers: { "idempotency-key": "visit-1002" } },
      )
    const hook = { url: AWAY, subscribed_events: EVENTS }
    for (const refused of [await booking(AWAY), await partner("POST", "/rs/v1/webhooks", hook)]) {
      expect([refused.status, refused.body.code]).toEqual([503, "URL_VALIDATION_UNAVAILABLE"])
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    }
    expect((await partner("GET", "/rs/v1/webhooks")).data.webhooks).toHaveLength(1)
    expect((await booking(`${receiver.url}/open`)).status).toBe(201)
    expect((await booking(`${receiver.url}/open`)).status).toBe(200)
    expect((await booking(AWAY)).body.code).toBe("IDEMPOTENCY_KEY_REUSED")
  })

  test("an organization is admitted when it is active, provisioned on this host and enrolled, and told which it is not", async () => {
    const asked = (path: string, body: object, method = "POST"): Promise<Answered> =>
      ask({ method, path: `/internal/v1${path}`, bearer: process().access.production.operator_token, body })
    const made = await asked("/organizations", {
      name: "Bots",
      is_fleet_partner: false,
      environments: ["sandbox"],
    })
    const id = made.data.organization.organization_id
    const permissions = ["reservations:read", "reservations:write", "retailers:read", "deliveries:read"]
    const bearer = (await asked(`/organizations/${id}/api-keys`, { permissions })).data.value
    const said = async (path: string): Promise<string> => {
      const { status, body, headers } = await ask({ path, bearer, headers: { "x-retailer-id": SITE } })
      expect(headers.get("ratelimit-limit")).toBe("300")
      return `${status} ${body.code ?? ""}`.trim()
    }
    const change = (fields: object): Promise<Answered> => asked(`/organizations/${id}`, fields, "PATCH")
    const [reservations, deliveries] = ["/rs/v1/retailers", "/dd/v1/deliveries"]
    expect([await said(reservations), await said(deliveries)]).toEqual([
      "403 ORG_INACTIVE",
      "403 ORG_INACTIVE",
    ])
    await change({ environments: ["production", "sandbox"] })
    // Retailers need no enrolment: the site alone is not theirs.
    expect([await said(reservations), await said(deliveries)]).toEqual([
      "403 NOT_FLEET_PARTNER",
      "404 RETAILER_NOT_FOUND",
    ])
    await change({ is_fleet_partner: true })
    expect(await said(reservations)).toBe("200")
    await change({ is_active: false })
    expect([await said(reservations), await said(deliveries)]).toEqual([
      "403 ORG_INACTIVE",
      "403 ORG_INACTIVE",
    ])
    await change({ is_active: true })
    expect(await said(reservations)).toBe("200")
  })
})

/** One transparent pixel. */
const PHOTO = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
