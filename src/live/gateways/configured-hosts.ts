/**
 * Host names of the configuration, such as those of the geocoder and of the collector of traces. Name servers come first, without
 * the process's threads. A name that they do not know may be one that the system completes or has elsewhere (`resolv.conf`,
 * `nsswitch.conf`): then the system is asked for it, for one name at a time, so that it holds one thread. Some name servers say of such a name that they failed.
 */

import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { callbackify } from "node:util"
import { TIMED_OUT } from "../../engine/services/outbound/name-lookup.ts"
import { HostsFile } from "./hosts-file.ts"
import { resolveName } from "./name-lookup.ts"
import type { NameLookupOptions } from "./name-lookup.ts"

export function configuredHosts({
  servers = null,
  hosts = new HostsFile(),
}: NameLookupOptions = {}): LookupFunction {
  let last: Promise<unknown> = Promise.resolve()
  const inFlight = new Map<string, Promise<readonly string[]>>()
  const bySystem = (host: string): Promise<readonly string[]> => {
    const shared = inFlight.get(host)
    if (shared !== undefined) return shared
    if (inFlight.size >= SYSTEM_LOOK_UPS_MAX) throw unanswered()
    const found = last
      .then(() => lookup(host, { all: true }))
      .then((all) => all.map(({ address }) => address))
      .finally(() => inFlight.delete(host))
    inFlight.set(host, found)
    last = found.catch(() => undefined)
    return found
  }
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    const resolution = await resolveName(host, { servers, hosts })
    if (resolution.type === "addresses") return resolution.addresses
    if (resolution === TIMED_OUT) throw unanswered()
    return bySystem(host)
  }
  const ask = callbackify(addressesOf)
  return (host, { all, family }, callback) => {
    const wanted = family === 4 || family === "IPv4" ? 4 : family === 6 || family === "IPv6" ? 6 : 0
    ask(host, (cause, addresses) => {
      if (cause !== null) return callback(cause, "")
      const found = addresses
        .map((address) => ({ address, family: isIP(address) }))
        .filter((one) => wanted === 0 || one.family === wanted)
      const [first] = found
      if (first === undefined) callback(noAddressOf(host), "")
      else if (all === true) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

/** Hosts of the configuration are few. */
const SYSTEM_LOOK_UPS_MAX = 16

function unanswered(): NodeJS.ErrnoException {
  return Object.assign(new Error("the name servers do not answer"), { code: "EAI_AGAIN" })
}

function noAddressOf(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address of the wanted family`), { code: "ENOTFOUND" })
}
