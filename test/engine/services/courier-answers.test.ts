/** What the connector's tools look at and what their answers hold, over the simulated service. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import type { CheckDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { timesIn } from "../../../src/model/values/zoned-times.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import { DEMO_STORES } from "../../../src/areas/courier/directory/demo-stores.ts"
import { CourierRows } from "../../../src/areas/courier/rows.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { putStore } from "../../../src/areas/courier/memory/courier-rows.ts"
import {
  Agent,
  USER,
  WAY,
  codeOf,
  courier,
  drive,
  idIn,
  park,
  ready,
  tokenOf,
  tracking,
} from "../../conformance/courier-agent.ts"
import { USERS } from "../../conformance/courier-world.ts"
import { operations } from "../../conformance/harness.ts"
import { memoryHarness } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

let h: MemoryHarness
let agent: Agent

beforeEach(async () => {
  ;({ h, agent } = await ready(memoryHarness))
})

const AUSTIN = { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" }
const SAN_ANTONIO = { street: "1 Sample St", city: "San Antonio", state: "TX", zip: "78205" }
const BAKERY = {
  retailer_name: "Slot Street Bakery",
  store_address: { street: "11510 Domain Drive", city: "Austin", state: "TX", zip: "78758" },
}
const PAID = { payment: { shared_payment_token: "spt_ok_1" } }
const EVERY = ["next_step", "user_message", "delivery_id", "state", "retailer_name", "store_address"]

const reasonFor = async (more: Partial<CheckDeliveryArguments>): Promise<string> =>
  (await agent.check(more)).decline_reason ?? "none"

/** Minutes from now. */
const within = (from: number, to: number) => ({
  start: h.now() + from * MINUTE_MS,
  end: h.now() + to * MINUTE_MS,
})

