/** The network of a caller's address, by which limits count. */

import ipaddr from "ipaddr.js"

/** An IPv6 customer has a whole /64, so its addresses count as one. All texts that are no address count as one, too. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown"
  const judged = ipaddr.process(address)
  if (!(judged instanceof ipaddr.IPv6)) return judged.toString()
  return judged.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")
}
