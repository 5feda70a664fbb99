/** The records inside of a report, compressed: those of failed runs first, as far as they fit. */

import { textOfIndex } from "../../pages/inspection/packed.ts"
import { REPORT_RECORDS_BYTES_MAX } from "../../model/values/limits.ts"
import { blockedRuns, compressed } from "../../pages/bundling/record-file.ts"
import type { BlockedRun } from "../../pages/bundling/record-file.ts"

/** Where the record of a run is: the 1-based run of the inspector inside, too large to be inside, or nowhere. */
export type RecordPlace = number | "left out" | "none"

export interface InsideRun {
  /** Of the run in the report. */
  readonly number: number
  readonly isFailed: boolean
  /** The command that writes the record as a file. */
  readonly recordedBy: string
  readonly run: BlockedRun
  /** Base64 characters. */
  readonly bytes: number
}

/** The file that `recordedBy` writes, by which the inspector's commands name the record. */
export const RECORD_FILE = "run.ndjson"

export class InsideRecords {
  readonly #bytesMax: number
  readonly #charts = new Map<string, unknown>()
  #runs: readonly InsideRun[] = []
  #bytes = 0

  constructor(bytesMax = REPORT_RECORDS_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** In the order of the report's runs. */
  get runs(): readonly InsideRun[] {
    return this.#runs
  }

  /** Takes the record of one run if it fits. A failed run replaces passed ones, the last of them first. */
  add({
    record,
    ...about
  }: Pick<InsideRun, "isFailed" | "number" | "recordedBy"> & { readonly record: string }) {
    const [read] = blockedRuns(RECORD_FILE, record.split("\n"))
    if (read === undefined) throw new Error("a run left no record")
    const texts = [compressed(textOfIndex(read.index)), ...read.blocks]
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    const room = this.#bytesMax - this.#bytes
    const passed = this.#runs.filter(({ isFailed }) => !isFailed)
    const canReplace = about.isFailed ? passed.reduce((sum, one) => sum + one.bytes, 0) : 0
    if (bytes > room + canReplace) return
    while (bytes > this.#bytesMax - this.#bytes) this.#remove(passed.pop())
    this.#runs = [...this.#runs, { ...about, run: this.#withSharedCharts(read), bytes }]
    this.#bytes += bytes
  }

  #remove(run: InsideRun | undefined): void {
    if (run === undefined) throw new Error("no passed run is left to replace")
    this.#runs = this.#runs.filter((one) => one !== run)
    this.#bytes -= run.bytes
  }

  /** All runs are of one program, so a machine has the same chart in each record. */
  #withSharedCharts(run: BlockedRun): BlockedRun {
    for (const [machine, chart] of run.charts)
      if (!this.#charts.has(machine)) this.#charts.set(machine, chart)
    return { ...run, charts: this.#charts }
  }
}
