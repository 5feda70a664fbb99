/**
 * `/llms.txt` and `/docs`: the OpenAPI documents of a host as a page, which reads them from this host and can send their calls to it.
 * Its Content-Security-Policy forbids every other host.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html/page-frame.ts"
import type { ShownPage, WrittenPage } from "../../pages/html/page-frame.ts"
import { referenceFrame } from "../../pages/html/first-frame.ts"
import type { Environment } from "../../model/caller.ts"
import { KeptBody } from "../bodies/kept-body.ts"
import { mayShowKeys } from "../demo-keys.ts"
import type { DemoAccess, DemoSight } from "../demo-keys.ts"

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

/** On every host of a service that keeps the log. */
export const REQUEST_LOG_API: DescribedApi = { name: "Request log API", url: "/openapi/logs.json" }

/** Only on the sandbox host. */
export const SANDBOX_API: DescribedApi = { name: "Sandbox API", url: "/openapi/sandbox.json" }

/** Only on the production host. */
export const PORTAL_API: DescribedApi = { name: "Portal API", url: "/openapi/portal.json" }

export const OPERATIONS_API: DescribedApi = { name: "Operations API", url: "/openapi/internal.json" }

/** On every host of a service with the runner's page. */
export const RUNNER_API: DescribedApi = { name: "Runner's phone API", url: "/openapi/runner.json" }

export interface DocsOptions extends DemoSight {
  readonly documents: readonly DescribedApi[]
  /** Texts of this host beside the documents. */
  readonly guides: readonly DescribedApi[]
  readonly environment: Environment
  /** URL of this host, without a path. */
  readonly baseUrl: string
  /** Null without demo data. */
  readonly demo: DemoAccess | null
  /** An address that the service may call for a bot's compartment. */
  readonly openLinkUrl: string
  readonly page: (name: "reference", shown: ShownPage) => Promise<WrittenPage>
}

export async function docsPlugin(app: FastifyInstance, options: DocsOptions): Promise<void> {
  const { documents, environment, baseUrl, demo, openLinkUrl, page } = options
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { html, policy } = await page("reference", {
      title: "API reference - Curbline",
      frame: referenceFrame({ heading: "API reference", environment }),
      data: {
        environment,
        documents,
        base_url: baseUrl,
        open_link_url: openLinkUrl,
        demo: demo !== null && mayShowKeys(request, options) ? demo : null,
      },
    })
    return reply
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
      .type("text/html; charset=utf-8")
      .send(html)
  }
  for (const path of [DOCS_PATH, `${DOCS_PATH}/`]) app.get(path, answer)
  const index = new KeptBody("text/plain; charset=utf-8", indexText(options))
  app.get("/llms.txt", (request, reply) => index.send(request, reply.header("Cache-Control", "no-cache")))
}

/** What a program that reads text finds here, in Markdown. Source: llmstxt.org. */
function indexText({ documents, guides, environment, baseUrl }: DocsOptions): string {
  const linkTo = ({ name, url }: DescribedApi): string => `- [${name}](${baseUrl}${url})`
  const asText = documents.map(({ name, url }) => ({ name, url: url.replace(/json$/, "md") }))
  return [
    "# Curbline",
    `> Autonomous curbside delivery: vehicles and robots collect orders at a store's curb. This is the ${environment} host.`,
    `## APIs\n\n${[...guides, ...asText].map(linkTo).join("\n")}`,
    `## Optional\n\nThe same as OpenAPI 3.1.\n\n${documents.map(linkTo).join("\n")}\n`,
  ].join("\n\n")
}
