/**
 * Bounds on unanswered requests and unread answers of one connection. Node reads as many requests as a client
 * pipelines, processes all of them at once and keeps their answers in memory, even if the client does not read them
 * (RFC 9112 §9.3.2 leaves the bound to the server). Source: src/DECISIONS.md §150.
 */

import type { FastifyInstance } from "fastify"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { PIPELINED_REQUESTS_MAX, UNREAD_BYTES_MAX, UNREAD_MS_MAX } from "../model/values/limits.ts"
import type { ClosedFor } from "../model/values/limits.ts"

/**
 * Closes a connection that exceeds a bound, and logs it. A single answer may have any length: a client may read it
 * slowly, as long as it reads. Must be called before the app listens and has routes.
 */
export function boundPipelines(
  app: FastifyInstance,
  onClosed: (reason: ClosedFor) => void,
  unreadMsMax = UNREAD_MS_MAX,
): void {
  const openBySocket = new WeakMap<Socket, Set<ServerResponse>>()
  const close = (socket: Socket, reason: ClosedFor, found: object): void => {
    if (socket.destroyed) return
    app.log.warn({ reason, ...found }, "a connection was closed")
    onClosed(reason)
    socket.destroy()
  }
  // Node restarts this timeout whenever the client has read a part of the answer, and sets another one after it.
  app.addHook("onSend", (_, { raw }, payload, done) => {
    raw.setTimeout(unreadMsMax, () => {
      if (raw.socket !== null) close(raw.socket, "stalled", { unread_bytes: raw.socket.writableLength })
    })
    done(null, payload)
  })
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

/** Bytes that the operating system has not taken, and the answers that wait behind them. */
function unreadBytes(socket: Socket, open: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength
  for (const response of open) if (response.socket === null) bytes += response.writableLength
  return bytes
}
