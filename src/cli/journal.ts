/** `curbline journal export`: the live journal as a run record, which `curbline replay` verifies. */

import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Layer } from "effect"
import type { DatabasePlace } from "../live/configuration.ts"
import { exportJournal } from "../live/journal-export.ts"
import { layerPglite, layerPostgres } from "../store/database.ts"
import type { Database, DatabaseFault } from "../store/database.ts"
import { recordContext } from "../build.ts"
import { databasePlace } from "./database-place.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { explainingHolder } from "./held-folder.ts"
import { err } from "./terminal.ts"

export interface JournalExportFlags {
  /** Default: from the settings. */
  readonly data?: string
  readonly out?: string
}

/** Writes to a file, or to stdout. Only one process can open the embedded database, so the service must be stopped. */
export async function journalExportCommand(flags: JournalExportFlags): Promise<ExitStatus> {
  const place = databasePlace(flags.data)
  const { build, charts } = recordContext()
  const stream = flags.out === undefined ? process.stdout : createWriteStream(flags.out)
  const write = (text: string): Effect.Effect<void> =>
    Effect.async((resume) => {
      stream.write(text, () => resume(Effect.void))
    })
  const { entries, hash } = await explainingHolder(
    Effect.runPromise(Effect.provide(exportJournal({ build, charts, write }), layerDatabase(place))),
    (pid) =>
      `${pid === null ? "another process" : `the service (process ${pid})`} holds the database in ${place.dataDir}; ` +
      `stop it first`,
    place.dataDir,
  )
  if (flags.out !== undefined) await new Promise<void>((resolve) => stream.end(resolve))
  err(`exported ${entries} entries, hash ${hash}`)
  return EXIT.passed
}

function layerDatabase({ databaseUrl, dataDir }: DatabasePlace): Layer.Layer<Database, DatabaseFault> {
  return databaseUrl === null
    ? layerPglite({ folder: join(dataDir, "database") })
    : layerPostgres(Redacted.value(databaseUrl))
}
