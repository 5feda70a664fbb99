/** A proxy in front of a PostgreSQL server that holds back what a client sends, so that each round trip takes so much longer. */

import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

export interface DelayingProxy {
  readonly url: string
  /** Delays each part that a client sends from now on by this many milliseconds, in order. */
  readonly setDelay: (delayMs: number) => void
  readonly close: () => Promise<void>
}

export async function startDelayingProxy(serverUrl: string): Promise<DelayingProxy> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let delayMs = 0
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    // In order, also when the delay becomes shorter while a part waits: statements that overtake others get their answers.
    const waiting: { readonly data: Buffer; readonly dueMs: number }[] = []
    const passOn = (): void => {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const leftMs = next.dueMs - performance.now()
        if (leftMs > 0) {
          setTimeout(passOn, leftMs)
          return
        }
        upstream.write(next.data)
        waiting.shift()
      }
    }
    client.on("data", (data: Buffer) => {
      waiting.push({ data, dueMs: performance.now() + delayMs })
      if (waiting.length === 1) passOn()
    })
    upstream.pipe(client)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    setDelay: (wantedMs) => {
      delayMs = wantedMs
    },
    close: async () => {
      for (const one of sockets) one.destroy()
      server.close()
      await once(server, "close")
    },
  }
}
