/** Documents over the network, read whole or not at all. */

import type { IncomingMessage } from "node:http"
import { Layer } from "effect"
import { OutboundDocuments } from "../../engine/services/outbound/outbound-documents.ts"
import type { DocumentAnswer } from "../../engine/services/outbound/outbound-documents.ts"
import { exchange } from "./outbound-exchange.ts"

export const layerOutboundDocuments: Layer.Layer<OutboundDocuments> = Layer.succeed(OutboundDocuments, {
  get: ({ bytesMax, ...request }) =>
    exchange({
      ...request,
      method: "GET",
      headers: { Accept: "application/json", "User-Agent": "Curbline/1" },
      body: null,
      read: (response, end) => readWhole(response, bytesMax, end),
      unread: { headers: {}, text: null },
    }),
})

type Whole = Pick<Extract<DocumentAnswer, { readonly type: "answered" }>, "headers" | "text">

function readWhole(response: IncomingMessage, bytesMax: number, end: () => void): () => Whole {
  let bytes = 0
  const chunks: Buffer[] = []
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
    else end()
  })
  return () => ({
    headers: Object.fromEntries(
      Object.entries(response.headers).filter(([, value]) => typeof value === "string"),
    ) as Whole["headers"],
    text: response.complete && bytes <= bytesMax ? textIn(Buffer.concat(chunks)) : null,
  })
}

function textIn(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
