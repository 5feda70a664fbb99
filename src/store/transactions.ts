/**
 * Transactions on PostgreSQL, each on a connection that nobody else uses meanwhile. The driver's own `begin` (postgres
 * 3.4.9) is left alone. When the server ends a connection in the middle of a transaction, it writes to the lost socket
 * outside any promise, which ends the process (porsager/postgres issues 1154 and 1208), or runs the rest of the
 * transaction on the next connection, outside of any (pull request 1155). A client of one connection knows when that is
 * gone; and on these connections whatever is not inside an explicit `begin read write` is read only, so that a statement
 * that strays changes nothing (src/DECISIONS.md §33).
 */

import { drizzle } from "drizzle-orm/postgres-js"
import type { PgDatabase, PgQueryResultHKT, PgTransactionConfig } from "drizzle-orm/pg-core"
import postgres from "postgres"
import type { Options, PostgresType, Sql } from "postgres"
import { CONNECTION_LIFE_MS_MAX } from "./bounds.ts"
import { preparing } from "./prepared-queries.ts"

/** What statements are made with, whichever database is behind. */
export type Orm = PgDatabase<PgQueryResultHKT>

export type ConnectionOptions = Options<Record<string, PostgresType>>

export interface TransactionsOptions {
  readonly url: string
  /** Of every connection. */
  readonly options: ConnectionOptions
  /** Transactions at once; one more waits for its turn. */
  readonly connectionsMax: number
}

/** One connection, with a client of its own. */
interface Place {
  readonly client: Sql
  readonly orm: Orm
  readonly openedAtMs: number
  /** Known in the same instant in which the driver knows it. */
  isLost: boolean
  /** Told of it: a body that waits for something else than the connection would never end. */
  onLoss: (cause: Error) => void
}

interface Waiting {
  readonly resolve: (place: Place) => void
  readonly reject: (cause: Error) => void
}

export class Transactions {
  readonly #options: TransactionsOptions
  readonly #places = new Set<Place>()
  /** The one that was used last is used next: its statements are prepared. */
  readonly #free: Place[] = []
  /** One for each request or batch under way, which holds no connection meanwhile: budgets bound the first, their size the second. */
  readonly #waiting: Waiting[] = []
  #hasEnded = false

  constructor(options: TransactionsOptions) {
    this.#options = options
  }

  /**
   * Commits when the body succeeds, and rolls back when it fails. The body begins before `begin` is answered: what it
   * sends first shares the way. What it has sent last and not waited for, single statements, the commit follows: where one
   * of them failed, the server rolls back, and the commit fails.
   */
  async run<A>(body: (orm: Orm) => Promise<A>, config?: PgTransactionConfig): Promise<A> {
    const place = await this.#take()
    try {
      const begun = place.client.unsafe(beginning(config)).execute()
      let notBegun: unknown = null
      begun.catch((cause: unknown) => {
        notBegun = cause
      })
      try {
        const value = await unlessLost(place, body(place.orm))
        await begun
        await commit(place)
        return value
      } catch (cause) {
        await rollback(place)
        // Why there was no connection says more than that it was lost.
        throw place.isLost && notBegun !== null ? notBegun : cause
      }
    } finally {
      this.#giveBack(place)
    }
  }

  /** Ends every connection, of transactions that are still open after so many seconds too. */
  async end({ timeout }: { readonly timeout: number }): Promise<void> {
    this.#hasEnded = true
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(ENDED))
    await Promise.all([...this.#places].map(({ client }) => client.end({ timeout })))
  }

  #take(): Promise<Place> {
    if (this.#hasEnded) return Promise.reject(new Error(ENDED))
    const free = this.#free.pop()
    if (free !== undefined) return Promise.resolve(free)
    if (this.#places.size < this.#options.connectionsMax) return Promise.resolve(this.#open())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #open(): Place {
    const { url, options } = this.#options
    const client: Sql = postgres(url, {
      ...options,
      ...sessionAttributes(url),
      connection: { ...options.connection, default_transaction_read_only: true },
      max: 1,
      // The driver would close a connection of that age in the middle of a transaction.
      max_lifetime: null,
      onclose: () => {
        place.isLost = true
        place.onLoss(new Error(LOST))
        this.#drop(place)
      },
    })
    const orm = drizzle(preparing(client), { casing: "snake_case" })
    const place: Place = { client, orm, openedAtMs: Date.now(), isLost: false, onLoss: () => undefined }
    this.#places.add(place)
    return place
  }

  #giveBack(place: Place): void {
    const isOld = Date.now() - place.openedAtMs >= CONNECTION_LIFE_MS_MAX
    if (isOld) this.#drop(place)
    const isGood = !place.isLost && !isOld
    const hasRoom = isGood || this.#places.size < this.#options.connectionsMax
    const next = hasRoom ? this.#waiting.shift() : undefined
    if (next !== undefined) next.resolve(isGood ? place : this.#open())
    else if (isGood) this.#free.push(place)
  }

  /**
   * The driver may have kept half a message for a client's next connection, which then never answers: a client that lost
   * one is ended, and with it the statements that still wait in it.
   */
  #drop(place: Place): void {
    this.#places.delete(place)
    const free = this.#free.indexOf(place)
    if (free >= 0) this.#free.splice(free, 1)
    place.client.end({ timeout: LOST_SECONDS_MAX }).catch(() => undefined)
  }
}

/** How long statements of a lost transaction may wait for their answers. */
const LOST_SECONDS_MAX = 1
const LOST = "the connection was lost"
const ENDED = "the connections have been closed"

/** Without this, the session's own read-only default would look like a server that takes no writes. */
function sessionAttributes(url: string): ConnectionOptions {
  const wanted = new URL(url).searchParams.get("target_session_attrs")
  return wanted === "read-write" ? { target_session_attrs: "primary" } : {}
}

/** What becomes of the body, or of its connection, whichever comes first. */
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

/** Where a statement failed the server answers a commit by rolling back; on another connection it commits nothing. */
async function commit(place: Place): Promise<void> {
  if (place.isLost) throw new Error(LOST)
  const { command } = await place.client.unsafe("commit")
  if (place.isLost) throw new Error(LOST)
  if (command !== "COMMIT") throw new Error(`a statement failed: the server answered ${command}`)
}

/** Whatever stops it has ended the transaction already. */
async function rollback(place: Place): Promise<void> {
  if (place.isLost) return
  await place.client.unsafe("rollback").catch(() => {
    place.isLost = true
  })
}
