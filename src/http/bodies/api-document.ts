/** The paths of an API's OpenAPI document: as JSON, and as Markdown. */

import type { FastifyInstance } from "fastify"
import { markdownOf } from "./document-markdown.ts"
import { KeptBody } from "./kept-body.ts"

/** Made at the first request: most starts serve no document, and making all of them takes as long as starting both hosts. */
export function addApiDocument(app: FastifyInstance, name: string, make: () => object): void {
  const serve = (path: string, type: string, textOf: (document: object) => string): void => {
    let made: KeptBody | null = null
    app.get(path, async (request, reply) => {
      made ??= new KeptBody(`${type}; charset=utf-8`, textOf(make()))
      return made.send(request, reply.header("Cache-Control", "no-cache"))
    })
  }
  serve(`/openapi/${name}.json`, "application/json", JSON.stringify)
  serve(`/openapi/${name}.md`, "text/markdown", markdownOf)
}
