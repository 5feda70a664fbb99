/** Serves the page "Fleet replay" with the script of its worker. */

import type { FastifyInstance } from "fastify"
import { assetsPlugin } from "../../http/pages/assets.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import type { ServedPages } from "../../pages/bundling/served-pages.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { pageFile } from "../../pages/bundling/inspector-document.ts"
import { emptyRecord } from "../../pages/bundling/packed-record.ts"
import { toolFrame } from "../../pages/html/first-frame.ts"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html/page-frame.ts"
import type { Asset, WrittenPage } from "../../pages/html/page-frame.ts"
import type { ReplayData } from "../../model/replay/replay-data.ts"
import { replayWorker, replayWorkerAt } from "./replay-worker.ts"

interface ReplayPages {
  /** Must serve the page `replay`. */
  readonly pages: Pick<ServedPages, "asset" | "page">
  /** Where the page is. */
  readonly path: string
  readonly title: string
  /** Null: the page asks for the model that its address names. */
  readonly run: (() => ReplayRequest) | null
  /** Path at which the host makes one file of the replay; left out: nowhere. */
  readonly saves?: string
}

/** The page at its path, and `/assets`. */
export function addReplay(app: FastifyInstance, shown: ReplayPages): void {
  addReplayPage(app, shown)
  void app.register(assetsPlugin, { asset: assetsWithReplay(shown.pages) })
}

/** The page alone, and an inspector's page below it that takes records of the run: its host has to serve `assetsWithReplay`. */
export function addReplayPage(app: FastifyInstance, { pages, path, title, run, saves }: ReplayPages): void {
  const inspector = `${path === "/" ? "" : path}/inspector`
  let known: Promise<WrittenPage> | null = null
  app.get(inspector, async (_, reply) => {
    known ??= emptyInspector()
    const page = await known.catch((cause: unknown) => {
      known = null
      throw cause
    })
    return reply
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": page.policy })
      .type("text/html; charset=utf-8")
      .send(page.html)
  })
  app.get(path, async (_, reply) => {
    const { html, policy } = await pages.page("replay", {
      title,
      frame: toolFrame({ heading: "Fleet replay" }),
      data: {
        ...(await replayDataOf(run?.() ?? null)),
        inspector,
        ...(saves === undefined ? {} : { saves }),
      },
    })
    return reply
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
      .type("text/html; charset=utf-8")
      .send(html)
  })
}

async function emptyInspector(): Promise<WrittenPage> {
  const [bundle, data] = await Promise.all([pageBundle("inspector"), emptyRecord()])
  return pageFile({ title: "Inspector", bundle, data })
}

export async function replayDataOf(run: ReplayRequest | null): Promise<ReplayData> {
  return { worker: (await replayWorker()).path, run }
}

/** The pages' files, and the script of the worker. */
export function assetsWithReplay({ asset }: Pick<ServedPages, "asset">) {
  return async (path: string): Promise<Asset | null> => (await replayWorkerAt(path)) ?? asset(path)
}
