/**
 * One connection to PostgreSQL, with a client of its own, and workarounds for the driver (postgres 3.4.9). A client is
 * used for one connection only: after a loss the driver may keep part of a message or the number of rows received, and
 * would use them on its next connection (porsager/postgres issues 823, 1154, 1189, 1208). So the client of a lost
 * connection is never reused (src/DECISIONS.md §140).
 */

import { connect } from "node:net"
import type { Socket } from "node:net"
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core"
import type { PostgresType, Sql } from "postgres"
import { ormOf } from "../library-internals/drizzle.ts"
import { driverOf, nameOf, watched } from "../library-internals/postgres-driver.ts"
import type { ConnectionOptions, Host } from "../library-internals/postgres-driver.ts"
import { AWAY_RETRY_MS, CONNECT_MS_MAX } from "./bounds.ts"
import { HostOrder } from "./postgres/host-order.ts"

/** Makes statements, for either database. */
export type Orm = PgDatabase<PgQueryResultHKT>

/** The connection was lost or never opened: statements sent over it may or may not have been executed. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"
}

const LOST = "the connection was lost"

type Unsafe = Sql["unsafe"]
type Query = ReturnType<Unsafe>

/** Longer texts, mostly inserts of many rows, have too many forms to keep a plan for each. */
const PREPARED_LENGTH_MAX = 4_000

export interface ConnectionParts {
  readonly url: string
  readonly options: ConnectionOptions
  /** Called once, as soon as the driver knows of the loss; not for a connection that was ended. */
  readonly onLost: (connection: Connection, cause: Error) => void
  /** Whether this failure of a statement shows that the session cannot serve; default: none does. */
  readonly isUnfitBy?: (cause: unknown) => boolean
  /** Called at each such failure. */
  readonly onUnfit?: (connection: Connection) => void
  /** True: a standby is passed over, and the next host is tried. */
  readonly needsPrimary?: boolean
  /** Shared with the other connections of the node. */
  readonly order?: HostOrder
}

export class Connection {
  readonly client: Sql
  readonly orm: Orm
  readonly openedAtMs = performance.now()
  readonly #driver: Sql
  readonly #hosts: Host[]
  /** Functions that fail the statements waiting for an answer. */
  readonly #unanswered = new Set<(cause: unknown) => void>()
  #lostBy: Error | null = null
  #lastDataAtMs = performance.now()
  #socket: Socket | null = null
  #heardAtMs = -Infinity
  #host: Host | null = null
  #hasServed = false
  #isUnfit = false
  readonly #onLost: ConnectionParts["onLost"]
  readonly #isUnfitBy: (cause: unknown) => boolean
  readonly #onUnfit: (connection: Connection) => void
  readonly #order: HostOrder

