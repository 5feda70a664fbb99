/**
 * The contract of direct delivery's rows: sites, quotes, deliveries, vehicles with their fixes, opt-outs, charges, and the
 * log of webhooks. Writes go through the host's transactions, which is the only way to write.
 */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { ChargeRows } from "../../src/areas/direct-delivery/charges.ts"
import type { Charge, ChargeSpan } from "../../src/areas/direct-delivery/charges.ts"
import { OptOutRows } from "../../src/areas/messages/rows.ts"
import type { FixRow, VehicleRow } from "../../src/areas/dispatch/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows, DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import type {
  DeliveryQuery,
  DeliveryRow,
  Errand,
  QuoteRow,
  Terms,
} from "../../src/areas/direct-delivery/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { WebhookLogRows } from "../../src/areas/webhooks/webhook-log.ts"
import { FLEET, INACTIVE_SITE, SITE, deliverySites, north } from "./delivery-world.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { inOne } from "./transacted.ts"
import { vehiclePoolTests } from "./vehicle-pool.ts"

const T = Date.parse("2026-06-01T15:00:00Z")

const errand: Errand = {
  readyByMs: T + 10 * MINUTE_MS,
  customer: { first_name: "Zoë 😀", last_name: null, email: "zoe@example.com", phone: "+15125550123" },
  address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758", unit: "4b" },
  place: north(2_000),
  items: [{ name: "Milk", quantity: 2 }],
  pickupInstructions: "Ring twice",
}

const terms: Terms = {
  pickupEtaMs: T + 10 * MINUTE_MS,
  deliveryEtaMs: T + 20 * MINUTE_MS,
  feeCents: 799,
  currency: "USD",
}

const quote: QuoteRow = {
  ...errand,
  siteId: SITE,
  externalDeliveryId: "order-1",
  terms,
  unavailableReason: null,
  expiresAtMs: T + 5 * MINUTE_MS,
  createdAtMs: T,
}

type NewDelivery = Omit<DeliveryRow, "number">

export const delivery: NewDelivery = {
  ...errand,
  ...terms,
  deliveryId: "dlv_1",
  siteId: SITE,
  organizationId: "org_one",
  environment: "production",
  fleetId: FLEET,
  externalDeliveryId: "order-1",
  storePlace: null,
  comparison: "digest",
  cancellationReason: null,
  toldFix: null,
  atStoreAtMs: null,
  createdAtMs: T,
  status: "SCHEDULED",
  vehicleId: "veh_1",
  completedAtMs: null,
  cancelledAtMs: null,
  updatedAtMs: T,
}

const query: DeliveryQuery = {
  of: { siteId: SITE },
  statuses: null,
  createdAfterMs: null,
  createdBeforeMs: null,
  search: null,
  beforeNumber: null,
  limit: 100,
}

export const vehicle: VehicleRow = {
  vehicleId: "veh_1",
  fleetId: FLEET,
  environment: "production",
  label: "Vehicle 1",
  isSynthetic: false,
  isOnline: true,
}

const fix: FixRow = {
  ...north(10.5),
  vehicleId: "veh_1",
  deliveryId: null,
  recordedAtMs: T,
  receivedAtMs: T + 1,
  speedMps: 1.25,
  load: "loaded",
  batteryPercent: 87.5,
  sequence: 7,
}

const charge: Omit<Charge, "number"> = {
  deliveryId: "dlv_1",
  organizationId: "org_one",
  siteId: SITE,
  externalDeliveryId: "order-1",
  feeCents: 799,
  currency: "USD",
  completedAtMs: T,
}

/** Every port that this contract is about. */
export type DeliveryPorts =
  ChargeRows | DeliveryRows | DeliverySites | OptOutRows | VehicleRows | WebhookLogRows | WebhookStore

type Harness = RowsHarness<DeliveryPorts>

/** Each in a transaction of its own, in order. */
function write(
  h: Harness,
  ...writes: readonly Effect.Effect<unknown, never, Transaction | DeliveryPorts>[]
): Promise<void> {
  return h.run(
    Effect.gen(function* () {
      const host = yield* ActorHost
      for (const one of writes) yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one) })
    }),
  )
}

