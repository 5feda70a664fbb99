/** Addresses of the hosts: the URL that partners use, and the accepted values of a `Host` header. */

import { isLoopback } from "../../http/demo-keys.ts"
import type { Environment } from "../../model/caller.ts"
import type { Configuration } from "./configuration.ts"

export interface HostAddress {
  readonly port: number
  /** Scheme and host, without a path. */
  readonly baseUrl: string
  /** The same, reached from this machine directly, without a proxy. */
  readonly localUrl: string
  /** Accepted `Host` headers; one without a port accepts every port. */
  readonly hosts: readonly string[]
  /** True when only this machine reaches the host, as far as settings say: no proxy, no public URL and no further name. */
  readonly isLocal: boolean
}

/** Wildcard addresses to listen on; clients cannot connect to them. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "0:0:0:0:0:0:0:0"])

export function addressesOf(configuration: Configuration): Readonly<Record<Environment, HostAddress>> {
  const { host, productionPort, productionUrl, productionHosts } = configuration
  const { sandboxPort, sandboxUrl, sandboxHosts, trustedProxies } = configuration
  const both = { host, hasProxies: trustedProxies.length > 0 }
  return {
    production: addressOf({
      ...both,
      port: productionPort,
      publicUrl: productionUrl,
      names: productionHosts,
    }),
    sandbox: addressOf({ ...both, port: sandboxPort, publicUrl: sandboxUrl, names: sandboxHosts }),
  }
}

interface Listening {
  readonly host: string
  readonly port: number
  readonly publicUrl: string | null
  readonly names: readonly string[]
  readonly hasProxies: boolean
}

function addressOf({ host, port, publicUrl, names, hasProxies }: Listening): HostAddress {
  const own = host.includes(":") ? `[${host}]` : host
  const localUrl = `http://${WILDCARDS.has(host) ? "localhost" : own}:${port}`
  const baseUrl = publicUrl ?? localUrl
  const local = [own, "localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`)
  const hosts = [...new Set([...local, hostOf(baseUrl), ...names])]
  const isLocal = isLoopback(host) && !hasProxies && names.length === 0 && baseUrl === localUrl
  return { port, baseUrl, localUrl, hosts, isLocal }
}

/** Host with its port, unless the port is the scheme's default. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host
}
