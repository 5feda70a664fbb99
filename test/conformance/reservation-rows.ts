/** The contract of ReservationRows. Writes go through the host's transactions, which is the only way to write. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import type {
  BotReportRow,
  Occupation,
  OpenTaskQuery,
  ReservationQuery,
  ReservationRow,
} from "../../src/areas/reservations/rows.ts"

export interface RowsHarness<Rows> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ActorHost | Rows>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

type NewRow = Omit<ReservationRow, "number">

export const row: NewRow = {
  reservationId: "res_1",
  organizationId: "org_one",
  environment: "production",
  zoneId: "zone_curb",
  retailerId: "retailer_grocer",
  stallId: "stall_a",
  stallLabel: null,
  orderNumber: "A-1",
  endUserName: "Ada Éxample 😀",
  endUserPhone: "+15125550100",
  openLinkUrl: "https://open.partner.example/1",
  retailerPickupRef: null,
  payloadLimit: { max_weight_kg: 7.5, max_dimensions_cm: { length: 1, width: 2, height: 3 } },
  cancelReason: null,
  botLabel: null,
  exceptionMessages: { stall_blocked: "a van" },
  idempotencyKey: null,
  comparison: "digest",
  createdAtMs: T,
  status: "confirmed",
  startsAtMs: T + 30 * MINUTE_MS,
  endsAtMs: T + 60 * MINUTE_MS,
  updatedAtMs: T,
  taskStagingAtMs: null,
}
const query: ReservationQuery = {
  organizationId: "org_one",
  environment: "production",
  statuses: null,
  zoneId: null,
  retailerId: null,
  orderNumber: null,
  search: null,
  arrivalFromMs: null,
  arrivalToMs: null,
  beforeNumber: null,
  limit: 100,
}
const botReport: BotReportRow = {
  reservationId: "res_1",
  status: "ABORTED",
  label: "blue bot",
  reason: "flat tyre",
  occurredAtMs: T - 5,
  receivedAtMs: T,
  isApplied: false,
}

type Write = (rows: ReservationRows["Type"]) => ReturnType<ReservationRows["Type"]["insert"]>

export function reservationRowsContract(name: string, make: () => RowsHarness<ReservationRows>): void {
  type Harness = RowsHarness<ReservationRows>

  const write = (h: Harness, ...writes: Write[]): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* ReservationRows
        for (const one of writes)
          yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one(rows)) })
      }),
    )
  const ask = <A>(h: Harness, question: (rows: ReservationRows["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(ReservationRows, question))
  const insert = (h: Harness, ...rows: Partial<NewRow>[]): Promise<void> =>
    write(
      h,
      ...rows.map(
        (more): Write =>
          (all) =>
            all.insert({ ...row, ...more }),
      ),
    )
  const listed = async (h: Harness, more: Partial<ReservationQuery> = {}): Promise<readonly string[]> =>
    (await ask(h, (rows) => rows.list({ ...query, ...more }))).map((one) => one.reservationId)
  const loads = async (h: Harness, more: Partial<Occupation> = {}): Promise<readonly [string, number][]> => {
    const { environment, zoneId, startsAtMs, endsAtMs } = row
    const found = await ask(h, (rows) => rows.loads({ environment, zoneId, startsAtMs, endsAtMs, ...more }))
    return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  describe(`reservation rows: ${name}`, () => {
    test("a row comes back as it was put, with its number", async () => {
      const h = make()
      await insert(h, {})
      const found = await ask(h, (rows) => rows.byId("res_1"))
      expect(found).toEqual({ ...row, number: expect.any(Number) as number })
      expect(await ask(h, (rows) => rows.byId("res_2"))).toBeNull()
    })

    test("numbers grow in the order of creation", async () => {
      const h = make()
      await insert(h, {}, { reservationId: "res_0" })
      const first = await ask(h, (rows) => rows.byId("res_1"))
      const second = await ask(h, (rows) => rows.byId("res_0"))
      expect(second?.number).toBeGreaterThan(first?.number ?? Number.POSITIVE_INFINITY)
    })

    test("a change touches what it names and nothing else", async () => {
      const h = make()
      await insert(h, {}, { reservationId: "res_2" })
      await write(h, (rows) =>
        rows.change("res_1", { botLabel: "blue", exceptionMessages: {}, status: "arrived" }),
      )
      const changed = await ask(h, (rows) => rows.byId("res_1"))
      expect(changed).toMatchObject({ ...row, botLabel: "blue", exceptionMessages: {}, status: "arrived" })
      await write(h, (rows) => rows.change("res_1", { botLabel: null }))
      expect(await ask(h, (rows) => rows.byId("res_1"))).toMatchObject({ botLabel: null, status: "arrived" })
      expect(await ask(h, (rows) => rows.byId("res_2"))).toMatchObject({
        botLabel: null,
        status: "confirmed",
      })
    })

    test("a change of a row that is not there changes nothing: the row is written after its first turn", async () => {
      const h = make()
      await write(h, (rows) => rows.change("res_1", { botLabel: "blue" }))
      expect(await ask(h, (rows) => rows.byId("res_1"))).toBeNull()
    })

    test("V8: a key belongs to one organization and environment, exactly as it was sent", async () => {
      const h = make()
      await insert(h, { idempotencyKey: "k" }, { reservationId: "res_2", idempotencyKey: null })
      const scope = { organizationId: "org_one", environment: "production", key: "k" } as const
      expect(await ask(h, (rows) => rows.byKey(scope))).toMatchObject({
        reservationId: "res_1",
        idempotencyKey: "k",
      })
      for (const other of [
        { organizationId: "org_two" },
        { environment: "sandbox" as const },
        { key: "K" },
        { key: "k " },
      ]) {
        expect(await ask(h, (rows) => rows.byKey({ ...scope, ...other }))).toBeNull()
      }
    })

    test("a write of a failed transaction is not there", async () => {
      const h = make()
      const failing = Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* ReservationRows
        const body = Effect.zipRight(rows.insert({ ...row, idempotencyKey: "k" }), Effect.fail("no" as const))
        return yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
      })
      expect(await h.run(failing)).toBe("no")
      expect(await ask(h, (rows) => rows.byId("res_1"))).toBeNull()
      const scope = { organizationId: "org_one", environment: "production", key: "k" } as const
      expect(await ask(h, (rows) => rows.byKey(scope))).toBeNull()
      expect(await loads(h)).toEqual([])
    })

    test("V16: a list is newest first, of one organization and environment, and no longer than asked", async () => {
      const h = make()
      await insert(
        h,
        {},
        { reservationId: "res_2" },
        { reservationId: "res_3", organizationId: "org_two" },
        { reservationId: "res_4", environment: "sandbox" },
        { reservationId: "res_5" },
      )
      expect(await listed(h)).toEqual(["res_5", "res_2", "res_1"])
      expect(await listed(h, { limit: 2 })).toEqual(["res_5", "res_2"])
      const second = await ask(h, (rows) => rows.byId("res_2"))
      expect(await listed(h, { beforeNumber: second?.number ?? 0 })).toEqual(["res_1"])
    })

    test.each<[string, Partial<ReservationQuery>, string[]]>([
      ["status", { statuses: ["arrived"] }, ["res_2"]],
      ["statuses", { statuses: ["arrived", "confirmed"] }, ["res_4", "res_3", "res_2", "res_1"]],
      ["zone", { zoneId: "zone_alone" }, ["res_3"]],
      ["retailer", { retailerId: "retailer_baker" }, ["res_4"]],
      ["order number", { orderNumber: "A-2" }, ["res_2"]],
      ["part of the order number", { search: "a-2" }, ["res_2"]],
      ["order number and another part", { orderNumber: "A-2", search: "1" }, []],
      ["start at or after", { arrivalFromMs: row.startsAtMs + 1 }, ["res_4"]],
      [
        "start at or after, inclusive",
        { arrivalFromMs: row.startsAtMs },
        ["res_4", "res_3", "res_2", "res_1"],
      ],
      ["start before", { arrivalToMs: row.startsAtMs + 1 }, ["res_3", "res_2", "res_1"]],
      ["start before, exclusive", { arrivalToMs: row.startsAtMs }, []],
      ["all at once", { statuses: ["arrived"], orderNumber: "A-1" }, []],
    ])("V15: a list may be narrowed by %s", async (_, narrowed, expected) => {
      const h = make()
      await insert(
        h,
        {},
        { reservationId: "res_2", status: "arrived", orderNumber: "A-2" },
        { reservationId: "res_3", zoneId: "zone_alone" },
        { reservationId: "res_4", retailerId: "retailer_baker", startsAtMs: row.startsAtMs + 1 },
      )
      expect(await listed(h, narrowed)).toEqual(expected)
    })

    test("loads count open reservations by stall; stalls without any are absent", async () => {
      const h = make()
      await insert(
        h,
        {},
        { reservationId: "res_2", status: "arrived" },
        { reservationId: "res_3", stallId: "stall_b" },
        { reservationId: "res_4", stallId: "stall_c", status: "completed" },
        { reservationId: "res_5", stallId: "stall_c", status: "canceled" },
        { reservationId: "res_6", stallId: "stall_c", zoneId: "zone_alone" },
        { reservationId: "res_7", stallId: "stall_c", environment: "sandbox" },
        { reservationId: "res_8", organizationId: "org_two" },
      )
      expect(await loads(h)).toEqual([
        ["stall_a", 3],
        ["stall_b", 1],
      ])
    })

    test("open reservations come by the end of their window, of the zones asked for", async () => {
      const h = make()
      await insert(
        h,
        { reservationId: "res_later", endsAtMs: T + 90 * MINUTE_MS },
        { reservationId: "res_first", status: "arrived" },
        { reservationId: "res_second", zoneId: "zone_alone" },
        { reservationId: "res_ended", status: "completed" },
        { reservationId: "res_elsewhere", zoneId: "zone_bare" },
        { reservationId: "res_sandbox", environment: "sandbox" },
      )
      const open = async (limit: number) => {
        const zoneIds = ["zone_curb", "zone_alone"]
        const found = await ask(h, (rows) => rows.openAt({ environment: "production", zoneIds, limit }))
        return found.map(({ reservationId }) => reservationId)
      }
      expect(await open(9)).toEqual(["res_first", "res_second", "res_later"])
      expect(await open(2)).toEqual(["res_first", "res_second"])
    })

    test("open tasks come by staging time, then by number, of the zones asked for", async () => {
      const h = make()
      await insert(
        h,
        { reservationId: "res_late", taskStagingAtMs: T + 2 },
        { reservationId: "res_ended", taskStagingAtMs: null },
        { reservationId: "res_soon", taskStagingAtMs: T + 1, organizationId: "org_two" },
        { reservationId: "res_also_late", taskStagingAtMs: T + 2, zoneId: "zone_alone" },
        { reservationId: "res_elsewhere", taskStagingAtMs: T, zoneId: "zone_bare" },
        { reservationId: "res_sandbox", taskStagingAtMs: T, environment: "sandbox" },
      )
      const tasks = (more: Partial<OpenTaskQuery> = {}): Promise<readonly ReservationRow[]> => {
        const zoneIds = ["zone_curb", "zone_alone"]
        return ask(h, (rows) =>
          rows.openTasks({ environment: "production", zoneIds, after: null, limit: 9, ...more }),
        )
      }
      const ids = (rows: readonly ReservationRow[]): readonly string[] =>
        rows.map(({ reservationId }) => reservationId)
      const all = await tasks()
      expect(ids(all)).toEqual(["res_soon", "res_late", "res_also_late"])
      expect(ids(await tasks({ limit: 2 }))).toEqual(["res_soon", "res_late"])
      const after = { stagingAtMs: T + 2, number: all[1]?.number ?? 0 }
      expect(ids(await tasks({ after }))).toEqual(["res_also_late"])
      expect(ids(await tasks({ zoneIds: [] }))).toEqual([])
      await write(h, (rows) => rows.change("res_soon", { taskStagingAtMs: null }))
      expect(ids(await tasks())).toEqual(["res_late", "res_also_late"])
    })

    test("a reservation that closes or moves leaves its stall's load", async () => {
      const h = make()
      await insert(h, {}, { reservationId: "res_2" })
      await write(
        h,
        (rows) => rows.change("res_1", { status: "completed" }),
        (rows) => rows.change("res_2", { startsAtMs: row.endsAtMs, endsAtMs: row.endsAtMs + MINUTE_MS }),
      )
      expect(await loads(h)).toEqual([])
    })

    test.each<[string, number, number, number]>([
      ["that ends where the other starts", -10, 0, 0],
      ["that starts where the other ends", 30, 40, 0],
      ["that ends a moment after the other starts", -10, 1, 1],
      ["that starts a moment before the other ends", 29, 40, 1],
      ["inside the other", 10, 20, 1],
      ["around the other", -10, 40, 1],
    ])("V7: windows are half-open: one %s", async (_, from, to, count) => {
      const h = make()
      await insert(h, {})
      const at = row.startsAtMs
      const found = await loads(h, { startsAtMs: at + from * MINUTE_MS, endsAtMs: at + to * MINUTE_MS })
      expect(found).toEqual(count === 0 ? [] : [["stall_a", count]])
    })

    test("T4: reports are kept as received, oldest first, of one reservation", async () => {
      const h = make()
      const applied = { ...botReport, status: "INBOUND", label: null, reason: null, isApplied: true } as const
      await insert(h, {}, { reservationId: "res_2" })
      await write(
        h,
        (rows) => rows.addReport(applied),
        (rows) => rows.addReport({ ...botReport, reservationId: "res_2" }),
        (rows) => rows.addReport(botReport),
      )
      expect(await ask(h, (rows) => rows.reports("res_1"))).toEqual([applied, botReport])
    })

    test("T4: reports of the same times are kept in the order of insertion", async () => {
      const h = make()
      const reports = [3, 12, 1, 11, 2, 10, 0, 9, 4, 8, 7, 5, 6].map((count) => ({
        ...botReport,
        label: `report ${count}`,
        isApplied: count % 2 === 0,
      }))
      await insert(h, {})
      await write(
        h,
        ...reports.slice(0, 6).map(
          (one): Write =>
            (rows) =>
              rows.addReport(one),
        ),
        (rows) => Routine.forEach(reports.slice(6), (one) => rows.addReport(one), { discard: true }),
      )
      expect(await ask(h, (rows) => rows.reports("res_1"))).toEqual(reports)
    })

    test("T4: the order of reports is that of insertion, not of what they say happened", async () => {
      const h = make()
      const reports = [T, T - MINUTE_MS, T - 1].map((occurredAtMs) => ({ ...botReport, occurredAtMs }))
      await insert(h, {})
      for (const one of reports) await write(h, (rows) => rows.addReport(one))
      expect(await ask(h, (rows) => rows.reports("res_1"))).toEqual(reports)
    })

    test("O1: the body of an open link is kept to the byte, by the address of its actor", async () => {
      const h = make()
      await insert(h, {})
      const body = '{"b":1,"a":"ö"}'
      await write(h, (rows) => rows.freezeOpenLink("reservation/res_1/open-link-1", body))
      expect(await ask(h, (rows) => rows.openLinkBody("reservation/res_1/open-link-1"))).toBe(body)
      expect(await ask(h, (rows) => rows.openLinkBody("reservation/res_1/open-link-2"))).toBeNull()
    })

    test("G20: an ended reservation loses its open links, then its person, once each and counted from its first end", async () => {
      const h = make()
      await insert(h, { cancelReason: "Ada is away" }, { reservationId: "res_2" })
      await write(
        h,
        (rows) => rows.addReport(botReport),
        (rows) => rows.freezeOpenLink("reservation/res_1/open-link-1", "{}"),
        (rows) => rows.noteEnd("res_1", T),
        (rows) => rows.noteEnd("res_1", T + 50),
        (rows) => rows.noteEnd("res_2", T + 60),
      )
      const purge = (method: "blankEnded" | "purgeOpenLinks", beforeMs: number) =>
        ask(h, (rows) => Effect.succeed(rows[method]({ beforeMs, limit: 100 }))).then((order) =>
          h.run(
            Effect.flatMap(ActorHost, (host) =>
              host.run({ name: "a test", locks: {}, body: () => Routine.from(order) }),
            ),
          ),
        )
      expect([await purge("purgeOpenLinks", T - 1), await purge("purgeOpenLinks", T)]).toEqual([0, 1])
      expect(await ask(h, (rows) => rows.openLinkBody("reservation/res_1/open-link-1"))).toBeNull()
      expect(await ask(h, (rows) => rows.byId("res_1"))).toMatchObject({ endUserName: row.endUserName })
      expect([await purge("purgeOpenLinks", T), await purge("blankEnded", T)]).toEqual([0, 1])
      expect(await ask(h, (rows) => rows.byId("res_1"))).toMatchObject({
        endUserName: "removed",
        endUserPhone: "+10000000000",
        cancelReason: "removed",
        exceptionMessages: {},
        orderNumber: "A-1",
      })
      expect(await ask(h, (rows) => rows.reports("res_1"))).toEqual([{ ...botReport, reason: "removed" }])
      expect([await purge("blankEnded", T), await purge("blankEnded", T + 60)]).toEqual([0, 1])
    })

    test("a forgotten reservation leaves nothing, and takes nothing of another with it", async () => {
      const h = make()
      const scope = { organizationId: "org_one", environment: "production", key: "k" } as const
      await insert(h, { idempotencyKey: "k" }, { reservationId: "res_10" })
      await write(
        h,
        (rows) => rows.addReport(botReport),
        (rows) => rows.addReport({ ...botReport, reservationId: "res_10" }),
        (rows) => rows.freezeOpenLink("reservation/res_1/open-link-1", "{}"),
        (rows) => rows.freezeOpenLink("reservation/res_10/open-link-1", "{}"),
        (rows) => rows.forget("res_1"),
      )
      expect(await ask(h, (rows) => rows.byId("res_1"))).toBeNull()
      expect(await ask(h, (rows) => rows.byKey(scope))).toBeNull()
      expect(await ask(h, (rows) => rows.reports("res_1"))).toEqual([])
      expect(await ask(h, (rows) => rows.openLinkBody("reservation/res_1/open-link-1"))).toBeNull()
      expect(await loads(h)).toEqual([["stall_a", 1]])
      expect(await ask(h, (rows) => rows.reports("res_10"))).toHaveLength(1)
      expect(await ask(h, (rows) => rows.openLinkBody("reservation/res_10/open-link-1"))).toBe("{}")
    })
  })
}
