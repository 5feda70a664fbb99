/** Direct delivery's webhooks over HTTP: registration, payloads, log, sending again, a test, the fiftieth failure (PW). */

import { createHmac } from "node:crypto"
import { eq } from "drizzle-orm"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { Database } from "../../src/engine/store/database.ts"
import { messages } from "../../src/areas/messages/rows.ts"
import { declaredTable } from "../../src/engine/store/declared-table.ts"
import { portalProfiles } from "../../src/apps/portal/rows.ts"
import { DEPOT_DISTANCE_M } from "../../src/model/values/limits.ts"
import { BARE_SITE, north } from "../conformance/delivery-world.ts"
import { HOOK, iso } from "./api.ts"
import type { Answered } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

const outbox = declaredTable(messages)

const FAILS = { type: "status", status: 500, afterMs: 10 } as const
const ACCEPTS = { type: "status", status: 204, afterMs: 10 } as const

interface Hooked extends Shop {
  readonly path: string
  readonly secret: string
  /** One step; its webhook is then in flight. */
  readonly step: () => Promise<void>
}

/** A sandbox with an order, and an endpoint for one kind of event or both. */
async function hooked(events: readonly string[] = ["pickup_status.changed"]): Promise<Hooked> {
  const shop = await openShop("sandbox")
  const made = await shop.api.call("POST", "/dd/v1/webhooks", { body: { url: HOOK, events } })
  await created(shop)
  return {
    ...shop,
    path: `/dd/v1/webhooks/${String(made.data["webhook_id"])}`,
    secret: String(made.data["secret"]),
    step: async () => {
      expect((await shop.call("POST", "/dd/v1/deliveries/order-1/advance")).status).toBe(200)
      await shop.api.advance(SECOND_MS)
    },
  }
}

type Line = Readonly<Record<string, unknown>>

function linesOf({ body }: Answered): readonly Line[] {
  return body["data"] as readonly Line[]
}

