/**
 * Outbound HTTP over the network: it connects only to the checked addresses, follows no redirects, and bounds time and
 * size of an answer.
 */

import { request as httpRequest } from "node:http"
import type { IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { Effect, Layer } from "effect"
import { ANSWER_BYTES_MAX, LOGGED_BODY_LENGTH_MAX } from "../../model/values/limits.ts"
import { OutboundHttp } from "../../engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../engine/services/outbound/outbound-http.ts"
import { noteOnSpan, traced } from "../../engine/services/tracing.ts"

export const layerOutboundHttp: Layer.Layer<OutboundHttp> = Layer.succeed(OutboundHttp, {
  post: (request) =>
    traced(
      {
        name: "POST",
        // Only the host: a path may contain a partner's secret.
        attributes: () => ({ "http.request.method": "POST", "server.address": new URL(request.url).host }),
        isOutgoing: true,
      },
      Effect.tap(
        Effect.async<OutboundAnswer>((resume) => post(request, (answer) => resume(Effect.succeed(answer)))),
        (answer) =>
          noteOnSpan(() =>
            answer.type === "answered"
              ? { "http.response.status_code": answer.status }
              : { "error.type": answer.reason },
          ),
      ),
    ),
})

/** One time limit for the whole attempt: name, connection, headers and body. Returns the cancellation. */
function post(request: OutboundRequest, done: (answer: OutboundAnswer) => void): Effect.Effect<void> {
  const url = new URL(request.url)
  const send = url.protocol === "https:" ? httpsRequest : httpRequest
  const body = Buffer.from(request.body, "utf8")
  const outgoing = send(url, {
    method: "POST",
    headers: { ...request.headers, "Content-Length": body.length },
    lookup: pinned(request.addresses),
    // A new connection: a reused one might lead to an address that was checked for another request.
    agent: false,
  })
  let isLate = false
  // Cleared with the answer: AbortSignal.timeout would keep the whole request in memory until then.
  const limit = setTimeout(() => {
    isLate = true
    outgoing.destroy()
  }, request.timeoutMs)
  const end = (answer: OutboundAnswer): void => {
    clearTimeout(limit)
    done(answer)
  }
  const fail = (): void => end({ type: "unanswered", reason: isLate ? "timeout" : "connection_failed" })
  outgoing.on("error", fail)
  outgoing.on("response", (response) => readAnswer(response, { done: end, fail }))
  outgoing.end(body)
  return Effect.sync(() => {
    clearTimeout(limit)
    outgoing.destroy()
  })
}

function readAnswer(
  response: IncomingMessage,
  { done, fail }: { done: (answer: OutboundAnswer) => void; fail: () => void },
): void {
  let bytes = 0
  const first: Buffer[] = []
  const answered = (): void => {
    const isWhole = bytes <= LOGGED_BODY_LENGTH_MAX
    const text = Buffer.concat(first).toString("utf8")
    done({ type: "answered", status: response.statusCode ?? 0, body: { text, isWhole } })
  }
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= LOGGED_BODY_LENGTH_MAX) first.push(chunk)
    if (bytes <= ANSWER_BYTES_MAX) return
    answered()
    response.destroy()
  })
  response.on("end", answered)
  response.on("error", fail)
}

/** Resolves every name to the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first] = all
    if (first === undefined) callback(new Error("no checked address"), "", 0)
    else if (options.all === true) callback(null, all)
    else callback(null, first.address, first.family)
  }
}
