/**
 * Serves one page to this machine only. It answers only under the loopback's own names, so that a page of another site
 * cannot reach it through a name that resolves to the loopback.
 */

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PRIVATE_PAGE_HEADERS } from "../html/page-frame.ts"
import type { WrittenPage } from "../html/page-frame.ts"

export interface Loopback {
  readonly url: string
  readonly close: () => Promise<void>
}

const HOST = "127.0.0.1"

/** Listens on the given port, or on a free one. */
export async function servePage({ html, policy }: WrittenPage, port = 0): Promise<Loopback> {
  const body = Buffer.from(html)
  const names = new Set<string>()
  const server = createServer((request, response) => {
    if (!names.has(request.headers.host ?? "")) {
      response.writeHead(421).end()
      return
    }
    if (request.url !== "/" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(request.url === "/" ? 405 : 404).end()
      return
    }
    response.writeHead(200, {
      ...PRIVATE_PAGE_HEADERS,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": body.length,
      "Content-Security-Policy": policy,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    })
    response.end(request.method === "HEAD" ? undefined : body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, HOST, resolve)
  })
  const { port: taken } = server.address() as AddressInfo
  for (const name of [HOST, "localhost"]) names.add(`${name}:${taken}`)
  return {
    url: `http://${HOST}:${taken}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
