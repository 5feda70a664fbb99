/**
 * Name resolution, IPv4 and IPv6: the hosts file, then the name servers. Never by the system's resolver (`dns.lookup`), which holds
 * one of the process's few threads for as long as a name server is silent (src/DECISIONS.md §388).
 */

import { Resolver } from "node:dns/promises"
import { Effect, Layer } from "effect"
import {
  FAILED_RESOLUTION_MS,
  NAME_SERVER_MS_MAX,
  NAME_SERVER_TRY_MS,
  OTHER_FAMILY_MS_MAX,
} from "../../model/values/limits.ts"
import { NameLookup, TIMED_OUT, UNAVAILABLE } from "../../engine/services/outbound/name-lookup.ts"
import type { Resolution } from "../../engine/services/outbound/name-lookup.ts"
import { HostsFile } from "./hosts-file.ts"

export interface NameLookupOptions {
  /** Addresses of name servers, with or without a port; null: those of the system. */
  readonly servers?: readonly string[] | null
  readonly hosts?: HostsFile
}

export function layerNameLookup({
  servers = null,
  hosts = new HostsFile(),
}: NameLookupOptions = {}): Layer.Layer<NameLookup> {
  return Layer.succeed(NameLookup, {
    resolve: (host) => Effect.promise((signal) => resolveName(host, { servers, hosts }, signal)),
  })
}

/** By the hosts file, else by the name servers. Bounded in time. */
export async function resolveName(
  host: string,
  { servers, hosts }: Required<NameLookupOptions>,
  signal?: AbortSignal,
): Promise<Resolution> {
  const addresses = hosts.addressesOf(host)
  return addresses === null ? askServers(host, servers, signal) : { type: "addresses", addresses }
}

/** Names are absolute: a partner's name is never completed by a search domain of this machine. */
async function askServers(
  host: string,
  servers: readonly string[] | null,
  signal?: AbortSignal,
): Promise<Resolution> {
  // One for each look-up: it follows changes of the system's name servers, and asks from another port each time.
  const resolver = new Resolver({ timeout: NAME_SERVER_TRY_MS, tries: 2 })
  if (servers !== null) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  const limits = [setTimeout(cancel, NAME_SERVER_MS_MAX)]
  signal?.addEventListener("abort", cancel)
  const answerOf = async (asked: Promise<readonly string[]>): Promise<FamilyAnswer> => {
    try {
      const addresses = await asked
      if (addresses.length > 0) limits.push(setTimeout(cancel, OTHER_FAMILY_MS_MAX))
      return { addresses, failure: null }
    } catch (cause) {
      return { addresses: [], failure: FAILURES[(cause as NodeJS.ErrnoException).code ?? ""] ?? "failed" }
    }
  }
  try {
    const families = [answerOf(resolver.resolve4(host)), answerOf(resolver.resolve6(host))]
    return resolutionOf(await Promise.all(families))
  } finally {
    signal?.removeEventListener("abort", cancel)
    for (const limit of limits) clearTimeout(limit)
  }
}

interface FamilyAnswer {
  readonly addresses: readonly string[]
  readonly failure: "failed" | "late" | "none" | null
}

/** `EBADNAME`: no name server can know the name. Every other code may be temporary. */
const FAILURES: Readonly<Record<string, FamilyAnswer["failure"]>> = {
  EBADNAME: "none",
  ENODATA: "none",
  ENOTFOUND: "none",
  ECANCELLED: "late",
  ETIMEOUT: "late",
}

/** IPv4 first: most machines can reach it. */
function resolutionOf(families: readonly FamilyAnswer[]): Resolution {
  const addresses = families.flatMap((family) => family.addresses)
  if (addresses.length > 0) return { type: "addresses", addresses }
  const failures = new Set(families.map(({ failure }) => failure))
  if (failures.has("late")) return TIMED_OUT
  return failures.has("failed") ? UNAVAILABLE : { type: "none", keptMs: FAILED_RESOLUTION_MS }
}
