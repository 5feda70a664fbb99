/**
 * A record inside a page: a small index, which is read at once, and the lines of its entries in compressed blocks,
 * which are opened when a view needs them.
 */

import type { ChartDocument } from "../chart/chart-document.ts"
import type { SourceLines } from "../chart/source-lines.ts"
import type { LiveGroup } from "../../model/live-group.ts"
import type { Divergence } from "./divergence.ts"
import type { ForkedAt } from "./forks.ts"
import { at } from "./run-index.ts"
import type { CallSpan, RunEnd, RunHead, RunIndex, Span, TimerSpan } from "./run-index.ts"

/** Rows in a block. */
export const BLOCK_ROWS = 128

/** A compressed text: raw DEFLATE (RFC 1951) in Base64; in a page, the id of the element that holds it. */
export type Compressed = string

export interface PackedRun {
  /** The name of the file that it came from. */
  readonly file: string
  /** 1-based number in that file, as moments name it. */
  readonly number: number
  readonly head: RunHead
  readonly end: RunEnd | null
  readonly problem: string | null
  readonly rows: number
  /** The run's index as JSON. */
  readonly index: Compressed
  /** Lines of `BLOCK_ROWS` rows each. */
  readonly blocks: readonly Compressed[]
  /** Index in `charts` by machine id. */
  readonly chartByMachine: Readonly<Record<string, number>>
}

export interface ChartPicture {
  readonly chart: ChartDocument
  /** Every transition in full: an SVG text without its own style; null if the layout failed. */
  readonly picture: string | null
  /** Why there is no picture. */
  readonly problem: string | null
  /** True if the record has no chart: this one comes from the page, usually from the same program version. */
  readonly isFromProgram: boolean
  /** Where the machine's source has it; null for the chart of another version of the program. */
  readonly lines: SourceLines | null
}

/** Two runs side by side, as indexes in `runs`; null if every entry is the same. */
export interface Comparison {
  readonly first: number
  readonly second: number
  readonly divergence: Divergence | null
  /**
   * Set if the seeds differ: entries are then compared apart from ids and nonces. The first run's names by those in the entry at which
   * the second one parts.
   */
  readonly names: Readonly<Record<string, string>> | null
  /** Set if the second run is a fork of the first. */
  readonly fork: ForkedAt | null
}

export interface PackedRecord {
  readonly runs: readonly PackedRun[]
  readonly charts: readonly ChartPicture[]
  readonly comparisons: readonly Comparison[]
  /** The row at which the page opens: a moment, where a fork parts, or the first failed expectation; null at the end of the first run. */
  readonly opensAt: { readonly run: number; readonly row: number } | null
  /** Set for the inspector inside of a run report: one for each run. */
  readonly report?: readonly ReportPart[]
  /** Set for a group of the running service: its run is empty here, and the page loads it as it grows. */
  readonly live?: LiveGroup
  /** Where the service has the charts, in a page without them. */
  readonly chartsPath?: string
  /** True when the page's host counts when an order was lost, at `LOST_PATH`. */
  readonly countsLost?: true
  /** Paths of source files on this machine, by their name in the project; only in a page that is served to it alone. */
  readonly localPaths?: Readonly<Record<string, string>>
}

/** Where a run report has one of its runs. */
export interface ReportPart {
  /** The fragment of the run's part. */
  readonly fragment: string
  /** The command that writes the run's record, which the report does not have as a file. */
  readonly recordedBy: string
}

/** Spans as columns, because objects would make up most of the text. Ids and names are indexes in `words`. */
interface PackedSpans {
  readonly actor: readonly number[]
  readonly from: readonly number[]
  readonly to: readonly number[]
  /** Index in `ENDS`. */
  readonly end: readonly number[]
  readonly word: readonly number[]
  /** `due` of a timer, `attempt` of a call. */
  readonly more: readonly number[]
  /** Index of a call's `answer` in `spanWords`; -1 for none, and for timers. */
  readonly answer: readonly number[]
}

type PackedIndex = Omit<RunIndex, "timers" | "calls"> & {
  readonly timers: PackedSpans
  readonly calls: PackedSpans
  readonly spanWords: readonly string[]
}

const ENDS = [null, "came", "disarmed", "replaced"] as const

/** The index as text for a page. */
export function textOfIndex(index: RunIndex): string {
  const places = new Map<string, number>()
  const placeOf = (word: string): number => {
    const place = places.get(word) ?? places.size
    places.set(word, place)
    return place
  }
  const timers = packedSpans(index.timers, ({ id, due }) => [placeOf(id), due, -1])
  const calls = packedSpans(index.calls, ({ call, attempt, answer }) => {
    return [placeOf(call), attempt, answer === null ? -1 : placeOf(answer)]
  })
  const packed: PackedIndex = { ...index, timers, calls, spanWords: [...places.keys()] }
  return JSON.stringify(packed)
}

export function indexOfText(text: string): RunIndex {
  const packed = JSON.parse(text) as PackedIndex
  const { spanWords, timers, calls, ...same } = packed
  return {
    ...same,
    timers: spansOf(timers, (place): Pick<TimerSpan, "id" | "due"> => {
      return { id: spanWords[at(timers.word, place)] ?? "", due: at(timers.more, place) }
    }),
    calls: spansOf(calls, (place): Pick<CallSpan, "answer" | "attempt" | "call"> => {
      return {
        call: spanWords[at(calls.word, place)] ?? "",
        attempt: at(calls.more, place),
        answer: spanWords[at(calls.answer, place)] ?? null,
      }
    }),
  }
}

function packedSpans<Its extends Span>(
  spans: readonly Its[],
  restOf: (span: Its) => readonly [word: number, more: number, answer: number],
): PackedSpans {
  const rests = spans.map(restOf)
  return {
    actor: spans.map(({ actor }) => actor),
    from: spans.map(({ from }) => from),
    to: spans.map(({ to }) => to),
    end: spans.map(({ end }) => ENDS.indexOf(end)),
    word: rests.map(([word]) => word),
    more: rests.map(([, more]) => more),
    answer: rests.map(([, , answer]) => answer),
  }
}

function spansOf<Rest>(packed: PackedSpans, restOf: (place: number) => Rest): (Span & Rest)[] {
  return packed.actor.map((actor, place) => ({
    actor,
    from: at(packed.from, place),
    to: at(packed.to, place),
    end: ENDS[at(packed.end, place)] ?? null,
    ...restOf(place),
  }))
}