describe("what a check looks at", () => {
  test("CK2: a listing is found by its name however it is written, and by its address", async () => {
    const asked = { retailer_name: "LUNCHBOX  kitchén, Suite 4B" }
    expect(await reasonFor(asked)).toBe("none")
    const elsewhere = { ...AUSTIN, street: "9 Elsewhere Road", location: { lat: 30.41, lng: -97.7253 } }
    expect(await reasonFor({ ...asked, store_address: elsewhere })).toBe("store_not_supported")
  })

  test("CK2: a listing is found at its street as maps write it, also where the look-up puts the address elsewhere", async () => {
    const elsewhere = { lat: 30.41, lng: -97.7253 }
    const written = (street: string) => ({ ...AUSTIN, street, location: elsewhere })
    expect(await reasonFor({ store_address: written("11410 Century Oaks Ter, Ste 100") })).toBe("none")
    expect(await reasonFor({ store_address: written("11412 Century Oaks Ter") })).toBe("store_not_supported")
  })

  test("CK2: 75 metres around the listing are the listing", async () => {
    const beside = (metres: number) => ({
      ...AUSTIN,
      location: { lat: 30.4021 + metres / 111_195, lng: -97.7253 },
    })
    expect(await reasonFor({ store_address: beside(74) })).toBe("none")
    expect(await reasonFor({ store_address: beside(76) })).toBe("store_not_supported")
  })

  test.each(["Unlisted Diner", "Quiet Noodles", "Sometime Tacos"])(
    "CK2: %s has no listing, or one without phone or hours",
    async (name) => expect(await reasonFor({ retailer_name: name })).toBe("store_not_supported"),
  )

  test("CK3: a location wins over the written address, at either end", async () => {
    const inside = { lat: 30.41, lng: -97.72 }
    const outside = { lat: 29.42, lng: -98.49 }
    expect(await reasonFor({ dropoff_address: { ...SAN_ANTONIO, location: inside } })).toBe("none")
    expect(await reasonFor({ dropoff_address: { ...AUSTIN, location: outside } })).toBe("out_of_zone")
    expect(await reasonFor({ dropoff_address: SAN_ANTONIO })).toBe("out_of_zone")
  })

  test("CK3: an address that cannot be found is out of the zone", async () => {
    expect(await reasonFor({ dropoff_address: { ...AUSTIN, zip: "00000" } })).toBe("out_of_zone")
  })

  test("CK2 and CK3: a store whose address cannot be found still matches its listing, at its street and ZIP code", async () => {
    const unplaced = { ...AUSTIN, zip: "00000" }
    const [known] = DEMO_STORES
    if (known === undefined) throw new Error("there is no store")
    const store = {
      ...known,
      storeId: "store_unplaced",
      name: "Unplaced Soup",
      street: "9 New Lane",
      zip: "00000",
    }
    putStore(h.service.host.store, store)
    const asked = { retailer_name: "Unplaced Soup", store_address: { ...unplaced, street: "9 New Lane" } }
    expect(await reasonFor(asked)).toBe("none")
    expect(await reasonFor({ ...asked, store_address: { ...unplaced, street: "10 New Lane" } })).toBe(
      "store_not_supported",
    )
  })

  test("CK3: store and door lie in the same area", async () => {
    const store = {
      retailer_name: "Riverwalk Kitchen",
      store_address: { ...SAN_ANTONIO, street: "200 E Market Street" },
    }
    expect(await reasonFor({ ...store, dropoff_address: SAN_ANTONIO })).toBe("out_of_zone")
    expect(await reasonFor(store)).toBe("out_of_zone")
  })

  test.each(["isGeocoderDown", "isStoreDirectoryDown"] as const)(
    "CK2 and CK3: while a look-up is down (%s) the check fails, is not kept, and does better later with its key",
    async (isDown) => {
      const args = agent.checking({ dropoff_address: AUSTIN })
      h.service.world[isDown] = true
      const failed = await h.run(courier.check(USER, args))
      expect(failed.error).toMatchObject({ code: "internal_error", retryable: true })
      expect(failed.next_step).toContain("same idempotency_key")
      h.service.world[isDown] = false
      expect((await h.run(courier.check(USER, args))).state).toBe("quoted")
    },
  )

  test("CK8: a window that begins beyond ninety minutes or is over is not feasible", async () => {
    const asking = (from: number, to: number) =>
      reasonFor({ requested_timing: { type: "window", ...within(from, to) } })
    expect(await asking(91, 120)).toBe("timing_not_feasible")
    expect(await asking(-30, -15)).toBe("timing_not_feasible")
    expect(await asking(90, 105)).toBe("none")
  })

  test("CK8: slots of the store that are all beyond ninety minutes decline before the user pays the store", async () => {
    const slots = [{ ...within(180, 210), id: "s-9" }]
    const answer = await agent.check({ ...BAKERY, retailer_slots: slots })
    const { start = "" } = answer.next_pickup_window ?? {}
    expect(answer).toMatchObject({ state: "declined", decline_reason: "timing_not_feasible" })
    expect(Date.parse(start) - within(180, 210).start).toBeLessThan(15 * MINUTE_MS)
    expect(answer.next_step).toContain(`For a pickup at ${start}, call check_delivery`)
    expect(answer.user_message).toContain("the store offers no pickup time then")
    expect(await reasonFor({ retailer_slots: [...slots, within(60, 75)] })).toBe("none")
    await h.advance(9 * HOUR_MS)
    const night = { retailer_slots: [within(65, 80)] }
    expect(await reasonFor(night)).toBe("outside_service_hours")
  })

  test("CK8: a window that ends before the store can be ready says so, and names the next that is possible", async () => {
    const answer = await agent.check({ requested_timing: { type: "window", ...within(5, 20) } })
    expect(answer).toMatchObject({ state: "declined", decline_reason: "timing_not_feasible" })
    expect(answer.user_message).toContain("The store needs 20 minutes for an order")
    const { start, end } = answer.next_pickup_window ?? { start: "", end: "" }
    expect(answer.next_step).toContain("and a requested_timing that begins then")
    const next = { type: "window", start: Date.parse(start), end: Date.parse(end) } as const
    expect((await agent.check({ requested_timing: next })).pickup_windows?.[0]).toMatchObject({ start, end })
  })

  test("CK8: late in the day, soon and within the horizon are outside the hours", async () => {
    await h.advance(9 * HOUR_MS + 30 * MINUTE_MS)
    expect(await reasonFor({})).toBe("outside_service_hours")
    const timing = { type: "window", ...within(30, 45) } as const
    expect(await reasonFor({ requested_timing: timing })).toBe("outside_service_hours")
  })

  test("CK1: after hours that is told before what has no vehicle, and after what is out of the zone", async () => {
    await h.advance(9 * HOUR_MS + 30 * MINUTE_MS)
    await h.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(operations, "veh_courier")))
    expect(await reasonFor({})).toBe("outside_service_hours")
    expect(await reasonFor({ dropoff_address: SAN_ANTONIO })).toBe("out_of_zone")
  })

  test("CK1: of several reasons the first is told", async () => {
    const timing = { requested_timing: { type: "window", ...within(91, 120) } } as const
    const outside = { ...timing, dropoff_address: SAN_ANTONIO }
    const unknown = { ...outside, retailer_name: "Unlisted Diner" }
    const counter = { ...unknown, pickup_methods_offered: ["counter"] } as const
    await h.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(operations, "veh_courier")))
    const wine = { ...counter, items: [{ name: "Malbec", quantity: 1 }] }
    const told = []
    for (const more of [wine, counter, unknown, outside, timing, {}]) told.push(await reasonFor(more))
    expect(told).toEqual([
      "disqualifying_requirement",
      "no_curbside",
      "store_not_supported",
      "out_of_zone",
      "timing_not_feasible",
      "no_capacity",
    ])
  })
})

describe("items of a cart at the check", () => {
  const cart = (...names: string[]) => ({ items: names.map((name) => ({ name, quantity: 1 })) })

  test("CK1: restricted ones are named before anything is reserved or paid", async () => {
    const answer = await agent.check(cart("Margarita", "Margarita pizza", "Cerveza", "Don Julio"))
    expect(answer).toMatchObject({
      state: "declined",
      serviceable: false,
      decline_reason: "disqualifying_requirement",
      restricted_items: ["Margarita", "Cerveza", "Don Julio"],
    })
    expect(answer.next_step).toContain("Do not place the store order")
    expect(answer.user_message).not.toContain("at pickup")
  })

  test("a cart of food, and an empty one, are quoted", async () => {
    expect((await agent.check(cart("Margarita pizza", "Martini olives"))).state).toBe("quoted")
    expect((await agent.check(cart())).state).toBe("quoted")
  })

  test("another cart under the same key is a conflict, the same cart a repeat", async () => {
    const args = agent.checking(cart("Soup"))
    const first = await h.run(courier.check(USER, args))
    expect(await h.run(courier.check(USER, args))).toEqual(first)
    const other = { ...args, ...cart("Malbec") }
    expect(codeOf(await h.run(courier.check(USER, other)))).toBe("idempotency_conflict")
  })
})

test("items are screened before the locks of a call, so that the fleet does not wait", async () => {
  const underLocks: boolean[] = []
  const item = {
    quantity: 1,
    get name() {
      const at = new Error().stack ?? ""
      if (at.includes("screening/items")) underLocks.push(at.includes("memory-host"))
      return "Burrito"
    },
  }
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  try {
    const id = await agent.quoted({ items: [item] })
    await agent.reserve(id, PAID)
    await agent.confirm(id, { items: [item] })
    await agent.update(id, { update_type: "order", order: { items: [item] } })
  } finally {
    Error.stackTraceLimit = limit
  }
  expect(underLocks.length).toBeGreaterThanOrEqual(3)
  expect(underLocks).not.toContain(true)
})

