/**
 * The hand-written contestants: Fastify handlers that write the same rows as the service does, each command in one
 * postgres.js transaction: key and rate in one statement, groups, mailbox, journal, reservation, report, stay, webhook body and
 * delivery, then the webhook's POST and the rows of its result. The states are copies of ones that the service wrote, so that
 * as many bytes go to the database. Texts of `plain` are copies too, and nothing is computed; `fair` checks requests and
 * computes texts (`api-fair.ts`).
 */

/* oxlint-disable oxc/no-async-endpoint-handlers -- these are Fastify's handlers, which may be async */

import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto"
import { request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import Fastify from "fastify"
import type { FastifyRequest } from "fastify"
import postgres from "postgres"
import type { Sql, TransactionSql } from "postgres"
import { sealingKeyOf } from "../../src/live/configuration/sealing-key.ts"
import { SCHEMAS, without, workOf } from "./api-fair.ts"
import type { Work } from "./api-fair.ts"

type Row = Record<string, unknown>

/** Rows of one reservation after its booking and after its bot has arrived, every webhook delivered. */
export interface Template {
  readonly booked: Snapshot
  readonly arrived: Snapshot
  readonly endpoint: Row
}

export interface ServerOrder {
  readonly contestant: "fair" | "ours" | "plain"
  readonly databaseUrl: string
  readonly hookUrl: string
  readonly zones: number
  /** For the hand-written ones: rows as ours wrote them, and the catalog that they know. */
  readonly template: Template | null
  readonly told: ServerMessage | null
}

export interface ServerMessage {
  readonly port: number
  readonly key: string
  readonly zones: readonly string[]
  readonly retailerId: string
}

/** Microseconds of processor time: of the process, of its main thread and of the threads that it has started. */
export interface CpuTimes {
  readonly all: number
  readonly main: number
  readonly calls: number
}

/** Of the service. */
export const SECRET = "the secret of a benchmark, of enough characters"

export interface Snapshot {
  readonly group: Row
  readonly mailbox: readonly Row[]
  readonly journal: readonly Row[]
  readonly reservation: Row
  /** Of a bot at the stall; of another, nothing. */
  readonly stay: Row
  readonly body: Row
  readonly delivery: Row
  readonly deliveryGroup: Row
  readonly deliveryJournal: readonly Row[]
}

/** Reads a template from the service's own database. The latest event of the reservation is the snapshot's. */
export async function snapshotOf(sql: Sql, reservationId: string): Promise<Snapshot> {
  const address = `reservation/${reservationId}`
  const one = async (rows: Promise<readonly Row[]>): Promise<Row> => {
    const [row] = await rows
    if (row === undefined) throw new Error("a row of the template is missing")
    return row
  }
  const body = await one(
    sql`select * from webhook_bodies where reservation_id = ${reservationId} order by event_id desc limit 1`,
  )
  const delivery = await one(
    sql`select * from webhook_deliveries where event_id = ${String(body["event_id"])}`,
  )
  const deliveryAddress = `webhook-delivery/${String(delivery["delivery_id"])}`
  return {
    group: await one(sql`select * from groups where address = ${address}`),
    mailbox: await sql`select * from mailbox where group_address = ${address} order by id`,
    journal: await sql`select * from journal where group_address = ${address} order by revision desc limit 1`,
    reservation: await one(sql`select * from reservations where reservation_id = ${reservationId}`),
    stay: (await sql`select * from stall_sessions where session_id = ${address}`)[0] ?? {},
    body,
    delivery,
    deliveryGroup: await one(sql`select * from groups where address = ${deliveryAddress}`),
    deliveryJournal:
      await sql`select * from journal where group_address = ${deliveryAddress} order by revision`,
  }
}

const RATE_WINDOW_MS = 60_000
const REQUEST_MS_MAX = 30_000

export async function startPlain({ contestant, databaseUrl, hookUrl, template, told }: ServerOrder) {
  if (template === null || told === null) throw new Error("a hand-written handler needs a template")
  const isFair = contestant === "fair"
  const sql = postgres(databaseUrl, { max: 20, types: { bigint: postgres.BigInt } })
  const app = Fastify(isFair ? { requestTimeout: REQUEST_MS_MAX } : {})
  const plain = new Plain(sql, { template, hookUrl, work: isFair ? workOf(sealingKeyOf(SECRET)) : null })
  const [toCreate, toReport] = isFair ? [{ schema: SCHEMAS.create }, { schema: SCHEMAS.report }] : [{}, {}]
  app.post<{ Body: Row }>("/rs/v1/reservations", toCreate, async (request, reply) => {
    await plain.admit(request, "requests")
    return reply.code(201).send(await plain.create(request.body))
  })
  app.post<{ Body: Row; Params: { id: string } }>(
    "/rs/v1/reservations/:id/bot",
    toReport,
    async (request) => {
      await plain.admit(request, "bot-reports")
      return plain.report(request.params.id, request.body)
    },
  )
  app.get<{ Params: { id: string } }>("/rs/v1/reservations/:id", async (request) => {
    await plain.admit(request, "requests")
    return plain.read(request.params.id)
  })
  await app.listen({ host: "127.0.0.1", port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    told: { ...told, port } satisfies ServerMessage,
    close: async () => {
      await app.close()
      await sql.end()
    },
  }
}

interface PlainParts {
  readonly template: Template
  readonly hookUrl: string
  /** Null: nothing is computed. */
  readonly work: Work | null
}

class Plain {
  readonly #sql: Sql<{ bigint: bigint }>
  readonly #template: Template
  readonly #hookUrl: string
  readonly #work: Work | null

  constructor(sql: Sql<{ bigint: bigint }>, { template, hookUrl, work }: PlainParts) {
    this.#sql = sql
    this.#template = template
    this.#hookUrl = hookUrl
    this.#work = work
  }

  /** Who asks and how often, in one statement. */
  async admit(request: FastifyRequest, budget: string): Promise<void> {
    const value = (request.headers.authorization ?? "").slice("Bearer ".length)
    const hash = createHash("sha256").update(value).digest("hex")
    const startsAtMs = Date.now() - (Date.now() % RATE_WINDOW_MS)
    const [row] = await this.#sql<{ count: number }[]>`
      with holder as (
        select k.organization_id from api_keys k join organizations o using (organization_id)
        where k.hash = ${hash} and k.revoked_at_ms is null and o.is_active and o.is_fleet_partner
      )
      insert into request_counts as c (bucket, starts_at_ms, count)
      select 'production/' || organization_id || '/' || ${budget}, ${startsAtMs}, 1 from holder
      on conflict (bucket) do update set
        count = case when c.starts_at_ms = excluded.starts_at_ms then c.count + 1 else 1 end,
        starts_at_ms = excluded.starts_at_ms
      returning count`
    if (row === undefined) throw new Error("401")
  }

  async create(body: Row): Promise<object> {
    const { booked } = this.#template
    const reservationId = `res_${randomBytes(11).toString("hex")}`
    const startsAtMs = Date.parse(String(body["arrival_window_start"]))
    const endsAtMs = Date.parse(String(body["arrival_window_end"]))
    const zone = String(body["zone_id"])
    const deliveryId = randomUUID()
    await this.#work?.checkHost(String(body["open_link_url"]))
    let sent: Outgoing | null = null
    const row = await this.#sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`zone ${zone}`}, 0))`
      const [stalls, loads, grants, endpoints] = await Promise.all([
        tx`select stall_id, label from stalls where environment = 'production' and zone_id = ${zone} and is_active`,
        tx`select stall_id, count(*)::int as open from reservations where environment = 'production' and zone_id = ${zone}
          and status not in ('completed', 'canceled') and starts_at_ms < ${endsAtMs} and ends_at_ms > ${startsAtMs}
          group by stall_id`,
        tx`select 1 from grants where environment = 'production' and zone_id = ${zone}
          and retailer_id = ${String(body["retailer_id"])}`,
        tx`select webhook_id, subscribed_events, secret from webhook_endpoints where is_active
          and organization_id = ${String(booked.reservation["organization_id"])}`,
      ])
      if (grants.length === 0 || endpoints.length === 0) throw new Error("422")
      const openBy = new Map(loads.map((load) => [load["stall_id"], Number(load["open"])]))
      const [stall] = stalls.toSorted(
        (a, b) => (openBy.get(a["stall_id"]) ?? 0) - (openBy.get(b["stall_id"]) ?? 0),
      )
      const made: Row = {
        ...without(booked.reservation, "number"),
        reservation_id: reservationId,
        zone_id: zone,
        retailer_id: body["retailer_id"],
        stall_id: stall?.["stall_id"],
        stall_label: stall?.["label"],
        order_number: body["order_number"],
        end_user_name: body["end_user_name"],
        end_user_phone: body["end_user_phone"],
        starts_at_ms: startsAtMs,
        ends_at_ms: endsAtMs,
        created_at_ms: Date.now(),
        updated_at_ms: Date.now(),
        ...(this.#work === null ? {} : { comparison: this.#work.comparison(body) }),
      }
      sent = this.#outgoingOf(booked, { deliveryId, made, bot: null, endpoint: endpoints[0] })
      const address = `reservation/${reservationId}`
      await Promise.all([
        tx`insert into groups ${tx([{ ...booked.group, address }, ...this.#deliveryGroup(booked, deliveryId)] as never)}`,
        tx`insert into mailbox ${tx([...mailboxOf(booked, address), leaseOf(booked, deliveryId)] as never)}`,
        tx`insert into journal ${tx([...this.#journalOf(booked.journal, address), ...this.#deliveryStart(booked, deliveryId)] as never)}`,
        tx`insert into reservations ${tx(made as never)}`,
        ...this.#outgoing(tx, { snapshot: booked, reservationId, sent }),
      ])
      return made
    })
    if (sent !== null) void this.#send(booked, sent)
    return { success: true, data: { reservation: recordOf(row, null) } }
  }

  async report(reservationId: string, body: Row): Promise<object> {
    const { arrived } = this.#template
    const address = `reservation/${reservationId}`
    const deliveryId = randomUUID()
    let sent: Outgoing | null = null
    const row = await this.#sql.begin(async (tx) => {
      const [groups, , rows, endpoints] = await Promise.all([
        tx`select * from groups where address = ${address} for update`,
        tx`select * from mailbox where group_address = ${address} order by id`,
        tx`select * from reservations where reservation_id = ${reservationId}`,
        tx`select webhook_id, subscribed_events, secret from webhook_endpoints where is_active
          and organization_id = ${String(arrived.reservation["organization_id"])}`,
      ])
      if (groups.length === 0 || rows[0] === undefined) throw new Error("404")
      const { revision, instant_ms, occurred_us, head, actors } = arrived.group
      const made = { ...rows[0], status: "arrived" }
      sent = this.#outgoingOf(arrived, { deliveryId, made, bot: "ARRIVED", endpoint: endpoints[0] })
      await Promise.all([
        tx`update groups set ${tx({ revision, instant_ms, occurred_us, head, actors } as never)} where address = ${address}`,
        tx`update reservations set status = 'arrived', bot_label = ${textOf(body["label"])},
          updated_at_ms = ${Date.now()} where reservation_id = ${reservationId}`,
        tx`insert into bot_reports ${tx({
          reservation_id: reservationId,
          status: textOf(body["status"]),
          label: textOf(body["label"]),
          reason: null,
          occurred_at_ms: Date.now(),
          received_at_ms: Date.now(),
          is_applied: true,
        })}`,
        tx`insert into stall_sessions ${tx({ ...arrived.stay, session_id: address, starts_at_ms: Date.now() } as never)}`,
        tx`insert into groups ${tx(this.#deliveryGroup(arrived, deliveryId) as never)}`,
        tx`insert into mailbox ${tx([leaseOf(arrived, deliveryId)] as never)}`,
        tx`insert into journal ${tx([...this.#journalOf(arrived.journal, address), ...this.#deliveryStart(arrived, deliveryId)] as never)}`,
        ...this.#outgoing(tx, { snapshot: arrived, reservationId, sent }),
      ])
      return rows[0]
    })
    if (sent !== null) void this.#send(arrived, sent)
    return { success: true, data: { reservation: recordOf({ ...row, status: "arrived" }, "ARRIVED") } }
  }

  /** Row and state in one statement. */
  async read(reservationId: string): Promise<object> {
    const [row] = await this.#sql`
      select r.*, g.actors, g.revision from reservations r
      join groups g on g.address = 'reservation/' || r.reservation_id where r.reservation_id = ${reservationId}`
    if (row === undefined) throw new Error("404")
    return { success: true, data: { reservation: recordOf(row, "ARRIVED") } }
  }

  #deliveryGroup(snapshot: Snapshot, deliveryId: string): readonly Row[] {
    return [{ ...snapshot.deliveryGroup, address: `webhook-delivery/${deliveryId}`, is_settled: false }]
  }

  #deliveryStart(snapshot: Snapshot, deliveryId: string): readonly Row[] {
    return this.#journalOf(snapshot.deliveryJournal.slice(0, 1), `webhook-delivery/${deliveryId}`)
  }

  #journalOf(rows: readonly Row[], address: string): readonly Row[] {
    return this.#work === null ? journalOf(rows, address) : this.#work.journal(rows, address)
  }

  #outgoingOf(snapshot: Snapshot, { deliveryId, made, bot, endpoint }: Announced): Outgoing {
    const body = String(snapshot.body["body"])
    if (this.#work === null) return { deliveryId, body, secret: "secret" }
    const secret = this.#work.secret(String(endpoint?.["secret"]))
    return { deliveryId, body: this.#work.event(body, recordOf(made, bot)), secret }
  }

  #outgoing(
    tx: TransactionSql<{ bigint: bigint }>,
    { snapshot, reservationId, sent }: { snapshot: Snapshot; reservationId: string; sent: Outgoing },
  ) {
    const event_id = `evt_${sent.deliveryId}`
    const body = { ...snapshot.body, event_id, reservation_id: reservationId, body: sent.body }
    const delivery = {
      ...snapshot.delivery,
      delivery_id: sent.deliveryId,
      event_id,
      reservation_id: reservationId,
    }
    return [
      tx`insert into webhook_bodies ${tx(body as never)}`,
      tx`insert into webhook_deliveries ${tx(delivery as never)}`,
    ]
  }

  /** After the commit: the POST over a connection of its own, then the rows of its result. */
  async #send(snapshot: Snapshot, { deliveryId, body, secret }: Outgoing): Promise<void> {
    await this.#work?.checkHost(this.#hookUrl)
    const seconds = Math.floor(Date.now() / 1000)
    const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
    await new Promise<void>((resolve, reject) => {
      const outgoing = httpRequest(this.#hookUrl, {
        method: "POST",
        agent: false,
        headers: {
          "Content-Length": Buffer.byteLength(body),
          "Content-Type": "application/json",
          "X-Service-Signature": `t=${seconds},v1=${signature}`,
          "X-Service-Delivery-Id": deliveryId,
        },
      })
      outgoing.on("response", (response) => response.resume().on("end", () => resolve()))
      outgoing.on("error", reject)
      outgoing.end(body)
    })
    const address = `webhook-delivery/${deliveryId}`
    const { revision, instant_ms, occurred_us, head, actors } = snapshot.deliveryGroup
    await this.#sql.begin(async (tx) => {
      await tx`select * from groups where address = ${address} for update`
      await Promise.all([
        tx`update groups set ${tx({ revision, instant_ms, occurred_us, head, actors, is_settled: true } as never)}
          where address = ${address}`,
        tx`delete from mailbox where group_address = ${address}`,
        tx`insert into journal ${tx(this.#journalOf(snapshot.deliveryJournal.slice(1), address) as never)}`,
      ])
    })
  }
}

