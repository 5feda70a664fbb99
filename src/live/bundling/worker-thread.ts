/** A thread that bundles the script in which pages run the simulator, and posts it: to build it takes two seconds of processor time. */

import { parentPort } from "node:worker_threads"
import { workerScript } from "../../pages/bundling/worker-bundle.ts"
import { REPLAY_WORKER } from "./replay-bundle.ts"

parentPort?.postMessage(await workerScript(REPLAY_WORKER))
