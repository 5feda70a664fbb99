/** Routes that take a file of the page as its bytes. */

import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from "fastify"
import { FolderRefusal } from "./folder.ts"

const BYTES = "application/octet-stream"

interface Bytes {
  /** What is sent, in messages. */
  readonly what: string
  /** Bytes of one call. */
  readonly max: number
}

/** A route in a scope of its own: no other route takes bytes. */
export function addBytes(
  app: FastifyInstance,
  { what, max }: Bytes,
  add: (scope: FastifyInstance, options: Pick<RouteShorthandOptions, "bodyLimit" | "onRequest">) => void,
): void {
  /** Before the body is read. */
  const refuseOtherContent = (
    { headers }: FastifyRequest,
    _: unknown,
    next: (fault?: Error) => void,
  ): void => {
    const type = headers["content-type"]
    if (type === BYTES) return next()
    const sent = type === undefined ? "without a content type" : `as ${type}`
    next(new FolderRefusal(415, `the ${what} was sent ${sent}; send its bytes as ${BYTES}`))
  }
  void app.register((scope, _, done) => {
    scope.addContentTypeParser(BYTES, { parseAs: "buffer" }, (_request, bytes, parsed) => parsed(null, bytes))
    add(scope, { bodyLimit: max, onRequest: refuseOtherContent })
    done()
  })
}
