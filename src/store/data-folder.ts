/**
 * The data folder of the embedded database: `database/`, and beside it the service's `secret` and `demo.json`. A folder
 * that has lost its database is not given a new one automatically, because the old one may still be restored. An
 * interrupted first start leaves a mark and starts again (src/DECISIONS.md §143).
 */

import { dirname } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Data, Effect, Option } from "effect"
import type { LocalFiles } from "./local-files.ts"

/** The content of the folder is not as expected. */
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

/** Created with the data folder, and kept as long as its database. */
const WITNESSES = ["secret", "demo.json"] as const

/** Exists from the beginning of a first start until its database is complete. */
function markOf(database: string): string {
  return `${database}.unfinished`
}

/**
 * Creates the data folder of this database, only for its owner, if it does not exist. Returns true when the database
 * does not exist yet. Fails with a DataFolderFault when the folder has lost its database. May be called before the
 * folder's lock is held.
 */
export const prepareDataFolder = Effect.fnUntraced(function* (
  database: string,
): Effect.fn.Return<boolean, DataFolderFault | PlatformError, LocalFiles> {
  const files = yield* FileSystem
  const path = yield* Path
  const folder = path.dirname(database)
  const isThere = yield* Effect.isSuccess(files.makeDirectory(folder, { recursive: true, mode: 0o700 }))
  // The folder's lock, which is taken next, reports why it cannot be used.
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

/** Moves the remains of an interrupted first start aside. The caller must hold the folder's lock. */
export const putUnfinishedAside = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  if ((yield* files.exists(markOf(database))) && (yield* files.exists(database))) {
    const aside = `${database}.cut-off`
    yield* files.remove(aside, { recursive: true, force: true })
    yield* files.rename(database, aside)
  }
  yield* files.makeDirectory(database, { recursive: true, mode: 0o700 })
})

/** The database is complete. */
export const markFinished = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  yield* files.remove(markOf(database), { force: true })
  yield* files.remove(`${database}.cut-off`, { recursive: true, force: true })
})

/** Existing files cannot be opened. */
export function damaged(database: string, cause: unknown): DataFolderFault {
  const found = cause instanceof Error ? cause.message : String(cause)
  const problem = `the files of the database in ${database} are damaged and cannot be opened (${found})`
  return new DataFolderFault({ folder: dirname(database), problem })
}
