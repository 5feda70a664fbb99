/**
 * The routes of an MCP endpoint. In this order: the method, the caller, the request's origin, and only then the body. Source: courier
 * connector contract §4; our choices M3 to M6.
 */

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { compressedFor } from "../../http/bodies/kept-body.ts"
import { NO_BODY, problem, problemsOf, singleHeaders } from "./problems.ts"
import { RPC } from "./replied.ts"
import type { Served } from "./sdk-server.ts"
import { answerPost } from "./streamable-http.ts"

interface McpEndpoint {
  readonly path: string
  /** Scheme and host, without a path. */
  readonly baseUrl: string
  /** Origins of pages that may call from a browser, besides the endpoint's own. */
  readonly origins?: readonly string[]
  /** More of the route's config. */
  readonly config?: FastifyContextConfig
  /** Identifies the caller of a request, whatever its method. An answer that it sends is the request's. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined | void>
  /** What an admitted request is served. */
  readonly served: (request: FastifyRequest) => Served
  /** The answer to a message during overload; null for one that has no answer of its own. */
  readonly overloaded?: (message: unknown) => object | null
  /** Called with the JSON of each answer; null without one. */
  readonly onAnswer?: (request: FastifyRequest, body: string | null) => void
}

const OTHER_METHODS = ["GET", "HEAD", "DELETE", "PUT", "PATCH"] as const

/** Requires an instance of its own, the hooks of the gate on the one around it, and bodies as bytes. */
export function addMcpEndpoint(app: FastifyInstance, endpoint: McpEndpoint): void {
  const { path: url, baseUrl, config, admit, served, overloaded, onAnswer } = endpoint
  const origins = new Set([new URL(baseUrl).origin, ...(endpoint.origins ?? [])])
  app.setErrorHandler(problemsOf(overloaded))
  app.addHook("onRequest", async (request, reply) => {
    reply.header("Cache-Control", "no-store")
    const answered = await admit(request, reply)
    const { origin } = request.headers
    if (answered !== undefined || request.method !== "POST" || origin === undefined || origins.has(origin))
      return answered
    return reply.code(403).send(problem(RPC.serverError, "Forbidden: pages of this origin may not call it"))
  })
  app.route<{ Body: Buffer | undefined }>({
    method: "POST",
    url,
    // Where the answer to overload depends on the message, it needs the body.
    config: { entersWithBody: overloaded !== undefined, ...config },
    handler: async (request, reply) => {
      const { status, headers, body } = await answerPost(served(request), {
        url: `${baseUrl}${url}`,
        headers: singleHeaders(request),
        body: request.body ?? NO_BODY,
      })
      reply.code(status).headers(headers)
      onAnswer?.(request, body)
      // An answer holds its envelope twice, and the list of tools is long.
      return body === null ? reply.send() : reply.send(await compressedFor(request, reply, body))
    },
  })
  app.route({
    method: [...OTHER_METHODS],
    url,
    handler: async (_, reply) =>
      reply
        .code(405)
        .header("Allow", "POST")
        .send(problem(RPC.serverError, "Method not allowed: every call is a POST")),
  })
  app.route({
    method: "OPTIONS",
    url,
    handler: async (_, reply) => reply.code(204).header("Allow", "POST").send(),
  })
}
