/** Addresses of the hosts: the URL that partners use, and the accepted values of a `Host` header. */

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
}

/** Wildcard addresses to listen on; clients cannot connect to them. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "0:0:0:0:0:0:0:0"])

export function addressesOf(configuration: Configuration): Readonly<Record<Environment, HostAddress>> {
  const { host, productionPort, productionUrl, productionHosts } = configuration
  const { sandboxPort, sandboxUrl, sandboxHosts } = configuration
  return {
    production: addressOf({ host, port: productionPort, publicUrl: productionUrl, names: productionHosts }),
    sandbox: addressOf({ host, port: sandboxPort, publicUrl: sandboxUrl, names: sandboxHosts }),
  }
}

interface Listening {
  readonly host: string
  readonly port: number
  readonly publicUrl: string | null
  readonly names: readonly string[]
}

function addressOf({ host, port, publicUrl, names }: Listening): HostAddress {
  const own = host.includes(":") ? `[${host}]` : host
  const localUrl = `http://${WILDCARDS.has(host) ? "localhost" : own}:${port}`
  const baseUrl = publicUrl ?? localUrl
  const local = [own, "localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`)
  return { port, baseUrl, localUrl, hosts: [...new Set([...local, hostOf(baseUrl), ...names])] }
}

/** Host with its port, unless the port is the scheme's default. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host
}
