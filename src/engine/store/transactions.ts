/**
 * Transactions on PostgreSQL, each on a connection of its own for its duration. The driver's own `begin` (postgres
 * 3.4.9) is not used: when the server ends a connection during it, the driver writes to the lost socket outside any
 * promise, which ends the process (porsager/postgres issues 1154 and 1208), or runs the rest of the transaction on the
 * next connection, outside of any (pull request 1155). A `Connection` knows when it is lost; and on these connections
 * everything outside an explicit `begin read write` is read-only, so that a stray statement changes nothing
 * (src/DECISIONS.md §140).
 */

import type { PgTransactionConfig } from "drizzle-orm/pg-core"
import { CONNECTION_LIFE_MS_MAX } from "./bounds.ts"
import { Connection, ConnectionLost } from "./connection.ts"
import type { ConnectionOptions } from "../library-internals/postgres-driver.ts"
import type { Orm } from "./connection.ts"
import { isUnfitSession } from "./outages.ts"
import type { ServerWatch } from "./postgres/server-watch.ts"

export interface TransactionsOptions {
  readonly url: string
  /** For every connection. */
  readonly options: ConnectionOptions
  /** Concurrent transactions; further ones wait. */
  readonly connectionsMax: number
  readonly watch: ServerWatch
}

interface Place {
  readonly connection: Connection
  /** Called when the connection is lost: a body that waits for something else would never end. */
  onLoss: (cause: Error) => void
}

interface Waiting {
  readonly resolve: (place: Place) => void
  readonly reject: (cause: Error) => void
}

export class Transactions {
  readonly #options: TransactionsOptions
  readonly #places = new Set<Place>()
  /** The most recently used one is used next, because its statements are prepared. */
  readonly #free: Place[] = []
  /**
   * Transactions that wait for a connection: at most one for each request or batch in flight, whose numbers are bounded
   * elsewhere.
   */
  readonly #waiting: Waiting[] = []
  #hasEnded = false

  constructor(options: TransactionsOptions) {
    this.#options = options
    // A waiting transaction would only find the same server away.
    options.watch.whenAway((cause) => {
      for (const { reject } of this.#waiting.splice(0)) reject(cause)
    })
  }

  /**
   * Commits when the body succeeds, and rolls back when it fails. The body begins before `begin` is answered, so its
   * first statements share the round trip. The commit is sent after the last single statements without waiting for
   * them: if one of them failed, the server rolls back, and the commit fails.
   */
  async run<A>(body: (orm: Orm) => Promise<A>, config?: PgTransactionConfig): Promise<A> {
    const place = await this.#take(config)
    try {
      const begun = place.connection.client.unsafe(beginning(config)).execute()
      let beginFailure: unknown = null
      begun.catch((cause: unknown) => {
        beginFailure = cause
      })
      try {
        const value = await unlessLost(place, body(place.connection.orm))
        await begun
        await commit(place)
        return value
      } catch (cause) {
        await rollback(place)
        // The reason for the failed connection is more specific than its loss.
        throw place.connection.isLost && beginFailure !== null ? beginFailure : cause
      }
    } finally {
      this.#giveBack(place)
    }
  }

  /** Ends every connection; after this many seconds also those of open transactions. */
  async end({ timeout }: { readonly timeout: number }): Promise<void> {
    this.#hasEnded = true
    for (const { reject } of this.#waiting.splice(0)) reject(new ConnectionLost(ENDED))
    await Promise.all([...this.#places].map(({ connection }) => connection.end({ timeout })))
  }

  async #take({ accessMode }: PgTransactionConfig = {}): Promise<Place> {
    const { watch } = this.#options
    if (accessMode === "read only") watch.check()
    else watch.checkWrites()
    if (this.#hasEnded) throw new ConnectionLost(ENDED)
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (!free.connection.isUnfit) return free
      this.#close(free)
    }
    if (this.#places.size < this.#options.connectionsMax) return this.#open()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #open(): Place {
    const { url, options, watch } = this.#options
    const connection = new Connection({
      url,
      options: {
        ...options,
        connection: { ...options.connection, default_transaction_read_only: true },
      },
      order: watch.order,
      needsPrimary: !watch.isReadOnly,
      isUnfitBy: isUnfitSession,
      onUnfit: () => watch.onUnfit(),
      onLost: (lost, cause) => {
        watch.onLost(lost, cause)
        this.#forget(place)
        place.onLoss(cause)
      },
    })
    const place: Place = { connection, onLoss: () => undefined }
    this.#places.add(place)
    watch.add(connection)
    return place
  }

  #giveBack(place: Place): void {
    const { connection } = place
    const isOld = performance.now() - connection.openedAtMs >= CONNECTION_LIFE_MS_MAX
    const isGood = !isOld && !connection.isLost && !connection.isUnfit
    if (!isGood) this.#close(place)
    const hasRoom = isGood || this.#places.size < this.#options.connectionsMax
    const next = hasRoom ? this.#waiting.shift() : undefined
    if (next !== undefined) next.resolve(isGood ? place : this.#open())
    else if (isGood) this.#free.push(place)
  }

  #close(place: Place): void {
    this.#forget(place)
    place.connection.end({ timeout: 1 }).catch(() => undefined)
  }

  #forget(place: Place): void {
    this.#places.delete(place)
    this.#options.watch.remove(place.connection)
    const free = this.#free.indexOf(place)
    if (free >= 0) this.#free.splice(free, 1)
  }
}

const ENDED = "the connections have been closed"

/** Settles with the body or with the loss of its connection, whichever comes first. */
function unlessLost<A>(place: Place, body: Promise<A>): Promise<A> {
  return new Promise((resolve, reject) => {
    place.onLoss = reject
    body.then(resolve, reject)
  })
}

function beginning({ isolationLevel, accessMode = "read write" }: PgTransactionConfig = {}): string {
  return isolationLevel === undefined
    ? `begin ${accessMode}`
    : `begin isolation level ${isolationLevel} ${accessMode}`
}

/** After a failed statement the server answers a commit with a rollback. */
async function commit({ connection }: Place): Promise<void> {
  const { command } = await connection.client.unsafe("commit")
  if (command !== "COMMIT") throw new Error(`a statement failed: the server answered ${command}`)
}

/** If it fails, the transaction has ended already; its connection is not used again. */
async function rollback({ connection }: Place): Promise<void> {
  if (connection.isLost) return
  await connection.client.unsafe("rollback").catch((cause: unknown) => {
    connection.lose(new ConnectionLost("a transaction could not be rolled back", { cause }))
  })
}
