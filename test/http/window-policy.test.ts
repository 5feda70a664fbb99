/** The window policy through HTTP: what operations change counts from the next booking on. */

import { describe, expect, test } from "vitest"
import { PLACEHOLDER_PHOTO } from "../../src/engine/services/photos/photo-files.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { HOOK, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const DEFAULTS = {
  window_ahead_max_seconds: 86_400,
  window_width_min_seconds: 300,
  window_width_max_seconds: 7_200,
  window_grace_seconds: 900,
  bot_wait_seconds: 600,
  staging_lead_seconds: 300,
  photo_link_lifetime_seconds: 86_400,
  photo_retention_days: 90,
  announces_handoffs: true,
}

function put(api: Api, body: object): Promise<Answered> {
  return api.operate("PUT", "/window-policy", { body })
}

function windowOf(api: Api, inMs: number, widthMs: number): object {
  return {
    arrival_window_start: iso(api.now() + inMs),
    arrival_window_end: iso(api.now() + inMs + widthMs),
  }
}

async function bookingCode(api: Api, more: object): Promise<string | number> {
  const { status, code } = await api.call("POST", "/rs/v1/reservations", { body: api.booking(more) })
  return code ?? status
}

describe("/internal/v1/window-policy", () => {
  test("reads as the contract's defaults; a change is kept, and absent fields stay", async () => {
    const api = await makeApi()
    expect((await api.operate("GET", "/window-policy")).data).toEqual({ window_policy: DEFAULTS })
    const changes = { window_grace_seconds: 60, announces_handoffs: false }
    const changed = await put(api, changes)
    expect([changed.status, changed.data]).toEqual([200, { window_policy: { ...DEFAULTS, ...changes } }])
    await put(api, { bot_wait_seconds: 120 })
    expect((await api.operate("GET", "/window-policy")).data).toEqual({
      window_policy: { ...DEFAULTS, ...changes, bot_wait_seconds: 120 },
    })
  })

  test("V5: the next booking meets the changed bounds, both ways", async () => {
    const api = await makeApi()
    const far = windowOf(api, 2 * DAY_MS, 30 * MINUTE_MS)
    const narrow = windowOf(api, MINUTE_MS, 2 * MINUTE_MS)
    const wide = windowOf(api, MINUTE_MS, 150 * MINUTE_MS)
    expect([
      await bookingCode(api, far),
      await bookingCode(api, narrow),
      await bookingCode(api, wide),
    ]).toEqual(["WINDOW_TOO_FAR_OUT", "WINDOW_TOO_SHORT", "WINDOW_TOO_LONG"])
    await put(api, {
      window_ahead_max_seconds: 3 * 86_400,
      window_width_min_seconds: 60,
      window_width_max_seconds: 3 * 3_600,
    })
    expect([
      await bookingCode(api, far),
      await bookingCode(api, narrow),
      await bookingCode(api, wide),
    ]).toEqual([201, 201, 201])
  })

  test("L1: the grace of a reservation is that of its booking", async () => {
    const api = await makeApi()
    const before = await api.book()
    await put(api, { window_grace_seconds: 60 })
    const after = await api.book()
    const statuses = async (): Promise<readonly string[]> => {
      const seen = [before, after].map((id) => api.call("GET", `/rs/v1/reservations/${id}`))
      return (await Promise.all(seen)).map(({ data }) => reservationOf(data).status)
    }
    await api.advance(61 * MINUTE_MS - 1)
    expect(await statuses()).toEqual(["confirmed", "confirmed"])
    await api.advance(1)
    expect(await statuses()).toEqual(["confirmed", "canceled"])
    await api.advance(14 * MINUTE_MS)
    expect(await statuses()).toEqual(["canceled", "canceled"])
  })

  test("E22: handoffs switched off are not told, and told again when switched on", async () => {
    const api = await makeApi()
    await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
    const path = `/reservations/${await api.book()}`
    await put(api, { announces_handoffs: false })
    await api.operate("POST", `${path}/runner`, { body: { runner_id: "run_1" } })
    await api.operate("POST", `${path}/at-store`)
    await put(api, { announces_handoffs: true })
    await api.operate("POST", `${path}/order-in-hand`)
    await api.advance(SECOND_MS)
    const told = api.service.received(HOOK).map(({ body }) => JSON.parse(body) as { data: object })
    expect(told.map(({ data }) => ("milestone" in data ? data.milestone : "status"))).toEqual([
      "status",
      "order_in_hand",
    ])
  })

  test("L5: photo links live as long as the policy says", async () => {
    const api = await makeApi()
    const path = `/reservations/${await api.book()}`
    await put(api, { photo_link_lifetime_seconds: 120 })
    await api.operate("POST", `${path}/runner`, { body: { runner_id: "run_1" } })
    for (const move of ["at-store", "order-in-hand", "at-unit"]) await api.operate("POST", `${path}/${move}`)
    await api.call("POST", `/rs/v1${path}/bot`, { body: { status: "READY_FOR_HANDOFF" } })
    const loaded = await api.operate("POST", `${path}/load`, {
      text: Buffer.from(PLACEHOLDER_PHOTO.bytes),
    })
    const link = new URL(reservationOf(loaded.data).handoff?.load_photo_url ?? "")
    expect(link.searchParams.get("exp")).toBe(String(Math.floor(api.now() / 1000) + 120))
  })

  test.each<[string, string]>([
    ["window_ahead_max_seconds", '{"window_ahead_max_seconds":59}'],
    ["window_grace_seconds", '{"window_grace_seconds":2592001}'],
    ["bot_wait_seconds", '{"bot_wait_seconds":90.5}'],
    ["staging_lead_seconds", '{"staging_lead_seconds":"300"}'],
    ["photo_retention_days", '{"photo_retention_days":0}'],
    ["photo_retention_days", '{"photo_retention_days":3651}'],
    ["announces_handoffs", '{"announces_handoffs":1}'],
    ["window_width_min_seconds", '{"window_width_min_seconds":7201}'],
    ["window_width_max_seconds", '{"window_width_max_seconds":299}'],
    ["body", "{}"],
    ["body", '{"unknown":1}'],
    ["body", ""],
  ])("400 VALIDATION_ERROR names %s of %s, and nothing changes", async (field, text) => {
    const api = await makeApi()
    const { status, body } = await api.operate("PUT", "/window-policy", { text })
    expect([status, body["details"]]).toMatchObject([400, [{ field }]])
    expect((await api.operate("GET", "/window-policy")).data).toEqual({ window_policy: DEFAULTS })
  })

  test("401 without an operator token", async () => {
    const api = await makeApi()
    for (const method of ["GET", "PUT"]) {
      expect((await api.operate(method, "/window-policy", { key: api.key })).status).toBe(401)
    }
  })
})
