/**
 * Keys, codes and waiting mails of a demo in pages. They appear only to a caller of this machine: the host listens on the loopback
 * under no other name, nothing says that the request was forwarded, and no page of another site sent it.
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
  /** True when the host listens on the loopback, and neither a proxy nor another name is configured. */
  readonly isLocal: boolean
}

/** What proxies, tunnels and networks for content add to a request. */
const ADDED_BY_PROXIES =
  /^(?:forwarded|via|client-ip|true-client-ip|cdn-loop|(?:cf|fastly|fly|tailscale)-.*|x-(?:amz|amzn|appengine|arr|azure|client|cluster|envoy|forwarded|original|proxy|real|scheme).*)$/

export function mayShowKeys(request: FastifyRequest, { isLocal }: DemoSight): boolean {
  return (
    isLocal &&
    isLoopback(request.socket.remoteAddress ?? "") &&
    isLoopback(nameIn(request.headers.host ?? "")) &&
    !wasForwarded(request) &&
    !isOfOtherSite(request)
  )
}

/** Browsers and clients speak HTTP/1.1; proxies that add no header often speak HTTP/1.0. */
function wasForwarded({ headers, raw }: FastifyRequest): boolean {
  return raw.httpVersion !== "1.1" || Object.keys(headers).some((name) => ADDED_BY_PROXIES.test(name))
}

/** Who follows a link of another site to a page reads that page alone: the other site cannot. */
function isOfOtherSite({ headers }: FastifyRequest): boolean {
  const { host = "", origin = "null", "sec-fetch-site": site = "none", "sec-fetch-dest": target } = headers
  if (origin !== "null" && origin !== `http://${host}`) return true
  return site !== "none" && site !== "same-origin" && target !== "document"
}

/** The name in a `Host` header, without its port and the brackets of an IPv6 address. */
function nameIn(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
}

export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/, "")
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."))
}
