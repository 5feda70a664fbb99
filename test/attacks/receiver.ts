/** A partner's endpoint on the loopback: keeps the bytes of its requests, and answers as configured. */

import { createServer } from "node:http"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Arrived {
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly arrived: readonly Arrived[]
  readonly close: () => Promise<void>
}

export async function startReceiver(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end(),
  host = "127.0.0.1",
): Promise<Receiver> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      arrived.push({ headers: request.headers, bytes: Buffer.concat(chunks) })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/events`,
    port,
    arrived,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
