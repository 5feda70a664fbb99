/** The demo's lunch: a made-up city that the start pages show as it moves, and its page "Fleet replay" on the sandbox host. */

import type { FastifyInstance } from "fastify"
import { readFileSync } from "node:fs"
import type { Environment } from "../../model/caller.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import type { ServedPages } from "../../pages/bundling/served-pages.ts"
import { replayRequest } from "../../simulation/fleet/replay/replay-request.ts"
import { addReplayPage, replayDataOf } from "../bundling/replay-pages.ts"
import { replayWorker } from "../bundling/replay-worker.ts"

const FOLDER = "scenarios/fleets"

const DEMO_LUNCH = `${FOLDER}/demo-lunch.yaml`

/** Read when a page asks for it. */
function demoLunch(): ReplayRequest {
  return replayRequest({ file: DEMO_LUNCH, text: textOf(DEMO_LUNCH), seed: null }, (name) =>
    textOf(`${FOLDER}/${name}`),
  )
}

function textOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
}

/** Paths on a host; the page itself is on the sandbox host alone. */
export const REPLAY_PATH = "/replay"
export const REPLAY_RUN_PATH = "/replay/run"

interface DemoReplayOptions {
  readonly environment: Environment
  readonly pages: Pick<ServedPages, "asset" | "page">
}

/** The start page asks for the simulator once its own script runs: both are bundled at once, where neither is yet. */
export function besideReplay(page: ServedPages["page"]): ServedPages["page"] {
  return (...asked) => {
    // The page's own request for it says what failed.
    void replayWorker().catch(() => undefined)
    return page(...asked)
  }
}

/** Public: the model is made up, and the reader's own browser runs it. */
export function addDemoReplay(app: FastifyInstance, { environment, pages }: DemoReplayOptions): void {
  app.get(REPLAY_RUN_PATH, async (_, reply) => {
    reply.headers({ "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" })
    return replayDataOf(demoLunch())
  })
  if (environment === "sandbox")
    addReplayPage(app, {
      pages,
      path: REPLAY_PATH,
      title: "The demo's lunch · Fleet replay",
      run: demoLunch,
    })
}
