/**
 * The data folder of the embedded database: `database/`, and beside it the service's `secret` and `demo.json`. A folder that has
 * lost its database is never given a new one unasked: what stood in it may still be restored. A first start that was cut off has
 * left a mark, and begins anew (src/DECISIONS.md §143).
 */

import { dirname } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Data, Effect, Option } from "effect"
import type { LocalFiles } from "./local-files.ts"

/** The folder does not hold what it should. */
export class DataFolderFault extends Data.TaggedError("DataFolderFault")<{
  readonly folder: string
  readonly problem: string
}> {
  override get message(): string {
    return (
      `${this.problem}. Restore a backup with \`curbline restore FILE --data ${this.folder}\`, or name another --data; ` +
      `to begin with an empty database, move everything out of ${this.folder} first`
    )
  }
}

/** Made with the data folder, and there as long as its database does. */
const WITNESSES = ["secret", "demo.json"] as const

/** There from the beginning of a first start until its database stands. */
function markOf(database: string): string {
  return `${database}.unfinished`
}

/**
 * Makes the data folder of this database, for its owner alone, where there is none. True when a database is still to be made.
 * Fails with a DataFolderFault when the folder has lost its database. May be called before the folder's lock is held.
 */
export const prepareDataFolder = Effect.fnUntraced(function* (
  database: string,
): Effect.fn.Return<boolean, DataFolderFault | PlatformError, LocalFiles> {
  const files = yield* FileSystem
  const path = yield* Path
  const folder = path.dirname(database)
  const isThere = yield* Effect.isSuccess(files.makeDirectory(folder, { recursive: true, mode: 0o700 }))
  // The folder's lock, which is taken next, says why it cannot be used.
  if (!isThere) return true
  if (yield* files.exists(markOf(database))) return true
  if (yield* files.exists(path.join(database, "PG_VERSION"))) return false
  const isEmpty = !(yield* files.exists(database)) || (yield* files.readDirectory(database)).length === 0
  const witness = yield* Effect.findFirst(WITNESSES, (name) => files.exists(path.join(folder, name)))
  if (!isEmpty) {
    const problem = `the database in ${database} is incomplete: its file PG_VERSION is missing`
    return yield* new DataFolderFault({ folder, problem })
  }
  if (Option.isSome(witness)) {
    const problem = `the folder ${folder} has a file ${witness.value} and no database, so it has lost one`
    return yield* new DataFolderFault({ folder, problem })
  }
  yield* files.writeFileString(markOf(database), "", { mode: 0o600 })
  return true
})

/** Puts aside what a first start that was cut off has left. To be called by the holder of the folder's lock. */
export const putUnfinishedAside = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  if ((yield* files.exists(markOf(database))) && (yield* files.exists(database))) {
    const aside = `${database}.cut-off`
    yield* files.remove(aside, { recursive: true, force: true })
    yield* files.rename(database, aside)
  }
  yield* files.makeDirectory(database, { recursive: true, mode: 0o700 })
})

/** The database stands. */
export const markFinished = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  yield* files.remove(markOf(database), { force: true })
  yield* files.remove(`${database}.cut-off`, { recursive: true, force: true })
})

/** Why files that are there cannot be opened. */
export function damaged(database: string, cause: unknown): DataFolderFault {
  const found = cause instanceof Error ? cause.message : String(cause)
  const problem = `the files of the database in ${database} are damaged and cannot be opened (${found})`
  return new DataFolderFault({ folder: dirname(database), problem })
}