describe("what a check answers", () => {
  test("CK9: of the store's address street, city, state and ZIP code come back, and no more", async () => {
    const written = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
    const location = { lat: 30.4021, lng: -97.7253 }
    const answer = await agent.check({ store_address: { ...written, unit: "4B", location } })
    expect(answer.store_address).toEqual(written)
    expect((await agent.reserve(idIn(answer))).store_address).toEqual(written)
  })

  test("CK10 and CK11: a quote has its fields, a decline without an error others, and neither has more (X2)", async () => {
    const quoted = await agent.check()
    const offer = [
      "serviceable",
      "price",
      "pickup_windows",
      "terms",
      "consent",
      "quote_expires_at",
      "dropoff",
    ]
    expect(Object.keys(quoted).toSorted()).toEqual([...EVERY, ...offer].toSorted())
    expect(quoted.delivery_id).toMatch(/^dlv_[0-9A-Za-z]{22}$/)
    expect(quoted).toMatchObject({ serviceable: true, price: { amount: "4.95", currency: "usd" } })
    expect(quoted.dropoff).toMatchObject({ street: "1 Sample St", is_approximate: false })
    const known = (await agent.check({ dropoff_address: AUSTIN })).dropoff
    expect([known?.is_approximate, known?.hint?.includes("location")]).toEqual([true, true])
    const declined = await agent.check({ pickup_methods_offered: ["locker"] })
    expect(Object.keys(declined).toSorted()).toEqual([...EVERY, "serviceable", "decline_reason"].toSorted())
    expect(declined).toMatchObject({ state: "declined", serviceable: false, decline_reason: "no_curbside" })
  })
})

test("a new drop-off that is sent again under its key looks up no address", async () => {
  const id = await agent.held()
  let lookups = 0
  Object.defineProperty(h.service.world, "isGeocoderDown", {
    get: () => {
      lookups += 1
      return false
    },
  })
  const args = {
    delivery_id: id,
    update_type: "dropoff_address",
    dropoff_address: { ...AUSTIN, street: "11510 Domain Dr" },
    idempotency_key: "moved-once",
  } as const
  const first = await h.run(courier.update(USER, args))
  expect([first.dropoff?.street, lookups]).toEqual(["11510 Domain Dr", 1])
  for (let times = 0; times < 3; times += 1) expect(await h.run(courier.update(USER, args))).toEqual(first)
  expect(lookups).toBe(1)
})

describe("an answer offers only what the next call takes", () => {
  test("windows that the kitchen cannot reach any more are not offered", async () => {
    const id = await agent.quoted()
    await h.advance(26 * MINUTE_MS)
    const { pickup_windows: windows = [] } = await agent.status(id)
    expect(windows.length).toBeGreaterThan(0)
    for (const { start, end } of windows) {
      const pickup_window = { start: Date.parse(start), end: Date.parse(end) }
      expect(codeOf(await agent.reserve(id, { pickup_window })), start).toBe("answered held")
    }
  })

  test("the hint to send a location names the call that takes it, and is gone with the load", async () => {
    const id = await agent.quoted({ dropoff_address: AUSTIN })
    const hint = async () => (await agent.status(id)).dropoff?.hint
    expect(await hint()).toMatch(/location in check_delivery/)
    await agent.reserve(id, PAID)
    expect(await hint()).toMatch(/location in update_delivery/)
    await h.advance(15 * MINUTE_MS)
    expect([(await agent.status(id)).state, await hint()]).toEqual(["quoted", undefined])
    await agent.confirm(id)
    await h.advance(SECOND_MS)
    expect(await hint()).toMatch(/location in update_delivery/)
    for (const [metres, load] of WAY.slice(0, 6)) await drive(h, metres, load)
    expect([(await agent.status(id)).state, await hint()]).toEqual(["loaded", undefined])
  })

  test("another door has none of the notes of the last one, and the same door keeps them", async () => {
    const id = idIn(await agent.check({ dropoff_address: AUSTIN, dropoff_notes: "Gate code 4711" }))
    await agent.reserve(id, PAID)
    const move = (dropoff_address: typeof AUSTIN & { location?: { lat: number; lng: number } }) =>
      agent.update(id, { update_type: "dropoff_address", dropoff_address })
    const exact = await move({ ...AUSTIN, location: { lat: 30.41, lng: -97.72 } })
    expect([exact.dropoff?.notes, exact.update_result]).toEqual([
      "Gate code 4711",
      "The vehicle drives to the new drop-off.",
    ])
    const moved = await move({ ...AUSTIN, street: "11510 Domain Dr" })
    expect(moved.dropoff).not.toHaveProperty("notes")
    expect(moved.update_result).toContain("The notes for the earlier door are removed")
  })
})

