/**
 * Who may call a server of a command on this machine: a page of its own origin, with the token of this start. A page of another site can
 * send requests to the loopback too, also under a name that resolves to it, so host, origin and token are checked.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html/page-frame.ts"
import { TOKEN_HEADER } from "../../pages/web/studio/contract.ts"

export const LOOPBACK = "127.0.0.1"

const NAMES = [LOOPBACK, "localhost"]

/** 256 bits, new at each start. */
export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

interface Guarded {
  /** What it is, for messages: `studio`. */
  readonly name: string
  /** Of the routes below `/api`. */
  readonly token: string
}

/** Checks every request before its body is read. */
export function guard(app: FastifyInstance, guarded: Guarded): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({
      ...PRIVATE_PAGE_HEADERS,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    })
    const refusal = refusalOf(request, guarded)
    if (refusal !== null) return reply.code(refusal.status).send({ message: refusal.message })
    return undefined
  })
}

function refusalOf(
  { headers, url, socket }: FastifyRequest,
  { name: of, token }: Guarded,
): { readonly status: number; readonly message: string } | null {
  const hosts = NAMES.map((name) => `${name}:${socket.localPort ?? 0}`)
  const { host = "", origin } = headers
  if (!hosts.includes(host)) return { status: 421, message: `the ${of} answers under its own address alone` }
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: `the ${of} takes no call of another page, such as one of ${origin}` }
  if (!url.startsWith("/api/")) return null
  const given = headers[TOKEN_HEADER]
  if (typeof given === "string" && isEqual(given, token)) return null
  return {
    status: 401,
    message: "the token is missing or of another start; open the address that the command printed",
  }
}

/** In a time that does not depend on the content: digests have one length. */
function isEqual(given: string, token: string): boolean {
  const [one, other] = [given, token].map((text) => createHash("sha256").update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
