/** Reservations and bot reports through HTTP: every row of the contract's table, every refusal by its code. */

import { Context, Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Refused } from "../../src/model/values/errors.ts"
import { DAY_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import { CatalogAdmin } from "../../src/areas/catalog/catalog-admin.ts"
import { Reservations } from "../../src/areas/reservations/reservations.ts"
import { Database } from "../../src/engine/store/database.ts"
import { grants as declaredGrants } from "../../src/areas/catalog/rows.ts"
import { declaredTable } from "../../src/engine/store/declared-table.ts"
import { contentOf, makeApi, iso, reservationOf } from "./api.ts"
import type { Api } from "./api.ts"

const grants = declaredTable(declaredGrants)
const LIST = "/rs/v1/reservations"

function window(api: Api, startMs: number, widthMs: number): object {
  return {
    arrival_window_start: iso(api.now() + startMs),
    arrival_window_end: iso(api.now() + startMs + widthMs),
  }
}

describe("GET /rs/v1/retailers", () => {
  test("V17: sites, zones and retailers by name, granted ones only", async () => {
    const api = await makeApi()
    const { status, data } = await api.call("GET", "/rs/v1/retailers")
    expect(status).toBe(200)
    const sites = data["sites"] as { name: string; zones: { zone_id: string; retailers: object[] }[] }[]
    expect(sites.map((site) => site.name)).toEqual(["East"])
    expect(sites[0]?.zones.find((zone) => zone.zone_id === "zone_curb")?.retailers).toEqual([
      expect.objectContaining({ retailer_id: "retailer_baker", logo_url: null }),
      expect.objectContaining({ retailer_id: "retailer_grocer", support_phone: "+15125550111" }),
    ])
  })
})

describe("the sandbox's test site", () => {
  const ensured = Effect.flatMap(CatalogAdmin, (admin) => admin.ensureSandboxSite)
  const fleet = { name: "Wheels", isFleetPartner: true, environments: ["sandbox"] } as const
  const TREE = [
    {
      site_id: "5a7d0c1e-7e57-4b0c-9a1d-000000000001",
      name: "Sandbox test site",
      timezone: "America/Chicago",
      zones: [
        expect.objectContaining({
          zone_id: "zone_sandbox_test",
          retailers: [expect.objectContaining({ retailer_id: "retailer_sandbox_test" })],
        }),
      ],
    },
  ]

  test("V18: is there for every organization, enrolled before the start or after, by any means", async () => {
    const api = await makeApi({ environment: "sandbox" })
    const sitesOf = async (organizationId: string): Promise<unknown> => {
      const key = await api.makeKey({ organizationId })
      return (await api.call("GET", "/rs/v1/retailers", { key })).data["sites"]
    }
    const add = (body: object): Promise<string> =>
      api
        .operate("POST", "/organizations", { body })
        .then(({ data }) => (data["organization"] as { organization_id: string }).organization_id)
    const early = await add({ name: "Early" })
    const late = await add({ name: "Late", is_fleet_partner: false })
    const elsewhere = await add({ name: "Elsewhere", environments: ["production"] })
    // An organization from before grants were automatic.
    await api.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.delete(grants))))
    await api.run(ensured)
    expect(await sitesOf(early)).toEqual(TREE)
    for (const [id, body] of [
      [late, { is_fleet_partner: true }],
      [elsewhere, { environments: ["production", "sandbox"] }],
    ] as const) {
      await api.operate("PATCH", `/organizations/${id}`, { body })
      expect(await sitesOf(id)).toEqual(TREE)
    }
    expect(await sitesOf(await add({ name: "New" }))).toEqual(TREE)
    const { data } = await api.operate("GET", "/grants")
    const granted = data["grants"] as readonly { readonly zone_id: string }[]
    expect(granted.filter(({ zone_id }) => zone_id === "zone_sandbox_test")).toHaveLength(5)
  })

  test("V18: has stalls A1 to A3, books like any other, and stays as operations change it", async () => {
    const api = await makeApi({ environment: "sandbox" })
    await api.run(ensured)
    await api.operate("PATCH", "/stalls/stall_sandbox_1", { body: { is_active: false } })
    await api.run(ensured)
    const { data } = await api.operate("GET", "/stalls?zone_id=zone_sandbox_test")
    expect(data["stalls"]).toEqual(
      [1, 2, 3].map((number) => ({
        stall_id: `stall_sandbox_${number}`,
        zone_id: "zone_sandbox_test",
        label: `A${number}`,
        is_active: number !== 1,
      })),
    )
    const body = api.booking({ zone_id: "zone_sandbox_test", retailer_id: "retailer_sandbox_test" })
    const booked = await api.call("POST", LIST, { body })
    expect([booked.status, reservationOf(booked.data)["stall_label"]]).toEqual([201, "A2"])
  })

  test("V18: does not exist in production, nor for organizations that are not enrolled", async () => {
    const api = await makeApi()
    await api.run(ensured)
    const { organizationId } = await api.run(
      Effect.flatMap(Organizations, ({ add }) => add({ ...fleet, isFleetPartner: false })),
    )
    const { data } = await api.operate("GET", "/grants")
    expect(JSON.stringify(data)).not.toContain("sandbox_test")
    const content = await contentOf(api, [grants])
    expect(content).toContain("zone_sandbox_test")
    expect(content).not.toContain(organizationId)
    const body = api.booking({ zone_id: "zone_sandbox_test", retailer_id: "retailer_sandbox_test" })
    expect((await api.call("POST", LIST, { body })).code).toBe("ZONE_NOT_FOUND")
  })
})

