/** The path of an API's OpenAPI document. */

import type { FastifyInstance } from "fastify"
import { KeptBody } from "./kept-body.ts"

/** Made at the first request: most starts serve no document, and making all of them takes as long as starting both hosts. */
export function addApiDocument(app: FastifyInstance, name: string, make: () => object): void {
  let made: KeptBody | null = null
  app.get(`/openapi/${name}.json`, async (request, reply) => {
    made ??= new KeptBody("application/json; charset=utf-8", JSON.stringify(make()))
    return made.send(request, reply.header("Cache-Control", "no-cache"))
  })
}
