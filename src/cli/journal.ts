/** `curbline journal export`: the live journal as a run record, which `curbline replay` verifies. */

import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Layer } from "effect"
import { exportJournal } from "../live/journal-export.ts"
import { layerPglite, layerPostgres } from "../store/database.ts"
import type { Database, DatabaseFault } from "../store/database.ts"
import { recordContext } from "./build.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { sayingWhoHolds } from "./held-folder.ts"
import { err } from "./terminal.ts"

export interface JournalExportFlags {
  readonly data: string
  readonly out?: string
}

/** Writes to a file, or to stdout. The embedded database has room for one process: the service must be stopped. */
export async function journalExportCommand(flags: JournalExportFlags): Promise<ExitStatus> {
  const { build, charts } = recordContext()
  const stream = flags.out === undefined ? process.stdout : createWriteStream(flags.out)
  const write = (text: string): Effect.Effect<void> =>
    Effect.async((resume) => {
      stream.write(text, () => resume(Effect.void))
    })
  const { entries, hash } = await sayingWhoHolds(
    Effect.runPromise(Effect.provide(exportJournal({ build, charts, write }), layerDatabase(flags.data))),
    (pid) =>
      `${pid === null ? "another process" : `the service (process ${pid})`} holds the database in ${flags.data}; ` +
      `stop it first`,
    flags.data,
  )
  if (flags.out !== undefined) await new Promise<void>((resolve) => stream.end(resolve))
  err(`exported ${entries} entries, hash ${hash}`)
  return EXIT.passed
}

function layerDatabase(data: string): Layer.Layer<Database, DatabaseFault> {
  const { DATABASE_URL } = process.env
  if (DATABASE_URL !== undefined && DATABASE_URL !== "") return layerPostgres(DATABASE_URL)
  return layerPglite({ folder: join(data, "database") })
}
