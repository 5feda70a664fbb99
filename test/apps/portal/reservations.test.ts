/** Reservations in the portal: list, detail, test reservations, the walk, events and timeline. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { CatalogRows } from "../../../src/areas/catalog/rows.ts"
import { Webhooks } from "../../../src/areas/webhooks/webhooks.ts"
import { PERMISSIONS } from "../../../src/model/caller.ts"
import type { Partner } from "../../../src/model/caller.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import { openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"
import { API, codeOf } from "./sandbox.ts"

const HOOK = "https://hooks.partner.example/reservations"
const RETAILER = "retailer_grocer"

interface Detail {
  readonly reservation: {
    readonly reservation_id: string
    readonly order_number: string
    readonly zone_id: string
    readonly status: string
  }
  readonly status_label: string
  readonly exceptions: readonly { readonly code: string; readonly message: string; readonly at: string }[]
  readonly next_steps: readonly { readonly step: string; readonly label: string }[]
}

/** A person whose organization may book at a zone of the sandbox. */
async function booking(portal: Portal, email = "ada@wheels.example") {
  const browser = await portal.signedUp(email)
  const { data } = await browser.call("GET", `${API}/session`)
  const { organization_id: organizationId } = data["organization"] as { organization_id: string }
  for (const zoneId of ["zone_curb", "zone_asleep", "zone_alone"]) grant(portal, organizationId, zoneId)
  await browser.call("POST", `${API}/fleet-enrolment`)
  const partner: Partner = {
    type: "partner",
    organizationId,
    environment: "sandbox",
    permissions: PERMISSIONS,
  }
  return { browser, partner }
}

function grant(portal: Portal, organizationId: string, zoneId: string): void {
  const granting = Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* CatalogRows
    const offer = { organizationId, zoneId, retailerId: RETAILER }
    yield* host.run({ name: "a test", locks: {}, body: () => rows.grants.put("sandbox", offer) })
  })
  portal.run(
    Effect.provide(
      granting,
      CatalogRows.layer.pipe(Layer.provide(layerMemoryTables(portal.service.host.store))),
    ),
  )
}

async function made(browser: Browser, body?: object): Promise<Detail> {
  const sent = body === undefined ? {} : { body }
  const { status, data } = await browser.call("POST", `${API}/sandbox/reservations`, sent)
  expect(status).toBe(201)
  return data as unknown as Detail
}

async function detail(browser: Browser, id: string): Promise<Detail> {
  return (await browser.call("GET", `${API}/reservations/${id}`)).data as unknown as Detail
}

function advance(browser: Browser, id: string, body?: object) {
  return browser.call("POST", `${API}/reservations/${id}/advance`, body === undefined ? {} : { body })
}

describe("test reservations", () => {
  test("without a body are booked at the first zone with a stall and runners, half an hour ahead", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const one = await made(browser)
    expect(one).toMatchObject({
      status_label: "Confirmed",
      place: { site_name: "East", timezone: "America/Chicago", zone_name: "Curb", retailer_name: "Grocer" },
      exceptions: [],
      reservation: {
        status: "confirmed",
        retailer_id: RETAILER,
        end_user_name: "Test Customer",
        arrival_window_start: isoMs(portal.now() + 30 * MINUTE_MS),
        arrival_window_end: isoMs(portal.now() + 60 * MINUTE_MS),
      },
    })
    expect(one.reservation.order_number).toMatch(/^test-[0-9a-f]{8}$/)
    expect(await detail(browser, one.reservation.reservation_id)).toEqual(one)
  })

  test("keep what the request says", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const start = portal.now() + HOUR_MS
    const body = {
      zone_id: "zone_curb",
      order_number: "A-7",
      end_user_name: "Grace",
      arrival_window_start: isoMs(start),
    }
    expect((await made(browser, body)).reservation).toMatchObject({
      ...body,
      arrival_window_end: isoMs(start + 30 * MINUTE_MS),
    })
  })

  test("are refused with the codes of the creation, and without a zone that is granted", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const make = (body: object = {}) => codeOf(browser, "POST", "/sandbox/reservations", body)
    const at = (ms: number) => isoMs(portal.now() + ms)
    expect(await make({ order_number: "" })).toBe("400 VALIDATION_ERROR")
    expect(await make({ zone_id: "zone_nowhere" })).toBe("422 ZONE_NOT_FOUND")
    expect(await make({ retailer_id: "retailer_none" })).toBe("422 RETAILER_NOT_SUPPORTED_IN_ZONE")
    expect(await make({ zone_id: "zone_asleep" })).toBe("422 ZONE_HAS_NO_STALLS")
    expect(await make({ arrival_window_start: at(-1) })).toBe("422 WINDOW_IN_PAST")
    expect(await make({ arrival_window_start: at(25 * HOUR_MS) })).toBe("422 WINDOW_TOO_FAR_OUT")
    const start = at(HOUR_MS)
    const window = { arrival_window_start: start, arrival_window_end: at(HOUR_MS + MINUTE_MS) }
    expect(await make(window)).toBe("422 WINDOW_TOO_SHORT")
    expect(await make({ ...window, arrival_window_end: at(4 * HOUR_MS) })).toBe("422 WINDOW_TOO_LONG")
    expect(await make({ open_link_url: "http://doors.partner.example" })).toBe("422 INVALID_OPEN_LINK")
    portal.service.world.breakHost("down.example", "unavailable")
    expect(await make({ open_link_url: "https://down.example" })).toBe("503 URL_VALIDATION_UNAVAILABLE")
    const stranger = await portal.signedUp("eve@else.example")
    expect(await codeOf(stranger, "POST", "/sandbox/reservations")).toBe("403 NOT_FLEET_PARTNER")
  })
})

