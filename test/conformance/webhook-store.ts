/** The contract of WebhookStore: endpoints, frozen bodies, and which delivery carries which. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import type { WebhookArea } from "../../src/model/webhook.ts"
import type {
  NewSandboxEvent,
  NewWebhookDelivery,
  WebhookBody,
  WebhookEndpoint,
} from "../../src/areas/webhooks/store.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const T = Date.parse("2026-06-01T15:00:00Z")

export const endpoint: WebhookEndpoint = {
  webhookId: "whk_1",
  organizationId: "org_one",
  environment: "production",
  area: "reservations",
  siteId: null,
  url: "https://hooks.partner.example/1",
  subscribedEvents: ["reservation.exception", "reservation.status_changed"],
  isActive: true,
  secret: "whsec_1",
  consecutiveFailures: 0,
  disabledAtMs: null,
  disabledReason: null,
  createdAtMs: T,
  updatedAtMs: T,
}
const body: WebhookBody = {
  eventId: "evt_1",
  eventType: "reservation.exception",
  subjectId: "res_1",
  body: '{"z":1,"a":"ö 😀"}',
  createdAtMs: T,
}
const delivery: NewWebhookDelivery = {
  deliveryId: "d_1",
  webhookId: "whk_1",
  eventId: "evt_1",
  subjectId: "res_1",
  redeliveryOf: null,
  redeliveredAtMs: null,
}

const AREAS = ["direct_delivery", "reservations"] as const

/** As a new row, without its number. */
function event(eventId: string, more: Partial<NewSandboxEvent> = {}): NewSandboxEvent {
  return {
    eventId,
    organizationId: "org_one",
    area: "reservations",
    eventType: "reservation.exception",
    subjectId: "res_1",
    body: '{"z":1,"a":"ö 😀"}',
    createdAtMs: T,
    ...more,
  }
}

const DELIVERY = { area: "direct_delivery", eventType: "pickup_status.changed", subjectId: "dlv_1" } as const

type Write = (store: WebhookStore["Type"]) => ReturnType<WebhookStore["Type"]["insertBody"]>