const rows = Effect.serviceFunctions(DeliveryRows)
const vehicles = Effect.serviceFunctions(VehicleRows)
const charges = Effect.serviceFunctions(ChargeRows)
const sites = Effect.serviceFunctions(DeliverySites)
const optOuts = Effect.serviceFunctions(OptOutRows)
const log = Effect.serviceFunctions(WebhookLogRows)
const store = Effect.serviceFunctions(WebhookStore)

export function deliveryRowsContract(name: string, make: () => Harness): void {
  describe(`delivery rows: ${name}`, () => {
    siteAndQuoteTests(make)
    deliveryTests(make)
    vehicleTests(make)
    trailTest(make)
    completionTest(make)
    vehiclePoolTests(make, { vehicle, delivery, fix })
    otherTests(make)
  })
}

function trailTest(make: () => Harness): void {
  test("a trail has the last fixes of one delivery since an instant, oldest first", async () => {
    const h = make()
    const at = (minute: number, deliveryId: string | null = "dlv_1"): FixRow => ({
      ...fix,
      deliveryId,
      recordedAtMs: T + minute * 60_000,
    })
    const fixes = [at(2), at(0), at(1), at(3), at(4, null), at(5, "dlv_2")]
    await write(h, ...fixes.map((one) => vehicles.insertFix(one)))
    const minutes = async (sinceMs: number, limit: number): Promise<readonly number[]> =>
      (await h.run(vehicles.trail({ deliveryId: "dlv_1", sinceMs, limit }))).map(
        ({ recordedAtMs }) => (recordedAtMs - T) / 60_000,
      )
    expect(await minutes(T, 10)).toEqual([0, 1, 2, 3])
    expect(await minutes(T + 60_000, 2)).toEqual([2, 3])
    expect(await minutes(T + 240_000, 10)).toEqual([])
  })
}

function completionTest(make: () => Harness): void {
  test("completed deliveries of a site are counted between cuts, with their fees and those in time", async () => {
    const h = make()
    const done = (id: number, minute: number, more: Partial<NewDelivery> = {}): NewDelivery => ({
      ...delivery,
      deliveryId: `dlv_${id}`,
      externalDeliveryId: `order-${id}`,
      status: "COMPLETED",
      feeCents: id,
      completedAtMs: T + minute * MINUTE_MS,
      ...more,
    })
    const at = (minute: number): number => T + minute * MINUTE_MS
    await write(
      h,
      ...[
        // The promise of every delivery is minute 20.
        done(1, 0),
        done(2, 19),
        done(4, 20),
        done(8, 25),
        done(16, 40),
        done(32, 5, { organizationId: "org_two" }),
        done(64, 5, { siteId: INACTIVE_SITE }),
        done(128, 5, { status: "CANCELLED", completedAtMs: null, cancelledAtMs: at(5) }),
      ].map((one) => rows.insert(one)),
    )
    const of = { siteId: SITE, organizationId: "org_one", environment: "production" } as const
    expect(await h.run(rows.completions({ ...of, cuts: [at(-9), at(0), at(0), at(20), at(40)] }))).toEqual([
      { completed: 0, kept: 0, feeCents: 0 },
      { completed: 0, kept: 0, feeCents: 0 },
      { completed: 2, kept: 2, feeCents: 3 },
      { completed: 2, kept: 1, feeCents: 12 },
    ])
    expect(await h.run(rows.completions({ ...of, environment: "sandbox", cuts: [at(0), at(50)] }))).toEqual([
      { completed: 0, kept: 0, feeCents: 0 },
    ])
  })
}