describe("an endpoint", () => {
  const WEBHOOKS = "/dd/v1/webhooks"
  const STATUS = ["pickup_status.changed"]

  test("PW1 and PW2 and PW8: is registered, listed, read, changed, rotated and deleted; its secret is whole where it is made", async () => {
    const { api } = await openShop()
    const made = await api.call("POST", WEBHOOKS, { body: { url: HOOK, events: STATUS } })
    expect(made.data).toMatchObject({ url: HOOK, events: STATUS, is_active: true, consecutive_failures: 0 })
    expect(made.data["secret"]).toMatch(/^whsec_[0-9a-f]{48}$/)
    const masked = { ...made.data, secret: `…${String(made.data["secret"]).slice(-4)}` }
    const path = `${WEBHOOKS}/${String(made.data["webhook_id"])}`
    expect((await api.call("GET", path)).data).toEqual(masked)
    expect(linesOf(await api.call("GET", WEBHOOKS))).toEqual([masked])
    const more = { url: `${HOOK}/2`, events: PICKUP_EVENT_TYPES, is_active: false }
    expect((await api.call("PUT", path, { body: more })).data).toEqual({ ...masked, ...more })
    const rotated = await api.call("PUT", path, { body: { rotate_secret: true } })
    expect(rotated.data["secret"]).toMatch(/^whsec_[0-9a-f]{48}$/)
    expect(rotated.data["secret"]).not.toBe(made.data["secret"])
    for (const bad of [{}, { is_active: "yes" }, { rotate_secret: 1 }]) {
      expect(codeOf(await api.call("PUT", path, { body: bad })), JSON.stringify(bad)).toBe(
        "400 VALIDATION_ERROR",
      )
    }
    expect((await api.call("DELETE", path)).data).toEqual({ webhook_id: made.data["webhook_id"] })
    for (const method of ["GET", "DELETE"]) expect(codeOf(await api.call(method, path))).toBe("404 NOT_FOUND")
    expect(codeOf(await api.call("PUT", path, { body: more }))).toBe("404 NOT_FOUND")
  })

  test("PW5 and PW6: names one or two different events, and a URL that is refused says why, registered or changed", async () => {
    const { api } = await openShop()
    const ways: readonly ((body: object) => Promise<Answered>)[] = [
      (body) => api.call("POST", WEBHOOKS, { body: { url: HOOK, events: STATUS, ...body } }),
      (body) => api.call("PUT", path, { body }),
    ]
    const made = await ways[0]?.({})
    const path = `${WEBHOOKS}/${String(made?.data["webhook_id"])}`
    api.service.breakHost("unknown.example", "unknown")
    api.service.breakHost("inside.example", "private")
    for (const way of ways) {
      for (const events of [STATUS, ["pickup.vehicle_location.changed"], PICKUP_EVENT_TYPES]) {
        expect((await way({ events })).data["events"]).toEqual(events)
      }
      for (const events of [
        [],
        [...STATUS, ...STATUS],
        ["reservation.exception"],
        [...STATUS, "x"],
        "pickup_status.changed",
        null,
      ]) {
        expect(codeOf(await way({ events })), JSON.stringify(events)).toBe("400 VALIDATION_ERROR")
      }
      for (const [url, detail] of [
        ["no url", "INVALID_URL"],
        ["http://hooks.partner.example/", "NOT_HTTPS"],
        ["https://8.8.8.8/", "BARE_IP_REJECTED"],
        ["https://unknown.example/", "DNS_RESOLUTION_FAILED"],
        ["https://inside.example/", "BLOCKED_TARGET"],
      ] as const) {
        const refused = await way({ url })
        expect(codeOf(refused), url).toBe("400 INVALID_WEBHOOK_URL")
        expect(refused.body["error"]).toContain(detail)
      }
    }
    expect(codeOf(await api.call("POST", WEBHOOKS, { body: { url: HOOK } }))).toBe("400 VALIDATION_ERROR")
  })

  test("PW7: is one of ten", async () => {
    const { api } = await openShop()
    const register = (count: number) =>
      api.call("POST", WEBHOOKS, { body: { url: `${HOOK}/${count}`, events: STATUS } })
    for (let count = 0; count < 10; count += 1) expect((await register(count)).status).toBe(201)
    expect(codeOf(await register(10))).toBe("422 WEBHOOK_LIMIT_REACHED")
  })

  test("X7: that was registered under a site's header hears of that site alone, without one of all", async () => {
    const shop = await openShop()
    const { api } = shop
    const hooks = { bare: `${HOOK}/bare`, site: `${HOOK}/site`, all: `${HOOK}/all` }
    const register = (url: string, headers: Readonly<Record<string, string>>) =>
      api.call("POST", WEBHOOKS, { headers, body: { url, events: PICKUP_EVENT_TYPES } })
    expect((await register(hooks.bare, { "x-retailer-id": BARE_SITE })).status).toBe(201)
    expect((await register(hooks.site, { "x-retailer-id": shop.site })).status).toBe(201)
    expect((await register(hooks.all, {})).status).toBe(201)
    const known = (await api.call("GET", WEBHOOKS)).data as unknown as readonly Record<string, unknown>[]
    expect(known.map((one) => one["retailer_id"])).toEqual([BARE_SITE, shop.site, null])
    expect((await created(shop)).status).toBe(201)
    await shop.call("PATCH", "/dd/v1/deliveries/order-1", { body: { status: "CANCELLED" } })
    await api.advance(SECOND_MS)
    const heard = Object.values(hooks).map((url) => api.service.received(url).length > 0)
    expect(heard).toEqual([false, true, true])
  })
})