describe("what a reserve looks at", () => {
  test.each([
    ["beyond the horizon", 91, 120],
    ["over", -30, 0],
    ["after the service's hours", 11 * 60, 11 * 60 + 30],
  ])(
    "CR6: an intended slot that is %s is refused by its field, and the errand stays quoted",
    async (_, from, to) => {
      const id = await agent.quoted()
      const answer = await agent.reserve(id, { intended_slot: within(from, to) })
      expect(answer).toMatchObject({
        delivery_id: id,
        state: "quoted",
        error: { code: "timing_not_feasible", field: "intended_slot", retryable: false },
      })
      expect(codeOf(await agent.reserve(id))).toBe("answered held")
    },
  )

  test("CR7 and CR14: a store of slots has its slot chosen by label, id, or both ends", async () => {
    const slot = within(60, 90)
    const chosen = async (more: object): Promise<string | undefined> => {
      const answer = await agent.reserve(await agent.quoted(BAKERY), { intended_slot: { ...slot, ...more } })
      expect(answer.pickup_time?.instruction).toContain(String(answer.pickup_time?.select))
      return answer.pickup_time?.select
    }
    expect(await chosen({ id: "s-9", label: "Lunch" })).toBe("Lunch")
    expect(await chosen({ id: "s-9" })).toBe("s-9")
    expect(await chosen({})).toBe(`${isoMs(slot.start)}/${isoMs(slot.end)}`)
  })

  test("CR14: without one it is the slot of the best window, and without any slot that window's start", async () => {
    const slots = [{ ...within(45, 75), id: "s-4" }]
    const slotted = await agent.quoted({ ...BAKERY, retailer_slots: slots })
    expect((await agent.reserve(slotted)).pickup_time?.select).toBe("s-4")
    const bare = await agent.check(BAKERY)
    const { pickup_time } = await agent.reserve(idIn(bare))
    expect(pickup_time?.select).toBe(bare.pickup_windows?.[0]?.start)
    expect(pickup_time?.instruction).toContain("at or after")
    expect((await agent.reserve(await agent.quoted())).pickup_time?.select).toBe("asap")
  })

  test("CR14: one of the offered windows is chosen by its own field, at either kind of store and at an update", async () => {
    for (const [store, select] of [
      [{}, "asap"],
      [BAKERY, null],
    ] as const) {
      const { delivery_id: id = "", pickup_windows: [, chosen, last] = [] } = await agent.check(store)
      if (chosen === undefined || last === undefined) throw new Error("there are too few windows")
      const sent = (one: typeof chosen) => ({ start: Date.parse(one.start), end: Date.parse(one.end) })
      const held = await agent.reserve(id, { ...PAID, pickup_window: sent(chosen) })
      expect(held.pickup_time?.select).toBe(select ?? chosen.start)
      const late = { start: sent(last).start + HOUR_MS, end: sent(last).end + HOUR_MS }
      const refused = await agent.reserve(id, { pickup_window: late })
      expect(refused.error).toMatchObject({ code: "timing_not_feasible", field: "pickup_window" })
      const { planned_pickup_time: planned = "" } = await agent.confirm(id)
      expect(Math.floor((Date.parse(planned) - sent(chosen).start) / MINUTE_MS)).toBe(0)
      const moved = await agent.update(id, { update_type: "slot", pickup_window: sent(last) })
      expect(Math.floor((Date.parse(moved.planned_pickup_time ?? "") - sent(last).start) / MINUTE_MS)).toBe(0)
      await agent.cancel(id)
      await h.advance(SECOND_MS)
    }
  })

  test("CR14: where the kitchen starts at check-in, no slot of a reserve or an update is to be selected", async () => {
    const id = await agent.quoted()
    const held = await agent.reserve(id, { ...PAID, intended_slot: { ...within(60, 75), id: "s-9" } })
    expect(held.pickup_time?.select).toBe("asap")
    const selected_slot = { ...within(45, 60), id: "s-8" }
    const updated = await agent.update(id, { update_type: "slot", selected_slot })
    expect(updated.pickup_time?.select).toBe("asap")
    const { planned_pickup_time: planned = "" } = await agent.confirm(id)
    expect(Math.floor((Date.parse(planned) - selected_slot.start) / MINUTE_MS)).toBe(0)
  })

  test.each(["id_required", "name_must_match", "signature", "age_restricted"] as const)(
    "CR3: %s declines, also beside none",
    async (requirement) => {
      const answer = await agent.reserve(await agent.quoted(), {
        pickup_requirements_seen: ["none", requirement, "other"],
      })
      expect(answer).toMatchObject({
        state: "declined",
        decline_reason: "disqualifying_requirement",
        disqualifying_requirements: [requirement],
      })
      expect(answer.error).toBeUndefined()
    },
  )

  test("CR3: one that turns up at a second reserve lets go what was paid", async () => {
    const id = await agent.authorized()
    const answer = await agent.reserve(id, { pickup_requirements_seen: ["signature"] })
    expect(answer).toMatchObject({ state: "declined", disqualifying_requirements: ["signature"] })
    await h.advance(SECOND_MS)
    expect((await agent.status(id)).payment_status).toBe("voided")
  })

  test.each(["email_link", "order_page", "call_store", "unknown"] as const)(
    "CR4: to check in by %s is no obstacle",
    async (check_in_method) => {
      expect(codeOf(await agent.reserve(await agent.quoted(), { check_in_method }))).toBe("answered held")
    },
  )
})

