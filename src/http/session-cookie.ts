/** Sessions of people in a browser: a cookie for this host alone, that no script reads. */

import type { FastifyReply } from "fastify"

export interface SessionCookie {
  readonly name: string
  /** `Strict` is sent with nothing that another site began, a link included. */
  readonly sameSite: "Lax" | "Strict"
  /** Goes over TLS alone. */
  readonly isSecure: boolean
}

/**
 * Browsers keep cookies by name and host. A plain `http` base URL is for development: they would drop a Secure cookie there.
 */
export function sessionCookie(
  name: string,
  baseUrl: string,
  sameSite: SessionCookie["sameSite"],
): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === "https:"
  return { name: isSecure ? `__Host-${name}` : name, sameSite, isSecure }
}

/** The first cookie of that name. What cannot be a value of ours is none. */
export function sessionIn(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=")
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    return /^[0-9A-Za-z_-]{43}$/.test(value) ? value : null
  }
  return null
}

export interface ToldSession {
  readonly token: string
  readonly maxAgeSeconds: number
}

/** Null ends the session. */
export function tellSession(
  reply: FastifyReply,
  session: ToldSession | null,
  { name, sameSite, isSecure }: SessionCookie,
): void {
  const { token, maxAgeSeconds } = session ?? { token: "", maxAgeSeconds: 0 }
  const value = `${name}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=${sameSite}`
  reply.header("Set-Cookie", `${value}${isSecure ? "; Secure" : ""}`)
}