describe("an event", () => {
  test("PW3 and PW4: has these headers and these fields and no more; the vehicle's place counts for five minutes", async () => {
    const { api, call, site, secret, step } = await hooked(PICKUP_EVENT_TYPES)
    await api.advance(MINUTE_MS)
    expect(api.service.received(HOOK)).toEqual([])
    const atMs = api.now()
    await step()
    await api.advance(5 * MINUTE_MS - SECOND_MS)
    const cancelledAtMs = api.now()
    await call("PATCH", "/dd/v1/deliveries/order-1", { body: { status: "CANCELLED" } })
    await api.advance(SECOND_MS)
    const about = { retailer_id: site, external_delivery_id: "order-1" }
    const vehicle_location = { ...north(DEPOT_DISTANCE_M), recorded_at: iso(atMs) }
    const received = api.service.received(HOOK)
    const [status, location] = ["pickup_status.changed", "pickup.vehicle_location.changed"]
    const told = received.map(({ body }) => JSON.parse(body) as { readonly event: string })
    expect(told.filter(({ event }) => event === location)).toEqual([
      { event: location, timestamp: iso(atMs), data: { ...about, vehicle_location } },
    ])
    expect(told.filter(({ event }) => event === status)).toEqual([
      {
        event: status,
        timestamp: iso(atMs),
        data: { ...about, status: "ASSIGNED", previous_status: "SCHEDULED", vehicle_location },
      },
      {
        event: status,
        timestamp: iso(cancelledAtMs),
        data: { ...about, status: "CANCELLED", previous_status: "ASSIGNED", vehicle_location },
      },
    ])
    for (const { headers, body } of received) {
      expect(headers).toEqual({
        "Content-Type": "application/json",
        "User-Agent": "Curbline/1",
        "X-Service-Delivery-Id": expect.stringMatching(
          /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        ) as string,
        "X-Service-Event": (JSON.parse(body) as { readonly event: string }).event,
        "X-Service-Signature": createHmac("sha256", secret).update(body).digest("hex"),
      })
    }
  })

  test("PW9 and PW10: fails at a redirect and after 10 s of silence, and is delivered by any 2xx before them", async () => {
    const { api, path } = await hooked()
    api.service.script(HOOK, [
      { type: "status", status: 302, afterMs: 10 },
      { type: "timeout" },
      { type: "status", status: 199, afterMs: 10 },
      { type: "status", status: 299, afterMs: 10 * SECOND_MS - 1 },
    ])
    await api.call("POST", `${path}/test`)
    await api.advance(10 * MINUTE_MS)
    expect(linesOf(await api.call("GET", `${path}/deliveries`))).toMatchObject([
      { state: "delivered", attempts: 4 },
    ])
    const times = api.service.received(HOOK).map(({ atMs }) => atMs)
    const waits = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0))
    expect(waits).toEqual([30 * SECOND_MS + 10, 10 * SECOND_MS + 60 * SECOND_MS, 10 + 120 * SECOND_MS])
  })
})

describe("the log of an endpoint", () => {
  test("PW8: tells event, delivery, state and attempts, newest first, in pages", async () => {
    const { api, path, step } = await hooked()
    api.service.script(HOOK, [FAILS, ACCEPTS])
    for (let count = 0; count < 3; count += 1) await step()
    const lines = linesOf(await api.call("GET", `${path}/deliveries`))
    const about = { event: "pickup_status.changed", external_delivery_id: "order-1", is_redelivery: false }
    expect(lines).toMatchObject([
      { ...about, state: "delivered", attempts: 1 },
      { ...about, state: "delivered", attempts: 1 },
      { ...about, state: "waiting", attempts: 1 },
    ])
    const sent = api.service.received(HOOK).map(({ headers }) => headers["X-Service-Delivery-Id"])
    expect(lines.map((line) => line["delivery_id"])).toEqual(sent.toReversed())
    const first = await api.call("GET", `${path}/deliveries?limit=2`)
    expect(linesOf(first)).toEqual(lines.slice(0, 2))
    const { next_cursor: cursor, has_more } = first.body["pagination"] as Line
    expect(has_more).toBe(true)
    const second = await api.call("GET", `${path}/deliveries?limit=2&cursor=${String(cursor)}`)
    expect(linesOf(second)).toEqual(lines.slice(2))
    expect(second.body["pagination"]).toEqual({ next_cursor: null, has_more: false })
    for (const bad of ["limit=0", "limit=101", "limit=x", "cursor=none", "limit=1&limit=2"]) {
      expect(codeOf(await api.call("GET", `${path}/deliveries?${bad}`))).toBe("400 VALIDATION_ERROR")
    }
  })

  test("PW8: belongs to its organization, and needs webhooks:manage; so do sending again and testing", async () => {
    const { api, path, step } = await hooked()
    await step()
    const [line] = linesOf(await api.call("GET", `${path}/deliveries`))
    const again = `${path}/deliveries/${String(line?.["delivery_id"])}/redeliver`
    const asks = [
      ["GET", `${path}/deliveries`] as const,
      ["POST", again] as const,
      ["POST", `${path}/test`] as const,
    ]
    const stranger = await api.makeKey({ organizationId: await api.makeOrganization() })
    const unable = await api.holding("deliveries:read", "deliveries:write")
    for (const [method, url] of asks) {
      expect(codeOf(await api.call(method, url, { key: stranger }))).toBe("404 NOT_FOUND")
      expect(codeOf(await api.call(method, url, { key: unable }))).toBe("403 PERMISSION_DENIED")
    }
    const reservations = { url: HOOK, subscribed_events: ["reservation.exception"] }
    const other = await api.call("POST", "/rs/v1/webhooks", { body: reservations })
    const { webhook_id: id } = other.data["webhook"] as { readonly webhook_id: string }
    expect(codeOf(await api.call("GET", `/dd/v1/webhooks/${id}/deliveries`))).toBe("404 NOT_FOUND")
    expect(codeOf(await api.call("POST", `/dd/v1/webhooks/${id}/test`))).toBe("404 NOT_FOUND")
    expect(api.service.received(HOOK)).toHaveLength(1)
  })
})

