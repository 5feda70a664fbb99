/** The runner application through HTTP: every move of a task, what it refuses, the board, and load photos. */

import { Effect } from "effect"
import sharp from "sharp"
import { describe, expect, test } from "vitest"
import { PHOTO_BYTES_MAX } from "../../src/model/values/limits.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { Retention } from "../../src/engine/services/retention/retention.ts"
import { PLACEHOLDER_PHOTO } from "../../src/engine/services/photos/photo-files.ts"
import { PLANTED, phonePhoto, pngOf } from "../photos.ts"
import { HOOK, OPEN_LINK, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api, Sent } from "./api.ts"

const JPEG = Buffer.from(PLACEHOLDER_PHOTO.bytes)
const PNG = pngOf(2, 1, Buffer.from([0, 255, 0, 0, 0, 0, 255]))
const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"
const LIMIT = { max_weight_kg: 5, max_dimensions_cm: { length: 40, width: 30, height: 20 } }

interface Visit extends Api {
  readonly id: string
  readonly do: (move: string, sent?: Sent) => Promise<Answered>
  readonly bot: (status: string) => Promise<Answered>
  readonly see: () => Promise<Answered>
}

async function visit(more: object = {}): Promise<Visit> {
  const api = await makeApi()
  await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
  const id = await api.book(more)
  return {
    ...api,
    id,
    do: (move, sent) => api.operate("POST", `/reservations/${id}/${move}`, sent),
    bot: (status) => api.call("POST", `/rs/v1/reservations/${id}/bot`, { body: { status } }),
    see: () => api.operate("GET", `/reservations/${id}`),
  }
}

/** Takes the task as far as an open compartment. */
async function atTheBot(more: object = {}): Promise<Visit> {
  const v = await visit(more)
  await v.do("runner", { body: { runner_id: "run_1" } })
  for (const move of ["at-store", "order-in-hand", "at-unit"]) await v.do(move)
  await v.bot("READY_FOR_HANDOFF")
  return v
}

async function told(api: Api): Promise<readonly Record<string, unknown>[]> {
  await api.advance(SECOND_MS)
  return api.service
    .received(HOOK)
    .map(({ body }) => (JSON.parse(body) as { readonly data: Record<string, unknown> }).data)
}

async function milestones(api: Api): Promise<readonly unknown[]> {
  return (await told(api)).flatMap((data) => data["milestone"] ?? data["reason_code"] ?? [])
}

function handoffOf({ data }: Answered): string | undefined {
  return reservationOf(data).handoff?.status
}

function linkOf({ data }: Answered): string {
  const { pathname, search } = new URL(reservationOf(data).handoff?.load_photo_url ?? "")
  return `${pathname}${search}`
}

function refusal({ status, code }: Answered): string {
  return `${status} ${code}`
}

const MOVES: readonly (readonly [move: string, sent: Sent])[] = [
  ["runner", { body: { runner_id: "run_1" } }],
  ["at-store", {}],
  ["hold", {}],
  ["ready", {}],
  ["give-up", {}],
  ["order-in-hand", {}],
  ["payload", { body: { weight_kg: 1 } }],
  ["at-unit", {}],
  ["load", {}],
  ["load", { text: JPEG, headers: { "content-type": "image/jpeg" } }],
  ["open-link", {}],
  ["exceptions", { body: { reason_code: "stall_blocked" } }],
  ["cancel", { body: { by: "ops" } }],
]

