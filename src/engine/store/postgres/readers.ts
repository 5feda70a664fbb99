/**
 * Connections for statements outside transactions. Each statement goes to the connection with the fewest in flight, on
 * which the driver pipelines it. A lost connection fails its statements in flight, and the next statement opens another
 * connection.
 */

import { ormThrough } from "../../library-internals/drizzle.ts"
import type { ConnectionOptions } from "../../library-internals/postgres-driver.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import { CONNECTION_LIFE_MS_MAX, STATEMENT_MS_MAX } from "../bounds.ts"
import { Connection } from "../connection.ts"
import type { Orm } from "../connection.ts"
import { isUnfitReader, isWriteOutage } from "../outages.ts"
import type { ServerWatch } from "./server-watch.ts"

export interface ReadersOptions {
  readonly url: string
  readonly options: ConnectionOptions
  readonly connectionsMax: number
  readonly watch: ServerWatch
}

export class Readers {
  readonly orm: Orm
  readonly #options: ReadersOptions
  readonly #connections = new Set<Connection>()
  #hasEnded = false

  constructor(options: ReadersOptions) {
    this.#options = options
    this.orm = ormThrough((...query) => this.#chosen().client.unsafe(...query))
  }

  /** Ends every connection, when its statements are answered or after this many seconds. */
  async end(bound: { readonly timeout: number }): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#connections].map((connection) => connection.end(bound)))
  }

  #chosen(): Connection {
    if (this.#hasEnded) throw new Error("the connections have been closed")
    this.#options.watch.check()
    let chosen: Connection | null = null
    for (const connection of this.#connections) {
      if (connection.isUnfit) this.#retire(connection, STATEMENT_MS_MAX / SECOND_MS)
      else if (connection.inFlight === 0 && isOld(connection)) this.#retire(connection, 1)
      else if (chosen === null || connection.inFlight < chosen.inFlight) chosen = connection
    }
    const hasRoom = this.#connections.size < this.#options.connectionsMax
    return chosen === null || (chosen.inFlight > 0 && hasRoom) ? this.#open() : chosen
  }

  #open(): Connection {
    const { url, options, watch } = this.#options
    const connection = new Connection({
      url,
      options,
      order: watch.order,
      needsPrimary: !watch.isReadOnly,
      // While only standbys respond, another session would refuse the same.
      isUnfitBy: (cause) => isUnfitReader(cause) && !(watch.isReadOnly && isWriteOutage(cause)),
      onUnfit: () => watch.onUnfit(),
      onLost: (lost, cause) => {
        this.#connections.delete(lost)
        watch.onLost(lost, cause)
      },
    })
    this.#connections.add(connection)
    watch.add(connection)
    return connection
  }

  /** Closes it when its statements are answered, or after this many seconds. */
  #retire(connection: Connection, timeout: number): void {
    this.#connections.delete(connection)
    this.#options.watch.remove(connection)
    connection.end({ timeout }).catch(() => undefined)
  }
}

function isOld({ openedAtMs }: Connection): boolean {
  return performance.now() - openedAtMs >= CONNECTION_LIFE_MS_MAX
}
