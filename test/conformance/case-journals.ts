/** The contract of the journals of a case, and that a kept journal gives the same answer from every database. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { program } from "../../src/apps/composition/program.ts"
import { CaseJournals } from "../../src/apps/operations/case-moment.ts"
import { CourierRows } from "../../src/areas/courier/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { rootOf, start } from "../../src/engine/services/actors.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { Database } from "../../src/engine/store/database.ts"
import { groups, journal } from "../../src/engine/store/schema.ts"
import { idOf } from "../../src/model/address.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { eventName } from "../../src/pages/inspection/event-name.ts"
import { JournalObserver } from "../../src/simulation/fleet/fit/observations.ts"
import { JournalMoments } from "../../src/simulation/fleet/moment/journal-moments.ts"
import { momentFromJournals, turnsOf } from "../../src/simulation/fleet/moment/from-journals.ts"
import type { MomentFound, OneCase, PlacedText } from "../../src/simulation/fleet/moment/from-journals.ts"
import type { ReplayedTurn } from "../../src/simulation/replay.ts"
import { curb, recordedDay } from "../simulation/fleet/moment/recorded-day.ts"
import { errand } from "./courier-rows.ts"
import { delivery, vehicle } from "./delivery-rows.ts"
import { SITE } from "./delivery-world.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = CaseJournals | CourierRows | Database | DeliveryRows | ReservationRows | VehicleRows

const journals = Effect.serviceFunctions(CaseJournals)
const FLEET = "fleet_of_a_case"
const T = delivery.createdAtMs

export function caseJournalsContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`the journals of a case: ${name}`, () => {
    test("groups are what its site and its fleet had open meanwhile, with the terms of deliveries", async () => {
      const h = make()
      await h.run(fleetOfACase)
      const query = { environment: "production", siteId: SITE, zoneIds: [], fleetId: FLEET } as const
      // Groups are started on the clock of the test.
      const times = { fromMs: T - MINUTE_MS, untilMs: T + HOUR_MS }
      const found = await h.run(journals.groups({ ...query, ...times, limit: 3 }))
      expect(found).toEqual({
        groups: [
          "delivery/dlv_case_1",
          "courier-order/dlv_case_errand",
          "delivery/dlv_case_errand",
          "vehicle/veh_case_1",
          "vehicle/veh_case_2",
        ],
        terms: [
          { deliveryId: "dlv_case_1", readyByMs: delivery.readyByMs, promisedAtMs: T + 9 },
          { deliveryId: "dlv_case_errand", readyByMs: delivery.readyByMs, promisedAtMs: T + 7 },
        ],
        isWhole: true,
      })
      expect((await h.run(journals.groups({ ...query, ...times, limit: 1 }))).isWhole).toBe(false)
      // Vehicles that did nothing are there too; what had ended is not.
      const later = { fromMs: T + 1_000 * HOUR_MS, untilMs: T + 1_001 * HOUR_MS, limit: 3 }
      const { groups: vehicles } = await h.run(journals.groups({ ...query, ...later }))
      expect(vehicles).toEqual(["vehicle/veh_case_1", "vehicle/veh_case_2"])
    })

    test("the journal of a recorded day gives the same answer as without a database", async () => {
      const h = make()
      const { turns, texts, of, beganMs, decidedMs, answer } = recorded()
      await h.run(kept(turns))
      const query = {
        environment: "production",
        siteId: SITE,
        zoneIds: [...new Set(turns.map(({ result }) => zoneOf(result.group)))],
        fleetId: null,
        limit: 1_000,
      } as const
      const found = await h.run(journals.groups({ ...query, fromMs: 0, untilMs: decidedMs }))
      const all = await h.run(journals.entries(found.groups, decidedMs))
      expect(all.length).toBe(texts.length)
      expect(answerFrom(all, { of, beganMs, decidedMs })).toEqual(answer)
      expect(answer.type === "made" ? answer.answer.is : answer.type).toBe("bad")
      expect(await h.run(journals.entries([], decidedMs))).toEqual([])
    })
  })
}

const fleetOfACase = Effect.gen(function* () {
  const host = yield* ActorHost
  const [deliveries, vehicles, errands] = [yield* DeliveryRows, yield* VehicleRows, yield* CourierRows]
  const nonce = yield* host.nonce
  const usual = { environment: "production", organizationId: null, nonce } as const
  const started = [
    "vehicle/veh_case_1",
    "vehicle/veh_case_2",
    "delivery/dlv_case_1",
    "delivery/dlv_case_errand",
    "courier-order/dlv_case_errand",
  ]
  yield* host.run({
    name: "a test",
    locks: { groups: started },
    body: Routine.fn(function* () {
      for (const vehicleId of ["veh_case_1", "veh_case_2"]) {
        yield* vehicles.insert({ ...vehicle, fleetId: FLEET, vehicleId })
        const input = { fleetId: FLEET, isSynthetic: false, isOnline: true, policy: { loadWaitMs: 1000 } }
        yield* start("vehicle@1", { to: `vehicle/${vehicleId}`, input, ...usual })
      }
    }),
  })
  // A delivery's start gives its vehicle the run.
  yield* host.run({
    name: "a test",
    locks: { groups: started },
    body: Routine.fn(function* () {
      const put = (deliveryId: string, more: Partial<typeof delivery>) =>
        deliveries.insert({
          ...delivery,
          fleetId: FLEET,
          deliveryId,
          externalDeliveryId: deliveryId,
          ...more,
        })
      yield* put("dlv_case_1", { deliveryEtaMs: T + 9 })
      yield* put("dlv_case_errand", { siteId: "store_tacos", deliveryEtaMs: T + 7 })
      yield* put("dlv_case_before", { createdAtMs: T - 24 * HOUR_MS })
      yield* put("dlv_case_elsewhere", { siteId: "another", fleetId: "another" })
      yield* errands.insert({ ...errand, deliveryId: "dlv_case_errand", fleetId: FLEET, createdAtMs: T - 1 })
      for (const deliveryId of ["dlv_case_1", "dlv_case_errand"]) {
        const input = { deliveryId, siteId: SITE, decided: { vehicleId: "veh_case_1" } }
        yield* start("delivery@1", { to: `delivery/${deliveryId}`, input, ...usual } as never)
      }
    }),
  })
  // An errand's machine needs a quote and a payment: its group's row is enough here.
  yield* stored((orm) => orm.insert(groups).values(groupRow("courier-order/dlv_case_errand", T)))
})

/** A statement beside the service's. The harness waits for it as for those. */
function stored(write: (orm: Database["Type"]["orm"]) => PromiseLike<unknown>) {
  return Effect.flatMap(Database, ({ orm, inFlight }) =>
    Effect.promise(async () => {
      inFlight.begin()
      try {
        await write(orm)
      } finally {
        inFlight.end()
      }
    }),
  )
}