describe("sending again", () => {
  test("PW8 and PW14: the same bytes under the same delivery id, once the first sending has ended, as often as asked", async () => {
    const { api, path, step } = await hooked()
    api.service.script(HOOK, [FAILS, FAILS, FAILS, FAILS, FAILS, FAILS, ACCEPTS])
    await step()
    const log = async () => linesOf(await api.call("GET", `${path}/deliveries`))
    const id = String((await log())[0]?.["delivery_id"])
    const again = () => api.call("POST", `${path}/deliveries/${id}/redeliver`)
    expect(codeOf(await again())).toBe("409 INVALID_STATE")
    await api.advance(10 * MINUTE_MS)
    expect(await log()).toMatchObject([{ state: "dropped", attempts: 5 }])
    const asked = await again()
    expect(asked.status).toBe(202)
    expect(asked.data).toMatchObject({
      delivery_id: id,
      is_redelivery: true,
      external_delivery_id: "order-1",
    })
    expect(codeOf(await again())).toBe("409 INVALID_STATE")
    await api.advance(MINUTE_MS)
    expect(await log()).toMatchObject([
      { delivery_id: id, is_redelivery: true, state: "delivered", attempts: 2 },
      { delivery_id: id, is_redelivery: false, state: "dropped", attempts: 5 },
    ])
    expect((await again()).status).toBe(202)
    await api.advance(SECOND_MS)
    const received = api.service.received(HOOK)
    expect(received).toHaveLength(8)
    expect(new Set(received.map(({ headers }) => headers["X-Service-Delivery-Id"]))).toEqual(new Set([id]))
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  })

  test("PW8: what is not in the log is not found, and a switched-off endpoint gets nothing", async () => {
    const { api, path, step } = await hooked()
    await step()
    const [line] = linesOf(await api.call("GET", `${path}/deliveries`))
    const again = (id: string) => api.call("POST", `${path}/deliveries/${id}/redeliver`)
    expect(codeOf(await again("00000000-0000-4000-8000-000000000000"))).toBe("404 NOT_FOUND")
    const other = { url: `${HOOK}/2`, events: PICKUP_EVENT_TYPES }
    const made = await api.call("POST", "/dd/v1/webhooks", { body: other })
    const foreign = `/dd/v1/webhooks/${String(made.data["webhook_id"])}`
    const id = String(line?.["delivery_id"])
    expect(codeOf(await api.call("POST", `${foreign}/deliveries/${id}/redeliver`))).toBe("404 NOT_FOUND")
    await api.call("PUT", path, { body: { is_active: false } })
    expect(codeOf(await again(id))).toBe("409 INVALID_STATE")
    expect(codeOf(await api.call("POST", `${path}/test`))).toBe("409 INVALID_STATE")
    await api.advance(MINUTE_MS)
    expect(api.service.received(HOOK)).toHaveLength(1)
  })

  test("PW13: with a rotated secret an attempt that was picked up before keeps the old one; the next attempt of the same delivery has the new", async () => {
    const { api, path, secret, step } = await hooked()
    api.service.script(HOOK, [{ ...FAILS, afterMs: 5 * SECOND_MS }, ACCEPTS])
    await step()
    const rotated = await api.call("PUT", path, { body: { rotate_secret: true } })
    await api.advance(MINUTE_MS)
    const [first, second] = api.service.received(HOOK)
    const signatures = [secret, String(rotated.data["secret"])].map((key) =>
      createHmac("sha256", key)
        .update(first?.body ?? "")
        .digest("hex"),
    )
    expect([first, second].map((one) => one?.headers["X-Service-Signature"])).toEqual(signatures)
    expect(second?.body).toBe(first?.body)
  })
})