function siteAndQuoteTests(make: () => Harness): void {
  test("a site comes back as it was put; another id finds none", async () => {
    const h = make()
    const known = deliverySites.find(({ siteId }) => siteId === INACTIVE_SITE)
    expect(await h.run(sites.byId(INACTIVE_SITE))).toEqual(known)
    expect(await h.run(sites.byId("11111111-0000-4000-8000-00000000ffff"))).toBeNull()
  })

  test("sites of an environment come by id, and a change leaves the rest as it was", async () => {
    const h = make()
    const before = await h.run(sites.all("production"))
    expect(before.map(({ siteId }) => siteId)).toEqual(
      deliverySites
        .filter(({ environment }) => environment === "production")
        .map(({ siteId }) => siteId)
        .toSorted(),
    )
    const change = { priceCents: 1, area: null, timezone: "America/Denver", readyAheadMsMax: 60_000 }
    await write(h, sites.change(SITE, change), sites.change("11111111-0000-4000-8000-00000000ffff", change))
    const changed = before.map((one) => (one.siteId === SITE ? { ...one, ...change } : one))
    expect(await h.run(sites.all("production"))).toEqual(changed)
  })

  test("fleets are served that have a vehicle, on line or not", async () => {
    const h = make()
    const off = { ...vehicle, vehicleId: "veh_2", fleetId: "fleet_off", isOnline: false }
    await write(h, vehicles.insert(vehicle), vehicles.insert(off))
    const served = await h.run(sites.servedAmong([FLEET, null, "fleet_off", FLEET, "fleet_none"]))
    expect(served).toEqual(new Set([FLEET, "fleet_off"]))
    expect(await h.run(sites.servedAmong([null]))).toEqual(new Set())
  })

  test("a quote comes back as it was put, and the next of its id replaces it whole", async () => {
    const h = make()
    await write(h, rows.putQuote(quote))
    expect(await h.run(rows.quote(SITE, "order-1"))).toEqual(quote)
    const next = {
      ...quote,
      terms: null,
      unavailableReason: "NO_CAPACITY",
      pickupInstructions: null,
    } as const
    await write(h, rows.putQuote(next), rows.putQuote({ ...quote, externalDeliveryId: "order-2" }))
    expect(await h.run(rows.quote(SITE, "order-1"))).toEqual(next)
    expect(await h.run(rows.quote(INACTIVE_SITE, "order-1"))).toBeNull()
  })

  test("G20: a quote's person is blanked once, when it expired by then, the longest expired first", async () => {
    const h = make()
    const later = { ...quote, externalDeliveryId: "order-2", expiresAtMs: quote.expiresAtMs + 1 }
    await write(h, rows.putQuote(later), rows.putQuote(quote))
    const blank = (beforeMs: number, limit = 100) => inOne(h, rows.blankQuotes({ beforeMs, limit }))
    expect(await blank(quote.expiresAtMs - 1)).toBe(0)
    expect(await blank(later.expiresAtMs, 1)).toBe(1)
    const blanked = await h.run(rows.quote(SITE, "order-1"))
    expect(blanked).toEqual({ ...quote, ...BLANK })
    expect(await h.run(rows.quote(SITE, "order-2"))).toEqual(later)
    expect([await blank(later.expiresAtMs), await blank(later.expiresAtMs)]).toEqual([1, 0])
  })

  test("G20: a quote in the time of an organization's clock is counted from its real instant", async () => {
    const h = make()
    const { expiresAtMs } = quote
    const ahead = { ...quote, externalDeliveryId: "order-2", expiresAtMs: expiresAtMs + 1_000 }
    await write(
      h,
      rows.putQuote({ ...quote, keptFromMs: expiresAtMs + 500 }),
      rows.putQuote({ ...ahead, keptFromMs: expiresAtMs }),
    )
    const blank = (beforeMs: number) => inOne(h, rows.blankQuotes({ beforeMs, limit: 1 }))
    expect([await blank(expiresAtMs - 1), await blank(expiresAtMs)]).toEqual([0, 1])
    expect(await h.run(rows.quote(SITE, "order-2"))).toEqual({ ...ahead, ...BLANK })
    expect(await h.run(rows.quote(SITE, "order-1"))).toEqual(quote)
    expect([await blank(expiresAtMs + 499), await blank(expiresAtMs + 500)]).toEqual([0, 1])
  })
}

/** The blanked personal data. */
const BLANK = {
  customer: { first_name: "removed", last_name: null, email: "removed", phone: "+10000000000" },
  address: { street: "removed", city: "removed", state: "removed", zip: "removed", unit: "removed" },
  place: { latitude: 0, longitude: 0 },
  pickupInstructions: "removed",
}