function groupRow(address: string, instantMs: number, { revision = 0, head = "" } = {}) {
  return {
    address,
    kind: address.split("/")[0] ?? "",
    revision,
    instantMs,
    occurredUs: instantMs * 1000,
    head,
    actors: {} as never,
    isSettled: true,
    environment: "production" as const,
  }
}

interface RecordedCase {
  readonly turns: readonly ReplayedTurn[]
  readonly texts: readonly PlacedText[]
  readonly of: OneCase
  readonly beganMs: number
  readonly decidedMs: number
  readonly answer: MomentFound
}

let made: RecordedCase | null = null

/** A late order of a day on which a kitchen stops, after enough others to learn from. */
function recorded(): RecordedCase {
  made ??= recordedCase()
  return made
}

function recordedCase(): RecordedCase {
  const model = curb("out: [{ kitchen of grill: true, from: 12:20, to: 12:59 }]", {
    perHour: 30,
    runners: 8,
    stalls: 16,
  })
  const { turns: all } = recordedDay(model, 3)
  const moments = new JournalMoments(all)
  const ids = [...new Set(all.map(({ result }) => idOf(result.group.address)))].toReversed()
  for (const id of ids) {
    const of = { kind: "reservation", id, limitMs: 8 * MINUTE_MS } as const
    const verdict = moments.factOf(of)?.verdict
    if (verdict?.is !== "bad") continue
    const decidedMs = verdict.atMs
    const beganMs = moments.firstOf(`reservation/${id}`)?.atMs ?? 0
    const turns = all.filter(({ result }) => result.instantMs <= decidedMs)
    const texts = turns.map(({ result }, position) => ({
      instantMs: result.instantMs,
      position,
      text: result.entry?.text ?? "",
    }))
    return { turns, texts, of, beganMs, decidedMs, answer: answerFrom(texts, { of, beganMs, decidedMs }) }
  }
  throw new Error("no order of the day was late")
}

function answerFrom(
  texts: readonly PlacedText[],
  { of, beganMs, decidedMs }: Pick<RecordedCase, "beganMs" | "decidedMs" | "of">,
): MomentFound {
  const past = new JournalObserver()
  const inOrder = texts.toSorted((a, b) => a.position - b.position)
  for (const { text, instantMs } of inOrder) if (instantMs < beganMs) past.take(text)
  const order = {
    of,
    name: "A curb",
    timeZone: "America/Chicago",
    place: null,
    dispatchPolicy: "earliest_free",
    historyFromMs: beganMs - DAY_MS,
    beganMs,
    decidedMs,
    seed: 1,
    futures: 10,
    width: 0.3,
    // The answer is then coarse, and the same.
    turnsMax: 3_000,
  } as const
  return momentFromJournals(order, {
    past: past.seen(),
    turns: turnsOf(program, texts),
    terms: new Map(),
    eventName,
    onDone: () => undefined,
  })
}

function zoneOf(group: ReplayedTurn["result"]["group"]): string {
  return rootOf("reservation", group).context.zoneId
}

/** Rows as a service would have written them. */
const kept = Effect.fnUntraced(function* (turns: readonly ReplayedTurn[]) {
  const last = new Map(turns.map(({ result }) => [result.group.address, result]))
  const first = new Map(turns.toReversed().map(({ result }) => [result.group.address, result]))
  const host = yield* ActorHost
  const reservations = yield* ReservationRows
  yield* host.run({
    name: "a test",
    locks: {},
    body: Routine.fn(function* () {
      for (const [address, { group, instantMs }] of first) {
        const { startsAtMs, endsAtMs, zoneId } = rootOf("reservation", group).context
        const placed = { zoneId, startsAtMs, endsAtMs, createdAtMs: instantMs }
        yield* reservations.insert({ ...row, ...placed, reservationId: idOf(address) })
      }
    }),
  })
  const entries = turns.flatMap(({ result: { entry, instantMs } }) =>
    entry === null
      ? []
      : [
          {
            groupAddress: entry.group,
            revision: entry.revision,
            instantMs,
            text: entry.text,
            hash: entry.hash,
          },
        ],
  )
  const ended = [...last].map(([at, { group, instantMs }]) => groupRow(at, instantMs, group))
  yield* stored((orm) => orm.insert(groups).values(ended))
  for (let at = 0; at < entries.length; at += 100)
    yield* stored((orm) => orm.insert(journal).values(entries.slice(at, at + 100)))
})
