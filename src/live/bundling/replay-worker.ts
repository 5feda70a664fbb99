/** The script of the worker in which pages run the simulator, and where it is served. */

import { Worker } from "node:worker_threads"
import { digest } from "../../engine/kernel/hash.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import type { Asset } from "../../pages/html/page-frame.ts"

export interface ServedWorker {
  /** Below `/assets`, with a digest. A page gets it in its data and starts `new Worker(path)`. */
  readonly path: string
  readonly asset: Asset
}

const PATH = "/assets/replay-worker-"

/** The script as a file of a host, made once in a process and on a thread: a host has to answer meanwhile. */
export const replayWorker = madeOnce(async (): Promise<ServedWorker> => {
  const body = await replayScript()
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

function replayScript(): Promise<string> {
  const thread = new Worker(new URL("worker-thread.ts", import.meta.url), { execArgv: THREAD_ARGUMENTS })
  return new Promise((resolve, reject) => {
    thread.once("message", resolve).once("error", reject)
    thread.once("exit", () =>
      reject(new Error("the thread that bundles the simulator ended without a script")),
    )
  })
}