describe("what a reserve answers", () => {
  test("CR9: the quote is pushed to half an hour after the hold, and never comes nearer", async () => {
    const id = await agent.held()
    const pushed = h.now() + 45 * MINUTE_MS
    expect((await agent.status(id)).quote_expires_at).toBe(isoMs(pushed))
    const links = new Set<string | undefined>()
    for (let count = 0; count < 3; count += 1) links.add((await agent.confirm(id)).payment?.checkout_url)
    expect([links.size, links.has(undefined)]).toEqual([2, false])
    const late = isoMs(pushed + 30 * MINUTE_MS)
    const again = await agent.reserve(id)
    expect(again).toMatchObject({ hold_expires_at: isoMs(h.now() + 15 * MINUTE_MS), quote_expires_at: late })
  })

  test("CR11: what is to be paid, to whom, where, and what to ask the user before", async () => {
    const { payment, released_delivery_ids: released } = await agent.reserve(await agent.quoted())
    expect(released).toEqual([])
    expect(payment).toEqual({
      amount_cents: 495,
      currency: "usd",
      seller_profile_id: "profile_curbline",
      checkout_url: expect.stringMatching(/^https:\/\/courier\.example\/pay\/dlv_/),
      instruction:
        "Ask the user to approve the 4.95 USD delivery fee, charged separately from the store order, before sending a payment.",
    })
  })

  test("CR13: the profile is the vehicle's and the operator's: no name of a person, no plate, and the hint of the stall", async () => {
    const contact = { phone: USERS[USER], email: "ada@mail.example" }
    const customer = { first_name: "Augusta", last_name: "Kingsley" }
    const answer = await agent.reserve(await agent.quoted(), {
      contact,
      customer,
      alternate_pickup_person_supported: true,
      pickup_requirements_notes: "They ask for a license plate",
    })
    expect(answer.pickup_profile).toEqual({
      vehicle: {
        make: "Curbline",
        model: "Courier One",
        color: "white",
        description: "white Curbline Courier One, an autonomous delivery vehicle",
      },
      pickup_phone: "+15125550199",
      pickup_phone_note: "Voice calls only: this number takes no text messages.",
      order_contact_email: "Use the customer's own e-mail address for the store order.",
      notes_for_retailer: [
        "Curbside pickup by an autonomous vehicle.",
        "It calls on arrival; please bring the order out and put it into the open compartment.",
        "The curbside stalls are on the north side.",
      ].join(" "),
    })
    expect(JSON.stringify(answer)).not.toMatch(/augusta|kingsley|ada@|\bplate\b/i)
    expect(JSON.stringify(answer)).not.toContain(USERS[USER])
  })
})

test("CR11: a failed payment names the checkout page as long as its link is good, and not after", async () => {
  const id = await agent.held()
  const declined = () =>
    agent.update(id, { update_type: "payment", payment: { shared_payment_token: `spt_declined_${h.now()}` } })
  const words = ({ next_step, error, payment }: CourierEnvelope): readonly boolean[] =>
    [next_step, error?.message]
      .map((text) => text?.includes("checkout_url") === true)
      .concat(payment?.checkout_url !== undefined)
  const first = await declined()
  expect([codeOf(first), ...words(first)]).toEqual(["payment_failed", true, true, true])
  await h.advance(36 * MINUTE_MS)
  const late = await declined()
  expect([codeOf(late), ...words(late)]).toEqual(["payment_failed", false, false, false])
})

describe("what a confirm answers", () => {
  test("CC4: state before timing, timing before items, items before capacity, and all of them before the fee is taken", async () => {
    const late = { ready_at: h.now() + 91 * MINUTE_MS }
    const beer = { items: [{ name: "Case of beer", quantity: 1 }] }
    expect(codeOf(await agent.confirm(await agent.quoted(), { ...late, ...beer }))).toBe("invalid_state")
    const id = await agent.authorized()
    await h.advance(16 * MINUTE_MS)
    await h.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(operations, "veh_courier")))
    late.ready_at = h.now() + 91 * MINUTE_MS
    const refused = await agent.confirm(id, { ...late, ...beer })
    expect(refused.error).toMatchObject({ code: "timing_not_feasible", field: "ready_at" })
    expect((await agent.status(id)).payment_status).toBe("authorized")
    const declined = await agent.confirm(id, beer)
    expect(declined.decline_reason).toBe("disqualifying_requirement")
    await h.advance(SECOND_MS)
    expect((await agent.status(id)).payment_status).toBe("voided")
  })

  test("C38: it has its fields, each in its form", async () => {
    const answer = await agent.confirm(await agent.authorized())
    expect(answer).toMatchObject({
      state: "confirmed",
      payment_status: "captured",
      fee_cents: 495,
      pickup_profile: { vehicle: { color: "white" } },
      next_step: expect.stringMatching(/^Call get_delivery_status with delivery_id dlv_/),
      user_message: expect.stringMatching(
        /^The delivery is booked; arrival about [\d:]+(?: [AP]M)? to [\d:]+ [AP]M Austin time\.$/,
      ),
    })
    const { planned_pickup_time = "", estimated_delivery_window = { start: "", end: "" } } = answer
    const { start, end } = estimated_delivery_window
    for (const time of [planned_pickup_time, start, end]) expect(isoMs(Date.parse(time))).toBe(time)
    expect(planned_pickup_time <= start && start < end).toBe(true)
    expect(answer.tracking_url).toMatch(/^https:\/\/courier\.example\/track\/dlv_/)
  })
})

test("the sentence for the user has the first pickup in the service area's time", async () => {
  const { user_message, pickup_windows: [first] = [] } = await agent.check()
  const from = timesIn("America/Chicago").time(Date.parse(first?.start ?? ""))
  expect(user_message).toBe(
    `An autonomous vehicle can bring this order for 4.95 US dollars, collected from ${from} Austin time.`,
  )
})

