/**
 * The page of a group of the running service: the inspector's script, and the address of its entries. Bundles and charts are the same for
 * every group; another thread makes them once, while the service already answers.
 */

import { Worker } from "node:worker_threads"
import { registeredCharts } from "../chart/registered-machine.ts"
import type { WrittenPage } from "../html/page-frame.ts"
import type { PackedRecord } from "../inspection/packed.ts"
import { readRecord } from "../inspection/run-reader.ts"
import type { LiveGroup } from "../../model/live-group.ts"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import { toolFrame } from "../html/first-frame.ts"
import { SERVICE_PAGES, areBundlesKept } from "./build.ts"
import { isPictureKept } from "./chart-pictures.ts"
import type { ServedPages } from "./served-pages.ts"

export interface LivePages {
  /** Starts to make the missing parts of all pages, without waiting. */
  readonly prepare: () => void
  /** Done when nothing is missing, or cannot be made beforehand. */
  readonly prepared: () => Promise<void>
  /** Ends the thread, if it is still running. */
  readonly close: () => Promise<void>
}

export interface Preparing {
  /** True when everything is cached. */
  readonly isKept: () => boolean
  /** The thread that makes the parts. */
  readonly thread: URL
}

const PREPARING: Preparing = { isKept: isEverythingKept, thread: new URL("prepare.ts", import.meta.url) }

export function livePages({ isKept, thread }: Preparing = PREPARING): LivePages {
  let worker: Worker | null = null
  let prepared: Promise<void> | null = null
  const prepare = (): Promise<void> => {
    if (prepared === null && !isKept()) {
      worker = new Worker(thread, { execArgv: THREAD_ARGUMENTS })
      worker.unref()
    }
    // If the thread failed, the parts are made here on demand, and the reason is reported.
    prepared ??= new Promise((resolve) => {
      if (worker === null) resolve()
      else worker.once("error", () => resolve()).once("exit", () => resolve())
    })
    return prepared
  }
  return {
    prepare: () => void prepare(),
    prepared: prepare,
    close: async () => void (await worker?.terminate()),
  }
}

function isEverythingKept(): boolean {
  return areBundlesKept(SERVICE_PAGES) && registeredCharts().every(isPictureKept)
}

/** The page of one group; its charts are a file of their own, which browsers keep. */
export function groupPageOf({
  charts,
  page,
}: Pick<ServedPages, "charts" | "page">): (group: LiveGroup) => Promise<WrittenPage> {
  return async (group) => {
    const { path, pictures } = await charts()
    const shown = path === null ? { charts: pictures } : { chartsPath: path }
    return page("inspector", {
      title: `${group.address} · Curbline inspector`,
      frame: toolFrame({ heading: group.address }),
      data: { ...recordOf(group), ...shown },
      fetches: path === null ? [] : [path],
    })
  }
}

function recordOf(live: LiveGroup): PackedRecord {
  const [run] = readRecord(JSON.stringify(live.head))
  if (run === undefined) throw new Error("a record's head holds no run")
  const chartByMachine = Object.fromEntries(registeredCharts().map(({ id }, place) => [id, place]))
  const empty = { end: null, problem: null, rows: 0, index: "", blocks: [] }
  return {
    runs: [{ file: live.address, number: 1, head: run.head, chartByMachine, ...empty }],
    charts: [],
    comparisons: [],
    opensAt: null,
    live,
  }
}
