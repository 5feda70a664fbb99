/** `curbline journal export`: the live journal as a run record, which `curbline replay` verifies. */

import { Effect, Redacted } from "effect"
import type { Layer } from "effect"
import type { DatabasePlace } from "../live/configuration.ts"
import { exportJournal } from "../live/journal-export.ts"
import type { JournalExport } from "../live/journal-export.ts"
import { layerPglite, layerPostgres } from "../store/database.ts"
import type { Database, DatabaseFault } from "../store/database.ts"
import { recordContext } from "../build.ts"
import { databaseIn, databasePlace } from "./database-place.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { explainingHolder } from "./held-folder.ts"
import { err } from "./terminal.ts"
import { writeWhole } from "./whole-file.ts"

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
      ? await exported(place, database, toStdout)
      : await writeWhole(flags.out, (write) =>
          exported(place, database, (text) => Effect.sync(() => write(text))),
        )
  err(`exported ${entries} entries, hash ${hash}`)
  return EXIT.passed
}

type Write = JournalExport["write"]

function toStdout(text: string): Effect.Effect<void> {
  return Effect.async((resume) => {
    process.stdout.write(text, () => resume(Effect.void))
  })
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
