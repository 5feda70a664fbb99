/** Name look-up for real: the system's resolver, both families. */

import { lookup } from "node:dns/promises"
import { Effect, Layer } from "effect"
import { NameLookup } from "../services/outbound/url-policy.ts"
import type { Resolution } from "../services/outbound/url-policy.ts"

export const layerNameLookup: Layer.Layer<NameLookup> = Layer.succeed(NameLookup, {
  resolve: (host) => Effect.promise(() => resolve(host)),
})

/** "No such host" is a definite answer; everything else that goes wrong may pass. */
async function resolve(host: string): Promise<Resolution> {
  try {
    const found = await lookup(host, { all: true, verbatim: true })
    return { type: "addresses", addresses: found.map(({ address }) => address) }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    return { type: code === "ENOTFOUND" || code === "ENODATA" ? "none" : "unavailable" }
  }
}
