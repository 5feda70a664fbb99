/**
 * The page of a group of the running service: the inspector's own bundle, the charts, and where its entries are. Bundle and
 * charts are the same for every group; they are made once, by another thread, beside a service that answers already.
 */

import { Worker } from "node:worker_threads"
import { registeredCharts } from "../chart/registered-machine.ts"
import type { WrittenPage } from "../html/document.ts"
import type { ChartPicture, PackedRecord } from "../inspection/packed.ts"
import { readRecord } from "../inspection/run-reader.ts"
import type { LiveGroup } from "../model/live-group.ts"
import { isBundleKept, pageBundle } from "./build.ts"
import type { PageBundle } from "./build.ts"
import { isPictureKept, programPictures } from "./chart-pictures.ts"
import { pageFile } from "./document.ts"

export interface LivePages {
  readonly page: (group: LiveGroup) => Promise<WrittenPage>
  /** Begins to make what is missing, and waits for nothing. */
  readonly prepare: () => void
  /** Ends the thread, if it still works. */
  readonly close: () => Promise<void>
}

interface Ground {
  readonly bundle: PageBundle
  readonly charts: readonly ChartPicture[]
}

export interface Preparing {
  /** True when nothing need be made. */
  readonly isKept: () => boolean
  /** The thread that makes it. */
  readonly thread: URL
}

const PREPARING: Preparing = { isKept: isEverythingKept, thread: new URL("prepare.ts", import.meta.url) }

export function livePages({ isKept, thread }: Preparing = PREPARING): LivePages {
  let worker: Worker | null = null
  let prepared: Promise<void> | null = null
  const prepare = (): Promise<void> => {
    if (prepared === null && !isKept()) {
      worker = new Worker(thread)
      worker.unref()
    }
    // What the thread could not make is made here, when it is asked for; then the reason is told, too.
    prepared ??= new Promise((resolve) => {
      if (worker === null) resolve()
      else worker.once("error", () => resolve()).once("exit", () => resolve())
    })
    return prepared
  }
  let ground: Promise<Ground> | null = null
  const groundOf = async (): Promise<Ground> => {
    await prepare()
    ground ??= madeGround()
    try {
      return await ground
    } catch (cause) {
      ground = null
      throw cause
    }
  }
  return {
    page: async (group) => {
      const { bundle, charts } = await groundOf()
      const title = `${group.address} · Curbline inspector`
      return pageFile({ title, bundle, data: recordOf(group, charts), connects: true })
    },
    prepare: () => void prepare(),
    close: async () => void (await worker?.terminate()),
  }
}

function isEverythingKept(): boolean {
  return isBundleKept("inspector") && registeredCharts().every(isPictureKept)
}

async function madeGround(): Promise<Ground> {
  return { bundle: await pageBundle("inspector"), charts: await programPictures() }
}

function recordOf(live: LiveGroup, charts: readonly ChartPicture[]): PackedRecord {
  const [run] = readRecord(JSON.stringify(live.head))
  if (run === undefined) throw new Error("a record's head holds no run")
  const chartByMachine = Object.fromEntries(charts.map(({ chart }, place) => [chart.id, place]))
  const empty = { end: null, problem: null, rows: 0, index: "", blocks: [] }
  return {
    runs: [{ file: live.address, number: 1, head: run.head, chartByMachine, ...empty }],
    charts,
    comparisons: [],
    opensAt: null,
    live,
  }
}
