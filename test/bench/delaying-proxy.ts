/** A proxy in front of a PostgreSQL server that holds back what a client sends, so that each round trip takes so much longer. */

import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

export interface DelayingProxy {
  readonly url: string
  /** From now on each part that a client sends is passed on so many milliseconds later, in order. */
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
    // Timers of one length end in the order in which they were started.
    client.on("data", (data) => {
      if (delayMs === 0) upstream.write(data)
      else setTimeout(() => upstream.write(data), delayMs)
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
