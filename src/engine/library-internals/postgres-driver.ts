/**
 * Uses of internals of the PostgreSQL driver (postgres 3.4.9), to work around long-standing defects (src/DECISIONS.md
 * §140).
 *
 * - A query's `resolve` and `reject`: the driver leaves queries unanswered when a connection cannot be opened, and does
 *   not say how many are in flight.
 * - `options.host`: the driver leaves queries unanswered while it may try another host, so it gets one host, and this
 *   program tries the others.
 * - `options.socket`: only a socket that this program made can be closed at once, and shows when the server last sent
 *   data.
 * - Rows after a failed statement: the driver's row counter is reset only after a successful statement.
 */

import type { Socket } from "node:net"
import postgres from "postgres"
import type { Options, PostgresType, Sql } from "postgres"

export type ConnectionOptions = Options<Record<string, PostgresType>>

export type Host =
  ({ readonly path: string } & { readonly host: string }) | { readonly host: string; readonly port: number }

/** A driver that makes one connection over this program's sockets, and the hosts of the URL in their order. */
export function driverOf(
  url: string,
  options: ConnectionOptions,
  socket: () => Promise<Socket>,
): { readonly driver: Sql; readonly hosts: Host[] } {
  const driver = postgres(url, { ...options, max: 1, socket } as ConnectionOptions)
  const { host, port, path } = driver.options as unknown as Address
  const hosts = host.map((name, at) => ({ host: name, port: port[at] ?? 5432 }))
  host.splice(1)
  return { driver, hosts: typeof path === "string" ? [{ host: path, path }] : hosts }
}

/** The parts of the URL that the driver has parsed. */
interface Address {
  readonly host: string[]
  readonly port: readonly number[]
  readonly path: string | false
}

type Query = ReturnType<Sql["unsafe"]>

/** The driver's functions to answer a query, which it calls once. */
interface Answered {
  resolve: (result: unknown) => void
  reject: (cause: unknown) => void
}

/** Calls `onAnswer` just before the query is answered. The returned function makes the query fail. */
export function watched(query: Query, onAnswer: () => void): (cause: unknown) => void {
  const driven = query as unknown as Answered
  const { resolve, reject } = driven
  driven.resolve = (result) => {
    onAnswer()
    closeGap(result)
    resolve(result)
  }
  driven.reject = (cause) => {
    onAnswer()
    reject(cause)
  }
  return (cause) => driven.reject(cause)
}

/** Removes the empty places at the beginning of a result after a failed statement. */
function closeGap(result: unknown): void {
  if (!Array.isArray(result) || result.length === 0 || 0 in result) return
  const first = result.findIndex((row) => row !== undefined)
  result.splice(0, first < 0 ? result.length : first)
}
