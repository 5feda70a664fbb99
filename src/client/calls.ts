/** Calls of a host's APIs under one key. Paths, bodies and answers have the types of the OpenAPI documents. */

import createClient from "openapi-fetch"
import type { Client } from "openapi-fetch"
import type { paths as AnalyticsPaths } from "./analytics-types.ts"
import type { paths as DeliveryPaths } from "./delivery-types.ts"
import type { paths as ReservationPaths } from "./reservation-types.ts"
import type { paths as SandboxPaths } from "./sandbox-types.ts"

export interface CurblineOptions {
  /** Scheme, host and port, such as `https://sandbox.curbline.example`. */
  readonly baseUrl: string
  /** An API key of that host. */
  readonly key: string
  /** UUID of the site for calls of the Direct Delivery API; without it they are refused. */
  readonly siteId?: string
  /** Default: the runtime's own. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * Each call resolves with `data` or, if the service refuses, with `error`, whose `code` is one of those that the operation declares.
 * It rejects only if there is no answer.
 */
export interface Curbline {
  readonly reservations: Client<ReservationPaths>
  readonly deliveries: Client<DeliveryPaths>
  readonly analytics: Client<AnalyticsPaths>
  /** The sandbox's clock and events; production has no such paths. */
  readonly sandbox: Client<SandboxPaths>
}

export function curbline({ baseUrl, key, siteId, fetch }: CurblineOptions): Curbline {
  requireOptions(baseUrl, key)
  const common = {
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ""),
    ...(fetch === undefined ? {} : { fetch }),
  }
  const headers = { Authorization: `Bearer ${key}` }
  const site = siteId === undefined ? {} : { "x-retailer-id": siteId }
  return {
    reservations: createClient<ReservationPaths>({ ...common, headers }),
    deliveries: createClient<DeliveryPaths>({ ...common, headers: { ...headers, ...site } }),
    analytics: createClient<AnalyticsPaths>({ ...common, headers }),
    sandbox: createClient<SandboxPaths>({ ...common, headers }),
  }
}

/** A wrong address or an empty key would fail at the first call, with a message that names neither. */
function requireOptions(baseUrl: string, key: string): void {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new TypeError(
      `baseUrl must be an http or https URL such as https://sandbox.curbline.example, is ${JSON.stringify(baseUrl)}`,
    )
  if (typeof key !== "string" || key.trim() === "") throw new TypeError("key must be an API key, is empty")
  // The runtime would put the whole header into its own message.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key must be an API key without spaces, line breaks or other special characters")
}
