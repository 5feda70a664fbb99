/** `/assets`: the scripts, styles, typefaces and the mark of the service's pages. Public. */

import type { FastifyInstance } from "fastify"
import type { Asset } from "../../pages/html/page-frame.ts"
import { Refused } from "../../model/values/errors.ts"

export interface AssetsOptions {
  /** The file of a path; null when there is none. */
  readonly asset: (path: string) => Promise<Asset | null>
}

export async function assetsPlugin(app: FastifyInstance, { asset }: AssetsOptions): Promise<void> {
  app.get<{ Params: { name: string } }>("/assets/:name", async ({ params }, reply) => {
    const found = await asset(`/assets/${params.name}`)
    if (found === null) throw new Refused({ code: "NOT_FOUND" })
    return reply
      .headers({
        "Cache-Control": found.isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=86400",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
      })
      .type(found.contentType)
      .send(found.body)
  })
}
