/** POSTs to partners over the network. Of an answer the beginning is read. */

import type { IncomingMessage } from "node:http"
import { Layer } from "effect"
import { ANSWER_BYTES_MAX, LOGGED_BODY_LENGTH_MAX } from "../../model/values/limits.ts"
import { OutboundHttp } from "../../engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer } from "../../engine/services/outbound/outbound-http.ts"
import { exchange } from "./outbound-exchange.ts"

export const layerOutboundHttp: Layer.Layer<OutboundHttp> = Layer.succeed(OutboundHttp, {
  post: ({ body, ...request }) =>
    exchange({
      ...request,
      method: "POST",
      body: Buffer.from(body, "utf8"),
      read: readBeginning,
      unread: {},
    }),
})

type Beginning = Pick<Extract<OutboundAnswer, { readonly type: "answered" }>, "body">

/**
 * Returns a function for the answer so far: the contracts count the status, so a body that is cut, stalls or is too long
 * does not change the result.
 */
function readBeginning(response: IncomingMessage, end: () => void): () => Beginning {
  let bytes = 0
  const first: Buffer[] = []
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= LOGGED_BODY_LENGTH_MAX) first.push(chunk)
    if (bytes > ANSWER_BYTES_MAX) end()
  })
  return () => {
    const text = Buffer.concat(first).toString("utf8")
    const isWhole = response.complete && bytes <= LOGGED_BODY_LENGTH_MAX
    return { body: { text, isWhole } }
  }
}
