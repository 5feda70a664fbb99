/**
 * Checks whether the PostgreSQL server responds, and whether it takes writes. A statement may take long while the server
 * is well, so silence alone proves nothing: after a second of it, or after a failed connection, a new connection sends a
 * query. One slow connection proves nothing either, because a starved server still works. So the server counts as away
 * only if a second new connection fails too, and no open connection has received anything meanwhile. Then every
 * connection is dropped, statements fail at once, and the server is tried again until it responds. So a request ends
 * within seconds when the server hangs or its packets are lost, and no restart is needed.
 *
 * While only standbys respond, reads go on there and writes fail at once, until a primary responds.
 */

import {
  AWAY_RETRY_MS,
  CONNECT_MS_MAX,
  DEAD_CONNECTION_MS,
  SILENT_MS_MAX,
  WATCH_EVERY_MS,
} from "../bounds.ts"
import { Connection, ConnectionLost } from "../connection.ts"
import { HostOrder } from "./host-order.ts"
import type { ConnectionOptions } from "../../library-internals/postgres-driver.ts"
import { isSqlState } from "../outages.ts"

export interface ServerWatchOptions {
  readonly url: string
  readonly options: ConnectionOptions
}

/** Where the last new connection arrived. */
interface Found {
  readonly isStandby: boolean
  readonly hostName: string | null
}

export class ServerWatch {
  /** For every connection of the node. */
  readonly order = new HostOrder()
  readonly #options: ServerWatchOptions
  readonly #connections = new Set<Connection>()
  readonly #listeners: ((cause: Error) => void)[] = []
  #timer: NodeJS.Timeout | null = null
  #awayBy: Error | null = null
  #isReadOnly = false
  #isAsking = false
  #askedAtMs = -Infinity

  constructor(options: ServerWatchOptions) {
    this.#options = options
  }

  /** Starts the checks after the migrations, which may take long. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), WATCH_EVERY_MS)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Throws while the server is away. */
  check(): void {
    if (this.#awayBy !== null) throw new ConnectionLost("the database is away", { cause: this.#awayBy })
  }

  /** True while only standbys respond. */
  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  /** Throws when no writing transaction can be opened. */
  checkWrites(): void {
    this.check()
    if (this.#isReadOnly) throw new ConnectionLost(NO_PRIMARY)
  }

  add(connection: Connection): void {
    this.#connections.add(connection)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  onLost(connection: Connection, cause: Error): void {
    this.#connections.delete(connection)
    // The loss of an open connection proves little, because an administrator may end one. A connection that cannot be
    // opened proves more.
    if (cause.cause !== undefined) this.#askSoon()
  }

  /** A session has shown that it cannot serve: the server may have become a standby. */
  onUnfit(): void {
    this.#askSoon()
  }

  /** Registers a listener for when the server is found to be away. */
  whenAway(listener: (cause: Error) => void): void {
    this.#listeners.push(listener)
  }

  #askSoon(): void {
    const isDue = performance.now() - this.#askedAtMs >= AWAY_RETRY_MS
    if (this.#timer !== null && isDue) this.#ask()
  }

  #look(): void {
    for (const connection of this.#connections) {
      if (connection.silentMs > DEAD_CONNECTION_MS)
        connection.lose(new ConnectionLost("the connection is dead"))
    }
    const isSilent = [...this.#connections].some(({ silentMs }) => silentMs > SILENT_MS_MAX)
    const isWell = this.#awayBy === null && !this.#isReadOnly
    const pauseMs = isWell ? SILENT_MS_MAX : AWAY_RETRY_MS
    if ((isSilent || !isWell) && performance.now() - this.#askedAtMs >= pauseMs) this.#ask()
  }

  #ask(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#askedAtMs = performance.now()
    this.#found(this.#askedAtMs)
      .then(
        (found) => this.#onFound(found),
        (cause: unknown) => this.#onFailure(cause),
      )
      .finally(() => (this.#isAsking = false))
  }

  /** Rejects when the server is away; null when it responds without a new connection. */
  async #found(sinceMs: number): Promise<Found | null> {
    try {
      return await this.#answer({ needsPrimary: true })
    } catch (first) {
      if (isAnswer(first)) return null
      try {
        return await this.#answer({ needsPrimary: false })
      } catch (second) {
        if (isAnswer(second) || this.#hasHeardSince(sinceMs)) return null
        throw second
      }
    }
  }

  #hasHeardSince(sinceMs: number): boolean {
    return [...this.#connections].some(({ heardAtMs }) => heardAtMs > sinceMs)
  }

  async #answer({ needsPrimary }: { readonly needsPrimary: boolean }): Promise<Found> {
    const { order } = this
    const connection = new Connection({ ...this.#options, order, needsPrimary, onLost: () => undefined })
    const late = lateTimer(() =>
      connection.lose(new ConnectionLost(`nothing answers after ${CONNECT_MS_MAX} ms`)),
    )
    try {
      const [row] = await connection.client.unsafe("select pg_is_in_recovery() as standby")
      return { isStandby: row?.["standby"] === true, hostName: connection.hostName }
    } finally {
      late.clear()
      connection.end({ timeout: 0 }).catch(() => undefined)
    }
  }

  #onFound(found: Found | null): void {
    this.#awayBy = null
    if (found === null) return
    const isOther = found.isStandby !== this.#isReadOnly
    this.#isReadOnly = found.isStandby
    for (const connection of this.#connections) {
      const isElsewhere = connection.hostName !== null && connection.hostName !== found.hostName
      if (isOther || isElsewhere) connection.markUnfit()
      // Its host has failed: another one has answered in its place.
      if (isElsewhere && connection.silentMs > SILENT_MS_MAX) connection.lose(new ConnectionLost(FAILED_OVER))
    }
    if (!isOther || !found.isStandby) return
    for (const listener of this.#listeners) listener(new ConnectionLost(NO_PRIMARY))
  }

  #onFailure(cause: unknown): void {
    if (this.#timer === null) return
    this.#awayBy = cause instanceof Error ? cause : new Error(String(cause))
    const away = new ConnectionLost("the database is away", { cause: this.#awayBy })
    for (const connection of this.#connections) connection.lose(away)
    for (const listener of this.#listeners) listener(away)
  }
}

const NO_PRIMARY = "no host of the database takes writes"
const FAILED_OVER = "the connection's host does not answer, and another one does"

/** A server that refuses one more connection responds, unless it reports that it starts or stops. */
function isAnswer(cause: unknown): boolean {
  const code = (cause as { readonly code?: unknown } | null)?.code
  return isSqlState(code) && !code.startsWith("57P") && !code.startsWith("08")
}

/** A timer that was itself late means that this thread was busy, not that the server was silent: it waits again. */
function lateTimer(onLate: () => void): { readonly clear: () => void } {
  let timer: NodeJS.Timeout
  const begin = (): void => {
    const dueMs = performance.now() + CONNECT_MS_MAX
    timer = setTimeout(
      () => (performance.now() - dueMs > SILENT_MS_MAX / 4 ? begin() : onLate()),
      CONNECT_MS_MAX,
    )
    timer.unref()
  }
  begin()
  return { clear: () => clearTimeout(timer) }
}
