/** What only a database can break in `transact`: waiting, losing, and writing outside. */

import { sql } from "drizzle-orm"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { ActorHost, Transaction } from "../../src/services/host.ts"
import { ReservationRows } from "../../src/services/reservations/rows.ts"
import { WebhookStore } from "../../src/services/webhooks/store.ts"
import type { WebhookEndpoint } from "../../src/services/webhooks/store.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database, layerPglite, layerPostgres } from "../../src/store/database.ts"
import { groups } from "../../src/store/schema.ts"
import { inTransaction, sqlOver } from "../../src/store/transaction.ts"
import { emptied } from "../conformance/live.ts"
import { partner, reservations } from "../conformance/harness.ts"
import type { CreateReservationRequest } from "../../src/model/requests.ts"
import { MINUTE_MS } from "../../src/model/time.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresServer } from "../store/postgres-server.ts"
import { allWell, startNode } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const endpoint: WebhookEndpoint = {
  webhookId: "whk_1",
  organizationId: "org_one",
  environment: "production",
  url: "https://hooks.partner.example/1",
  subscribedEvents: ["reservation.status_changed"],
  isActive: true,
  secret: "whsec_1",
  createdAtMs: 0,
  updatedAtMs: 0,
}

function booking(more: Partial<CreateReservationRequest> = {}): CreateReservationRequest {
  const nowMs = Date.now()
  return {
    zone_id: "zone_curb",
    retailer_id: "retailer_grocer",
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: nowMs + 30 * MINUTE_MS,
    arrival_window_end: nowMs + 60 * MINUTE_MS,
    open_link_url: "https://open.partner.example/doors/7",
    ...more,
  }
}

const insertEndpoint = (more: Partial<WebhookEndpoint> = {}) =>
  Effect.flatMap(WebhookStore, (store) => store.insertEndpoint({ ...endpoint, ...more }))
const changeEndpoint = (webhookId: string) =>
  Effect.flatMap(WebhookStore, (store) => store.changeEndpoint(webhookId, { updatedAtMs: 1 }))
const endpoints = Effect.flatMap(WebhookStore, (store) =>
  store.endpoints({ organizationId: "org_one", environment: "production" }),
)
const transact: ActorHost["Type"]["transact"] = (locks, body) =>
  Effect.flatMap(ActorHost, (host) => host.transact(locks, body)) as never

async function defectOf(node: Node, effect: Parameters<Node["run"]>[0]): Promise<string> {
  const exit = await node.run(Effect.exit(effect))
  if (Exit.isSuccess(exit)) return "none"
  const squashed: unknown = Cause.squash(exit.cause)
  return squashed instanceof Error ? squashed.message : String(squashed)
}

let server: PostgresServer | null = null
let node: Node

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

const layers = {
  PGlite: () => layerPglite("memory"),
  PostgreSQL: () => layerPostgres(server?.url ?? ""),
} as const