describe("POST /rs/v1/reservations", () => {
  test("201 with the whole record, confirmed", async () => {
    const api = await makeApi()
    const { status, data } = await api.call("POST", LIST, {
      body: api.booking({
        retailer_pickup_ref: "Table 9",
        payload_limit: { max_weight_kg: 7.5, max_dimensions_cm: { length: 40, width: 30, height: 20.25 } },
        a_field_of_tomorrow: 1,
      }),
    })
    expect(status).toBe(201)
    expect(reservationOf(data)).toMatchObject({
      status: "confirmed",
      bot: null,
      handoff: { status: "QUEUED" },
      payload_limit: { max_weight_kg: 7.5, max_dimensions_cm: { length: 40, width: 30, height: 20.25 } },
    })
  })

  test("200 to a retry with the same Idempotency-Key: the reservation as it stands, whatever the window", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "order 1001" }
    const first = await api.call("POST", LIST, { headers, body: api.booking() })
    expect(first.status).toBe(201)
    const again = await api.call("POST", LIST, { headers, body: api.booking(window(api, MINUTE_MS, 1)) })
    expect([again.status, again.data]).toEqual([200, first.data])
    const id = reservationOf(first.data).reservation_id
    await api.call("DELETE", `${LIST}/${id}`)
    const later = await api.call("POST", LIST, { headers, body: api.booking() })
    expect([later.status, reservationOf(later.data).status]).toEqual([200, "canceled"])
  })

  test("422 IDEMPOTENCY_KEY_REUSED", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "k" }
    await api.call("POST", LIST, { headers, body: api.booking() })
    const other = await api.call("POST", LIST, { headers, body: api.booking({ order_number: "A-2" }) })
    expect([other.status, other.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"])
  })

  test("409 IDEMPOTENCY_IN_PROGRESS", async () => {
    const busy = Effect.fail(new Refused({ code: "IDEMPOTENCY_IN_PROGRESS" }))
    const instead = Context.make(Reservations, {
      create: () => busy,
    } as unknown as Reservations["Type"]) as Context.Context<never>
    const api = await makeApi({ instead })
    const { status, code } = await api.call("POST", LIST, { body: api.booking() })
    expect([status, code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"])
  })

  test.each([
    [1, 201],
    [255, 201],
    [0, 400],
    [256, 400],
  ])("V11: an Idempotency-Key of %i characters answers %i", async (length, status) => {
    const api = await makeApi()
    const headers = { "idempotency-key": "k".repeat(length) }
    const answered = await api.call("POST", LIST, { headers, body: api.booking() })
    expect(answered.status).toBe(status)
    if (status === 400) {
      expect(answered.body["details"]).toEqual([
        {
          field: "Idempotency-Key",
          message: length === 0 ? "must not be empty" : `must be 1 to 255 characters long, is ${length}`,
        },
      ])
    }
  })

  test.each<[number, string, (api: Api) => object]>([
    [422, "ZONE_NOT_FOUND", () => ({ zone_id: "zone_nowhere" })],
    [422, "ZONE_NOT_FOUND", () => ({ zone_id: "zone_ungranted" })],
    [422, "RETAILER_NOT_SUPPORTED_IN_ZONE", () => ({ retailer_id: "retailer_florist" })],
    [422, "ZONE_HAS_NO_STALLS", () => ({ zone_id: "zone_asleep" })],
    [422, "WINDOW_IN_PAST", (api) => window(api, 0, 30 * MINUTE_MS)],
    [422, "WINDOW_TOO_FAR_OUT", (api) => window(api, DAY_MS + 1, 30 * MINUTE_MS)],
    [422, "WINDOW_TOO_SHORT", (api) => window(api, MINUTE_MS, 5 * MINUTE_MS - 1)],
    [422, "WINDOW_TOO_LONG", (api) => window(api, MINUTE_MS, 120 * MINUTE_MS + 1)],
    [422, "INVALID_OPEN_LINK", () => ({ open_link_url: "http://open.partner.example/" })],
    [422, "INVALID_OPEN_LINK", () => ({ open_link_url: "https://private.partner.example/" })],
    [503, "URL_VALIDATION_UNAVAILABLE", () => ({ open_link_url: "https://down.partner.example/" })],
  ])("%i %s", async (status, code, more) => {
    const api = await makeApi()
    api.service.breakHost("private.partner.example", "private")
    api.service.breakHost("down.partner.example", "unavailable")
    const answered = await api.call("POST", LIST, { body: api.booking(more(api)) })
    expect([answered.status, answered.code]).toEqual([status, code])
    expect((await api.call("GET", LIST)).data["reservations"]).toEqual([])
  })

  test.each<[string, object]>([
    ["zone_id", { zone_id: undefined }],
    ["retailer_id", { retailer_id: 7 }],
    ["order_number", { order_number: " " }],
    ["order_number", { order_number: "x".repeat(65) }],
    ["end_user_name", { end_user_name: "a\0b" }],
    ["end_user_phone", { end_user_phone: "5125550100" }],
    ["arrival_window_start", { arrival_window_start: "2026-06-01T16:00:00" }],
    ["arrival_window_end", { arrival_window_end: "2026-06-31T16:00:00Z" }],
    ["open_link_url", { open_link_url: `https://a.example/${"x".repeat(2_048)}` }],
    ["retailer_pickup_ref", { retailer_pickup_ref: "" }],
    ["payload_limit", { payload_limit: {} }],
    ["payload_limit.max_weight_kg", { payload_limit: { max_weight_kg: 1_000.5 } }],
    [
      "payload_limit.max_dimensions_cm.width",
      { payload_limit: { max_dimensions_cm: { length: 1, height: 1 } } },
    ],
  ])("400 VALIDATION_ERROR names %s", async (field, more) => {
    const api = await makeApi()
    const { status, code, body } = await api.call("POST", LIST, { body: api.booking(more) })
    expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
    expect(body["details"]).toEqual([{ field, message: expect.any(String) as string }])
  })

  test("400 names every field that does not hold", async () => {
    const api = await makeApi()
    const { body } = await api.call("POST", LIST, { body: {} })
    expect((body["details"] as { field: string }[]).map(({ field }) => field)).toHaveLength(8)
  })
})