describe("a test event", () => {
  test("PW8 and PW12: is signed, retried, logged and counted like any other, whatever the endpoint subscribes to", async () => {
    const { api, path, secret } = await hooked(["pickup.vehicle_location.changed"])
    api.service.script(HOOK, [FAILS, ACCEPTS])
    const asked = await api.call("POST", `${path}/test`)
    expect(asked.status).toBe(202)
    expect(asked.data).toMatchObject({ event: "webhook.test", external_delivery_id: null })
    await api.advance(SECOND_MS)
    const known = (await api.call("GET", path)).data
    expect(known["consecutive_failures"]).toBe(1)
    // Enabled while it is enabled: nothing changes, and the answer shows it.
    const { data: on } = await api.call("PUT", path, { body: { is_active: true } })
    expect(on).toEqual({ ...known, updated_at: on["updated_at"] })
    expect((await api.call("GET", path)).data).toEqual(on)
    await api.advance(MINUTE_MS)
    expect((await api.call("GET", path)).data["consecutive_failures"]).toBe(0)
    expect(linesOf(await api.call("GET", `${path}/deliveries`))).toMatchObject([
      { event: "webhook.test", state: "delivered", attempts: 2 },
    ])
    const [first, second] = api.service.received(HOOK)
    expect(first?.headers).toMatchObject({
      "X-Service-Event": "webhook.test",
      "X-Service-Delivery-Id": asked.data["delivery_id"],
      "X-Service-Signature": createHmac("sha256", secret)
        .update(first?.body ?? "")
        .digest("hex"),
    })
    expect(second?.body).toBe(first?.body)
    expect(JSON.parse(first?.body ?? "")).toMatchObject({
      event: "webhook.test",
      data: { webhook_id: path.slice("/dd/v1/webhooks/".length) },
    })
  })
})

describe("the fiftieth failure", () => {
  test("PW11 and PW12 and B9: disables the endpoint and writes one mail to the contact, together; switched on it counts anew", async () => {
    const { api, path, step } = await hooked(PICKUP_EVENT_TYPES)
    const { organizationId } = api
    const profile = { organizationId, contactEmail: "ops@shop.example", updatedAtMs: api.now() }
    const given = Effect.flatMap(Database, ({ orm }) =>
      Effect.promise(() => orm.insert(declaredTable(portalProfiles)).values(profile)),
    )
    await api.run(given)
    const mails = () =>
      api.run(
        Effect.flatMap(Database, ({ orm }) =>
          Effect.promise(() => orm.select().from(outbox).where(eq(outbox.channel, "mail"))),
        ),
      )
    api.service.script(HOOK, [FAILS])
    for (let count = 0; count < 5; count += 1) await step()
    await api.advance(3 * MINUTE_MS + 30 * SECOND_MS)
    expect((await api.call("GET", path)).data).toMatchObject({ is_active: true, consecutive_failures: 40 })
    expect(await mails()).toEqual([])
    await api.advance(10 * MINUTE_MS)
    const disabled = await api.call("GET", path)
    expect(disabled.data).toMatchObject({
      is_active: false,
      consecutive_failures: 50,
      disabled_reason: "consecutive_failures",
    })
    const found = await mails()
    expect(found).toMatchObject([{ to: "ops@shop.example", purpose: "webhook-disabled", organizationId }])
    // One transaction: mail and switch bear the same instant.
    expect(new Date(found[0]?.createdAtMs ?? 0).toISOString()).toBe(disabled.data["disabled_at"])
    expect(disabled.data["updated_at"]).toBe(disabled.data["disabled_at"])
    await step()
    expect(api.service.received(HOOK)).toHaveLength(50)
    api.service.script(HOOK, [ACCEPTS])
    const on = await api.call("PUT", path, { body: { is_active: true } })
    expect(on.data).toMatchObject({
      is_active: true,
      consecutive_failures: 0,
      disabled_at: null,
      disabled_reason: null,
    })
    await step()
    expect(api.service.received(HOOK)).toHaveLength(52)
    expect(await mails()).toHaveLength(1)
  })
})
