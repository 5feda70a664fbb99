/** `/assets`: the scripts, styles, typefaces and the mark of the service's pages. Public. */

import type { FastifyInstance } from "fastify"
import type { Asset } from "../../pages/html/page-frame.ts"
import { KeptBody } from "../bodies/kept-body.ts"

export interface AssetsOptions {
  /** The file of a path; null when there is none. */
  readonly asset: (path: string) => Promise<Asset | null>
}

export async function assetsPlugin(app: FastifyInstance, { asset }: AssetsOptions): Promise<void> {
  /** Files of bundles stay the same until the process ends, and a file that is not there is not kept. */
  const bodies = new Map<string, { readonly found: Asset; readonly body: KeptBody }>()
  const fileOf = async (path: string) => {
    const known = bodies.get(path)
    if (known !== undefined) return known
    const found = await asset(path)
    if (found === null) return null
    const made = { found, body: new KeptBody(found.contentType, found.body) }
    bodies.set(path, made)
    return made
  }
  app.get<{ Params: { name: string } }>("/assets/:name", async (request, reply) => {
    const file = await fileOf(`/assets/${request.params.name}`)
    if (file === null) return reply.callNotFound()
    const { found, body } = file
    reply.headers({
      "Cache-Control": found.isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=86400",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      ...(found.policy === undefined ? {} : { "Content-Security-Policy": found.policy }),
    })
    return body.send(request, reply)
  })
}
