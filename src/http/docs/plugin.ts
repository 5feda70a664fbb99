/**
 * `/docs`: the OpenAPI documents of a host, rendered by Swagger UI from this process only. The page requests nothing
 * from other hosts, and its Content-Security-Policy forbids it.
 */

import swagger from "@fastify/swagger"
import swaggerUi from "@fastify/swagger-ui"
import type { FastifyInstance } from "fastify"

const DOCS_PATH = "/docs"

/** A document that the host serves. */
export interface DescribedApi {
  readonly name: string
  readonly url: string
}

/** The default list of documents; a host with more documents passes a longer list. */
const RESERVATIONS_API: DescribedApi = { name: "Reservations API", url: "/openapi/rs.json" }

const DIRECT_DELIVERY_API: DescribedApi = { name: "Direct Delivery API", url: "/openapi/dd.json" }

const ANALYTICS_API: DescribedApi = { name: "Analytics API", url: "/openapi/analytics.json" }

/** On every host. */
export const PARTNER_APIS: readonly DescribedApi[] = [RESERVATIONS_API, DIRECT_DELIVERY_API, ANALYTICS_API]

/** Only on the sandbox host. */
export const SANDBOX_API: DescribedApi = { name: "Sandbox API", url: "/openapi/sandbox.json" }

/** Only on the production host. */
export const PORTAL_API: DescribedApi = { name: "Portal API", url: "/openapi/portal.json" }

export const OPERATIONS_API: DescribedApi = { name: "Operations API", url: "/openapi/internal.json" }

/** No inline script or style, no other origin, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self'",
].join("; ")

export interface DocsOptions {
  readonly documents: readonly DescribedApi[]
}

export async function docsPlugin(app: FastifyInstance, { documents }: DocsOptions): Promise<void> {
  app.addHook("onSend", async (_, reply) => {
    reply.headers({ "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" })
  })
  await app.register(swagger, { mode: "static", specification: { document: EMPTY } })
  await app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
    staticCSP: POLICY,
    theme: { title: "Curbline API" },
    logo: { type: "image/svg+xml", content: NAME_AS_PICTURE },
    uiConfig: {
      urls: [...documents],
      // A key that was typed in is not stored.
      persistAuthorization: false,
      deepLinking: true,
      displayOperationId: true,
    },
  })
}

/** Replaces the plugin's own value. */
const NAME_AS_PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="110" height="40"><text x="0" y="27" fill="#fff" ' +
  'font-family="sans-serif" font-size="24">Curbline</text></svg>'

/** The plugin requires one document; the page reads the list instead. */
const EMPTY = { openapi: "3.1.0", info: { title: "See the list of documents", version: "1" }, paths: {} }
