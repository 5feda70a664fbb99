/** The page "When was it lost?" beside the inspector of a record: it is counted on a thread, one order at a time. */

import { basename } from "node:path"
import { Worker } from "node:worker_threads"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { countingPage } from "../../pages/bundling/moment-document.ts"
import type { BesidePages } from "../../pages/bundling/loopback.ts"
import { LOST_PATH } from "../../pages/inspection/moment-data.ts"
import type { MomentState } from "../../pages/inspection/moment-data.ts"
import { faultMessage } from "../kit/terminal.ts"
import type { LostTask } from "./lost-thread.ts"

/** As the command's own defaults. */
const FUTURES = 200
const SEED = 1

interface Counting {
  state: MomentState
  readonly stop: Int32Array
  readonly worker: Worker
}

export interface LostPages {
  readonly beside: BesidePages
  readonly close: () => Promise<void>
}

/** `file`: of the record. A page that asks about another order ends what was counted before. */
export function lostPages(file: string): LostPages {
  let counting: Counting | null = null
  const close = async (): Promise<void> => {
    await counting?.worker.terminate()
    counting = null
  }
  const begin = async (group: string, limit: string | null): Promise<void> => {
    await close()
    const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const asked = { file, group, limit: limit ?? undefined, futures: FUTURES, seed: SEED }
    const task: LostTask = { asked, stop }
    const worker = new Worker(new URL("lost-thread.ts", import.meta.url), {
      execArgv: THREAD_ARGUMENTS,
      workerData: task,
    })
    const begun: Counting = {
      state: { is: "counting", outcome: null, futures: 0 },
      stop: new Int32Array(stop),
      worker,
    }
    worker.on("message", (state: MomentState) => (begun.state = state))
    worker.on("error", (cause) => (begun.state = { is: "failed", message: faultMessage(cause) }))
    counting = begun
  }
  return {
    close,
    beside: async ({ pathname, searchParams }, method) => {
      if (pathname === LOST_PATH && method === "GET") {
        const bundle = await pageBundle("moment")
        await begin(searchParams.get("group") ?? "", searchParams.get("limit"))
        return { page: countingPage({ bundle, record: basename(file) }) }
      }
      if (counting === null) return null
      if (pathname === `${LOST_PATH}/state` && method === "GET") return { json: counting.state }
      if (pathname !== `${LOST_PATH}/stop` || method !== "POST") return null
      Atomics.store(counting.stop, 0, 1)
      return { json: counting.state }
    },
  }
}
