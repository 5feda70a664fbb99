/** A record that the page has as one text, opened as the inspector opens one. */

import type { ChartDocument } from "../../../chart/chart-document.ts"
import type { ChartPicture } from "../../../inspection/packed.ts"
import { rowCount } from "../../../inspection/run-index.ts"
import { RecordReader } from "../../../inspection/run-reader.ts"
import type { ReadRun } from "../../../inspection/run-reader.ts"
import { RECORD_ALONE, openedRun } from "./record-source.ts"
import type { OpenRun } from "./record-source.ts"

export interface WholeRecord {
  readonly read: ReadRun
  readonly open: OpenRun
}

/**
 * The first run of a record. `charts` are those of the page; without them the record's own are used. Throws UnreadableRecord for a text
 * that is no record.
 */
export function wholeRecord(text: string, file: string, charts?: readonly ChartPicture[]): WholeRecord {
  const lines: string[] = []
  const reader = new RecordReader((line, run) => run === 0 && void lines.push(line))
  for (const line of text.split("\n")) reader.take(line)
  const [read] = reader.runs() as readonly [ReadRun, ...ReadRun[]]
  const { head, end, problem, index } = read
  const known = charts ?? [...read.charts.values()].map(bareChart)
  const chartByMachine = Object.fromEntries(known.map(({ chart }, place) => [chart.id, place]))
  const rows = rowCount(index)
  const packed = { file, number: 1, head, end, problem, rows, index: "", blocks: [], chartByMachine }
  const lineAt = (row: number): Promise<string> => Promise.resolve(lines[row] ?? "")
  return { read, open: openedRun({ packed, index, charts: known, lineAt, ...RECORD_ALONE }) }
}

/** A chart without a picture of every transition. A cast, not a check: the text comes from this program. */
function bareChart(chart: unknown): ChartPicture {
  return { chart: chart as ChartDocument, picture: null, problem: null, isFromProgram: false, lines: null }
}
