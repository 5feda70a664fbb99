/** A record that was dropped on the page, or chosen from a disk: read in the page and sent nowhere. */

import { firstFailureIn } from "../../../inspection/first-failure.ts"
import type { ChartPicture, PackedRecord, PackedRun } from "../../../inspection/packed.ts"
import { isChart } from "../../../inspection/recorded-chart.ts"
import { rowCount } from "../../../inspection/run-index.ts"
import { RecordReader, UnreadableRecord } from "../../../inspection/run-reader.ts"
import type { ReadRun } from "../../../inspection/run-reader.ts"
import { OPENED_RECORD_BYTES_MAX } from "../../../../model/values/limits.ts"
import { RECORD_ALONE, openedRun } from "./record-source.ts"
import type { RecordSource } from "./record-source.ts"

/** Rejects with UnreadableRecord. Pictures of all transitions are those that the page contains: it cannot lay them out. */
export async function openedFile(file: File, pictures: readonly ChartPicture[]): Promise<RecordSource> {
  if (file.size > OPENED_RECORD_BYTES_MAX)
    throw new UnreadableRecord("the file is too long for a page; `curbline inspect` opens it")
  const lines: string[][] = []
  const reader = new RecordReader((text, run) => void (lines[run] ??= []).push(text))
  await eachLine(file, (line) => reader.take(line))
  const charts: ChartPicture[] = []
  const read = reader.runs()
  const runs = read.map((run, at): PackedRun =>
    packedRun(file.name, at + 1, run, chartsOf(run, pictures, charts)),
  )
  const record: PackedRecord = {
    runs,
    charts,
    comparisons: [],
    opensAt: firstFailureIn(read.map(({ index }) => index)),
  }
  return {
    record,
    open: async (number) => {
      const [packed, run] = [runs[number], read[number]]
      if (packed === undefined || run === undefined) throw new Error(`there is no run ${number + 1}`)
      const lineAt = async (row: number): Promise<string> => lines[number]?.[row] ?? ""
      return openedRun({ packed, index: run.index, charts, lineAt, ...RECORD_ALONE })
    },
  }
}

async function eachLine(file: File, take: (line: string) => void): Promise<void> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  // A line may be as long as the file, so its pieces are joined once.
  let pieces: string[] = []
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const [first = "", ...rest] = part.value.split("\n")
    pieces.push(first)
    for (const line of rest) {
      take(pieces.join(""))
      pieces = [line]
    }
  }
  const last = pieces.join("")
  if (last !== "") take(last)
}

function packedRun(
  file: string,
  number: number,
  { head, end, problem, index }: ReadRun,
  chartByMachine: PackedRun["chartByMachine"],
): PackedRun {
  return { file, number, head, end, problem, rows: rowCount(index), index: "", blocks: [], chartByMachine }
}

/** Appends the run's charts to the existing ones, and maps machines to charts. */
function chartsOf(
  { index, charts: recorded }: ReadRun,
  pictures: readonly ChartPicture[],
  charts: ChartPicture[],
): PackedRun["chartByMachine"] {
  const machines = new Set(index.actors.flatMap(({ machine }) => machine ?? []))
  const found = [...machines].flatMap((machine) => {
    const picture = pictureOf(machine, recorded.get(machine), pictures)
    return picture === null ? [] : [[machine, charts.push(picture) - 1] as const]
  })
  return Object.fromEntries(found)
}

function pictureOf(
  machine: string,
  recorded: unknown,
  pictures: readonly ChartPicture[],
): ChartPicture | null {
  const known = pictures.filter(({ chart }) => chart.id === machine)
  const [first] = known
  if (!isChart(recorded)) return first === undefined ? null : { ...first, isFromProgram: true }
  const text = JSON.stringify(recorded)
  const same = known.find(({ chart }) => JSON.stringify(chart) === text)
  if (same !== undefined) return { ...same, isFromProgram: false }
  const problem = `The page has no picture of all transitions of ${machine} as the record knows it; \`curbline inspect\` draws it.`
  return { chart: recorded, picture: null, problem, isFromProgram: false, lines: null }
}
