/** The contract of the courier connector's rows: errands, payments, keys of calls, holds of a fleet, and stores. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import { CourierClaims, CourierRows } from "../../src/areas/courier/rows.ts"
import type {
  CourierClaim,
  CourierDetails,
  CourierPaymentRow,
  CourierRow,
} from "../../src/areas/courier/rows.ts"
import { StoreRows } from "../../src/areas/courier/directory/store-admin.ts"
import { StoreDirectory } from "../../src/areas/courier/directory/store-directory.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { transacted } from "./transacted.ts"

type Ports = CourierClaims | CourierRows | VehicleRows | StoreDirectory
type Make = () => RowsHarness<Ports>

const T = Date.parse("2026-06-01T15:00:00Z")

const details: CourierDetails = {
  retailerName: "Lunchbox Kitchen",
  storeAddress: { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" },
  storePlace: { latitude: 30.4021, longitude: -97.7253 },
  storeUrl: null,
  hours: [{ weekday: 0, opensAtMinute: 420, closesAtMinute: 1320 }],
  kitchenStarts: "scheduled",
  leadTimeMs: 20 * MINUTE_MS,
  stallHint: null,
  dropoffAddress: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
  dropoffPlace: { latitude: 30.41, longitude: -97.72 },
  dropoffNotes: "Ring twice 😀",
  timing: { type: "asap" },
  slots: [],
  itemCount: 2,
  windows: [{ startMs: T, endMs: T + HOUR_MS, slot: null }],
  customer: { firstName: "Zoë", lastName: "Example" },
  contact: { phone: "+15125550123", email: null },
  requirementsSeen: [],
  requirementsNotes: "a cooler",
  checkInMethod: null,
  checkIn: null,
  pickupTime: null,
  checkout: null,
  order: null,
  readyAtMs: null,
  disqualifying: [],
  restrictedItems: [],
  notes: [],
  cancelReason: null,
}

export const errand: CourierRow = {
  deliveryId: "dlv_1",
  userId: "usr_1",
  organizationId: null,
  fleetId: "fleet_north",
  details,
  createdAtMs: T,
  updatedAtMs: T,
  phase: "quoted",
  paymentStatus: "pending",
  holdEndsAtMs: null,
  endedAtMs: null,
}

const payment: CourierPaymentRow = {
  deliveryId: "dlv_1",
  credentialNo: 1,
  credential: "tok_secret",
  authorizationId: null,
  failure: null,
  isTest: false,
}

const claim: CourierClaim = {
  userId: "usr_1",
  key: "key-1",
  tool: "check_delivery",
  digest: "digest",
  deliveryId: "dlv_1",
  answer: null,
  isDone: false,
  leaseEndsAtMs: T + MINUTE_MS,
  atMs: T,
}

const rows = Effect.serviceFunctions(CourierRows)
const claims = Effect.serviceFunctions(CourierClaims)
const vehicles = Effect.serviceFunctions(VehicleRows)
const directory = Effect.serviceFunctions(StoreDirectory)

export function courierRowsContract(name: string, make: Make): void {
  describe(`courier rows: ${name}`, () => {
    errandTests(make)
    paymentAndClaimTests(make)
    test("a store is found by its name and its address, and another name finds none", async () => {
      const h = make()
      const [kitchen] = DEMO_STORES
      if (kitchen === undefined) throw new Error("there are no demo stores")
      const { street, zip } = kitchen
      const find = (called: string) =>
        h.run(directory.find({ name: called, address: { street, zip }, place: null }))
      expect(await find("LUNCHBOX kitchen")).toEqual({ type: "found", store: kitchen })
      expect(await find("Unlisted Kitchen")).toEqual({ type: "unknown", matches: [kitchen] })
      expect(await find("Unlisted Diner")).toEqual({ type: "unknown", matches: [] })
    })
  })
}

function errandTests(make: Make): void {
  const byId = (h: RowsHarness<Ports>, id = "dlv_1") => h.run(rows.byId(id))

  test("an errand comes back as it was put, and a change touches what it names", async () => {
    const h = make()
    await transacted(h, rows.insert(errand), rows.insert({ ...errand, deliveryId: "dlv_2" }))
    expect(await byId(h)).toEqual(errand)
    const change = { phase: "held", holdEndsAtMs: T + MINUTE_MS, updatedAtMs: T + 1 } as const
    await transacted(h, rows.change("dlv_1", change), rows.change("dlv_9", change))
    expect(await byId(h)).toEqual({ ...errand, ...change })
    expect(await byId(h, "dlv_2")).toEqual({ ...errand, deliveryId: "dlv_2" })
    expect(await byId(h, "dlv_9")).toBeNull()
  })

  test("a user's held errands come by id, those that are being paid among them", async () => {
    const h = make()
    const phases = ["held", "capturing", "authorizing", "quoted", "booked", "lapsed"] as const
    await transacted(
      h,
      ...phases.map((phase, number) => rows.insert({ ...errand, deliveryId: `dlv_${9 - number}`, phase })),
      rows.insert({ ...errand, deliveryId: "dlv_0", userId: "usr_2", phase: "held" }),
    )
    const held = await h.run(rows.heldBy("usr_1"))
    expect(held.map(({ deliveryId }) => deliveryId)).toEqual(["dlv_7", "dlv_8", "dlv_9"])
  })

  test("a fleet's live holds are counted: not one that has run out, and not the errand's own", async () => {
    const h = make()
    const held = { ...errand, phase: "held", holdEndsAtMs: T + 10 } as const
    await transacted(
      h,
      rows.insert(held),
      rows.insert({ ...held, deliveryId: "dlv_2", holdEndsAtMs: T }),
      rows.insert({ ...held, deliveryId: "dlv_3", phase: "capturing", holdEndsAtMs: T }),
      rows.insert({ ...held, deliveryId: "dlv_4", phase: "booked" }),
      rows.insert({ ...held, deliveryId: "dlv_5", fleetId: "fleet_other" }),
    )
    const store = { latitude: 30.4, longitude: -97.7 }
    const owed = async (without: string | null, released = 0) =>
      (
        await h.run(
          vehicles.pool("fleet_north", { store, policy: "nearest", order: null, atMs: T, without, released }),
        )
      ).owed
    expect([await owed(null), await owed("dlv_1"), await owed("dlv_4"), await owed(null, 1)]).toEqual([
      2, 1, 2, 1,
    ])
  })

  test("G20: an ended errand's person is blanked once, with the credential that paid for it", async () => {
    const h = make()
    const ended = { ...errand, phase: "cancelled", endedAtMs: T + 5 } as const
    await transacted(
      h,
      rows.insert(ended),
      rows.putPayment(payment),
      rows.insert({ ...errand, deliveryId: "dlv_2", phase: "expired", updatedAtMs: T + 5 }),
      rows.insert({ ...errand, deliveryId: "dlv_3" }),
    )
    const blank = (beforeMs: number) => transacted(h, rows.blankEnded({ beforeMs, limit: 100 }))
    expect([await blank(T + 4), await blank(T + 5), await blank(T + 99)]).toEqual([[0], [2], [0]])
    const gone = JSON.stringify([await byId(h), await byId(h, "dlv_2")])
    for (const text of ["Zoë", "1 Sample St", "Ring twice", "5550123", "cooler"]) {
      expect(gone).not.toContain(text)
    }
    expect(gone).toContain("Lunchbox Kitchen")
    expect(await h.run(rows.payment("dlv_1"))).toEqual({ ...payment, credential: null })
    expect((await byId(h, "dlv_3"))?.details).toEqual(details)
  })

  test("the newest errands of an organization's sandbox come first, without those of others and of production", async () => {
    const h = make()
    const ofSandbox = (number: number, organizationId: string | null, createdAtMs: number) =>
      rows.insert({ ...errand, deliveryId: `dlv_${number}`, organizationId, createdAtMs })
    await transacted(
      h,
      ofSandbox(1, "org_1", T),
      ofSandbox(2, "org_1", T + 1),
      ofSandbox(3, "org_1", T + 1),
      ofSandbox(4, "org_2", T + 9),
      ofSandbox(5, null, T + 9),
    )
    const newest = await h.run(rows.newestOf("org_1", 2))
    expect(newest.map(({ deliveryId }) => deliveryId)).toEqual(["dlv_3", "dlv_2"])
  })

  test("a forgotten errand is gone, and holds no vehicle", async () => {
    const h = make()
    await transacted(h, rows.insert({ ...errand, phase: "held", holdEndsAtMs: T + 10 }), rows.forget("dlv_1"))
    expect(await byId(h)).toBeNull()
    expect(await h.run(rows.heldBy("usr_1"))).toEqual([])
  })
}

function paymentAndClaimTests(make: Make): void {
  test("a payment comes back as it was put, and is replaced under its number alone", async () => {
    const h = make()
    const paid = () => h.run(rows.payment("dlv_1"))
    expect(await paid()).toBeNull()
    await transacted(h, rows.putPayment({ ...payment, credential: null }), rows.putPayment(payment))
    expect(await paid()).toEqual(payment)
    const next = { ...payment, credential: null, authorizationId: "auth_1", failure: "expired" } as const
    await transacted(h, rows.replacePayment({ ...next, credentialNo: 7 }))
    expect(await paid()).toEqual(payment)
    await transacted(h, rows.replacePayment(next))
    expect(await paid()).toEqual({ ...next, credentialNo: 2 })
  })

  test("a claim is one user's, is replaced by its answer, and waits until it is done", async () => {
    const h = make()
    const find = (userId = "usr_1", key = "key-1") => h.run(claims.find(userId, key))
    await transacted(h, claims.put(claim))
    expect([await find(), await find("usr_2"), await find("usr_1", "key-2")]).toEqual([claim, null, null])
    expect(await h.run(claims.pendingOf("dlv_1"))).toEqual([claim])
    const done = { ...claim, answer: { ok: true, notes: ["Zoë 😀"] } as never, isDone: true }
    await transacted(h, claims.put(done))
    expect(await find()).toEqual(done)
    expect(await h.run(claims.pendingOf("dlv_1"))).toEqual([])
    await transacted(h, claims.remove("usr_1", "key-1"), claims.remove("usr_1", "key-1"))
    expect(await find()).toBeNull()
  })

  test("an order of a store belongs to the errand that it was booked for last, for half a day", async () => {
    const h = make()
    const of = (storeOrder: string) => h.run(rows.storeOrder(storeOrder))
    const first = { storeOrder: "store_1 1001", deliveryId: "dlv_1", atMs: T }
    const last = { ...first, deliveryId: "dlv_2", atMs: T + 1 }
    await transacted(h, rows.putStoreOrder(first), rows.putStoreOrder({ ...first, storeOrder: "other" }))
    await transacted(h, rows.putStoreOrder(last))
    expect([await of(first.storeOrder), await of("none")]).toEqual([last, null])
    expect(await transacted(h, rows.purgeStoreOrders({ beforeMs: T, limit: 9 }))).toEqual([1])
    expect([await of(first.storeOrder), await of("other")]).toEqual([last, null])
  })

  test("claims are purged by their age, as many as are asked for", async () => {
    const h = make()
    const kept = { ...claim, key: "key-3", atMs: T + 2 }
    await transacted(
      h,
      claims.put(claim),
      claims.put({ ...claim, key: "key-2", atMs: T + 1 }),
      claims.put(kept),
    )
    const purge = (beforeMs: number, limit: number) => transacted(h, claims.purge({ beforeMs, limit }))
    expect([await purge(T - 1, 9), await purge(T + 1, 1), await purge(T + 1, 9)]).toEqual([[0], [1], [1]])
    expect(await h.run(claims.find("usr_1", "key-3"))).toEqual(kept)
  })
}

export function storeRowsContract(name: string, make: () => RowsHarness<StoreRows>): void {
  const stores = Effect.serviceConstants(StoreRows)
  const write = Effect.serviceFunctions(StoreRows)
  test(`stores are listed by id, replaced and removed: ${name}`, async () => {
    const h = make()
    const before = await h.run(stores.all)
    const ids = before.map(({ storeId }) => storeId)
    expect(ids).toEqual(DEMO_STORES.map(({ storeId }) => storeId).toSorted())
    const [first] = before
    if (first === undefined) throw new Error("there are no stores")
    const changed = { ...first, name: "Zoë’s", phone: null, hours: null, categories: ["cafe"] }
    await transacted(h, write.put(changed), write.remove(ids[1] ?? ""), write.remove("store_nowhere"))
    const after = [changed, ...before.slice(2)]
    expect(await h.run(stores.all)).toEqual(after)
  })
}