function deliveryTests(make: () => Harness): void {
  const insert = (h: Harness, ...more: readonly Partial<NewDelivery>[]): Promise<void> =>
    write(h, ...more.map((one) => rows.insert({ ...delivery, ...one })))
  const named = (id: string) => ({ deliveryId: id, externalDeliveryId: id })
  const listed = async (h: Harness, more: Partial<DeliveryQuery> = {}): Promise<readonly string[]> =>
    (await h.run(rows.list({ ...query, ...more }))).map(({ deliveryId }) => deliveryId)

  test("a delivery comes back as it was put, by its own id and by the site's", async () => {
    const h = make()
    await insert(h, {})
    const found = await h.run(rows.byId("dlv_1"))
    expect(found).toEqual({ ...delivery, number: expect.any(Number) as number })
    expect(await h.run(rows.byExternalId(SITE, "order-1"))).toEqual(found)
    expect(await h.run(rows.byExternalId(INACTIVE_SITE, "order-1"))).toBeNull()
    expect(await h.run(rows.byId("dlv_2"))).toBeNull()
  })

  test("a change touches what it names and nothing else", async () => {
    const h = make()
    await insert(h, {}, named("dlv_2"))
    const toldFix = { ...north(1), atMs: T + 1 }
    await write(h, rows.change("dlv_1", { status: "ASSIGNED", toldFix, updatedAtMs: T + 1 }))
    expect(await h.run(rows.byId("dlv_1"))).toMatchObject({
      ...delivery,
      status: "ASSIGNED",
      toldFix,
      updatedAtMs: T + 1,
    })
    expect(await h.run(rows.byId("dlv_2"))).toMatchObject({ ...delivery, ...named("dlv_2") })
  })

  test("J17: lists are newest first and narrow by site, status, creation and place", async () => {
    const h = make()
    await insert(
      h,
      named("dlv_3"),
      { ...named("dlv_1"), createdAtMs: T + 1, status: "CANCELLED" },
      { ...named("dlv_2"), createdAtMs: T + 2 },
      { ...named("dlv_4"), siteId: INACTIVE_SITE },
    )
    expect(await listed(h)).toEqual(["dlv_2", "dlv_1", "dlv_3"])
    expect(await listed(h, { limit: 2 })).toEqual(["dlv_2", "dlv_1"])
    const last = await h.run(rows.byId("dlv_1"))
    expect(await listed(h, { beforeNumber: last?.number ?? 0 })).toEqual(["dlv_3"])
    expect(await listed(h, { statuses: ["CANCELLED", "COMPLETED"] })).toEqual(["dlv_1"])
    expect(await listed(h, { createdAfterMs: T })).toEqual(["dlv_2", "dlv_1"])
    expect(await listed(h, { createdBeforeMs: T + 2 })).toEqual(["dlv_1", "dlv_3"])
    expect(await listed(h, { search: "V_2" })).toEqual(["dlv_2"])
    const of = { organizationId: "org_one", environment: "production" } as const
    expect(await listed(h, { of, search: "Dlv_", limit: 3 })).toEqual(["dlv_4", "dlv_2", "dlv_1"])
    expect(await listed(h, { search: "%" })).toEqual([])
  })

  test("a store has no loads, then those that were put last", async () => {
    const h = make()
    expect(await h.run(rows.loads(SITE))).toEqual([])
    await write(h, rows.putLoads(SITE, [60_000]))
    await write(h, rows.putLoads(SITE, [30_000, 60_000]))
    await write(h, rows.putLoads(INACTIVE_SITE, [1]))
    expect(await h.run(rows.loads(SITE))).toEqual([30_000, 60_000])
  })

  test("the open runs of one vehicle come oldest first", async () => {
    const h = make()
    await insert(
      h,
      named("dlv_2"),
      named("dlv_1"),
      { ...named("dlv_3"), vehicleId: "veh_2" },
      { ...named("dlv_4"), status: "COMPLETED" },
      { ...named("dlv_5"), fleetId: "fleet_other" },
    )
    const found = await h.run(rows.runsOf(FLEET, "veh_1"))
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(["dlv_2", "dlv_1"])
    expect(await h.run(rows.runsOf(FLEET, "veh_9"))).toEqual([])
    const ofFleet = async (limit: number) =>
      (await h.run(rows.openRuns(FLEET, limit))).map(({ deliveryId }) => deliveryId)
    expect(await ofFleet(9)).toEqual(["dlv_2", "dlv_1", "dlv_3"])
    expect(await ofFleet(1)).toEqual(["dlv_2"])
  })

  test("a delivery that the transaction has inserted comes after all others", async () => {
    const h = make()
    await insert(h, named("dlv_1"))
    const [earlier, own] = await inOne(
      h,
      Effect.gen(function* () {
        yield* rows.insert({ ...delivery, ...named("dlv_2") })
        return [yield* rows.byId("dlv_1"), yield* rows.byId("dlv_2")]
      }),
    )
    expect({ ...own }).toMatchObject({ ...delivery, ...named("dlv_2") })
    expect(own?.number).toBeGreaterThan(earlier?.number ?? Infinity)
  })

  test("open runs that a transaction has prefetched are as they are without, and follow its own changes", async () => {
    const h = make()
    await insert(h, named("dlv_1"), { ...named("dlv_2"), status: "COMPLETED" })
    const seen = await inOne(
      h,
      Effect.gen(function* () {
        yield* rows.prefetchRunsOf("veh_1")
        const before = yield* rows.byId("dlv_1")
        yield* rows.change("dlv_1", { status: "LOADED" })
        return [before, yield* rows.byId("dlv_1"), yield* rows.byId("dlv_2")] as const
      }),
    )
    const [before, after, ended] = seen
    expect(before).toMatchObject({ ...named("dlv_1"), status: "SCHEDULED" })
    expect(after).toEqual({ ...before, status: "LOADED" })
    expect(ended).toMatchObject({ deliveryId: "dlv_2", status: "COMPLETED" })
  })

  test("G20: a delivery's person is blanked once, counted from its end; open ones keep theirs", async () => {
    const h = make()
    const blank = (beforeMs: number) => inOne(h, rows.blankEnded({ beforeMs, limit: 100 }))
    const toldFix = { ...north(1), atMs: T }
    await insert(
      h,
      { ...named("dlv_1"), status: "COMPLETED", completedAtMs: T + 5, toldFix },
      { ...named("dlv_2"), status: "CANCELLED", cancelledAtMs: T + 6, cancellationReason: "Ada is away" },
      named("dlv_3"),
    )
    expect(await blank(T + 4)).toBe(0)
    expect(await blank(T + 5)).toBe(1)
    const ended = { ...delivery, ...named("dlv_1"), status: "COMPLETED", completedAtMs: T + 5 }
    expect(await h.run(rows.byId("dlv_1"))).toMatchObject({ ...ended, ...BLANK, toldFix: null })
    expect([await blank(T + 100), await blank(T + 100)]).toEqual([1, 0])
    expect(await h.run(rows.byId("dlv_2"))).toMatchObject({ ...BLANK, cancellationReason: "removed" })
    expect((await h.run(rows.byId("dlv_3")))?.customer).toEqual(errand.customer)
  })

  test("G20: a delivery in the time of an organization's clock is counted from its real end", async () => {
    const h = make()
    const blank = (beforeMs: number) => inOne(h, rows.blankEnded({ beforeMs, limit: 100 }))
    await insert(h, named("dlv_1"), named("dlv_2"))
    const ahead = { status: "COMPLETED", completedAtMs: T + 1_000, keptFromMs: T + 5 } as const
    const behind = { status: "CANCELLED", cancelledAtMs: T, keptFromMs: T + 9 } as const
    await write(h, rows.change("dlv_1", ahead), rows.change("dlv_2", behind))
    expect([await blank(T + 4), await blank(T + 5), await blank(T + 8)]).toEqual([0, 1, 0])
    expect(await h.run(rows.byId("dlv_1"))).toMatchObject(BLANK)
    expect([await blank(T + 9), await blank(T + 2_000)]).toEqual([1, 0])
    expect(await h.run(rows.byId("dlv_2"))).toMatchObject(BLANK)
  })

  test("B5: an organization has quoted once it has a quote in that environment, and completed once a delivery ended well", async () => {
    const h = make()
    const of = (environment: "production" | "sandbox", organizationId = "org_one") =>
      h.run(rows.progress({ organizationId, environment }))
    expect(await of("production")).toEqual({ hasQuote: false, hasCompleted: false })
    await write(h, rows.putQuote(quote))
    await insert(h, named("dlv_1"), { ...named("dlv_2"), status: "CANCELLED" })
    expect(await of("production")).toEqual({ hasQuote: true, hasCompleted: false })
    await write(h, rows.change("dlv_1", { status: "COMPLETED" }))
    expect(await of("production")).toEqual({ hasQuote: true, hasCompleted: true })
    expect(await of("sandbox")).toEqual({ hasQuote: false, hasCompleted: false })
    expect(await of("production", "org_two")).toEqual({ hasQuote: false, hasCompleted: false })
  })

  test("writes of a failed transaction are not there", async () => {
    const h = make()
    const failing = Effect.gen(function* () {
      const host = yield* ActorHost
      const writes = [
        rows.insert(delivery),
        rows.putQuote(quote),
        vehicles.insertFix(fix),
        charges.insert(charge),
      ]
      const body = Effect.zipRight(Effect.all(writes, { discard: true }), Effect.fail("no" as const))
      return yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
    })
    expect(await h.run(failing)).toBe("no")
    expect(await listed(h)).toEqual([])
    expect(await h.run(rows.quote(SITE, "order-1"))).toBeNull()
    expect(await h.run(vehicles.lastFix({ vehicleId: "veh_1" }))).toBeNull()
    expect(await h.run(charges.byId("dlv_1"))).toBeNull()
  })

  test("a forgotten delivery is gone, its external id too", async () => {
    const h = make()
    await insert(h, {})
    await write(h, rows.forget("dlv_1"))
    expect(await h.run(rows.byId("dlv_1"))).toBeNull()
    expect(await h.run(rows.byExternalId(SITE, "order-1"))).toBeNull()
  })
}

