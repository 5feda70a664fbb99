/**
 * The MCP endpoint as a Fastify plugin. In this order: the switch, the method, the caller, the request's origin, and
 * only then the body. Source: courier connector contract §4 and §5; our choices M3 to M6, X14.
 */

import { Effect } from "effect"
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { ISSUER_PATH } from "../../model/linking.ts"
import type { Courier } from "../../areas/courier/courier.ts"
import { ConnectorSwitch } from "../../areas/linking/connector-switch.ts"
import { Linking, Unauthenticated } from "../../areas/linking/linking.ts"
import { Malformed, Refused, TurnedAway } from "../../model/values/errors.ts"
import { gzippedFor } from "../../http/bodies/kept-body.ts"
import { OUTAGE_RETRY_SECONDS, isOutage } from "../../model/outage.ts"
import { inTraceOfCaller } from "./caller-trace.ts"
import { answer } from "./connector.ts"
import { RPC } from "./replied.ts"
import type { Answering } from "./sdk-server.ts"
import { errorIdOf } from "./stateless-revision.ts"
import { answerPost, messageOf, overloadedAnswer } from "./streamable-http.ts"

/** Below the origin of the connector's host. */
export const MCP_PATH = `${ISSUER_PATH}/mcp`

export type McpSurface = ConnectorSwitch | Courier | Linking

export interface McpOptions {
  /** Runs an effect; rejects with its tagged error, or with the defect that ended it. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, McpSurface>) => Promise<A>
  /** Scheme and host of the connector, without a path. */
  readonly baseUrl: string
  /** Origins of pages that may call from a browser, besides the connector's own. */
  readonly origins?: readonly string[]
  /** Called with the user of each admitted request. */
  readonly onUser?: (request: FastifyRequest, userId: string) => void
  /** More of the route's config. */
  readonly config?: FastifyContextConfig
  /** Called with the JSON of each answer; null without one. */
  readonly onAnswer?: (request: FastifyRequest, body: string | null) => void
}

const OTHER_METHODS = ["GET", "HEAD", "DELETE", "PUT", "PATCH"] as const

const USER = "mcpUser"

/** Requires the hooks of the gate on the instance, and bodies as bytes. */
export async function mcpPlugin(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { run, baseUrl } = options
  const origins = new Set([new URL(baseUrl).origin, ...(options.origins ?? [])])
  const answering: Answering = (asked) => run(inTraceOfCaller(asked, answer(asked)))
  app.decorateRequest(USER, "")
  app.setErrorHandler(sendProblem)
  app.addHook("onRequest", async (request, reply) => {
    reply.header("Cache-Control", "no-store")
    if (request.method !== "POST") {
      const isPaused = await run(Effect.flatMap(ConnectorSwitch, (connector) => connector.isPaused))
      return isPaused ? sendPaused(reply) : undefined
    }
    const { authorization, origin } = request.headers
    const user = await run(Effect.flatMap(Linking, (linking) => linking.admit(authorization)))
    if (user === "paused") return sendPaused(reply)
    request.setDecorator(USER, user.userId)
    options.onUser?.(request, user.userId)
    if (origin !== undefined && !origins.has(origin)) {
      return reply
        .code(403)
        .send(problem(RPC.serverError, "Forbidden: this origin may not call the connector"))
    }
  })
  app.route<{ Body: Buffer | undefined }>({
    method: "POST",
    url: MCP_PATH,
    // The answer to overload depends on the tool, which only the body names.
    config: { entersWithBody: true, ...options.config },
    handler: async (request, reply) => {
      const { status, headers, body } = await answerPost(answering, {
        url: `${baseUrl}${MCP_PATH}`,
        headers: singleHeaders(request),
        body: request.body ?? NO_BODY,
        userId: request.getDecorator<string>(USER),
      })
      reply.code(status).headers(headers)
      options.onAnswer?.(request, body)
      // An answer holds its envelope twice, and the list of tools is long.
      return body === null ? reply.send() : reply.send(await gzippedFor(request, reply, body))
    },
  })
  app.route({
    method: [...OTHER_METHODS],
    url: MCP_PATH,
    handler: async (_, reply) =>
      reply
        .code(405)
        .header("Allow", "POST")
        .send(problem(RPC.serverError, "Method not allowed: every call is a POST")),
  })
  app.route({
    method: "OPTIONS",
    url: MCP_PATH,
    handler: async (_, reply) => reply.code(204).header("Allow", "POST").send(),
  })
}

const NO_BODY = new Uint8Array()

/** Node represents a repeated header as a list; on the wire it is one value with commas. */
function singleHeaders({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
    ),
  )
}

/** The same answer as on the connector's other paths while it is paused. */
function sendPaused(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ error: "not_found", error_description: "the connector is paused" })
}

/** Errors that reach no transport. */
function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body = request.body instanceof Uint8Array ? request.body : NO_BODY
  const id = errorIdOf({ headers: singleHeaders(request), message: messageOf(body) })
  if (error instanceof TurnedAway && error.code === "OVERLOADED") {
    const answered = overloadedAnswer(body)
    return answered === null
      ? reply.code(503).send(problem(RPC.serverError, error.message, { id }))
      : reply.code(200).send(answered)
  }
  // Errors of the gate have the same form on every path.
  if (error instanceof Refused || error instanceof TurnedAway) throw error
  if (error instanceof Unauthenticated) {
    return reply.code(401).header("WWW-Authenticate", error.challenge).send(error.body)
  }
  if (error instanceof Malformed) {
    return reply
      .code(400)
      .send(problem(RPC.invalidRequest, `Invalid Request: ${error.field} ${error.message}`, { id }))
  }
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return reply.code(413).send(problem(RPC.serverError, "Payload too large: a request has at most 1 MiB"))
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return reply
      .code(415)
      .send(problem(RPC.serverError, "Unsupported media type: a request is application/json"))
  }
  if (code.startsWith("FST_ERR_CTP_") || (request.raw.destroyed && !request.raw.complete)) {
    return reply
      .code(400)
      .send(problem(RPC.serverError, "Bad request: the body is not as its headers describe it"))
  }
  if (isOutage(error)) {
    const data = { code: "internal_error", retryable: true }
    request.log.warn({ err: error }, "a request met an outage")
    return reply
      .code(503)
      .header("Retry-After", String(OUTAGE_RETRY_SECONDS))
      .send(problem(RPC.internalError, "Temporarily unavailable", { id, data }))
  }
  request.log.error({ err: error }, "a request failed")
  return reply.code(500).send(problem(RPC.internalError, "Internal error", { id }))
}

function problem(
  code: number,
  message: string,
  { id = null, data }: { readonly id?: ReturnType<typeof errorIdOf>; readonly data?: object } = {},
): object {
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id }
}
