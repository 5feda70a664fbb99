/**
 * The data folder of the embedded database: `database/`, and beside it the service's `secret` and `demo.json`. A folder that has
 * lost its database is never given a new one unasked: what stood in it may still be restored. A first start that was cut off has
 * left a mark, and begins anew (src/DECISIONS.md §143).
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Data } from "effect"

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
 * Throws a DataFolderFault when the folder has lost its database. May be called before the folder's lock is held.
 */
export function prepareDataFolder(database: string): boolean {
  const folder = dirname(database)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // The folder's lock, which is taken next, says why it cannot be used.
    return true
  }
  if (existsSync(markOf(database))) return true
  if (existsSync(join(database, "PG_VERSION"))) return false
  const isEmpty = !existsSync(database) || readdirSync(database).length === 0
  const witness = WITNESSES.find((name) => existsSync(join(folder, name)))
  if (!isEmpty) {
    const problem = `the database in ${database} is incomplete: its file PG_VERSION is missing`
    throw new DataFolderFault({ folder, problem })
  }
  if (witness !== undefined) {
    const problem = `the folder ${folder} has a file ${witness} and no database, so it has lost one`
    throw new DataFolderFault({ folder, problem })
  }
  writeFileSync(markOf(database), "", { mode: 0o600 })
  return true
}

/** Puts aside what a first start that was cut off has left. To be called by the holder of the folder's lock. */
export function putUnfinishedAside(database: string): void {
  if (existsSync(markOf(database)) && existsSync(database)) {
    const aside = `${database}.cut-off`
    rmSync(aside, { recursive: true, force: true })
    renameSync(database, aside)
  }
  mkdirSync(database, { recursive: true, mode: 0o700 })
}

/** The database stands. */
export function markFinished(database: string): void {
  rmSync(markOf(database), { force: true })
  rmSync(`${database}.cut-off`, { recursive: true, force: true })
}

/** Why files that are there cannot be opened. */
export function damaged(database: string, cause: unknown): DataFolderFault {
  const found = cause instanceof Error ? cause.message : String(cause)
  const problem = `the files of the database in ${database} are damaged and cannot be opened (${found})`
  return new DataFolderFault({ folder: dirname(database), problem })
}
