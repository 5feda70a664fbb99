/** Name resolution by the system's resolver, IPv4 and IPv6. */

import { lookup } from "node:dns/promises"
import { Effect, Layer } from "effect"
import { NameLookup } from "../../engine/services/outbound/url-policy.ts"
import type { Resolution } from "../../engine/services/outbound/url-policy.ts"

export const layerNameLookup: Layer.Layer<NameLookup> = Layer.succeed(NameLookup, {
  resolve: (host) => Effect.promise(() => resolve(host)),
})

/** "No such host" is a definite answer; every other error may be temporary. */
async function resolve(host: string): Promise<Resolution> {
  try {
    const found = await lookup(host, { all: true, verbatim: true })
    return { type: "addresses", addresses: found.map(({ address }) => address) }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    return { type: code === "ENOTFOUND" || code === "ENODATA" ? "none" : "unavailable" }
  }
}
