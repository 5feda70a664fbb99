/** What the six tools take: every bound of the connector's contract, and the field that a refusal names. */

import { Effect, Either } from "effect"
import type { Schema } from "effect"
import { describe, expect, test } from "vitest"
import {
  CancelDeliveryArguments,
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  GetDeliveryStatusArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../../../src/model/requests/courier-requests.ts"
import { UPDATE_TYPES } from "../../../src/model/courier.ts"
import { decodeRequest } from "../../../src/model/values/schema.ts"
import { DELIVERY_ID, GOOD_ARGUMENTS } from "../../apps/mcp/endpoint.ts"

type Fields = Readonly<Record<string, unknown>>

/** The fields that are refused; none when the arguments are taken. */
function refusedIn<A, I>(schema: Schema.Schema<A, I>, value: unknown): readonly string[] {
  const decoded = Effect.runSync(Effect.either(decodeRequest(schema, value)))
  return Either.isRight(decoded) ? [] : (decoded.left.problems ?? []).map(({ field }) => field)
}

const long = (length: number): string => "x".repeat(length)
const url = (length: number): string => `https://store.example/${long(length - 22)}`
const many = <A>(count: number, one: A): readonly A[] => Array.from({ length: count }, () => one)
const address = GOOD_ARGUMENTS.check_delivery.store_address
const slot = { start: "2026-03-02T18:00:00Z", end: "2026-03-02T18:30:00Z" }
const item = { name: "Soup", quantity: 1 }

/** A field, what it just takes, and what is just too much or too little for it. */
type Bound = readonly [field: string, fits: readonly unknown[], doesNot: readonly unknown[], named?: string]

/** Sets a field deep inside; a path ends in the field itself. */
function withField(fields: object, path: string, value: unknown): Fields {
  const [first = "", ...rest] = path.split(".")
  const inner = (fields as Fields)[first]
  if (rest.length === 0) return { ...fields, [first]: value }
  if (Array.isArray(inner))
    return { ...fields, [first]: [withField(inner[0] as object, rest.slice(1).join("."), value)] }
  return { ...fields, [first]: withField(inner ?? {}, rest.join("."), value) }
}

function bounds<A, I>(schema: Schema.Schema<A, I>, good: object, rows: readonly Bound[]): void {
  for (const [field, fits, doesNot, named = field] of rows) {
    test(`${field}${named === field ? "" : `, told as ${named}`}`, () => {
      for (const value of fits) expect(refusedIn(schema, withField(good, field, value))).toEqual([])
      for (const value of doesNot) expect(refusedIn(schema, withField(good, field, value))).toEqual([named])
    })
  }
}

const KEY: Bound = [
  "idempotency_key",
  [long(8), long(128), " ".repeat(8), "😀".repeat(8)],
  [long(7), long(129), `${long(8)}\0`, undefined, 7],
]
const ID: Bound = [
  "delivery_id",
  [DELIVERY_ID],
  ["dlv_", `${DELIVERY_ID}1`, DELIVERY_ID.slice(0, -1), DELIVERY_ID.replace("dlv", "res"), undefined],
]
const ADDRESS = (name: string): readonly Bound[] => [
  [`${name}.street`, ["1", long(255)], ["", " ", long(256), undefined]],
  [`${name}.unit`, [undefined, "", long(64)], [long(65)]],
  [`${name}.city`, ["A", long(255)], ["", long(256), undefined]],
  [`${name}.state`, ["T", long(64)], ["", long(65), undefined]],
  [`${name}.zip`, ["7", long(20)], ["", long(21), undefined]],
  [`${name}.location.lat`, [-90, 90], [-90.001, 90.001], `${name}.location.lat`],
  [`${name}.location.lng`, [-180, 180], [-180.001, 180.001], `${name}.location.lng`],
]
const SLOT = (name: string): readonly Bound[] => [
  [`${name}.id`, [undefined, "", long(64)], [long(65)]],
  [`${name}.label`, [undefined, "", long(100)], [long(101)]],
  [`${name}.start`, ["2026-03-02T12:00:00-06:00"], ["2026-03-02T12:00:00", "12:00", undefined]],
  [`${name}.end`, ["2026-03-02T18:00:01Z"], ["2026-03-02T18:00:00Z", "2026-03-02", undefined]],
]

describe("check_delivery", () => {
  const spot = { ...address, location: { lat: 30, lng: -97 } }
  const good = {
    ...GOOD_ARGUMENTS.check_delivery,
    store_address: spot,
    dropoff_address: spot,
    retailer_slots: [slot],
  }
  bounds(CheckDeliveryArguments, good, [
    ["retailer_name", ["a", long(200)], ["", " ", long(201), undefined]],
    ...ADDRESS("store_address"),
    ...ADDRESS("dropoff_address"),
    ["dropoff_notes", [undefined, "", long(500)], [long(501)]],
    ["requested_timing", [{ type: "asap" }, { type: "window", ...slot }], [undefined], "requested_timing"],
    [
      "pickup_methods_offered",
      [["curbside"], ["counter"], many(10, "curbside")],
      [[], many(11, "curbside"), undefined],
    ],
    ["retailer_slots", [undefined, [], many(50, slot)], [many(51, slot)]],
    KEY,
  ])
  bounds(CheckDeliveryArguments, good, SLOT("retailer_slots.0"))

  test.each(["valet", "CURBSIDE", ""])("no store hands out by %j", (method) => {
    const sent = { ...good, pickup_methods_offered: ["curbside", method] }
    expect(refusedIn(CheckDeliveryArguments, sent)).toEqual(["pickup_methods_offered.1"])
  })

  test("CK12: a cart may be empty, and hold up to a thousand items", () => {
    for (const count of [0, 1_000, undefined]) {
      expect(refusedIn(CheckDeliveryArguments, { ...good, item_count: count })).toEqual([])
    }
    for (const count of [-1, 1_001, 1.5, "1"]) {
      expect(refusedIn(CheckDeliveryArguments, { ...good, item_count: count })).toEqual(["item_count"])
    }
  })

  test("CK12: a store's URL is absolute, of http or https, and up to 2,000 characters", () => {
    for (const fits of ["http://store.example", "HTTPS://store.example/a?b#c", url(2_000), undefined]) {
      expect(refusedIn(CheckDeliveryArguments, { ...good, store_url: fits })).toEqual([])
    }
    for (const wrong of ["store.example", "/menu", "ftp://store.example", "javascript:1", "", url(2_001)]) {
      expect(refusedIn(CheckDeliveryArguments, { ...good, store_url: wrong })).toEqual(["store_url"])
    }
  })

  test("CK8: an asked window ends after it starts", () => {
    for (const end of [slot.start, "2026-03-02T17:59:59Z"]) {
      const sent = { ...good, requested_timing: { type: "window", start: slot.start, end } }
      expect(refusedIn(CheckDeliveryArguments, sent)).toEqual(["requested_timing.end"])
    }
  })
})

describe("reserve_delivery", () => {
  const good = {
    ...GOOD_ARGUMENTS.reserve_delivery,
    intended_slot: slot,
    payment: { shared_payment_token: "spt" },
  }
  bounds(ReserveDeliveryArguments, good, [
    ID,
    ["customer.first_name", ["A", long(100)], ["", " ", long(101), undefined]],
    ["customer.last_name", ["A", long(100)], ["", long(101), undefined]],
    ["contact", [{}], [undefined]],
    [
      "contact.phone",
      [undefined, "+1234567", "+123456789012345"],
      ["+123456", "+1234567890123456", "+0123456789", "5125550100"],
    ],
    ["contact.email", [undefined, "", long(254)], [long(255)]],
    ["pickup_requirements_seen", [[], many(10, "none"), ["other"]], [many(11, "none"), undefined]],
    ["pickup_requirements_notes", [undefined, "", long(1_000)], [long(1_001)]],
    ["alternate_pickup_person_supported", [undefined, true, false], ["yes"]],
    [
      "check_in_method",
      [undefined, "email_link", "order_page", "call_store", "unknown", "app_only"],
      ["drone"],
    ],
    ["intended_slot", [undefined, slot], []],
    ...SLOT("intended_slot"),
    ["payment", [undefined, null], []],
    // A slot and a window could contradict each other.
    ["pickup_window", [undefined, null], [slot]],
    ["payment.shared_payment_token", ["s", long(200)], ["", long(201), undefined]],
    KEY,
  ])

  test.each([
    ["contact_consent.granted", [false, undefined, "true", 1]],
    ["contact_consent.consent_version", ["2026-09-26", "", undefined]],
    ["terms_acknowledged.accepted", [false, undefined]],
    ["terms_acknowledged.terms_version", ["2026-09-28", undefined]],
  ] as const)("CR1: %s is a constant of the schema; anything else is no argument", (field, wrong) => {
    for (const value of wrong) {
      expect(refusedIn(ReserveDeliveryArguments, withField(good, field, value))).toEqual([field])
    }
  })
})

describe("confirm_delivery", () => {
  const good = { ...GOOD_ARGUMENTS.confirm_delivery, selected_slot: slot }
  bounds(ConfirmDeliveryArguments, good, [
    ID,
    ["order_number", ["1", long(64)], ["", " ", long(65), undefined]],
    ["items", [[item], many(100, item)], [[], many(101, item), undefined]],
    ["items.0.name", ["a", long(200)], ["", " ", long(201)]],
    ["items.0.quantity", [1, 999], [0, 1_000, 1.5, "1"]],
    ["items.0.modifiers", [undefined, [], many(20, "no salt"), [long(100)]], [many(21, "no salt")]],
    ["items.0.modifiers", [], [[long(101)]], "items.0.modifiers.0"],
    ["confirmation_text", ["a", long(10_000)], ["", " ", long(10_001), undefined]],
    ["pickup_code", [undefined, null, "", long(64)], [long(65)]],
    ["ready_at", [undefined, "2026-03-02T18:00:00Z"], ["tomorrow", "2026-03-02T18:00:00"]],
    ["selected_slot", [undefined, slot], []],
    ...SLOT("selected_slot"),
    KEY,
  ])
})

describe("update_delivery", () => {
  const common = { delivery_id: DELIVERY_ID, idempotency_key: "key-00000004" }
  const OBJECTS: Readonly<Record<(typeof UPDATE_TYPES)[number], Fields>> = {
    payment: { payment: { shared_payment_token: "spt" } },
    ready_time: { ready_at: "2026-03-02T18:00:00Z" },
    slot: { selected_slot: slot },
    order: {
      order: { order_number: "1001", items: [item], pickup_code: "7", confirmation_text: "Thank you" },
    },
    check_in: { check_in: { url: "https://store.example", phone: "+15125550100", instructions: "Ring" } },
    pickup_requirements: { pickup_requirements_seen: ["none"] },
    dropoff_address: { dropoff_address: { street: "1 A St", city: "Austin", state: "TX", zip: "78758" } },
    dropoff_notes: { dropoff_notes: "" },
    contact: { contact: { email: "ada@example.com" } },
    issue: { issue: { code: "other", note: "" } },
  }
  const updating = (type: (typeof UPDATE_TYPES)[number]): object => ({
    ...common,
    update_type: type,
    ...OBJECTS[type],
  })

  test.each(UPDATE_TYPES)(
    "C40: %s needs its own object, and is refused by its name with another's",
    (type) => {
      const [field = ""] = Object.keys(OBJECTS[type])
      expect(refusedIn(UpdateDeliveryArguments, updating(type))).toEqual([])
      expect(refusedIn(UpdateDeliveryArguments, { ...common, update_type: type })).toEqual([field])
      for (const other of UPDATE_TYPES.filter((one) => one !== type)) {
        expect(
          refusedIn(UpdateDeliveryArguments, { ...common, update_type: type, ...OBJECTS[other] }),
        ).toEqual([field])
        expect(refusedIn(UpdateDeliveryArguments, { ...updating(type), ...OBJECTS[other] })).toEqual([])
      }
    },
  )

  test("C40: a slot may be a pickup window instead, but not both", () => {
    const window = { pickup_window: { start: slot.start, end: slot.end } }
    const asked = { ...common, update_type: "slot", ...window }
    expect(refusedIn(UpdateDeliveryArguments, asked)).toEqual([])
    expect(refusedIn(UpdateDeliveryArguments, { ...asked, selected_slot: slot })).toEqual(["pickup_window"])
    expect(refusedIn(UpdateDeliveryArguments, { ...common, update_type: "ready_time", ...window })).toEqual([
      "ready_at",
    ])
    const reserving = { ...GOOD_ARGUMENTS.reserve_delivery, ...window }
    expect(refusedIn(ReserveDeliveryArguments, reserving)).toEqual([])
  })

  test("C40: an update is of one of nine types", () => {
    for (const type of ["weather", "", undefined]) {
      expect(refusedIn(UpdateDeliveryArguments, { ...updating("issue"), update_type: type })).toEqual([
        "update_type",
      ])
    }
  })

  describe.each<readonly [(typeof UPDATE_TYPES)[number], readonly Bound[]]>([
    ["payment", [["payment.shared_payment_token", ["s", long(200)], ["", long(201), undefined]]]],
    ["ready_time", [["ready_at", ["2026-03-02T12:00:00-06:00"], ["noon"]]]],
    ["slot", SLOT("selected_slot")],
    [
      "order",
      [
        ["order", [{ pickup_code: "7" }, { items: [item] }], [{}]],
        ["order.order_number", ["1", long(64)], ["", long(65)]],
        ["order.items", [[item], many(100, item)], [[], many(101, item)]],
        ["order.pickup_code", ["", long(64)], [long(65)]],
        ["order.confirmation_text", ["1", long(10_000)], ["", long(10_001)]],
      ],
    ],
    [
      "check_in",
      [
        ["check_in", [{ url: "https://store.example" }, { phone: "+15125550100" }], [{}]],
        ["check_in.url", [url(2_000)], [url(2_001), "store.example"]],
        ["check_in.phone", ["+1234567"], ["5125550100", ""]],
        ["check_in.instructions", ["", long(1_000)], [long(1_001)]],
      ],
    ],
    ["pickup_requirements", [["pickup_requirements_seen", [[], many(10, "signature")], [many(11, "none")]]]],
    ["dropoff_notes", [["dropoff_notes", ["", long(500)], [long(501)]]]],
    ["contact", [["contact.email", [undefined, long(254)], [long(255)]]]],
    [
      "issue",
      [
        ["issue.code", ["order_cancelled_by_store", "order_delayed", "other"], ["fire", undefined]],
        ["issue.note", [undefined, "", long(1_000)], [long(1_001)]],
        ["note", [undefined, "", long(1_000)], [long(1_001)]],
        ID,
        KEY,
      ],
    ],
  ])("of %s", (type, rows) => {
    bounds(UpdateDeliveryArguments, updating(type), rows)
  })
})

describe("get_delivery_status and cancel_delivery", () => {
  bounds(CancelDeliveryArguments, GOOD_ARGUMENTS.cancel_delivery, [
    ID,
    ["reason", [undefined, null, "", " ", long(500)], [long(501)]],
    KEY,
  ])

  test("the status takes the id alone", () => {
    expect(refusedIn(GetDeliveryStatusArguments, { delivery_id: DELIVERY_ID })).toEqual([])
    expect(refusedIn(GetDeliveryStatusArguments, { delivery_id: "dlv_1" })).toEqual(["delivery_id"])
  })
})
