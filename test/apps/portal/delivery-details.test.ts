/** One delivery in the portal: course, next steps, messages, events with attempts, timeline; test deliveries; the list's filters. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliverySites } from "../../../src/areas/direct-delivery/rows.ts"
import { PickupWebhooks } from "../../../src/areas/webhooks/webhooks.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import type { Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"
import { API, PHONE, codeOf, deliver, madeSite, started } from "./sandbox.ts"

const HOOK = "https://hooks.partner.example/pickups"

interface Detail {
  readonly id: string
  readonly site_id: string
  readonly status_label: string
  readonly delivery: { readonly external_delivery_id: string; readonly status: string }
  readonly steps: readonly {
    readonly status: string
    readonly label: string
    readonly reached_at: string | null
    readonly estimated_at: string | null
  }[]
  readonly next_steps: readonly {
    readonly status: string
    readonly advances: number
    readonly sends: {
      readonly events: readonly string[]
      readonly endpoints: number
      readonly deliveries: number
      readonly texts: number
    }
  }[]
  readonly vehicle_location: object | null
}

interface Event {
  readonly event: string
  readonly status: string | null
  readonly outcome: string
  readonly url: string | null
  readonly attempts: readonly {
    readonly attempt: number
    readonly ms: number | null
    readonly status: number | null
    readonly error: string | null
  }[]
  readonly next_attempt_at: string | null
}

async function detail(browser: Browser, id: string): Promise<Detail> {
  const { status, data } = await browser.call("GET", `${API}/deliveries/${id}`)
  expect(status).toBe(200)
  return data["delivery"] as Detail
}

async function made(browser: Browser, body?: object): Promise<Detail> {
  const sent = body === undefined ? {} : { body }
  const { status, data } = await browser.call("POST", `${API}/sandbox/deliveries`, sent)
  expect(status).toBe(201)
  return data["delivery"] as Detail
}

async function eventsOf(browser: Browser, id: string): Promise<readonly Event[]> {
  return (await browser.call("GET", `${API}/deliveries/${id}/events`)).data["events"] as readonly Event[]
}

function advance(browser: Browser, id: string) {
  return browser.call("POST", `${API}/deliveries/${id}/advance`)
}

function inTransaction<A, E>(portal: Portal, body: Effect.Effect<A, E, DeliverySites | Transaction>): void {
  const writing = Effect.flatMap(ActorHost, (host) =>
    host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
  )
  portal.run(writing)
}

describe("test deliveries", () => {
  test("without a body are quoted and made at the first usable site, with a customer inside its area", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const one = await made(browser)
    expect(one).toMatchObject({
      site_id: siteId,
      status_label: "Scheduled",
      delivery: { status: "SCHEDULED" },
    })
    expect(one.delivery.external_delivery_id).toMatch(/^test-[0-9a-f]{8}$/)
    expect(await detail(browser, one.id)).toEqual(one)
  })

  test("keep what the request says, of any site of the organization", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    const other = await madeSite(browser, "West kitchen")
    const body = {
      site_id: other,
      external_delivery_id: "order-7",
      customer: { first_name: "Grace" },
      delivery_location: { latitude: 30.28, longitude: -97.74 },
      order_items: [{ name: "Ramen kit", quantity: 2 }],
      pickup_instructions: "Ring twice",
    }
    expect(await made(browser, body)).toMatchObject({
      site_id: other,
      delivery: {
        external_delivery_id: "order-7",
        customer: { first_name: "Grace", last_name: "Customer", phone: "+15125550142" },
        delivery_location: { latitude: 30.28, longitude: -97.74 },
        order_items: [{ name: "Ramen kit", quantity: 2 }],
        pickup_instructions: "Ring twice",
      },
    })
  })

  test("are refused with the codes of quote and creation", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("ada@wheels.example")
    const make = (body: object = {}) => codeOf(browser, "POST", "/sandbox/deliveries", body)
    expect(await make()).toBe("404 RETAILER_NOT_FOUND")
    const siteId = await madeSite(browser)
    expect(await make({ order_items: [] })).toBe("400 VALIDATION_ERROR")
    expect(await make({ site_id: "none" })).toBe("404 NOT_FOUND")
    expect(await make({ ready_by: isoMs(portal.now() - 1) })).toBe("400 INVALID_READY_BY")
    const address = { street: "1 Nowhere", city: "Nowhere", state: "TX", zip: "00000" }
    expect(await make({ delivery_address: address })).toBe("422 GEOCODE_FAILED")
    const far = { latitude: 31.5, longitude: -97.74 }
    expect(await make({ delivery_location: far })).toBe("422 QUOTE_UNAVAILABLE")
    expect(await make({ external_delivery_id: "one" })).toBe("201 -")
    expect(await make({ external_delivery_id: "one" })).toBe("409 DELIVERY_ALREADY_EXISTS")
    const change = (more: object) =>
      inTransaction(
        portal,
        Effect.flatMap(DeliverySites, (sites) => sites.change(siteId, more)),
      )
    change({ area: null })
    expect(await make({ site_id: siteId })).toBe("503 RETAILER_NOT_CONFIGURED")
    change({ isActive: false })
    expect(await make({ site_id: siteId })).toBe("403 RETAILER_INACTIVE")
    expect(await make()).toBe("404 RETAILER_NOT_FOUND")
  })

  test("of a site of another organization are not made", async () => {
    const portal = await openPortal()
    const { siteId } = await started(portal)
    const stranger = await started(portal, "eve@else.example")
    expect(await codeOf(stranger.browser, "POST", "/sandbox/deliveries", { site_id: siteId })).toBe(
      "404 NOT_FOUND",
    )
  })
})

describe("the detail of a delivery", () => {
  test("foretells what each advance does: the status, and how many events leave", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const hooks = portal.run(PickupWebhooks)
    const both = ["pickup_status.changed", "pickup.vehicle_location.changed"] as const
    portal.run(hooks.register(partner, { url: HOOK, events: both }))
    portal.run(hooks.register(partner, { url: `${HOOK}/2`, events: ["pickup_status.changed"] }))
    portal.run(hooks.register(partner, { url: `${HOOK}/off`, events: both }))
    const elsewhere = await madeSite(browser, "West")
    portal.run(hooks.register(partner, { url: `${HOOK}/w`, events: both, site_id: elsewhere }))
    const [, , off] = portal.run(hooks.list(partner))
    portal.run(hooks.change(partner, off?.webhook_id ?? "", { is_active: false }))
    let one = await made(browser, { site_id: siteId })
    expect(one.next_steps.map(({ status }) => status)).toEqual([
      "ASSIGNED",
      "EN_ROUTE_TO_STORE",
      "ARRIVED_AT_STORE",
      "WAITING_FOR_LOAD",
      "LOADED",
      "EN_ROUTE_TO_CUSTOMER",
      "ARRIVED_AT_CUSTOMER",
      "COMPLETED",
    ])
    const last = one.next_steps.at(-1)
    expect(last).toMatchObject({
      advances: 8,
      sends: { events: both, endpoints: 2, deliveries: 24, texts: 2 },
    })
    for (const { sends } of one.next_steps.slice(0, 1)) expect(sends.deliveries).toBe(3)
    for (let step = 0; step < 8; step += 1) {
      const [next] = one.next_steps
      const before = (await eventsOf(browser, one.id)).length
      const texts = await textsOf(browser, one.id)
      expect((await advance(browser, one.id)).status).toBe(200)
      one = await detail(browser, one.id)
      expect(one.delivery.status).toBe(next?.status)
      expect((await eventsOf(browser, one.id)).length - before).toBe(next?.sends.deliveries)
      expect((await textsOf(browser, one.id)).length - texts.length).toBe(next?.sends.texts)
    }
    expect(one.next_steps).toEqual([])
  })

  test("says when each status was reached, and estimates of arrivals ahead", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    const { id } = await made(browser)
    const createdMs = portal.now()
    portal.advance(MINUTE_MS)
    await advance(browser, id)
    portal.advance(MINUTE_MS)
    await advance(browser, id)
    const { steps, vehicle_location: location, delivery } = await detail(browser, id)
    expect(steps.slice(0, 4)).toMatchObject([
      { status: "SCHEDULED", label: "Scheduled", reached_at: isoMs(createdMs) },
      { status: "ASSIGNED", label: "Assigned", reached_at: isoMs(createdMs + MINUTE_MS) },
      { status: "EN_ROUTE_TO_STORE", reached_at: isoMs(createdMs + 2 * MINUTE_MS), estimated_at: null },
      { status: "ARRIVED_AT_STORE", label: "Arrived at store", reached_at: null },
    ])
    const estimates = delivery as unknown as Record<string, string>
    expect(steps[3]?.estimated_at).toBe(estimates["estimated_pickup_at"])
    expect(steps[7]).toMatchObject({ estimated_at: estimates["estimated_delivery_at"], reached_at: null })
    expect(steps).toHaveLength(9)
    expect(location).toMatchObject({ recorded_at: isoMs(createdMs + 2 * MINUTE_MS) })
  })

  test("of a cancelled delivery has the statuses that it reached", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    const { id } = await made(browser)
    await advance(browser, id)
    await browser.call("POST", `${API}/deliveries/${id}/cancel`)
    const { steps, next_steps: next } = await detail(browser, id)
    expect(steps.map(({ status }) => status)).toEqual(["SCHEDULED", "ASSIGNED", "CANCELLED"])
    expect(next).toEqual([])
  })

  test("has no next steps at a deactivated site", async () => {
    const portal = await openPortal()
    const { browser, siteId } = await started(portal)
    const { id } = await made(browser)
    inTransaction(
      portal,
      Effect.flatMap(DeliverySites, (sites) => sites.change(siteId, { isActive: false })),
    )
    expect((await detail(browser, id)).next_steps).toEqual([])
  })
})

async function textsOf(browser: Browser, id: string): Promise<readonly object[]> {
  return (await browser.call("GET", `${API}/deliveries/${id}/messages`)).data["messages"] as readonly object[]
}

describe("what belongs to a delivery", () => {
  test("messages: oldest first, suppressed in the sandbox with the reason, and of this delivery alone", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    const one = await made(browser)
    const other = await made(browser)
    for (let step = 0; step < 6; step += 1) await advance(browser, one.id)
    const suppressed = { status: "suppressed", reason: "sandbox", attempts: 0 }
    expect(await textsOf(browser, one.id)).toMatchObject([
      { ...suppressed, text: expect.stringContaining("will bring your order") as string },
      {
        ...suppressed,
        text: expect.stringMatching(
          /^East kitchen: your order is on its way to you, about 1 min\. Follow it: http/,
        ) as string,
      },
    ])
    expect(await textsOf(browser, other.id)).toHaveLength(1)
  })

  test("events: newest first, with status, time and error of each attempt, and when the next one is due", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    portal.run(
      Effect.flatMap(PickupWebhooks, (hooks) =>
        hooks.register(partner, { url: HOOK, events: ["pickup_status.changed"] }),
      ),
    )
    const { id } = await made(browser)
    const answer = (status: number, afterMs: number) => ({ type: "status", status, afterMs }) as const
    portal.service.world.script(HOOK, [answer(503, 212), { type: "timeout" }, answer(204, 40)])
    const sentAtMs = portal.now()
    await advance(browser, id)
    portal.advance(SECOND_MS)
    const [waiting] = await eventsOf(browser, id)
    expect(waiting).toMatchObject({
      event: "pickup_status.changed",
      status: "ASSIGNED",
      outcome: "waiting",
      url: HOOK,
      subject_id: id,
      attempts: [{ attempt: 1, sent_at: isoMs(sentAtMs), ms: 212, status: 503, error: "status_503" }],
      attempts_max: 5,
      next_attempt_at: isoMs(sentAtMs + 212 + 30 * SECOND_MS),
    })
    portal.advance(5 * MINUTE_MS)
    const [delivered] = await eventsOf(browser, id)
    expect(delivered).toMatchObject({ outcome: "delivered", next_attempt_at: null })
    expect(delivered?.attempts.map(({ attempt, status, error }) => ({ attempt, status, error }))).toEqual([
      { attempt: 1, status: 503, error: "status_503" },
      { attempt: 2, status: null, error: "timeout" },
      { attempt: 3, status: 204, error: null },
    ])
    await advance(browser, id)
    expect((await eventsOf(browser, id)).map(({ status, outcome }) => `${status} ${outcome}`)).toEqual([
      "EN_ROUTE_TO_STORE sending",
      "ASSIGNED delivered",
    ])
  })

  test("events stay when their endpoint is deleted, without its URL", async () => {
    const portal = await openPortal()
    const { browser, partner } = await started(portal)
    const hooks = portal.run(PickupWebhooks)
    const { webhook_id: webhookId } = portal.run(
      hooks.register(partner, { url: HOOK, events: ["pickup_status.changed"] }),
    )
    const { id } = await made(browser)
    await advance(browser, id)
    portal.advance(SECOND_MS)
    portal.run(hooks.remove(partner, webhookId))
    expect(await eventsOf(browser, id)).toMatchObject([{ outcome: "delivered", url: null }])
  })

  test("timeline: instants, events and states in words, refusals too, and no data of people or of others", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const { id } = await made(browser, { external_delivery_id: "lunch", customer: { phone: PHONE } })
    portal.advance(MINUTE_MS)
    await advance(browser, id)
    await browser.call("POST", `${API}/deliveries/${id}/cancel`)
    await advance(browser, id)
    const { data } = await browser.call("GET", `${API}/deliveries/${id}/timeline`)
    const by = { actor: "delivery", by: "command", refused: null }
    expect(data["timeline"]).toEqual([
      {
        ...by,
        revision: 1,
        at: isoMs(portal.now() - MINUTE_MS),
        event: "started",
        label: "Started",
        before: null,
        after: "Scheduled",
      },
      {
        ...by,
        revision: 2,
        at: isoMs(portal.now()),
        event: "step.advanced",
        label: "Step advanced",
        before: "Scheduled",
        after: "Assigned",
      },
      {
        ...by,
        revision: 3,
        at: isoMs(portal.now()),
        event: "cancel.requested",
        label: "Cancel requested",
        before: "Assigned",
        after: "Cancelled",
      },
      {
        ...by,
        revision: 4,
        at: isoMs(portal.now()),
        event: "step.advanced",
        label: "Step advanced",
        before: "Cancelled",
        after: "Cancelled",
        refused: "INVALID_STATE",
      },
    ])
    const read = portal.run(Effect.flatMap(DirectDelivery, (direct) => direct.read(partner, siteId, "lunch")))
    expect(read.status).toBe("CANCELLED")
    expect(JSON.stringify(data)).not.toMatch(/veh_|\+1512|Test Customer/)
  })

  test("is not to be seen by another organization, or in the other environment", async () => {
    const portal = await openPortal()
    const { browser } = await started(portal)
    const { id } = await made(browser)
    const stranger = await portal.signedUp("eve@else.example")
    for (const part of ["", "/messages", "/events", "/timeline"]) {
      expect(await codeOf(stranger, "GET", `/deliveries/${id}${part}`)).toBe("404 NOT_FOUND")
      expect(await codeOf(browser, "GET", `/deliveries/dlv_none${part}`)).toBe("404 NOT_FOUND")
      const there = `/deliveries/${id}${part}?environment=`
      expect(await codeOf(browser, "GET", `${there}production`)).toBe("403 ORG_INACTIVE")
      expect(await codeOf(browser, "GET", `${there}mars`)).toBe("400 VALIDATION_ERROR")
      expect(await codeOf(portal.browser(), "GET", `/deliveries/${id}${part}`)).toBe("401 SIGN_IN_REQUIRED")
    }
    expect(await codeOf(portal.browser(), "POST", "/sandbox/deliveries")).toBe("401 SIGN_IN_REQUIRED")
  })
})

describe("the list of deliveries", () => {
  test("narrows by status, part of the external id and creation, by pages", async () => {
    const portal = await openPortal()
    const { browser, partner, siteId } = await started(portal)
    const other = await madeSite(browser, "West")
    const third = await madeSite(browser, "South")
    deliver(portal, partner, siteId, "Order-8841")
    const afterMs = portal.now() + MINUTE_MS
    portal.advance(MINUTE_MS)
    deliver(portal, partner, siteId, "order-8842")
    deliver(portal, partner, other, "pizza_8841")
    portal.advance(MINUTE_MS)
    deliver(portal, partner, third, "100%")
    const ids = async (query: string): Promise<readonly string[]> =>
      ((await browser.call("GET", `${API}/deliveries?${query}`)).data["deliveries"] as Detail[]).map(
        ({ delivery }) => delivery.external_delivery_id,
      )
    expect(await ids("q=ORDER")).toEqual(["order-8842", "Order-8841"])
    expect(await ids("q=8841")).toEqual(["pizza_8841", "Order-8841"])
    expect(await ids("q=8841&site_id=" + other)).toEqual(["pizza_8841"])
    expect(await ids(`q=${encodeURIComponent("%")}`)).toEqual(["100%"])
    expect(await ids("q=_8")).toEqual(["pizza_8841"])
    expect(await ids(`from=${isoMs(afterMs)}`)).toEqual(["100%", "pizza_8841", "order-8842"])
    expect(await ids(`from=${isoMs(afterMs)}&to=${isoMs(afterMs + 1)}`)).toEqual(["pizza_8841", "order-8842"])
    expect(await ids(`to=${isoMs(afterMs)}`)).toEqual(["Order-8841"])
    const { data } = await browser.call("GET", `${API}/deliveries?q=8842`)
    const [found] = data["deliveries"] as Detail[]
    await advance(browser, found?.id ?? "")
    expect(await ids("status=ASSIGNED")).toEqual(["order-8842"])
    expect(await ids("status=ASSIGNED&status=SCHEDULED&q=order")).toEqual(["order-8842", "Order-8841"])
    const page = await browser.call("GET", `${API}/deliveries?q=order&limit=1`)
    expect(await ids(`q=order&cursor=${String(page.data["next_cursor"])}`)).toEqual(["Order-8841"])
    for (const query of ["status=LOST", "q=", "from=today", "to=1", "q=a&q=b"])
      expect(await codeOf(browser, "GET", `/deliveries?${query}`)).toBe("400 VALIDATION_ERROR")
  })
})
