/**
 * Checks whether the PostgreSQL server responds. A statement may take long while the server is well, so silence alone
 * proves nothing: after a second of it, or after a failed connection, a new connection sends a query. If that fails
 * too, the server counts as away: every connection is dropped, statements fail at once, and the server is tried again
 * until it responds. So a request ends within seconds when the server hangs or its packets are lost, and no restart is
 * needed.
 */

import { AWAY_RETRY_MS, CONNECT_MS_MAX, DEAD_CONNECTION_MS, SILENT_MS_MAX, WATCH_EVERY_MS } from "./bounds.ts"
import { Connection, ConnectionLost } from "./connection.ts"
import type { ConnectionOptions } from "../library-internals/postgres-driver.ts"
import { isSqlState } from "./outages.ts"

export interface ServerWatchOptions {
  readonly url: string
  readonly options: ConnectionOptions
}

export class ServerWatch {
  readonly #options: ServerWatchOptions
  readonly #connections = new Set<Connection>()
  readonly #listeners: ((cause: Error) => void)[] = []
  #timer: NodeJS.Timeout | null = null
  #awayBy: Error | null = null
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
    if (cause.cause !== undefined && this.#timer !== null) this.#ask()
  }

  /** Registers a listener for when the server is found to be away. */
  whenAway(listener: (cause: Error) => void): void {
    this.#listeners.push(listener)
  }

  #look(): void {
    for (const connection of this.#connections) {
      if (connection.silentMs > DEAD_CONNECTION_MS)
        connection.lose(new ConnectionLost("the connection is dead"))
    }
    const isSilent = [...this.#connections].some(({ silentMs }) => silentMs > SILENT_MS_MAX)
    const pauseMs = this.#awayBy === null ? SILENT_MS_MAX : AWAY_RETRY_MS
    if ((isSilent || this.#awayBy !== null) && performance.now() - this.#askedAtMs >= pauseMs) this.#ask()
  }

  #ask(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#askedAtMs = performance.now()
    this.#answer()
      .then(
        () => (this.#awayBy = null),
        (cause: unknown) => this.#onFailure(cause),
      )
      .finally(() => (this.#isAsking = false))
  }

  async #answer(): Promise<void> {
    const connection = new Connection({ ...this.#options, onLost: () => undefined })
    const late = lateTimer(() =>
      connection.lose(new ConnectionLost(`nothing answers after ${CONNECT_MS_MAX} ms`)),
    )
    try {
      await connection.client.unsafe("select 1")
    } finally {
      late.clear()
      connection.end({ timeout: 0 }).catch(() => undefined)
    }
  }

  #onFailure(cause: unknown): void {
    if (isAnswer(cause) || this.#timer === null) return
    this.#awayBy = cause instanceof Error ? cause : new Error(String(cause))
    const away = new ConnectionLost("the database is away", { cause: this.#awayBy })
    for (const connection of this.#connections) connection.lose(away)
    for (const listener of this.#listeners) listener(away)
  }
}

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
