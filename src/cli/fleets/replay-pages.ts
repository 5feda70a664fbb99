/** Serves the page "Fleet replay" with the script of its worker, and gathers what a run of a model needs. */

import type { FastifyInstance } from "fastify"
import { assetsPlugin } from "../../http/pages/assets.ts"
import { replayWorker, replayWorkerAt } from "../../live/bundling/replay-worker.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import type { ServedPages } from "../../pages/bundling/served-pages.ts"
import { toolFrame } from "../../pages/html/first-frame.ts"
import type { ReplayData } from "../../pages/web/replay/source.ts"
import { readFleet } from "../../simulation/fleet/language/read.ts"
import type { BesideFault } from "../../simulation/fleet/language/beside.ts"

interface ReplayPages {
  /** Must serve the page `replay`. Its other pages have their assets from here too. */
  readonly pages: Pick<ServedPages, "asset" | "page">
  /** Where the page is. */
  readonly path: string
  readonly title: string
  /** Null: the page asks for the model that its address names. */
  readonly run: ReplayRequest | null
}

/** The page at its path, and `/assets`. */
export function addReplay(app: FastifyInstance, { pages, path, title, run }: ReplayPages): void {
  app.get(path, async (_, reply) => {
    const worker = await replayWorker()
    const { html, policy } = await pages.page("replay", {
      title,
      frame: toolFrame({ heading: "Fleet replay" }),
      data: { worker: worker.path, run } satisfies ReplayData,
    })
    return reply.type("text/html; charset=utf-8").header("Content-Security-Policy", policy).send(html)
  })
  void app.register(assetsPlugin, {
    asset: async (asked) => (await replayWorkerAt(asked)) ?? pages.asset(asked),
  })
}

/** With the text of each file that the model names. A file that cannot be read is left out: the run then names the mistake. */
export function replayRequest(
  { file, text, seed }: Omit<ReplayRequest, "beside">,
  besideOf: (name: string) => BesideFault | string | null,
): ReplayRequest {
  const beside: Record<string, string> = {}
  readFleet({
    file,
    text,
    beside: (name) => {
      const found = besideOf(name)
      if (typeof found === "string") beside[name] = found
      return found
    },
  })
  return { file, text, beside, seed }
}