describe("the moves of a runner task", () => {
  test("from the queue to the bot, each answers with the reservation as it then stands", async () => {
    const v = await visit()
    const steps = [
      await v.do("runner", { body: { runner_id: "run_7" } }),
      await v.do("at-store"),
      await v.do("hold", { body: { ready_estimate: iso(v.now() + 5 * MINUTE_MS) } }),
      await v.do("ready"),
      await v.do("order-in-hand"),
      await v.do("at-unit"),
    ]
    expect(steps.map((step) => [step.status, handoffOf(step)])).toEqual([
      [200, "ASSIGNED"],
      [200, "AT_STORE"],
      [200, "HELD"],
      [200, "AT_STORE"],
      [200, "RETRIEVED"],
      [200, "AT_UNIT"],
    ])
    await v.bot("READY_FOR_HANDOFF")
    expect(handoffOf(await v.see())).toBe("HANDOFF_READY")
    await v.advance(SECOND_MS)
    expect(v.service.received(OPEN_LINK)).toHaveLength(1)
    expect(handoffOf(await v.do("load"))).toBe("LOADED")
    expect(await milestones(v)).toEqual([
      "task_started",
      "order_not_ready_hold",
      "order_in_hand",
      "runner_at_unit",
      "handoff_complete",
    ])
  })

  test("a hold shows the counter's estimate and its flag; without a body there is none", async () => {
    const v = await visit()
    await v.do("runner", { body: { runner_id: "run_1" } })
    await v.do("at-store")
    const readyAt = iso(v.now() + 5 * MINUTE_MS)
    const held = reservationOf((await v.do("hold", { body: { ready_estimate: readyAt } })).data)
    expect(held.handoff).toMatchObject({ ready_estimate: readyAt })
    expect(held["open_exceptions"]).toEqual(["order_not_ready_hold"])
    await v.do("ready")
    expect(reservationOf((await v.do("hold")).data).handoff).toMatchObject({ ready_estimate: null })
  })

  test("an order that fits changes nothing, one too heavy ends the task, one half measured is 400", async () => {
    const v = await visit({ payload_limit: LIMIT })
    await v.do("runner", { body: { runner_id: "run_1" } })
    await v.do("at-store")
    const dimensions_cm = LIMIT.max_dimensions_cm
    expect(refusal(await v.do("payload", { body: { weight_kg: 5 } }))).toBe("400 VALIDATION_ERROR")
    expect(handoffOf(await v.do("payload", { body: { weight_kg: 5, dimensions_cm } }))).toBe("AT_STORE")
    expect(handoffOf(await v.do("payload", { body: { weight_kg: 5.1, dimensions_cm } }))).toBe("FAILED")
    expect(await milestones(v)).toContain("payload_rejected")
  })

  test("giving up at the counter fails the task", async () => {
    const v = await visit()
    await v.do("runner", { body: { runner_id: "run_1" } })
    await v.do("at-store")
    expect(handoffOf(await v.do("give-up"))).toBe("FAILED")
    expect(await milestones(v)).toContain("order_not_ready_fail")
  })

  test("O5: after the open link failed for good, the runner has it called anew", async () => {
    const v = await visit()
    v.service.script(OPEN_LINK, [{ type: "status", status: 503, afterMs: 10 }])
    await v.do("runner", { body: { runner_id: "run_1" } })
    for (const move of ["at-store", "order-in-hand", "at-unit"]) await v.do(move)
    await v.bot("READY_FOR_HANDOFF")
    expect(refusal(await v.do("open-link"))).toBe("409 INVALID_STATE")
    await v.advance(MINUTE_MS)
    expect(reservationOf((await v.see()).data)["open_exceptions"]).toEqual(["access_failed"])
    const retried = await v.do("open-link")
    expect([retried.status, reservationOf(retried.data)["open_exceptions"]]).toEqual([200, []])
    await v.advance(SECOND_MS)
    expect(v.service.received(OPEN_LINK)).toHaveLength(4)
  })

  test("a flag is raised with its message, told once, cleared, and clearing again is fine", async () => {
    const v = await visit()
    const body = { reason_code: "stall_blocked", message: "a delivery van" }
    for (const seen of [await v.do("exceptions", { body }), await v.do("exceptions", { body })]) {
      expect([seen.status, reservationOf(seen.data)["open_exceptions"]]).toEqual([200, ["stall_blocked"]])
    }
    expect((await told(v)).filter((data) => data["reason_code"] !== undefined)).toMatchObject([body])
    const clear = (): Promise<Answered> =>
      v.operate("DELETE", `/reservations/${v.id}/exceptions?reason_code=stall_blocked`)
    for (const seen of [await clear(), await clear()]) {
      expect([seen.status, reservationOf(seen.data)["open_exceptions"]]).toEqual([200, []])
    }
  })

  test.each(["runner", "ops"])("E21: a cancel by %s says so, and a repeat keeps the first", async (by) => {
    const v = await visit()
    const canceled = await v.do("cancel", { body: { by, reason: "flooded street" } })
    const again = await v.do("cancel", { body: { by: "ops", reason: "later" } })
    for (const { status, data } of [canceled, again]) {
      expect([status, reservationOf(data)]).toMatchObject([
        200,
        { status: "canceled", canceled_by: by, cancel_reason: "flooded street" },
      ])
    }
    const partners = await v.call("GET", `/rs/v1/reservations/${v.id}`)
    expect(reservationOf(partners.data)).toMatchObject({ canceled_by: by, cancel_reason: "flooded street" })
  })
})

