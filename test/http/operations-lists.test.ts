/** The lists of operations over HTTP, what their actions do, and which rows an operator of some sites gets. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { writeMail } from "../../src/areas/messages/outbox.ts"
import { MessageRows } from "../../src/areas/messages/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import type { OperatorRole } from "../../src/model/caller.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { RIGHTS } from "../../src/apps/operations/rights.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { BARE_SITE, SITE } from "../conformance/delivery-world.ts"
import { HOOK, iso, makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"
import { codeOf, created, openShop } from "./shop.ts"

const [EAST, WEST] = ["7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21", "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"]

type Row = Readonly<Record<string, unknown>>

async function asking(api: Api, role: OperatorRole, siteIds: readonly string[] | null) {
  const { value: key } = await api.run(
    Effect.flatMap(OperatorTokens, (tokens) =>
      tokens.make({ environment: "production", label: role, role, siteIds }),
    ),
  )
  return (method: string, path: string, body?: object): Promise<Answered> =>
    api.call(method, `/internal/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
}

function rowsOf({ data }: Answered, noun: string): readonly Row[] {
  return data[noun] as readonly Row[]
}

const actionsOf = async (api: Api) =>
  rowsOf(await api.operate("GET", "/audit-log?limit=20"), "actions").map(
    ({ action, subject_id, outcome }) => `${String(action)} ${String(subject_id)} ${String(outcome)}`,
  )

describe("lists of operations", () => {
  test("reservations come in pages, the latest window first, and narrow by state, site, time and text", async () => {
    const api = await makeApi()
    const at = (minutes: number) => ({
      arrival_window_start: iso(api.now() + minutes * MINUTE_MS),
      arrival_window_end: iso(api.now() + (minutes + 20) * MINUTE_MS),
    })
    const first = await api.book({ order_number: "L-1", ...at(30) })
    const second = await api.book({ order_number: "L-2", ...at(50) })
    const third = await api.book({ order_number: "L-3", ...at(40) })
    await api.operate("POST", `/reservations/${third}/cancel`, { body: { by: "ops" } })
    const found = async (query: string) =>
      rowsOf(await api.operate("GET", `/reservations${query}`), "reservations").map(
        (row) => row["reservation_id"],
      )
    expect(await found("")).toEqual([second, third, first])
    expect(await found("?status=canceled&status=completed")).toEqual([third])
    expect(await found(`?site_id=${EAST}&q=l-1`)).toEqual([first])
    expect(await found(`?site_id=${WEST}`)).toEqual([])
    const from = encodeURIComponent(iso(api.now() + 35 * MINUTE_MS))
    const until = encodeURIComponent(iso(api.now() + 50 * MINUTE_MS))
    expect(await found(`?from=${from}&until=${until}`)).toEqual([third])
    expect(await found(`?organization_id=${api.organizationId}&q=0100`)).toHaveLength(3)
    const page = await api.operate("GET", "/reservations?limit=2")
    const cursor = String(page.data["next_cursor"])
    const rest = await api.operate("GET", `/reservations?limit=2&cursor=${cursor}`)
    expect(rest.data).toMatchObject({ reservations: [{ reservation_id: first }], next_cursor: null })
    expect(rowsOf(rest, "reservations")[0]).toMatchObject({
      order_number: "L-1",
      status: "confirmed",
      site_id: EAST,
      site_name: "East",
      retailer_name: "Grocer",
    })
    for (const bad of ["status=lost", "cursor=bDEu", "cursor=x", "from=today", "limit=0", "q="])
      expect([bad, codeOf(await api.operate("GET", `/reservations?${bad}`))]).toEqual([
        bad,
        "400 VALIDATION_ERROR",
      ])
  })

  test("an operator of some sites gets rows of these alone, in every list that belongs to sites", async () => {
    const shop = await openShop()
    const { api } = shop
    await api.book()
    await created(shop)
    const hook = { url: HOOK, events: ["pickup_status.changed"] }
    await shop.call("POST", "/dd/v1/webhooks", { body: hook })
    const lists: readonly (readonly [path: string, noun: string, site: string])[] = [
      ["/reservations", "reservations", EAST],
      ["/stalls", "stalls", EAST],
      ["/offers", "offers", EAST],
      ["/grants", "grants", EAST],
      ["/deliveries", "deliveries", SITE],
      ["/vehicles", "vehicles", SITE],
      ["/webhook-endpoints", "webhook_endpoints", SITE],
      ["/charges", "charges", SITE],
    ]
    const [run] = rowsOf(await api.operate("GET", "/deliveries"), "deliveries")
    const id = String(run?.["delivery_id"])
    const done = await api.operate("POST", `/deliveries/${id}/status`, { body: { status: "COMPLETED" } })
    expect(done.status).toBe(200)
    const [all, east, north, west] = [
      await asking(api, "manager", null),
      await asking(api, "manager", [EAST]),
      await asking(api, "manager", [SITE]),
      await asking(api, "manager", [WEST]),
    ]
    const nameOf = (row: Row): string => JSON.stringify(row)
    for (const [path, noun, site] of lists) {
      const rows = async (ask: typeof all) => {
        const answered = await ask("GET", `${path}?limit=100`)
        expect([path, answered.status]).toEqual([path, 200])
        return rowsOf(answered, noun).map(nameOf)
      }
      const [whole, own, others] = [
        await rows(all),
        await rows(site === EAST ? east : north),
        await rows(west),
      ]
      expect([path, own.length > 0, own.every((row) => whole.includes(row))]).toEqual([path, true, true])
      expect([path, own.filter((row) => others.includes(row))]).toEqual([path, []])
    }
    // West has a stall, an offer and nothing else.
    expect(rowsOf(await west("GET", "/stalls"), "stalls")).toMatchObject([{ zone_id: "zone_ungranted" }])
    const listed = lists.length
    expect(Object.values(RIGHTS).filter(({ sites }) => sites === "own rows")).toHaveLength(listed + 1)

    // What is at another site does not exist, also for changes; a shared fleet's vehicle is at each site of the fleet.
    expect(codeOf(await west("GET", `/deliveries/${id}`))).toBe("404 NOT_FOUND")
    expect(codeOf(await west("PATCH", "/vehicles/veh_1", { is_online: false }))).toBe("404 NOT_FOUND")
    expect(codeOf(await north("PATCH", "/vehicles/veh_1", { is_online: false }))).toBe("200 -")
    expect(
      codeOf(
        await (
          await asking(api, "dispatcher", [BARE_SITE])
        )("PATCH", "/vehicles/veh_1", { is_online: true }),
      ),
    ).toBe("200 -")
    const file = await api.app.inject({
      url: "/internal/v1/charges.csv",
      headers: { authorization: `Bearer ${api.operatorToken}` },
    })
    expect(file.payload).toContain(id)
  })

  test("a delivery is read without its customer, and canceled with a reason; each is in the audit log", async () => {
    const shop = await openShop()
    const { api } = shop
    await created(shop)
    await created(shop, "order-2")
    const rows = rowsOf(await api.operate("GET", "/deliveries?q=ORDER-1"), "deliveries")
    expect(rows).toMatchObject([
      { external_delivery_id: "order-1", status: "SCHEDULED", vehicle_label: "1", site_id: SITE },
    ])
    const id = String(rows[0]?.["delivery_id"])
    const read = await api.operate("GET", `/deliveries/${id}`)
    expect(read.data).toMatchObject({ delivery: { delivery_id: id, vehicle_id: "veh_1", is_errand: false } })
    expect(JSON.stringify(read.body)).not.toMatch(/15125550123|Sample St|latitude|tracking/)
    const viewer = await asking(api, "viewer", [SITE])
    expect(codeOf(await viewer("POST", `/deliveries/${id}/contact`))).toBe("403 PERMISSION_DENIED")
    const contact = await api.operate("POST", `/deliveries/${id}/contact`)
    expect(contact.data).toEqual({ contact: { end_user_name: "", end_user_phone: "+15125550123" } })

    const canceled = await api.operate("POST", `/deliveries/${id}/cancel`, { body: { reason: "no power" } })
    expect(canceled.data).toMatchObject({
      delivery: { status: "CANCELLED", cancellation_reason: "no power" },
    })
    const again = await api.operate("POST", `/deliveries/${id}/cancel`, { body: { reason: "another" } })
    expect(again.data).toMatchObject({ delivery: { cancellation_reason: "no power" } })
    const other = rowsOf(await api.operate("GET", "/deliveries?status=SCHEDULED"), "deliveries")[0]
    const otherId = String(other?.["delivery_id"])
    await api.operate("POST", `/deliveries/${otherId}/status`, { body: { status: "COMPLETED" } })
    expect(codeOf(await api.operate("POST", `/deliveries/${otherId}/cancel`))).toBe("409 INVALID_STATE")
    expect(codeOf(await api.operate("POST", "/deliveries/dlv_none/cancel"))).toBe("404 DELIVERY_NOT_FOUND")
    expect(await actionsOf(api)).toEqual(
      expect.arrayContaining([
        `cancelDeliveryForOperations ${id} done`,
        `cancelDeliveryForOperations ${otherId} INVALID_STATE`,
        `showDeliveryContact ${id} done`,
        `showDeliveryContact ${id} PERMISSION_DENIED`,
      ]),
    )
  })

  test("an endpoint that its failures disabled is switched on, with its failures counted from 0", async () => {
    const shop = await openShop()
    const { api } = shop
    const hook = { url: `${HOOK}?key=secret`, events: ["pickup_status.changed"] }
    const made = await shop.call("POST", "/dd/v1/webhooks", { body: hook })
    const webhookId = String(made.data["webhook_id"])
    const off = await shop.call("PUT", `/dd/v1/webhooks/${webhookId}`, { body: { is_active: false } })
    expect([codeOf(made), codeOf(off)]).toEqual(["201 -", "200 -"])
    const state = async (query: string) =>
      rowsOf(await api.operate("GET", `/webhook-endpoints${query}`), "webhook_endpoints").map(
        (row) => row["state"],
      )
    expect(await state("?state=off&state=disabled")).toEqual(["off"])
    // As after its last failure; `test/http/pickup-webhooks.test.ts` has all fifty.
    const change = {
      disabledAtMs: api.now(),
      disabledReason: "consecutive_failures",
      consecutiveFailures: 50,
    }
    await api.run(
      Effect.gen(function* () {
        const [host, store] = [yield* ActorHost, yield* WebhookStore]
        yield* host.run({ name: "a test", locks: {}, body: () => store.changeEndpoint(webhookId, change) })
      }),
    )
    const before = rowsOf(await api.operate("GET", `/webhook-endpoints?site_id=${SITE}`), "webhook_endpoints")
    expect(before).toMatchObject([
      { state: "disabled", url: HOOK, consecutive_failures: 50, disabled_at: iso(api.now()) },
    ])

    const north = await asking(api, "dispatcher", [SITE])
    const west = await asking(api, "dispatcher", [WEST])
    const on = { is_active: true }
    expect(codeOf(await west("PATCH", `/webhook-endpoints/${webhookId}`, on))).toBe("404 NOT_FOUND")
    expect(codeOf(await north("PATCH", `/webhook-endpoints/${webhookId}`, { is_active: false }))).toBe(
      "400 VALIDATION_ERROR",
    )
    expect(codeOf(await north("PATCH", `/webhook-endpoints/${webhookId}`, on))).toBe("200 -")
    expect(codeOf(await north("PATCH", `/webhook-endpoints/${webhookId}`, on))).toBe("200 -")
    expect(await state("")).toEqual(["on"])
    const shown = await shop.call("GET", `/dd/v1/webhooks/${webhookId}`)
    expect(shown.data).toMatchObject({ is_active: true, consecutive_failures: 0, disabled_at: null })
    expect(await actionsOf(api)).toContain(`switchEndpointOn ${webhookId} done`)
  })

  test("the outbox has pages and filters, and a message that waits is tried now", async () => {
    const api = await makeApi()
    const mail = {
      purpose: "password-reset",
      organizationId: null,
      to: "ada@wheels.example",
      subject: "s",
      text: "t",
    } as const
    const dueAtMs = api.now() + 9 * MINUTE_MS
    await api.run(
      Effect.gen(function* () {
        const [host, rows] = [yield* ActorHost, yield* MessageRows]
        const body = Effect.all([
          writeMail(mail, "1".repeat(32)),
          writeMail({ ...mail, to: "bob@wheels.example" }, "2".repeat(32)),
        ]).pipe(Effect.provideService(MessageRows, rows), Routine.from)
        yield* host.run({ name: "a test", locks: {}, body: () => body })
        const taken = yield* host.run({
          name: "a test",
          locks: {},
          body: () => rows.take({ channel: "mail", nowMs: api.now(), leaseMs: 1, limit: 1 }),
        })
        const attempt = { messageId: taken[0]?.messageId ?? "", attempt: 1 }
        yield* host.run({
          name: "a test",
          locks: {},
          body: () => rows.postpone({ ...attempt, dueAtMs, reason: "smtp_451" }),
        })
      }),
    )
    const found = (query: string) => api.operate("GET", `/messages?channel=mail${query}`)
    const page = await found("&limit=1")
    expect(rowsOf(page, "messages")).toMatchObject([{ to: "bob@wheels.example" }])
    const [waiting] = rowsOf(await found(`&limit=1&cursor=${String(page.data["next_cursor"])}`), "messages")
    expect(waiting).toMatchObject({ to: mail.to, due_at: iso(dueAtMs), reason: "smtp_451" })
    expect(rowsOf(await found("&q=bob@wheels.example&status=pending"), "messages")).toHaveLength(1)
    expect(rowsOf(await found("&status=sent&status=failed"), "messages")).toEqual([])
    const id = String(waiting?.["message_id"])
    const sent = await api.operate("POST", `/messages/${id}/send`)
    expect(sent.data).toMatchObject({ message: { message_id: id, status: "pending" } })
    const [hastened] = rowsOf(await found(`&q=${id}`), "messages")
    expect(Date.parse(String(hastened?.["due_at"]))).toBeLessThan(dueAtMs)
    const end = { messageId: id, attempt: 1, status: "failed", reason: "smtp_550", atMs: api.now() } as const
    await api.run(
      Effect.gen(function* () {
        const [host, rows] = [yield* ActorHost, yield* MessageRows]
        yield* host.run({ name: "a test", locks: {}, body: () => rows.end(end) })
      }),
    )
    const refused = await api.operate("POST", `/messages/${id}/send`)
    expect([codeOf(refused), refused.body["error"]]).toEqual([
      "409 INVALID_STATE",
      expect.stringContaining("it is failed: its text is deleted") as string,
    ])
    expect(codeOf(await api.operate("POST", "/messages/none/send"))).toBe("404 NOT_FOUND")
  })
})
