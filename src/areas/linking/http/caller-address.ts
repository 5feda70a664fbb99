/** The network address of a request: the only place of this folder that reads it. Our choice A15. */

import type { FastifyRequest } from "fastify"

/** The address by Fastify: the peer's, or the one that a trusted proxy reports. Headers are never read here. */
export function addressOf(request: FastifyRequest): string {
  return request.ip
}
