/** Requests of an MCP endpoint as its transports read them, and the answers to those that reach none. */

import type { FastifyReply, FastifyRequest } from "fastify"
import { OUTAGE_RETRY_SECONDS, isOutage } from "../../model/outage.ts"
import { Malformed, Refused, TurnedAway } from "../../model/values/errors.ts"
import { Unauthenticated } from "../../areas/linking/linking.ts"
import { RPC } from "./replied.ts"
import { errorIdOf } from "./stateless-revision.ts"
import { messageOf } from "./streamable-http.ts"

export const NO_BODY = new Uint8Array()

/** Node represents a repeated header as a list; on the wire it is one value with commas. */
export function singleHeaders({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
    ),
  )
}

/** Answers errors that reach no transport. `overloaded`: the answer to a message during overload, if it has one of its own. */
export function problemsOf(overloaded: (message: unknown) => object | null = () => null) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const body = request.body instanceof Uint8Array ? request.body : NO_BODY
    const message = messageOf(body)
    const id = errorIdOf({ headers: singleHeaders(request), message })
    if (error instanceof TurnedAway && error.code === "OVERLOADED") {
      const answered = overloaded(message)
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
}

export function problem(
  code: number,
  message: string,
  { id = null, data }: { readonly id?: ReturnType<typeof errorIdOf>; readonly data?: object } = {},
): object {
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id }
}
