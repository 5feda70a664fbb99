/** What a developer of a sandbox has in a journey: requests under the demo's key, and a receiver of webhooks. */

import { createServer } from "node:http"
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { once } from "node:events"
import { expect } from "vitest"
import { curblineHereWith } from "../cli/same-process.ts"
import { dataFolder } from "../serve/service-process.ts"
import type { Json, Served } from "./served.ts"

interface Hook {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMs: number
}

/** A receiver whose answers the test decides. */
export class Receiver {
  readonly hooks: Hook[] = []
  /** How many of the next requests fail. */
  failing = 0
  /** True: requests get no answer. */
  isHolding = false
  readonly #held: ServerResponse[] = []
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      this.hooks.push({ headers: request.headers, body, atMs: Date.now() })
      if (this.isHolding) return void this.#held.push(response)
      response.statusCode = this.failing > 0 ? 503 : 200
      this.failing = Math.max(0, this.failing - 1)
      response.end()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  get events(): readonly Json[] {
    return this.hooks.map(({ body }) => JSON.parse(body))
  }

  release(): void {
    this.isHolding = false
    for (const response of this.#held.splice(0)) response.end()
  }

  async close(): Promise<void> {
    this.release()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}

export interface Said {
  readonly status: number
  readonly code: string | undefined
  readonly data: Json
}

/** Sends requests under the demo's key to the sandbox, or to another host. */
export function developerOf(served: Served) {
  return async (method: string, path: string, body?: object, host?: string): Promise<Said> => {
    const { access, urls } = served.process()
    const { status, body: said } = await served.ask({
      method,
      path: `${host ?? urls.sandbox}${path}`,
      bearer: access.sandbox.api_key,
      headers: { "x-retailer-id": access.sandbox.site_id },
      ...(body === undefined ? {} : { body }),
    })
    return { status, code: said.code, data: said.data }
  }
}

/** The journal, exported and replayed, gives the hash of the export. */
export async function expectReplayed(served: Served): Promise<void> {
  const record = join(dataFolder(), "record.ndjson")
  const isEmbedded = served.databaseUrl() === null
  const { data } = served.process()
  if (isEmbedded) await served.process().stop()
  const exported = await curblineHereWith(served.env(), "journal", "export", "--out", record, "--data", data)
  expect(exported.status).toBe(0)
  const [hash] = /[0-9a-f]{64}/.exec(exported.err) ?? []
  const replayed = await curblineHereWith({}, "replay", record)
  expect(replayed.status).toBe(0)
  expect(`${replayed.out}${replayed.err}`).toContain(hash)
  if (isEmbedded) await served.start()
}
