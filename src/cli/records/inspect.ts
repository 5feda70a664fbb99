/** `curbline inspect`: one or two records as a page, served on the loopback or written to a file. */

import { existsSync, writeFileSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { WrittenPage } from "../../pages/html/page-frame.ts"
import { momentOf } from "../../pages/inspection/moment.ts"
import type { Moment } from "../../pages/inspection/moment.ts"
import type { PackedRecord } from "../../pages/inspection/packed.ts"
import { UnreadableRecord } from "../../pages/inspection/run-reader.ts"
import { markedPlace } from "../../pages/inspection/source-places.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { pageFile } from "../../pages/bundling/inspector-document.ts"
import { servePage } from "../../pages/bundling/loopback.ts"
import { UnknownMoment, emptyRecord, packedRecord } from "../../pages/bundling/packed-record.ts"
import { readRecordFile } from "../../pages/bundling/record-file.ts"
import type { BlockedRun } from "../../pages/bundling/record-file.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { portOf, servedUntilStopped } from "../kit/local-page.ts"
import { lostPages } from "./lost-pages.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, faultMessage } from "../kit/terminal.ts"

export interface InspectFlags {
  /** Write the page here instead of serving it. */
  readonly out?: string
  readonly at?: string
  readonly port?: string
}

/** Writes the page and ends, or serves it until Ctrl-C. */
export async function inspectCommand(paths: readonly string[], flags: InspectFlags): Promise<ExitStatus> {
  if (paths.length === 0 && flags.at !== undefined)
    throw new UsageError("a moment is one of a record, and no record is named")
  const [path, ...others] = paths
  const records = paths.map(readRecord)
  // Futures need one whole run.
  const isOne = path !== undefined && others.length === 0 && records[0]?.length === 1
  return showRecords(records, flags, isOne ? path : undefined)
}

/** The same with records that were read. `file`: of a record in whose page orders can be asked about. */
export async function showRecords(
  records: readonly (readonly BlockedRun[])[],
  flags: InspectFlags,
  file?: string,
): Promise<ExitStatus> {
  const port = portOf(flags.port)
  const at = flags.at === undefined ? null : momentFrom(flags.at)
  // A written page may go to others, so it names no folder of this machine.
  const isForHere = flags.out === undefined
  const page = await inspectorPage(records, at, { isForHere, countsLost: isForHere && file !== undefined })
  if (flags.out === undefined) {
    const lost = file === undefined ? null : lostPages(file)
    await servedUntilStopped(() => servePage(page, port, lost?.beside), port)
    await lost?.close()
    return EXIT.passed
  }
  try {
    writeFileSync(flags.out, page.html)
  } catch (cause) {
    throw new UsageError(`the page ${flags.out} cannot be written: ${faultMessage(cause)}`)
  }
  err(`wrote ${flags.out}`)
  return EXIT.passed
}

/** The page of one or two records, or an empty page that opens records itself. */
async function inspectorPage(
  records: readonly (readonly BlockedRun[])[],
  at: Moment | null,
  { isForHere = false, countsLost = false } = {},
): Promise<WrittenPage> {
  try {
    const packed = records.length === 0 ? emptyRecord() : packedRecord({ records, at })
    const [bundle, record] = await Promise.all([pageBundle("inspector"), packed])
    const data = {
      ...record,
      ...(isForHere ? { localPaths: localPathsOf(record, records.flat()) } : {}),
      ...(countsLost ? { countsLost } : {}),
    }
    const first = records[0]?.[0]
    return pageFile({ title: `${first?.head.title ?? "Record"} · Curbline inspector`, bundle, data })
  } catch (cause) {
    if (cause instanceof UnknownMoment) throw new UsageError(cause.message)
    throw cause
  }
}

/** Source files of the record that this machine has: machines of this program, and scenarios below this folder. */
function localPathsOf(
  { charts }: PackedRecord,
  runs: readonly BlockedRun[],
): Readonly<Record<string, string>> {
  const steps = runs.flatMap(({ index }) => index.marks.map(({ src }) => markedPlace(src)?.file ?? ""))
  const candidates = [
    ...charts.flatMap(({ lines }) =>
      lines === null ? [] : [[lines.file, join(PROJECT, lines.file)] as const],
    ),
    ...[...new Set(steps)].filter(Boolean).map((file) => [file, resolve(file)] as const),
  ]
  return Object.fromEntries(
    candidates
      .filter(([, path]) => existsSync(path))
      .map(([file, path]) => [file, path.replaceAll(sep, "/")]),
  )
}

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url))

/** A file that is not a record is a usage error. */
export function readRecord(path: string): readonly BlockedRun[] {
  try {
    return readRecordFile(path)
  } catch (cause) {
    if (cause instanceof UnreadableRecord) throw new UsageError(`${path}: ${cause.message}`)
    if (cause instanceof Error && "code" in cause)
      throw new UsageError(`the record ${path} cannot be read: ${cause.message}`)
    throw cause
  }
}

/** A moment in the format that the page copies. */
export function momentFrom(text: string): Moment {
  const moment = momentOf(text)
  if (moment === null)
    throw new UsageError(`a moment is a line such as 417, or 2:417 in the second run, not "${text}"`)
  return moment
}
