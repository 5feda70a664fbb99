/**
 * Whether the files of an embedded database can be the remains of an interrupted first start. The mark of one is removed
 * before the first table is made, so files of tables show that the mark is wrong.
 */

import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** Exists from the beginning of a first start until its database is complete. */
export function markOf(database: string): string {
  return `${database}.unfinished`
}

/** Where the remains of an interrupted first start are until the next one has succeeded. */
export function asideOf(database: string): string {
  return `${database}.cut-off`
}

/** True for a first start that was interrupted: its database may be made again. */
export function isUnfinished(database: string): boolean {
  return existsSync(markOf(database)) && foreignIn(database) === null
}

/**
 * What an interrupted first start cannot have left in the folder of a database: tables, or a file that belongs to no
 * database. Null when there is nothing of the kind.
 */
export function foreignIn(database: string): string | null {
  const strange = namesIn(database).find((name) => !SERVER_FILES.test(name))
  if (strange !== undefined) return `a file ${strange}, which is not of a database`
  const base = join(database, "base")
  const hasTables = namesIn(base).some((name) =>
    namesIn(join(base, name)).some((file) => Number.parseInt(file, 10) >= FIRST_TABLE),
  )
  return hasTables ? "tables" : null
}

/** The lowest number that PostgreSQL gives to anything not of its own. Source: transam.h, `FirstNormalObjectId`. */
const FIRST_TABLE = 16_384

/** The names in the data folder of a PostgreSQL server, and of the trial of `data-folder.ts`. */
const SERVER_FILES =
  /^(?:PG_VERSION|base|global|pg_\w+(?:\.conf)?|postgresql(?:\.auto)?\.conf|postmaster\.(?:pid|opts)|curbline-trial\.tmp|\.s\.PGSQL\..*)$/

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return []
    throw cause
  }
}