  constructor(given: ConnectionParts) {
    const { url, options, onLost, needsPrimary = false, order = new HostOrder() } = given
    this.#onLost = onLost
    this.#isUnfitBy = given.isUnfitBy ?? (() => false)
    this.#onUnfit = given.onUnfit ?? (() => undefined)
    this.#order = order
    const parts = {
      ...options,
      ...(needsPrimary ? { target_session_attrs: "primary" as const } : {}),
      // The driver reads the array types of every new connection and ends the process when that read fails.
      fetch_types: false,
      types: { ...options.types, ...ARRAY_TYPES },
      connect_timeout: CONNECT_MS_MAX / 1_000,
      // The driver would close a connection of that age in the middle of a transaction.
      max_lifetime: null,
      onclose: () => this.lose(new ConnectionLost(LOST)),
    }
    const { driver, hosts } = driverOf(url, parts, () => this.#connected())
    this.#driver = driver
    this.#hosts = order.sorted(hosts)
    this.client = new Proxy(driver, {
      get: (target, name) => (name === "unsafe" ? this.#unsafe : (Reflect.get(target, name) as unknown)),
    })
    this.orm = ormOf(this.client)
  }

  /** Statements that were sent and not answered yet. */
  get inFlight(): number {
    return this.#unanswered.size
  }

  get isLost(): boolean {
    return this.#lostBy !== null
  }

  /** True when nothing more should be sent over it, because its session cannot serve. */
  get isUnfit(): boolean {
    return this.#isUnfit
  }

  /** Where it is connected; null before. */
  get hostName(): string | null {
    return this.#host === null ? null : nameOf(this.#host)
  }

  /** When the server last sent something, by `performance.now()`. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** For a connection whose session is not to be used any longer, although no statement has failed on it. */
  markUnfit(): void {
    this.#isUnfit = true
  }

  /** How long it has waited for an answer without receiving data; 0 when it waits for none. */
  get silentMs(): number {
    return this.inFlight === 0 ? 0 : performance.now() - this.#lastDataAtMs
  }

  /** Fails every statement that waits for an answer, and closes the socket. */
  lose(cause: Error): void {
    if (this.#lostBy !== null) return
    this.#lostBy = cause
    if (!this.#hasServed && this.#host !== null) this.#order.putLast(this.#host)
    // Before the driver fails them without the cause.
    for (const fail of this.#unanswered) fail(cause)
    this.#socket?.destroy()
    this.#endDriver(0).catch(() => undefined)
    this.#onLost(this, cause)
  }

  /** Closes it when its statements are answered, or after this many seconds. */
  async end({ timeout }: { readonly timeout: number }): Promise<void> {
    this.#lostBy ??= new ConnectionLost("the connection has been closed")
    await this.#endDriver(timeout)
    this.#socket?.destroy()
  }

  /**
   * Ends the driver and fails the statements it has not answered. When a connection cannot be opened, the driver drops the
   * statements in its queue without settling their promises.
   */
  async #endDriver(timeout: number): Promise<void> {
    await this.#driver.end({ timeout })
    for (const fail of this.#unanswered) fail(this.#lostBy)
  }

  /**
   * Prepares statements with values: one round trip instead of two, because drizzle sends every query unprepared and
   * the driver then asks the server for its types each time.
   */
  readonly #unsafe = (
    text: string,
    values?: Parameters<Unsafe>[1],
    options?: Parameters<Unsafe>[2],
  ): Query => {
    const prepare = (values?.length ?? 0) > 0 && text.length <= PREPARED_LENGTH_MAX
    // Sent without waiting for `then`, so that statements are sent in the order in which they are made.
    return this.#watched(this.#driver.unsafe(text, values, { ...options, prepare }).execute())
  }

  #watched(query: Query): Query {
    if (this.inFlight === 0) this.#lastDataAtMs = performance.now()
    const fail = watched(query, ({ failedBy }) => {
      this.#unanswered.delete(fail)
      this.#lastDataAtMs = performance.now()
      if (failedBy === undefined) this.#hasServed = true
      else if (this.#isUnfitBy(failedBy)) this.#failedUnfit()
    })
    this.#unanswered.add(fail)
    return query
  }

  /** A new session is given some time, so that a server whose sessions are all unfit is not flooded with connections. */
  #failedUnfit(): void {
    if (performance.now() - this.openedAtMs >= AWAY_RETRY_MS) this.#isUnfit = true
    this.#onUnfit(this)
  }

  /** The driver requests a socket when it connects. It is kept here, so that a lost connection is closed at once. */
  async #connected(): Promise<Socket> {
    let failure: unknown = new ConnectionLost("no host of the database takes writes")
    // The driver requests the next host when one is a standby, or ends the connection before it is ready.
    if (this.#host !== null) this.#order.putLast(this.#host)
    for (let host = this.#hosts.shift(); host !== undefined && !this.isLost; host = this.#hosts.shift()) {
      try {
        this.#socket = connect({ ...host, timeout: CONNECT_MS_MAX })
        await opened(this.#socket)
        this.#host = host
        this.#socket.on("data", () => (this.#lastDataAtMs = this.#heardAtMs = performance.now()))
        joinWrites(this.#socket)
        // The driver checks the server's certificate against this name.
        return Object.assign(this.#socket, { host: host.host })
      } catch (cause) {
        this.#order.putLast(host)
        failure = cause
      }
    }
    // Deferred so that the driver is notified first: its reason for the failed connection is more specific.
    queueMicrotask(() => this.lose(new ConnectionLost(LOST, { cause: failure })))
    throw failure
  }
}

/**
 * Sends the statements of one moment as one packet, because each write costs a call to the system and another to the server.
 * The driver writes statements as soon as they fill its buffer and the rest in the check phase (`setImmediate`), so a full
 * buffer waits here for that phase. Without effect over TLS, whose socket writes past this one.
 */
function joinWrites(socket: Socket): void {
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean
  const uncork = (): void => {
    if (socket.writableCorked > 0) socket.uncork()
  }
  socket.write = (...parts: unknown[]) => {
    const [bytes] = parts
    const isFull = Buffer.isBuffer(bytes) && bytes.length >= DRIVER_BUFFER_BYTES
    if (isFull && socket.writableCorked === 0) {
      socket.cork()
      // After the driver's own immediate, which it sets once the pending promises have run.
      process.nextTick(() => setImmediate(uncork))
    }
    const hasRoom = write(...parts)
    if (!isFull) uncork()
    return hasRoom
  }
}

/** At this size the driver writes its buffer at once. Source: `write` in its connection.js. */
const DRIVER_BUFFER_BYTES = 1_024

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      socket.destroy()
      reject(cause)
    }
    const closed = (): void => reject(new ConnectionLost(LOST))
    socket.once("error", failed)
    socket.once("close", closed)
    socket.once("timeout", () => failed(new ConnectionLost(`nothing answers after ${CONNECT_MS_MAX} ms`)))
    socket.once("connect", () => {
      socket.setTimeout(0)
      socket.off("error", failed)
      socket.off("close", closed)
      resolve()
    })
  })
}

/**
 * Encodings of lists as parameters, which the driver would learn from the server's types. A result never contains one.
 * Source: PostgreSQL's pg_type: text[], bigint[].
 */
const ARRAY_TYPES: Record<string, PostgresType> = {
  lists: { to: 1009, from: [], serialize: written, parse: (text: string) => text },
  longLists: { to: 1016, from: [], serialize: written, parse: (text: string) => text },
}

function written(list: readonly (string | number | null)[] | string): string {
  if (typeof list === "string") return list
  const quoted = list.map((one) =>
    one === null ? "null" : `"${String(one).replaceAll(/["\\]/g, (found) => `\\${found}`)}"`,
  )
  return `{${quoted.join(",")}}`
}
