/** Whose request it is, by network address: the one place of this surface that reads it. Our choice A15. */

import type { FastifyRequest } from "fastify"

/** What Fastify takes for the address: the peer's, or what a proxy that is trusted says. Headers are never read here. */
export function addressOf(request: FastifyRequest): string {
  return request.ip
}
