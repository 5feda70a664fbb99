/**
 * `/`: the start page of a host for people, and a short directory for programs. It shows keys of demo data only to a
 * caller of this machine, when no proxy stands between them.
 */

import type { FastifyInstance, FastifyRequest } from "fastify"
import type { ShownPage, WrittenPage } from "../../pages/html/page-frame.ts"
import { startFrame, toolFrame } from "../../pages/html/first-frame.ts"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html/page-frame.ts"
import type { Environment } from "../../model/caller.ts"
import { mayShowKeys } from "../demo-keys.ts"
import type { DemoAccess, DemoSight } from "../demo-keys.ts"
import type { DescribedApi } from "../docs/plugin.ts"
import type { Readiness } from "../probes.ts"

/** How an agent links the demo's user. */
export interface StartConnector {
  readonly mcp_url: string
  readonly issuer: string
  readonly phone: string
  readonly redirect_uri: string
}

export interface StartPageOptions extends DemoSight {
  readonly environment: Environment
  /** URLs of both hosts, without a path. */
  readonly urls: Readonly<Record<Environment, string>>
  readonly documents: readonly DescribedApi[]
  readonly hasInspector: boolean
  readonly readiness: () => Promise<Readiness>
  /** Null without demo data. */
  readonly demo: {
    readonly access: DemoAccess
    readonly connector: StartConnector
    readonly file: string
  } | null
  /** Where the demo's day is replayed: what its run is made of, and the page; null without demo data. */
  readonly replay: { readonly run: string; readonly page: string } | null
  /** An address that the service may call for a bot's compartment. */
  readonly openLinkUrl: string
  /** What the service runs on, in a few words. */
  readonly about: { readonly database: string; readonly version: string; readonly startedAtMs: number }
  readonly page: (name: "gallery" | "start", shown: ShownPage) => Promise<WrittenPage>
}

export async function startPagePlugin(app: FastifyInstance, options: StartPageOptions): Promise<void> {
  const { environment, demo, page } = options
  app.get("/", async (request, reply) => {
    reply.header("Vary", "Accept").header("Cache-Control", "no-store")
    if (!wantsPage(request)) return { success: true, data: directoryOf(options) }
    const checks = await options.readiness()
    const showsKeys = demo !== null && mayShowKeys(request, options)
    const { html, policy } = await page("start", {
      title: environment === "sandbox" ? "Curbline sandbox" : "Curbline",
      frame: startFrame({ heading: environment === "sandbox" ? "The sandbox" : "Production", environment }),
      data: {
        ...directoryOf(options),
        host: request.headers.host ?? "",
        checks,
        about: options.about,
        has_inspector: options.hasInspector,
        open_link_url: options.openLinkUrl,
        replay: options.replay,
        demo_file: demo?.file ?? null,
        demo: demo !== null && showsKeys ? { ...demo.access, connector: demo.connector } : null,
      },
    })
    return reply
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
      .type("text/html; charset=utf-8")
      .send(html)
  })
  if (demo === null) return
  // Components to look at, where people try the service out.
  app.get("/design", async (_, reply) => {
    const { html, policy } = await page("gallery", {
      title: "Components - Curbline",
      frame: toolFrame({ heading: "Components" }),
      data: null,
    })
    return reply
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
      .type("text/html; charset=utf-8")
      .send(html)
  })
}

/** Browsers send `text/html` first; curl and clients send `*` or JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? "").includes("text/html")
}

function directoryOf({ environment, urls, documents }: StartPageOptions): object {
  return {
    environment,
    urls,
    documents: documents.map(({ name, url }) => ({ name, url })),
    docs: "/docs",
    portal: `${urls.production}/portal`,
    readiness: "/readyz",
  }
}