export function webhookStoreContract(name: string, make: () => RowsHarness<WebhookStore>): void {
  type Harness = RowsHarness<WebhookStore>

  const write = (h: Harness, ...writes: Write[]): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const store = yield* WebhookStore
        for (const one of writes)
          yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one(store)) })
      }),
    )
  const ask = <A>(h: Harness, question: (store: WebhookStore["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(WebhookStore, question))
  const scope = { organizationId: "org_one", environment: "production", area: "reservations" } as const

  describe(`webhook store: ${name}`, () => {
    test("an attempt reads endpoint and body at once, and nothing when either is gone", async () => {
      const h = make()
      const outgoing = () => ask(h, (store) => store.outgoing("d_1"))
      expect(await outgoing()).toBeNull()
      await write(
        h,
        (store) => store.insertBody(body),
        (store) => store.insertDelivery(delivery),
      )
      expect(await outgoing()).toBeNull()
      await write(h, (store) => store.insertEndpoint(endpoint))
      expect(await outgoing()).toEqual({ deliveryId: "d_1", endpoint, body })
      await write(h, (store) => store.forgetDelivery("d_1"))
      expect(await outgoing()).toBeNull()
    })

    test("an endpoint comes back as it was put, its events in the order sent", async () => {
      const h = make()
      await write(h, (store) => store.insertEndpoint(endpoint))
      expect(await ask(h, (store) => store.endpoint("whk_1"))).toEqual(endpoint)
      expect(await ask(h, (store) => store.endpoint("whk_2"))).toBeNull()
    })

    test("E6: endpoints of one organization and environment, oldest first, inactive ones included", async () => {
      const h = make()
      const others: Partial<WebhookEndpoint>[] = [
        { webhookId: "whk_9", createdAtMs: T },
        { webhookId: "whk_8", createdAtMs: T + 1, isActive: false },
        { webhookId: "whk_7", createdAtMs: T + 1, organizationId: "org_two" },
        { webhookId: "whk_6", createdAtMs: T + 1, environment: "sandbox" },
        { webhookId: "whk_5", createdAtMs: T + 1, area: "direct_delivery", siteId: "site_1" },
        { webhookId: "whk_4", createdAtMs: T + 1 },
        { webhookId: "whk_0", createdAtMs: T + 2 },
      ]
      await write(
        h,
        ...others.map(
          (more): Write =>
            (store) =>
              store.insertEndpoint({ ...endpoint, ...more }),
        ),
      )
      await write(
        h,
        (store) => store.changeEndpoint("whk_9", { url: "https://elsewhere.example/" }),
        (store) => store.removeEndpoint("whk_4"),
      )
      const found = await ask(h, (store) => store.endpoints(scope))
      expect(found.map((one) => one.webhookId)).toEqual(["whk_9", "whk_8", "whk_0"])
    })

    test("E6: endpoints of the same time come in the order of insertion, whatever is changed", async () => {
      const h = make()
      const ids = ["whk_5", "whk_1", "whk_4", "whk_2", "whk_3"]
      await write(
        h,
        ...ids.map(
          (webhookId): Write =>
            (store) =>
              store.insertEndpoint({ ...endpoint, webhookId }),
        ),
        (store) => store.changeEndpoint("whk_5", { isActive: false, updatedAtMs: T + 1 }),
        (store) => store.changeEndpoint("whk_4", { url: "https://elsewhere.example/" }),
      )
      const found = await ask(h, (store) => store.endpoints(scope))
      expect(found.map((one) => one.webhookId)).toEqual(ids)
    })

    test("E6: endpoints that one transaction inserts come in its order", async () => {
      const h = make()
      const ids = ["whk_3", "whk_1", "whk_2"]
      await write(h, (store) =>
        Routine.forEach(ids, (webhookId) => store.insertEndpoint({ ...endpoint, webhookId }), {
          discard: true,
        }),
      )
      expect((await ask(h, (store) => store.endpoints(scope))).map((one) => one.webhookId)).toEqual(ids)
    })

    test("a change touches what it names and nothing else", async () => {
      const h = make()
      await write(
        h,
        (store) => store.insertEndpoint(endpoint),
        (store) => store.insertEndpoint({ ...endpoint, webhookId: "whk_2" }),
        (store) => store.changeEndpoint("whk_1", { isActive: false, secret: "whsec_2", updatedAtMs: T + 5 }),
      )
      expect(await ask(h, (store) => store.endpoint("whk_1"))).toEqual({
        ...endpoint,
        isActive: false,
        secret: "whsec_2",
        updatedAtMs: T + 5,
      })
      expect(await ask(h, (store) => store.endpoint("whk_2"))).toEqual({ ...endpoint, webhookId: "whk_2" })
    })

    test("E14: a body is kept to the byte", async () => {
      const h = make()
      await write(h, (store) => store.insertBody(body))
      expect(await ask(h, (store) => store.body("evt_1"))).toEqual(body)
      expect(await ask(h, (store) => store.body("evt_2"))).toBeNull()
    })

    test("an answer for the receivers of events about one subject is set, changed and taken away", async () => {
      const h = make()
      expect(await ask(h, (store) => store.answerFor("res_1"))).toBeNull()
      await write(h, (store) => store.setAnswer("res_1", 503))
      await write(h, (store) => store.setAnswer("res_1", 500))
      expect(await ask(h, (store) => store.answerFor("res_1"))).toBe(500)
      expect(await ask(h, (store) => store.answerFor("res_2"))).toBeNull()
      await write(h, (store) => store.setAnswer("res_1", null))
      await write(h, (store) => store.setAnswer("res_1", null))
      expect(await ask(h, (store) => store.answerFor("res_1"))).toBeNull()
    })

    test("a delivery says which endpoint and event it carries", async () => {
      const h = make()
      await write(
        h,
        (store) => store.insertEndpoint(endpoint),
        (store) => store.insertBody(body),
        (store) => store.insertDelivery(delivery),
      )
      expect(await ask(h, (store) => store.delivery("d_1"))).toMatchObject(delivery)
      expect(await ask(h, (store) => store.delivery("d_2"))).toBeNull()
    })

    test("a body goes with the last delivery that carries it", async () => {
      const h = make()
      await write(
        h,
        (store) => store.insertEndpoint(endpoint),
        (store) => store.insertBody(body),
        (store) => store.insertDelivery(delivery),
        (store) => store.insertDelivery({ ...delivery, deliveryId: "d_2" }),
        (store) => store.forgetDelivery("d_1"),
      )
      expect(await ask(h, (store) => store.delivery("d_1"))).toBeNull()
      expect(await ask(h, (store) => store.body("evt_1"))).toEqual(body)
      await write(h, (store) => store.forgetDelivery("d_2"))
      expect(await ask(h, (store) => store.body("evt_1"))).toBeNull()
      await write(h, (store) => store.forgetDelivery("d_2"))
    })

    const kept = (h: Harness, after: number, limit = 100, areas: readonly WebhookArea[] = AREAS) =>
      ask(h, (store) => store.keptEvents({ organizationId: "org_one", areas, after, limit }))

    test("events of the sandbox come back in order, of one organization and of the APIs asked for", async () => {
      const h = make()
      await write(
        h,
        (store) => store.keepEvent(event("evt_1")),
        (store) => store.keepEvent(event("evt_2", { organizationId: "org_two" })),
        (store) =>
          Routine.zipRight(store.keepEvent(event("evt_3")), store.keepEvent(event("evt_4", DELIVERY))),
      )
      const all = await kept(h, 0)
      expect(all.map(({ number, ...row }) => [row, typeof number])).toEqual([
        [event("evt_1"), "number"],
        [event("evt_3"), "number"],
        [event("evt_4", DELIVERY), "number"],
      ])
      const [first, second, third] = all.map(({ number }) => number)
      expect((await kept(h, first ?? 0)).map(({ eventId }) => eventId)).toEqual(["evt_3", "evt_4"])
      expect((await kept(h, 0, 1)).map(({ eventId }) => eventId)).toEqual(["evt_1"])
      expect(await kept(h, second ?? 0, 100, ["reservations"])).toEqual([])
      expect(await kept(h, 0, 100, [])).toEqual([])
      expect(await ask(h, (store) => store.lastEvent("org_one"))).toBe(third)
      expect(await ask(h, (store) => store.lastEvent("org_three"))).toBe(0)
    })

    test("a reader that continues after the last number misses no event of simultaneous commands", async () => {
      const h = make()
      const ids = Array.from({ length: 40 }, (_, at) => `evt_${at}`)
      let isWriting = true
      const writing = Promise.all(ids.map((id) => write(h, (store) => store.keepEvent(event(id))))).finally(
        () => {
          isWriting = false
        },
      )
      const seen: string[] = []
      let after = 0
      for (let isLast = false; !isLast;) {
        isLast = !isWriting
        const page = await kept(h, after, 7)
        seen.push(...page.map(({ eventId }) => eventId))
        after = page.at(-1)?.number ?? after
        if (page.length > 0) isLast = false
      }
      await writing
      expect(seen.toSorted()).toEqual(ids.toSorted())
    })

    test("G20: events of the sandbox are purged by age, as many as asked for", async () => {
      const h = make()
      await write(
        h,
        (store) => store.keepEvent(event("evt_1")),
        (store) => store.keepEvent(event("evt_2", { createdAtMs: T + 1 })),
        (store) => store.keepEvent(event("evt_3", { createdAtMs: T + 2 })),
        (store) => Routine.asVoid(store.purgeEvents({ beforeMs: T + 1, limit: 1 })),
      )
      expect((await kept(h, 0)).map(({ eventId }) => eventId)).toEqual(["evt_2", "evt_3"])
      await write(h, (store) => Routine.asVoid(store.purgeEvents({ beforeMs: T + 1, limit: 9 })))
      expect((await kept(h, 0)).map(({ eventId }) => eventId)).toEqual(["evt_3"])
    })

    test("events of the sandbox about one subject are forgotten", async () => {
      const h = make()
      await write(
        h,
        (store) => store.keepEvent(event("evt_1", { subjectId: "res_1" })),
        (store) => store.keepEvent(event("evt_2", { subjectId: "res_2" })),
        (store) => store.forgetEvents("res_1"),
      )
      expect((await kept(h, 0)).map(({ eventId }) => eventId)).toEqual(["evt_2"])
    })

    test("writes of a failed transaction are not there", async () => {
      const h = make()
      const failing = Effect.gen(function* () {
        const host = yield* ActorHost
        const store = yield* WebhookStore
        const inserts = Effect.all(
          [store.insertEndpoint(endpoint), store.insertBody(body), store.keepEvent(event("evt_1"))],
          { discard: true },
        )
        return yield* Effect.flip(
          host.run({
            name: "a test",
            locks: {},
            body: () => Routine.from(Effect.zipRight(inserts, Effect.fail("no" as const))),
          }),
        )
      })
      expect(await h.run(failing)).toBe("no")
      expect(await ask(h, (store) => store.endpoints(scope))).toEqual([])
      expect(await ask(h, (store) => store.body("evt_1"))).toBeNull()
      expect(await kept(h, 0)).toEqual([])
    })
  })
}
