/** Where a command finds its database: a flag, otherwise the settings that the service reads too. */

import { Effect, Either } from "effect"
import { SETTINGS, readDatabasePlace } from "../live/configuration.ts"
import type { DatabasePlace } from "../live/configuration.ts"
import { UsageError } from "./usage-error.ts"

export function databasePlace(data: string | undefined): DatabasePlace {
  const sources = { flags: { [SETTINGS.dataDir.name]: data }, environment: process.env }
  const place = Effect.runSync(Effect.either(readDatabasePlace(sources)))
  if (Either.isRight(place)) return place.right
  throw new UsageError(place.left.message)
}
