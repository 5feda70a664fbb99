/** The record in the page: a run's index is opened when the run is shown, a block when one of its entries is needed. */

import { BLOCK_ROWS, indexOfText } from "../../../inspection/packed.ts"
import type { ChartPicture, PackedRecord, PackedRun } from "../../../inspection/packed.ts"
import { Positions } from "../../../inspection/position.ts"
import { NONE } from "../../../inspection/run-index.ts"
import type { IndexedMark, RunIndex } from "../../../inspection/run-index.ts"
import { groupOf } from "../../../../model/address.ts"
import type { AskedBy, KeptAttempts } from "../../../../model/asked-by.ts"
import type { LiveGroup } from "../../../../model/live-group.ts"
import type { RelatedGroups } from "../../../../model/related-groups.ts"
import type { Requester } from "../../../../model/requester.ts"
import { inflatedText } from "../../inflated.ts"
import { entryIn, requesterIn } from "../../../inspection/recorded-entry.ts"
import type { RecordedEntry } from "../../../inspection/recorded-entry.ts"

/** A run that the page shows. */
export interface OpenRun {
  readonly packed: PackedRun
  readonly index: RunIndex
  readonly positions: Positions
  readonly markByRow: ReadonlyMap<number, IndexedMark>
  /** The actors of a group, by the group's address. */
  readonly actorsByGroup: ReadonlyMap<string, readonly number[]>
  readonly chartOf: (machine: string | null) => ChartPicture | null
  readonly lineAt: (row: number) => Promise<string>
  /** The address of another group's page at one of its turns; null without such pages, as in a file. */
  readonly pathTo: (group: string, revision: number) => string | null
  /** True for a group of the running service that a fault has stopped, by the last answer. */
  readonly isStuck: () => boolean
  /** What rows of the running service say of the page's group; null for a record. */
  readonly named: LiveGroup["named"] | null
  /** The other groups of the running service; null for a record, which has its own alone. */
  readonly others: OtherGroups | null
  /** Rows of the running service beside the journal; null for a record, which never has them. */
  readonly kept: KeptSource | null
}

/** Rejects with a sentence for people. */
export interface OtherGroups {
  /** Those of the same order or event. */
  readonly related: () => Promise<RelatedGroups>
  /** The path of a group's page. */
  readonly pageOf: (group: string) => string
}

/** Each answer is a line of the service's audit log. Rejects with a sentence for people. */
export interface KeptSource {
  /** About the entry with this revision, of the page's group. */
  readonly asked: (revision: number) => Promise<AskedBy>
  readonly bodies: () => Promise<KeptAttempts>
}

/** The source of runs: the page, or a file that was opened in it. */
export interface RecordSource {
  readonly record: PackedRecord
  readonly open: (number: number) => Promise<OpenRun>
}

export function carriedRecord(record: PackedRecord): RecordSource {
  return { record, open: (number) => openRun(record, number) }
}

/** Blocks kept open: enough for every view of one moment and its neighbours. */
const BLOCKS_MAX = 24

/** A record has nothing beside it. */
export const RECORD_ALONE = {
  pathTo: () => null,
  isStuck: () => false,
  named: null,
  others: null,
  kept: null,
} as const

export async function openRun(record: PackedRecord, number: number): Promise<OpenRun> {
  const packed = record.runs[number]
  if (packed === undefined) throw new Error(`there is no run ${number + 1}`)
  const index = indexOfText(await inflatedText(packed.index))
  return openedRun({
    packed,
    index,
    charts: record.charts,
    lineAt: linesIn(packed),
    ...RECORD_ALONE,
  })
}

/** The parts of a run, from any source. */
interface RunParts extends Pick<
  OpenRun,
  "index" | "isStuck" | "kept" | "lineAt" | "named" | "others" | "packed" | "pathTo"
> {
  readonly charts: readonly ChartPicture[]
}

export function openedRun({ packed, index, charts, ...from }: RunParts): OpenRun {
  return {
    ...from,
    packed,
    index,
    positions: new Positions(index),
    markByRow: new Map(index.marks.map((mark) => [mark.row, mark])),
    actorsByGroup: Map.groupBy(index.actors.keys(), (actor) => groupOf(index.actors[actor]?.address ?? "")),
    chartOf: (machine) => charts[packed.chartByMachine[machine ?? ""] ?? NONE] ?? null,
  }
}

function linesIn(packed: PackedRun): OpenRun["lineAt"] {
  const blocks = new Map<number, Promise<readonly string[]>>()
  return async (row) => {
    const number = Math.floor(row / BLOCK_ROWS)
    const block =
      blocks.get(number) ?? inflatedText(packed.blocks[number] ?? "").then((text) => text.split("\n"))
    blocks.delete(number)
    blocks.set(number, block)
    const oldest = blocks.keys().next().value
    if (blocks.size > BLOCKS_MAX && oldest !== undefined) blocks.delete(oldest)
    const line = (await block)[row - number * BLOCK_ROWS]
    if (line === undefined) throw new Error(`row ${row} is in no block`)
    return line
  }
}

export async function entryAt(run: OpenRun, row: number): Promise<RecordedEntry | null> {
  return entryIn(await run.lineAt(row))
}

/** Who asked for the entry; null for an entry that is no command, and for older records. */
export async function requesterAt(run: OpenRun, row: number): Promise<Requester | null> {
  return requesterIn(await run.lineAt(row))
}