interface Announced {
  readonly deliveryId: string
  readonly made: Row
  readonly bot: string | null
  readonly endpoint: Row | undefined
}

interface Outgoing {
  readonly deliveryId: string
  readonly body: string
  readonly secret: string
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function journalOf(rows: readonly Row[], address: string): readonly Row[] {
  return rows.map((row) => ({ ...without(row, "position"), group_address: address }))
}

function mailboxOf({ mailbox }: Snapshot, address: string): readonly Row[] {
  return mailbox.map((row) => ({ ...without(row, "id"), group_address: address }))
}

/** A delivery's lease timer is gone once it was delivered: it looks like any timer. */
function leaseOf({ mailbox }: Snapshot, deliveryId: string): Row {
  const address = `webhook-delivery/${deliveryId}`
  return {
    ...without(mailbox[0] ?? {}, "id"),
    group_address: address,
    to_address: address,
    key: `${address} lease`,
  }
}

function recordOf(row: Row, bot: string | null): object {
  const iso = (ms: unknown): string => new Date(Number(ms)).toISOString()
  return {
    reservation_id: row["reservation_id"],
    status: row["status"],
    zone_id: row["zone_id"],
    stall_id: row["stall_id"],
    stall_label: row["stall_label"],
    retailer_id: row["retailer_id"],
    order_number: row["order_number"],
    end_user_name: row["end_user_name"],
    end_user_phone: row["end_user_phone"],
    arrival_window_start: iso(row["starts_at_ms"]),
    arrival_window_end: iso(row["ends_at_ms"]),
    open_link_url: row["open_link_url"],
    canceled_by: null,
    cancel_reason: row["cancel_reason"],
    retailer_pickup_ref: row["retailer_pickup_ref"],
    payload_limit: row["payload_limit"],
    bot:
      bot === null ? null : { status: bot, label: row["bot_label"], eta: null, asserted_at: iso(Date.now()) },
    handoff: { status: "QUEUED", task_started_at: null, load_photo_url: null, load_photo_skipped: null },
    created_at: iso(row["created_at_ms"]),
    updated_at: iso(row["updated_at_ms"]),
  }
}
