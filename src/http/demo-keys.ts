/**
 * Keys and ids of demo data in pages. They appear only to a caller of this machine: the host listens on the loopback,
 * no proxy is configured, and nothing says that the request was forwarded.
 */

import { isIP } from "node:net"
import type { FastifyRequest } from "fastify"

/** Keys and ids of the demo in one environment. */
export interface DemoAccess {
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  readonly operator_token: string
}

export interface DemoSight {
  /** True when the host listens on the loopback and no proxy is configured. */
  readonly isLocal: boolean
}

export function mayShowKeys(request: FastifyRequest, { isLocal }: DemoSight): boolean {
  const wasForwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some(
    (name) => request.headers[name] !== undefined,
  )
  return isLocal && !wasForwarded && isLoopback(request.socket.remoteAddress ?? "")
}

export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/, "")
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."))
}
