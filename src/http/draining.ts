/** Ends a listening app: open requests are answered first, within a time limit. */

import type { FastifyInstance } from "fastify"
import type { Socket } from "node:net"

const onDrain = new WeakMap<object, Set<() => void>>()

/** Calls back when the app stops: for answers that do not end by themselves. */
export function whenDraining({ server }: FastifyInstance, end: () => void): void {
  onDrain.set(server, (onDrain.get(server) ?? new Set()).add(end))
}

/**
 * Lets an app close while it has connections on which nothing ever came. Browsers and load balancers open them ahead;
 * Node does not count them as idle, and would wait for them. Must be called before the app listens.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  app.addHook("preClose", async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  })
}

/**
 * Tracks the requests of an app from their headers to the end of their answers. Must be called before the app listens.
 */
export class OpenRequests {
  readonly #app: FastifyInstance
  readonly #open = new Set<object>()
  #whenNone: () => void = () => undefined

  constructor(app: FastifyInstance) {
    this.#app = app
    app.server.on("request", (_, response) => {
      this.#open.add(response)
      response.once("close", () => {
        this.#open.delete(response)
        if (this.#open.size === 0) this.#whenNone()
      })
    })
  }

  /**
   * Waits for open requests while the app still accepts connections, so that a load balancer learns from `/readyz` to
   * stop sending. Then closes: requests that arrived meanwhile are answered too, and cut off after the time limit.
   */
  async drain(msMax: number): Promise<void> {
    const waited = new Promise<void>((resolve) => {
      this.#whenNone = resolve
      if (this.#open.size === 0) resolve()
    })
    for (const end of onDrain.get(this.#app.server) ?? []) end()
    const cutOff = new Promise<void>((resolve) => {
      setTimeout(resolve, msMax).unref()
    })
    await Promise.race([waited, cutOff])
    void cutOff.then(() => this.#app.server.closeAllConnections())
    await this.#app.close()
  }
}
