/** Which requests come from a person's browser that opens a page. */

import type { FastifyRequest } from "fastify"

/** True for a request that a browser makes for a page, not a program or a script. */
export function readsPages({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return (headers.accept ?? "").includes("text/html")
}
