/** Which failures of a statement mean an outage of the database, or that it takes no writes. */

import { ConnectionLost } from "./connection.ts"

/** Five characters including a digit, unlike `EPIPE`. Source: PostgreSQL error codes. */
export function isSqlState(code: unknown): code is string {
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
}

/**
 * Connection failures, missing resources (a full disk, too many connections), a server that starts, stops or takes no
 * writes, and its system errors. Source: PostgreSQL error codes, classes 08, 53, 57P and 58; a standby answers 25006.
 */
const OUTAGES = /^(08|53|57P|58)|^25006$/

/** Of the socket, the name look-up and the driver. */
const UNREACHABLE =
  /^(CONNECTION_|CONNECT_TIMEOUT$|ECONN|EHOST|ENET|EAI_|ENOTFOUND$|EPIPE$|ETIMEDOUT$|ENOSPC$|EROFS$|EIO$|EDQUOT$)/

/**
 * A socket or a session ended, as reported by the socket, the driver or the server. Source: PostgreSQL error codes,
 * class 57P.
 */
const BROKEN = /^(CONNECTION_|CONNECT_TIMEOUT$|ECONNRESET$|EPIPE$|ETIMEDOUT$|57P0)/

/** True for an error of a connection that was lost, in any part of the store. */
export function isBrokenConnection(cause: unknown): boolean {
  if (cause instanceof ConnectionLost) return true
  const { code } = Object(cause) as { readonly code?: unknown }
  return typeof code === "string" && BROKEN.test(code)
}

/**
 * The session cannot serve: a standby or a server that has become one, a pooler that has swapped the session under its
 * prepared statements, a server that ends it, a broken protocol. Source: PostgreSQL error codes.
 */
const UNFIT = /^(08...|25006|26000|42P05|57P0.)$/

/** True for a failure that shows that no later statement on the same session will do better. */
export function isUnfitSession(cause: unknown): boolean {
  const { code } = Object(cause) as { readonly code?: unknown }
  return typeof code === "string" && UNFIT.test(code)
}

/** The same on a connection without transactions: there also a session inside one, open or failed (class 25), is unfit. */
export function isUnfitReader(cause: unknown): boolean {
  const { code } = Object(cause) as { readonly code?: unknown }
  return isUnfitSession(cause) || (typeof code === "string" && /^25...$/.test(code))
}

/** A full or failing disk, and a server that takes no writes. Source: PostgreSQL error codes. */
const WRITES_FAIL = /^(53100|58...|25006|ENOSPC|EROFS|EIO|EDQUOT)$/

/** True for a failure that affects only writes. */
export function isWriteOutage(cause: unknown): boolean {
  if (typeof cause !== "object" || cause === null) return false
  const { code } = cause as { readonly code?: unknown }
  if (typeof code === "string" && WRITES_FAIL.test(code)) return true
  return "cause" in cause && isWriteOutage(cause.cause)
}

/** Checks causes too, because drizzle wraps the driver's error. */
export function isOutageOf(cause: unknown): boolean {
  if (cause instanceof ConnectionLost) return true
  if (typeof cause !== "object" || cause === null) return false
  const { code } = cause as { readonly code?: unknown }
  if (isSqlState(code)) return OUTAGES.test(code)
  if (typeof code === "string" && UNREACHABLE.test(code)) return true
  return "cause" in cause && isOutageOf(cause.cause)
}
