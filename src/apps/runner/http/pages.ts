/**
 * `/runner`: the page of the runner's phone, with what makes it an application: its manifest, its icons and its service
 * worker. The page is the same for all visitors; its script asks who it is.
 */

import { readFile } from "node:fs/promises"
import type { FastifyInstance } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { ShownPage, WrittenPage } from "../../../pages/html/page-frame.ts"
import { phoneFrame } from "../../../pages/html/first-frame.ts"
import type { Environment } from "../../../model/caller.ts"
import { Refused } from "../../../model/values/errors.ts"

export interface RunnerPagesOptions {
  readonly environment: Environment
  readonly page: (shown: ShownPage) => Promise<WrittenPage>
  /** `answer` is everything that the page's path answers. */
  readonly worker: (answer: string) => Promise<string>
}

const PAGE = "/runner"
const MANIFEST = `${PAGE}/manifest.webmanifest`
/** Made from the mark; the one for launchers that cut a shape has its ground up to the border. */
const ICONS = ["icon-192.png", "icon-512.png", "icon-maskable-512.png"] as const

export async function runnerPagesPlugin(app: FastifyInstance, options: RunnerPagesOptions): Promise<void> {
  const { environment, page, worker } = options
  const name = environment === "sandbox" ? "Curbline runner (sandbox)" : "Curbline runner"
  const shell = async () => {
    const frame = phoneFrame({ heading: "Curbline runner" })
    const { html, policy } = await page({ title: name, frame, data: null, manifest: MANIFEST })
    return { html, headers: { ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy } }
  }
  app.get(PAGE, async (_, reply) => {
    const { html, headers } = await shell()
    return reply.headers(headers).type("text/html; charset=utf-8").send(html)
  })
  app.get(MANIFEST, (_, reply) =>
    reply
      .headers({ "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" })
      .type("application/manifest+json; charset=utf-8")
      .send(JSON.stringify(manifestOf(name))),
  )
  app.get(`${PAGE}/worker.js`, async (_, reply) =>
    reply
      .headers({
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
        // Its own folder would not contain the page.
        "Service-Worker-Allowed": PAGE,
        "Content-Security-Policy": "default-src 'none'; connect-src 'self'; script-src 'self'",
      })
      .type("text/javascript; charset=utf-8")
      .send(await worker(JSON.stringify(await shell()))),
  )
  app.get<{ Params: { name: string } }>(`${PAGE}/icons/:name`, async ({ params }, reply) => {
    const icon = ICONS.find((known) => known === params.name)
    if (icon === undefined) throw new Refused({ code: "NOT_FOUND" })
    return reply
      .headers({ "Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff" })
      .type("image/png")
      .send(await readFile(new URL(`icons/${icon}`, import.meta.url)))
  })
}

function manifestOf(name: string): object {
  return {
    name,
    short_name: "Runner",
    id: PAGE,
    start_url: PAGE,
    scope: PAGE,
    display: "standalone",
    orientation: "portrait",
    icons: ICONS.map((icon) => ({
      src: `${PAGE}/icons/${icon}`,
      type: "image/png",
      sizes: icon.includes("192") ? "192x192" : "512x512",
      purpose: icon.includes("maskable") ? "maskable" : "any",
    })),
  }
}
