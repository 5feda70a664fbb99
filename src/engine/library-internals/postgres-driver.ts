/**
 * Uses of internals of the PostgreSQL driver (postgres 3.4.9), to work around long-standing defects (src/DECISIONS.md
 * §140).
 *
 * - A query's `resolve` and `reject`: the driver leaves queries unanswered when a connection cannot be opened, and does
 *   not say how many are in flight.
 * - `options.host`: the driver leaves queries unanswered while it may try another host, so it gets one host, and this
 *   program tries the others. A driver that wants a primary needs a second host in this list: without one it gives up
 *   at the first standby instead of asking for another socket.
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
  const driver = postgres(withoutAttributes(url), { ...options, max: 1, socket } as ConnectionOptions)
  const { host, port, path } = driver.options as unknown as Address
  const hosts = host.map((name, at) => ({ host: name, port: port[at] ?? 5432 }))
  host.splice(1)
  if (options.target_session_attrs !== undefined) host.push(...host)
  return { driver, hosts: typeof path === "string" ? [{ host: path, path }] : hosts }
}

/** A host as text, such as `db1.example.com:5432`. */
export function nameOf(host: Host): string {
  return "port" in host ? `${host.host}:${host.port}` : host.path
}

/** The same URL with this host alone, for clients that know only one. */
export function urlAt(url: string, host: Host | undefined): string {
  return host !== undefined && "port" in host ? url.replace(AUTHORITY, `$1${nameOf(host)}`) : url
}

/** User and password, then the hosts. Neither of the first contains an unescaped `@` or `/`. */
const AUTHORITY = /^([^:]+:\/\/(?:[^@/?]*@)?)([^/?]*)/

/** The hosts of a URL in their order. */
export function hostsOf(url: string): readonly Host[] {
  return driverOf(url, {}, () => Promise.reject(new Error("no connection is made"))).hosts
}

/** This program chooses by itself which connections need a primary. The driver would refuse the value `any`. */
function withoutAttributes(url: string): string {
  return url.replace(/([?&])target_session_attrs=[^&]*(&|$)/, (_, before: string, after: string) =>
    after === "&" ? before : "",
  )
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

/** Calls `onAnswer` just before the query is answered, with the cause of a failure. The returned function makes the query fail. */
export function watched(
  query: Query,
  onAnswer: (answer: { readonly failedBy?: unknown }) => void,
): (cause: unknown) => void {
  const driven = query as unknown as Answered
  const { resolve, reject } = driven
  driven.resolve = (result) => {
    onAnswer({})
    closeGap(result)
    resolve(result)
  }
  driven.reject = (cause) => {
    onAnswer({ failedBy: cause })
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
