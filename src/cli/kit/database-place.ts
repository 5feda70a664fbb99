/** Where a command finds its database: a flag, otherwise the settings that the service reads too. */

import { statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { SETTINGS, readDatabasePlace } from "../../live/configuration/configuration.ts"
import type { DatabasePlace } from "../../live/configuration/configuration.ts"
import { FolderUnusable } from "../../engine/store/data-folder.ts"
import { isUnfinished } from "../../engine/store/unfinished.ts"
import { UsageError } from "./usage-error.ts"

export function databasePlace(data: string | undefined): DatabasePlace {
  const sources = { flags: { [SETTINGS.dataDir.name]: data }, environment: process.env }
  const place = Effect.runSync(Effect.either(readDatabasePlace(sources)))
  if (Either.isRight(place)) return place.right
  throw new UsageError(place.left.message)
}

/** The embedded database in a data folder. Throws a `UsageError` when there is none: only `serve` makes a new one. */
export function databaseIn(dataDir: string): string {
  const database = join(dataDir, "database")
  if (isMade(database, dataDir)) return database
  throw new UsageError(
    `there is no database in ${dataDir}: name its folder with --data, or start \`curbline serve\`, which makes one`,
  )
}

function isMade(database: string, dataDir: string): boolean {
  try {
    return statSync(database, { throwIfNoEntry: false }) !== undefined && !isUnfinished(database)
  } catch (found) {
    const { code } = found as NodeJS.ErrnoException
    if (code === "ENOTDIR") return false
    throw new FolderUnusable({ folder: dataDir, found })
  }
}