describe("what a move refuses", () => {
  test.each(MOVES.filter(([move]) => !["runner", "exceptions", "cancel"].includes(move)))(
    "409 INVALID_STATE: %s while queued, and it says what stood in the way",
    async (move, sent) => {
      const v = await visit()
      const refused = await v.do(move, sent)
      expect(refusal(refused)).toBe("409 INVALID_STATE")
      expect(refused.body["error"]).toContain("(the handoff is QUEUED)")
      expect(handoffOf(await v.see())).toBe("QUEUED")
    },
  )

  test.each(MOVES.filter(([move]) => move !== "cancel"))(
    "409 INVALID_STATE: %s after a cancel",
    async (move, sent) => {
      const v = await visit()
      await v.do("cancel", { body: { by: "ops" } })
      expect(refusal(await v.do(move, sent))).toBe("409 INVALID_STATE")
    },
  )

  test("409 INVALID_STATE: after a load without a photo the refusal names the contract's status", async () => {
    const v = await atTheBot()
    await v.do("load")
    const refused = await v.do("runner", { body: { runner_id: "run_2" } })
    expect(refusal(refused)).toBe("409 INVALID_STATE")
    expect(refused.body["error"]).toContain("(the handoff is LOADED)")
  })

  test("409 INVALID_STATE: a cancel of what is completed", async () => {
    const v = await visit()
    await v.bot("DEPARTED")
    expect(refusal(await v.do("cancel", { body: { by: "ops" } }))).toBe("409 INVALID_STATE")
  })

  test("409 INVALID_STATE: a task of a zone without runner service", async () => {
    const v = await visit({ zone_id: "zone_alone" })
    const refused = await v.do("runner", { body: { runner_id: "run_1" } })
    expect(refusal(refused)).toBe("409 INVALID_STATE")
    expect(refused.body["error"]).toContain("no runner service")
  })

  test.each(MOVES)("404 NOT_FOUND: %s of an unknown reservation", async (move, sent) => {
    const api = await makeApi()
    expect(refusal(await api.operate("POST", `/reservations/res_unknown/${move}`, sent))).toBe(
      "404 NOT_FOUND",
    )
  })

  test("404 NOT_FOUND: reading and clearing an unknown one", async () => {
    const api = await makeApi()
    expect(refusal(await api.operate("GET", "/reservations/res_unknown"))).toBe("404 NOT_FOUND")
    const path = "/reservations/res_unknown/exceptions?reason_code=bot_no_show"
    expect(refusal(await api.operate("DELETE", path))).toBe("404 NOT_FOUND")
  })

  test.each(MOVES)("401: %s with a partner's key, and without any", async (move, sent) => {
    const v = await visit()
    for (const key of [v.key, null]) expect((await v.do(move, { ...sent, key })).status).toBe(401)
    expect(handoffOf(await v.see())).toBe("QUEUED")
  })

  test.each<[string, string, string]>([
    ["runner", "runner_id", "{}"],
    ["runner", "runner_id", '{"runner_id":" "}'],
    ["runner", "body", "[]"],
    ["runner", "body", ""],
    ["hold", "ready_estimate", '{"ready_estimate":"noon"}'],
    ["hold", "ready_estimate", '{"ready_estimate":"2031-06-01T12:00:00Z"}'],
    ["hold", "body", "{"],
    ["payload", "weight_kg", '{"weight_kg":0}'],
    ["payload", "dimensions_cm.height", '{"dimensions_cm":{"length":1,"width":1}}'],
    ["payload", "body", ""],
    ["exceptions", "reason_code", '{"reason_code":"bored"}'],
    ["exceptions", "reason_code", "{}"],
    ["exceptions", "message", `{"reason_code":"stall_blocked","message":"${"x".repeat(257)}"}`],
    ["cancel", "by", '{"by":"partner"}'],
    ["cancel", "by", "{}"],
    ["cancel", "reason", `{"by":"ops","reason":"${"x".repeat(501)}"}`],
  ])("400 VALIDATION_ERROR: %s names %s of %s", async (move, field, text) => {
    const v = await visit()
    const { status, body } = await v.do(move, { text })
    expect([status, body["details"]]).toEqual([400, [{ field, message: expect.any(String) as string }]])
    expect(handoffOf(await v.see())).toBe("QUEUED")
  })

  test.each(["", "?reason_code=bored", "?reason_code=bot_no_show&reason_code=bot_mismatch"])(
    "400 VALIDATION_ERROR: clearing %s",
    async (query) => {
      const v = await visit()
      const { status, body } = await v.operate("DELETE", `/reservations/${v.id}/exceptions${query}`)
      expect([status, body["details"]]).toMatchObject([400, [{ field: "reason_code" }]])
    },
  )

  test("413 PAYLOAD_TOO_LARGE: above 1 MiB everywhere but for photos", async () => {
    const v = await visit()
    const text = Buffer.alloc(1_048_577, " ")
    expect(refusal(await v.do("runner", { text }))).toBe("413 PAYLOAD_TOO_LARGE")
  })
})

