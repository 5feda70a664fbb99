/**
 * A bound on requests that one connection sends ahead of their answers. Node reads as many as a client pipelines, and works on
 * all of them at once, whether or not the client reads what it is answered (RFC 9112 §9.3.2 leaves the bound to the server).
 */

import type { FastifyInstance } from "fastify"
import type { Socket } from "node:net"
import { PIPELINED_REQUESTS_MAX } from "../model/limits.ts"

/** Closes a connection with more unanswered requests than that, and says so in the log. To be called before the app listens. */
export function boundPipelines(app: FastifyInstance): void {
  const unansweredBySocket = new WeakMap<Socket, number>()
  app.server.prependListener("request", ({ socket }, response) => {
    const unanswered = (unansweredBySocket.get(socket) ?? 0) + 1
    unansweredBySocket.set(socket, unanswered)
    response.once("close", () => unansweredBySocket.set(socket, (unansweredBySocket.get(socket) ?? 1) - 1))
    if (unanswered <= PIPELINED_REQUESTS_MAX || socket.destroyed) return
    app.log.warn({ unanswered, reason: "too many pipelined requests" }, "a connection was closed")
    socket.destroy()
  })
}