function vehicleTests(make: () => Harness): void {
  test("vehicles of a fleet come by id, and a change touches one", async () => {
    const h = make()
    await write(
      h,
      vehicles.insert({ ...vehicle, vehicleId: "veh_2" }),
      vehicles.insert(vehicle),
      vehicles.insert({ ...vehicle, vehicleId: "veh_3", fleetId: "fleet_other" }),
      vehicles.change("veh_2", { isOnline: false }),
    )
    expect(await h.run(vehicles.ofFleet(FLEET))).toEqual([
      vehicle,
      { ...vehicle, vehicleId: "veh_2", isOnline: false },
    ])
    expect(await h.run(vehicles.ofFleet(FLEET, 1))).toEqual([vehicle])
    expect(await h.run(vehicles.byId("veh_9"))).toBeNull()
  })

  test("fixes are found by vehicle and by delivery, the latest recorded, whatever the order of receipt", async () => {
    const h = make()
    const at = (recordedAtMs: number, more: Partial<FixRow> = {}) =>
      vehicles.insertFix({ ...fix, recordedAtMs, ...more })
    await write(
      h,
      at(T + 20, { deliveryId: "dlv_1" }),
      at(T),
      at(T + 10, { load: null, speedMps: null, sequence: null }),
      at(T + 30, { vehicleId: "veh_2" }),
    )
    const last = { ...fix, recordedAtMs: T + 20, deliveryId: "dlv_1" }
    expect(await h.run(vehicles.lastFix({ vehicleId: "veh_1" }))).toEqual(last)
    expect(await h.run(vehicles.lastFix({ deliveryId: "dlv_1" }))).toEqual(last)
    expect(await h.run(vehicles.lastFix({ deliveryId: "dlv_2" }))).toBeNull()
    expect(await h.run(vehicles.firstFixSince("veh_1", T + 1))).toEqual({
      ...fix,
      recordedAtMs: T + 10,
      load: null,
      speedMps: null,
      sequence: null,
    })
    expect(await h.run(vehicles.firstFixSince("veh_1", T + 21))).toBeNull()
    await write(h, at(T + 20, { sequence: 1 }))
    expect(await h.run(vehicles.lastFix({ vehicleId: "veh_1" }))).toEqual(last)
    const has = (recordedAtMs: number, sequence: number | null) =>
      h.run(vehicles.hasFix({ vehicleId: "veh_1", recordedAtMs, sequence }))
    const known = [has(T + 10, null), has(T + 10, 5), has(T + 20, null), has(T + 20, 1), has(T + 20, 2)]
    expect(await Promise.all(known)).toEqual([true, true, true, true, false])
    expect(await has(T + 30, null)).toBe(false)
  })

  test("G20: fixes go by when they were received, and new ones are kept beside the rest", async () => {
    const h = make()
    const purge = (beforeMs: number, limit = 100) => inOne(h, vehicles.purgeFixes({ beforeMs, limit }))
    const received = (receivedAtMs: number, recordedAtMs: number) =>
      vehicles.insertFix({ ...fix, receivedAtMs, recordedAtMs })
    await write(h, received(T, T - 1), received(T + 1, T - 9), received(T + 2, T - 2))
    expect([await purge(T - 1), await purge(T + 1, 1), await purge(T + 1)]).toEqual([0, 1, 1])
    await write(h, received(T + 3, T - 3))
    expect(await h.run(vehicles.lastFix({ vehicleId: "veh_1" }))).toMatchObject({ receivedAtMs: T + 2 })
    expect(await h.run(vehicles.firstFixSince("veh_1", 0))).toMatchObject({ receivedAtMs: T + 3 })
  })
}

