/** Bringing a listening app to its end: open requests are answered first, within a bound. */

import type { FastifyInstance } from "fastify"

/** Follows the requests of an app from their headers to the end of their answers. To be called before it listens. */
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
   * Waits for what is open now, while the app still takes connections, so that a load balancer hears from `/readyz`
   * that it is to go elsewhere. Then closes: what came meanwhile is answered too, and after the bound cut off.
   */
  async drain(msMax: number): Promise<void> {
    const waited = new Promise<void>((resolve) => {
      this.#whenNone = resolve
      if (this.#open.size === 0) resolve()
    })
    const cutOff = new Promise<void>((resolve) => {
      setTimeout(resolve, msMax).unref()
    })
    await Promise.race([waited, cutOff])
    void cutOff.then(() => this.#app.server.closeAllConnections())
    await this.#app.close()
  }
}
