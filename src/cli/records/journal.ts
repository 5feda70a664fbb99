/** `curbline journal export`: the live journal as a run record, which `curbline replay` verifies. */

import type { Writable } from "node:stream"
import { Cause, Effect, Redacted, Runtime } from "effect"
import type { Layer } from "effect"
import type { DatabasePlace } from "../../live/configuration/configuration.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { exportJournal } from "../../live/records/journal-export.ts"
import type { JournalExport } from "../../live/records/journal-export.ts"
import { layerPglite, layerPostgres } from "../../engine/store/database.ts"
import type { Database, DatabaseFault } from "../../engine/store/database.ts"
import { recordContext } from "../../live/configuration/build.ts"
import { databaseIn, databasePlace } from "../kit/database-place.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { explainingHolder } from "../kit/held-folder.ts"
import { err } from "../kit/terminal.ts"
import { CommandFailed } from "../kit/usage-error.ts"
import { writeWhole } from "../kit/whole-file.ts"

export interface JournalExportFlags {
  /** Default: from the settings. */
  readonly data?: string
  readonly out?: string
}

/**
 * Writes to a file, which it replaces only when the record is whole, or to stdout. Only one process can open the embedded
 * database, so the service must be stopped.
 */
export async function journalExportCommand(flags: JournalExportFlags): Promise<ExitStatus> {
  const place = databasePlace(flags.data)
  const database = layerDatabase(place)
  const { entries, hash } =
    flags.out === undefined
      ? await exported(place, database, (text) => writtenTo(process.stdout, text)).catch(endIfStalled)
      : await writeWhole(flags.out, (write) =>
          exported(place, database, (text) => Effect.sync(() => write(text))),
        )
  err(`exported ${entries} entries, hash ${hash}`)
  return EXIT.passed
}

type Write = JournalExport["write"]

/** The export is one read of the database as of one moment: as long as it lasts, PostgreSQL keeps every row that is deleted. */
export const UNREAD_MS_MAX = 10 * MINUTE_MS

/** Waits until the reader of the stream has taken the text. Dies with a `CommandFailed` when it takes nothing for too long. */
export function writtenTo(stream: Writable, text: string): Effect.Effect<void> {
  const piece = (part: string): Effect.Effect<void> =>
    Effect.async<void>((resume) => {
      stream.write(part, () => resume(Effect.void))
    }).pipe(Effect.timeoutFailCause({ duration: UNREAD_MS_MAX, onTimeout: () => Cause.die(STALLED) }))
  return Effect.forEach(text.match(PIECES) ?? [], piece, { discard: true })
}

/** A whole page of the journal may take a slow reader longer than the limit. */
const PIECES = /[^]{1,65536}/gu

const STALLED = new CommandFailed(
  `the reader of stdout has taken nothing for ${showDuration(UNREAD_MS_MAX)}, so the export was given up: ` +
    "what was written has no end line; write to a file with --out",
)

/** What waits in the stream would keep the process until its reader has left. */
function endIfStalled(cause: unknown): never {
  const isStalled =
    Runtime.isFiberFailure(cause) && Cause.squash(cause[Runtime.FiberFailureCauseId]) === STALLED
  if (!isStalled) throw cause
  err(`error: ${STALLED.message}`)
  return process.exit(EXIT.failed)
}

function exported(
  { dataDir }: DatabasePlace,
  database: Layer.Layer<Database, DatabaseFault>,
  write: Write,
): Promise<{ readonly entries: number; readonly hash: string }> {
  const { build, charts } = recordContext()
  return explainingHolder(
    Effect.runPromise(Effect.provide(exportJournal({ build, charts, write }), database)),
    (pid) =>
      `${pid === null ? "another process" : `the service (process ${pid})`} holds the database in ${dataDir}; ` +
      `stop it first`,
    dataDir,
  )
}

function layerDatabase({ databaseUrl, dataDir }: DatabasePlace): Layer.Layer<Database, DatabaseFault> {
  return databaseUrl === null
    ? layerPglite({ folder: databaseIn(dataDir) })
    : layerPostgres(Redacted.value(databaseUrl))
}