function otherTests(make: () => Harness): void {
  test("PM7: an opt-out holds in its own list, again is fine, and can be cleared", async () => {
    const h = make()
    const everyone = { environment: "production", organizationId: null } as const
    const one = { environment: "sandbox", organizationId: "org_one" } as const
    const two = { environment: "sandbox", organizationId: "org_two" } as const
    const has = () => h.run(Effect.all([everyone, one, two].map((scope) => optOuts.has(scope, "digest"))))
    await write(h, optOuts.put(one, "digest"), optOuts.put(one, "digest"), optOuts.remove(two, "digest"))
    expect(await has()).toEqual([false, true, false])
    await write(h, optOuts.put(everyone, "digest"), optOuts.remove(one, "digest"))
    expect(await has()).toEqual([true, false, false])
  })

  test("B7: a delivery is charged once; charges are newest first and narrow by site, span and place", async () => {
    const h = make()
    const other = (deliveryId: string, more: Partial<Charge> = {}) =>
      charges.insert({ ...charge, deliveryId, ...more })
    await write(
      h,
      other("dlv_2", { completedAtMs: T + 1 }),
      other("dlv_1"),
      other("dlv_2", { feeCents: 1 }),
      other("dlv_3", { siteId: INACTIVE_SITE }),
    )
    const all = {
      organizationId: null,
      siteIds: null,
      fromMs: null,
      untilMs: null,
      beforeNumber: null,
      limit: 100,
    }
    const listed = async (more: object = {}) =>
      (await h.run(charges.list({ ...all, ...more }))).map(({ deliveryId }) => deliveryId)
    expect(await listed()).toEqual(["dlv_3", "dlv_1", "dlv_2"])
    expect(await listed({ siteIds: [SITE] })).toEqual(["dlv_1", "dlv_2"])
    expect(await listed({ siteIds: [] })).toEqual([])
    expect(await listed({ organizationId: "org_one", siteIds: [SITE] })).toEqual(["dlv_1", "dlv_2"])
    expect(await listed({ organizationId: "org_two" })).toEqual([])
    expect(await listed({ fromMs: T + 1 })).toEqual(["dlv_2"])
    expect(await listed({ untilMs: T + 1, limit: 1 })).toEqual(["dlv_3"])
    const second = await h.run(charges.byId("dlv_2"))
    expect(second).toEqual({
      ...charge,
      deliveryId: "dlv_2",
      completedAtMs: T + 1,
      number: expect.any(Number) as number,
    })
    expect(await listed({ beforeNumber: (second?.number ?? 0) + 1 })).toEqual(["dlv_2"])
    await write(h, charges.forget("dlv_2"))
    expect(await h.run(charges.byId("dlv_2"))).toBeNull()
  })

  test("B7: charges of a span are summed between cuts, by site and currency, and their ends are known", async () => {
    const h = make()
    const made = (id: number, minute: number, more: Partial<Charge> = {}) =>
      charges.insert({
        ...charge,
        deliveryId: `dlv_${id}`,
        feeCents: id,
        completedAtMs: T + minute * MINUTE_MS,
        ...more,
      })
    await write(
      h,
      made(1, 0),
      made(2, 9),
      made(4, 10),
      made(8, 5, { siteId: INACTIVE_SITE }),
      made(16, 5, { currency: "EUR" }),
      made(32, 30, { organizationId: "org_two" }),
    )
    const all = { organizationId: null, siteIds: null, fromMs: null, untilMs: null }
    const own = { ...all, organizationId: "org_one" }
    expect(await h.run(charges.ends(own))).toEqual({ firstMs: T, lastMs: T + 10 * MINUTE_MS })
    expect(await h.run(charges.ends({ ...own, siteIds: [] }))).toBeNull()
    const cuts = [T, T + 10 * MINUTE_MS, T + 60 * MINUTE_MS]
    const summed = async (span: ChargeSpan) =>
      (await h.run(charges.sums(span, cuts))).toSorted((one, other) => one.feeCents - other.feeCents)
    const usd = { siteId: SITE, currency: charge.currency }
    expect(await summed(own)).toEqual([
      { ...usd, part: 0, count: 2, feeCents: 3 },
      { ...usd, part: 1, count: 1, feeCents: 4 },
      { ...usd, part: 0, siteId: INACTIVE_SITE, count: 1, feeCents: 8 },
      { ...usd, part: 0, currency: "EUR", count: 1, feeCents: 16 },
    ])
    const narrow = { ...all, siteIds: [SITE], fromMs: T + 10 * MINUTE_MS, untilMs: T + 30 * MINUTE_MS }
    expect(await summed(narrow)).toEqual([{ ...usd, part: 1, count: 1, feeCents: 4 }])
    expect(await summed({ ...narrow, siteIds: [] })).toEqual([])
  })

  test("PW8: the log has an endpoint's deliveries newest first, redeliveries among them, until their body is gone", async () => {
    const h = make()
    const body = (eventId: string) => ({
      eventId,
      eventType: "pickup_status.changed" as const,
      subjectId: "dlv_1",
      body: "{}",
      createdAtMs: T,
    })
    const once = { redeliveryOf: null, redeliveredAtMs: null }
    const sending = (deliveryId: string, eventId: string, more: object = {}) =>
      store.insertDelivery({ deliveryId, webhookId: "whk_1", eventId, subjectId: "dlv_1", ...once, ...more })
    await write(
      h,
      rows.insert(delivery),
      store.insertBody(body("e_1")),
      store.insertBody(body("e_2")),
      sending("d_2", "e_1"),
      sending("d_1", "e_2"),
      sending("d_3", "e_2", { webhookId: "whk_2" }),
      sending("d_0", "e_1", { redeliveryOf: "d_2", redeliveredAtMs: T + 9 }),
    )
    const ids = async (more: object = {}) =>
      (await h.run(log.newest({ webhookId: "whk_1", beforeNumber: null, limit: 100, ...more }))).map(
        ({ sendingId }) => sendingId,
      )
    expect(await ids()).toEqual(["d_0", "d_1", "d_2"])
    expect(await ids({ limit: 1 })).toEqual(["d_0"])
    const line = await h.run(log.byId("d_0"))
    expect(line).toEqual({
      sendingId: "d_0",
      deliveryId: "d_2",
      webhookId: "whk_1",
      eventId: "e_1",
      eventType: "pickup_status.changed",
      subjectId: "dlv_1",
      externalDeliveryId: "order-1",
      isRedelivery: true,
      createdAtMs: T + 9,
      number: expect.any(Number) as number,
    })
    expect(await ids({ beforeNumber: line?.number })).toEqual(["d_1", "d_2"])
    const events = (of: { readonly subjectId: string } | { readonly webhookId: string }, more: object = {}) =>
      h.run(log.events({ of, eventType: null, beforeNumber: null, limit: 100, ...more }))
    const ofSubject = await events({ subjectId: "dlv_1" })
    expect(ofSubject.map(({ sendingId }) => sendingId)).toEqual(["d_0", "d_3", "d_1", "d_2"])
    expect(ofSubject[0]).toEqual({ ...line, body: "{}" })
    expect(await events({ subjectId: "dlv_2" })).toEqual([])
    const ofEndpoint = await events({ webhookId: "whk_1" }, { beforeNumber: line?.number, limit: 1 })
    expect(ofEndpoint.map(({ sendingId }) => sendingId)).toEqual(["d_1"])
    expect(await events({ webhookId: "whk_1" }, { eventType: "webhook.test" })).toEqual([])
    const again = await h.run(log.sendings("d_2"))
    expect(again.map(({ sendingId }) => sendingId)).toEqual(["d_0", "d_2"])
    await write(h, store.purgeBodies({ beforeMs: T, limit: 100 }))
    expect(await ids()).toEqual([])
    expect(await h.run(log.byId("d_0"))).toBeNull()
  })
}
