/**
 * Statements that were planned while their tables were small, and are kept: they find their rows by an index all the same
 * when the tables have grown, and nothing reads a table from end to end. No server has counted the rows meanwhile: on a new
 * PostgreSQL that takes a minute, and the embedded database never does it.
 */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import type { Layer } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { startReceiver } from "../../attacks/receiver.ts"
import type { Receiver } from "../../attacks/receiver.ts"
import { startRealService } from "../../attacks/real-service.ts"
import type { RealService } from "../../attacks/real-service.ts"
import { until } from "../../live/node/nodes.ts"
import { startPostgres } from "./postgres-server.ts"
import type { PostgresDatabase } from "./postgres-server.ts"
import { layerCopiedPglite } from "./embedded-template.ts"

const AGED = 20_000
const VISITS = 12
/** What a statement of every visit would read at least; who looks for due entries meets the rows once, while they come. */
const FULL = (AGED * VISITS) / 2
/** Webhooks of a visit. */
const EVENTS = 3

const GROWING = [
  "bot_reports",
  "groups",
  "journal",
  "mailbox",
  "messages",
  "reservations",
  "webhook_bodies",
  "webhook_deliveries",
]

/** Of tables from end to end, and of indexes entry by entry. */
const FULL_READS = `
  select relname as name, seq_tup_read::int as rows from pg_stat_user_tables where seq_tup_read >= ${FULL}
  union all
  select indexrelname, idx_tup_read::int from pg_stat_user_indexes where idx_tup_read >= ${FULL}
  order by name`

