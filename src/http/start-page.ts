/**
 * `/`: the start page of a host for people, and a short directory for programs. It shows keys of demo data only to a
 * caller of this machine, when no proxy stands between them.
 */

import { isIP } from "node:net"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { WrittenPage } from "../html/page-frame.ts"
import { PRIVATE_PAGE_HEADERS } from "../html/page-frame.ts"
import type { Environment } from "../model/caller.ts"
import type { DescribedApi } from "./docs/plugin.ts"
import type { Readiness } from "./probes.ts"

/** Keys and ids of the demo in one environment. */
export interface StartDemo {
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  readonly operator_token: string
}

/** How an agent links the demo's user. */
export interface StartConnector {
  readonly mcp_url: string
  readonly issuer: string
  readonly phone: string
  readonly redirect_uri: string
}

export interface StartPageOptions {
  readonly environment: Environment
  /** URLs of both hosts, without a path. */
  readonly urls: Readonly<Record<Environment, string>>
  readonly documents: readonly DescribedApi[]
  readonly hasInspector: boolean
  readonly readiness: () => Promise<Readiness>
  /** Null without demo data. */
  readonly demo: {
    readonly access: StartDemo
    readonly connector: StartConnector
    readonly file: string
  } | null
  /** An address that the service may call for a bot's compartment. */
  readonly openLinkUrl: string
  /** True when the host listens on the loopback and no proxy is configured. */
  readonly isLocal: boolean
  /** What the service runs on, in a few words. */
  readonly about: { readonly database: string; readonly version: string; readonly startedAtMs: number }
  readonly page: (name: "gallery" | "start", shown: { title: string; data: unknown }) => Promise<WrittenPage>
}

export async function startPagePlugin(app: FastifyInstance, options: StartPageOptions): Promise<void> {
  const { environment, demo, page } = options
  app.get("/", async (request, reply) => {
    reply.header("Vary", "Accept").header("Cache-Control", "no-store")
    if (!wantsPage(request)) return { success: true, data: directoryOf(options) }
    const checks = await options.readiness()
    const showsKeys = demo !== null && options.isLocal && isFromThisMachine(request)
    const { html, policy } = await page("start", {
      title: environment === "sandbox" ? "Curbline sandbox" : "Curbline",
      data: {
        ...directoryOf(options),
        host: request.headers.host ?? "",
        checks,
        about: options.about,
        has_inspector: options.hasInspector,
        open_link_url: options.openLinkUrl,
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
    const { html, policy } = await page("gallery", { title: "Components - Curbline", data: null })
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

/** False as soon as anything says that the request was forwarded. */
function isFromThisMachine(request: FastifyRequest): boolean {
  const wasForwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some(
    (name) => request.headers[name] !== undefined,
  )
  return !wasForwarded && isLoopback(request.socket.remoteAddress ?? "")
}

export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/, "")
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."))
}
