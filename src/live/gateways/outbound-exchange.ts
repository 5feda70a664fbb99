/**
 * One exchange over the network: it connects only to the checked addresses, follows no redirects, and bounds time and
 * size of an answer.
 */

import { request as httpRequest } from "node:http"
import type { ClientRequest, IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { Cause } from "effect"
import { ANSWER_BYTES_MAX } from "../../model/values/limits.ts"
import { Routine } from "../../engine/services/routine.ts"
import { noteOnSpan, traced } from "../../engine/services/tracing.ts"

export interface Exchange<Read extends object> {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a request without one. */
  readonly body: Buffer | null
  readonly timeoutMs: number
  readonly addresses: readonly string[]
  /** Reads an answer until it calls `end`. Returns a function for what was read so far. */
  readonly read: (response: IncomingMessage, end: () => void) => () => Read
  /** What is read of an answer without a body. */
  readonly unread: Read
  /** Writes the body and ends the request; absent: at once. */
  readonly write?: (outgoing: ClientRequest, body: Buffer) => void
}

export type Exchanged<Read extends object> =
  | ({ readonly type: "answered"; readonly status: number } & Read)
  | { readonly type: "unanswered"; readonly reason: "timeout" | "connection_failed" }

/** One time limit for the whole exchange: name, connection, headers and body. An interruption ends it. */
export function exchange<Read extends object>(request: Exchange<Read>): Routine<Exchanged<Read>> {
  const { method, url } = request
  return traced(
    {
      name: method,
      // Only the host: a path may contain a partner's secret.
      attributes: () => ({ "http.request.method": method, "server.address": new URL(url).host }),
      isOutgoing: true,
    },
    Routine.tap(exchanging(request), (answer) =>
      noteOnSpan(() =>
        answer.type === "answered"
          ? { "http.response.status_code": answer.status }
          : { "error.type": answer.reason },
      ),
    ),
  )
}

function exchanging<Read extends object>(request: Exchange<Read>): Routine<Exchanged<Read>> {
  return Routine.answeredBy(
    ({ signal }) =>
      new Promise((resolve, reject) => {
        // A row may have been read meanwhile, which nothing interrupts.
        if (signal?.aborted === true) return reject(new Cause.InterruptedException())
        const interrupt = (): void => {
          cancel()
          reject(new Cause.InterruptedException())
        }
        const cancel = send(request, (answer) => {
          signal?.removeEventListener("abort", interrupt)
          resolve(answer)
        })
        signal?.addEventListener("abort", interrupt)
      }),
  )
}

/** Ends exactly once, whatever the receiver sends. Returns the cancellation. */
function send<Read extends object>(
  { method, url: address, headers, body, timeoutMs, addresses, read, unread, write }: Exchange<Read>,
  done: (answer: Exchanged<Read>) => void,
): () => void {
  const url = new URL(address)
  const begin = url.protocol === "https:" ? httpsRequest : httpRequest
  const outgoing = begin(url, {
    method,
    headers: { ...headers, ...(body === null ? {} : { "Content-Length": body.length }) },
    lookup: pinned(addresses),
    // A new connection: a reused one might lead to an address that was checked for another request.
    agent: false,
    maxHeaderSize: ANSWER_BYTES_MAX,
  })
  let isLate = false
  // Cleared with the answer: AbortSignal.timeout would keep the whole request in memory until then.
  const limit = setTimeout(() => {
    isLate = true
    outgoing.destroy()
  }, timeoutMs)
  let answerNow = (): Exchanged<Read> => ({
    type: "unanswered",
    reason: isLate ? "timeout" : "connection_failed",
  })
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
  outgoing.on("response", (response) => {
    const soFar = read(response, end)
    for (const event of ["end", "error", "close"]) response.on(event, end)
    answerNow = () => ({ type: "answered", status: response.statusCode ?? 0, ...soFar() })
  })
  // An interim answer has no bound of its own in Node.
  outgoing.on("information", () => {
    if ((outgoing.socket?.bytesRead ?? 0) > ANSWER_BYTES_MAX) outgoing.destroy()
  })
  // Without a listener Node closes the connection of a 101 and reports no error. No upgrade was requested.
  outgoing.on("upgrade", ({ statusCode = 0 }, socket) => {
    answerNow = () => ({ type: "answered", status: statusCode, ...unread })
    end()
    socket.destroy()
  })
  if (write === undefined || body === null) outgoing.end(body ?? undefined)
  else write(outgoing, body)
  return () => {
    hasEnded = true
    clearTimeout(limit)
    outgoing.destroy()
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