describe("reading and listing", () => {
  test("GET /rs/v1/reservations/{id}: 200, and 404 NOT_FOUND to another organization's or an unknown id", async () => {
    const api = await makeApi()
    const id = await api.book()
    const { status, data } = await api.call("GET", `${LIST}/${id}`)
    expect([status, reservationOf(data).reservation_id]).toEqual([200, id])
    const other = await api.makeKey({ organizationId: await api.makeOrganization() })
    for (const [path, key] of [
      [`${LIST}/${id}`, other],
      [`${LIST}/res_unknown`, api.key],
      [`${LIST}/${"x".repeat(500)}`, api.key],
    ] as const) {
      const refused = await api.call("GET", path, { key })
      expect([refused.status, refused.code]).toEqual([404, "NOT_FOUND"])
    }
  })

  test("V2: PATCH, DELETE and bot reports on an unknown id are 404 NOT_FOUND, after the body was checked", async () => {
    const api = await makeApi()
    const path = `${LIST}/res_unknown`
    const codes = [
      await api.call("PATCH", path, { body: window(api, MINUTE_MS, 10 * MINUTE_MS) }),
      await api.call("DELETE", path),
      await api.call("POST", `${path}/bot`, { body: { status: "ARRIVED" } }),
      await api.call("POST", `${path}/bot`, { body: { status: "LATE" } }),
    ].map(({ status, code }) => `${status} ${code}`)
    expect(codes).toEqual(["404 NOT_FOUND", "404 NOT_FOUND", "404 NOT_FOUND", "400 VALIDATION_ERROR"])
  })

  test("V16, G15: newest first, page by page, until next_cursor is null", async () => {
    const api = await makeApi()
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.unshift(await api.book({ order_number: `N-${count}` }))
    const seen: string[] = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`
      const { data } = await api.call("GET", `${LIST}?limit=2${at}`)
      seen.push(...(data["reservations"] as { reservation_id: string }[]).map((one) => one.reservation_id))
      cursor = data["next_cursor"] as string | null
    }
    expect(seen).toEqual(ids)
  })

  test("V15: status may be repeated, other filters narrow, unknown parameters are ignored", async () => {
    const api = await makeApi()
    const [one, two, three] = [await api.book(), await api.book({ order_number: "B-2" }), await api.book()]
    await api.call("DELETE", `${LIST}/${one}`)
    await api.call("POST", `${LIST}/${three}/bot`, { body: { status: "ARRIVED" } })
    const listed = async (query: string): Promise<string[]> => {
      const { data } = await api.call("GET", `${LIST}?${query}`)
      return (data["reservations"] as { reservation_id: string }[]).map((row) => row.reservation_id)
    }
    const start = Date.parse(iso(api.now() + 30 * MINUTE_MS))
    expect(await listed("status=canceled")).toEqual([one])
    expect(await listed("status=canceled&status=arrived")).toEqual([three, one])
    expect(await listed("order_number=B-2&colour=blue")).toEqual([two])
    expect(await listed("zone_id=zone_bare")).toEqual([])
    expect(await listed("retailer_id=retailer_grocer&limit=1")).toEqual([three])
    expect(await listed(`arrival_from=${iso(start)}`)).toHaveLength(3)
    expect(await listed(`arrival_to=${iso(start)}`)).toHaveLength(0)
  })

  test.each([
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["limit", "limit=ten"],
    ["limit", "limit=1.5"],
    ["limit", "limit="],
    ["limit", "limit=1&limit=2"],
    ["cursor", "cursor=abc"],
    ["cursor", "cursor="],
    ["status.0", "status=late"],
    ["status.1", "status=arrived&status="],
    ["zone_id", "zone_id="],
    ["arrival_from", "arrival_from=today"],
  ])("G15: 400 VALIDATION_ERROR names %s of ?%s", async (field, query) => {
    const api = await makeApi()
    const { status, body } = await api.call("GET", `${LIST}?${query}`)
    expect([status, body["details"]]).toEqual([400, [{ field, message: expect.any(String) as string }]])
  })
})

test("G8: a time whose + stands as it is in a query is 400, and the message says how to write it", async () => {
  const api = await makeApi()
  const sent = "2026-06-01T10:30:00+02:00"
  const { status, body } = await api.call("GET", `${LIST}?arrival_from=${sent}`)
  const problem = "must be an RFC 3339 time with Z or an offset"
  const message = `${problem}; in a query, write + as %2B`
  expect([status, body["details"]]).toEqual([400, [{ field: "arrival_from", message }]])
  const spaced = { body: { arrival_window_end: sent.replace("+", " ") } }
  const moved = await api.call("PATCH", `${LIST}/${await api.book()}`, spaced)
  expect(moved.body["details"]).toEqual([{ field: "arrival_window_end", message: problem }])
  expect((await api.call("GET", `${LIST}?arrival_from=${encodeURIComponent(sent)}`)).status).toBe(200)
})

describe("PATCH /rs/v1/reservations/{id}", () => {
  test("V12, V13: one bound alone moves; 200 with the reservation", async () => {
    const api = await makeApi()
    const id = await api.book()
    const end = iso(api.now() + 90 * MINUTE_MS)
    const { status, data } = await api.call("PATCH", `${LIST}/${id}`, { body: { arrival_window_end: end } })
    expect([status, reservationOf(data)["arrival_window_end"]]).toEqual([200, end])
  })

  test.each<[number, string, (api: Api) => object]>([
    [400, "VALIDATION_ERROR", () => ({})],
    [400, "VALIDATION_ERROR", () => ({ arrival_window_end: null })],
    [422, "WINDOW_IN_PAST", (api) => window(api, 0, 30 * MINUTE_MS)],
    [422, "WINDOW_TOO_FAR_OUT", (api) => window(api, DAY_MS + 1, 30 * MINUTE_MS)],
    [422, "WINDOW_TOO_SHORT", (api) => window(api, MINUTE_MS, MINUTE_MS)],
    [422, "WINDOW_TOO_LONG", (api) => window(api, MINUTE_MS, 121 * MINUTE_MS)],
  ])("%i %s", async (status, code, body) => {
    const api = await makeApi()
    const answered = await api.call("PATCH", `${LIST}/${await api.book()}`, { body: body(api) })
    expect([answered.status, answered.code]).toEqual([status, code])
  })

  test("409 INVALID_STATE once arrived", async () => {
    const api = await makeApi()
    const id = await api.book()
    await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "ARRIVED" } })
    const { status, code } = await api.call("PATCH", `${LIST}/${id}`, {
      body: window(api, MINUTE_MS, 10 * MINUTE_MS),
    })
    expect([status, code]).toEqual([409, "INVALID_STATE"])
  })
})

describe("DELETE /rs/v1/reservations/{id}", () => {
  test("V14: 200 with the reservation; a repeat keeps the first reason", async () => {
    const api = await makeApi()
    const path = `${LIST}/${await api.book()}`
    const first = await api.call("DELETE", `${path}?reason=too%20late`)
    expect([first.status, reservationOf(first.data)]).toEqual([
      200,
      expect.objectContaining({ status: "canceled", canceled_by: "partner", cancel_reason: "too late" }),
    ])
    const again = await api.call("DELETE", `${path}?reason=other`)
    expect([again.status, again.data]).toEqual([200, first.data])
  })

  test("a body of a DELETE is not looked at", async () => {
    const api = await makeApi()
    const sent = { text: "{", headers: { "content-type": "application/json" } }
    const { status, data } = await api.call("DELETE", `${LIST}/${await api.book()}`, sent)
    expect([status, reservationOf(data)["cancel_reason"]]).toEqual([200, null])
  })

  test.each([
    [500, 200],
    [501, 400],
  ])("a reason of %i characters answers %i", async (length, status) => {
    const api = await makeApi()
    // Code points are counted, not units: each of these has two.
    const reason = encodeURIComponent("🚗".repeat(length))
    const answered = await api.call("DELETE", `${LIST}/${await api.book()}?reason=${reason}`)
    expect(answered.status).toBe(status)
  })

  test("400 VALIDATION_ERROR to two reasons", async () => {
    const api = await makeApi()
    const { body } = await api.call("DELETE", `${LIST}/${await api.book()}?reason=a&reason=b`)
    expect(body["details"]).toEqual([{ field: "reason", message: "must be sent once" }])
  })

  test("409 INVALID_STATE once completed", async () => {
    const api = await makeApi()
    const id = await api.book()
    await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "DEPARTED" } })
    const { status, code } = await api.call("DELETE", `${LIST}/${id}`)
    expect([status, code]).toEqual([409, "INVALID_STATE"])
  })
})

describe("POST /rs/v1/reservations/{id}/bot", () => {
  test("T1: 200 with the reservation, its blocks already moved", async () => {
    const api = await makeApi()
    const { status, data } = await api.call("POST", `${LIST}/${await api.book()}/bot`, {
      body: { status: "ARRIVED", label: "R2", eta: null, occurred_at: iso(api.now()), reason: null },
    })
    expect([status, reservationOf(data)]).toEqual([
      200,
      expect.objectContaining({ status: "arrived", bot: expect.objectContaining({ label: "R2" }) as object }),
    ])
  })

  test("409 BOT_STATUS_REGRESSION", async () => {
    const api = await makeApi()
    const path = `${LIST}/${await api.book()}/bot`
    await api.call("POST", path, { body: { status: "SECURED" } })
    const { status, code } = await api.call("POST", path, { body: { status: "ARRIVED" } })
    expect([status, code]).toEqual([409, "BOT_STATUS_REGRESSION"])
  })

  test("409 INVALID_STATE on a finished reservation, 200 to a repeat", async () => {
    const api = await makeApi()
    const path = `${LIST}/${await api.book()}/bot`
    await api.call("POST", path, { body: { status: "DEPARTED" } })
    expect((await api.call("POST", path, { body: { status: "DEPARTED" } })).status).toBe(200)
    const { status, code } = await api.call("POST", path, { body: { status: "INBOUND" } })
    expect([status, code]).toEqual([409, "INVALID_STATE"])
  })

  test.each<[string, (api: Api) => object]>([
    ["status", () => ({})],
    ["status", () => ({ status: "LATE" })],
    ["label", () => ({ status: "ARRIVED", label: "x".repeat(65) })],
    ["reason", () => ({ status: "ABORTED", reason: "x".repeat(257) })],
    ["eta", (api) => ({ status: "INBOUND", eta: iso(api.now() + DAY_MS + 1) })],
    ["occurred_at", (api) => ({ status: "INBOUND", occurred_at: iso(api.now() + 5 * MINUTE_MS + 1) })],
  ])("400 VALIDATION_ERROR names %s", async (field, body) => {
    const api = await makeApi()
    const answered = await api.call("POST", `${LIST}/${await api.book()}/bot`, { body: body(api) })
    expect([answered.status, answered.body["details"]]).toEqual([
      400,
      [{ field, message: expect.any(String) as string }],
    ])
  })
})
