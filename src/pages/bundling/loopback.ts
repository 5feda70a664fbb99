/**
 * Serves one page, and what belongs to it, to this machine only. It answers only under the loopback's own names, so that a page of another site
 * cannot reach it through a name that resolves to the loopback.
 */

import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { PRIVATE_PAGE_HEADERS } from "../html/page-frame.ts"
import type { WrittenPage } from "../html/page-frame.ts"

export interface Loopback {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Other pages of the same server: null for an unknown path or method. */
export type BesidePages = (
  url: URL,
  method: string,
) => Promise<{ readonly page: WrittenPage } | { readonly json: unknown } | null>

const HOST = "127.0.0.1"

/** Listens on the given port, or on a free one. */
export async function servePage(page: WrittenPage, port = 0, beside?: BesidePages): Promise<Loopback> {
  const names = new Set<string>()
  const server = createServer((request, response) => {
    if (!names.has(request.headers.host ?? "")) {
      response.writeHead(421).end()
      return
    }
    const { method = "GET", url = "/" } = request
    const isPage = url === "/"
    if (isPage && (method === "GET" || method === "HEAD")) return sendPage(response, page, method)
    // A page of another site may open this one, and may not begin or stop work here.
    const isForeign = request.headers["sec-fetch-site"] === "cross-site"
    if (beside === undefined || isPage || isForeign) {
      response.writeHead(isPage ? 405 : 404).end()
      return
    }
    void sendBeside(response, () => beside(new URL(url, "http://localhost"), method), method)
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

function sendPage(response: ServerResponse, { html, policy }: WrittenPage, method: string): void {
  const body = Buffer.from(html)
  response.writeHead(200, {
    ...PRIVATE_PAGE_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    "Content-Security-Policy": policy,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
  })
  response.end(method === "HEAD" ? undefined : body)
}

async function sendBeside(
  response: ServerResponse,
  ask: () => ReturnType<BesidePages>,
  method: string,
): Promise<void> {
  try {
    const found = await ask()
    if (found === null) response.writeHead(404).end()
    else if ("page" in found) sendPage(response, found.page, method)
    else {
      response.writeHead(200, { ...PRIVATE_PAGE_HEADERS, "Content-Type": "application/json; charset=utf-8" })
      response.end(JSON.stringify(found.json))
    }
  } catch {
    response.writeHead(500).end()
  }
}