describe.each(["PGlite", "PostgreSQL"] as const)("transactions on %s", (name) => {
  beforeEach(async () => {
    node = await startNode(layers[name](), new OutsideWorld(), { wakesUp: false })
    await node.run(
      Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))),
    )
  })
  afterEach(async () => {
    await allWell(node)
    await node.crash()
  })

  test("creates that come at once fill the stalls evenly: takers of a zone wait for each other", async () => {
    const creates = Array.from({ length: 30 }, (_, at) =>
      reservations.create(partner, booking({ order_number: `A-${at}` })),
    )
    const created = await node.run(Effect.all(creates, { concurrency: "unbounded" }))
    const counts = Map.groupBy(created, ({ reservation }) => reservation.stall_id)
    expect([...counts.values()].map((some) => some.length)).toEqual([10, 10, 10])
  })

  test("V9: requests with one key that come at once make one reservation", async () => {
    const request = booking()
    const creates = Array.from({ length: 12 }, () => reservations.create(partner, request, "key-1"))
    const created = await node.run(Effect.all(creates, { concurrency: "unbounded" }))
    expect(new Set(created.map(({ reservation }) => reservation.reservation_id)).size).toBe(1)
    expect(created.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  })

  test("commands on one group come one after the other, and none is lost", async () => {
    const { reservation } = await node.run(reservations.create(partner, booking()))
    const id = reservation.reservation_id
    const reports = Array.from({ length: 20 }, () =>
      reservations.reportBot(partner, id, { status: "INBOUND" }),
    )
    await node.run(Effect.all(reports, { concurrency: "unbounded" }))
    const group = await node.run(Effect.flatMap(ActorHost, (host) => host.read(`reservation/${id}`)))
    expect(group?.revision).toBe(21)
    expect(await node.run(Effect.flatMap(ReservationRows, (rows) => rows.reports(id)))).toHaveLength(20)
  })

  test("a repository writes inside a transaction or not at all", async () => {
    expect(await defectOf(node, insertEndpoint() as never)).toContain("no transaction is open")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a query that fails spoils its transaction, whatever its body makes of it", async () => {
    const caught = Effect.zipRight(
      insertEndpoint(),
      Effect.catchAllDefect(insertEndpoint(), () => Effect.void),
    )
    expect(await defectOf(node, transact({}, caught))).toContain("23505")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a body that sleeps, or begins another transaction, is a fault and leaves nothing", async () => {
    const sleeping = Effect.zipRight(insertEndpoint(), Effect.sleep(1))
    expect(await defectOf(node, transact({}, sleeping))).toContain("its body waits")
    const nested = Effect.zipRight(insertEndpoint(), transact({}, Effect.void))
    expect(await defectOf(node, transact({}, nested))).toContain("another began")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a transaction is never interrupted: whoever asked may go, what it does commits", async () => {
    const fibers = Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const body = Effect.zipRight(Deferred.succeed(begun, undefined), insertEndpoint())
      const fiber = yield* Effect.fork(transact({}, body))
      yield* Deferred.await(begun)
      return yield* Fiber.interrupt(fiber)
    })
    await node.run(fibers)
    expect(await node.run(endpoints)).toHaveLength(1)
  })

  test("what outlives its transaction writes nothing", async () => {
    let late: Effect.Effect<void> = Effect.void
    const leaking = Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      late = Effect.provide(insertEndpoint() as never, context)
    })
    await node.run(transact({}, leaking))
    expect(await defectOf(node, late)).toContain("its transaction has ended")
  })

  test("a turn's own words come back as they were: json keeps the order of keys", async () => {
    const kept = await node.run(
      Effect.flatMap(Database, (database) =>
        inTransaction(
          database,
          sqlOver(database).writeReturning("keeping", async (orm) => {
            const actors = [
              {
                address: "a/b",
                machine: "m@1",
                value: "x",
                context: { z: 1, a: { y: 1, b: 2 } },
                status: "active" as const,
              },
            ]
            await orm.insert(groups).values({
              address: "a/b",
              kind: "a",
              revision: 1,
              instantMs: 1,
              occurredUs: 1,
              head: "0",
              actors,
              isSettled: true,
              stoppedBecause: null,
            })
            const [row] = await orm.select().from(groups)
            await orm.delete(groups)
            return JSON.stringify(row?.actors)
          }),
        ),
      ),
    )
    expect(kept).toBe(
      '[{"address":"a/b","machine":"m@1","value":"x","context":{"z":1,"a":{"y":1,"b":2}},"status":"active"}]',
    )
  })
})

describe("contention on PostgreSQL", () => {
  beforeEach(async () => {
    node = await startNode(layerPostgres(server?.url ?? ""), new OutsideWorld(), { wakesUp: false })
    await node.run(
      Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))),
    )
  })
  afterEach(() => node.crash())

  test("a transaction that loses a deadlock runs again", async () => {
    await node.run(transact({}, Effect.zipRight(insertEndpoint(), insertEndpoint({ webhookId: "whk_2" }))))
    let runs = 0
    const crossing = Effect.gen(function* () {
      const met = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
      const side = (own: 0 | 1) =>
        transact(
          {},
          Effect.gen(function* () {
            runs += 1
            yield* changeEndpoint(own === 0 ? "whk_1" : "whk_2")
            yield* Deferred.succeed(met[own], undefined)
            yield* Deferred.await(met[own === 0 ? 1 : 0])
            yield* changeEndpoint(own === 0 ? "whk_2" : "whk_1")
          }),
        )
      yield* Effect.all([side(0), side(1)], { concurrency: 2 })
    })
    await node.run(crossing)
    expect(runs).toBe(3)
  })

  test("a second start of one address, from another transaction, is loud and leaves nothing", async () => {
    const { reservation } = await node.run(reservations.create(partner, booking()))
    const address = `reservation/${reservation.reservation_id}`
    const row = sql`update groups set address = ${"reservation/res_taken"} where address = ${address}`
    await node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.execute(row))))
    const start = Effect.flatMap(ActorHost, (host) =>
      host.transact(
        {},
        Effect.gen(function* () {
          const transaction = yield* Transaction
          yield* transaction.turn({
            to: "reservation/res_taken",
            start: {
              machine: "webhook-delivery@1",
              input: { endpointId: "e", eventId: "v", attemptsMax: 1, backoffMs: [], leaseMs: 1 },
            },
            nonce: "0".repeat(32),
          })
        }),
      ),
    )
    expect(await defectOf(node, start)).toContain("an actor was started twice")
  })
})
