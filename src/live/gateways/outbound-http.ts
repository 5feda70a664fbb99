/**
 * Outbound HTTP over the network: it connects only to the checked addresses, follows no redirects, and bounds time and
 * size of an answer.
 */

import { request as httpRequest } from "node:http"
import type { IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { Cause, Layer } from "effect"
import { ANSWER_BYTES_MAX, LOGGED_BODY_LENGTH_MAX } from "../../model/values/limits.ts"
import { OutboundHttp } from "../../engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../engine/services/outbound/outbound-http.ts"
import { Routine } from "../../engine/services/routine.ts"
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
      Routine.tap(posting(request), (answer) =>
        noteOnSpan(() =>
          answer.type === "answered"
            ? { "http.response.status_code": answer.status }
            : { "error.type": answer.reason },
        ),
      ),
    ),
})

function posting(request: OutboundRequest): Routine<OutboundAnswer> {
  return Routine.answeredBy(
    ({ signal }) =>
      new Promise((resolve, reject) => {
        // A row may have been read meanwhile, which nothing interrupts.
        if (signal?.aborted === true) return reject(new Cause.InterruptedException())
        const interrupt = (): void => {
          cancel()
          reject(new Cause.InterruptedException())
        }
        const cancel = post(request, (answer) => {
          signal?.removeEventListener("abort", interrupt)
          resolve(answer)
        })
        signal?.addEventListener("abort", interrupt)
      }),
  )
}

/**
 * One time limit for the whole attempt: name, connection, headers and body. Ends exactly once, whatever the receiver
 * sends. Returns the cancellation.
 */
function post(request: OutboundRequest, done: (answer: OutboundAnswer) => void): () => void {
  const url = new URL(request.url)
  const send = url.protocol === "https:" ? httpsRequest : httpRequest
  const body = Buffer.from(request.body, "utf8")
  const outgoing = send(url, {
    method: "POST",
    headers: { ...request.headers, "Content-Length": body.length },
    lookup: pinned(request.addresses),
    // A new connection: a reused one might lead to an address that was checked for another request.
    agent: false,
    maxHeaderSize: ANSWER_BYTES_MAX,
  })
  let isLate = false
  // Cleared with the answer: AbortSignal.timeout would keep the whole request in memory until then.
  const limit = setTimeout(() => {
    isLate = true
    outgoing.destroy()
  }, request.timeoutMs)
  const fail = (): OutboundAnswer => ({
    type: "unanswered",
    reason: isLate ? "timeout" : "connection_failed",
  })
  let answerNow = fail
  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(limit)
    done(answerNow())
    outgoing.destroy()
  }
  outgoing.on("error", end)
  // Some ends of a connection are reported by this event only.
  outgoing.on("close", end)
  outgoing.on("response", (response) => (answerNow = readAnswer(response, end)))
  // An interim answer has no bound of its own in Node.
  outgoing.on("information", () => {
    if ((outgoing.socket?.bytesRead ?? 0) > ANSWER_BYTES_MAX) outgoing.destroy()
  })
  // Without a listener Node closes the connection of a 101 and reports no error. No upgrade was requested.
  outgoing.on("upgrade", ({ statusCode = 0 }, socket) => {
    answerNow = () => ({ type: "answered", status: statusCode })
    end()
    socket.destroy()
  })
  outgoing.end(body)
  return () => {
    hasEnded = true
    clearTimeout(limit)
    outgoing.destroy()
  }
}

/**
 * Reads the beginning of the body. Returns a function for the answer so far: the contracts count the status, so a body
 * that is cut, stalls or is too long does not change the result.
 */
function readAnswer(response: IncomingMessage, end: () => void): () => OutboundAnswer {
  let bytes = 0
  const first: Buffer[] = []
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= LOGGED_BODY_LENGTH_MAX) first.push(chunk)
    if (bytes > ANSWER_BYTES_MAX) end()
  })
  for (const event of ["end", "error", "close"]) response.on(event, end)
  return () => {
    const text = Buffer.concat(first).toString("utf8")
    const isWhole = response.complete && bytes <= LOGGED_BODY_LENGTH_MAX
    return { type: "answered", status: response.statusCode ?? 0, body: { text, isWhole } }
  }
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
