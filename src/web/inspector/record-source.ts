/** The record that the page carries: a run's index is opened when the run is looked at, a block when one of its entries is. */

import { BLOCK_ROWS, indexOfText } from "../../inspection/packed.ts"
import type { ChartPicture, Compressed, PackedRecord, PackedRun } from "../../inspection/packed.ts"
import { Positions } from "../../inspection/position.ts"
import { NONE } from "../../inspection/run-index.ts"
import type { IndexedMark, RunIndex } from "../../inspection/run-index.ts"
import { groupOf } from "../../model/address.ts"
import { entryIn } from "../../inspection/recorded-entry.ts"
import type { RecordedEntry } from "../../inspection/recorded-entry.ts"

/** A run that the page shows. */
export interface OpenRun {
  readonly packed: PackedRun
  readonly index: RunIndex
  readonly positions: Positions
  readonly markByRow: ReadonlyMap<number, IndexedMark>
  /** Everyone of a group, by its address. */
  readonly actorsByGroup: ReadonlyMap<string, readonly number[]>
  readonly chartOf: (machine: string | null) => ChartPicture | null
  readonly lineAt: (row: number) => Promise<string>
}

/** Blocks kept open: enough for every view of one moment and of its neighbours. */
const BLOCKS_MAX = 24

export async function openRun(record: PackedRecord, number: number): Promise<OpenRun> {
  const packed = record.runs[number]
  if (packed === undefined) throw new Error(`there is no run ${number + 1}`)
  return opened(packed, indexOfText(await textOf(packed.index)), record.charts)
}

function opened(packed: PackedRun, index: RunIndex, charts: readonly ChartPicture[]): OpenRun {
  const blocks = new Map<number, Promise<readonly string[]>>()
  return {
    packed,
    index,
    positions: new Positions(index),
    markByRow: new Map(index.marks.map((mark) => [mark.row, mark])),
    actorsByGroup: Map.groupBy(index.actors.keys(), (actor) => groupOf(index.actors[actor]?.address ?? "")),
    chartOf: (machine) => charts[packed.chartByMachine[machine ?? ""] ?? NONE] ?? null,
    lineAt: async (row) => {
      const number = Math.floor(row / BLOCK_ROWS)
      const block = blocks.get(number) ?? textOf(packed.blocks[number] ?? "").then((text) => text.split("\n"))
      blocks.delete(number)
      blocks.set(number, block)
      const oldest = blocks.keys().next().value
      if (blocks.size > BLOCKS_MAX && oldest !== undefined) blocks.delete(oldest)
      const line = (await block)[row - number * BLOCK_ROWS]
      if (line === undefined) throw new Error(`row ${row} is in no block`)
      return line
    },
  }
}

export async function entryAt(run: OpenRun, row: number): Promise<RecordedEntry | null> {
  return entryIn(await run.lineAt(row))
}

async function textOf(text: Compressed): Promise<string> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
  return new Response(inflated).text()
}
