/** The path of an API's OpenAPI document. */

import type { FastifyInstance } from "fastify"

/** Made at the first request: most starts serve no document, and making all of them takes as long as starting both hosts. */
export function addApiDocument(app: FastifyInstance, name: string, make: () => object): void {
  let made: object | null = null
  app.get(`/openapi/${name}.json`, async () => (made ??= make()))
}
