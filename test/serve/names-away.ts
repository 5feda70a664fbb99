/**
 * Preloaded by a service whose name server must not answer for some hosts: look-ups of names that begin with `away` fail as they do
 * while it is down. Others reach the machine's own resolver.
 */

import dns from "node:dns/promises"
import { syncBuiltinESMExports } from "node:module"

const lookup = dns.lookup.bind(dns) as (...asked: readonly unknown[]) => Promise<unknown>

Object.assign(dns, {
  lookup: (host: string, ...more: readonly unknown[]): Promise<unknown> =>
    host.startsWith("away")
      ? Promise.reject(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), { code: "EAI_AGAIN" }))
      : lookup(host, ...more),
})
syncBuiltinESMExports()