describe("reservations", () => {
  test("foretell every step of the walk, and end after the last", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    let one = await made(browser, { zone_id: "zone_curb" })
    const { reservation_id: id } = one.reservation
    expect(one.next_steps[0]).toEqual({ step: "runner_assigned", label: "Runner assigned" })
    expect(one.next_steps).toHaveLength(9)
    for (let left = 9; left > 0; left -= 1) {
      const { status, data } = await advance(browser, id)
      expect(status).toBe(200)
      const after = data as unknown as Detail
      expect(after.next_steps).toEqual(one.next_steps.slice(1))
      one = after
    }
    expect(one.reservation).toMatchObject({ status: "completed", handoff: { status: "LOADED" } })
    expect(await codeOf(browser, "POST", `/reservations/${id}/advance`)).toBe("409 INVALID_STATE")
  })

  test("show the exceptions that were raised, with their messages", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const { reservation } = await made(browser, { zone_id: "zone_curb" })
    const { reservation_id: id } = reservation
    expect((await advance(browser, id)).status).toBe(200)
    portal.advance(MINUTE_MS)
    const raised = { reason_code: "stall_blocked", message: "a van" }
    expect((await advance(browser, id, raised)).status).toBe(200)
    expect((await detail(browser, id)).exceptions).toEqual([
      { code: "stall_blocked", message: "The stall is blocked.", at: isoMs(portal.now()) },
    ])
    expect(await codeOf(browser, "POST", `/reservations/${id}/advance`, { reason: "x" })).toBe(
      "400 VALIDATION_ERROR",
    )
  })

  test("are cancelled as by the API: once, with the first reason", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const { reservation } = await made(browser, { zone_id: "zone_curb" })
    const path = `/reservations/${reservation.reservation_id}/cancel`
    expect(await codeOf(browser, "POST", path, { reason: "x".repeat(501) })).toBe("400 VALIDATION_ERROR")
    expect(await codeOf(browser, "POST", path, { reason: "no lunch" })).toBe("200 -")
    expect(await codeOf(browser, "POST", path, { reason: "other" })).toBe("200 -")
    const { reservation: after, next_steps: next } = await detail(browser, reservation.reservation_id)
    expect(after).toMatchObject({ status: "canceled", canceled_by: "partner", cancel_reason: "no lunch" })
    expect(next).toEqual([])
    const done = await made(browser, { zone_id: "zone_curb" })
    for (let step = 0; step < 9; step += 1) await advance(browser, done.reservation.reservation_id)
    expect(await codeOf(browser, "POST", `/reservations/${done.reservation.reservation_id}/cancel`)).toBe(
      "409 INVALID_STATE",
    )
  })

  test("have the events that were sent for them, and a timeline of their actors without people", async () => {
    const portal = await openPortal()
    const { browser, partner } = await booking(portal)
    portal.run(
      Effect.flatMap(Webhooks, (hooks) =>
        hooks.register(partner, {
          url: HOOK,
          subscribed_events: [
            "reservation.status_changed",
            "reservation.handoff_updated",
            "reservation.exception",
          ],
        }),
      ),
    )
    portal.service.world.script(HOOK, [{ type: "status", status: 500, afterMs: 90 }])
    const { reservation } = await made(browser, { zone_id: "zone_curb" })
    const { reservation_id: id } = reservation
    await advance(browser, id)
    await advance(browser, id, { reason_code: "runner_delayed" })
    portal.advance(SECOND_MS)
    const { data } = await browser.call("GET", `${API}/reservations/${id}/events`)
    expect(data["events"]).toMatchObject([
      { event: "reservation.exception", status: "runner_delayed", url: HOOK },
      {
        event: "reservation.status_changed",
        status: "confirmed",
        outcome: "waiting",
        attempts: [{ attempt: 1, status: 500, ms: 90 }],
        attempts_max: 8,
      },
    ])
    const timeline = await browser.call("GET", `${API}/reservations/${id}/timeline`)
    const lines = timeline.data["timeline"] as {
      actor: string
      event: string
      before: string
      after: string
    }[]
    expect(lines.map(({ actor, event }) => `${actor} ${event}`)).toEqual(
      expect.arrayContaining([
        "reservation started",
        "bot started",
        "runner-task started",
        "runner-task runner.assigned",
        "runner-task exception.raised",
      ]),
    )
    expect(lines.find(({ event }) => event === "runner.assigned")).toMatchObject({
      before: "Queued",
      after: "Assigned",
    })
    expect(JSON.stringify(timeline.data)).not.toMatch(/Test Customer|1512|example\.com|sandbox/)
  })

  test("are listed newest first, by status, part of the order number and window, by pages", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const at = (ms: number) => isoMs(portal.now() + ms)
    const ids: string[] = []
    for (const [order_number, ms] of [
      ["A-8841", HOUR_MS],
      ["B-8841", 2 * HOUR_MS],
      ["a-8842", 3 * HOUR_MS],
    ] as const) {
      const one = await made(browser, { zone_id: "zone_curb", order_number, arrival_window_start: at(ms) })
      ids.push(one.reservation.reservation_id)
    }
    const listed = async (query = ""): Promise<readonly string[]> =>
      (
        (await browser.call("GET", `${API}/reservations?${query}`)).data["reservations"] as {
          order_number: string
        }[]
      ).map(({ order_number }) => order_number)
    expect(await listed()).toEqual(["a-8842", "B-8841", "A-8841"])
    expect(await listed("q=8841")).toEqual(["B-8841", "A-8841"])
    expect(await listed("q=A-")).toEqual(["a-8842", "A-8841"])
    expect(await listed("order_number=A-8841")).toEqual(["A-8841"])
    expect(await listed(`arrival_from=${at(2 * HOUR_MS)}&arrival_to=${at(3 * HOUR_MS)}`)).toEqual(["B-8841"])
    await browser.call("POST", `${API}/reservations/${ids[1]}/cancel`)
    expect(await listed("status=canceled")).toEqual(["B-8841"])
    expect(await listed("status=canceled&status=confirmed&zone_id=zone_curb")).toHaveLength(3)
    const page = await browser.call("GET", `${API}/reservations?limit=2`)
    expect(await listed(`cursor=${String(page.data["next_cursor"])}`)).toEqual(["A-8841"])
    for (const query of ["status=LOST", "q=", "arrival_from=today", "limit=0", "cursor=abc"])
      expect(await codeOf(browser, "GET", `/reservations?${query}`)).toBe("400 VALIDATION_ERROR")
  })

  test("of another organization, or in an environment without access, are not to be seen or moved", async () => {
    const portal = await openPortal()
    const { browser } = await booking(portal)
    const { reservation } = await made(browser)
    const path = `/reservations/${reservation.reservation_id}`
    const { browser: stranger } = await booking(portal, "eve@else.example")
    const paths = [
      ["GET", ""],
      ["GET", "/events"],
      ["GET", "/timeline"],
      ["POST", "/advance"],
      ["POST", "/cancel"],
    ] as const
    for (const [method, part] of paths) {
      expect(await codeOf(stranger, method, `${path}${part}`)).toBe("404 NOT_FOUND")
      expect(await codeOf(browser, method, `/reservations/res_none${part}`)).toBe("404 NOT_FOUND")
      expect(await codeOf(portal.browser(), method, `${path}${part}`)).toBe("401 SIGN_IN_REQUIRED")
      if (part === "/advance") continue
      expect(await codeOf(browser, method, `${path}${part}?environment=production`)).toBe("403 ORG_INACTIVE")
    }
    const { data } = await stranger.call("GET", `${API}/reservations`)
    expect(data["reservations"]).toEqual([])
    expect((await detail(browser, reservation.reservation_id)).reservation.status).toBe("confirmed")
  })
})
