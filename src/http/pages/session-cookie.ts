/** Sessions of people in a browser: a cookie of this host that scripts cannot read. */

import type { FastifyReply } from "fastify"

export interface SessionCookie {
  readonly name: string
  /** `Strict` is never sent with requests that another site began, including links. */
  readonly sameSite: "Lax" | "Strict"
  /** True when it is only sent over TLS. */
  readonly isSecure: boolean
}

/**
 * Browsers store cookies by name and host. A plain `http` base URL is for development: browsers would drop a Secure
 * cookie there.
 */
export function sessionCookie(
  name: string,
  baseUrl: string,
  sameSite: SessionCookie["sameSite"],
): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === "https:"
  return { name: isSecure ? `__Host-${name}` : name, sameSite, isSecure }
}

/** The first cookie of that name; null when its value is malformed. */
export function sessionIn(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=")
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    return /^[0-9A-Za-z_-]{43}$/.test(value) ? value : null
  }
  return null
}

export interface CookieSession {
  readonly token: string
  readonly maxAgeSeconds: number
}

/** Null ends the session. */
export function setSessionCookie(
  reply: FastifyReply,
  session: CookieSession | null,
  { name, sameSite, isSecure }: SessionCookie,
): void {
  const { token, maxAgeSeconds } = session ?? { token: "", maxAgeSeconds: 0 }
  const value = `${name}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=${sameSite}`
  reply.header("Set-Cookie", `${value}${isSecure ? "; Secure" : ""}`)
}