describe("which numbers of store orders are booked", () => {
  const taken = async (who: Agent, id: string, order_number: string): Promise<string> =>
    codeOf(await who.confirm(id, { order_number }))

  test("a number is one of its store, and a separator between digits counts", async () => {
    const [known] = DEMO_STORES
    if (known === undefined) throw new Error("there is no store")
    putStore(h.service.host.store, { ...known, storeId: "store_twin", name: "Twin Kitchen" })
    await park(h, "veh_second")
    expect(await taken(agent, await agent.authorized(), "12-3")).toBe("answered confirmed")
    const twin = await agent.quoted({ retailer_name: "Twin Kitchen" })
    await agent.reserve(twin, PAID)
    expect(await taken(agent, twin, "12-3")).toBe("answered confirmed")
    const other = new Agent(h, "usr_two")
    const id = await other.authorized()
    expect(await taken(other, id, "#12 3")).toBe("invalid_request")
    expect(await taken(other, id, "123")).toBe("answered confirmed")
  })

  test("the number of a delivered order may be used again", async () => {
    const id = await agent.booked()
    const other = new Agent(h, "usr_two")
    const next = await other.authorized()
    expect(await taken(other, next, "1001")).toBe("invalid_request")
    for (const [metres, load] of WAY) await drive(h, metres, load)
    expect((await agent.status(id)).state).toBe("completed")
    expect(await taken(other, next, "1001")).toBe("answered confirmed")
  })
})