describe("load photos", () => {
  test.each([
    ["JPEG", JPEG, [1, 1]],
    ["PNG", PNG, [2, 1]],
  ])("L6: a %s comes back as JPEG behind its link, for one reader alone", async (_, photo, size) => {
    const v = await atTheBot()
    // The type is detected from the content, whatever the header.
    const loaded = await v.do("load", {
      text: photo,
      headers: { "content-type": "application/octet-stream" },
    })
    expect(reservationOf(loaded.data).handoff).toMatchObject({ status: "LOADED", load_photo_skipped: false })
    const partners = await v.call("GET", `/rs/v1/reservations/${v.id}`)
    const complete = (await told(v)).find((data) => data["milestone"] === "handoff_complete") ?? {}
    for (const seen of [loaded, await v.see(), partners, { ...loaded, data: complete }]) {
      const { status, bytes, headers } = await v.call("GET", linkOf(seen), { key: null })
      expect(status).toBe(200)
      const { format, width, height } = await sharp(bytes).metadata()
      expect([format, width, height]).toEqual(["jpeg", ...size])
      expect(headers).toMatchObject({
        "content-type": "image/jpeg",
        "cache-control": "private",
        "content-disposition": "inline",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
      })
    }
  })

  test("L6: a partner gets a phone's photo upright, without its place and camera", async () => {
    const v = await atTheBot()
    const sent = await phonePhoto()
    expect(sent.includes(PLANTED)).toBe(true)
    const { bytes } = await v.call("GET", linkOf(await v.do("load", { text: sent })), { key: null })
    const { width, height, exif } = await sharp(bytes).metadata()
    expect([width, height, exif, bytes.includes(PLANTED)]).toEqual([40, 60, undefined, false])
  })

  test("H21: a photo after SECURED lands by the same route and tells the load once more", async () => {
    const v = await atTheBot()
    await v.bot("SECURED")
    expect(reservationOf((await v.see()).data).handoff).toMatchObject({
      status: "LOADED",
      load_photo_skipped: true,
      load_photo_url: null,
    })
    const landed = await v.do("load", { text: JPEG })
    expect(reservationOf(landed.data).handoff).toMatchObject({ load_photo_skipped: false })
    const { bytes } = await v.call("GET", linkOf(landed), { key: null })
    expect((await sharp(bytes).metadata()).width).toBe(1)
    const told2 = (await told(v)).filter((data) => data["milestone"] === "handoff_complete")
    expect(told2.map((data) => reservationOf(data).handoff?.load_photo_url !== null)).toEqual([false, true])
    expect(refusal(await v.do("load", { text: PNG }))).toBe("409 INVALID_STATE")
    expect((await v.call("GET", linkOf(landed), { key: null })).bytes).toEqual(bytes)
  })

  test("a load without a photo has no link, and repeating it is fine", async () => {
    const v = await atTheBot()
    for (const seen of [await v.do("load"), await v.do("load", { text: "" })]) {
      expect(reservationOf(seen.data).handoff).toMatchObject({
        status: "LOADED",
        load_photo_skipped: true,
        load_photo_url: null,
      })
    }
  })

  test.each<[string, Buffer, string]>([
    ["a GIF", Buffer.from("GIF89a,,,,"), "image/jpeg"],
    ["half a PNG signature", PNG.subarray(0, 5), "image/png"],
    ["JSON", Buffer.from("{}"), "application/json"],
    ["an empty photo", Buffer.alloc(0), "image/jpeg"],
    ["HTML behind the first bytes of a JPEG", Buffer.from("\xff\xd8\xff<html>", "latin1"), "image/jpeg"],
    ["half a JPEG", JPEG.subarray(0, JPEG.length / 2), "image/jpeg"],
    ["a PNG of 60,000 by 60,000 pixels", pngOf(60_000, 60_000), "image/png"],
  ])("L6: 400 VALIDATION_ERROR names the photo: %s", async (_, text, type) => {
    const v = await atTheBot()
    const { status, body } = await v.do("load", { text, headers: { "content-type": type } })
    expect([status, body["details"]]).toMatchObject([400, [{ field: "photo" }]])
    expect(handoffOf(await v.see())).toBe("HANDOFF_READY")
  })

  test("L6: exactly 10 MB is taken, a byte more is 413 PAYLOAD_TOO_LARGE", async () => {
    const v = await atTheBot()
    const photo = Buffer.concat([JPEG, Buffer.alloc(PHOTO_BYTES_MAX - JPEG.length, 7)])
    const over = await v.do("load", { text: Buffer.concat([photo, Buffer.of(7)]) })
    expect(refusal(over)).toBe("413 PAYLOAD_TOO_LARGE")
    const loaded = await v.do("load", { text: photo })
    expect(loaded.status).toBe(200)
    // What stood behind the picture's end is gone.
    expect((await v.call("GET", linkOf(loaded), { key: null })).bytes.length).toBeLessThan(1_000)
  })

  test.each<[string, (link: string) => string]>([
    ["no signature", (link) => link.replace(/&sig=.*/, "")],
    ["another signature", (link) => link.replace(/sig=../, "sig=zz")],
    ["a later end", (link) => link.replace(/exp=\d/, "exp=9")],
    ["another photo", (link) => link.replace("pho_", "pho_x")],
  ])("L5: 404 NOT_FOUND: %s", async (_, broken) => {
    const v = await atTheBot()
    const link = linkOf(await v.do("load", { text: JPEG }))
    expect(refusal(await v.call("GET", broken(link), { key: null }))).toBe("404 NOT_FOUND")
    expect((await v.call("GET", link, { key: null })).status).toBe(200)
  })

  test("L5: 404 NOT_FOUND after 24 hours; a read signs afresh", async () => {
    const v = await atTheBot()
    const link = linkOf(await v.do("load", { text: JPEG }))
    await v.advance(DAY_MS)
    expect(refusal(await v.call("GET", link, { key: null }))).toBe("404 NOT_FOUND")
    expect((await v.call("GET", linkOf(await v.see()), { key: null })).status).toBe(200)
  })

  test("L5, G20: 404 NOT_FOUND once the photo is purged, 90 days after it was taken", async () => {
    const v = await atTheBot()
    await v.do("load", { text: JPEG })
    const purge = Effect.flatMap(Retention, ({ run }) => run)
    await v.advance(90 * DAY_MS - 1)
    await v.run(purge)
    const link = linkOf(await v.see())
    expect((await v.call("GET", link, { key: null })).status).toBe(200)
    await v.advance(1)
    await v.run(purge)
    expect(refusal(await v.call("GET", link, { key: null }))).toBe("404 NOT_FOUND")
    expect(refusal(await v.call("GET", linkOf(await v.see()), { key: null }))).toBe("404 NOT_FOUND")
  })
})

