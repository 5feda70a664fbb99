/**
 * Assembles a page's data: packed runs, the pictures of their machines, the divergence of two records, and the moment
 * to open.
 */

import { inflateRawSync } from "node:zlib"
import type { ChartDocument } from "../chart/chart-document.ts"
import { registeredCharts } from "../chart/registered-machine.ts"
import { sourceLinesOf } from "../chart/machine-lines.ts"
import { divergenceOf } from "../inspection/divergence.ts"
import { divergenceByOrder } from "../inspection/made-names.ts"
import type { RecordedLine } from "../inspection/made-names.ts"
import { firstFailureIn } from "../inspection/first-failure.ts"
import { forkedAt } from "../inspection/forks.ts"
import type { Moment } from "../inspection/moment.ts"
import { textOfIndex } from "../inspection/packed.ts"
import type { ChartPicture, Comparison, PackedRecord, PackedRun } from "../inspection/packed.ts"
import { Positions } from "../inspection/position.ts"
import { isChart } from "../inspection/recorded-chart.ts"
import { rowCount } from "../inspection/run-index.ts"
import { pictureOf, programPictures } from "./chart-pictures.ts"
import { compressed } from "./record-file.ts"
import type { BlockedRun } from "./record-file.ts"

/** A moment that does not exist in the record, or a second record with different runs. */
export class UnknownMoment extends Error {
  override readonly name = "UnknownMoment"
}

export interface Opened {
  /** The records, one or two. */
  readonly records: readonly (readonly BlockedRun[])[]
  readonly at: Moment | null
}

export async function packedRecord({ records, at }: Opened): Promise<PackedRecord> {
  const runs = records.flat()
  const pictures = new Pictures()
  const packed: PackedRun[] = []
  for (const run of runs) packed.push(await packedRun(run, pictures))
  const comparisons = comparisonsOf(records)
  const [compared] = comparisons
  const fork = compared?.fork ?? null
  const atFork = compared === undefined || fork === null ? null : { run: compared.first, row: fork.first }
  return {
    runs: packed,
    charts: pictures.charts,
    comparisons,
    opensAt:
      at !== null
        ? openedAt(records[0] ?? [], at)
        : (atFork ?? firstFailureIn((records[0] ?? []).map(({ index }) => index))),
  }
}

/** No record, and every chart: for a page that opens records itself. */
export async function emptyRecord(): Promise<PackedRecord> {
  return { runs: [], charts: await programPictures(), comparisons: [], opensAt: null }
}

async function packedRun(run: BlockedRun, pictures: Pictures): Promise<PackedRun> {
  const chartByMachine: Record<string, number> = {}
  for (const { machine } of run.index.actors) {
    if (machine === null || chartByMachine[machine] !== undefined) continue
    const place = await pictures.placeOf(machine, run.charts.get(machine))
    if (place !== null) chartByMachine[machine] = place
  }
  const { file, number, head, end, problem, index, blocks } = run
  return {
    file,
    number,
    head,
    end,
    problem,
    rows: rowCount(index),
    index: compressed(textOfIndex(index)),
    blocks,
    chartByMachine,
  }
}

/** Charts in order of occurrence, each drawn once even if several runs contain it. */
class Pictures {
  readonly charts: ChartPicture[] = []
  readonly #placeByText = new Map<string, number>()

  /** Null for a machine without a chart in the record and in this program. */
  async placeOf(machine: string, recorded: unknown): Promise<number | null> {
    const chart = isChart(recorded) ? recorded : chartOfProgram(machine)
    if (chart === null) return null
    const isFromProgram = chart !== recorded
    const text = `${isFromProgram}${JSON.stringify(chart)}`
    const known = this.#placeByText.get(text)
    if (known !== undefined) return known
    const lines = sourceLinesOf(chart)
    const place = this.charts.push({ chart, isFromProgram, lines, ...(await pictureOf(chart)) }) - 1
    this.#placeByText.set(text, place)
    return place
  }
}

function chartOfProgram(machine: string): ChartDocument | null {
  return registeredCharts().find(({ id }) => id === machine) ?? null
}

/** Runs of two records are paired by their position in the files. */
function comparisonsOf(records: readonly (readonly BlockedRun[])[]): readonly Comparison[] {
  const [first = [], second = []] = records
  if (records.length < 2) return []
  const fork = forkIn(first, second)
  if (fork !== null) return [fork]
  return Array.from({ length: Math.min(first.length, second.length) }, (_, at) => {
    const [one, other] = [first[at], second[at]]
    const runs = { first: at, second: first.length + at }
    if (one === undefined || other === undefined)
      return { ...runs, divergence: null, names: null, fork: null }
    if (one.head.seed !== other.head.seed)
      return { ...runs, ...divergenceByOrder(entriesOf(one), entriesOf(other)), fork: null }
    const divergence = divergenceOf(one, other)
    return { ...runs, divergence, names: null, fork: forkedAt(one, other, divergence) }
  })
}

/** One block after the other, because a long record is never in memory as a whole. */
function* entriesOf({ blocks, hashes }: BlockedRun): Generator<RecordedLine> {
  let row = 0
  for (const block of blocks)
    for (const text of inflateRawSync(Buffer.from(block, "base64")).toString().split("\n")) {
      if (hashes[row] !== "") yield { row, text }
      row += 1
    }
}

/** A fork beside a file of several runs belongs to the run that it goes on from. */
function forkIn(first: readonly BlockedRun[], second: readonly BlockedRun[]): Comparison | null {
  const [forked] = second
  if (forked?.head.variant !== "what if" || second.length > 1) return null
  const { forkOf } = forked.head
  for (const [at, one] of first.entries()) {
    if (forkOf !== null && forkOf !== one.number) continue
    const divergence = divergenceOf(one, forked)
    const fork = forkedAt(one, forked, divergence)
    if (fork !== null) return { first: at, second: first.length, divergence, names: null, fork }
  }
  return null
}

function openedAt(runs: readonly BlockedRun[], { run: number, s }: Moment): { run: number; row: number } {
  const run = runs[number - 1]
  if (run === undefined) throw new UnknownMoment(`the record has ${runs.length} runs, not a run ${number}`)
  const row = new Positions(run.index).rowOfLine(s)
  if (row === null) {
    const last = run.index.s.at(-1) ?? 0
    throw new UnknownMoment(
      `run ${number} has no entry ${s}; its entries are ${run.index.s[0] ?? 0} to ${last}`,
    )
  }
  return { run: number - 1, row }
}
