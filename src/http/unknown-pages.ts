/** Paths without a route among pages: a browser gets a page that leads home, every other client the error of the service. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Refused } from "../model/errors.ts"
import { sendError } from "./errors.ts"

export interface UnknownPages {
  /** `/portal`; with what follows. */
  readonly prefix: string
  /** Below it stand calls of scripts, which get errors alone: `/portal/api/`. */
  readonly apiPrefix?: string
  readonly send: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

export async function addUnknownPages(app: FastifyInstance, pages: UnknownPages): Promise<void> {
  await app.register((scope, _, done) => answerUnknownPaths(scope, pages, done), { prefix: pages.prefix })
}

function answerUnknownPaths(
  scope: FastifyInstance,
  { apiPrefix, send }: UnknownPages,
  done: () => void,
): void {
  scope.setNotFoundHandler(() => {
    throw new Refused({ code: "NOT_FOUND" })
  })
  // The gate refuses before the handler runs.
  scope.setErrorHandler(async (error, request, reply) => {
    const isUnknown = request.is404 && error instanceof Refused && error.code === "NOT_FOUND"
    const isOfScript = apiPrefix !== undefined && request.url.startsWith(apiPrefix)
    if (!isUnknown || isOfScript || !readsPages(request)) return sendError(error, request, reply)
    return send(request, reply)
  })
  done()
}

function readsPages({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? "").includes("text/html")
}