describe("the runner's board", () => {
  test("shows what a runner needs, and neither phone number nor open link", async () => {
    const v = await visit({ retailer_pickup_ref: "PICK-9", payload_limit: LIMIT })
    const startMs = v.now() + 30 * MINUTE_MS
    await v.call("POST", `/rs/v1/reservations/${v.id}/bot`, {
      body: { status: "INBOUND", label: "blue bot", eta: iso(startMs + 2 * MINUTE_MS) },
    })
    await v.do("runner", { body: { runner_id: "run_7" } })
    const seen = reservationOf((await v.see()).data)
    expect(seen).toMatchObject({
      reservation_id: v.id,
      status: "confirmed",
      site_id: EAST,
      zone_id: "zone_curb",
      stall_label: "A1",
      retailer_name: "Grocer",
      retailer_support_phone: "+15125550111",
      pickup_requirements: "Order numbers look like A-1001.",
      pickup_reference: "PICK-9",
      order_number: "A-1001",
      end_user_name: "Ada Example",
      payload_limit: LIMIT,
      bot: { status: "INBOUND", label: "blue bot" },
      handoff: { status: "ASSIGNED" },
      staging_at: iso(startMs - 3 * MINUTE_MS),
      arrival_window_start: iso(startMs),
      runner_id: "run_7",
      open_exceptions: [],
      is_order_returning: false,
    })
    expect(Object.keys(seen)).not.toContain("end_user_phone")
    expect(Object.keys(seen)).not.toContain("open_link_url")
  })

  test("the order number is said at the counter where there is no reference", async () => {
    const v = await visit()
    expect(reservationOf((await v.see()).data)["pickup_reference"]).toBe("A-1001")
  })

  test("an order in hand goes back on a cancel", async () => {
    const v = await visit()
    await v.do("runner", { body: { runner_id: "run_1" } })
    for (const move of ["at-store", "order-in-hand"]) await v.do(move)
    const canceled = await v.do("cancel", { body: { by: "runner" } })
    expect(reservationOf(canceled.data)).toMatchObject({
      is_order_returning: true,
      handoff: { status: "CANCELED" },
    })
  })

  test("without runner service there is neither staging time nor task", async () => {
    const v = await visit({ zone_id: "zone_alone" })
    expect(reservationOf((await v.see()).data)).toMatchObject({
      handoff: null,
      staging_at: null,
      runner_id: null,
      is_order_returning: null,
    })
  })
})