let server: PostgresDatabase
let receiver: Receiver
beforeAll(async () => {
  ;[server, receiver] = await Promise.all([startPostgres(), startReceiver()])
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

/**
 * A booking, its bot's arrival, a read of it, and its end, each of which publishes a webhook or appears in the list.
 */
async function visit({ call, booking, run }: RealService, number: number): Promise<void> {
  const startsAtMs = Date.now() + HOUR_MS * (1 + number)
  const window = {
    arrival_window_start: new Date(startsAtMs).toISOString(),
    arrival_window_end: new Date(startsAtMs + HOUR_MS / 2).toISOString(),
  }
  const headers = { "idempotency-key": `visit-${number}` }
  const made = await call("POST", "/rs/v1/reservations", { headers, body: booking(window) })
  const { reservation } = made.body["data"] as { reservation: { reservation_id: string } }
  const path = `/rs/v1/reservations/${reservation.reservation_id}`
  const answers = [
    made,
    await call("POST", `${path}/bot`, { body: { status: "ARRIVED", label: "Blue 7" } }),
    await call("GET", path),
    await call("GET", "/rs/v1/reservations"),
    await call("DELETE", path),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200])
  await run(lookForMessages)
}

/** As the outbox does every second. */
const lookForMessages = Effect.gen(function* () {
  const host = yield* ActorHost
  const { take } = yield* MessageRows
  yield* host.run({
    name: "a test",
    locks: {},
    body: () => take({ channel: "sms", nowMs: Date.now(), leaseMs: MINUTE_MS, limit: 10 }),
  })
})

/** Counting would plan every statement anew, and so would this itself: it comes first. */
async function keepFromCounting(service: RealService): Promise<void> {
  const { orm } = await service.run(Database)
  await orm.transaction(async (transaction) => {
    for (const table of GROWING) {
      await transaction.execute(sql`alter table ${sql.identifier(table)} set (autovacuum_enabled = false)`)
    }
  })
}

/** Everything that was written so far, many times over, under other keys; of the mailbox, due later. */
async function age(service: RealService): Promise<void> {
  const { orm } = await service.run(Database)
  // Before anything of the visits, and not during the test.
  const dueMs = Date.now() + 10 * MINUTE_MS
  await orm.transaction(async (transaction) => {
    // Until the commit the wake-up would read past all of these rows, each time that it looks for what is due next: on a
    // slow machine often enough to look like a statement that reads the whole index.
    await transaction.execute(sql`lock table mailbox in access exclusive mode`)
    const copies = sql`generate_series(1, ${AGED})`
    await transaction.execute(sql`
      insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled)
      select 'aged/' || n, 'aged', 1, 0, 0, '', '[]', true from ${copies} n`)
    await transaction.execute(sql`
      insert into mailbox (group_address, kind, key, to_address, event, due_ms, instant_ms, cause)
      select 'aged/' || n, 'timer', 'k', 'aged/' || n, '{"type":"x"}', ${dueMs}::bigint, 0, '["x",0,0]' from ${copies} n`)
    await transaction.execute(sql`
      insert into journal (group_address, revision, instant_ms, text, hash)
      select 'aged/' || n, 1, 0, '', '' from ${copies} n`)
    await transaction.execute(
      sql`create temporary table one on commit drop as select * from reservations limit 1`,
    )
    await transaction.execute(
      sql`update one set status = 'completed', idempotency_key = null, organization_id = 'org_aged'`,
    )
    await transaction.execute(sql`
      insert into reservations select (jsonb_populate_record(one, jsonb_build_object(
        'reservation_id', 'aged-' || n, 'number', 1000000 + n))).* from one, ${copies} n`)
    await transaction.execute(sql`
      insert into webhook_bodies (event_id, event_type, reservation_id, body, created_at_ms)
      select 'aged-' || n, 'x', 'aged-' || n, '', 0 from ${copies} n`)
    await transaction.execute(sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_id, reservation_id, number)
      select 'aged-' || n, 'aged', 'aged-' || n, 'aged-' || n, 1000000 + n from ${copies} n`)
    await transaction.execute(sql`
      insert into messages (message_id, channel, purpose, recipient, sealed_text, status, attempts, due_at_ms, created_at_ms)
      select 'aged-' || n, 'sms', 'notice', '', '', 'sent', 1, 0, 0 from ${copies} n`)
    await transaction.execute(sql`
      insert into bot_reports (reservation_id, status, occurred_at_ms, received_at_ms, is_applied)
      select 'aged-' || n, 'ARRIVED', 0, 0, true from ${copies} n`)
  })
}

interface Place {
  readonly database: () => Layer.Layer<Database, DatabaseFault>
  /** The reads, after the service has stopped, or before if its database stops with it. */
  readonly fullReads: (service: RealService) => Promise<unknown>
}

const PLACES: Readonly<Record<string, Place>> = {
  PGlite: {
    database: () => layerCopiedPglite,
    fullReads: async (service) => {
      const { orm } = await service.run(Database)
      await orm.execute(sql`select pg_stat_force_next_flush()`)
      const { rows } = Object(await orm.execute(sql.raw(FULL_READS))) as { readonly rows: unknown }
      await service.close()
      return rows
    },
  },
  PostgreSQL: {
    database: () => layerPostgres(server.url),
    fullReads: async (service) => {
      // A connection reports its reads at the latest when it ends.
      await service.close()
      const client = postgres(server.url, { max: 1 })
      const found = await client.unsafe(FULL_READS)
      await client.end()
      return [...found]
    },
  },
}

test.each(Object.entries(PLACES))(
  "on %s tables that have grown are never read from end to end",
  async (_, place) => {
    const told = receiver.arrived.length
    const service = await startRealService({ database: place.database(), allowsLoopback: true })
    await keepFromCounting(service)
    service.names.set("localhost", { type: "addresses", addresses: ["127.0.0.1"] })
    const hook = { url: receiver.url, subscribed_events: ["reservation.status_changed"] }
    expect((await service.call("POST", "/rs/v1/webhooks", { body: hook })).status).toBe(201)
    for (let number = 0; number < VISITS; number += 1) await visit(service, number)
    // No more writes wait for the tables.
    await until(() => receiver.arrived.length === told + VISITS * EVENTS)
    await until(async () => (await service.run(Effect.map(RunningHost, (host) => host.callsInFlight))) === 0)
    await age(service)
    for (let number = 0; number < VISITS; number += 1) await visit(service, VISITS + number)
    await until(() => receiver.arrived.length === told + 2 * VISITS * EVENTS)
    expect(await place.fullReads(service)).toEqual([])
  },
)
