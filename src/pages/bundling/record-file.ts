/**
 * Reads a record's file into the data of a page. Lines are compressed while they are read: a long record is never in
 * memory as a whole.
 */

import { closeSync, openSync, readSync } from "node:fs"
import { basename } from "node:path"
import { StringDecoder } from "node:string_decoder"
import { deflateRawSync } from "node:zlib"
import { BLOCK_ROWS } from "../inspection/packed.ts"
import type { Compressed } from "../inspection/packed.ts"
import { RecordReader } from "../inspection/run-reader.ts"
import type { ReadRun } from "../inspection/run-reader.ts"

const PIECE_BYTES = 1 << 20
/** Blocks are small and repetitive; a higher level takes half as much time again and saves little. */
const LEVEL = 5

/** A run with its lines in blocks, before its charts are drawn. */
export interface BlockedRun extends ReadRun {
  readonly file: string
  readonly number: number
  readonly blocks: readonly Compressed[]
}

/** Rethrows errors of the file system; throws UnreadableRecord for a file that is not a record. */
export function readRecordFile(path: string): readonly BlockedRun[] {
  return blockedRuns(basename(path), linesOf(path))
}

/** Takes the lines of a record from any source. */
export function blockedRuns(file: string, lines: Iterable<string>): readonly BlockedRun[] {
  const blocks: Compressed[][] = []
  let open: string[] = []
  let openRun = -1
  const close = (): void => {
    if (open.length > 0) blocks[openRun]?.push(compressed(open.join("\n")))
    open = []
  }
  const reader = new RecordReader((text, run) => {
    if (run !== openRun || open.length === BLOCK_ROWS) close()
    openRun = run
    blocks[run] ??= []
    open.push(text)
  })
  for (const line of lines) reader.take(line)
  close()
  return reader.runs().map((run, at) => ({ ...run, file, number: at + 1, blocks: blocks[at] ?? [] }))
}

export function compressed(text: string): Compressed {
  return deflateRawSync(text, { level: LEVEL }).toString("base64")
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, "r")
  try {
    const decoder = new StringDecoder("utf8")
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    let rest = ""
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const lines = `${rest}${decoder.write(piece.subarray(0, read))}`.split("\n")
      rest = lines.pop() ?? ""
      yield* lines
    }
    rest += decoder.end()
    if (rest !== "") yield rest
  } finally {
    closeSync(file)
  }
}