describe("GET /internal/v1/sites/{id}/tasks", () => {
  function tasksOf({ data }: Answered): readonly unknown[] {
    return (data["tasks"] as readonly { readonly order_number: string }[]).map((task) => task.order_number)
  }

  async function busySite(): Promise<Api & { readonly tasks: (query?: string) => Promise<Answered> }> {
    const api = await makeApi()
    const book = (order_number: string, startMin: number, more: object = {}): Promise<string> =>
      api.book({
        order_number,
        arrival_window_start: iso(api.now() + startMin * MINUTE_MS),
        arrival_window_end: iso(api.now() + (startMin + 30) * MINUTE_MS),
        ...more,
      })
    await book("late", 90)
    const early = await book("estimated", 60)
    await book("soon", 30)
    await book("as soon", 30, { zone_id: "zone_alone" })
    await book("as soon too", 30)
    const done = await book("canceled", 20)
    await api.call("DELETE", `/rs/v1/reservations/${done}`)
    const eta = iso(api.now() + 25 * MINUTE_MS)
    await api.call("POST", `/rs/v1/reservations/${early}/bot`, { body: { status: "INBOUND", eta } })
    return { ...api, tasks: (query = "") => api.operate("GET", `/sites/${EAST}/tasks${query}`) }
  }

  test("open tasks come by staging time, then in the order of booking", async () => {
    const site = await busySite()
    const all = await site.tasks()
    expect([all.status, tasksOf(all), all.data["next_cursor"]]).toEqual([
      200,
      ["estimated", "soon", "as soon too", "late"],
      null,
    ])
  })

  test("G15: pages follow one another without gap or repeat", async () => {
    const site = await busySite()
    const seen: unknown[] = []
    let query = "?limit=1"
    for (let page = 0; page < 5 && query !== ""; page += 1) {
      const answered = await site.tasks(query)
      seen.push(...tasksOf(answered))
      const cursor = answered.data["next_cursor"] as string | null
      query = cursor === null ? "" : `?limit=1&cursor=${cursor}`
    }
    expect(seen).toEqual(["estimated", "soon", "as soon too", "late"])
    expect(query).toBe("")
  })

  test("a task that ends leaves the list, an assigned one stays", async () => {
    const site = await busySite()
    const [first, second] = (await site.tasks()).data["tasks"] as readonly {
      readonly reservation_id: string
    }[]
    await site.operate("POST", `/reservations/${first?.reservation_id}/cancel`, { body: { by: "ops" } })
    await site.operate("POST", `/reservations/${second?.reservation_id}/runner`, {
      body: { runner_id: "run_1" },
    })
    expect(tasksOf(await site.tasks())).toEqual(["soon", "as soon too", "late"])
  })

  test.each([
    ["limit", "?limit=0"],
    ["limit", "?limit=101"],
    ["limit", "?limit=all"],
    ["limit", "?limit=1&limit=2"],
    ["cursor", "?cursor=zzz"],
    ["cursor", `?cursor=${Buffer.from("r5").toString("base64url")}`],
  ])("400 VALIDATION_ERROR names %s of %s", async (field, query) => {
    const api = await makeApi()
    const { status, body } = await api.operate("GET", `/sites/${EAST}/tasks${query}`)
    expect([status, body["details"]]).toMatchObject([400, [{ field }]])
  })

  test("404 NOT_FOUND: a site that does not exist; one without tasks is empty", async () => {
    const api = await makeApi()
    expect(refusal(await api.operate("GET", "/sites/nowhere/tasks"))).toBe("404 NOT_FOUND")
    expect((await api.operate("GET", `/sites/${EAST}/tasks`)).data).toEqual({ tasks: [], next_cursor: null })
  })
})