describe("what follows from a confirm", () => {
  test("C38: the pickup is planned for the slot that was chosen, or for when the store says", async () => {
    const slotted = await agent.quoted(BAKERY)
    await agent.reserve(slotted, PAID)
    const slot = { ...within(60, 75), id: "s-7" }
    const atSlot = await agent.confirm(slotted, { selected_slot: slot })
    expect(Date.parse(atSlot.planned_pickup_time ?? "")).toBeGreaterThanOrEqual(slot.start)
    expect(atSlot.pickup_time?.select).toBe("s-7")
    await agent.cancel(slotted)
    await h.advance(SECOND_MS)
    const told = await agent.authorized()
    const { planned_pickup_time } = await agent.confirm(told, { ready_at: h.now() + 50 * MINUTE_MS })
    const minutes = (Date.parse(planned_pickup_time ?? "") - h.now()) / MINUTE_MS
    expect(Math.floor(minutes)).toBe(50)
  })

  test("C38: a slot that is told later wins over the time that was told before, and the other way round", async () => {
    const minutesTo = ({ planned_pickup_time = "" }: CourierEnvelope): number =>
      Math.floor((Date.parse(planned_pickup_time) - h.now()) / MINUTE_MS)
    const id = await agent.quoted(BAKERY)
    await agent.reserve(id, PAID)
    await agent.update(id, { update_type: "ready_time", ready_at: h.now() + 20 * MINUTE_MS })
    await agent.update(id, { update_type: "slot", selected_slot: within(60, 75) })
    expect(minutesTo(await agent.confirm(id))).toBe(60)
    await agent.cancel(id)
    await h.advance(SECOND_MS)
    const other = await agent.quoted(BAKERY)
    await agent.reserve(other, PAID)
    await agent.update(other, { update_type: "ready_time", ready_at: h.now() + 20 * MINUTE_MS })
    expect(minutesTo(await agent.confirm(other, { selected_slot: within(45, 60) }))).toBe(45)
  })

  test("C38: a vehicle that has another run first comes after it", async () => {
    const first = await agent.authorized()
    await agent.confirm(first, { ready_at: h.now() + 30 * MINUTE_MS })
    await h.advance(SECOND_MS)
    const alone = Date.parse((await agent.status(first)).planned_pickup_time ?? "")
    const second = await agent.authorized()
    const answer = await agent.confirm(second, { ready_at: h.now() + 30 * MINUTE_MS })
    const [arrival, pickup] = [answer.estimated_delivery_window?.start, answer.planned_pickup_time]
    // Five minutes to load and two kilometres there and back.
    expect(Date.parse(pickup ?? "") - alone).toBeGreaterThanOrEqual(14 * MINUTE_MS)
    expect(Date.parse(arrival ?? "") - Date.parse(pickup ?? "")).toBe(10 * MINUTE_MS)
  })

  test("C38: so does the slot of a new hold", async () => {
    const id = await agent.quoted(BAKERY)
    await agent.reserve(id)
    await agent.update(id, { update_type: "ready_time", ready_at: h.now() + 20 * MINUTE_MS })
    await h.advance(16 * MINUTE_MS)
    const slot = within(60, 75)
    expect(codeOf(await agent.reserve(id, { ...PAID, intended_slot: slot }))).toBe("answered held")
    const { planned_pickup_time = "" } = await agent.confirm(id)
    expect(Math.floor((Date.parse(planned_pickup_time) - slot.start) / MINUTE_MS)).toBe(0)
  })

  test("C10: a report without hold and payment takes a hold of fifteen minutes; only the next one lengthens it", async () => {
    const id = await agent.held()
    await h.advance(20 * MINUTE_MS)
    const endsAtMs = h.now() + 15 * MINUTE_MS
    const answer = await agent.confirm(id)
    expect(answer).toMatchObject({
      state: "held",
      error: { code: "payment_failed", retryable: true },
      hold_expires_at: isoMs(endsAtMs),
      quote_expires_at: isoMs(endsAtMs + 30 * MINUTE_MS),
    })
    expect((await agent.confirm(id)).hold_expires_at).toBe(isoMs(endsAtMs + 10 * MINUTE_MS))
    await agent.pay(id)
    expect(codeOf(await agent.confirm(id))).toBe("answered confirmed")
  })

  test("CC2: what is declined for want of a vehicle says what becomes of the store order", async () => {
    const id = await agent.authorized()
    await h.advance(16 * MINUTE_MS)
    await h.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(operations, "veh_courier")))
    const answer = await agent.confirm(id)
    expect(answer).toMatchObject({ state: "declined", serviceable: false, decline_reason: "no_capacity" })
    expect(answer.error).toBeUndefined()
    expect(answer.next_step).toMatch(/collect the store order or to cancel it/)
    await h.advance(SECOND_MS)
    expect((await agent.status(id)).payment_status).toBe("voided")
  })

  test("CC5: the link of an update is fresh in each answer too, and what it says is the same", async () => {
    const id = await agent.booked()
    const args = {
      delivery_id: id,
      update_type: "dropoff_notes",
      dropoff_notes: "The blue door",
      idempotency_key: "update-of-its-own",
    } as const
    const { tracking_url: link, ...first } = await h.run(courier.update(USER, args))
    await h.advance(MINUTE_MS)
    const { tracking_url: other, ...again } = await h.run(courier.update(USER, args))
    expect(again).toEqual(first)
    expect([link, other]).toEqual([expect.stringMatching(/\/track\//), expect.stringMatching(/\/track\//)])
    expect(other).not.toBe(link)
    for (const url of [link, other]) {
      expect(await h.run(tracking.view("production", tokenOf(url)))).toMatchObject({
        type: "found",
        state: "assigned",
      })
    }
  })

  test.each(["cancelled", "failed"] as const)(
    "CC5: the link of one that is %s is good for a day after, to the millisecond",
    async (state) => {
      const id = await agent.booked()
      const token = tokenOf((await agent.status(id)).tracking_url)
      const failure = { reason: "vehicle_fault", refunds: false } as const
      if (state === "cancelled") await agent.cancel(id)
      else await h.run(Effect.flatMap(CourierOperations, (one) => one.fail(id, failure)))
      const endsAtMs = h.now() + 24 * HOUR_MS
      await h.standAt(endsAtMs - 1)
      expect(await h.run(tracking.view("production", token))).toMatchObject({ type: "found", state })
      await h.standAt(endsAtMs)
      expect(await h.run(tracking.view("production", token))).toEqual({ type: "expired" })
    },
  )

  test("CC5: a link that was altered, or is another page's, leads nowhere", async () => {
    const id = await agent.quoted()
    const pay = tokenOf((await agent.reserve(id)).payment?.checkout_url)
    expect(pay).toMatch(/^dlv_/)
    await agent.pay(id)
    const track = tokenOf((await agent.confirm(id)).tracking_url)
    for (const token of [pay, `${track}x`, track.replace(id, `dlv_${"z".repeat(22)}`), ""]) {
      expect(await h.run(tracking.view("production", token))).toEqual({ type: "unknown" })
    }
  })
})

describe("what a status tells", () => {
  test("C42: how soon to ask again, and where the vehicle is once it is on its way to the customer", async () => {
    const id = await agent.booked()
    const told = new Map<string, readonly [poll: number | undefined, isLocated: boolean]>()
    const look = async (): Promise<void> => {
      const { state, poll_after_seconds, vehicle_location } = await agent.status(id)
      told.set(String(state), [poll_after_seconds, vehicle_location !== undefined])
    }
    await look()
    for (const [metres, load] of WAY) {
      await drive(h, metres, load)
      await look()
    }
    expect(Object.fromEntries(told)).toEqual({
      assigned: [120, false],
      en_route_to_store: [30, false],
      arrived_at_store: [120, false],
      waiting_for_load: [120, false],
      loaded: [120, false],
      en_route_to_customer: [30, true],
      arrived_at_customer: [30, true],
      completed: [undefined, false],
    })
  })

  test("C42: soon while the user can pay, and rarely while nothing changes without a call", async () => {
    const polls: (number | undefined)[] = []
    const look = async (id: string): Promise<void> => {
      polls.push((await agent.status(id)).poll_after_seconds)
    }
    const id = await agent.quoted()
    await look(id)
    polls.push((await agent.reserve(id)).poll_after_seconds)
    await look(id)
    await agent.pay(id, "spt_declined_1")
    await look(id)
    await agent.pay(id)
    await look(id)
    await h.advance(15 * MINUTE_MS)
    await look(id)
    await agent.cancel(id)
    await look(id)
    expect(polls).toEqual([300, 10, 10, 10, 120, 300, undefined])
  })

  test("C43: terms, consent and windows as long as it reads quoted, the clocks of a hold while it is held", async () => {
    const id = await agent.quoted()
    const offer = ["terms", "consent", "pickup_windows", "quote_expires_at"]
    const hold = ["hold_expires_at", "pickup_profile", "pickup_time", "payment"]
    expect(heldBy(await agent.status(id), [...offer, ...hold])).toEqual(offer)
    await agent.reserve(id)
    expect(heldBy(await agent.status(id), [...offer, ...hold])).toEqual(["quote_expires_at", ...hold])
    await h.advance(15 * MINUTE_MS)
    const lapsed = await agent.status(id)
    expect([lapsed.state, ...heldBy(lapsed, offer)]).toEqual(["quoted", ...offer])
  })

  test("C43: of every errand its store, its price and its payment, and when anything changed last", async () => {
    const id = await agent.booked()
    expect(await agent.status(id)).toMatchObject({
      delivery_id: id,
      retailer_name: "Lunchbox Kitchen",
      store_address: { street: "11410 Century Oaks Terrace" },
      price: { amount: "4.95", currency: "usd" },
      payment_status: "captured",
      fee_cents: 495,
      order_number: "1001",
      updated_at: expect.stringMatching(/Z$/),
    })
  })

  test("C44: a delivered errand says when, a cancelled one too, a declined one why", async () => {
    const id = await agent.booked()
    for (const [metres, load] of WAY) await drive(h, metres, load)
    const ends = ["cancelled_at", "completed_at", "decline_reason", "failure_reason"]
    expect(heldBy(await agent.status(id), ends)).toEqual(["completed_at"])
    const cancelled = await agent.quoted()
    await agent.cancel(cancelled)
    expect(heldBy(await agent.status(cancelled), ends)).toEqual(["cancelled_at"])
    const declined = await agent.held({ check_in_method: "app_only" })
    expect(heldBy(await agent.status(declined), ends)).toEqual(["decline_reason"])
  })
})

describe("what a cancel answers", () => {
  test("C44: the fee, what is charged of it, when it ended, and that the store order is the agent's to cancel", async () => {
    const id = await agent.booked()
    const answer = await agent.cancel(id, "The user is ill")
    expect(answer).toMatchObject({
      state: "cancelled",
      payment_status: "refunded",
      fee_cents: 495,
      charged_cents: 0,
      cancelled_at: isoMs(h.now()),
      next_step: expect.stringContaining("cancel the store order with the store if one was placed"),
    })
    const row = await h.run(Effect.flatMap(CourierRows, (rows) => rows.byId(id)))
    expect(row?.details.cancelReason).toBe("The user is ill")
  })

  test("C44: a second one is answered the same, and its reason is not taken over", async () => {
    const id = await agent.booked()
    const first = await agent.cancel(id, "The user is ill")
    await h.advance(MINUTE_MS)
    expect(await agent.cancel(id, "Another reason")).toEqual(first)
    const row = await h.run(Effect.flatMap(CourierRows, (rows) => rows.byId(id)))
    expect(row?.details.cancelReason).toBe("The user is ill")
  })

  test("C44: where nothing was ever reserved there is no store order to speak of", async () => {
    const answer = await agent.cancel(await agent.quoted())
    expect(answer).toMatchObject({ charged_cents: 0, next_step: "No further call is needed." })
  })
})

describe("a refusal for its time says when a pickup is possible next", () => {
  const spanOf = ({ next_pickup_window }: CourierEnvelope) =>
    next_pickup_window === undefined
      ? null
      : { start: Date.parse(next_pickup_window.start), end: Date.parse(next_pickup_window.end) }

  /** The lead time of the demo's stores and up to a quarter of an hour from now. */
  const saidOf = (answer: CourierEnvelope) => {
    const { start = 0, end = 0 } = spanOf(answer) ?? {}
    return {
      code: codeOf(answer),
      isSoon: start >= h.now() && start <= h.now() + 45 * MINUTE_MS,
      lastsMs: end - start,
      isInStep: answer.next_step.includes(isoMs(start)),
    }
  }
  const SOON = { code: "timing_not_feasible", isSoon: true, lastsMs: 15 * MINUTE_MS, isInStep: true }

  test("R6: at the reserve, of a slot out of reach", async () => {
    const answer = await agent.reserve(await agent.quoted(BAKERY), { intended_slot: within(120, 135) })
    expect(saidOf(answer)).toEqual(SOON)
    expect(answer.error).toMatchObject({ field: "intended_slot" })
  })

  test("at the confirm, of a time or a slot out of reach", async () => {
    const id = await agent.authorized()
    expect(saidOf(await agent.confirm(id, { ready_at: h.now() + 91 * MINUTE_MS }))).toEqual(SOON)
    expect(saidOf(await agent.confirm(id, { selected_slot: within(120, 135) }))).toEqual(SOON)
  })

  test("at an update, of a time or a slot out of reach", async () => {
    const id = await agent.authorized()
    expect(
      saidOf(await agent.update(id, { update_type: "ready_time", ready_at: h.now() + 91 * MINUTE_MS })),
    ).toEqual(SOON)
    expect(saidOf(await agent.update(id, { update_type: "slot", selected_slot: within(120, 135) }))).toEqual(
      SOON,
    )
  })

  test("late in the evening it is tomorrow's first, and the step says from when on to ask for it", async () => {
    // 19:30 on the store's clock.
    await h.advance(9 * HOUR_MS + 15 * MINUTE_MS)
    const id = await agent.quoted()
    await h.advance(16 * MINUTE_MS)
    const answer = await agent.reserve(id)
    expect(codeOf(answer)).toBe("timing_not_feasible")
    const next = spanOf(answer)
    expect(next?.start).toBeGreaterThan(h.now() + 10 * HOUR_MS)
    const from = isoMs((next?.start ?? 0) - 90 * MINUTE_MS)
    expect(answer.next_step).toContain("Do not place the store order")
    expect(answer.next_step).toContain(`call check_delivery with a new idempotency_key from ${from} on`)
  })

  test("any other refusal says none", async () => {
    const id = await agent.quoted()
    expect(await agent.confirm(id)).not.toHaveProperty("next_pickup_window")
  })
})

test("the user's texts: the tracking link at the report, on the way and at the door, each with how to end them", async () => {
  await agent.booked()
  for (const [metres, load] of WAY) await drive(h, metres, load)
  const sent = await h.run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 20 })))
  const texts = sent.map(({ text }) => text).toReversed()
  expect(texts).toHaveLength(3)
  for (const text of texts) {
    const [link] = /https:\S+\/track\/\S+/.exec(text) ?? []
    expect(await h.run(tracking.view("production", tokenOf(link)))).toMatchObject({ type: "found" })
  }
  expect(texts[0]).toContain("Reply STOP")
  expect(new Set(texts.map((text) => text.replace(/https:\S+/, ""))).size).toBe(3)
})

test("on the way to the door each state has one sentence for the user, without ids", async () => {
  const id = await agent.booked()
  const said = new Map<string, string>()
  for (const [metres, load] of WAY) {
    const { state, user_message } = await agent.status(id)
    said.set(String(state), user_message)
    await drive(h, metres, load)
  }
  expect(said.size).toBeGreaterThan(5)
  for (const [state, sentence] of said) expect(sentence, state).toMatch(/^[A-Z][^_.]{1,298}\.$/)
})

/** The fields among some that an envelope holds. */
function heldBy(envelope: CourierEnvelope, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => field in envelope)
}
