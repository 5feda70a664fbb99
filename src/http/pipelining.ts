/**
 * Bounds on what one connection may leave unanswered or unread. Node reads as many requests as a client pipelines, works on all of
 * them at once and keeps their answers in memory, whether or not the client reads them (RFC 9112 §9.3.2 leaves the bound to the
 * server). Source: src/DECISIONS.md §152.
 */

import type { FastifyInstance } from "fastify"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { PIPELINED_REQUESTS_MAX, UNREAD_BYTES_MAX } from "../model/limits.ts"
import type { ClosedFor } from "../model/limits.ts"

/**
 * Closes a connection beyond either bound, and says so in the log. One answer alone is never too long: a client may read it as
 * slowly as it must. To be called before the app listens.
 */
export function boundPipelines(app: FastifyInstance, onClosed: (reason: ClosedFor) => void): void {
  const openBySocket = new WeakMap<Socket, Set<ServerResponse>>()
  const close = (socket: Socket, reason: ClosedFor, found: object): void => {
    if (socket.destroyed) return
    app.log.warn({ reason, ...found }, "a connection was closed")
    onClosed(reason)
    socket.destroy()
  }
  app.server.prependListener("request", ({ socket }, response) => {
    const open = openBySocket.get(socket) ?? new Set()
    openBySocket.set(socket, open.add(response))
    response.once("close", () => open.delete(response))
    if (open.size > PIPELINED_REQUESTS_MAX) close(socket, "pipelined", { unanswered: open.size })
    response.once("prefinish", () => {
      if (open.size < 2) return
      const unread = unreadBytes(socket, open)
      if (unread > UNREAD_BYTES_MAX) close(socket, "unread", { unread_bytes: unread })
    })
  })
}

/** What the operating system has not taken, and the answers that wait behind it. */
function unreadBytes(socket: Socket, open: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength
  for (const response of open) if (response.socket === null) bytes += response.writableLength
  return bytes
}
